/* The view of events: counters, filters, timers, the last events (V3, V10, F9). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "events_view.h"
#include "ui_world.h"

static struct world w;

static struct events_view *view(void)
{
	return w.app.views[VIEW_EVENTS];
}

static const struct gcs_filter *sent(unsigned event)
{
	return &w.source.filter[event];
}

static void close_world(void)
{
	world_close(&w);
}

static void open_events(unsigned n)
{
	world_open(&w, 1000, 640);
	world_live(&w, n);
	world_key(&w, "7");
	cr_assert(w.app.view == &events_view);
}

/* The middle of a cell of the table. */
static void click_cell(uint32_t row, int column)
{
	struct cv_rect r;
	struct table_rows rows = events_rows(view(), &w.app);
	struct cv_rect table = w.app.rect[PANEL_VIEW];
	int head = events_head_height(&w.app, table.w);
	table.y += head;
	table.h -= head;
	cr_assert(
	    table_cell_rect(&w.app.ui, table, &view()->table, &rows, row, column, &r), "cell");
	world_click(&w, r.x + r.w / 2, r.y + r.h / 2, 1);
}

static bool says(const char *text)
{
	return window_says(&w.app, text);
}

Test(events, counters_rates_and_pauses, .fini = close_world)
{
	open_events(12);
	/* Six of each in 11 times 87 ms; the first one is not of the span. */
	cr_assert(says("GC start\t6\t5.2\tyes\t0 ms\tno\t1\t1.870 s\t-\t-"));
	cr_assert(says("GC end\t6\t6.3\tyes\t0 ms\tno\t1\t1.957 s\t2.35 ms\t2.36 ms"));
	cr_assert(says("timer\tElapsed since previous event\t87 ms"));
	cr_assert(says("timer\tCompensation: GCspy overhead\t41 \xc2\xb5s"));
	cr_assert(says("timer\tDifference: the program itself\t87 ms"));
	cr_assert(
	    says("12\t1.957 s\tGC end\t2.36 ms\tkind Mixed \xc2\xb7 cause G1 Evacuation Pause"));
}

Test(events, a_rate_falls_while_nothing_happens, .fini = close_world)
{
	open_events(12);
	w.app.now_ms += 20000;
	double rate = events_log_rate(&view()->log, w.app.snapshot, WORLD_GC_END, 20000);
	cr_assert(rate > 0.2 && rate < 0.4, "%f", rate);
	cr_assert_neq(app_view_due_ms(&w.app), UINT64_MAX, "it is painted again");
	cr_assert_gt(app_view_due_ms(&w.app), w.app.now_ms);
	w.source.run = GCS_PAUSED;
	app_poll(&w.app);
	cr_assert_eq(app_view_due_ms(&w.app), UINT64_MAX, "nothing to count while it stands");
}

/* Whoever looks more often finds nothing to paint. */
Test(events, falling_rates_are_painted_once_a_second, .fini = close_world)
{
	world_open(&w, 900, 600);
	world_live(&w, 3);
	world_key(&w, "7");
	world_wait(&w, 10000);
	const uint64_t frames = w.app.stats.frames;
	for (int i = 0; i < 30; i++)
		world_wait(&w, 100);
	cr_assert_eq(w.app.stats.frames, frames + 3);
}

Test(events, keys_change_cells_and_send_at_once, .fini = close_world)
{
	open_events(6);
	world_key(&w, "Down");
	cr_assert_eq(view()->table.selected, 0u);
	cr_assert_eq(view()->column, EVENTS_ENABLED);
	world_key(&w, "Space");
	cr_assert_eq(w.source.filters, 1u);
	cr_assert_not(sent(WORLD_GC_START)->enabled);
	cr_assert_eq(w.source.pauses, 0u, "Space is the box's here");
	world_key(&w, "Right");
	world_key(&w, "Enter");
	cr_assert(view()->editing);
	world_type(&w, "250");
	world_key(&w, "Enter");
	cr_assert_not(view()->editing);
	cr_assert_eq(sent(WORLD_GC_START)->delay_ms, 250u);
	world_key(&w, "Down");
	world_key(&w, "Right");
	world_key(&w, "Enter");
	cr_assert(sent(WORLD_GC_END)->pause);
	world_key(&w, "Right");
	world_key(&w, "Right");
	cr_assert_eq(view()->column, EVENTS_PERIOD, "the last column");
	world_key(&w, "F2");
	world_type(&w, "1,000");
	world_key(&w, "Up");
	cr_assert_eq(sent(WORLD_GC_END)->period, 1000u, "Up takes over and goes on");
	cr_assert_eq(view()->table.selected, 0u);
	world_key(&w, "Space");
	cr_assert_eq(w.source.pauses, 1u, "and pauses where there is no box");
}

