/* The application operated as a user does, without a window: states, keys, selection, scripts (V1
 * to V7). */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "ui_profile.h"
#include "ui_world.h"

static struct world w;

static void close_world(void)
{
	world_close(&w);
}

static struct cv_rect tile_at(uint32_t space, uint32_t tile)
{
	struct cv_rect r;
	cr_assert(w.app.view->place(w.app.view_self, &w.app, space, tile, &r));
	return r;
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

Test(app, shows_the_newest_and_counts_all, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 1);
	for (int i = 0; i < 5; i++) { /* five arrive between two frames */
		struct gcs_snapshot *s = world_snapshot(w.model, w.last, w.step++);
		gcs_snapshot_unref(w.last);
		w.last = s;
		w.source.queue[(w.source.first + w.source.count++) % WORLD_QUEUE] =
		    gcs_snapshot_ref(s);
	}
	uint64_t frames = w.app.stats.frames;
	app_poll(&w.app);
	app_frame(&w.app);
	cr_assert_eq(w.app.stats.frames, frames + 1);
	cr_assert_eq(w.app.snapshot, w.last);
	cr_assert_eq(w.app.events, 6u);
	cr_assert_eq(w.app.stats.skipped, 4u);
	app_show(&w.app, w.last);
	app_show(&w.app, w.last);
	cr_assert_eq(w.app.stats.skipped, 5u, "replaced before it was painted");
	app_frame(&w.app);
	cr_assert_eq(event_history_overview(&w.app)->count, 6u);
	cr_assert_not(app_frame(&w.app), "nothing is painted when nothing happened");
	cr_assert(world_is_idle(&w), "and nothing wakes us up");
}

Test(app, an_event_repaints_only_the_tiles_that_changed, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 4);
	cr_assert_gt(w.app.stats.tiles, 0u);
	world_event(&w);
	cr_assert_lt(w.app.stats.tiles, 300u, "painted %u of 598 tiles", w.app.stats.tiles);
	gcs_snapshot_unref(w.last);
	w.last = gcs_snapshot_begin(w.model, w.app.snapshot);
	app_show(&w.app, w.last);
	app_frame(&w.app);
	cr_assert_eq(w.app.stats.tiles, 0u);
}

Test(app, hover_shows_at_once_and_click_pins, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 8);
	struct cv_rect r = tile_at(WORLD_REGIONS, 30);
	world_move(&w, r.x + 2, r.y + 2);
	cr_assert(w.app.tip_shown);
	cr_assert_not_null(strstr(w.app.ui.tip, "0x701e00000"), "%s", w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "Type\tOld"), "%s", w.app.ui.tip);
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	world_click(&w, r.x + 2, r.y + 2, 1);
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 30);
	cr_assert(says("tile 0x701e00000"), "%s", text());
	world_move(&w, 5, w.app.cv.h - 5);
	cr_assert_not(w.app.tip_shown);
	cr_assert_eq(w.app.hovered.space, GCS_NONE);
	world_event(&w);
	world_event(&w);
	cr_assert_eq(w.app.selected.tile, 30u, "the selection survives events");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	cr_assert_str_eq(w.app.toast, "Tile deselected");
}

Test(app, tooltip_follows_the_values, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 8);
	struct cv_rect r = tile_at(WORLD_THREADS, 2);
	world_move(&w, r.x + 1, r.y + 1);
	char before[UI_TIP_TEXT];
	memcpy(before, w.app.ui.tip, sizeof before);
	cr_assert_not_null(strstr(before, "worker-2"));
	world_event(&w);
	cr_assert_str_neq(before, w.app.ui.tip);
	cr_assert_not_null(strstr(w.app.ui.tip, "worker-2"));
}

Test(app, arrows_walk_over_tiles_and_spaces, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 3);
	world_key(&w, "Right");
	cr_assert(w.app.selected.space == WORLD_REGIONS && w.app.selected.tile == 0);
	world_key(&w, "Right");
	cr_assert_eq(w.app.selected.tile, 1u);
	world_key(&w, "Left");
	world_key(&w, "Left");
	cr_assert_eq(w.app.selected.tile, 0u);
	world_key(&w, "End");
	cr_assert_eq(w.app.selected.tile, 191u);
	world_key(&w, "Down");
	cr_assert_eq(w.app.selected.space, WORLD_CARDS, "down leads to the next space");
	cr_assert_eq(w.app.active_space, WORLD_CARDS);
	world_key(&w, "Up");
	cr_assert_eq(w.app.selected.space, WORLD_REGIONS);
	world_key(&w, "Home");
	uint32_t first = w.app.selected.tile;
	world_key(&w, "Down");
	world_key(&w, "Up");
	cr_assert_eq(w.app.selected.tile, first);
	world_key(&w, "Escape");
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	world_key(&w, "N");
	world_key(&w, "N");
	cr_assert_eq(w.app.active_space, WORLD_THREADS);
	world_key(&w, "P");
	cr_assert_eq(w.app.active_space, WORLD_CARDS);
}

