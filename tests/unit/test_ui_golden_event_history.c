/*
 * Pictures of looking back, ranges, bookmarks and a thinned past, pixel by pixel (V3, V7, V8). A
 * changed picture is looked at before GCSPY_UPDATE_GOLDEN=1 makes it the golden.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "event_history_store_files.h"
#include "ui_event_history.h"
#include "ui_replay.h"

static struct world w;

static void open_world(uint64_t bytes, unsigned events, int width, int height)
{
	event_history_folder();
	world_open(&w, width, height);
	w.app.event_history.history_bytes = bytes;
	world_live(&w, 0);
	event_history_events(&w, events);
}

static void close_world(void)
{
	world_close(&w);
	event_history_remove_folder();
}

static void run(const char *steps)
{
	cr_assert(world_run(&w, steps), "%s: %s", steps, w.app.toast);
	event_history_settle(&w);
	w.app.now_ms += TOAST_MS + 1;
	app_tick(&w.app);
	app_frame(&w.app);
}

Test(golden_past, looking_back, .fini = close_world)
{
	open_world(HISTORY_BYTES, 120, 960, 720);
	run("seek 70\n");
	event_history_events(&w, 6);
	cr_assert(world_golden(&w, "past-back"));
}

Test(golden_past, range_and_bookmarks, .fini = close_world)
{
	open_world(HISTORY_BYTES, 120, 960, 720);
	run("seek 30\nbookmark the first full one\n");
	run("seek 60\nbookmark\nrange 40 80\nseek 66\ntheme light\n");
	cr_assert(world_golden(&w, "past-range"));
}

Test(golden_past, thinned_and_playing_backwards, .fini = close_world)
{
	open_world(HISTORY_LEAST, 400, 960, 720);
	run("seek 200\nplay_speed -0.002\nkey Space\ntheme contrast\n");
	/* Which files there are, and the event that each begins with, is the disk's affair; how
	 * that looks is not. Every ring has a current file. */
	struct event_history_store *h = w.app.event_history.history;
	pthread_mutex_lock(&h->lock);
	h->ring[0].before.from_ns = h->ring[1].before.from_ns = 0;
	h->ring[0].now.from_ns = event_history_step_ns(150);
	h->ring[1].now.from_ns = event_history_step_ns(8);
	pthread_mutex_unlock(&h->lock);
	app_dirty(&w.app, PANEL_TIMELINE);
	cr_assert(world_golden(&w, "past-thinned"));
}

Test(golden_past, small_window_at_twice_the_scale, .fini = close_world)
{
	open_world(0, 40, 800, 500);
	run("seek 20\nrange 10 30\nbookmark\nscale_up\nscale_up\nscale_up\nscale_up\n");
	cr_assert(world_golden(&w, "past-small"));
}

/* The timeline stretched, and followed at its end. */
Test(golden_past, stretched, .fini = close_world)
{
	open_world(HISTORY_BYTES, 200, 960, 720);
	run("time_scale in\ntime_scale in\ntime_scale in\n");
	cr_assert(world_golden(&w, "past-stretched"));
}

static struct replay_world r;

static void close_replay(void)
{
	replay_fini(&r);
}

Test(golden_past, range_of_a_recording, .fini = close_replay)
{
	replay_record(&r, 120, 0, true);
	replay_open(&r, 960, 640);
	cr_assert(replay_run(&r, "seek 40\nwait place 40\ntime_scale in\nrange 30 50\n"));
	cr_assert(window_golden(&r.app, "past-recording"));
}
