/* The view of history graphs as it is used (V8, V9): collecting, choosing, saving. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "history_suite.h"

Test(history, collects_while_another_view_is_shown, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 12);
	struct hist_view *v = history_of(&w.app);
	cr_assert_eq(w.app.view_id, VIEW_HEAP);
	cr_assert_eq(v->graph.count, 12);
	cr_assert_str_eq(v->graph.lane[0].space, "G1 regions");
	cr_assert_str_eq(v->graph.lane[0].stream, "Type");
	world_key(&w, "5");
	cr_assert_eq(w.app.view_id, VIEW_HISTORY);
	cr_assert(history_says(&w.app, "history\tG1 regions \xc2\xb7 Type"));
	cr_assert(history_says(&w.app, "12 events"));
	world_event(&w);
	cr_assert_eq(v->graph.count, 13);
	cr_assert_eq(hist_row_at(&v->graph, 12)->pause_ns, -1);
	cr_assert_gt(hist_row_at(&v->graph, 11)->pause_ns, 0);
}

Test(history, nothing_is_lost_when_several_come_at_once, .fini = close_world)
{
	open_live(2);
	for (unsigned i = 0; i < 10; i++) {
		struct gcs_snapshot *s = world_snapshot(w.model, w.last, w.step++);
		gcs_snapshot_unref(w.last);
		w.last = s;
		w.source.queue[(w.source.first + w.source.count++) % WORLD_QUEUE] =
		    gcs_snapshot_ref(s);
	}
	app_poll(&w.app);
	cr_assert_eq(history_of(&w.app)->graph.count, 12);
}

Test(history, choices, .fini = close_world)
{
	open_live(4);
	struct hist_view *v = history_of(&w.app);
	cr_assert(world_run(&w, "history stream+=Used\nhistory space+=Threads\n"));
	cr_assert_eq(v->graph.lanes, 3);
	cr_assert_str_eq(v->graph.lane[1].stream, "Used");
	cr_assert_str_eq(v->graph.lane[2].space, "Threads");
	/* Of a space without the streams that are named, its own. */
	cr_assert_str_eq(v->graph.lane[2].stream, "Allocated");
	/* A choice begins again, with the present. */
	cr_assert_eq(v->graph.count, 1);
	cr_assert(world_run(&w, "history stream-=Type\nhistory space-=Threads\n"));
	cr_assert_eq(v->graph.lanes, 1);
	cr_assert_str_eq(v->graph.lane[0].stream, "Used");
	cr_assert(world_run(&w, "history stream=none\n"));
	cr_assert(v->graph.lane[0].bare);
	cr_assert(history_says(&w.app, "used or unused"));
	cr_assert(world_run(&w, "history space=Card table\nhistory stream=\n"));
	cr_assert_str_eq(v->graph.lane[0].space, "Card table");
	cr_assert_str_eq(v->graph.lane[0].stream, "State");
	cr_assert(world_run(&w, "history space=\n"));
	cr_assert_str_eq(v->graph.lane[0].space, "G1 regions");
	world_key(&w, "N");
	cr_assert_str_eq(v->graph.lane[0].space, "Card table");
	world_key(&w, "P");
	world_key(&w, "]");
	cr_assert_str_eq(v->graph.lane[0].stream, "Used");
	world_key(&w, "[");
	cr_assert_str_eq(v->graph.lane[0].stream, "Type");
}

Test(history, settings, .fini = close_world)
{
	open_live(4);
	struct hist_view *v = history_of(&w.app);
	cr_assert(world_run(&w, "history rows=10\nhistory tile=7\nhistory smooth=5\n"
				"history edges=on\nhistory reduce=mean\nhistory factor=0.5\n"
				"history postfix=MB\nhistory event=GC end\nhistory max=on\n"));
	cr_assert_eq(v->set.rows, 10);
	cr_assert_eq(v->graph.limit, 10);
	cr_assert_eq(v->set.tile, 7);
	cr_assert_eq(hist_window(&v->set), 5);
	cr_assert(v->set.edges && v->graph.newest && v->set.reduce == HIST_MEAN);
	cr_assert_str_eq(v->set.event, "GC end");
	cr_assert(history_refuses(&w, "history rows=9\n", "expected 10 to 10000"));
	cr_assert(history_refuses(&w, "history tile=11\n", "expected 1 to 10"));
	cr_assert(history_refuses(&w, "history tile=2x\n", "expected 1 to 10"));
	cr_assert(history_refuses(&w, "history smooth=4\n", "off, 3, 5, 9"));
	cr_assert(history_refuses(&w, "history edges=maybe\n", "on or off"));
	cr_assert(history_refuses(&w, "history factor=nan\n", "above 0"));
	cr_assert(history_refuses(&w, "history event=Lunch\n", "No event named \"Lunch\""));
	cr_assert(history_refuses(&w, "history space=Lunch\n", "No space named \"Lunch\""));
	cr_assert(history_refuses(&w, "history stream=Lunch\n", "have no stream \"Lunch\""));
	cr_assert(history_refuses(&w, "history postfix=0123456789abcdef\n", "limited to 15 bytes"));
	cr_assert(history_refuses(&w, "history lunch=on\n", "unknown setting"));
	cr_assert(history_refuses(&w, "history edges\n", "expected KEY=VALUE"));
	cr_assert(history_refuses(&w, "history range=3-1\n", "in seconds"));
	cr_assert(world_run(&w, "history event=none\n"));
	cr_assert_str_eq(v->set.event, "");
	/* All of them are in the dump, in the form in which they are given. */
	for (uint32_t i = 0; i < hist_setting_count(); i++)
		cr_assert_not_null(strstr(window_text(&w.app), hist_settings[i].key));
	cr_assert_not_null(strstr(window_text(&w.app), "history\tsmooth=5\n"));
}

