/*
 * What painting costs: median CPU time of a full repaint, of 1 % and 10 % changed tiles, and of
 * nothing, for 100,000 tiles in a window of 1600 x 1000, for a table of 100,000 call sites, a flame
 * graph of 50,000 frames, each chart of 100,000 tiles, and for history graphs. No window system.
 *
 * perf_view [REPETITIONS] [--check]
 *
 * The snapshots are those that a client receives: each went through a session and a decoder, so
 * that the map knows where to look. "1 % compared" is the same for snapshots of which nothing is
 * known but their values, as after a missed one.
 *
 * With --check the program fails when a budget is exceeded by more than a factor of six, which
 * leaves room for a loaded machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "charts.h"
#include "expr.h"
#include "history_view.h"
#include "memory_use.h"
#include "pair.h"
#include "snapshot_internal.h"
#include "tileage.h"
#include "tilemap.h"
#include "ui_calls.h"
#include "ui_charts.h"
#include "ui_history.h"
#include "ui_profile.h"
#include "ui_world.h"

#define TILES     100000u
#define COLUMNS   395u
#define PITCH     4
#define SLACK     20
#define MOST_RUNS 2001
#define SITES     100000u
#define FLAMES    44000u /* sites, that make 50,000 frames */

struct bench {
	struct cv cv;
	struct tileset look;
	struct tilemap map;
	struct pair pair;
	struct gcs_snapshot *sent;     /* the server's newest */
	struct gcs_snapshot *snapshot; /* the one to paint */
	uint32_t seed;
};

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

static uint32_t next_random(struct bench *b)
{
	b->seed = b->seed * 1664525u + 1013904223u;
	return b->seed >> 8;
}

static void give_up(const char *what)
{
	fprintf(stderr, "perf_view: %s\n", what);
	exit(1);
}

/* A snapshot after `before` in which `per_mille` of the tiles, at random places, have another
 * value. */
static struct gcs_snapshot *next_of(
    struct bench *b, const struct gcs_snapshot *before, unsigned per_mille)
{
	struct gcs_model *m = gcs_model_ref((struct gcs_model *)gcs_snapshot_model(before));
	struct gcs_snapshot *s = gcs_snapshot_begin(m, before);
	gcs_model_unref(m);
	int64_t *values = per_mille > 0 && s != NULL ? gcs_snapshot_write(s, 0, 0) : NULL;
	if (s == NULL || (per_mille > 0 && values == NULL))
		give_up("out of memory");
	for (uint32_t i = 0; i < TILES / 1000 * per_mille; i++)
		values[next_random(b) % TILES] = next_random(b) % 1001;
	return s;
}

/* The next snapshot to paint: one that a client received, or one that nobody sent. */
static void advance(struct bench *b, unsigned per_mille, bool received)
{
	struct gcs_snapshot *next = next_of(b, received ? b->sent : b->snapshot, per_mille);
	if (received) {
		snapshot_settle(next, b->sent);
		gcs_snapshot_unref(b->sent);
		b->sent = next;
		session_snapshot(&b->pair.session, next, 0);
		pair_flow(&b->pair);
		next = gcs_snapshot_ref(b->pair.received);
		if (next == NULL || b->pair.decoder.phase != DECODER_LIVE)
			give_up("the client received no snapshot");
	}
	gcs_snapshot_unref(b->snapshot);
	b->snapshot = next;
}

enum how { ALL, CHANGED, COMPARED };

static bool measure(
    struct bench *b, const char *name, unsigned per_mille, enum how how, int runs, double budget)
{
	static double ms[MOST_RUNS];
	uint32_t painted = 0;
	for (int i = 0; i < runs; i++) {
		advance(b, per_mille, how != COMPARED);
		double start = cpu_ms();
		painted = tilemap_paint(&b->map, &b->cv, &b->look, b->snapshot, 0, 0, how == ALL);
		ms[i] = cpu_ms() - start;
		damage_clear(&b->cv.damage);
	}
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	double median = ms[runs / 2];
	printf("%-19s %8.3f ms median %8.3f ms p90 %8u tiles   budget %.2f ms\n", name, median,
	    ms[runs * 9 / 10], painted, budget);
	return median <= budget * SLACK;
}

/* The same map in another order, with fading, split tiles or values of an expression: 1 % changed
 * tiles, what a snapshot costs before it is painted, and painting (V9). */