Test(events, wrong_values_say_what_is_allowed, .fini = close_world)
{
	static const struct {
		int column;
		const char *typed, *wrong;
	} cases[] = {
	    {EVENTS_DELAY, "10001", "delay 10001: expected 0 to 10,000 ms"},
	    {EVENTS_DELAY, "-1", "delay -1: expected 0 to 10,000 ms"},
	    {EVENTS_DELAY, "soon", "delay soon: expected 0 to 10,000 ms"},
	    {EVENTS_PERIOD, "0", "period 0: expected 1 to 1,000,000"},
	    {EVENTS_PERIOD, "1000001", "period 1000001: expected 1 to 1,000,000"},
	    {EVENTS_PERIOD, "99999999999999999999", "period 99999999999999999999: expected 1 to"},
	};
	open_events(4);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		world_key(&w, "Down");
		view()->column = cases[i].column;
		world_key(&w, "Enter");
		world_type(&w, cases[i].typed);
		world_key(&w, "Enter");
		cr_assert(view()->editing, "invalid input stays");
		cr_assert_eq(strncmp(view()->wrong, cases[i].wrong, strlen(cases[i].wrong)), 0,
		    "%s", view()->wrong);
		world_key(&w, "Escape");
		cr_assert_not(view()->editing);
		cr_assert_eq(view()->wrong[0], 0);
		cr_assert(w.app.view == &events_view, "Esc is one step");
	}
	cr_assert_eq(w.source.filters, 0u);
	/* Valid input is applied when the focus moves; invalid input stays. */
	view()->column = EVENTS_DELAY;
	world_key(&w, "Enter");
	world_type(&w, "70");
	world_key(&w, "Tab");
	cr_assert_eq(sent(view()->order[view()->table.selected])->delay_ms, 70u);
	cr_assert_not(view()->editing);
}

Test(events, mouse_changes_cells, .fini = close_world)
{
	open_events(4);
	click_cell(1, EVENTS_ENABLED);
	cr_assert_not(sent(WORLD_GC_END)->enabled);
	click_cell(0, EVENTS_DELAY);
	cr_assert(view()->editing);
	world_type(&w, "5");
	click_cell(1, EVENTS_PAUSE);
	cr_assert_eq(sent(WORLD_GC_START)->delay_ms, 5u, "a click elsewhere takes it over");
	cr_assert(sent(WORLD_GC_END)->pause);
	click_cell(0, EVENTS_NAME);
	cr_assert_eq(w.source.filters, 3u, "a name is no cell to change");
	/* The buttons above. */
	struct cv_rect r = w.app.rect[PANEL_VIEW];
	world_click(&w, r.x + 30, r.y + 20, 1);
	cr_assert(sent(WORLD_GC_END)->enabled, "Enable all");
}

Test(events, commands_by_name, .fini = close_world)
{
	open_events(4);
	cr_assert(world_run(&w, "filter GC end enabled=no delay=20 pause=on period=10\n"));
	const struct gcs_filter *f = sent(WORLD_GC_END);
	cr_assert(!f->enabled && f->delay_ms == 20 && f->pause && f->period == 10);
	cr_assert(world_run(&w, "filter gc END enabled=yes\n"), "case does not matter");
	cr_assert(f->enabled && f->delay_ms == 20);
	cr_assert(world_run(&w, "clear_delays\nclear_pauses\nreset_periods\ndisable_events\n"));
	cr_assert(!f->enabled && f->delay_ms == 0 && !f->pause && f->period == 1);
	cr_assert_not(sent(WORLD_GC_START)->enabled);
	cr_assert(world_run(&w, "enable_events GC start\n"));
	cr_assert(sent(WORLD_GC_START)->enabled && !f->enabled);
	cr_assert(world_run(&w, "default_filters\n"));
	cr_assert(f->enabled);
	unsigned before = w.source.filters;
	static const char *const bad[] = {"filter", "filter GC end", "filter Nothing delay=1",
	    "filter GC end delay=1 speed=2", "filter GC end delay=", "filter GC end period=x",
	    "filter delay=1", "filter GC end delay=1 oops", "enable_events Nothing"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		w.app.toast[0] = 0;
		cr_assert_not(world_run(&w, bad[i]), "%s", bad[i]);
		cr_assert_neq(w.app.toast[0], 0, "%s", bad[i]);
	}
	cr_assert_eq(w.source.filters, before, "nothing is half done");
}

