/* The menu of plugins, and the buttons in the side panel of the heap map. */
#include "plugins_menu.h"

#include "layout.h"
#include "plugins_view.h"
#include "side.h"

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

bool plugins_menu_open(struct app *app)
{
	if (plugins_count(app) == 0) {
		app_toast(app, "This program has no plugins");
		return false;
	}
	menu_begin(app, "Ask");
	plugins_menu_add(app, false);
	return menu_open(app, -1, -1);
}

void plugins_menu_add(struct app *app, bool of_tile)
{
	for (uint32_t i = 0; i < plugins_count(app); i++) {
		const struct gcs_plugin *p = &app_model(app)->plugins[i];
		if (!of_tile || plugins_is_of_tile(p))
			menu_add_plugin(app, i, p->title, p->description);
	}
}

void plugins_menu_choose(struct app *app, uint32_t plugin)
{
	app_close_modal(app);
	if (plugin < plugins_count(app))
		plugins_open(app, plugin);
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
