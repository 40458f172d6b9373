/* Which event of a recording has profiles, and what is said where there are none (F22, S6). */
#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

#include "ui_replay.h"

static struct replay_world w;

static void close_world(void)
{
	replay_fini(&w);
}

/* The only survivors are those of the last event. */
Test(replay_profiles, an_empty_one_gives_its_reason, .fini = close_world)
{
	replay_record_late(&w, 40);
	replay_open(&w, 900, 700);
	cr_assert(replay_run(&w, "call_sites\nseek 20\nwait place 20\nwait answer\n"));
	cr_assert(replay_says(&w, "No survivors in this profile"));
	cr_assert(replay_says(&w, "The next profile with survivors is that of event 40."));
	cr_assert(replay_says(&w, "gcspy record --profiles 5"));
	cr_assert(replay_run(&w, "flame_graph\nwait answer\n"));
	cr_assert(replay_says(&w, "No survivors in this profile"));
	cr_assert(replay_run(&w, "call_sites\nseek 2\nwait place 2\nwait answer\n"));
	cr_assert(replay_says(&w, "No call sites recorded up to this point"));
	cr_assert(replay_says(&w, "that of event 40."));
	cr_assert(replay_run(&w, "sites_filter nothing\nseek 40\nwait place 40\nwait answer\n"));
	cr_assert(replay_says(&w, "No call site matches the filter"));
}

static bool opens_at(uint64_t place)
{
	w.app.guided = true;
	for (int i = 0; i < 5000 && w.app.replay.at.place + 1 != place; i++)
		cr_assert(replay_run(&w, "sleep 1\n"));
	return w.app.replay.at.place + 1 == place;
}

/* The largest heap is elsewhere, where call sites would be empty. */
Test(replay_profiles, opens_where_there_are_survivors, .fini = close_world)
{
	replay_record_late(&w, 40);
	replay_begin(&w, 900, 700);
	cr_assert(opens_at(40), "%u", (unsigned)w.app.replay.at.place + 1);
}