static bool measure_style(
    struct bench *b, const char *name, struct tilestyle style, int pitch, int runs, double budget)
{
	static double ms[MOST_RUNS], real[TILES];
	static struct tileorder order;
	static struct tileage age;
	struct expr expr;
	struct tilecode rule;
	struct tileset look = {0};
	struct tilemap map = {.selected = GCS_NONE, .hovered = GCS_NONE};
	uint32_t painted = 0;
	const bool ordered = style.order != NULL, fades = style.age != NULL;
	const struct gcs_space *s = &gcs_snapshot_model(b->snapshot)->spaces[0];
	if (!tileset_set(&look, theme_at(0), 0, pitch, false, NULL, NULL) ||
	    !tilemap_layout(&map, TILES, COLUMNS) ||
	    !expr_compile(
		&expr, "Value > 500 ? Value - prev(Value) : Value / (tile + 1) * 100", s, NULL))
		give_up("out of memory");
	for (int i = 0; i < runs; i++) {
		struct gcs_snapshot *before = gcs_snapshot_ref(b->snapshot);
		advance(b, 10, true);
		double start = cpu_ms();
		if (style.real.values != NULL) {
			expr_evaluate(&expr, b->snapshot, before, 0, real);
			style.real.values = real;
		}
		if (fades && tileage_next(&age, b->snapshot, before, 0))
			style.age = age.age;
		if (ordered && tilecode_init(&rule, b->snapshot, 0, 0) &&
		    tileorder_set(&order, ORDER_FALLING, &rule))
			style.order = &order;
		map.style = style;
		painted = tilemap_paint(&map, &b->cv, &look, b->snapshot, 0, 0, i == 0);
		ms[i] = cpu_ms() - start;
		damage_clear(&b->cv.damage);
		gcs_snapshot_unref(before);
	}
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	printf("%-14s %8.3f ms median %8.3f ms p90 %8u tiles   budget %.2f ms\n", name,
	    ms[runs / 2], ms[runs * 9 / 10], painted, budget);
	tilemap_fini(&map);
	tileset_fini(&look);
	tileorder_fini(&order);
	tileage_fini(&age);
	return ms[runs / 2] <= budget * SLACK;
}

static bool measure_styles(struct bench *b, int runs)
{
	static const double some[1];
	static const uint8_t ages[1];
	static const struct tileorder any;
	bool ok = measure_style(b, "split in two", (struct tilestyle){.parts = 1}, 8, runs, 1.5);
	ok = measure_style(
		 b, "expression", (struct tilestyle){.real = {some, 0, 1000}}, PITCH, runs, 5.0) &&
	     ok;
	ok = measure_style(b, "recency", (struct tilestyle){.age = ages}, PITCH, runs, 1.5) && ok;
	return measure_style(b, "ordered", (struct tilestyle){.order = &any}, PITCH, runs, 8.0) &&
	       ok;
}

/* The whole application: a window with the map, panels, texts. */
static bool measure_window(int runs)
{
	static double ms[MOST_RUNS];
	static struct world w;
	world_open(&w, 1600, 1000);
	world_live(&w, 2);
	for (int i = 0; i < runs; i++) {
		double start = cpu_ms();
		world_event(&w);
		ms[i] = cpu_ms() - start;
	}
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	printf("%-19s %8.3f ms median %8.3f ms p90 (598 tiles, panels, texts, and making the "
	       "snapshot)\n",
	    "whole event", ms[runs / 2], ms[runs * 9 / 10]);
	bool ok = ms[runs / 2] <= 16.6;
	world_close(&w);
	return ok;
}

static double since(double start)
{
	return cpu_ms() - start;
}

static bool report(const char *name, double *ms, int runs, double budget, const char *what)
{
	qsort(ms, (size_t)runs, sizeof *ms, by_value);
	printf("%-19s %8.3f ms median %8.3f ms p90 (%s)   budget %.2f ms\n", name, ms[runs / 2],
	    ms[runs * 9 / 10], what, budget);
	return ms[runs / 2] <= budget * SLACK;
}

/* The view of call sites with 100,000 of them in the same window (S6): a frame while the rows
 * scroll, one while the pointer moves from row to row, and one in which nothing has happened. */
