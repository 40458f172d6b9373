/* Connections that are lost, ended, silent, or replaced by another program (V1, F10). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kit.h"
#include "ui_profile.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

/* The window's text, in a buffer of its own. */
static const char *text(void)
{
	return window_text(&w.app);
}

static bool says(const char *what)
{
	return strstr(text(), what) != NULL;
}

Test(connection, lost_connection_keeps_the_picture_and_retries, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 3);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_CLOSED, "the server has closed the connection");
	app_poll(&w.app);
	app_frame(&w.app);
	cr_assert_not_null(w.app.snapshot);
	cr_assert(says("Connection lost, retrying"));
	cr_assert(says("G1 regions"));
	cr_assert_eq(app_wait_ms(&w.app), RETRY_MS);
	unsigned opened = w.source.opened;
	w.app.now_ms += RETRY_MS;
	app_tick(&w.app);
	cr_assert_eq(w.source.opened, opened + 1);
	cr_assert_eq(w.app.state, SOURCE_CONNECTING);
	cr_assert_not_null(w.app.snapshot);
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	world_key(&w, "Shift+R");
	cr_assert_eq(w.app.retry_at_ms, 0u, "retrying can be stopped");
	world_key(&w, "F5");
	cr_assert_eq(w.source.opened, opened + 2);
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	cr_assert(says("Live"));
	world_key(&w, "Shift+F5");
	cr_assert(says("Not connected"));
	cr_assert(says("G1 regions"));
}

/* A server that is restarted or killed may come back; then the window stops trying (F10). */
static struct cv_rect rest;

static void note_rest(void *context, uint32_t id, struct cv_rect r)
{
	(void)context;
	if (id == UI_ID(PANEL_HEADER, 1))
		rest = r;
}

/* What has no room in the bar at the top is told by the tooltip, which follows the events. */
Test(connection, the_rest_of_an_event_is_told, .fini = close_world)
{
	world_open(&w, 700, 500);
	world_live(&w, 3);
	w.app.ui.area = note_rest;
	world_event(&w);
	const struct cv_rect header = w.app.rect[PANEL_HEADER];
	world_move(&w, header.x + 20, header.y + header.h - 20);
	cr_assert_not(rect_empty(rest));
	world_move(&w, rest.x + 5, rest.y + 5);
	cr_assert_not_null(strstr(w.app.ui.tip, "More about this event"), "%s", w.app.ui.tip);
	world_event(&w);
	world_event(&w);
	cr_assert_not_null(strstr(w.app.ui.tip, "More about this event"), "it stays");
	world_move(&w, rest.x + 5, header.y + header.h + 50);
	cr_assert_null(strstr(w.app.ui.tip, "More about"));
	world_click(&w, rest.x + 5, rest.y + 5, 1);
	cr_assert_not_null(strstr(w.app.ui.tip, "More about this event"), "%s", w.app.ui.tip);
}

Test(connection, a_tooltip_outlives_events, .fini = close_world)
{
	char before[UI_TIP_TEXT];
	world_open(&w, 900, 600);
	world_live(&w, 3);
	const struct cv_rect footer = w.app.rect[PANEL_FOOTER];
	world_move(&w, footer.x + 40, footer.y + footer.h / 2);
	snprintf(before, sizeof before, "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(before, "Pause"), "%s", before);
	world_event(&w);
	world_event(&w);
	cr_assert_str_eq(w.app.ui.tip, before);
}

/* The user asks again, and hears why that failed; what goes on by itself is silent. */
Test(connection, reconnecting_to_a_program_that_ended_is_answered, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 3);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_ENDED, "the server has ended");
	app_poll(&w.app);
	gcs_fail(&w.source.why, GCS_ENDED, "process 4711 does not exist");
	cr_assert_str_eq(w.app.toast, "");
	world_key(&w, "F5");
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert_str_eq(w.app.toast, "process 4711 does not exist");
}

/* V1: a number that was a process stays one, which may be gone when it is asked for again. */
Test(connection, a_process_is_not_taken_for_a_port, .fini = close_world)
{
	world_open(&w, 800, 600);
	cr_assert(app_connect(&w.app, "4711"));
	cr_assert_str_eq(w.app.address, "pid:4711");
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	w.source.state = SOURCE_LOST;
	world_wait(&w, 0);
	world_wait(&w, RETRY_MS);
	cr_assert_str_eq(w.source.address, "pid:4711");
}