/* The panel's controls do what the commands do, by keys alone. */
Test(history, settings_by_keys, .fini = close_world)
{
	open_live(4);
	struct hist_view *v = history_of(&w.app);
	world_key(&w, "1");
	world_key(&w, "Shift+H");
	cr_assert_eq(w.app.view_id, VIEW_HISTORY);
	cr_assert_eq(w.app.ui.focus, UI_ID(PANEL_SIDE, HIST_SIDE));
	world_key(&w, "Enter");
	cr_assert_eq(v->set.rows, 900);
	world_key(&w, "Tab");
	world_key(&w, "Enter");
	world_key(&w, "Enter");
	cr_assert_eq(v->set.rows, 2000);
	for (uint32_t i = 2; i < 2 * hist_setting_count(); i++)
		world_key(&w, "Tab");
	/* The control with the keyboard is in sight. */
	cr_assert_gt(w.app.side_scroll, 0);
	for (int i = 0; i < 100; i++)
		world_key(&w, "Tab");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.ui.focus, 0);
}

Test(history, full_rows_are_joined_and_said, .fini = close_world)
{
	open_live(1);
	cr_assert(world_run(&w, "history rows=10\n"));
	for (int i = 0; i < 30; i++)
		world_event(&w);
	struct hist_view *v = history_of(&w.app);
	cr_assert_eq(v->graph.events, 31);
	cr_assert_eq(v->graph.stride, 4);
	cr_assert(history_says(&w.app, "31 events \xc2\xb7 4 events per row, showing the largest"));
	cr_assert(world_run(&w, "history max=on\n"));
	for (int i = 0; i < 20; i++)
		world_event(&w);
	cr_assert_gt(v->graph.given_up, 0);
	cr_assert(history_says(&w.app, " earlier events omitted"));
}

Test(history, collecting_can_be_stopped, .fini = close_world)
{
	open_live(3);
	cr_assert(world_run(&w, "history collect=off\n"));
	world_event(&w);
	cr_assert_eq(history_of(&w.app)->graph.count, 3);
	cr_assert(history_says(&w.app, "not collecting"));
	cr_assert(world_run(&w, "history collect=on\n"));
	world_event(&w);
	cr_assert_eq(history_of(&w.app)->graph.count, 4);
}

/* Another program, or one that was started again, has another history. */
Test(history, another_server_begins_anew, .fini = close_world)
{
	open_live(5);
	struct hist_view *v = history_of(&w.app);
	field_event(&w, 40, field_noise);
	cr_assert_eq(v->graph.count, 1);
	cr_assert_str_eq(v->graph.lane[0].space, "Field");
	field_event(&w, 40, field_noise);
	field_event(&w, 40, field_noise);
	cr_assert_eq(v->graph.count, 3);
	w.step = 0;
	field_event(&w, 40, field_noise);
	cr_assert_eq(v->graph.count, 1);
	/* The same server after a lost connection goes on. */
	field_event(&w, 40, field_noise);
	app_disconnect(&w.app);
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	field_event(&w, 40, field_noise);
	cr_assert_eq(v->graph.count, 3);
	app_disconnect(&w.app);
	cr_assert(app_connect(&w.app, "127.0.0.1:4000"));
	w.source.state = SOURCE_LIVE;
	field_event(&w, 40, field_noise);
	cr_assert_eq(v->graph.count, 1);
}

Test(history, a_space_is_withdrawn, .fini = close_world)
{
	struct gcs_error err;
	open_live(1);
	struct hist_view *v = history_of(&w.app);
	field_event(&w, 40, field_noise);
	field_event(&w, 40, field_noise);
	struct gcs_model *without = gcs_model_copy(w.model);
	cr_assert_eq(gcs_model_remove_space(without, 0, &err), GCS_OK);
	gcs_model_unref(w.model);
	w.model = without;
	field_event(&w, 0, field_noise);
	world_key(&w, "Down");
	world_key(&w, "Up");
	cr_assert_eq(v->graph.count, 3);
	cr_assert_eq(hist_row_at(&v->graph, 2)->lane[0].tiles, 0);
	cr_assert(history_says(&w.app, "no tile"));
	world_key(&w, "Enter");
}

