/*
 * Looking back at a live program (V3, V7, V8, F22): scrubbing, stepping and playing while it runs
 * on, ranges, bookmarks, the timeline, bounded memory.
 */
#include "event_history_suite.h"
#include "timeline.h"

static void close_plain(void)
{
	world_close(&w);
}

static struct timeline timeline_of(void)
{
	return timeline_lay_out(&w.app, w.app.rect[PANEL_TIMELINE]);
}

static void pointer(enum ui_event_kind kind, int x, int y, unsigned mods)
{
	const struct ui_event ev = {.kind = kind, .x = x, .y = y, .button = 1, .mods = mods};
	app_event(&w.app, &ev);
	app_poll(&w.app);
	app_frame(&w.app);
}

static void turn_wheel(int n, int x, int y, unsigned mods)
{
	const struct ui_event ev = {.kind = EV_WHEEL, .x = x, .y = y, .wheel = n, .mods = mods};
	app_event(&w.app, &ev);
	app_frame(&w.app);
}

Test(event_history, keys_go_back_while_the_program_runs, .fini = close_world)
{
	open_world(HISTORY_BYTES, 400);
	shows(399);
	key(",");
	shows(398);
	cr_assert(w.app.event_history.back);
	key("Alt+Left");
	shows(388);
	key(".");
	shows(389);
	key("Ctrl+Home");
	shows(0);
	key(",");
	shows(0);
	key("Alt+Right");
	shows(10);
	cr_assert(says("Looking back \xc2\xb7 event 11 of 400 \xc2\xb7 0:33.843 behind live"
		       " \xc2\xb7 program running"));
	event_history_events(&w, 5);
	shows(10);
	cr_assert_eq(w.app.events, 405u, "the events are counted");
	cr_assert(says("event 11 of 405"));
	cr_assert(says("count of GC start\t203"), "the counters are the newest");
	cr_assert_eq(w.source.steps + w.source.pauses, 0u);
	key("L");
	shows(404);
	cr_assert_not(w.app.event_history.back);
	cr_assert(says("Live \xc2\xb7 "));
	key(",");
	key("Ctrl+End");
	shows(404);
	cr_assert_not(w.app.event_history.back);
}

Test(event_history, keys_mean_the_program_when_live, .fini = close_world)
{
	open_world(0, 10);
	key("Space");
	cr_assert_eq(w.source.pauses, 1u);
	key(".");
	cr_assert_eq(w.source.steps, 1u);
	key(",");
	shows(8);
	cr_assert(says("program paused"));
	key(".");
	shows(9);
	cr_assert_eq(w.source.steps, 1u, "the picture, not the program");
	cr_assert(w.app.event_history.back);
	key(".");
	cr_assert_not(w.app.event_history.back, "after the newest event is the present");
	key(",");
	run("pause_program");
	cr_assert_eq(w.source.resumes, 1u, "the program, while looking back");
	cr_assert(says("program running"));
	cr_assert_not(world_run(&w, "loop\n"));
	cr_assert_not(world_run(&w, "look_closer\n"));
	cr_assert_not_null(strstr(w.app.toast, "L returns to live"), "%s", w.app.toast);
}