/* What refuses a connection is gone with its process; another socket may come back. */
Test(connection, the_socket_of_a_process_that_is_gone)
{
	const struct source_options options = {.token = NULL};
	const pid_t child = fork();
	if (child == 0)
		_exit(0);
	cr_assert(child > 0 && waitpid(child, NULL, 0) == child);
	for (int gone = 0; gone < 2; gone++) {
		char address[64];
		struct source source;
		struct gcs_error err = {.status = GCS_OK};
		snprintf(address, sizeof address, "unix:/tmp/.gcspy_%ld",
		    gone ? (long)child : (long)getpid());
		cr_assert(source_client_open((void *)&options, address, false, &source, &err), "%s",
		    err.text);
		kit_until(source.ops->state(source.self, &err) == SOURCE_LOST);
		cr_assert_eq(err.status, gone ? GCS_ENDED : GCS_UNREACHABLE, "%s", err.text);
		source.ops->close(source.self);
	}
}

Test(connection, a_lost_connection_is_not_retried_for_good, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 3);
	for (unsigned i = 0; i * RETRY_MS <= RETRY_MOST_MS; i++) {
		w.source.state = SOURCE_LOST;
		gcs_fail(&w.source.why, GCS_UNREACHABLE, "connection refused");
		app_poll(&w.app);
		if (i == 0)
			cr_assert(
			    says("Connection lost, retrying · last snapshot · connection refused"));
		world_wait(&w, RETRY_MS);
	}
	const unsigned opened = w.source.opened;
	cr_assert_geq(opened, 1 + RETRY_MOST_MS / RETRY_MS);
	cr_assert_eq(w.app.retry_at_ms, 0u);
	cr_assert(says("Connection lost at "));
	cr_assert_null(strstr(text(), "retrying"));
	world_wait(&w, 10 * RETRY_MOST_MS);
	cr_assert_eq(w.source.opened, opened);
	world_key(&w, "F5");
	cr_assert_eq(w.source.opened, opened + 1);
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	cr_assert(says("Connection lost, retrying"), "for as long as the first time");
}

/* Its end is no failure: what was seen stays, to be saved, and nothing is retried. */
Test(connection, the_end_of_the_program_is_told, .fini = close_world)
{
	world_open(&w, 1000, 600);
	world_live(&w, 3);
	w.source.state = SOURCE_LOST;
	gcs_fail(&w.source.why, GCS_ENDED, "the program has ended");
	app_poll(&w.app);
	/* The time first: a small window cuts the rest. */
	cr_assert_eq(strncmp(text(), "Ended at ", 9), 0);
	cr_assert(says(" \xc2\xb7 HotSpot 21.0.2 (G1), pid 4711 \xc2\xb7 last snapshot"));
	cr_assert_null(strstr(text(), "retrying"));
	cr_assert_null(strstr(text(), "lost"));
	cr_assert(says("G1 regions"));
	cr_assert(says("count of GC start\t2\n"));
	cr_assert_eq(w.app.retry_at_ms, 0u);
	const unsigned opened = w.source.opened;
	world_wait(&w, 10 * RETRY_MOST_MS);
	cr_assert_eq(w.source.opened, opened);
	cr_assert(record_can_save(&w.app));
	world_key(&w, ",");
	cr_assert(says("program ended"));
	/* Started again by its user, it is another program. */
	world_key(&w, "L");
	world_key(&w, "F5");
	w.source.state = SOURCE_LIVE;
	world_event(&w);
	cr_assert(says("Live · HotSpot 21.0.2 (G1), pid 4711"));
	cr_assert_not(record_can_save(&w.app));
}

/* Also if the recording is ended by the next command (Q3). */
Test(connection, a_recording_tells_what_the_source_has_dropped, .fini = close_world)
{
	enum { DROPPED = 94 };
	char path[64], command[80];
	snprintf(path, sizeof path, "/tmp/gcspy-dropped-%ld.gcspy", (long)getpid());
	snprintf(command, sizeof command, "record %s\n", path);
	world_open(&w, 1000, 600);
	world_live(&w, 3);
	cr_assert(world_run(&w, command));
	world_event(&w);
	w.source.drops = DROPPED;
	world_event(&w);
	cr_assert(world_run(&w, "record\n"));
	kit_until((app_poll(&w.app), says("message\tRecorded 3 events")));
	world_event(&w);
	cr_assert_eq(chdir("/tmp"), 0);
	cr_assert(world_run(&w, "record gcspy-of-one.gcspy\n"));
	kit_until((app_poll(&w.app), app_frame(&w.app), says("Recording 1 event,")));
	cr_assert(world_run(&w, "record\n"));
	kit_until((app_poll(&w.app), says("Recorded 1 event in /tmp/gcspy-of-one.gcspy")));
	unlink("/tmp/gcspy-of-one.gcspy");
	struct gcs_error err;
	struct gcs_trace *t = gcs_trace_open(path, &err);
	cr_assert_not_null(t, "%s", err.text);
	static const uint64_t missed[] = {0, 0, DROPPED};
	for (uint64_t i = 0; i < 3; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		cr_assert_not_null(s, "%s", err.text);
		cr_assert_eq(gcs_snapshot_occurrence(s)->missed, missed[i], "event %d", (int)i);
		gcs_snapshot_unref(s);
	}
	gcs_trace_close(t);
	unlink(path);
}

