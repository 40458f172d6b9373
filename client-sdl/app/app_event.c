/* Input: to the dialog, the panel under the pointer, the widget in focus, or the key map. */
#include "app.h"
#include "overlay.h"

#include <string.h>

static bool is_key(const struct ui_event *ev)
{
	return ev->kind == EV_KEY || ev->kind == EV_TEXT;
}

static void run_panel(struct app *app, enum panel_id id, const struct ui_event *ev)
{
	struct ui *ui = &app->ui;
	ui_begin(ui, (int)id, ev);
	struct cv_rect r = app->rect[id];
	switch (id) {
	case PANEL_HEADER:
		header_run(app, r);
		break;
	case PANEL_VIEW:
		if (app_is_at_start(app))
			heap_empty(app, r);
		else
			app->view->event(app->view_self, app, r);
		break;
	case PANEL_SIDE:
		side_run(app, r);
		break;
	case PANEL_TIMELINE:
		timeline_run(app, r);
		break;
	case PANEL_FOOTER:
		footer_run(app, r);
		break;
	case PANEL_MODAL:
	case PANEL_COUNT:
		break;
	}
	if (ui->dirty)
		app_dirty(app, id);
}

static void run_modal(struct app *app, const struct ui_event *ev)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = rect_inset(app->modal_box, ui_px(ui, 16));
	ui_begin(ui, PANEL_MODAL, ev);
	overlay_dialog(app, r);
	if (ui->dirty)
		app_dirty(app, PANEL_MODAL);
	bool outside = ev->kind == EV_DOWN && !rect_has(app->modal_box, ev->x, ev->y);
	if (outside && !ui->used && app->modal != MODAL_NONE) {
		app_close_modal(app);
		ui->used = true;
	}
}

static void run_keymap(struct app *app, const struct ui_event *ev)
{
	struct keystroke stroke;
	if (!key_of_event(ev, &stroke))
		return;
	enum command_id id = command_of_key(stroke);
	/* An open dialog allows only commands that make sense above it. */
	bool allowed = app->modal == MODAL_NONE || id == COMMAND_back || id == COMMAND_next_focus ||
		       id == COMMAND_prev_focus || id == COMMAND_copy || id == COMMAND_quit ||
		       id == COMMAND_export_png || id == COMMAND_export_svg || id == COMMAND_theme;
	/* The key that opened a read-only dialog closes it. */
	bool again = (id == COMMAND_help && app->modal == MODAL_HELP) ||
		     (id == COMMAND_general_info && app->modal == MODAL_INFO) ||
		     (id == COMMAND_summary && app->modal == MODAL_SUMMARY);
	if (again)
		app_close_modal(app);
	else if (id != COMMAND_COUNT && allowed)
		app_command(app, id, NULL);
}

static bool panel_concerned(const struct app *app, enum panel_id id, const struct ui_event *ev)
{
	if (rect_empty(app->rect[id]))
		return false;
	if (is_key(ev))
		return app->ui.focus >> 16 == (uint32_t)id && app->ui.focus != 0;
	if (app->ui.active != 0)
		return app->ui.active >> 16 == (uint32_t)id;
	return rect_has(app->rect[id], ev->x, ev->y);
}

/* The side buttons of a mouse, as in a browser; widgets under the pointer do not get them. */
static bool is_side_button(const struct ui_event *ev)
{
	return (ev->kind == EV_DOWN || ev->kind == EV_UP) &&
	       (ev->button == BUTTON_BACK || ev->button == BUTTON_FORWARD);
}

static void run_side_button(struct app *app, const struct ui_event *ev)
{
	if (ev->kind == EV_DOWN && app->modal == MODAL_NONE && app->ui.active == 0)
		app_command(
		    app, ev->button == BUTTON_BACK ? COMMAND_go_back : COMMAND_go_forward, NULL);
}

static void dirty_of_widget(struct app *app, uint32_t id)
{
	if (id != 0 && id >> 16 < PANEL_COUNT)
		app_dirty(app, (enum panel_id)(id >> 16));
}

void app_event(struct app *app, const struct ui_event *ev)
{
	struct ui *ui = &app->ui;
	uint32_t hot = ui->hot;
	uint32_t focus = ui->focus;
	const uint64_t hovered_ns = app->hover_ns;
	bool shown = ui->focus_shown;
	bool was_in_view = rect_has(app->rect[PANEL_VIEW], ui->mouse_x, ui->mouse_y);
	if (is_side_button(ev)) {
		run_side_button(app, ev);
		return;
	}
	if (!is_key(ev)) {
		ui->mouse_x = ev->x;
		ui->mouse_y = ev->y;
	}
	char first_of_tip = ui->tip[0];
	struct cv_rect tip_at = ui->tip_at;
	if (ev->kind == EV_MOVE || ev->kind == EV_LEAVE || ev->kind == EV_DOWN) {
		if (ui->active == 0 || ev->kind == EV_LEAVE)
			ui->hot = 0;
		ui->tip[0] = 0;
		app->hover_ns = 0;
	}
	if (ev->kind != EV_MOVE && ev->kind != EV_LEAVE)
		view_state_touch(app);
	ui->used = false;
	if (app->modal != MODAL_NONE) {
		run_modal(app, ev);
	} else if (ev->kind == EV_DOWN && ev->button == 3 && ui->active == 0 && !app->at_start) {
		ui->used = menu_open_context(app, true);
	} else {
		for (int i = 0; i < PANEL_MODAL && !ui->used; i++) {
			if (panel_concerned(app, (enum panel_id)i, ev))
				run_panel(app, (enum panel_id)i, ev);
		}
		/* The view drops what the pointer brought up once the pointer is elsewhere. */
		bool outside = !rect_has(app->rect[PANEL_VIEW], ev->x, ev->y) && !is_key(ev);
		if (outside && (was_in_view || app->hovered.space != GCS_NONE)) {
			app->hovered.space = GCS_NONE;
			app_dirty(app, PANEL_VIEW);
		}
	}
	ui->ev = NULL; /* the passes are over */
	if (!ui->used && is_key(ev))
		run_keymap(app, ev);
	if (ev->kind == EV_UP)
		ui->active = 0;
	if (ui->hot != hot) {
		dirty_of_widget(app, hot);
		dirty_of_widget(app, ui->hot);
	}
	if (ui->focus != focus || ui->focus_shown != shown) {
		dirty_of_widget(app, focus);
		dirty_of_widget(app, ui->focus);
	}
	/* One moment under the pointer, shown wherever time is. */
	if (app->hover_ns != hovered_ns) {
		app_dirty(app, PANEL_TIMELINE);
		if (app->view_id == VIEW_OVERVIEW || app->view_id == VIEW_LEAKS)
			app_dirty(app, PANEL_VIEW);
	}
	if (first_of_tip != 0 || ui->tip[0] != 0) {
		if (first_of_tip == 0 || ui->tip[0] == 0 || !rect_same(tip_at, ui->tip_at))
			app_dirty(app, PANEL_MODAL);
	}
	cut_text_event(app, ev);
}
