/*
 * What the overview costs with as many events as the timeline keeps, nine in a second for an hour:
 * median CPU time of a full repaint, of a movement of the pointer, and of an event. No window system.
 *
 * perf_overview [REPETITIONS] [--check]
 *
 * With --check the program fails when a frame takes more than 16 ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui_world.h"

#define MOST_RUNS 2001
#define MOST_MS   16.0

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1000.0 + (double)t.tv_nsec / 1e6;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool report(const char *name, double *ms, int runs)
{
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	printf("%-18s %8.3f ms median %8.3f ms p90 %8.3f ms worst\n", name, ms[runs / 2],
	    ms[runs * 9 / 10], ms[runs - 1]);
	return ms[runs / 2] <= MOST_MS;
}

static void fill(struct app *app)
{
	uint64_t first, last;
	world_must(event_history_span(app, &first, &last), "events");
	struct overview *o = &app->event_history.overview;
	for (uint32_t i = 0; i < OVERVIEW_LIMIT - 4096; i++) {
		const int64_t used = (int64_t)(i % 100 + 1) << 20;
		const struct event_header m = {
		    .time_ns = first + (last - first) * i / OVERVIEW_LIMIT,
		    .sequence = i + 1000,
		    .used_bytes = used,
		    .before_bytes = 2 * used,
		    .committed_bytes = INT64_C(256) << 20,
		    .pause_ns = 1000 + i % 7 * 500000};
		overview_add(o, &m);
	}
}

int main(int argc, char **argv)
{
	static double full[MOST_RUNS], hover[MOST_RUNS], event[MOST_RUNS];
	static struct world w;
	int runs = argc > 1 && argv[1][0] != '-' ? atoi(argv[1]) : 301;
	const bool check = argc > 1 && strcmp(argv[argc - 1], "--check") == 0;
	runs = runs < 3 || runs > MOST_RUNS ? 301 : runs;
	world_open(&w, 1600, 1000);
	world_live(&w, 5);
	fill(&w.app);
	world_must(world_run(&w, "overview\n"), "overview");
	struct ui_event ev = {.kind = EV_MOVE, .y = 400};
	for (int i = 0; i < runs; i++) {
		app_dirty_all(&w.app);
		double start = cpu_ms();
		app_frame(&w.app);
		full[i] = cpu_ms() - start;
		ev.x = 200 + i % 50 * 20;
		start = cpu_ms();
		app_event(&w.app, &ev);
		app_frame(&w.app);
		hover[i] = cpu_ms() - start;
		start = cpu_ms();
		world_event(&w);
		event[i] = cpu_ms() - start;
	}
	printf("%u events, 1600 x 1000, all panels\n", w.app.event_history.overview.count);
	world_close(&w);
	bool ok = report("repaint", full, runs);
	ok = report("pointer moved", hover, runs) && ok;
	ok = report("event", event, runs) && ok;
	if (check && !ok)
		fprintf(stderr, "perf_overview: a frame takes more than %.0f ms\n", MOST_MS);
	return check && !ok ? 1 : 0;
}
