/* The overview and what a user sees first (V12): by pointer alone, and by the recording's own
 * figures. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/trace.h>

#include "text_finder.h"
#include "ui_leak.h"

static struct leak_world w;
static struct world live;

static void close_leak(void)
{
	leak_close(&w);
}

static void close_live(void)
{
	world_close(&live);
}

static struct app *app_of(void)
{
	return &w.replay.app;
}

static struct overview_layout layout(void)
{
	return overview_lay_out(app_of(), app_of()->rect[PANEL_VIEW]);
}

/* The leak is found by somebody who clicks on what is offered. */
Test(overview, the_sample_is_solved_by_clicks, .fini = close_leak)
{
	leak_begin(&w, 1280, 800);
	cr_assert_eq(app_of()->view_id, VIEW_OVERVIEW);
	leak_click(&w, LEAK_SAMPLE_BUTTON);
	leak_settle(&w);
	cr_assert(window_says(app_of(), "Suspect: Shop.visit (Shop.java:55)"));
	leak_click(&w, UI_ID(PANEL_VIEW, OVERVIEW_LEAKS));
	cr_assert_eq(app_of()->view_id, VIEW_LEAKS);
	cr_assert(window_says(app_of(), "suspect\tShop.visit:55"));
	cr_assert(window_says(app_of(), "selected\tShop.visit:55"));
	cr_assert(window_says(app_of(), "stack\tShop.visit (Shop.java:55)"));
	leak_click(&w, UI_ID(PANEL_SIDE, LEAKS_SITES));
	cr_assert_eq(app_of()->view_id, VIEW_SITES);
	cr_assert_leq(w.clicks, 8u, "%u clicks", w.clicks);
}

/* A recording opens where its heap was the largest after a collection. */
Test(overview, opens_at_the_most_telling_moment, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	const struct overview *o = event_history_overview(app_of());
	int64_t most = 0, shown = -1;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->at[i].before_bytes >= 0 && o->at[i].used_bytes > most)
			most = o->at[i].used_bytes;
	for (uint32_t i = 0; i < o->count; i++)
		if (o->at[i].time_ns == event_history_here_ns(app_of()) &&
		    o->at[i].before_bytes >= 0)
			shown = o->at[i].used_bytes;
	cr_assert_gt(most, 0);
	cr_assert_eq(shown, most);
}

/* What the cards say is what the figures of the recording are. */
Test(overview, figures_are_those_of_the_recording, .fini = close_leak)
{
	char text[80], line[200];
	struct gcs_trace *trace = gcs_trace_open(LEAK_PATH, NULL);
	struct gcs_stats *s = gcs_stats_of_trace(trace, 0, UINT64_MAX, NULL, NULL);
	leak_open(&w, 1280, 800);
	snprintf(line, sizeof line, "Allocation\t%s\t",
	    gcs_format_figure(
		text, sizeof text, s->allocation.per_second, GCS_UNIT_BYTES_PER_SECOND));
	cr_assert(window_says(app_of(), line));
	snprintf(line, sizeof line, "Promotion\t%s\t",
	    gcs_format_figure(
		text, sizeof text, s->promotion.per_second, GCS_UNIT_BYTES_PER_SECOND));
	cr_assert(window_says(app_of(), line));
	snprintf(line, sizeof line, "Time in pauses\t%s\t",
	    gcs_format_figure(text, sizeof text, s->pauses.share, GCS_UNIT_SHARE));
	cr_assert(window_says(app_of(), line));
	snprintf(line, sizeof line, "Longest pause\t%s\t",
	    gcs_format_figure(text, sizeof text, (double)s->pauses.max_ns, GCS_UNIT_NANOSECONDS));
	cr_assert(window_says(app_of(), line));
	/* All pauses are in the histogram. */
	struct overview_bucket bucket[OVERVIEW_BUCKETS];
	uint64_t all = 0;
	const uint32_t count = overview_buckets(s, bucket);
	for (uint32_t i = 0; i < count; i++)
		all += bucket[i].count;
	cr_assert_eq(all, s->pauses.count);
	gcs_stats_free(s);
	gcs_trace_close(trace);
}

