/*
 * What touched tiles and counted events cost: marking and counting, gathering and publishing an event,
 * and the difference for a client, beside a target that fills whole streams.
 *
 *	perf-touch [--smoke]
 *
 * 8,192 tiles, eight streams; an event touches 82 tiles (1 %) of three of them, or of one. Times are CPU times
 * of the thread that does the work, medians over batches that alternate between what is compared.
 * With --smoke everything runs for a moment only; in both cases the program fails when something
 * comes out wrong, never for a figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

#include "kit.h"
#include "pair.h"
#include "tiles_internal.h"

enum { TILES = 8192, STREAMS = 8, TOUCHED = TILES / 100, BATCHES = 15 };

static struct gcs_stream streams[STREAMS];
static const struct gcs_space space = {
    .name = "Blocks", .group = GCS_NONE, .main = true, .stream_count = STREAMS, .streams = streams};
static const struct gcs_event event = {.name = "Step"};
static int64_t truth[STREAMS][TILES];
static struct gcs_tiles *tiles;
static uint32_t changing = 3; /* streams */
static int batches = BATCHES;
static double interval;         /* clock_cost */
static unsigned long scale = 1; /* divides repetitions */
static uint64_t seed = 1;

static void fail(const char *what)
{
	fprintf(stderr, "perf-touch: %s\n", what);
	exit(1);
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What one interval costs itself: reading this clock is a system call. */
static double clock_cost(void)
{
	const double begin = cpu();
	for (int i = 0; i < 1000; i++)
		(void)cpu();
	return (cpu() - begin) / 1001;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void print(const char *name, double *figures, const char *unit)
{
	qsort(figures, (size_t)batches, sizeof *figures, by_value);
	printf("%-48s %u x 82 %9.2f %-3s (%.2f to %.2f)\n", name, changing, figures[batches / 2],
	    unit, figures[0], figures[batches - 1]);
}

static void read_truth(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	memcpy(values, truth[stream] + first, count * sizeof *values);
}

static void describe(void)
{
	static const char *const names[STREAMS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	const struct gcs_tiles_options options = {
	    .streams = STREAMS, .tiles = TILES, .read = read_truth};
	for (int k = 0; k < STREAMS; k++) {
		streams[k] = (struct gcs_stream){
		    .name = names[k], .type = GCS_TYPE_I32, .max = 1 << 20, .max_stream = GCS_NONE};
		for (uint32_t i = 0; i < TILES; i++)
			truth[k][i] = kit_below(&seed, 1 << 20);
	}
	tiles = gcs_tiles_create(&options, NULL);
	if (tiles == NULL)
		fail("out of memory");
}

/* What the program does between two events. */
static void change(void)
{
	for (uint32_t i = 0; i < TOUCHED; i++) {
		const uint32_t at = kit_below(&seed, TILES);
		for (uint32_t k = 0; k < changing; k++) {
			truth[k][at] = kit_below(&seed, 1 << 20);
			gcs_tiles_touch(tiles, k, at, 1);
		}
	}
}

static void fill_whole(struct gcs_snapshot *s)
{
	if (!gcs_snapshot_resize(s, 0, TILES))
		fail("out of memory");
	for (uint32_t k = 0; k < STREAMS; k++) {
		int64_t *to = gcs_snapshot_write(s, 0, k);
		if (to == NULL)
			fail("out of memory");
		read_truth(NULL, k, 0, TILES, to);
	}
}

static void measure_touch(void)
{
	double again[BATCHES], anew[BATCHES];
	const unsigned long times = 20000000 / scale;
	struct gcs_model *model = gcs_model_create("perf-touch");
	if (model == NULL || gcs_model_add_space(model, &space, NULL, NULL) != GCS_OK)
		fail("out of memory");
	for (int b = 0; b < batches; b++) {
		double begin = cpu();
		for (unsigned long i = 0; i < times; i++)
			gcs_tiles_touch(tiles, 1, (uint32_t)i * 61 % TILES, 1);
		again[b] = (cpu() - begin) / (double)times * 1e9;
		struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
		if (s == NULL || !tiles_gather(tiles, s))
			fail("out of memory");
		gcs_snapshot_unref(s);
		begin = cpu();
		for (uint32_t i = 0; i < TILES; i++)
			gcs_tiles_touch(tiles, 1, i * 61 % TILES, 1);
		anew[b] = (cpu() - begin) / TILES * 1e9;
	}
	gcs_model_unref(model);
	print("touch, tile already touched", again, "ns");
	print("touch, first since the last gathering", anew, "ns");
}

static void wait_for(struct gcs_server *s, bool attached)
{
	for (int i = 0; i < 5000 && gcs_server_attached(s) != attached; i++)
		kit_sleep_ms(1);
	if (gcs_server_attached(s) != attached)
		fail("the client does not come or go");
}

/* Both with a client attached, which gets each event. */
static void measure_events(void)
{
	double touched[BATCHES], whole[BATCHES];
	char address[32];
	struct gcs_error err;
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "perf-touch"}, &err);
	if (s == NULL || gcs_server_add_event(s, &event, NULL, &err) != GCS_OK ||
	    gcs_server_add_space(s, &space, NULL, &err) != GCS_OK ||
	    gcs_server_start(s, &err) != GCS_OK)
		fail(err.text);
	snprintf(address, sizeof address, "%d", gcs_server_port(s));
	struct gcs_client *c =
	    gcs_client_open(&(struct gcs_client_options){.address = address, .name = "perf"}, &err);
	wait_for(s, true);
	const unsigned long times = 500 / scale + 1;
	for (int b = 0; b < 2 * batches; b++) {
		const bool fills = b % 2 == 1;
		double spent = 0;
		for (unsigned long i = 0; i < times; i++) {
			struct gcs_ticket ticket;
			change();
			double begin = cpu();
			if (!gcs_server_enter(s, 0, &ticket))
				fail("the client does not want the event");
			struct gcs_snapshot *snapshot = gcs_server_begin(s, &ticket);
			if (snapshot == NULL)
				fail("out of memory");
			if (fills)
				fill_whole(snapshot);
			else if (!gcs_tiles_gather(tiles, s, &ticket, snapshot))
				fail("out of memory");
			gcs_server_publish(s, &ticket, snapshot);
			gcs_server_leave(s, &ticket);
			/* The first one after whole streams reads everything. */
			spent += i == 0 ? 0 : cpu() - begin - interval;
			kit_sleep_ms(1);
		}
		(fills ? whole : touched)[b / 2] = spent / (double)(times - (times > 1)) * 1e6;
	}
	print("gather and publish an event", touched, "us");
	print("the same, whole streams filled", whole, "us");
	gcs_client_close(c);
	gcs_server_destroy(s);
}

/* A server's chain of states and a client of it, without sockets. */
struct chain {
	struct pair pair;
	struct gcs_snapshot *state;
	double gathering, spent;
	size_t bytes;
};

static void next_state(struct chain *c, struct gcs_model *model, bool fills)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, c->state);
	if (s == NULL)
		fail("out of memory");
	double begin = cpu();
	if (fills)
		fill_whole(s);
	else if (!tiles_gather(tiles, s))
		fail("out of memory");
	gcs_snapshot_set_gathered(s, 0, true);
	snapshot_settle(s, c->state);
	c->gathering += cpu() - begin - interval;
	gcs_snapshot_unref(c->state);
	c->state = s;
	begin = cpu();
	session_snapshot(&c->pair.session, s, 0);
	c->spent += cpu() - begin - interval;
	c->bytes += c->pair.session.out.length;
	pair_flow(&c->pair);
}

