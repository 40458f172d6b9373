/* Layout, scale and painting of the application's window. */
#include "app.h"

#include <stdio.h>
#include <string.h>

#include "browser.h"
#include "layout.h"
#include "now.h"
#include "overlay.h"

void app_dirty(struct app *app, enum panel_id panel)
{
	app->dirty[panel] = true;
}

void app_dirty_all(struct app *app)
{
	for (int i = 0; i < PANEL_COUNT; i++)
		app->dirty[i] = true;
	app->view_all = true;
}

/* In a narrow window the side panel gives way to the view. */
enum { SIDE_LEAST_WINDOW = 360, SIDE_LEAST = 200 };

void app_layout(struct app *app)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = rect_make(0, 0, app->cv.w, app->cv.h);
	app->rect[PANEL_HEADER] = cut_top(&r, tabs_height(app) + ui_px(ui, 45));
	app->rect[PANEL_FOOTER] = cut_bottom(&r, ui_px(ui, 40));
	bool graph = app->replay.on || app->cv.h >= ui_px(ui, 700);
	int high = app->cv.h >= ui_px(ui, 560) ? 130 : 96;
	int timeline = app->cv.h < ui_px(ui, 400) ? 32 : graph ? high : 64;
	app->rect[PANEL_TIMELINE] = cut_bottom(&r, app->at_start ? 0 : ui_px(ui, timeline));
	/* The user's choice is kept while the window is too narrow for it. */
	const int room = r.w - ui_px(ui, app->view->least_width), least = ui_px(ui, SIDE_LEAST);
	int width = clamp_int(app->side_width, least, r.w / 2);
	if (width > room) /* it shrinks before the view does */
		width = room > least ? room : width < least ? width : least;
	bool side = app->side_shown && !app->at_start && r.w >= ui_px(ui, SIDE_LEAST_WINDOW) &&
		    (app->range.on || app->view->has_side(app->view_self, app));
	app->rect[PANEL_SIDE] = cut_right(&r, side ? width : 0);
	app->rect[PANEL_VIEW] = r;
	app->rect[PANEL_MODAL] = rect_make(0, 0, app->cv.w, app->cv.h);
	app_dirty_all(app);
}

void app_resize(struct app *app, int width, int height)
{
	if ((width == app->cv.w && height == app->cv.h) || !cv_resize(&app->cv, width, height))
		return;
	app->layer_modal.on = app->layer_tip.on = app->layer_toast.on = app->layer_stats.on = false;
	app_layout(app);
}

bool app_set_scale(struct app *app, int scale)
{
	scale = clamp_int(scale, 50, 300);
	if (scale == app->scale)
		return true;
	struct fonts fonts;
	if (!app->make_fonts(&fonts, scale))
		return false;
	fonts_fini(&app->fonts);
	app->fonts = fonts;
	app->side_width = app->side_width * scale / app->scale;
	app->scale = app->ui.scale = scale;
	app_layout(app);
	return true;
}

typedef void panel_function(struct app *app, struct cv_rect r);

static panel_function *const panels[PANEL_COUNT] = {
    [PANEL_HEADER] = header_run,
    [PANEL_SIDE] = side_run,
    [PANEL_TIMELINE] = timeline_run,
    [PANEL_FOOTER] = footer_run,
};

static void paint_panel(struct app *app, enum panel_id id)
{
	struct cv_rect r = app->rect[id];
	app->dirty[id] = false;
	if (rect_empty(r))
		return;
	ui_begin(&app->ui, (int)id, NULL);
	cv_push_clip(&app->cv, r);
	if (id == PANEL_VIEW && app_is_at_start(app)) {
		cv_fill(&app->cv, r, app->ui.theme->ground);
		cv_touch(&app->cv, r);
		heap_empty(app, r);
	} else if (id == PANEL_VIEW) {
		bool all = app->view_all;
		app->view_all = false;
		app->view->draw(app->view_self, app, r, all);
	} else {
		cv_fill(&app->cv, r, app->ui.theme->panel);
		panels[id](app, r);
		cv_touch(&app->cv, r);
	}
	cv_pop_clip(&app->cv);
}

/* True if all is to be painted at a point. */
static bool paints_whole(const struct app *app, int x, int y)
{
	for (int i = 0; i < PANEL_MODAL; i++) {
		if (app->dirty[i] && rect_has(app->rect[i], x, y))
			return i != PANEL_VIEW || app->view_all;
	}
	return false;
}

