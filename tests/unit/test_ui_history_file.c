/* History graphs of recordings (V8, F22): all rows from the file by its thread, a click goes there, and
 * whatever happens while it is read. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ui_history.h"
#include "ui_replay.h"

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
	struct hist_view *v = history_of(&r.app);
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
	cr_assert_eq(history_of(&r.app)->graph.count, 400);
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
	cr_assert_eq(history_of(&r.app)->graph.count, 0);
}

/* True if the row of what the other views show is painted. */
static bool event_in_sight(void)
{
	struct hist_view *v = history_of(&r.app);
	uint64_t line;
	app_frame(&r.app);
	return hist_present_line(v, &r.app, &v->plan, &line) && line >= v->plan.top &&
	       line < v->plan.top + v->plan.page;
}

/* F22, V8: whatever moment is shown, its row is in sight, until one scrolls away. */
Test(history_file, the_shown_moment_is_followed, .fini = close_replay)
{
	replay_record(&r, 400, 0, true);
	replay_open(&r, 960, 480);
	cr_assert(replay_run(&r, "seek 40\nwait place 40\nhistory\nhistory fill=off\n"
				 "history tile=4\nwait answer\n"));
	struct hist_view *v = history_of(&r.app);
	cr_assert_lt(v->plan.page, 100);
	cr_assert(event_in_sight());
	cr_assert_lt(v->plan.top, 40);
	/* The row has a line above and one below, in the colour of what is selected. */
	uint64_t line;
	cr_assert(hist_present_line(v, &r.app, &v->plan, &line));
	cr_assert_eq(line, 39);
	int x = v->plan.raster.x + 5, y = hist_line_y(&v->plan, line);
	uint32_t ink = r.app.ui.theme->selection;
	cr_assert_eq(r.app.cv.px[(y - 1) * r.app.cv.w + x] & 0xffffff, ink);
	cr_assert_eq(r.app.cv.px[(y + 4) * r.app.cv.w + x] & 0xffffff, ink);
	cr_assert_neq(r.app.cv.px[(y + 1) * r.app.cv.w + x] & 0xffffff, ink);
	/* While one steps in what is in sight, nothing moves. */
	uint64_t top = v->plan.top;
	cr_assert_leq(top, 38); /* the row before it is in sight; it may be the last one that is */
	cr_assert(replay_run(&r, "step_back\nwait place 39\nstep\nwait place 40\n"));
	cr_assert(event_in_sight());
	cr_assert_eq(v->plan.top, top);
	cr_assert(replay_run(&r, "seek 350\nwait place 350\n"));
	cr_assert(event_in_sight());
	cr_assert_gt(v->plan.top, top);
	/* The cursor goes elsewhere, and the graph with it. */
	cr_assert(replay_run(&r, "key Home\n"));
	cr_assert_not(v->set.follow);
	cr_assert_not(event_in_sight());
	cr_assert(replay_run(&r, "key End\n"));
	cr_assert_eq(v->plan.top, hist_top_most(&v->plan));
	cr_assert(replay_run(&r, "history follow=on\n"));
	cr_assert(event_in_sight());
	cr_assert(replay_run(&r, "key 1\nseek 200\nwait place 200\nkey 5\n"));
	cr_assert(event_in_sight());
}