static bool measure_sites(int runs)
{
	static double scroll[MOST_RUNS], hover[MOST_RUNS], idle[MOST_RUNS];
	static struct world w;
	world_open(&w, 1600, 1000);
	world_live(&w, 2);
	world_key(&w, "2");
	world_wait(&w, 0);
	double start = cpu_ms();
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, SITES));
	calls_settle(&w); /* its threads have made the rows */
	printf("%-19s %8.3f ms (%u sites made, coded, read, grouped, sorted, painted)\n",
	    "an answer", since(start), SITES);
	start = cpu_ms();
	world_run(&w, "sites_filter maker77\nsites_filter /Maker[0-9]\n");
	calls_settle(&w);
	printf("%-19s %8.3f ms (two of them)\n", "a filter", since(start));
	struct ui_event ev = {.kind = EV_WHEEL, .wheel = -40, .x = 600, .y = 500};
	for (int i = 0; i < runs; i++) {
		app_event(&w.app, &ev);
		start = cpu_ms();
		app_frame(&w.app);
		scroll[i] = since(start);
		damage_clear(&w.app.cv.damage);
	}
	ev.kind = EV_MOVE;
	for (int i = 0; i < runs; i++) {
		ev.y = 400 + i % 10 * 20;
		app_event(&w.app, &ev);
		start = cpu_ms();
		app_frame(&w.app);
		hover[i] = since(start);
		start = cpu_ms();
		app_frame(&w.app);
		idle[i] = since(start);
		damage_clear(&w.app.cv.damage);
	}
	bool ok = report("table scrolled", scroll, runs, 2.0, "100,000 rows, 1600 x 1000");
	ok = report("row pointed at", hover, runs, 0.5, "the same") && ok;
	ok = report("table idle", idle, runs, 0.01, "the same") && ok;
	world_close(&w);
	return ok;
}

/* Frames of one chart (V9, V10): each with another snapshot, of which nothing is known from the one
 * before. The panels around it are painted too. */
static bool measure_chart(struct world *w, struct gcs_snapshot *const of[2], int kind, int runs)
{
	static double ms[MOST_RUNS];
	char script[40], name[40];
	const struct chart *chart = charts_at((enum chart_kind)kind);
	snprintf(script, sizeof script, "charts\nchart %s\n", chart->name);
	if (!world_run(w, script))
		give_up(chart->name);
	for (int i = 0; i < runs; i++) {
		app_show(&w->app, of[i % 2]);
		double start = cpu_ms();
		app_frame(&w->app);
		ms[i] = since(start);
		damage_clear(&w->app.cv.damage);
	}
	snprintf(name, sizeof name, "%s chart", chart->name);
	return report(name, ms, runs, 4.0, "100,000 tiles, 1600 x 1000");
}

static bool measure_charts(int runs)
{
	static double ms[MOST_RUNS];
	static struct world w;
	static uint32_t order[TILES];
	struct gcs_snapshot *of[2];
	bool ok = true;
	runs = runs > 101 ? 101 : runs;
	for (uint32_t i = 0; i < 2; i++)
		of[i] = charted_snapshot(TILES, CHARTED_PLAIN, i);
	world_open(&w, 1600, 1000);
	world_live(&w, 2);
	app_show(&w.app, of[0]);
	for (int stream = CHARTED_COUNT; stream <= CHARTED_KIND; stream += 2) {
		app_set_stream(&w.app, 0, (uint32_t)stream);
		for (int i = 0; i < CHART_COUNT; i++)
			ok = measure_chart(&w, of, i, runs) && ok;
	}
	struct chart_data data;
	if (!chart_data_init(&data, of[1], 0, CHARTED_COUNT))
		give_up("no values");
	for (int i = 0; i < runs; i++) {
		for (uint32_t k = 0; k < TILES; k++)
			order[k] = k;
		double start = cpu_ms();
		charts_sort(&data, order, TILES, i % 2 == 0);
		ms[i] = since(start);
	}
	ok = report("rows sorted", ms, runs, 12.0, "100,000 rows") && ok;
	world_close(&w);
	gcs_snapshot_unref(of[0]);
	gcs_snapshot_unref(of[1]);
	return ok;
}

/* The flame graph of 50,000 frames in the same window (S6): a frame of everything, one zoomed into
 * the middle, one while the pointer moves from frame to frame. */
static bool measure_flame(int runs)
{
	static double all[MOST_RUNS], zoomed[MOST_RUNS], hover[MOST_RUNS];
	static struct world w;
	world_open(&w, 1600, 1000);
	world_live(&w, 2);
	world_key(&w, "3");
	world_wait(&w, 0);
	double start = cpu_ms();
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, FLAMES));
	calls_settle(&w);
	printf("%-14s %8.3f ms (%u sites, on both threads)\n", "a call tree", since(start), FLAMES);
	for (int i = 0; i < runs; i++) {
		app_dirty(&w.app, PANEL_VIEW);
		start = cpu_ms();
		app_frame(&w.app);
		all[i] = since(start);
	}
	struct ui_event ev = {.kind = EV_WHEEL, .wheel = 1, .x = 400, .y = 500};
	for (int i = 0; i < 20; i++)
		app_event(&w.app, &ev);
	for (int i = 0; i < runs; i++) {
		app_dirty(&w.app, PANEL_VIEW);
		start = cpu_ms();
		app_frame(&w.app);
		zoomed[i] = since(start);
	}
	ev.kind = EV_MOVE;
	for (int i = 0; i < runs; i++) {
		ev.x = 200 + i % 10 * 40;
		ev.y = 840 - i % 9 * 18;
		start = cpu_ms();
		app_event(&w.app, &ev);
		app_frame(&w.app);
		hover[i] = since(start);
	}
	bool ok = report("flame graph", all, runs, 10.0, "50,000 frames, 1600 x 1000");
	ok = report("flame zoomed", zoomed, runs, 10.0, "the same") && ok;
	ok = report("flame hovered", hover, runs, 10.0, "the same, with the tip") && ok;
	world_close(&w);
	return ok;
}

