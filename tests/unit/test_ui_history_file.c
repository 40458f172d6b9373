/* History graphs of recordings (V8, F22): all rows from the file by its thread, a click goes there, and
 * whatever happens while it is read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "history_view.h"
#include "ui_replay.h"

static struct hist_view *view_of(const struct app *app)
{
	return app->views[VIEW_HISTORY];
}

static struct replay_world r;

static void close_replay(void)
{
	replay_fini(&r);
}

Test(history_file, of_a_recording, .fini = close_replay)
{
	replay_record(&r, 120, 0, true);
	replay_open(&r, 960, 640);
	cr_assert(replay_run(&r, "history\nwait answer\n"));
	struct hist_view *v = view_of(&r.app);
	cr_assert_eq(v->graph.count, 120);
	cr_assert_eq(v->graph.lane[0].tiles, 192);
	/* Playing adds nothing that is there already. */
	cr_assert(replay_run(&r, "seek 40\nwait place 40\n"));
	cr_assert_eq(v->graph.count, 120);
	app_frame(&r.app);
	struct cv_rect at = hist_cell_rect(&v->plan, 0, 31, v->plan.top + 70);
	char step[80];
	snprintf(step, sizeof step, "click %d %d\nwait place 71\nwait answer\n", at.x, at.y);
	cr_assert(replay_run(&r, step));
	cr_assert_eq(r.app.selected.space, WORLD_REGIONS);
	cr_assert_eq(r.app.selected.tile, 31);
	cr_assert(replay_run(&r, "history space=Threads\nwait answer\n"));
	cr_assert_eq(v->graph.count, 120);
	cr_assert_eq(v->graph.lane[0].tiles, 6);
	cr_assert(replay_run(&r, "history rows=50\nwait answer\n"));
	cr_assert_eq(v->graph.count, 40);
	cr_assert_eq(v->graph.stride, 3);
	cr_assert(replay_run(&r, "history max=on\nwait answer\n"));
	cr_assert_eq(v->graph.count, 50);
	cr_assert_eq(v->graph.given_up, 70);
	cr_assert(replay_run(&r, "key Down\nkey Home\nkey Enter\nwait place 71\n"));
}

/* Another choice, another file, the end: at any moment while the file is read. */
Test(history_file, changed_while_the_file_is_read, .fini = close_replay)
{
	replay_record(&r, 400, 0, false);
	replay_open(&r, 960, 640);
	for (int i = 0; i < 6; i++)
		cr_assert(replay_run(&r, "history\nhistory space=Card table\nsleep 3\n"
					 "history space=G1 regions\nhistory stream+=Used\n"));
	cr_assert(replay_run(&r, "wait answer\n"));
	cr_assert_eq(view_of(&r.app)->graph.count, 400);
	cr_assert(replay_run(&r, "history space=Threads\n"));
}

Test(history_file, the_file_is_gone, .fini = close_replay)
{
	replay_record(&r, 60, 0, true);
	replay_open(&r, 960, 640);
	unlink(r.path);
	cr_assert(replay_run(&r, "history\nwait answer\n"));
	cr_assert(replay_says(&r, "run.gcspy"));
	cr_assert(replay_says(&r, "No history"));
	cr_assert_eq(view_of(&r.app)->graph.count, 0);
}
