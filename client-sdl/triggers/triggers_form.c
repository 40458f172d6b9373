/* The form of a trigger, with completion of its condition. Declared in triggers_view.h. */
#include <gcspy/plugin.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "plugins_menu.h"
#include "triggers_view.h"

enum { TRIGGER_LINE = 34 };

#define CONDITION_ID UI_ID(PANEL_VIEW, TRIGGERS_FIELD)

/* Widgets from left to right, in as many lines as needed. */
struct flow {
	int x, y, width, line;
};

static struct cv_rect flow_next(struct flow *f, int w, int gap)
{
	if (f->x > 0 && f->x + w > f->width) {
		f->x = 0;
		f->y += f->line;
	}
	struct cv_rect r = rect_make(f->x, f->y, w < f->width ? w : f->width, f->line);
	f->x += w + gap;
	return r;
}

static int toggle_width(const struct ui *ui, const char *label)
{
	return text_width(ui->fonts->face[FONT_UI], label) + ui_px(ui, 34);
}

static void plugin_label(const struct triggers_view *view, char *text, size_t size)
{
	snprintf(text, size, "Ask: %.60s", view->plugin[0] != 0 ? view->plugin : "no plugin");
}

void triggers_form_load(struct triggers_view *view, const struct own_trigger *t)
{
	char number[24];
	textfield_set(&view->condition, t->condition);
	textfield_set(&view->name, t->name);
	snprintf(number, sizeof number, "%" PRIu64, t->nth);
	textfield_set(&view->nth, t->nth > 1 ? number : "");
	snprintf(number, sizeof number, "%" PRIu64, t->most);
	textfield_set(&view->most, t->most > 0 ? number : "");
	view->actions = t->actions;
	memcpy(view->plugin, t->plugin, sizeof view->plugin);
}

/* As the command does. */
static void set_from_form(struct triggers_view *view, struct app *app)
{
	char text[600];
	struct own_trigger t = {.on = true, .actions = view->actions};
	snprintf(t.condition, sizeof t.condition, "%s", view->condition.text);
	snprintf(t.name, sizeof t.name, "%.63s", view->name.text);
	memcpy(t.plugin, view->plugin, sizeof t.plugin);
	t.nth = view->nth.text[0] != 0 ? strtoull(view->nth.text, NULL, 10) : 1;
	t.most = strtoull(view->most.text, NULL, 10);
	triggers_set_write(&t, text, sizeof text);
	/* Without a name it gets a free one. */
	const char *from = t.name[0] != 0 ? text : text + strlen("name=");
	if (strchr(t.name, ' ') != NULL)
		app_toast(app, "The name of a trigger is one word");
	else if (triggers_command(app, COMMAND_trigger, from))
		textfield_set(&view->name, view->set.at[view->set.count - 1].name);
}

static void accept(struct triggers_view *view, const struct trigger_suggestion *s)
{
	struct textfield *field = &view->condition;
	field->anchor = s->from < field->cursor ? s->from : field->cursor;
	textfield_insert(field, s->text);
	field->anchor = field->cursor;
	view->suggestion = -1;
}

static uint32_t suggestions(
    const struct triggers_view *view, const struct app *app, struct trigger_suggestion *s)
{
	if (app->ui.focus != CONDITION_ID || app_model(app) == NULL)
		return 0;
	return triggers_complete(app_model(app), view->condition.text, view->condition.cursor, s);
}

/* Arrows choose a suggestion, Enter takes it over; without one Enter sets the trigger. */
static void form_key(
    struct triggers_view *view, struct app *app, const struct trigger_suggestion *s, uint32_t count)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	if (ui->ev == NULL || ui->used || !key_of_event(ui->ev, &stroke) ||
	    ui->ev->kind != EV_KEY || ui->focus < CONDITION_ID || ui->focus > CONDITION_ID + 3)
		return;
	if (stroke.key == KEY_DOWN && view->suggestion + 1 < (int)count)
		view->suggestion++;
	else if (stroke.key == KEY_UP && view->suggestion >= 0)
		view->suggestion--;
	else if (stroke.key == KEY_ENTER && view->suggestion >= 0 && view->suggestion < (int)count)
		accept(view, &s[view->suggestion]);
	else if (stroke.key == KEY_ENTER)
		set_from_form(view, app);
	else
		return;
	ui_take(ui);
}

