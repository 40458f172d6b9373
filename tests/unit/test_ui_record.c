/* Recording what the visualiser shows (F21). */
#include <criterion/criterion.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kit.h"
#include "runner.h"
#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

/* The two files tell the same. */
static void same_traces(const char *a, const char *b, uint64_t events)
{
	struct gcs_error err = {.text = ""};
	struct gcs_trace *one = gcs_trace_open(a, &err);
	struct gcs_trace *two = gcs_trace_open(b, &err);
	cr_assert(one != NULL && two != NULL, "%s", err.text);
	struct gcs_trace_info info;
	gcs_trace_get_info(two, &info);
	cr_assert(info.complete && info.events == events, "%u events", (unsigned)info.events);
	for (uint64_t i = 0; i < events; i++) {
		struct gcs_snapshot *x = gcs_trace_at(one, i, &err);
		struct gcs_snapshot *y = gcs_trace_at(two, i, &err);
		cr_assert(x != NULL && y != NULL, "%s", err.text);
		const char *difference = kit_difference(x, y, UINT64_MAX);
		cr_assert_null(difference, "event %u: %s", (unsigned)i, difference);
		cr_assert_eq(
		    gcs_snapshot_occurrence(x)->time_ns, gcs_snapshot_occurrence(y)->time_ns);
		cr_assert_eq(
		    gcs_snapshot_occurrence(x)->sequence, gcs_snapshot_occurrence(y)->sequence);
		gcs_snapshot_unref(x);
		gcs_snapshot_unref(y);
	}
	gcs_trace_close(one);
	gcs_trace_close(two);
}

Test(record, what_is_played_is_recorded_once, .fini = close_world)
{
	replay_record(&w, 80, 0, true);
	replay_open(&w, 900, 700);
	char copy[160], steps[400];
	snprintf(copy, sizeof copy, "%s/copy.gcspy", w.folder);
	snprintf(steps, sizeof steps,
	    "record %s\nplay_speed 100\nkey Space\nwait event 40\nkey Ctrl+B\nsleep 30\n"
	    "key Ctrl+B\nwait end\nkey ,\nrecord\nwait recorded\n",
	    copy);
	cr_assert(replay_run(&w, steps));
	same_traces(w.path, copy, 80);
	cr_assert_not_null(strstr(w.app.toast, "Recorded 80 events in "), "%s", w.app.toast);
	unlink(copy);
}

Test(record, recording_names_itself_and_its_failures, .fini = close_world)
{
	replay_record(&w, 10, 0, true);
	replay_open(&w, 900, 700);
	cr_assert_not(replay_run(&w, "record /nowhere/x.gcspy\n"));
	cr_assert_not_null(strstr(w.app.toast, "Cannot record: "), "%s", w.app.toast);
	cr_assert_null(w.app.record.recorder);
	cr_assert_eq(chdir(w.folder), 0);
	cr_assert(replay_run(&w, "key Ctrl+R\nseek 4\nwait place 4\n"));
	cr_assert(replay_says(&w, "\nRecording "), "in the footer");
	char name[1024];
	snprintf(name, sizeof name, "%s", gcs_recorder_path(w.app.record.recorder));
	cr_assert(strncmp(name, "gcspy-2", 7) == 0 && strstr(name, ".gcspy") != NULL, "%s", name);
	cr_assert(replay_run(&w, "key Ctrl+R\nwait recorded\n"));
	cr_assert(gcs_trace_is(name));
	cr_assert(replay_run(&w, "key Ctrl+R\n"));
	char second[1024];
	snprintf(second, sizeof second, "%s", gcs_recorder_path(w.app.record.recorder));
	app_disconnect(&w.app);
	cr_assert(replay_run(&w, "wait recorded\n"), "the end of the source ends the file");
	cr_assert(gcs_trace_is(second));
	cr_assert_str_neq(second, name, "no file is overwritten");
	unlink(name);
	unlink(second);
	cr_assert_eq(chdir("/"), 0);
}
