/*
 * Pictures of recordings and of recording, pixel by pixel (F21, F22, V7). A changed picture is
 * looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

Test(golden_replay, opened, .fini = close_world)
{
	replay_record(&w, 120, 0, true);
	replay_open(&w, 960, 640);
	cr_assert(window_golden(&w.app, "recording-opened"));
}

Test(golden_replay, backwards, .fini = close_world)
{
	replay_record(&w, 120, 0, true);
	replay_open(&w, 960, 640);
	/* So slow that nothing happens while we look. */
	cr_assert(replay_run(&w, "seek 80\nwait place 80\nplay_speed -0.002\nloop\nkey Space\n"));
	cr_assert(window_golden(&w.app, "recording-backwards"));
}

/* A byte in the middle is another one: a segment cannot be read. */
Test(golden_replay, damaged, .fini = close_world)
{
	replay_record(&w, 300, 0, true);
	FILE *f = fopen(w.path, "r+b");
	cr_assert(f != NULL && fseek(f, 0, SEEK_END) == 0);
	long middle = ftell(f) / 2;
	cr_assert(fseek(f, middle, SEEK_SET) == 0);
	int byte = fgetc(f);
	cr_assert(
	    fseek(f, middle, SEEK_SET) == 0 && fputc(byte ^ 0xff, f) != EOF && fclose(f) == 0);
	replay_open(&w, 960, 640);
	cr_assert_not_null(strstr(w.app.toast, " events unreadable (event "), "%s", w.app.toast);
	cr_assert_not_null(strstr(w.app.toast, "damaged at byte"), "%s", w.app.toast);
	/* Which byte is the format's affair. */
	w.app.now_ms += TOAST_MS + 1;
	app_tick(&w.app);
	cr_assert(window_golden(&w.app, "recording-damaged"));
}

/* The amount on disk when the picture is taken varies; the words about it do not. */
Test(golden_replay, recording_live)
{
	static struct world live;
	char folder[] = "/tmp/gcspy-golden-XXXXXX", step[64];
	cr_assert_not_null(mkdtemp(folder));
	cr_assert_eq(chdir(folder), 0);
	world_open(&live, 960, 640);
	world_live(&live, 8);
	snprintf(step, sizeof step, "record live.gcspy\n");
	cr_assert(world_run(&live, step));
	world_event(&live);
	cr_assert_not_null(live.app.record.recorder);
	live.app.record.stats = (struct gcs_recorder_stats){.events = 1234, .bytes = 5678901};
	app_dirty(&live.app, PANEL_FOOTER);
	cr_assert(world_golden(&live, "recording-live"));
	world_close(&live);
	unlink("live.gcspy");
	cr_assert_eq(chdir("/"), 0);
	rmdir(folder);
}
