/* Recordings in the visualiser: where it stands in one, how it is played, its strip (F22, V7). */
#include <criterion/criterion.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kit.h"
#include "runner.h"
#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

static void open_recording(uint32_t events)
{
	replay_record(&w, events, 0, true);
	replay_open(&w, 900, 700);
}

/* The made-up server's state at a place does not depend on its history. */
static void shows(uint32_t place)
{
	struct gcs_model *model = world_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i <= place; i++) {
		struct gcs_snapshot *s = world_snapshot(model, last, i);
		gcs_snapshot_unref(last);
		last = s;
	}
	const char *difference = kit_difference(w.app.snapshot, last, UINT64_MAX);
	cr_assert_null(difference, "place %u: %s", place, difference);
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
}

/* At its end the newest profile and all counters are shown; at its start the heap is empty. */
Test(replay, opens_at_the_last_event, .fini = close_world)
{
	replay_record(&w, 40, 0, true);
	replay_begin(&w, 900, 700);
	cr_assert(replay_run(&w, "wait strip\nwait place 40\n"));
	cr_assert_eq(w.app.events, 1u, "no other event comes first");
	shows(39);
	cr_assert(replay_says(&w, "Paused · recording run.gcspy · event 40 of 40 · 0:03.393 of "
				  "0:03.393 · 1×"));
	cr_assert(replay_run(&w, "play_speed fast\nkey Space\nwait event 41\nwait end\n"));
	cr_assert_eq(w.app.events, 41u, "it plays from the first event");
	shows(39);
}

/* A source whose snapshots come before its position is known, as on a busy machine. */
static struct source_ops late_ops;
static bool (*true_position)(void *self, struct gcs_position *position);
static struct gcs_snapshot *(*true_next)(void *self);
static unsigned refused, taken;

static struct gcs_snapshot *count_next(void *self)
{
	struct gcs_snapshot *s = true_next(self);
	taken += s != NULL;
	return s;
}

static bool late_position(void *self, struct gcs_position *position)
{
	if (taken > 0 && refused >= 3)
		return true_position(self, position);
	refused += taken > 0;
	return false;
}

static bool open_late(void *context, const char *address, bool pause_at_start,
    struct source *source, struct gcs_error *err)
{
	if (!source_open(context, address, pause_at_start, source, err))
		return false;
	late_ops = *source->ops;
	true_position = late_ops.position;
	true_next = late_ops.next;
	late_ops.position = late_position;
	late_ops.next = count_next;
	source->ops = &late_ops;
	return true;
}

static struct runner run;