Test(history, text_of_the_rows_in_sight, .fini = close_world)
{
	open_live(1);
	for (int i = 0; i < 5; i++)
		field_event(&w, 6, field_noise);
	char words[200];
	snprintf(words, sizeof words, "Tick\t3\t0.020000\t1\t2000\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n",
	    (int)(field_noise(0, 2) + field_noise(1, 2) + field_noise(2, 2) + field_noise(3, 2) +
		  field_noise(4, 2) + field_noise(5, 2)),
	    (int)field_noise(0, 2), (int)field_noise(1, 2), (int)field_noise(2, 2),
	    (int)field_noise(3, 2), (int)field_noise(4, 2), (int)field_noise(5, 2));
	cr_assert(history_says(&w.app, words));
	cr_assert(history_says(&w.app,
	    "event\tnumber\tseconds\tevents\tpause ns\ttotal of Field \xc2\xb7 Value\t0\t1\t2"));
}

/* The picture has all rows, whatever is in sight (V8: saved as PNG). */
Test(history, saved_as_a_picture, .fini = close_world)
{
	char folder[] = "/tmp/gcspy-hist-XXXXXX", step[120], path[80];
	cr_assert_not_null(mkdtemp(folder));
	open_live(1);
	for (int i = 0; i < 700; i++)
		field_event(&w, 30, field_noise);
	struct hist_view *v = history_of(&w.app);
	cr_assert(world_run(&w, "history fill=off\n"));
	cr_assert_lt(v->plan.page, 300);
	snprintf(path, sizeof path, "%s/all.png", folder);
	snprintf(step, sizeof step, "history_png %s\n", path);
	cr_assert(world_run(&w, step));
	int width, height;
	uint32_t *px = png_read(path, &width, &height);
	cr_assert_not_null(px);
	cr_assert_eq(width, w.app.rect[PANEL_VIEW].w);
	cr_assert_geq(height, 700 * 2);
	/* The last row of both pictures is the same. */
	const uint32_t *shown =
	    w.app.cv.px + (v->plan.raster.y + v->plan.raster.h - 1) * w.app.cv.w;
	bool found = false;
	for (int y = height - 40; y < height && !found; y++)
		found = memcmp(px + y * width + v->plan.raster.x, shown + v->plan.raster.x,
			    30 * 2 * sizeof *px) == 0;
	cr_assert(found);
	free(px);
	unlink(path);
	snprintf(path, sizeof path, "%s/all.svg", folder);
	snprintf(step, sizeof step, "export_svg %s\n", path);
	cr_assert(world_run(&w, step));
	FILE *f = fopen(path, "r");
	static char text[1 << 23];
	size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
	cr_assert(f != NULL && fclose(f) == 0);
	text[n] = 0;
	cr_assert_not_null(strstr(text, "<title>Field \xc2\xb7 Value</title>"));
	cr_assert_not_null(strstr(text, "700 events"));
	cr_assert_not_null(strstr(text, "</svg>"));
	uint32_t rects = 0;
	for (const char *p = text; (p = strstr(p, "<rect")) != NULL; p++)
		rects++;
	cr_assert(rects > 5000 && rects < 62000, "%u", rects);
	unlink(path);
	cr_assert(history_refuses(&w, "history_png /proc/nowhere/x.png\n", "Cannot save: "));
	rmdir(folder);
}

/* Names and texts of a hostile server. */
Test(history, strange_names, .fini = close_world)
{
	world_open(&w, 960, 640);
	world_live(&w, 1);
	struct gcs_model *m = field_model();
	struct gcs_error err;
	struct gcs_space space = m->spaces[1];
	char name[GCS_MAX_NAME + 1];
	memset(name, 'x', GCS_MAX_NAME);
	memcpy(name, "A\tB\n\xe4\xb8\xad\xd7\xa9=+-", 13);
	name[GCS_MAX_NAME] = 0;
	space.name = name;
	cr_assert_eq(gcs_model_set_space(m, 1, &space, &err), GCS_OK, "%s", err.text);
	gcs_model_unref(w.model);
	w.model = m;
	gcs_snapshot_unref(w.last);
	w.last = NULL;
	w.step = 0;
	world_key(&w, "5");
	field_event(&w, 10, field_noise);
	world_key(&w, "N");
	field_event(&w, 10, field_noise);
	cr_assert_str_eq(history_of(&w.app)->graph.lane[0].space, name);
	cr_assert(history_says(&w.app, "history\tA B "));
	world_key(&w, "Shift+H");
	world_key(&w, "Escape");
	cr_assert_eq(history_of(&w.app)->graph.count, 2);
}