Test(app, selection_is_dropped_when_the_space_shrinks, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 2);
	cr_assert(world_run(&w, "select G1 regions 150\n"));
	struct gcs_snapshot *s = gcs_snapshot_begin(w.model, w.last);
	cr_assert(gcs_snapshot_resize(s, WORLD_REGIONS, 151));
	app_show(&w.app, s);
	app_frame(&w.app);
	cr_assert_eq(w.app.selected.tile, 150u);
	struct gcs_snapshot *t = gcs_snapshot_begin(w.model, s);
	cr_assert(gcs_snapshot_resize(t, WORLD_REGIONS, 150));
	app_show(&w.app, t);
	app_frame(&w.app);
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	struct gcs_snapshot *none = gcs_snapshot_begin(w.model, t);
	cr_assert(gcs_snapshot_resize(none, WORLD_REGIONS, 0));
	app_show(&w.app, none);
	app_frame(&w.app);
	world_key(&w, "Right");
	world_key(&w, "End");
	cr_assert_eq(w.app.selected.space, GCS_NONE, "a space without tiles has none to select");
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(t);
	gcs_snapshot_unref(none);
}

Test(app, streams_by_key_click_and_name, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 2);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_TYPE);
	world_key(&w, "]");
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_USED);
	world_key(&w, "[");
	world_key(&w, "[");
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_AGE, "system streams are passed over");
	cr_assert(world_run(&w, "stream Live\n"));
	cr_assert(says("stream shown\tLive"));
	cr_assert_not(world_run(&w, "stream Nonsense\n"));
	struct cv_rect side = w.app.rect[PANEL_SIDE];
	world_click(&w, side.x + 60, side.y + 12 + 20 + 4 + 12, 1);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_TYPE, "a click in the list");
	world_event(&w);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_TYPE);
}

Test(app, keyboard_reaches_every_control, .fini = close_world)
{
	world_open(&w, 900, 700);
	world_live(&w, 2);
	world_key(&w, "Tab");
	cr_assert(w.app.ui.focus_shown);
	uint32_t first = w.app.ui.focus;
	bool pause = false, stream = false;
	int n = 0;
	do {
		n++;
		pause = pause || w.app.ui.focus >> 16 == PANEL_FOOTER;
		stream = stream || w.app.ui.focus >> 16 == PANEL_SIDE;
		world_key(&w, "Tab");
	} while (w.app.ui.focus != first && n < 100);
	cr_assert(pause && stream);
	cr_assert_geq(n, 2 + 5 + 5, "two views, five streams and five buttons");
	while (w.app.ui.focus >> 16 != PANEL_SIDE)
		world_key(&w, "Tab");
	world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_eq(
	    w.app.stream_of[WORLD_REGIONS], REGION_USED, "Enter chooses the second stream");
	world_key(&w, "Tab");
	world_key(&w, "Space");
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_LIVE);
	cr_assert_eq(w.source.pauses, 0u, "a key that a control takes is no command as well");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.ui.focus, 0u);
	world_key(&w, "Shift+Tab");
	cr_assert_eq(w.app.ui.focus >> 16, (uint32_t)PANEL_FOOTER);
}

Test(app, pause_resume_step, .fini = close_world)
{
	world_open(&w, 800, 600);
	struct cv_rect footer = w.app.rect[PANEL_FOOTER];
	world_click(&w, footer.x + 30, footer.y + footer.h / 2, 1);
	cr_assert_str_eq(w.app.toast, "", "a button that is off does nothing");
	world_key(&w, "Space");
	cr_assert_str_eq(w.app.toast, "Not connected");
	world_live(&w, 2);
	world_key(&w, "Space");
	cr_assert_eq(w.source.pauses, 1u);
	cr_assert(says("Pausing at the next event"));
	w.source.run = GCS_PAUSED;
	app_poll(&w.app);
	cr_assert(says("Paused"));
	world_key(&w, ".");
	cr_assert_eq(w.source.steps, 1u);
	world_key(&w, "Space");
	cr_assert_eq(w.source.resumes, 1u);
	world_click(&w, footer.x + 30, footer.y + footer.h / 2, 1);
	cr_assert_eq(w.source.pauses, 2u, "the button does the same");
}

Test(app, connect_dialog, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_key(&w, "Ctrl+L");
	cr_assert_eq(w.app.modal, MODAL_CONNECT);
	world_type(&w, "bad");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_CONNECT, "a bad address leaves the dialog open");
	cr_assert_not_null(strstr(w.app.toast, "HOST:PORT is allowed"));
	world_key(&w, "Ctrl+A");
	world_type(&w, "db1:4000");
	world_key(&w, "Tab");
	world_key(&w, "Space");
	world_key(&w, "Tab");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	cr_assert_str_eq(w.source.address, "db1:4000");
	cr_assert(w.source.paused_at_start);
	world_key(&w, "Ctrl+L");
	cr_assert_str_eq(w.app.field.text, "db1:4000", "the last address is offered again");
	world_key(&w, "Escape");
	cr_assert_eq(w.app.modal, MODAL_NONE);
}

