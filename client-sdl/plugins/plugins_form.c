/* The parameters of a plugin: a field or a button for each. Declared in plugins_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain_tree.h"
#include "layout.h"
#include "plugins_view.h"

enum { FORM_LINE = 34 };

/* The space that a parameter names, or GCS_NONE. */
static uint32_t space_of(const struct app *app, const char *text)
{
	char *end;
	const unsigned long id = strtoul(text, &end, 10);
	const bool ok = *text >= '0' && *text <= '9' && *end == 0 && id < GCS_MAX_SPACES;
	return ok && app_space(app, (uint32_t)id) != NULL ? (uint32_t)id : GCS_NONE;
}

/* The label of a parameter that is chosen with a button; NULL: it is typed. */
static const char *choice_of(
    const struct app *app, const struct gcs_parameter *p, const struct textfield *field)
{
	if (p->kind == GCS_PARAMETER_SPACE) {
		const uint32_t space = space_of(app, field->text);
		return space != GCS_NONE ? app_space(app, space)->name : "choose a space";
	}
	if (p->kind != GCS_PARAMETER_ENUM)
		return NULL;
	return field->text[0] != 0 ? field->text : p->initial != NULL ? p->initial : "choose";
}

/* The next value, cyclically. */
static void turn_choice(
    const struct app *app, const struct gcs_parameter *p, struct textfield *field)
{
	char id[16];
	if (p->kind == GCS_PARAMETER_SPACE) {
		const uint32_t n = app_model(app)->space_count;
		uint32_t at = space_of(app, field->text);
		for (uint32_t i = 0; i < n; i++) {
			at = at == GCS_NONE ? 0 : (at + 1) % n;
			if (app_shows(app, at))
				break;
		}
		snprintf(id, sizeof id, "%u", at);
		textfield_set(field, n > 0 ? id : "");
		return;
	}
	const char *now = field->text[0] != 0 ? field->text : p->initial;
	uint32_t next = 0;
	for (uint32_t i = 0; now != NULL && i < p->enum_count; i++)
		if (strcmp(p->enum_names[i], now) == 0)
			next = (i + 1) % p->enum_count;
	if (p->enum_count > 0)
		textfield_set(field, p->enum_names[next]);
}

/* "max-pause (ms)": a unit that only the description has. */
static const char *label_of(const struct gcs_parameter *p, char *text, size_t size)
{
	const bool ms = strstr(p->description, "in milliseconds") != NULL;
	snprintf(text, size, "%.60s%s", p->name, ms ? " (ms)" : "");
	return text;
}

static int value_width(
    const struct app *app, const struct gcs_parameter *p, const struct textfield *field)
{
	const struct ui *ui = &app->ui;
	const char *choice = choice_of(app, p, field);
	if (choice != NULL)
		return clamp_int(ui_button_width(ui, ICON_NONE, choice), 0, ui_px(ui, 260));
	return ui_px(
	    ui, p->kind == GCS_PARAMETER_TEXT || p->kind == GCS_PARAMETER_ADDRESS ? 180 : 100);
}

/* Places parameter i after the one before; moves to the next line where it has no room. */
static void place_value(const struct app *app, const struct plugin_page *page,
    const struct gcs_parameter *p, uint32_t i, int width, int *x, int *y, struct cv_rect at[2])
{
	const struct ui *ui = &app->ui;
	char name[80];
	const int label =
	    text_width(ui->fonts->face[FONT_SMALL], label_of(p, name, sizeof name)) + ui_px(ui, 6);
	const int value = value_width(app, p, &page->field[i]);
	if (*x > 0 && *x + label + value > width) {
		*x = 0;
		*y += ui_px(ui, FORM_LINE);
	}
	at[0] = rect_make(*x, *y, label, ui_px(ui, FORM_LINE - 6));
	at[1] = rect_make(*x + label, *y, value, ui_px(ui, FORM_LINE - 6));
	if (at[1].x + at[1].w > width)
		at[1].w = width > at[1].x ? width - at[1].x : 0;
	*x += label + value + ui_px(ui, 14);
}

/* The buttons are a line of their own. */
int plugins_form_height(const struct app *app, const struct plugin_page *page, int width)
{
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	struct cv_rect at[2];
	int x = 0, y = 0;
	for (uint32_t i = 0; i < page->fields; i++)
		place_value(app, page, &plugin->parameters[i], i, width, &x, &y, at);
	return (page->fields > 0 ? y + ui_px(&app->ui, FORM_LINE) : 0) + ui_px(&app->ui, FORM_LINE);
}

