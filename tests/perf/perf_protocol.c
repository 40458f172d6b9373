/*
 * What the protocol library costs: coding, the call at an event without a client, publishing,
 * the difference for one client, and a stream of 1,000 events a second.
 *
 *	perf-protocol [--smoke]
 *
 * Times are CPU times of the thread that does the work, medians over batches. The heap has 8,192
 * tiles and eight streams, like the regions of an 8 GB heap under G1. With --smoke everything runs
 * for a moment only; in both cases the program fails when something comes out wrong, never for a
 * figure.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/client.h>
#include <gcspy/server.h>

#include "kit.h"
#include "pair.h"
#include "runs.h"

#define TILES        8192u
#define REGION_BYTES 1048576
#define HEAP_START   0x600000000

enum { TYPE, USED, FATE, HUMONGOUS, TLAB, CONTROL, START, END, STREAMS };
enum { BATCHES = 15 };

static const char *const seven[] = {"a", "b", "c", "d", "e", "f", "g"};

#define ENUMERATION(title, count)                                                                  \
	{                                                                                          \
		.name = (title), .type = GCS_TYPE_I8, .presentation = GCS_ENUM, .max = (count)-1,  \
		.enum_count = (count), .enum_names = seven, .summary = GCS_SUMMARY_COUNTS          \
	}
#define BYTES(title)                                                                               \
	{                                                                                          \
		.name = (title), .type = GCS_TYPE_I32, .presentation = GCS_PERCENT,                \
		.max = REGION_BYTES, .format = GCS_BYTES, .summary = GCS_SUMMARY_TOTAL             \
	}
#define ADDRESSES(title, part)                                                                     \
	{                                                                                          \
		.name = (title), .type = GCS_TYPE_I64, .role = (part), .max = INT64_MAX,           \
		.format = GCS_HEX                                                                  \
	}

static const struct gcs_stream streams[STREAMS] = {
    [TYPE] = ENUMERATION("Type", 7),
    [USED] = BYTES("Used"),
    [FATE] = ENUMERATION("Collection", 6),
    [HUMONGOUS] = ENUMERATION("Humongous", 3),
    [TLAB] = BYTES("TLAB"),
    [CONTROL] = {.name = "Control", .type = GCS_TYPE_I8, .role = GCS_ROLE_CONTROL, .max = 63},
    [START] = ADDRESSES("Start", GCS_ROLE_RANGE_START),
    [END] = ADDRESSES("End", GCS_ROLE_RANGE_END),
};

static const struct gcs_space space = {.name = "Regions",
    .description = "A heap to measure with",
    .tile_title = "Region",
    .block_info = "1 MiB",
    .unused_text = "uncommitted",
    .group = GCS_NONE,
    .main = true,
    .block_bytes = REGION_BYTES,
    .stream_count = STREAMS,
    .streams = streams};

static const struct gcs_event event = {.name = "GC finish"};

static int batches = BATCHES;
static double scale = 1.0; /* of repetitions and seconds */
static uint64_t seed = 1;