/* Until a run without a user has ended. */
static void run_late(const char *at)
{
	struct gcs_error err = {.text = ""};
	replay_record(&w, 40, 0, true);
	replay_begin(&w, 600, 400);
	const struct app_options options = {.width = 600,
	    .height = 400,
	    .scale = 100,
	    .make_fonts = fonts_block,
	    .opener = {.open = open_late, .context = &w.source}};
	const struct cli cli = {
	    .present = CLI_PRESENT_NONE, .address = w.path, .at = at, .dump = true};
	cr_assert(app_init(&run.app, &options, &err), "%s", err.text);
	cr_assert(runner_start(&run, &cli, &err), "%s", err.text);
	for (uint64_t ms = 1000; runner_turn(&run, ms) && ms < 61000; ms += 5) {
		app_frame(&run.app);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	cr_assert_eq(run.exit_code, 0, "%s", run.app.toast);
	cr_assert_eq(refused, 3u, "the snapshot was there first");
}

/* A position that is not known yet does not mean that there is none; and the event of the end, which
 * a recording opens at, is not the one that was asked for. */
Test(replay, opens_at_an_event_before_its_position_is_known, .fini = close_world)
{
	run_late("7");
	cr_assert_eq(gcs_snapshot_occurrence(run.app.snapshot)->sequence, 7u);
	cr_assert_eq(run.app.replay.at.place, 6u);
	runner_fini(&run);
}

/* A picture of a recording has its whole timeline, also when a snapshot came first. */
Test(replay, a_run_without_a_user_reads_all_of_the_index, .fini = close_world)
{
	run_late(NULL);
	cr_assert_eq(gcs_snapshot_occurrence(run.app.snapshot)->sequence, 40u);
	cr_assert_eq(run.app.replay.overview.count, 40u);
	runner_fini(&run);
}

Test(replay, stands_where_it_is, .fini = close_world)
{
	open_recording(40);
	shows(0);
	cr_assert(replay_says(&w, "Paused · recording run.gcspy · event 1 of 40 · 0:00.000 of "
				  "0:03.393 · 1×"));
	cr_assert_eq(w.app.replay.overview.count, 40u, "the timeline shows all of it");
	cr_assert(replay_run(&w, "sleep 150\n"));
	cr_assert_eq(w.app.replay.at.place, 0u);
	cr_assert_eq(w.app.record.recorder, NULL);
}

Test(replay, plays_to_the_end_and_back, .fini = close_world)
{
	open_recording(60);
	const uint64_t first = w.app.events;
	cr_assert(replay_run(&w, "play_speed fast\nkey Space\nwait end\n"));
	shows(59);
	cr_assert_eq(w.app.events, first + 59, "nothing is left out, however fast");
	cr_assert(replay_says(&w, "At the end · recording run.gcspy · event 60 of 60"));
	cr_assert(replay_run(&w, "key ,\nwait place 59\nkey ,\nwait place 58\n"));
	shows(57);
	cr_assert(replay_says(&w, "Paused"));
	cr_assert(replay_run(&w, "key .\nwait place 59\nkey Ctrl+B\nkey Space\nwait end\n"));
	shows(0);
	cr_assert(replay_says(&w, "At the beginning"));
	cr_assert(replay_run(&w, "key Ctrl+B\nwait end\n"), "away from an end it plays on");
	shows(59);
	uint64_t before = w.app.events;
	char steps[64];
	snprintf(
	    steps, sizeof steps, "key Space\nwait event %u\nwait end\n", (unsigned)before + 60);
	cr_assert(replay_run(&w, steps), "and at the end it begins again");
	shows(59);
}

Test(replay, seeks_by_number_time_and_key, .fini = close_world)
{
	open_recording(50);
	cr_assert(replay_run(&w, "seek 20\nwait place 20\n"));
	shows(19);
	cr_assert(replay_run(&w, "seek 0:01\nwait place 12\n"), "0:00.957");
	shows(11);
	cr_assert(replay_run(&w, "seek 2.5s\nwait place 29\nkey Ctrl+End\nwait place 50\n"));
	cr_assert(replay_run(&w, "key Alt+Left\nwait place 40\nkey Alt+Right\nwait place 50\n"));
	cr_assert(replay_run(&w, "key Ctrl+Home\nwait place 1\nkey ,\nsleep 30\n"));
	shows(0);
	static const char *const wrong[] = {"seek 0", "seek 51", "seek x", "seek 1:x", "seek -3",
	    "play_speed 0", "play_speed 1e9", "play_speed two"};
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		cr_assert_not(replay_run(&w, wrong[i]), "%s", wrong[i]);
	shows(0);
}

/* Those that seek takes and `gcspy stats` prints, though the server had counted 100 events before. */
Test(replay, events_are_numbered_from_1, .fini = close_world)
{
	struct gcs_error err;
	replay_record(&w, 1, 0, true);
	struct gcs_trace_writer *writer =
	    gcs_trace_create(&(struct gcs_trace_options){.path = w.path, .replace = true}, &err);
	struct gcs_model *model = world_model();
	struct gcs_snapshot *last = NULL;
	for (uint32_t i = 0; i < 40; i++) {
		struct gcs_snapshot *s = world_snapshot(model, last, 100 + i);
		gcs_snapshot_unref(last);
		last = s;
		cr_assert_eq(gcs_trace_write(writer, s, &err), GCS_OK);
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	cr_assert_eq(gcs_trace_finish(writer, &err), GCS_OK);
	replay_open(&w, 900, 700);
	cr_assert(replay_run(&w, "events\nseek 20\nwait place 20\n"));
	cr_assert_eq(gcs_snapshot_occurrence(w.app.snapshot)->sequence, 120u);
	cr_assert_eq(event_history_shown_number(&w.app), 20u);
	cr_assert_eq(w.app.replay.overview.at[0].number, 1u);
	cr_assert(replay_says(&w, "Events\t40 \xc2\xb7 showing event 20\n40\t"));
	cr_assert(replay_run(&w, "find 20\n"));
	cr_assert(replay_says(&w, "Events\t1 of 40 match"));
	cr_assert(replay_run(&w, "chart fragmentation\nseek 22\nwait place 22\n"));
	cr_assert(replay_says(&w, "event 22\t"));
}

/* The view of events covers the whole recording, at any position (V3, V10). */
Test(replay, the_view_of_events_knows_all_of_it, .fini = close_world)
{
	open_recording(40);
	cr_assert(replay_run(&w, "events\nseek 20\nwait place 20\n"));
	cr_assert(replay_says(&w, "Events\t40 · showing event 20\n40\t"));
	/* 19 times 87 ms: ten of each, the first one is not of the span. */
	cr_assert(replay_says(&w, "GC start\t10\t5.4\t-"));
	cr_assert(replay_says(&w, "GC end\t10\t6.0\t"));
	cr_assert(replay_says(&w, "\t2.36 ms\t2.36 ms\n"), "mean and longest pause");
	cr_assert(replay_run(&w, "seek 1\nwait place 1\nfind gc end\n"));
	cr_assert(replay_says(&w, "Events\t20 of 40 match"));
	cr_assert(replay_run(&w, "key Escape\nrange 11 30\n"));
	cr_assert(replay_says(&w, "GC end\t10\t6.0\t"));
	cr_assert(replay_says(&w, "Events\t20 · in the selected range"));
}

Test(replay, speed_direction_and_loop, .fini = close_world)
{
	open_recording(30);
	cr_assert(replay_run(&w, "key >\nkey >\n"));
	cr_assert(replay_says(&w, " · 4×"));
	cr_assert(replay_run(&w, "key <\nkey <\nkey <\nkey Shift+L\nkey Ctrl+B\n"));
	cr_assert(replay_says(&w, " · 0.5×, backwards, loop"));
	cr_assert(replay_run(&w, "play_speed 1000\nkey Space\nwait event 100\nkey Space\n"));
	cr_assert_not(w.app.replay.at.ended, "it goes round");
	cr_assert(replay_run(&w, "play_speed -0.25\n"));
	cr_assert(replay_says(&w, " · 0.25×, backwards, loop"));
	cr_assert(replay_run(&w, "key Shift+L\n"));
	cr_assert(replay_says(&w, " · 0.25×, backwards\n"));
}

/* "-delay" and "-compensate" of 2002. */
Test(replay, plays_event_by_event_and_without_the_servers_cost, .fini = close_world)
{
	open_recording(8);
	cr_assert(replay_run(&w, "play_speed every 20 ms\n"));
	cr_assert(replay_says(&w, "one event every 20 ms"));
	const uint64_t before = w.app.now_ms;
	cr_assert(replay_run(&w, "key Space\nwait place 8\nsleep 60\n"));
	cr_assert_geq(w.app.now_ms - before, 7u * 20);
	cr_assert_not(replay_plays(&w.app), "it ends");
	cr_assert(replay_run(&w, "backwards\nkey Space\nwait place 1\nsleep 60\n"));
	cr_assert(replay_says(&w, "one event every 20 ms, backwards"));
	cr_assert(replay_run(&w, "backwards\nplay_each_second\n"));
	cr_assert(replay_says(&w, "one event every 1 s"));
	cr_assert(replay_run(&w, "play_speed 4\nplay_compensated\nkey Space\nwait place 8\n"));
	cr_assert(replay_says(&w, "4\xc3\x97, without GCspy overhead"));
	cr_assert(replay_run(&w, "play_original\nseek 3\nwait place 3\n"));
	cr_assert(replay_says(&w, "\xc2\xb7 1\xc3\x97\n"));
	static const char *const bad[] = {"every", "every x", "every 0 ms", "every 61 s", "0/s",
	    "-1/s", "every 5", "2000/s", "compensate"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char step[64];
		snprintf(step, sizeof step, "play_speed %s\n", bad[i]);
		cr_assert_not(replay_run(&w, step), "%s", bad[i]);
	}
}

/* A server that does not answer leaves the recording what it was (F23). */
Test(replay, stays_until_another_source_has_a_picture, .fini = close_world)
{
	open_recording(40);
	cr_assert(replay_run(&w, "connect 127.0.0.1:1\nwait lost\nseek 5\nwait place 5\n"));
	cr_assert(replay_says(&w, "Cannot connect to 127.0.0.1:1, retrying: "));
	cr_assert(replay_says(
	    &w, "still showing: Paused \xc2\xb7 recording run.gcspy \xc2\xb7 event 5 of 40"));
	cr_assert(replay_run(&w, "sleep 2300\nstep\nwait place 6\n"));
	cr_assert(replay_says(&w, "Cannot connect to 127.0.0.1:1, retrying: "));
	cr_assert(replay_run(&w, "disconnect\n"));
	cr_assert_eq(w.app.pending_connection.address[0], 0);
	cr_assert(w.app.replay.on, "it is still open");
	cr_assert(replay_run(&w, "disconnect\n"));
	cr_assert_not(w.app.replay.on);
}

Test(replay, speed_is_that_of_the_recording, .fini = close_world)
{
	open_recording(30);
	uint64_t start = w.app.now_ms;
	cr_assert(replay_run(&w, "play_speed 10\nkey Space\nwait end\n"));
	uint64_t took = w.app.now_ms - start;
	cr_assert_geq(took, 29u * 87u / 10u - 30u, "%u ms", (unsigned)took);
}

Test(replay, the_strip_is_clicked_and_dragged, .fini = close_world)
{
	open_recording(100);
	struct cv_rect r = w.app.rect[PANEL_TIMELINE];
	int y = r.y + r.h / 2;
	int right = r.x + r.w - 18;
	struct ui_event ev = {.kind = EV_MOVE, .x = right, .y = y, .button = 1};
	app_frame(&w.app);
	app_event(&w.app, &ev);
	cr_assert(w.app.ui.tip[0] != 0, "the tooltip tells of the event");
	cr_assert_not_null(strstr(w.app.ui.tip, "Used"), "%s", w.app.ui.tip);
	ev.kind = EV_DOWN;
	app_event(&w.app, &ev);
	cr_assert(replay_run(&w, "wait place 100\n"));
	ev.kind = EV_MOVE;
	ev.x = r.x;
	app_event(&w.app, &ev);
	cr_assert(replay_run(&w, "wait place 1\n"), "dragged beyond the left end");
	ev.kind = EV_UP;
	app_event(&w.app, &ev);
	ev.kind = EV_MOVE;
	ev.x = right;
	app_event(&w.app, &ev);
	cr_assert(replay_run(&w, "sleep 50\nwait place 1\n"), "the button is up");
	/* The timeline has the keyboard now. */
	cr_assert(replay_run(&w, "key Right\nwait place 2\nkey Shift+Right\nwait place 12\n"));
	cr_assert(replay_run(&w, "key Left\nwait place 11\nkey End\nwait place 100\n"));
	cr_assert(replay_run(&w, "key Space\nsleep 20\nkey Space\nkey Escape\nkey Right\n"));
	cr_assert_neq(w.app.selected.space, GCS_NONE, "without it, arrows are for tiles");
}

Test(replay, call_sites_are_those_recorded_before, .fini = close_world)
{
	replay_record(&w, 40, 20, true);
	replay_open(&w, 900, 700);
	cr_assert(replay_run(&w, "call_sites\nwait answer\n"));
	cr_assert(replay_says(&w, "No call sites recorded up to this point"));
	cr_assert(replay_run(&w, "seek 30\nwait place 30\nwait answer\n"));
	cr_assert(replay_says(&w, "HashMap$Node[]"));
	cr_assert(replay_run(&w, "sites_kind allocated\nwait answer\n"));
	cr_assert(replay_says(&w, "No call sites recorded up to this point"));
	replay_run(&w, "sites_sample 64k\n");
	cr_assert_not_null(strstr(w.app.toast, "Sampling cannot be changed"), "%s", w.app.toast);
	/* Nothing newer is to be had of the same moment. */
	cr_assert_not(replay_run(&w, "sites_refresh\n"));
	cr_assert_not(replay_run(&w, "sites_auto\n"));
	cr_assert_not_null(strstr(w.app.toast, "nothing to refresh"), "%s", w.app.toast);
	cr_assert(
	    replay_run(&w, "sites_kind live\nwait answer\nseek 5\nwait place 5\nwait answer\n"));
	cr_assert(replay_says(&w, "No call sites recorded up to this point"), "those of event 5");
}

Test(replay, an_unfinished_file_is_told, .fini = close_world)
{
	replay_record(&w, 30, 0, false);
	replay_open(&w, 900, 700);
	cr_assert(replay_says(&w, "Recording\tunfinished"));
	cr_assert_not_null(strstr(w.app.toast, "run.gcspy: unfinished"), "%s", w.app.toast);
	cr_assert(replay_run(&w, "play_speed fast\nkey Space\nwait end\n"));
	shows(29);
}
