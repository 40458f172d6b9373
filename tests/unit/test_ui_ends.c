/* Call sites between two moments of a recording, read on a thread (S8, F22). */
#include <criterion/criterion.h>
#include <gcspy/trace.h>
#include <stdio.h>
#include <string.h>

#include "flame_view.h"
#include "ui_profile.h"
#include "ui_replay.h"

#define SECOND UINT64_C(1000000000)

static struct replay_world w;

static void close_replay(void)
{
	replay_fini(&w);
}

static void open_flame(uint32_t events, uint32_t profile_every)
{
	replay_record(&w, events, profile_every, true);
	replay_open(&w, 960, 600);
	cr_assert(replay_run(&w, "last_event\nflame_graph\nwait answer\n"));
}

/* Chooses a part by its places in the recording, and waits until it is read. */
static void choose(uint64_t first, uint64_t last)
{
	struct gcs_trace *trace = gcs_trace_open(w.path, NULL);
	struct gcs_snapshot *a = gcs_trace_moment(trace, first, NULL);
	struct gcs_snapshot *b = gcs_trace_moment(trace, last, NULL);
	cr_assert(a != NULL && b != NULL);
	event_history_choose(
	    &w.app, gcs_snapshot_occurrence(b)->time_ns, gcs_snapshot_occurrence(a)->time_ns);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_trace_close(trace);
	cr_assert(replay_run(&w, "sleep 20\nwait answer\n"));
}

Test(ends, the_difference_between_two_moments, .fini = close_replay)
{
	open_flame(60, 10);
	const struct flame_view *view = w.app.views[VIEW_FLAME];
	cr_assert_null(profiles_before(&w.app));
	choose(15, 45);
	cr_assert_not_null(profiles_before(&w.app));
	cr_assert(replay_says(&w, "Live at 0:03.9"));
	cr_assert(replay_says(&w, " compared with 0:01.3"));
	/* The made-up profiles are all the same. */
	const struct gcs_node *root = gcs_tree_node(flame_part(view)->tree, 0);
	cr_assert(root->samples == root->base_samples && root->samples == 171);
	/* So do the tables; without the part they are as before. */
	cr_assert(replay_run(&w, "call_sites\nwait answer\n"));
	cr_assert(replay_says(&w, "compared with"));
	cr_assert(replay_says(&w, "growth is not known: no collection between"));
	event_history_choose_all(&w.app);
	cr_assert(replay_run(&w, "wait answer\n"));
	cr_assert_null(profiles_before(&w.app));
	cr_assert_not(replay_says(&w, "compared with"));
}

Test(ends, another_profile_in_place_of_one_that_is_missing, .fini = close_replay)
{
	open_flame(60, 10);
	choose(2, 45);
	cr_assert(replay_says(&w, "; no profile at 0:0"));
	cr_assert(replay_says(&w, "first one from 0:0"));
	cr_assert_not_null(profiles_before(&w.app));
	choose(0, 3);
	cr_assert(replay_says(&w, "No call sites between"));
	cr_assert_null(profiles_before(&w.app));
	/* There are none of this kind. */
	choose(15, 45);
	cr_assert(replay_run(&w, "sites_kind allocated\nwait answer\n"));
	cr_assert(replay_says(&w, "No call sites"));
}

Test(ends, a_recording_to_compare_with, .fini = close_replay)
{
	open_flame(40, 10);
	char step[200];
	snprintf(step, sizeof step, "compare %s\nwait answer\n", w.path);
	cr_assert(replay_run(&w, step));
	cr_assert(replay_says(&w, "Compared with run.gcspy"));
	cr_assert(replay_run(&w, "sites_kind recent\nwait answer\n"));
	cr_assert(replay_run(&w, step));
	cr_assert_not_null(strstr(w.app.toast, "no recent call sites"), "%s", w.app.toast);
	cr_assert(replay_run(&w, "compare /nowhere/at-all\nwait answer\n"));
	cr_assert_not_null(strstr(w.app.toast, "/nowhere/at-all"), "%s", w.app.toast);
	cr_assert_not_null(w.app.profiles.base.profile);
	app_disconnect(&w.app);
	cr_assert_null(w.app.profiles.base.profile, "it ends with the recording");
}