static void fail(const char *what)
{
	fprintf(stderr, "perf-protocol: %s\n", what);
	exit(1);
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static unsigned long repetitions(unsigned long wanted)
{
	double scaled = (double)wanted * scale;
	return scaled < 1.0 ? 1 : (unsigned long)scaled;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints median and range of the batches' figures. */
static void print(const char *name, double *figures, const char *unit)
{
	qsort(figures, (size_t)batches, sizeof *figures, by_value);
	printf("%-52s %10.2f %-8s (%.2f to %.2f)\n", name, figures[batches / 2], unit, figures[0],
	    figures[batches - 1]);
}

/* A heap: runs of regions of one type, old ones filled to a different degree. */
static void fill(int64_t *const *v)
{
	uint32_t left = 0, kind = 0;
	for (uint32_t i = 0; i < TILES; i++) {
		if (left == 0) {
			left = 1 + kit_below(&seed, 64);
			kind = kit_below(&seed, 4);
		}
		left--;
		v[TYPE][i] = kind;
		v[USED][i] = kind == 0   ? 0
			     : kind == 3 ? kit_below(&seed, REGION_BYTES + 1)
					 : REGION_BYTES;
		v[FATE][i] = v[HUMONGOUS][i] = v[TLAB][i] = 0;
		v[CONTROL][i] = GCS_TILE_USED;
		v[START][i] = HEAP_START + (int64_t)i * REGION_BYTES;
		v[END][i] = v[START][i] + REGION_BYTES;
	}
}

/* What an event changes: every hundredth region, at random places. */
static void change(int64_t *const *v)
{
	for (uint32_t i = 0; i < TILES / 100; i++) {
		uint32_t at = kit_below(&seed, TILES);
		v[TYPE][at] = (v[TYPE][at] + 1) % 7;
		v[USED][at] = kit_below(&seed, REGION_BYTES + 1);
		v[FATE][at] = kit_below(&seed, 6);
	}
}

/* One stream, coded and decoded: megabytes of values (8 bytes each) a second. */
static void measure_coding(const char *what, const int64_t *values, const int64_t *old)
{
	double encode[BATCHES], decode[BATCHES];
	int64_t *back = malloc(TILES * sizeof *back);
	char name[64];
	struct wr w;
	wr_init(&w, TILES * 16);
	unsigned long times = repetitions(400);
	double megabytes = (double)times * TILES * sizeof *values / 1e6;
	if (back == NULL)
		fail("out of memory");
	for (int b = 0; b < batches; b++) {
		double begin = cpu();
		for (unsigned long i = 0; i < times; i++) {
			w.length = 0;
			runs_encode(&w, values, old, TILES);
		}
		encode[b] = megabytes / (cpu() - begin);
		begin = cpu();
		for (unsigned long i = 0; i < times; i++) {
			/* An incremental stream is applied to the old values: a copy, as the client
			 * makes one. */
			if (old != NULL)
				memcpy(back, old, TILES * sizeof *back);
			struct rd r = rd_over(w.data, w.length);
			runs_decode(&r, back, TILES, old != NULL);
		}
		decode[b] = megabytes / (cpu() - begin);
	}
	if (memcmp(back, values, TILES * sizeof *back) != 0)
		fail("what was decoded is not what was encoded");
	snprintf(name, sizeof name, "encode %s (%zu bytes)", what, w.length);
	print(name, encode, "MB/s");
	snprintf(name, sizeof name, "decode %s", what);
	print(name, decode, "MB/s");
	wr_fini(&w);
	free(back);
}

static void measure_codings(void)
{
	static int64_t memory[2][STREAMS][TILES];
	int64_t *old[STREAMS], *now[STREAMS];
	for (int i = 0; i < STREAMS; i++)
		old[i] = memory[0][i], now[i] = memory[1][i];
	fill(old);
	memcpy(memory[1], memory[0], sizeof memory[0]);
	change(now);
	measure_coding("types, whole", now[TYPE], NULL);
	measure_coding("used bytes, whole", now[USED], NULL);
	measure_coding("addresses, whole", now[START], NULL);
	measure_coding("used bytes, 1 % changed", now[USED], old[USED]);
	for (uint32_t i = 0; i < TILES; i++)
		now[USED][i] = (int64_t)kit_random(&seed);
	measure_coding("random 64-bit values, whole", now[USED], NULL);
}

/* The server with one event and one space, on a free port; its address. */
static struct gcs_server *start_server(char *address, size_t size)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "perf-protocol"};
	struct gcs_server *s = gcs_server_create(&options, &err);
	if (s == NULL || gcs_server_add_event(s, &event, NULL, &err) != GCS_OK ||
	    gcs_server_add_space(s, &space, NULL, &err) != GCS_OK ||
	    gcs_server_start(s, &err) != GCS_OK)
		fail(err.text);
	snprintf(address, size, "%d", gcs_server_port(s));
	return s;
}

static void measure_nobody(void)
{
	double figures[BATCHES];
	char address[32];
	struct gcs_server *s = start_server(address, sizeof address);
	unsigned long times = repetitions(2000000);
	for (int b = 0; b < batches; b++) {
		double begin = cpu();
		for (unsigned long i = 0; i < times; i++) {
			struct gcs_ticket ticket;
			if (gcs_server_enter(s, 0, &ticket))
				fail("an event has an audience without a client");
			gcs_server_leave(s, &ticket);
		}
		figures[b] = (cpu() - begin) / (double)times * 1e9;
	}
	print("enter and leave, no client", figures, "ns");
	gcs_server_destroy(s);
}