/* One moment, wherever the pointer is. */
Test(overview, hovering_shows_one_moment_everywhere, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	struct overview_layout l = layout();
	const struct cv_rect heap = l.plot[PLOT_HEAP].ticks;
	leak_pointer(&w, EV_MOVE, heap.x + heap.w / 2, heap.y + heap.h / 2);
	const uint64_t at = app_of()->hover_ns;
	cr_assert_neq(at, 0u);
	cr_assert_not_null(strstr(app_of()->ui.tip, "Used"), "%s", app_of()->ui.tip);
	/* The timeline says the same of that moment. */
	const struct timeline s = timeline_lay_out(app_of(), app_of()->rect[PANEL_TIMELINE]);
	leak_pointer(&w, EV_MOVE, timeline_x(&s, at), s.ticks.y + s.ticks.h / 2);
	/* Events that share a pixel are as good as one. */
	const double away = fabs((double)app_of()->hover_ns - (double)at);
	cr_assert_lt(away, (double)s.span_ns / 100);
	leak_pointer(&w, EV_LEAVE, -1, -1);
	cr_assert_eq(app_of()->hover_ns, 0u);
}

/* A drag selects a range that figures, the timeline and all views are then about. */
Test(overview, dragging_selects_a_range, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	struct overview_layout l = layout();
	const struct cv_rect f = l.plot[PLOT_ALLOCATION].ticks;
	const int y = f.y + f.h / 2;
	cr_assert(window_says(app_of(), "of 28 s"));
	leak_pointer(&w, EV_MOVE, f.x + f.w / 4, y);
	leak_pointer(&w, EV_DOWN, f.x + f.w / 4, y);
	leak_pointer(&w, EV_MOVE, f.x + f.w / 2, y);
	leak_pointer(&w, EV_MOVE, f.x + f.w / 4 * 3, y);
	leak_pointer(&w, EV_UP, f.x + f.w / 4 * 3, y);
	cr_assert(app_of()->range.on);
	cr_assert_gt(app_of()->range.to_ns, app_of()->range.from_ns);
	const struct cv_rect after = layout().all.ticks;
	cr_assert(rect_same(after, l.all.ticks), "nothing moves below the pointer");
	leak_settle(&w);
	cr_assert_not(strstr(window_text(app_of()), "of 28 s") != NULL);
	cr_assert(window_says(app_of(), "Selected range"));
}

/* A click goes to the nearest event; a double click shows all again. */
Test(overview, clicking_goes_to_a_moment, .fini = close_leak)
{
	leak_open(&w, 1280, 800);
	const struct timeline s = layout().all;
	const int x = s.ticks.x + s.ticks.w / 2;
	leak_click_at(&w, x, layout().plot[PLOT_HEAP].ticks.y + 30);
	const struct event_header *m = timeline_nearest(app_of(), timeline_time(&s, x));
	char step[40];
	snprintf(step, sizeof step, "wait place %llu\n", (unsigned long long)m->place + 1);
	cr_assert(replay_run(&w.replay, step));
	cr_assert_eq(event_history_here_ns(app_of()), m->time_ns);
	event_history_choose(app_of(), s.from_ns, m->time_ns);
	app_of()->now_ms += 1000;
	leak_click_at(&w, x, layout().plot[PLOT_HEAP].ticks.y + 30);
	leak_click_at(&w, x, layout().plot[PLOT_HEAP].ticks.y + 30);
	cr_assert_not(app_of()->range.on);
}

static bool is_seen(struct cv_rect card, struct cv_rect page)
{
	return card.w > 0 && card.y >= page.y && card.y + card.h <= page.y + page.h;
}

