/* The menu of plugins, and the buttons in the side panel of the heap map. */
#include "plugins_menu.h"

#include "layout.h"
#include "plugins_view.h"
#include "side.h"

enum { PLUGIN_MENU_BAR = 3, PLUGIN_MENU_FIRST = 10, PLUGIN_MENU_ROW = 26 };

uint32_t plugins_count(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	return model != NULL ? model->plugin_count : 0;
}

const char *plugins_title(const struct app *app, uint32_t plugin)
{
	return app_model(app)->plugins[plugin].title;
}

bool plugins_is_of_tile(const struct gcs_plugin *plugin)
{
	for (uint32_t i = 0; i < plugin->parameter_count; i++) {
		const enum gcs_parameter_kind kind = plugin->parameters[i].kind;
		if (kind == GCS_PARAMETER_TILE || kind == GCS_PARAMETER_ADDRESS ||
		    kind == GCS_PARAMETER_SPACE)
			return true;
	}
	return false;
}

bool plugins_menu_open(struct app *app, int x, int y)
{
	if (plugins_count(app) == 0) {
		app_toast(app, "This program has no plugins");
		return false;
	}
	app_open_modal(app, MODAL_PLUGINS);
	if (x >= 0)
		app->modal_at = rect_make(x, y, 1, 1);
	return true;
}

int plugins_menu_height(const struct app *app)
{
	return (int)plugins_count(app) * PLUGIN_MENU_ROW + 32;
}

void plugins_menu_choose(struct app *app, uint32_t plugin)
{
	app_close_modal(app);
	if (plugin < plugins_count(app))
		plugins_open(app, plugin);
}

/* True if the row is to be chosen. */
static bool plugin_menu_key(struct app *app, int rows, int page, int h)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	int to = app->modal_row;
	if (ui->ev == NULL || ui->used || !key_of_event(ui->ev, &stroke))
		return false;
	if (stroke.key == KEY_ENTER || stroke.key == ' ') {
		ui_take(ui);
		return true;
	}
	if (stroke.key == KEY_UP || stroke.key == KEY_DOWN)
		to += stroke.key == KEY_UP ? -1 : 1;
	else if (stroke.key == KEY_HOME || stroke.key == KEY_END)
		to = stroke.key == KEY_HOME ? 0 : rows - 1;
	else
		return false;
	ui_take(ui);
	app->modal_row = clamp_int(to, 0, rows - 1);
	const int top = app->modal_row * h;
	app->modal_scroll = clamp_int(app->modal_scroll, top + h - page, top);
	return false;
}

static void paint_entry(struct app *app, struct cv_rect r, uint32_t i, bool strong)
{
	struct ui *ui = &app->ui;
	const struct gcs_plugin *p = &app_model(app)->plugins[i];
	if (strong)
		cv_round(ui->cv, r, ui_px(ui, 4), ui->theme->hover);
	cut_left(&r, ui_px(ui, 8));
	cut_right(&r, ui_px(ui, 8));
	struct font *font = ui->fonts->face[FONT_UI];
	text_in(ui->cv, font, r, TEXT_LEFT, ui->theme->text, p->title);
	cut_left(&r, text_width(font, p->title) + ui_px(ui, 10));
	if (r.w > ui_px(ui, 40))
		ui_label(ui, r, TEXT_LEFT, p->description);
}

void plugins_menu_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const int rows = (int)plugins_count(app), h = ui_px(ui, PLUGIN_MENU_ROW);
	if (rows == 0) {
		app_close_modal(app);
		return;
	}
	app->modal_row = clamp_int(app->modal_row, 0, rows - 1);
	if (plugin_menu_key(app, rows, r.h, h)) {
		plugins_menu_choose(app, (uint32_t)app->modal_row);
		return;
	}
	struct cv_rect bar = cut_right(&r, rows * h > r.h ? ui_px(ui, 12) : 0);
	ui_scroll_wheel(ui, r, rows * h, r.h, h, &app->modal_scroll);
	ui_scroll_bar(
	    ui, UI_ID(PANEL_MODAL, PLUGIN_MENU_BAR), bar, rows * h, r.h, &app->modal_scroll);
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	for (int i = 0; i < rows && app->modal == MODAL_PLUGINS; i++) {
		const uint32_t id = UI_ID(PANEL_MODAL, PLUGIN_MENU_FIRST + i);
		struct cv_rect line = rect_make(r.x, r.y + i * h - app->modal_scroll, r.w, h);
		if (!rect_meets(line, r))
			continue;
		if (ui_area(ui, id, line))
			plugins_menu_choose(app, (uint32_t)i);
		else if (ui_paints(ui))
			paint_entry(app, line, (uint32_t)i, i == app->modal_row || ui->hot == id);
	}
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
}

void plugins_side(struct app *app, struct cv_rect *column, uint32_t first_id)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = app_model(app);
	struct cv_rect row = rect_make(column->x, column->y, 0, 0);
	bool any = false;
	if (app->selected.space == GCS_NONE || requests_refusal(app) != NULL)
		return;
	for (uint32_t i = 0; i < model->plugin_count; i++) {
		const struct gcs_plugin *p = &model->plugins[i];
		if (!plugins_is_of_tile(p))
			continue;
		const int w = ui_button_width(ui, ICON_NONE, p->title);
		if (!any)
			side_section(app, column, "Ask about this tile", "");
		any = true;
		if (w > row.w) {
			row = cut_top(column, ui_px(ui, 34));
			row.h -= ui_px(ui, 4);
		}
		struct cv_rect button = cut_left(&row, w);
		cut_left(&row, ui_px(ui, 6));
		const uint32_t id = UI_ID(PANEL_SIDE, first_id + i);
		if (ui_button(ui, id, button, ICON_NONE, p->title, 0)) {
			plugins_open(app, i);
			return;
		}
		ui_tip(ui, id, button, p->description);
	}
}