static void run_suggestions(struct triggers_view *view, struct app *app, struct cv_rect r,
    const struct trigger_suggestion *s, uint32_t count)
{
	struct ui *ui = &app->ui;
	if (count == 0) {
		const char *why = triggers_refusal(app);
		ui_label(ui, r, TEXT_LEFT,
		    why != NULL
			? why
			: "Such as: event = \"GC finish\" and pause > 200ms \xc2\xb7 names are "
			  "completed \xc2\xb7 Enter sets");
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const int w = ui_button_width(ui, ICON_NONE, s[i].text);
		if (w > r.w)
			return;
		struct cv_rect b = cut_left(&r, w);
		cut_left(&r, ui_px(ui, 4));
		b.h -= ui_px(ui, 8);
		if (ui_area(ui, UI_ID(PANEL_VIEW, TRIGGERS_SUGGESTION + i), b)) {
			accept(view, &s[i]);
			ui->focus = CONDITION_ID;
			app_dirty(app, PANEL_VIEW);
			return;
		}
		if (!ui_paints(ui))
			continue;
		const bool chosen = (int)i == view->suggestion;
		cv_round(ui->cv, b, ui_px(ui, 4), chosen ? ui->theme->accent : ui->theme->raised);
		text_in(ui->cv, ui->fonts->face[FONT_UI], b, TEXT_CENTRE,
		    chosen ? ui->theme->on_accent : ui->theme->text, s[i].text);
	}
}

static void run_condition(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const bool off = triggers_refusal(app) != NULL;
	r.h -= ui_px(ui, 6);
	ui_value(ui, cut_left(&r, ui_px(ui, 46)), TEXT_LEFT, "When");
	struct cv_rect button = cut_right(&r, ui_button_width(ui, ICON_NONE, "Set"));
	cut_right(&r, ui_px(ui, 8));
	if (ui_field(ui, CONDITION_ID, r, &view->condition, "condition over an event's attributes"))
		view->suggestion = -1;
	if (ui_button(ui, UI_ID(PANEL_VIEW, TRIGGERS_SET), button, ICON_NONE, "Set",
		off || view->condition.text[0] == 0 ? BUTTON_OFF : BUTTON_PRIMARY))
		set_from_form(view, app);
}

static void action_toggle(struct triggers_view *view, struct app *app, struct flow *f,
    struct cv_rect r, uint32_t id, uint32_t bit, const char *label)
{
	struct ui *ui = &app->ui;
	struct cv_rect b = flow_next(f, toggle_width(ui, label), ui_px(ui, 8));
	bool on = (view->actions & bit) != 0;
	b.x += r.x;
	b.y += r.y;
	b.h -= ui_px(ui, 6);
	if (!ui_toggle(ui, UI_ID(PANEL_VIEW, id), b, label, &on))
		return;
	view->actions ^= bit;
	/* What is kept must not hold the program for a client that has gone. */
	if (on && bit == GCS_TRIGGER_KEEP)
		view->actions &= ~(uint32_t)GCS_TRIGGER_PAUSE;
	if (on && bit == GCS_TRIGGER_PAUSE)
		view->actions &= ~(uint32_t)GCS_TRIGGER_KEEP;
	app_dirty(app, PANEL_VIEW);
}

static void turn_plugin(struct triggers_view *view, const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	uint32_t next = 0;
	for (uint32_t i = 0; model != NULL && i < model->plugin_count; i++)
		if (strcmp(model->plugins[i].name, view->plugin) == 0)
			next = i + 1;
	const bool any = model != NULL && next < model->plugin_count;
	snprintf(view->plugin, sizeof view->plugin, "%.63s", any ? model->plugins[next].name : "");
}

static void labelled_field(struct triggers_view *view, struct app *app, struct flow *f,
    struct cv_rect r, uint32_t id, const char *label, struct textfield *field, const char *hint)
{
	struct ui *ui = &app->ui;
	const int words = text_width(ui->fonts->face[FONT_SMALL], label) + ui_px(ui, 6);
	struct cv_rect b =
	    flow_next(f, words + ui_px(ui, id == TRIGGERS_FIELD_NAME ? 130 : 62), ui_px(ui, 10));
	(void)view;
	b.x += r.x;
	b.y += r.y;
	b.h -= ui_px(ui, 6);
	ui_label(ui, cut_left(&b, words), TEXT_LEFT, label);
	ui_field(ui, UI_ID(PANEL_VIEW, id), b, field, hint);
}

/* Also measures: returns the height used. */
static int run_actions(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct flow f = {.width = r.w, .line = ui_px(ui, TRIGGER_LINE)};
	char label[80];
	action_toggle(view, app, &f, r, TRIGGERS_PAUSE, GCS_TRIGGER_PAUSE, "Pause");
	action_toggle(view, app, &f, r, TRIGGERS_RECORD, GCS_TRIGGER_RECORD, "Save a recording");
	action_toggle(view, app, &f, r, TRIGGERS_KEEP, GCS_TRIGGER_KEEP, "Keep");
	if (plugins_count(app) > 0) {
		plugin_label(view, label, sizeof label);
		struct cv_rect b =
		    flow_next(&f, ui_button_width(ui, ICON_NONE, label), ui_px(ui, 10));
		b.x += r.x;
		b.y += r.y;
		b.h -= ui_px(ui, 6);
		if (ui_button(ui, UI_ID(PANEL_VIEW, TRIGGERS_PLUGIN), b, ICON_NONE, label, 0)) {
			turn_plugin(view, app);
			app_dirty(app, PANEL_VIEW);
		}
	}
	labelled_field(view, app, &f, r, TRIGGERS_FIELD_NTH, "every nth time", &view->nth, "1");
	labelled_field(view, app, &f, r, TRIGGERS_FIELD_MOST, "at most", &view->most, "-");
	labelled_field(view, app, &f, r, TRIGGERS_FIELD_NAME, "name", &view->name, "trigger-1");
	return f.y + f.line;
}

