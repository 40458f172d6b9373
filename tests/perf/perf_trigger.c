/*
 * What triggers cost at an event that does not fire: in sample-driven mode and at events that are
 * entered, without one and with one of four comparisons that are all evaluated.
 *
 *	perf-trigger [--smoke]
 *
 * Times are CPU times of the thread that does the work, medians over batches that alternate between
 * what is compared. With --smoke everything runs for a moment only; in both cases the program fails
 * when something comes out wrong, never for a figure.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/updates.h>

enum { COUNTED, ENTERED, BATCHES = 15 };

static const struct gcs_attribute attributes[] = {
    {.name = "size", .format = GCS_BYTES}, {.name = "age"}};
static const struct gcs_event events[] = {
    {.name = "Counted", .attribute_count = 2, .attributes = attributes},
    {.name = "Entered", .attribute_count = 2, .attributes = attributes},
};
/* Each comparison holds but the last one. */
static const struct gcs_trigger four = {
    .name = "four", .condition = "size >= 16 and size < 1g and age != 7 and age > 100000000000"};

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_event_counter *counter;
static int batches = BATCHES;
static unsigned long times = 20000000;

static void fail(const char *what)
{
	fprintf(stderr, "perf-trigger: %s\n", what);
	exit(1);
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *figures)
{
	qsort(figures, (size_t)batches, sizeof *figures, by_value);
	return figures[batches / 2];
}

static double run_counted(void)
{
	const double begin = cpu();
	for (unsigned long i = 0; i < times; i++) {
		const int64_t values[] = {16 + (int64_t)(i & 1023), (int64_t)(i & 3)};
		gcs_count_event(counter, 0, values);
	}
	return (cpu() - begin) / (double)times * 1e9;
}

static double run_entered(void)
{
	const double begin = cpu();
	for (unsigned long i = 0; i < times; i++) {
		const int64_t numbers[] = {16 + (int64_t)(i & 1023), (int64_t)(i & 3)};
		const struct gcs_values values = {.known = 3, .numbers = numbers};
		struct gcs_ticket ticket;
		gcs_server_enter(server, ENTERED, &ticket);
		if (gcs_server_triggered(server, ENTERED) &&
		    gcs_server_check(server, &ticket, &values))
			fail("the trigger has fired");
		gcs_server_leave(server, &ticket);
	}
	return (cpu() - begin) / (double)times * 1e9;
}

static void set(bool on)
{
	struct gcs_error err;
	const enum gcs_status status = on ? gcs_server_set_trigger(server, &four, &err)
					  : gcs_server_remove_trigger(server, "four", &err);
	if (status != GCS_OK || gcs_server_triggered(server, ENTERED) != on)
		fail(err.text);
}

static void measure(const char *name, double (*run)(void))
{
	double without[BATCHES], with[BATCHES];
	for (int b = 0; b < batches; b++) {
		without[b] = run();
		set(true);
		with[b] = run();
		set(false);
	}
	const double before = median(without), after = median(with);
	printf("%-36s %7.2f ns without, %7.2f ns with a trigger: %.2f ns more\n", name, before,
	    after, after - before);
}

static void make(void)
{
	static const uint32_t ids[] = {COUNTED};
	struct gcs_error err;
	const struct gcs_updates_options options = {
	    .event_count = 1, .events = ids, .interval_ms = 50};
	server = gcs_server_create(
	    &(struct gcs_server_options){.name = "perf-trigger", .port = -1}, &err);
	for (int i = 0; server != NULL && i < 2; i++)
		if (gcs_server_add_event(server, &events[i], NULL, &err) != GCS_OK)
			fail(err.text);
	updates = server == NULL ? NULL : gcs_updates_create(server, &options, &err);
	if (updates == NULL)
		fail(err.text);
	counter = gcs_event_counter_create(updates);
	if (counter == NULL)
		fail("out of memory");
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "--smoke") == 0) {
		batches = 1;
		times = 20000;
	} else if (argc != 1) {
		fprintf(stderr, "usage: perf-trigger [--smoke]\n");
		return 2;
	}
	make();
	measure("count an event with two values", run_counted);
	measure("enter and leave an event", run_entered);
	gcs_event_counter_destroy(counter);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	return 0;
}