Test(events, filters_are_sent_again_after_a_lost_connection, .fini = close_world)
{
	open_events(4);
	cr_assert(world_run(&w, "filter GC end delay=20\n"));
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	/* Changed while there is nobody to send it to. */
	w.source.refusal = GCS_STATE;
	cr_assert(world_run(&w, "filter GC start period=7\n"));
	w.source.refusal = GCS_OK;
	memset(w.source.filter, 0, sizeof w.source.filter);
	w.source.filters = 0;
	cr_assert(app_command(&w.app, COMMAND_reconnect, NULL));
	cr_assert_eq(w.source.filters, 0u, "not before the server has described itself");
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	cr_assert_eq(w.source.filters, 2u);
	cr_assert_eq(sent(WORLD_GC_END)->delay_ms, 20u);
	cr_assert_eq(sent(WORLD_GC_START)->period, 7u);
	world_event(&w);
	cr_assert_eq(w.source.filters, 2u, "once");
	/* Another server has its own. */
	w.source.filters = 0;
	cr_assert(app_connect(&w.app, "db2:3000"));
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	cr_assert_eq(w.source.filters, 0u);
	cr_assert(events_filter_is_default(&view()->filters.request[WORLD_GC_END].filter));
	events_sync(view(), &w.app);
	cr_assert_eq(view()->lines.count, 1u, "nor has it the other one's list");
}

Test(events, a_source_without_filters_says_so, .fini = close_world)
{
	world_open(&w, 1000, 640);
	w.source.mute = true;
	world_live(&w, 3);
	world_key(&w, "7");
	cr_assert(says("A recording shows every event"));
	cr_assert(says("GC end\t1\t"));
	world_key(&w, "Down");
	world_key(&w, "Space");
	cr_assert_not_null(strstr(w.app.toast, "A recording shows every event"));
	cr_assert_not(world_run(&w, "filter GC end delay=1\n"));
}

Test(events, the_list_is_bounded_and_goes_to_a_moment, .fini = close_world)
{
	open_events(4);
	for (int i = 0; i < 600; i++)
		world_event(&w);
	events_sync(view(), &w.app);
	cr_assert_eq(view()->lines.count, 604u, "all that are known");
	cr_assert(says("Latest events\t604\n"));
	/* Rows that are looked at stay where they are. */
	world_key(&w, "Tab");
	view()->chosen = true;
	view()->chosen_ns = events_list_at(&view()->lines, 600)->time_ns;
	view()->chosen_sequence = events_list_at(&view()->lines, 600)->sequence;
	world_event(&w);
	cr_assert_eq(view()->list.selected, 4u);
	w.app.ui.focus = UI_ID(PANEL_VIEW, EVENTS_LIST);
	w.app.toast[0] = 0;
	world_key(&w, "Enter");
	cr_assert(w.app.event_history.back, "a live program is looked back at");
	world_key(&w, "L");
}

/* Thinned overviews are bounded; their figures cover the known events, and say so. */
Test(events, many_events_are_thinned_and_told)
{
	struct overview o = {0};
	struct events_list list = {0};
	struct events_summary summary = {0};
	struct gcs_model *m = world_model();
	for (uint64_t i = 0; i < 3 * OVERVIEW_LIMIT; i++)
		overview_add(&o, &(struct event_header){.sequence = i + 1,
				     .place = i,
				     .time_ns = i * 1000000,
				     .event = (uint32_t)(i % 2),
				     .pause_ns = i % 2 == 0 ? -1 : 1000});
	cr_assert_leq(o.count, OVERVIEW_LIMIT);
	cr_assert(events_list_take(&list, &o, m, 0, UINT64_MAX, ""));
	cr_assert_eq(list.count, o.count);
	cr_assert_not(events_list_take(&list, &o, m, 0, UINT64_MAX, ""), "nothing is new");
	/* Thinned in between: every row is looked at again. */
	const uint64_t changes = o.changes;
	for (uint64_t i = 3 * OVERVIEW_LIMIT; o.changes == changes; i++)
		overview_add(&o,
		    &(struct event_header){.sequence = i + 1, .place = i, .time_ns = i * 1000000});
	cr_assert(events_list_take(&list, &o, m, 0, UINT64_MAX, ""));
	cr_assert_eq(list.count, o.count);
	for (uint32_t i = 1; i < list.count; i++)
		cr_assert_leq(
		    events_list_at(&list, i - 1)->time_ns, events_list_at(&list, i)->time_ns);
	events_summary_count(&summary, &o, 0, OVERVIEW_LIMIT * UINT64_C(1000000), false);
	cr_assert_gt(summary.all, summary.known);
	cr_assert_leq(summary.all, OVERVIEW_LIMIT + 1);
	/* 1,000 events a second, of the kinds that were kept. */
	const double rate = summary.rate[0] + summary.rate[1];
	cr_assert(rate > 990 && rate < 1010, "%f", rate);
	cr_assert_eq(summary.figures[1].longest_ns, 1000u);
	events_list_fini(&list);
	overview_fini(&o);
	gcs_model_unref(m);
}