/* The next state: all streams but the addresses are gathered anew, as the agent does. */
static struct gcs_snapshot *gather(struct gcs_snapshot *s, const struct gcs_snapshot *state)
{
	if (s == NULL || !gcs_snapshot_resize(s, 0, TILES))
		fail("out of memory");
	bool first = gcs_snapshot_values(s, 0, START)[0] == 0;
	for (uint32_t i = 0; i < (first ? STREAMS : START); i++) {
		int64_t *to = gcs_snapshot_write(s, 0, i);
		if (to == NULL)
			fail("out of memory");
		memcpy(to, gcs_snapshot_values(state, 0, i), TILES * sizeof *to);
	}
	gcs_snapshot_set_gathered(s, 0, true);
	return s;
}

/* States of the heap, each with 1 % of the tiles changed since the one before. */
enum { STATES = 64 };

static struct gcs_snapshot *states[STATES];
static struct gcs_model *model;

static void make_states(void)
{
	struct gcs_error err;
	model = gcs_model_create("perf-protocol");
	if (model == NULL || gcs_model_add_event(model, &event, NULL, &err) != GCS_OK ||
	    gcs_model_add_space(model, &space, NULL, &err) != GCS_OK)
		fail("cannot make a model");
	for (int k = 0; k < STATES; k++) {
		int64_t *v[STREAMS];
		states[k] = gcs_snapshot_begin(model, k == 0 ? NULL : states[k - 1]);
		if (states[k] == NULL || !gcs_snapshot_resize(states[k], 0, TILES))
			fail("out of memory");
		for (uint32_t i = 0; i < STREAMS; i++)
			if ((v[i] = gcs_snapshot_write(states[k], 0, i)) == NULL)
				fail("out of memory");
		if (k == 0)
			fill(v);
		else
			change(v);
		gcs_snapshot_set_gathered(states[k], 0, true);
		snapshot_settle(states[k], k == 0 ? NULL : states[k - 1]);
	}
}

static void drop_states(void)
{
	for (int k = 0; k < STATES; k++)
		gcs_snapshot_unref(states[k]);
	gcs_model_unref(model);
}

/* The difference of two snapshots as bytes, and the bytes as a snapshot; no sockets. */
static void measure_session(void)
{
	double encode[BATCHES], decode[BATCHES], first = 0, first_bytes = 0;
	double bytes = 0, count = 0;
	char name[64];
	for (int b = 0; b < batches; b++) {
		struct pair p;
		double encoding = 0, decoding = 0;
		pair_init(&p, model);
		pair_greet(&p, 0);
		for (int k = 0; k < STATES; k++) {
			double begin = cpu();
			session_snapshot(&p.session, states[k], 0);
			double middle = cpu();
			if (k == 0) {
				first += middle - begin;
				first_bytes = (double)p.session.out.length;
			} else {
				encoding += middle - begin;
				bytes += (double)p.session.out.length;
				count++;
			}
			middle = cpu();
			pair_flow(&p);
			decoding += k == 0 ? 0 : cpu() - middle;
		}
		if (p.received == NULL || kit_difference(p.received, states[STATES - 1], 1) != NULL)
			fail("the client's state is not the server's");
		encode[b] = encoding / (STATES - 1) * 1e6;
		decode[b] = decoding / (STATES - 1) * 1e6;
		pair_fini(&p);
	}
	snprintf(
	    name, sizeof name, "difference for a client, 1 %% changed (%.0f bytes)", bytes / count);
	print(name, encode, "us");
	print("the same, decoded by the client", decode, "us");
	printf("%-52s %10.2f us       (%.0f bytes)\n", "first snapshot for a client",
	    first / batches * 1e6, first_bytes);
}

/* A client in a process of its own: takes all there is and tells how many. */
static pid_t start_client(const int address_pipe[2], const int answer_pipe[2])
{
	pid_t child = fork();
	if (child < 0)
		fail("cannot start a client");
	if (child != 0) {
		close(address_pipe[0]);
		close(answer_pipe[1]);
		return child;
	}
	char address[32] = "";
	unsigned long long got[2] = {0, 0};
	close(address_pipe[1]);
	close(answer_pipe[0]);
	if (read(address_pipe[0], address, sizeof address - 1) <= 0)
		_exit(1);
	struct gcs_client_options options = {
	    .address = address, .name = "perf", .queue_limit = 4096};
	struct gcs_client *c = gcs_client_open(&options, NULL);
	while (c != NULL) {
		struct gcs_snapshot *s = gcs_client_next(c, 1000);
		if (s != NULL) {
			got[0] += gcs_snapshot_occurrence(s)->event == 0;
			got[1] = gcs_snapshot_occurrence(s)->missed;
			gcs_snapshot_unref(s);
		} else if (gcs_client_state(c) == GCS_CLIENT_LOST) {
			break;
		}
	}
	got[1] += gcs_client_overrun(c);
	gcs_client_close(c);
	_exit(write(answer_pipe[1], got, sizeof got) == sizeof got ? 0 : 1);
}