/* The same states with and without maps. */
static void measure_encoding(void)
{
	double figures[2][BATCHES], gathers[2][BATCHES];
	struct gcs_model *model = gcs_model_create("perf-touch");
	if (model == NULL || gcs_model_add_space(model, &space, NULL, NULL) != GCS_OK)
		fail("out of memory");
	const unsigned long times = 200 / scale + 1;
	for (int b = 0; b < batches; b++) {
		struct chain chains[2] = {{.state = NULL}, {.state = NULL}};
		for (int k = 0; k < 2; k++) {
			pair_init(&chains[k].pair, model);
			pair_greet(&chains[k].pair, 0);
			next_state(&chains[k], model, k == 1);
			chains[k].spent = chains[k].gathering = 0;
		}
		for (unsigned long i = 0; i < times; i++) {
			change();
			next_state(&chains[0], model, false);
			next_state(&chains[1], model, true);
		}
		if (chains[0].bytes != chains[1].bytes)
			fail("the bytes depend on the map");
		for (int k = 0; k < 2; k++) {
			struct chain *c = &chains[k];
			figures[k][b] = c->spent / (double)times * 1e6;
			gathers[k][b] = c->gathering / (double)times * 1e6;
			if (kit_difference(c->pair.received, c->state, 1) != NULL)
				fail("the client's state is not the server's");
			pair_fini(&c->pair);
			gcs_snapshot_unref(c->state);
		}
	}
	print("gather an event's snapshot", gathers[0], "us");
	print("the same, whole streams filled", gathers[1], "us");
	print("difference for a client", figures[0], "us");
	print("the same, whole streams compared", figures[1], "us");
	gcs_model_unref(model);
}