static void paint(struct app *app)
{
	layer_restore(&app->layer_stats, &app->cv);
	layer_restore(&app->layer_toast, &app->cv);
	layer_restore(&app->layer_tip, &app->cv);
	layer_restore(&app->layer_modal, &app->cv);
	const bool modal = app->modal != MODAL_NONE;
	const bool whole = modal || paints_whole(app, app->ui.mouse_x, app->ui.mouse_y);
	if (!modal)
		cut_text_begin(app);
	for (int i = 0; i < PANEL_MODAL; i++) {
		if (app->dirty[i])
			paint_panel(app, (enum panel_id)i);
	}
	app->dirty[PANEL_MODAL] = false;
	if (modal)
		cut_text_begin(app);
	overlay_modal(app);
	cut_text_end(app, whole);
	overlay_tip(app);
	overlay_toast(app);
	overlay_stats(app);
}

bool app_frame(struct app *app)
{
	bool any = false;
	for (int i = 0; i < PANEL_COUNT; i++)
		any = any || app->dirty[i];
	if (!any || app->view_state.running)
		return false;
	const uint64_t header = toolbar_state(app) ^ chips_state(app) << 8;
	app->dirty[PANEL_HEADER] = app->dirty[PANEL_HEADER] || header != app->header_of;
	app->header_of = header;
	nav_note(app);
	const uint64_t start = now_ns();
	/* A button's command may need a frame in the middle of the event's pass, which goes on. */
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	const bool used = ui->used, changed = ui->dirty;
	const int panel = ui->panel;
	paint(app);
	ui->ev = ev;
	ui->used = used;
	ui->dirty = changed;
	ui->panel = panel;
	app->stats.frames++;
	app->stats.pending = false;
	app->stats.paint_us = (uint32_t)((now_ns() - start) / 1000);
	if (app->stats.paint_us > app->stats.paint_worst_us)
		app->stats.paint_worst_us = app->stats.paint_us;
	return true;
}

int app_wait_ms(const struct app *app)
{
	uint64_t due = UINT64_MAX;
	if (app->toast[0] != 0)
		due = app->toast_until_ms;
	if (app->retry_at_ms != 0 && app->retry_at_ms < due)
		due = app->retry_at_ms;
	if (app->pending_connection.retry_at_ms != 0 && app->pending_connection.retry_at_ms < due)
		due = app->pending_connection.retry_at_ms;
	const uint64_t silent = app_silent_due_ms(app);
	due = silent < due ? silent : due;
	uint64_t view = app_view_due_ms(app);
	due = view < due ? view : due;
	const uint64_t local = local_jvms_due_ms(app);
	due = local < due ? local : due;
	const uint64_t folder = browser_due_ms(app);
	due = folder < due ? folder : due;
	uint64_t watch = profiles_watch_due_ms(app);
	due = watch < due ? watch : due;
	uint64_t state = view_state_due_ms(app), stats = stats_due_ms(app);
	due = state < due ? state : due;
	due = stats < due ? stats : due;
	const uint64_t cut = cut_text_due_ms(app);
	due = cut < due ? cut : due;
	uint64_t history = event_history_due_ms(app);
	due = history < due ? history : due;
	uint64_t replay = replay_due_ms(app);
	due = replay < due ? replay : due;
	if (due == UINT64_MAX)
		return -1;
	return due > app->now_ms ? (int)(due - app->now_ms) : 0;
}

void app_tick(struct app *app)
{
	if (app->toast[0] != 0 && app->now_ms >= app->toast_until_ms) {
		app->toast[0] = 0;
		app_dirty(app, PANEL_MODAL);
	}
	if (app->retry_at_ms != 0 && app->now_ms >= app->retry_at_ms) {
		app->retry_at_ms = 0;
		char address[sizeof app->address];
		memcpy(address, app->address, sizeof address);
		/* A detached agent may be attached again to the same process. */
		if (!app_connect(app, address))
			app_retry_later(app);
	}
	if (app->silent_ms != app_silent_ms(app)) {
		app->silent_ms = app_silent_ms(app);
		app_dirty(app, PANEL_FOOTER);
	}
	pending_connection_tick(app);
	local_jvms_tick(app);
	browser_tick(app);
	replay_tick(app);
	event_history_tick(app);
	app_tick_view(app);
	profiles_watch_tick(app);
	view_state_tick(app);
	stats_tick(app);
	cut_text_tick(app);
}