static double used_by(int who)
{
	struct rusage u;
	getrusage(who, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void one_event(struct gcs_server *s, const struct gcs_snapshot *state)
{
	struct gcs_ticket ticket;
	if (gcs_server_enter(s, 0, &ticket))
		gcs_server_publish(s, &ticket, gather(gcs_server_begin(s, &ticket), state));
	gcs_server_leave(s, &ticket);
}

static void wait_for_client(struct gcs_server *s)
{
	for (int i = 0; i < 5000 && !gcs_server_attached(s); i++)
		kit_sleep_ms(1);
	if (!gcs_server_attached(s))
		fail("the client does not come");
}

/* Publishing at 1,000 events a second to one client: what it costs the publishing thread for each
 * event, and both processes altogether. */
static void measure_stream(void)
{
	int address_pipe[2], answer_pipe[2], status;
	char address[32];
	unsigned long long got[2] = {0, 0};
	if (pipe(address_pipe) != 0 || pipe(answer_pipe) != 0)
		fail("cannot make a pipe");
	pid_t child = start_client(address_pipe, answer_pipe);
	struct gcs_server *s = start_server(address, sizeof address);
	if (write(address_pipe[1], address, strlen(address)) < 0)
		fail("cannot tell the client");
	close(address_pipe[1]);
	wait_for_client(s);

	unsigned long events = repetitions(20000);
	double begin = seconds_of(CLOCK_MONOTONIC), own = used_by(RUSAGE_SELF), publishing = cpu();
	for (unsigned long i = 0; i < events; i++) {
		double due = begin + (double)i / 1000.0;
		struct timespec at = {
		    .tv_sec = (time_t)due, .tv_nsec = (long)((due - floor(due)) * 1e9)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		/* Forth and back, so that each differs from the one before by 1 %. */
		unsigned long turn = i % (2 * STATES - 2);
		one_event(s, states[turn < STATES ? turn : 2 * STATES - 2 - turn]);
	}
	double wall = seconds_of(CLOCK_MONOTONIC) - begin;
	publishing = cpu() - publishing;
	own = used_by(RUSAGE_SELF) - own;
	struct gcs_server_stats stats;
	gcs_server_stats(s, &stats);
	/* What was published last may still be on its way. */
	kit_sleep_ms(200);
	gcs_server_destroy(s);
	bool told = read(answer_pipe[0], got, sizeof got) == sizeof got;
	close(answer_pipe[0]);
	if (waitpid(child, &status, 0) != child || status != 0 || !told)
		fail("the client failed");
	if (got[0] + got[1] < events || got[0] == 0)
		fail("the client did not get, nor was told of, all events");
	printf("%-52s %10.2f us       (%lu events)\n", "gather and publish one event",
	    publishing / (double)events * 1e6, events);
	printf("%-52s %10.2f %%        of one core, at %.0f events/s\n",
	    "server: gather, publish, encode, send", own / wall * 100, (double)events / wall);
	printf("%-52s %10.2f %%        of one core\n", "client: receive, decode",
	    used_by(RUSAGE_CHILDREN) / wall * 100);
	printf("%-52s %10llu of %lu, %llu missed, %.1f MB\n", "snapshots received", got[0], events,
	    got[1], (double)stats.sent_bytes / 1e6);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--smoke") == 0) {
		batches = 3;
		scale = 0.01;
	} else if (argc != 1) {
		fprintf(stderr, "usage: perf-protocol [--smoke]\n");
		return 2;
	}
	/* First, while there is one thread only: it forks. */
	make_states();
	measure_stream();
	measure_nobody();
	measure_codings();
	measure_session();
	drop_states();
	return 0;
}