/* A thread of the program: counts events and touches tiles as fast as it can. */
static double run_events(struct gcs_event_counter *counter, unsigned long times, bool touches)
{
	const double begin = cpu();
	for (unsigned long i = 0; i < times; i++) {
		if (touches)
			gcs_tiles_touch(tiles, 1, (uint32_t)i * 61 % TILES, 1);
		gcs_count_event(counter, 0, NULL);
	}
	return (cpu() - begin) / (double)times * 1e9;
}

/* Sample-driven mode: without a client, and with one at 20 updates a second. */
static void measure_counting(void)
{
	static const uint32_t ids[] = {0};
	double figures[4][BATCHES];
	char address[32];
	struct gcs_error err;
	const struct gcs_updates_options options = {
	    .event_count = 1, .events = ids, .tiles_count = 1, .tiles = &tiles, .interval_ms = 50};
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "perf-touch"}, &err);
	if (s == NULL || gcs_server_add_event(s, &event, NULL, &err) != GCS_OK ||
	    gcs_server_add_space(s, &space, NULL, &err) != GCS_OK)
		fail(err.text);
	struct gcs_updates *u = gcs_updates_create(s, &options, &err);
	if (u == NULL || gcs_server_start(s, &err) != GCS_OK ||
	    gcs_updates_start(u, &err) != GCS_OK)
		fail(err.text);
	struct gcs_event_counter *counter = gcs_event_counter_create(u);
	if (counter == NULL)
		fail("out of memory");
	const unsigned long times = 20000000 / scale;
	for (int b = 0; b < batches; b++) {
		figures[0][b] = run_events(counter, times, false);
		figures[1][b] = run_events(counter, times, true);
	}
	snprintf(address, sizeof address, "%d", gcs_server_port(s));
	struct gcs_client *c =
	    gcs_client_open(&(struct gcs_client_options){.address = address, .name = "perf"}, &err);
	wait_for(s, true);
	for (int b = 0; b < batches; b++) {
		figures[2][b] = run_events(counter, times, false);
		figures[3][b] = run_events(counter, times, true);
	}
	print("count an event, no client", figures[0], "ns");
	print("count an event and touch a tile, no client", figures[1], "ns");
	print("count an event, 20 updates a second", figures[2], "ns");
	print("count an event and touch a tile, the same", figures[3], "ns");
	gcs_client_close(c);
	gcs_event_counter_destroy(counter);
	gcs_updates_destroy(u);
	gcs_server_destroy(s);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--smoke") == 0) {
		batches = 1;
		scale = 1000;
	} else if (argc != 1) {
		fprintf(stderr, "usage: perf-touch [--smoke]\n");
		return 2;
	}
	describe();
	interval = clock_cost();
	measure_touch();
	measure_counting();
	for (changing = 1; changing <= 3; changing += 2) {
		measure_events();
		measure_encoding();
	}
	gcs_tiles_destroy(tiles);
	return 0;
}