Test(connection, says_for_how_long_no_event_has_come, .fini = close_world)
{
	world_open(&w, 1000, 600);
	world_live(&w, 2);
	world_wait(&w, SILENT_MS - 1);
	cr_assert(says("Live · HotSpot 21.0.2 (G1), pid 4711"));
	world_wait(&w, 1);
	cr_assert(says("Live · no event for 5 s · HotSpot 21.0.2 (G1), pid 4711"));
	cr_assert_eq(app_wait_ms(&w.app), SILENT_MS);
	world_wait(&w, 34000);
	cr_assert(says("Live · no event for 35 s · HotSpot 21.0.2 (G1), pid 4711"));
	world_wait(&w, 22 * 60000);
	cr_assert(says("Live · no event for 22 min · HotSpot 21.0.2 (G1), pid 4711"));
	cr_assert_geq(app_wait_ms(&w.app), 20000, "an idle program leaves the window idle");
	world_key(&w, "Space");
	w.source.run = GCS_PAUSED;
	world_wait(&w, 60000);
	cr_assert(
	    says("Paused · HotSpot 21.0.2 (G1), pid 4711"), "a program that is held has no events");
	w.source.run = GCS_RUNNING;
	world_event(&w);
	cr_assert(says("Live · HotSpot 21.0.2 (G1), pid 4711"));
}

/* What names the old program, its place in time or its counters. */
static void shows_nothing_of_the_old(const char *const *old, const char *where)
{
	for (; *old != NULL; old++)
		cr_assert_null(
		    strstr(text(), *old), "%s: still \"%s\" in:\n%s", where, *old, text());
}

/* From one program straight to another: until its first snapshot the old one is shown whole, from
 * then on nothing of it (F10, V3). */
Test(connection, another_program_replaces_the_last_one_whole, .fini = close_world)
{
	static const char *const old[] = {"4711", ":3000", "count of GC", "GC start", "GC end",
	    "G1 regions", "41.5 MiB", "Mixed", "Event #", "of the old", "Looking back", "Range",
	    "Selected range", "HashMap", NULL};
	world_open(&w, 1100, 700);
	world_live(&w, 12);
	cr_assert(world_run(&w, "call_sites\n"));
	world_wait(&w, 0);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	cr_assert(says("HashMap"));
	for (enum view_id id = 0; id < VIEW_COUNT; id++)
		app_set_view(&w.app, id);
	cr_assert(world_run(&w, "heap_map\nselect G1 regions 3\nrange 2 5\nbookmark of the old\n"
				"key ,\n"));
	cr_assert(says("Looking back"));
	cr_assert(app_connect(&w.app, "other:4000"));
	w.source.state = SOURCE_LIVE;
	world_wait(&w, 0);
	cr_assert(says("Connecting to other:4000 … · still showing: Looking back"));
	cr_assert(says("GC start"));
	struct gcs_model *model = gcs_model_create("Second program");
	const struct gcs_event step = {.name = "Step"};
	cr_assert_eq(gcs_model_add_event(model, &step, NULL, NULL), GCS_OK);
	struct gcs_snapshot *first = gcs_snapshot_begin(model, NULL);
	/* What a client sees first, at no event. */
	gcs_snapshot_set_occurrence(
	    first, &(struct gcs_occurrence){.event = GCS_NONE, .time_ns = 500});
	world_put(&w, first);
	for (enum view_id id = 0; id < VIEW_COUNT; id++) {
		app_set_view(&w.app, id);
		world_wait(&w, 0);
		shows_nothing_of_the_old(old, app_view_at(id)->name);
	}
	cr_assert(says("Live · Second program · other:4000"));
	world_key(&w, "I");
	world_wait(&w, 0);
	shows_nothing_of_the_old(old, "general information");
	cr_assert_eq(event_history_overview(&w.app)->count, 0u);
	cr_assert_not(w.app.range.on);
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	cr_assert_eq(w.app.event_history.marks.count, 0u);
	gcs_snapshot_unref(first);
	gcs_model_unref(model);
}