/* All figures are there, if need be after scrolling, in any window and at any scale. */
Test(overview, no_figure_is_left_out, .fini = close_leak)
{
	static const int of[][3] = {
	    {1280, 800, 100}, {900, 600, 100}, {1280, 800, 200}, {1280, 800, 300}, {640, 480, 100}};
	leak_open(&w, 1280, 800);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		app_resize(app_of(), of[i][0], of[i][1]);
		cr_assert(app_set_scale(app_of(), of[i][2]));
		bool seen[OVERVIEW_CARDS] = {false}, plots = false;
		leak_pointer(&w, EV_MOVE, 20, 20);
		cr_assert_eq(app_of()->view_id, VIEW_OVERVIEW);
		app_command(app_of(), COMMAND_tile_first, NULL);
		for (int step = 0; step < 100; step++) {
			const struct overview_layout l = layout();
			app_frame(app_of());
			for (int k = 0; k < OVERVIEW_CARDS; k++)
				seen[k] = seen[k] || is_seen(l.card[k], l.page);
			const struct cv_rect last = l.plot[PLOT_SHARE].ticks;
			plots = plots || is_seen(last, l.page);
			cr_assert_geq(last.h, ui_px(&app_of()->ui, 12), "window %zu", i);
			cr_assert(l.content > l.page.h ? l.bar.w > 0 : l.bar.w == 0);
			app_command(app_of(), COMMAND_tile_down, NULL);
		}
		for (int k = 0; k < OVERVIEW_CARDS; k++)
			cr_assert(seen[k], "window %zu, card %d", i, k);
		cr_assert(plots, "window %zu", i);
		cr_assert(window_is_whole(app_of()));
	}
	/* By the wheel over the figures, too. */
	app_command(app_of(), COMMAND_tile_first, NULL);
	app_resize(app_of(), 900, 440);
	app_set_scale(app_of(), 100);
	const struct ui_event ev = {
	    .kind = EV_WHEEL, .x = 40, .y = layout().page.y + 5, .wheel = -1};
	app_event(app_of(), &ev);
	cr_assert_lt(layout().card[0].y, layout().page.y);
}

/* The heap map is one click away. */
Test(overview, a_button_shows_the_heap_map, .fini = close_leak)
{
	leak_open(&w, 960, 720);
	leak_click(&w, UI_ID(PANEL_VIEW, OVERVIEW_MAP));
	cr_assert_eq(app_of()->view_id, VIEW_HEAP);
}

/* What events do not tell is said to be unknown, with the reason. */
Test(overview, unknown_figures_have_their_reason, .fini = close_live)
{
	world_open(&live, 1280, 800);
	world_live(&live, 6);
	world_run(&live, "overview\n");
	figures_wait(&live.app);
	cr_assert(window_says(&live.app, "Committed\tnot known\t"));
	cr_assert(window_says(&live.app, "Leaks: not known: no profile of live objects"));
}

/* A program whose events tell neither memory nor pauses is shown by its heap map. */
Test(overview, gives_way_where_it_has_nothing_to_show, .fini = close_live)
{
	world_open(&live, 1280, 800);
	live.app.guided = true;
	app_set_view(&live.app, VIEW_OVERVIEW);
	world_live(&live, 0);
	struct gcs_snapshot *plain = world_plain(100);
	world_put(&live, plain);
	gcs_snapshot_unref(plain);
	cr_assert_eq(live.app.view_id, VIEW_HEAP);
	world_close(&live);
	world_open(&live, 1280, 800);
	live.app.guided = true;
	app_set_view(&live.app, VIEW_OVERVIEW);
	world_live(&live, 3);
	cr_assert_eq(live.app.view_id, VIEW_OVERVIEW);
}

/* Just connected to a program that has had so many collections: a snapshot, but no event. */
static void connect_after(uint64_t collections)
{
	world_open(&live, 1280, 800);
	app_set_view(&live.app, VIEW_OVERVIEW);
	world_live(&live, 0);
	struct gcs_snapshot *now = world_snapshot(live.model, NULL, 0);
	gcs_snapshot_set_counter(now, WORLD_GC_START, collections);
	gcs_snapshot_set_counter(now, WORLD_GC_END, collections);
	app_show(&live.app, now);
	gcs_snapshot_unref(now);
	world_wait(&live, 10);
}

/* Figures follow with the first event. */
Test(overview, figures_begin_with_the_first_event, .fini = close_live)
{
	connect_after(0);
	cr_assert(window_says(&live.app, "waiting for the first collection"));
	int x, y;
	cr_assert(text_find(&live.app, "Collect", &x, &y));
	world_click(&live, x, y, 1);
	cr_assert_str_eq(live.source.topic, "gc");
	world_event(&live);
	world_event(&live);
	figures_wait(&live.app);
	cr_assert_not(strstr(window_text(&live.app), "waiting for the first"));
	cr_assert_null(strstr(window_text(&live.app), "nothing of the history"));
}

/* Connected after collections, the words are not those of a program without any. */
Test(overview, says_that_there_is_no_event_since, .fini = close_live)
{
	int x, y;
	connect_after(7);
	cr_assert(window_says(&live.app, "Leaks: no collection since this window connected"));
	cr_assert_not(strstr(window_text(&live.app), "waiting for the first"));
	cr_assert(
	    text_find(&live.app, "not known: no collection since this window connected", &x, &y));
	cr_assert_not(text_find(&live.app, "no event has the memory", &x, &y));
	cr_assert_not(text_find(&live.app, "no event has a pause", &x, &y));
}