Test(app, help_and_information_are_toggled_by_their_keys, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_key(&w, "I");
	cr_assert_eq(w.app.modal, MODAL_NONE, "no information without a server");
	world_live(&w, 2);
	world_key(&w, "I");
	cr_assert_eq(w.app.modal, MODAL_INFO);
	world_key(&w, "Down");
	world_key(&w, "I");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	world_key(&w, "F1");
	cr_assert_eq(w.app.modal, MODAL_HELP);
	world_key(&w, "?");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	struct cv_rect footer = w.app.rect[PANEL_FOOTER];
	world_move(&w, footer.x + 30, footer.y + footer.h / 2);
	cr_assert_not_null(strstr(w.app.ui.tip, "Key\tSpace"), "a button's tooltip names its key");
}

Test(app, command_palette_runs_what_was_typed, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 2);
	world_key(&w, "Ctrl+Shift+P");
	world_type(&w, "theme");
	world_key(&w, "Enter");
	cr_assert_eq(w.app.modal, MODAL_NONE);
	cr_assert_eq(w.app.theme, 1);
	int pitch = tile_at(WORLD_REGIONS, 0).w;
	world_key(&w, "Ctrl+K");
	world_type(&w, "lrgtl"); /* letters of "Larger tiles" */
	world_key(&w, "Enter");
	cr_assert_gt(tile_at(WORLD_REGIONS, 0).w, pitch);
	world_key(&w, "Ctrl+K");
	world_type(&w, "q"); /* a letter in a field is no command */
	cr_assert(w.app.side_shown);
	cr_assert_str_eq(w.app.field.text, "q");
	world_key(&w, "Escape");
	world_key(&w, "q");
	cr_assert_not(w.app.side_shown);
}

Test(app, copies_the_panel_as_text, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 6);
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "space (active)\tG1 regions"), "%s", w.clipboard);
	cr_assert_not_null(strstr(w.clipboard, "group\tJava heap"));
	world_key(&w, "I");
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "Collector\tG1, 4 parallel workers"));
	cr_assert_not_null(strstr(w.clipboard, "GC end: heap after\t41.5 MiB"));
	world_key(&w, "Escape");
	world_move(&w, w.app.rect[PANEL_HEADER].x + 300, 10);
	world_key(&w, "Ctrl+C");
	cr_assert_not_null(strstr(w.clipboard, "heap before\t94 MiB"), "%s", w.clipboard);
}

Test(app, text_of_the_window_says_what_the_picture_shows, .fini = close_world)
{
	world_open(&w, 800, 600);
	cr_assert(says("Not connected"));
	cr_assert(says("no snapshot"));
	world_live(&w, 6);
	cr_assert(says("Current event\tGC end"));
	cr_assert(says("cause\tG1 Evacuation Pause"));
	cr_assert(says("pause\t2.35 ms"));
	cr_assert(says("count of GC start\t3"));
	cr_assert(says("as of an earlier event"), "the card table was not gathered");
	cr_assert(says("32 of 192 regions uncommitted"));
	cr_assert(says("ffff"), "archive regions in the map of letters");
	cr_assert(says("////"), "and uncommitted ones");
}

Test(app, groups_collapse, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 2);
	world_key(&w, "G");
	cr_assert_eq(w.source.collapses, 1u, "the server is told");
	cr_assert(says("Java heap\tcollapsed"));
	cr_assert_not(says("\tCard table\t"));
	world_event(&w);
	cr_assert_not(says("\tCard table\t"));
	w.source.state = SOURCE_LOST;
	app_poll(&w.app);
	w.source.state = SOURCE_LIVE;
	app_poll(&w.app);
	cr_assert_eq(w.source.collapses, 2u, "and told again after a new connection");
	world_key(&w, "G");
	cr_assert(says("\tCard table\t"));
}

Test(app, notices_of_the_server_are_shown, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 1);
	snprintf(w.source.notice, sizeof w.source.notice, "12 snapshots left out");
	w.source.notice_number = 1;
	app_poll(&w.app);
	cr_assert_str_eq(w.app.toast, "Server: 12 snapshots left out");
}

Test(app, another_model_keeps_choices_by_name, .fini = close_world)
{
	world_open(&w, 800, 600);
	world_live(&w, 2);
	cr_assert(world_run(&w, "stream Live\nselect Card table 9\n"));
	struct gcs_model *again = world_model();
	struct gcs_snapshot *s = world_snapshot(again, NULL, 9);
	app_show(&w.app, s);
	app_frame(&w.app);
	cr_assert_eq(w.app.stream_of[WORLD_REGIONS], REGION_LIVE);
	cr_assert(w.app.selected.space == WORLD_CARDS && w.app.selected.tile == 9);
	struct gcs_snapshot *plain = world_plain(7);
	app_show(&w.app, plain);
	app_frame(&w.app);
	cr_assert_eq(w.app.selected.space, GCS_NONE);
	cr_assert_eq(w.app.active_space, 0u);
	cr_assert(says("\tPlain\t7 tiles"));
	gcs_snapshot_unref(plain);
	gcs_snapshot_unref(s);
	gcs_model_unref(again);
}