/* The same flow, without widgets. */
static int actions_height(const struct triggers_view *view, const struct app *app, int width)
{
	const struct ui *ui = &app->ui;
	struct font *small = ui->fonts->face[FONT_SMALL];
	struct flow f = {.width = width, .line = ui_px(ui, TRIGGER_LINE)};
	char label[80];
	flow_next(&f, toggle_width(ui, "Pause"), ui_px(ui, 8));
	flow_next(&f, toggle_width(ui, "Save a recording"), ui_px(ui, 8));
	flow_next(&f, toggle_width(ui, "Keep"), ui_px(ui, 8));
	plugin_label(view, label, sizeof label);
	if (plugins_count(app) > 0)
		flow_next(&f, ui_button_width(ui, ICON_NONE, label), ui_px(ui, 10));
	flow_next(&f, text_width(small, "every nth time") + ui_px(ui, 68), ui_px(ui, 10));
	flow_next(&f, text_width(small, "at most") + ui_px(ui, 68), ui_px(ui, 10));
	flow_next(&f, text_width(small, "name") + ui_px(ui, 136), ui_px(ui, 10));
	return f.y + f.line;
}

int triggers_form_height(const struct triggers_view *view, const struct app *app, int width)
{
	return 2 * ui_px(&app->ui, TRIGGER_LINE) + actions_height(view, app, width);
}

void triggers_form_run(struct triggers_view *view, struct app *app, struct cv_rect r)
{
	struct trigger_suggestion s[TRIGGERS_SUGGESTIONS];
	const uint32_t count = suggestions(view, app, s);
	const int line = ui_px(&app->ui, TRIGGER_LINE);
	if (view->suggestion >= (int)count)
		view->suggestion = -1;
	struct cv_rect first = cut_top(&r, line), second = cut_top(&r, line);
	form_key(view, app, s, count);
	run_suggestions(view, app, second, s, count);
	run_condition(view, app, first);
	run_actions(view, app, r);
}

/* The least height of everything: at least a row in each table. */
static int least_height(
    const struct triggers_view *view, const struct app *app, int width, int fired, int table)
{
	const struct ui *ui = &app->ui;
	return ui_px(ui, 6 + TRIGGER_LINE + 26 + 26) + triggers_form_height(view, app, width) +
	       fired + table + table_row_height(ui);
}

struct triggers_places triggers_places_of(
    const struct triggers_view *view, const struct app *app, struct cv_rect r)
{
	const struct ui *ui = &app->ui;
	const int row = table_row_height(ui), line = ui_px(ui, TRIGGER_LINE);
	const int fired = gcs_snapshot_fired_count(app->snapshot) > 0 ? line : 0;
	const int rows = view->rows > 0 ? (int)view->rows : 1;
	const int all = ui_px(ui, 28) + rows * row,
		  few = ui_px(ui, 28) + (rows < 2 ? rows : 2) * row;
	const int margins = 2 * ui_px(ui, 12);
	struct triggers_places p = {.content = r.h};
	if (least_height(view, app, r.w - margins, fired, few) > r.h) {
		p.bar = cut_right(&r, ui_px(ui, 12));
		p.content = least_height(view, app, r.w - margins, fired, few);
		r.y -= clamp_int(view->scroll, 0, p.content - r.h);
		r.h = p.content;
	}
	struct cv_rect inner = rect_make(r.x + margins / 2, r.y, r.w - margins, r.h);
	cut_top(&inner, ui_px(ui, 6));
	p.form = cut_top(&inner, triggers_form_height(view, app, inner.w));
	p.buttons = cut_top(&inner, line);
	p.buttons.h -= ui_px(ui, 6);
	const int half = inner.h / 2;
	p.table = cut_top(&inner, clamp_int(all, few, half > few ? half : few));
	p.title = cut_top(&inner, ui_px(ui, 26));
	p.fired = cut_top(&inner, fired);
	p.fired.h -= fired > 0 ? ui_px(ui, 6) : 0;
	p.list = rect_make(r.x, inner.y, r.w, inner.h);
	p.table.x = r.x;
	p.table.w = r.w;
	return p;
}
