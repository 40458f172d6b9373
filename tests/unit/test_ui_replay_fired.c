/* What has fired in a recording (F17, V10), and playing it from and to its end (F22). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "triggers_view.h"
#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

static void open_recording(uint32_t events, uint32_t fired_every)
{
	replay_record_fired(&w, events, fired_every);
	replay_begin(&w, 1000, 640);
	cr_assert(replay_run(&w, "wait strip\nwait place 40\n"));
}

/* Painting everything again changes nothing. */
static bool is_painted(void)
{
	const struct cv *cv = &w.app.cv;
	const size_t bytes = (size_t)cv->w * (size_t)cv->h * sizeof *cv->px;
	void *before = malloc(bytes);
	cr_assert_not_null(before);
	memcpy(before, cv->px, bytes);
	app_dirty_all(&w.app);
	app_frame(&w.app);
	const bool same = memcmp(before, cv->px, bytes) == 0;
	free(before);
	return same;
}

/* Only the last event, at which nothing fired, is ever shown. */
Test(replay_fired, is_known_once_it_is_open, .fini = close_world)
{
	uint32_t fires = 0;
	open_recording(40, 15);
	cr_assert_eq(w.app.events, 1u);
	const struct overview *o = event_history_overview(&w.app);
	cr_assert_eq(o->count, 40u);
	for (uint32_t i = 0; i < o->count; i++) {
		const bool fired = strcmp(o->at[i].fired, "long") == 0;
		cr_assert_eq(fired, i % 15 == 14, "event %u", i + 1);
		cr_assert_eq(strncmp(o->at[i].text, "fired long", 10) == 0, fired);
		fires += fired;
	}
	cr_assert_eq(fires, 2u);
	cr_assert(replay_run(&w, "triggers\nwait says 2 events at which triggers fired\n"));
	/* Condition and actions are in the recording, though only the last event is shown. */
	cr_assert(
	    replay_says(&w, "long\t-\tpause > 2ms\tpause \xc2\xb7 ask stack \xc2\xb7 kept\t2\t"));
	cr_assert(replay_run(&w, "events\nwait says fired long\n"));
	cr_assert_eq(w.app.events, 1u);
}

/* The view is open before the index has been read. */
Test(replay_fired, appears_in_the_open_view, .fini = close_world)
{
	replay_record_fired(&w, 40, 15);
	replay_begin(&w, 1000, 640);
	cr_assert(replay_run(&w, "triggers\nwait says 2 events at which triggers fired\n"));
	cr_assert_eq(w.app.view, &triggers_view);
	cr_assert(is_painted(), "the view shows them without a key");
}

/* A recording that has played to its end is not paused; it would play on from the event gone to. */
Test(replay_fired, is_gone_to_after_playing, .fini = close_world)
{
	open_recording(40, 15);
	cr_assert(replay_run(&w, "play_fast\npause_resume\nwait event 41\nwait end\n"));
	cr_assert(replay_run(&w, "key Ctrl+Up\nwait place 30\nwait says Paused\n"));
	cr_assert(replay_run(&w, "key Ctrl+Up\nwait place 15\n"));
	cr_assert(replay_run(&w, "key Ctrl+Down\nwait place 30\n"));
	cr_assert_eq(w.app.run, GCS_PAUSED);
	cr_assert_eq(w.app.events, 44u, "nothing was played after them");
}

Test(replay_fired, another_rate_keeps_it_playing, .fini = close_world)
{
	open_recording(40, 15);
	cr_assert(replay_run(&w, "play_speed 0.002\npause_resume\nwait place 1\n"));
	cr_assert(replay_run(&w, "play_fast\nwait end\n"));
	cr_assert_eq(w.app.events, 41u);
}

/* At the end, another rate does not play; Space starts over, at once. */
Test(replay_fired, another_rate_at_the_end_is_still_the_end, .fini = close_world)
{
	open_recording(40, 15);
	cr_assert(replay_run(&w, "play_fast\npause_resume\nwait event 41\nwait end\n"));
	cr_assert(replay_run(&w, "play_speed 1000\n"));
	cr_assert(replay_says(&w, "At the end"));
	cr_assert(replay_run(&w, "play_fast\npause_resume\nwait end\n"));
	cr_assert_eq(w.app.events, 81u, "it has played again");
}