Test(event_history, goes_to_numbers_and_times, .fini = close_world)
{
	open_world(HISTORY_BYTES, 300);
	run("seek 20\n");
	shows(19);
	run("seek 0:01\n");
	shows(11);
	run("seek 2.5s\n");
	shows(28);
	cr_assert(event_history_go_to(&w.app, event_history_step_ns(100) + 7));
	event_history_settle(&w);
	shows(100);
	cr_assert(event_history_go_to(&w.app, 0));
	event_history_settle(&w);
	shows(0);
	cr_assert(event_history_go_to(&w.app, UINT64_MAX));
	event_history_settle(&w);
	shows(299);
	static const char *const wrong[] = {"seek 0", "seek 301", "seek x", "seek 1:x",
	    "play_speed 0", "play_speed two", "range", "range 3", "range 1 x", "range 0 3",
	    "time_scale up", "bookmark_next"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_assert_not(world_run(&w, wrong[i]), "%s", wrong[i]);
}

/* Of a program that had counted 1,000 events before, seek takes the numbers that are shown. */
Test(event_history, a_live_event_has_the_servers_number, .fini = close_world)
{
	open_world(HISTORY_BYTES, 0);
	w.step = 1000;
	event_history_events(&w, 300);
	run("seek 1011\n");
	shows(1010);
	cr_assert(says("Looking back \xc2\xb7 event 1,011 of 1,300 \xc2\xb7 "));
	run("events\n");
	cr_assert(says("showing event 1,011\n"));
	cr_assert_not(world_run(&w, "seek 1301\n"));
	cr_assert_not_null(
	    strstr(w.app.toast, "an event from 1,001 to 1,300 or"), "%s", w.app.toast);
}

Test(event_history, there_is_none_before_the_first_event)
{
	world_open(&w, 800, 600);
	cr_assert_not(event_history_go_to(&w.app, 5));
	world_live(&w, 0);
	cr_assert_not(world_run(&w, "step_back\n"));
	cr_assert_not(world_run(&w, "bookmark\n"));
	cr_assert_not(w.app.event_history.back);
	cr_assert_eq(event_history_files(&w.app, NULL, 0), 0u);
	world_close(&w);
}

Test(event_history, is_scrubbed_by_the_pointer, .fini = close_world)
{
	open_world(HISTORY_BYTES, 400);
	struct timeline s = timeline_of();
	int y = s.ticks.y + s.ticks.h / 2;
	pointer(EV_MOVE, timeline_x(&s, event_history_step_ns(200)), y, 0);
	pointer(EV_DOWN, timeline_x(&s, event_history_step_ns(200)), y, 0);
	event_history_settle(&w);
	cr_assert(w.app.event_history.back);
	int64_t at = (int64_t)gcs_snapshot_occurrence(w.app.snapshot)->sequence;
	cr_assert(at > 195 && at < 207, "%ld", (long)at);
	pointer(EV_MOVE, s.ticks.x - 30, y, 0);
	event_history_settle(&w);
	shows(0);
	event_history_events(&w, 3);
	shows(0);
	pointer(EV_MOVE, s.ticks.x + s.ticks.w + 50, y, 0);
	event_history_settle(&w);
	cr_assert_not(w.app.event_history.back, "the right end is the newest");
	pointer(EV_UP, s.ticks.x, y, 0);
	pointer(EV_MOVE, s.ticks.x, y, 0);
	cr_assert_not(w.app.event_history.back, "the button is up");
	/* The timeline has the keyboard. */
	key("Left");
	shows(401);
	key("Right");
	key("Right");
	cr_assert_not(w.app.event_history.back);
	key("Right");
	cr_assert_eq(w.source.steps, 0u, "an arrow does not let the program go on");
	key("Home");
	shows(0);
	key("End");
	shows(402);
}

Test(event_history, is_played_forwards_and_backwards, .fini = close_world)
{
	open_world(HISTORY_BYTES, 100);
	run("seek 51\nplay_speed 2\n");
	shows(50);
	key("Space");
	cr_assert(says("Playing history \xc2\xb7 event 51 of 100"));
	cr_assert_eq(w.source.pauses, 0u);
	for (int i = 0; i < 10; i++) { /* 870 ms at twice the speed: 20 events */
		world_wait(&w, 87 / 2 + 44);
		event_history_settle(&w);
	}
	shows(70);
	key("Space");
	world_wait(&w, 1000);
	shows(70);
	key("Ctrl+B");
	cr_assert(says("2\xc3\x97, backwards"));
	key("Space");
	world_wait(&w, 435);
	event_history_settle(&w);
	shows(60);
	key("Ctrl+B");
	key(">");
	world_wait(&w, 10000);
	event_history_settle(&w);
	world_wait(&w, 10);
	cr_assert_not(w.app.event_history.back, "what has caught up is live");
	key("Ctrl+B");
	world_wait(&w, 60000);
	event_history_settle(&w);
	world_wait(&w, 10);
	shows(0);
	cr_assert_not(w.app.event_history.plays, "at the beginning it stands");
	cr_assert(app_wait_ms(&w.app) != 0, "and does not wake up again and again");
}

Test(event_history, without_files_the_newest_events_are_there, .fini = close_world)
{
	open_world(0, EVENT_HISTORY_RECENT + 50);
	cr_assert_null(w.app.event_history.history);
	key(",");
	shows(EVENT_HISTORY_RECENT + 48);
	key("Ctrl+Home");
	shows(50);
	cr_assert(says("kept\tnothing before 0:04.350"));
	uint64_t until;
	cr_assert_eq(event_history_thinned(&w.app, &until), UINT32_MAX);
	cr_assert_eq(until, event_history_step_ns(50));
}

Test(event_history, a_folder_that_cannot_be_written_is_told_once, .fini = close_plain)
{
	cr_assert_eq(setenv("TMPDIR", "/nowhere", 1), 0);
	world_open(&w, 800, 600);
	w.app.event_history.history_bytes = HISTORY_BYTES;
	world_live(&w, 1);
	event_history_events(&w, 20);
	cr_assert_not_null(strstr(w.app.toast, "History is limited"), "%s", w.app.toast);
	cr_assert_not_null(strstr(w.app.toast, "/nowhere: No such file"), "%s", w.app.toast);
	w.app.toast[0] = 0;
	event_history_events(&w, 20);
	cr_assert_eq(w.app.toast[0], 0);
	key("Ctrl+Home");
	shows(0);
	key("L");
	shows(40);
}

/* Rows V8, Q4: an hour at ten events a second would be 36,000. */
Test(event_history, ten_thousand_events_take_bounded_memory_and_disk, .timeout = 100)
{
	kit_count_memory(0);
	open_world(5 << 18, 2000);
	const size_t before = kit_live_bytes();
	event_history_events(&w, 8000);
	cr_assert_leq(
	    kit_live_bytes(), before + before / 4, "%zu, then %zu bytes", before, kit_live_bytes());
	cr_assert_leq(kit_live_bytes(), 64u << 20);
	cr_assert_leq(w.app.event_history.recent_bytes, EVENT_HISTORY_RECENT_BYTES);
	uint64_t until;
	/* Files are written beside us, and a thread that has no CPU leaves events out. */
	for (unsigned i = 0; i < 400 && event_history_thinned(&w.app, &until) != 8; i++)
		event_history_events(&w, 100);
	cr_assert_eq(event_history_thinned(&w.app, &until), 8u);
	run("seek 1:00\n");
	const uint64_t at = gcs_snapshot_occurrence(w.app.snapshot)->sequence - 1;
	cr_assert_eq(at % 8, 0u, "thinned: %u", (unsigned)at);
	key(",");
	cr_assert_lt(gcs_snapshot_occurrence(w.app.snapshot)->sequence - 1, at);
	key(".");
	cr_assert_eq(gcs_snapshot_occurrence(w.app.snapshot)->sequence - 1, at);
	close_world();
	cr_assert_eq(kit_live_blocks(), 0u);
}

Test(event_history, another_program_has_its_own, .fini = close_world)
{
	open_world(HISTORY_BYTES, 50);
	run("seek 3\nrange 2 9\nbookmark here\n");
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert(says("connection lost"));
	key(".");
	shows(3);
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	event_history_events(&w, 10);
	cr_assert(w.app.event_history.back, "the same program goes on: nothing is lost");
	cr_assert(says("event 4 of 60"));
	const struct overview *o = event_history_overview(&w.app);
	for (uint32_t i = 0; i < o->count; i++)
		cr_assert_eq(o->at[i].after_gap, i == 50, "event %u", i);
	w.step = 0; /* its clock starts again: it is another program */
	event_history_events(&w, 10);
	cr_assert_not(w.app.event_history.back);
	cr_assert_eq(w.app.event_history.events, 10u);
	cr_assert_eq(w.app.event_history.marks.count, 0u);
	cr_assert_not(w.app.range.on);
	key("Ctrl+Home");
	shows(0);
}

Test(event_history, a_range_is_chosen_and_told, .fini = close_world)
{
	open_world(HISTORY_BYTES, 200);
	run("seek 21\nrange_begin\nseek 41\nrange_end\n");
	cr_assert(w.app.range.on);
	cr_assert_eq(w.app.range.from_ns, event_history_step_ns(20));
	cr_assert_eq(w.app.range.to_ns, event_history_step_ns(40));
	cr_assert(says("Selected range\t0:01.740 \xe2\x80\x93 0:03.480 \xc2\xb7 1.74 s"));
	cr_assert(says("Events\t21\n"));
	cr_assert(says("GC start\t11\n"));
	cr_assert(says("GC end\t10\n"));
	cr_assert(says("Collections with a pause\t10\n"));
	cr_assert(says("Longest pause\t2.38 ms\n"));
	cr_assert(says("Allocated between events\t472 MiB"));
	/* An end is moved; both the other way round. */
	run("seek 11\nkey B\n");
	cr_assert_eq(w.app.range.from_ns, event_history_step_ns(10));
	cr_assert_eq(w.app.range.to_ns, event_history_step_ns(40));
	run("seek 5\nkey Shift+B\n");
	cr_assert_eq(w.app.range.from_ns, event_history_step_ns(4));
	cr_assert_eq(w.app.range.to_ns, event_history_step_ns(10));
	run("range 0:02 0:01\n");
	cr_assert_eq(w.app.range.from_ns, event_history_step_ns(0) + 1000000000u);
	/* Escape: first the range, then the present again. */
	key("Escape");
	cr_assert_not(w.app.range.on);
	cr_assert(w.app.event_history.back);
	key("Escape");
	cr_assert_not(w.app.event_history.back);
	/* With the pointer. */
	struct timeline s = timeline_of();
	int y = s.ticks.y + 3;
	pointer(EV_MOVE, timeline_x(&s, event_history_step_ns(50)), y, 0);
	pointer(EV_DOWN, timeline_x(&s, event_history_step_ns(50)), y, MOD_SHIFT);
	pointer(EV_MOVE, timeline_x(&s, event_history_step_ns(150)), y, MOD_SHIFT);
	pointer(EV_UP, timeline_x(&s, event_history_step_ns(150)), y, MOD_SHIFT);
	cr_assert(w.app.range.on);
	cr_assert_not(w.app.event_history.back, "choosing is not scrubbing");
	cr_assert(w.app.range.from_ns >= event_history_step_ns(48) &&
		  w.app.range.to_ns <= event_history_step_ns(152));
	run("range_clear\n");
	cr_assert_not(w.app.range.on);
}

Test(event_history, bookmarks_are_set_found_and_removed, .fini = close_world)
{
	open_world(HISTORY_BYTES, 100);
	run("seek 31\nbookmark it begins \x01here\nseek 61\nkey M\nseek 45\n");
	cr_assert_eq(w.app.event_history.marks.count, 2u);
	cr_assert(says("bookmark\t0:02.610\tit begins  here\n"));
	cr_assert(says("bookmark\t0:05.220\t\n"));
	key("Ctrl+Left");
	shows(30);
	cr_assert_str_eq(w.app.toast, "it begins  here");
	key("Ctrl+Right");
	shows(60);
	cr_assert_not(world_run(&w, "bookmark_next\n"));
	key("M");
	cr_assert_eq(w.app.event_history.marks.count, 1u);
	struct timeline s = timeline_of();
	pointer(EV_MOVE, timeline_x(&s, event_history_step_ns(30)) + 2, s.ticks.y + 2, 0);
	cr_assert_not_null(strstr(w.app.ui.tip, "it begins"), "%s", w.app.ui.tip);
	key("L");
	key("Ctrl+Left");
	shows(30);
	for (unsigned i = 0; i < MARKS_MOST + 5; i++)
		marks_set(&w.app.event_history.marks, i, "");
	cr_assert_eq(w.app.event_history.marks.count, MARKS_MOST);
}

Test(event_history, the_strip_is_stretched_and_moved, .fini = close_world)
{
	open_world(HISTORY_BYTES, 400);
	struct timeline s = timeline_of();
	const uint64_t all = s.span_ns;
	int x = s.ticks.x + s.ticks.w / 3, y = s.ticks.y + 4;
	const uint64_t at = timeline_time(&s, x);
	turn_wheel(1, x, y, 0);
	turn_wheel(1, x, y, 0);
	s = timeline_of();
	cr_assert(s.span_ns < all * 7 / 10 && s.span_ns > all * 6 / 10);
	const uint64_t now = timeline_time(&s, x);
	cr_assert(now > at - all / 100 && now < at + all / 100, "zooms at the pointer");
	turn_wheel(1, x, y, MOD_SHIFT);
	cr_assert_lt(timeline_of().from_ns, s.from_ns);
	/* Moved to the end it follows. */
	run("time_scale later\ntime_scale later\ntime_scale later\ntime_scale later\n");
	cr_assert_eq(timeline_of().end_ns, event_history_step_ns(399));
	event_history_events(&w, 10);
	cr_assert_eq(timeline_of().end_ns, event_history_step_ns(409));
	/* What is shown stays in sight. */
	run("time_scale in\ntime_scale in\nseek 30\n");
	pointer(EV_MOVE, x, y, 0);
	s = timeline_of();
	cr_assert(s.from_ns <= event_history_step_ns(29) && s.end_ns >= event_history_step_ns(29));
	pointer(EV_MOVE, x, s.axis.y + 4, 0);
	pointer(EV_DOWN, x, s.axis.y + 4, 0);
	pointer(EV_MOVE, x - 100, s.axis.y + 4, 0);
	cr_assert_gt(timeline_of().from_ns, s.from_ns, "the axis is dragged");
	pointer(EV_UP, x - 100, s.axis.y + 4, 0);
	shows(29);
	world_wait(&w, 1000);
	for (int i = 0; i < 2; i++) {
		pointer(EV_DOWN, x, s.axis.y + 4, 0);
		pointer(EV_UP, x, s.axis.y + 4, 0);
	}
	cr_assert_eq(timeline_of().from_ns, 0u, "a double click shows all");
	for (int i = 0; i < 200; i++)
		turn_wheel(1, x, y, 0);
	cr_assert_gt(timeline_of().span_ns, 0u);
	for (int i = 0; i < 200; i++)
		turn_wheel(-1, x, y, 0);
	cr_assert_not(w.app.timeline.zoomed);
}