/* A reason is whole, in the card's tooltip too. */
Test(overview, cards_have_room_for_reasons)
{
	const struct overview_card *card = NULL;
	const struct gcs_stats *stats = NULL;
	cr_assert_geq(sizeof card->note, sizeof stats->heap_after.why.text);
}

/* Names that begin alike differ where they are cut. */
Test(overview, names_are_cut_in_the_middle)
{
	struct fonts fonts;
	struct cv cv[2];
	const char *const name[] = {"Young mark start, long", "Young mark end, longer"};
	cr_assert(fonts_block(&fonts, 100));
	for (int i = 0; i < 2; i++) {
		cr_assert(cv_init(&cv[i], 80, 20));
		cv_fill(&cv[i], rect_make(0, 0, 80, 20), 0xff000000);
		text_in_ends(
		    &cv[i], fonts.face[FONT_SMALL], rect_make(0, 0, 80, 20), 0xffffffff, name[i]);
		cr_assert_gt(text_width(fonts.face[FONT_SMALL], name[i]), 80);
	}
	cr_assert(memcmp(cv[0].px, cv[1].px, 80 * 20 * sizeof *cv[0].px) != 0);
	cv_fini(&cv[0]);
	cv_fini(&cv[1]);
	fonts_fini(&fonts);
}

static const char long_name[] = "Young concurrent mark start, warm";
static int whole_names;

static void note_name(void *context, struct cv_rect at, const char *text, bool cut)
{
	(void)context;
	(void)at;
	whole_names += strcmp(text, long_name) == 0 && !cut;
}

/* In the side panel such a name has a line of its own, and is whole. */
Test(overview, kinds_are_told_apart, .fini = close_leak)
{
	const char *why;
	leak_open(&w, 1280, 800);
	const struct gcs_stats *s = time_figures(app_of(), &why);
	cr_assert(s != NULL && s->kind_count > 0, "%s", why);
	struct gcs_stats_pauses *kind = (struct gcs_stats_pauses *)(uintptr_t)&s->kinds[0];
	const char *before = kind->name;
	kind->name = long_name;
	app_of()->cv.note_text = note_name;
	app_dirty_all(app_of());
	app_frame(app_of());
	app_of()->cv.note_text = NULL;
	kind->name = before;
	cr_assert_eq(whole_names, 1);
}

/* Rates by column keep what was allocated; a pause counts in each bar that it is in. */
Test(overview, reductions)
{
	struct overview o = {0};
	const struct event_header m[] = {
	    {.time_ns = 1000000000,
		.sequence = 1,
		.before_bytes = 50,
		.used_bytes = 10,
		.pause_ns = 0,
		.committed_bytes = -1},
	    {.time_ns = 3000000000,
		.sequence = 2,
		.before_bytes = 50,
		.used_bytes = 5,
		.pause_ns = 1500000000,
		.committed_bytes = -1},
	};
	for (size_t i = 0; i < 2; i++)
		overview_add(&o, &m[i]);
	struct timeline s = {
	    .ticks = {0, 0, 103, 10}, .from_ns = 0, .end_ns = 4000000000, .span_ns = 4000000000};
	double column[100];
	overview_allocation(&o, &s, column, 100);
	cr_assert_lt(column[10], 0, "before the first event");
	cr_assert_float_eq(column[50], 20, 1e-9, "40 bytes in two seconds");
	cr_assert_lt(column[90], 0);
	overview_share(&o, &s, column, 100, 25);
	cr_assert_float_eq(column[0], 0, 1e-9);
	cr_assert_float_eq(column[30], 0.5, 1e-9, "from 1.5 s to 2 s");
	cr_assert_float_eq(column[70], 1, 1e-9);
	cr_assert_float_eq(column[80], 0, 1e-9);
	cr_assert_float_eq(overview_round(900, true), 1024, 1e-9);
	cr_assert_float_eq(overview_round(3.0 * 1048576, true), 4.0 * 1048576, 1e-9);
	cr_assert_float_eq(overview_round(0.013, false), 0.02, 1e-9);
	overview_fini(&o);
}