uint32_t plugins_form_missing(const struct app *app, const struct plugin_page *page)
{
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	for (uint32_t i = 0; i < page->fields; i++)
		if (plugin->parameters[i].initial == NULL && page->field[i].text[0] == 0)
			return i;
	return GCS_NONE;
}

static void run_value(struct app *app, struct plugin_page *page, const struct gcs_parameter *p,
    uint32_t i, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct textfield *field = &page->field[i];
	const uint32_t id = UI_ID(PANEL_VIEW, PLUGINS_FIELD + i);
	const char *choice = choice_of(app, p, field);
	if (choice != NULL) {
		if (ui_button(ui, id, r, ICON_NONE, choice, 0)) {
			turn_choice(app, p, field);
			page->filled = true;
			app_dirty(app, PANEL_VIEW);
		}
	} else if (ui_field(ui, id, r, field, p->initial != NULL ? p->initial : "required")) {
		page->filled = true;
		app_dirty(app, PANEL_VIEW);
	}
	ui_tip(ui, id, r, p->description);
}

static bool is_entered(const struct app *app, const struct plugin_page *page)
{
	const struct ui *ui = &app->ui;
	struct keystroke stroke;
	const uint32_t first = UI_ID(PANEL_VIEW, PLUGINS_FIELD);
	return ui->ev != NULL && !ui->used && ui->focus >= first &&
	       ui->focus < first + page->fields && key_of_event(ui->ev, &stroke) &&
	       stroke.key == KEY_ENTER &&
	       choice_of(app, &plugins_plugin(app, page)->parameters[ui->focus - first],
		   &page->field[ui->focus - first]) == NULL;
}

bool plugins_form_run(struct app *app, struct plugin_page *page, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct gcs_plugin *plugin = plugins_plugin(app, page);
	struct cv_rect at[2];
	int x = 0, y = 0;
	bool asks = is_entered(app, page);
	if (asks)
		ui_take(ui);
	for (uint32_t i = 0; i < page->fields; i++) {
		place_value(app, page, &plugin->parameters[i], i, r.w, &x, &y, at);
		at[0].x += r.x;
		at[1].x += r.x;
		at[0].y += r.y;
		at[1].y += r.y;
		char name[80];
		ui_label(ui, at[0], TEXT_LEFT, label_of(&plugin->parameters[i], name, sizeof name));
		run_value(app, page, &plugin->parameters[i], i, at[1]);
	}
	struct cv_rect line = cut_bottom(&r, ui_px(ui, FORM_LINE));
	line.h = ui_px(ui, FORM_LINE - 6);
	const bool off = requests_refusal(app) != NULL || page->pending;
	const char *label = page->answer.shown ? "Ask again" : "Ask";
	struct cv_rect button = cut_left(&line, ui_button_width(ui, ICON_NONE, label));
	asks = ui_button(ui, UI_ID(PANEL_VIEW, PLUGINS_ASK), button, ICON_NONE, label,
		   off ? BUTTON_OFF : BUTTON_PRIMARY) ||
	       asks;
	ui_tip(ui, UI_ID(PANEL_VIEW, PLUGINS_ASK), button, "Ask the program\nKey\tR, or Enter");
	cut_left(&line, ui_px(ui, 8));
	if (plugins_is_of_tile(plugin)) {
		const char *take = "From selected tile";
		button = cut_left(&line, ui_button_width(ui, ICON_NONE, take));
		if (ui_button(ui, UI_ID(PANEL_VIEW, PLUGINS_TAKE), button, ICON_NONE, take,
			app->selected.space == GCS_NONE ? BUTTON_OFF : 0))
			plugins_fill(app, page);
		cut_left(&line, ui_px(ui, 8));
	}
	if (page->answer.shown && page->answer.grid != NULL && chain_tree_is(page->answer.grid)) {
		const char *graph = "Flame graph";
		button = cut_left(&line, ui_button_width(ui, ICON_NONE, graph));
		if (ui_button(ui, UI_ID(PANEL_VIEW, PLUGINS_FLAME), button, ICON_NONE, graph, 0))
			app_command(app, COMMAND_flame_holders, "on");
		ui_tip(ui, UI_ID(PANEL_VIEW, PLUGINS_FLAME), button,
		    "These chains as a flame graph, what holds most first\nKey\tCtrl+Shift+Y");
		cut_left(&line, ui_px(ui, 8));
	}
	const char *why = requests_refusal(app);
	ui_label(ui, line, TEXT_LEFT,
	    page->pending ? "Asking \xe2\x80\xa6"
	    : why != NULL ? why
			  : page->answer.about);
	return asks && !off;
}