Test(events, words_names_and_numbers_find_events)
{
	struct gcs_model *m = world_model();
	struct event_header header = {.sequence = 77, .number = 1234, .event = WORLD_GC_END};
	snprintf(header.text, sizeof header.text, "kind Mixed \xc2\xb7 cause G1 Evacuation Pause");
	static const char *const fit[] = {
	    "", " ", "gc end", "MIXED", "evac", "mixed g1", "1234", "1,234", "pause 1234"};
	static const char *const other[] = {
	    "gc start", "123", "77", "1235", "mixed young", "12341"};
	for (size_t i = 0; i < sizeof fit / sizeof *fit; i++)
		cr_assert(events_list_fits(&header, m, fit[i]), "%s", fit[i]);
	for (size_t i = 0; i < sizeof other / sizeof *other; i++)
		cr_assert_not(events_list_fits(&header, m, other[i]), "%s", other[i]);
	gcs_model_unref(m);
}

Test(events, find_says_how_many_fit_and_esc_ends_it, .fini = close_world)
{
	open_events(12);
	world_key(&w, "Ctrl+F");
	world_type(&w, "gc end");
	cr_assert(says("Latest events\t6 of 12 match\nFind\tgc end\n"));
	cr_assert_eq(view()->lines.count, 6u);
	world_event(&w); /* a GC start */
	world_event(&w);
	cr_assert(says("7 of 14 match"));
	world_key(&w, "Enter");
	cr_assert_eq(w.app.ui.focus, UI_ID(PANEL_VIEW, EVENTS_LIST), "into the list");
	world_key(&w, "Escape");
	cr_assert_eq(view()->find.text[0], 0);
	cr_assert(says("Latest events\t14\n"));
	cr_assert(w.app.view == &events_view, "one step");
	cr_assert(world_run(&w, "find nothing like it\n"));
	cr_assert(says("0 of 14 match"));
	cr_assert(says("message\t0 of 14 match"));
}

Test(events, looking_back_tells_of_that_moment, .fini = close_world)
{
	open_events(12);
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert(says("GC end\t6\t-\t"), "nothing comes any more: no rate");
	cr_assert(world_run(&w, "seek 4\n"));
	cr_assert(w.app.event_history.back);
	/* Two of each in three times 87 ms, the first is not of the span. */
	cr_assert(says("GC start\t2\t3.8\t"));
	cr_assert(says("GC end\t2\t7.7\t"));
	cr_assert(says("Events\t12 \xc2\xb7 showing event 4"));
	cr_assert_eq(view()->list.selected, 8u, "of twelve, the newest first");
	cr_assert(world_run(&w, "range 3 8\n"));
	cr_assert(says("Events\t6 \xc2\xb7 in the selected range \xc2\xb7 showing event 4"));
	cr_assert(says("GC end\t3\t6.9\t"));
}

Test(events, strange_descriptions, .fini = close_world)
{
	struct gcs_error err;
	char name[GCS_MAX_NAME + 1];
	struct gcs_model *m = gcs_model_create("strange");
	cr_assert_not_null(m);
	for (unsigned i = 0; i < GCS_MAX_EVENTS; i++) {
		memset(name, 'e', sizeof name - 1);
		name[sizeof name - 1] = 0;
		snprintf(name, i % 2 == 0 ? 30 : sizeof name, "\xd7\x90\xd7\x91 = %u", i);
		cr_assert_eq(gcs_model_add_event(m,
				 &(struct gcs_event){.name = name, .description = ""}, NULL, &err),
		    GCS_OK, "%s", err.text);
	}
	world_open(&w, 640, 400);
	gcs_model_unref(w.model);
	w.model = m;
	cr_assert(app_connect(&w.app, "x:1"));
	w.source.state = SOURCE_LIVE;
	for (unsigned i = 0; i < 200; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(m, w.last);
		cr_assert_not_null(s);
		gcs_snapshot_set_occurrence(s, &(struct gcs_occurrence){.sequence = UINT64_MAX - i,
						   .event = i % GCS_MAX_EVENTS,
						   .time_ns = i % 3 == 0 ? UINT64_MAX - i : i,
						   .elapsed_ns = UINT64_MAX,
						   .compensation_ns = 1,
						   .wall_ns = i % 5 == 0 ? INT64_MAX : INT64_MIN});
		gcs_snapshot_set_counter(s, i % GCS_MAX_EVENTS, UINT64_MAX - i);
		gcs_snapshot_unref(w.last);
		w.last = s;
		w.source.queue[0] = gcs_snapshot_ref(s);
		w.source.first = 0;
		w.source.count = 1;
		app_poll(&w.app);
		app_frame(&w.app);
		if (i == 0)
			world_key(&w, "7");
	}
	cr_assert_eq(view()->filters.count, GCS_MAX_EVENTS);
	for (int i = 0; i < 70; i++)
		world_key(&w, "Down");
	world_key(&w, "Space");
	cr_assert_eq(w.source.filters, 1u, "the last one is reached");
	cr_assert(world_run(&w, "dump /dev/null\n"));
}