/* History graphs in the same window (V8): the frame in which a row comes at the end of many, the
 * whole of it anew, and reducing a row. */
static bool measure_history(int runs)
{
	static double event[MOST_RUNS], full[MOST_RUNS], reduce[MOST_RUNS];
	static struct world w;
	enum { TILES_2002 = 104400, ROWS = 1200, ROW_TILES = 2000 };
	world_open(&w, 1600, 1000);
	world_live(&w, 1);
	world_key(&w, "5");
	world_run(&w, "history rows=2000\nhistory tile=1\nhistory fill=off\n");
	for (int i = 0; i < ROWS; i++)
		field_event(&w, ROW_TILES, field_noise);
	for (int i = 0; i < runs; i++) {
		field_event(&w, ROW_TILES, field_noise);
		/* Making the event is not what is measured. */
		struct hist_view *v = w.app.views[VIEW_HISTORY];
		v->graph.changed--;
		app_dirty(&w.app, PANEL_VIEW);
		double start = cpu_ms();
		app_frame(&w.app);
		event[i] = since(start);
		damage_clear(&w.app.cv.damage);
		v->graph.epoch++;
		app_dirty_all(&w.app);
		start = cpu_ms();
		app_frame(&w.app);
		full[i] = since(start);
		damage_clear(&w.app.cv.damage);
	}
	struct gcs_snapshot *s = world_plain(TILES_2002);
	struct hist_lane lane = field_lane("Plain", "Value");
	struct hist_maker maker = {0};
	hist_maker_init(&maker, &lane, 1, 1600);
	for (int i = 0; i < runs; i++) {
		struct hist_row row;
		double start = cpu_ms();
		if (!hist_make(&maker, s, 1, &row))
			give_up("out of memory");
		reduce[i] = since(start);
		hist_row_free(&row);
	}
	hist_maker_fini(&maker);
	gcs_snapshot_unref(s);
	world_close(&w);
	bool ok = report("history row", event, runs, 2.0, "1,200 rows, 1600 x 1000");
	ok = report("history anew", full, runs, 4.0, "the same, all panels") && ok;
	return report("row reduced", reduce, runs, 0.5, "104,400 tiles") && ok;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 && argv[1][0] != '-' ? atoi(argv[1]) : 301;
	bool check = argc > 1 && strcmp(argv[argc - 1], "--check") == 0;
	if (runs < 3 || runs > MOST_RUNS)
		runs = 301;
	static struct bench b = {.seed = 1};
	memory_bound(); /* as gcspy-view does */
	b.sent = world_plain(TILES);
	pair_init(&b.pair, gcs_model_ref((struct gcs_model *)gcs_snapshot_model(b.sent)));
	pair_greet(&b.pair, 0);
	if (!cv_init(&b.cv, 1600, 1024) ||
	    !tileset_set(&b.look, theme_at(0), 0, PITCH, false, NULL, NULL) ||
	    !tilemap_layout(&b.map, TILES, COLUMNS))
		give_up("out of memory");
	b.map.selected = b.map.hovered = GCS_NONE;
	advance(&b, 1000, true);
	bool ok = measure(&b, "full repaint", 0, ALL, runs, 2.0);
	ok = measure(&b, "1 % changed", 10, CHANGED, runs, 0.1) && ok;
	ok = measure(&b, "10 % changed", 100, CHANGED, runs, 1.0) && ok;
	ok = measure(&b, "idle", 0, CHANGED, runs, 0.01) && ok;
	ok = measure(&b, "1 % compared", 10, COMPARED, runs, 0.2) && ok;
	ok = measure_styles(&b, runs) && ok;
	ok = measure_window(runs) && ok;
	ok = measure_sites(runs) && ok;
	ok = measure_flame(runs) && ok;
	ok = measure_history(runs) && ok;
	ok = measure_charts(runs) && ok;
	tilemap_fini(&b.map);
	tileset_fini(&b.look);
	cv_fini(&b.cv);
	gcs_snapshot_unref(b.snapshot);
	gcs_snapshot_unref(b.sent);
	gcs_model_unref(b.pair.model);
	pair_fini(&b.pair);
	if (check && !ok)
		fprintf(stderr, "perf_view: a budget is exceeded %d times\n", SLACK);
	return check && !ok ? 1 : 0;
}
