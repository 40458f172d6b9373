/* The side panel of history graphs: spaces, streams, settings. Declared in history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"
#include "side.h"

enum { MOST_NAMES = 10 };

static bool has_lane(const struct hist_view *v, const char *space, const char *stream)
{
	for (uint32_t i = 0; i < v->graph.lanes; i++) {
		const struct hist_lane *l = &v->graph.lane[i];
		if ((space == NULL || strcmp(l->space, space) == 0) &&
		    (stream == NULL || (!l->bare && strcmp(l->stream, stream) == 0)))
			return true;
	}
	return false;
}

/* Applied after the last control: the lists are built from the present state. */
#define CHANGE (GCS_MAX_NAME + 16)

static void run_name(struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t id,
    const char *key, const char *name, bool on, char change[CHANGE])
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	bool now = on;
	hist_spot(v, app, UI_ID(PANEL_SIDE, id), row);
	if (ui_toggle(ui, UI_ID(PANEL_SIDE, id), row, name, &now))
		snprintf(change, CHANGE, "%s%c=%s", key, now ? '+' : '-', name);
}

/* Long lists are folded. */
static void run_more(
    struct hist_view *v, struct app *app, struct cv_rect *column, int list, uint32_t count)
{
	struct ui *ui = &app->ui;
	char words[40];
	if (count <= MOST_NAMES)
		return;
	uint32_t id = UI_ID(PANEL_SIDE, HIST_MORE + list);
	struct cv_rect row = cut_top(column, ui_px(ui, 28));
	snprintf(
	    words, sizeof words, v->unfolded[list] ? "Show fewer" : "%u more", count - MOST_NAMES);
	row.w = ui_button_width(ui, ICON_NONE, words);
	row = rect_make(row.x, row.y + ui_px(ui, 2), row.w, row.h - ui_px(ui, 4));
	hist_spot(v, app, id, row);
	if (!ui_button(ui, id, row, ICON_NONE, words, 0))
		return;
	v->unfolded[list] = !v->unfolded[list];
	app_dirty(app, PANEL_SIDE);
}

/* Folded, unless it is in the graph. */
static bool folded(const struct hist_view *v, int list, uint32_t i, bool on)
{
	return i >= MOST_NAMES && !v->unfolded[list] && !on;
}

static void run_spaces(
    struct hist_view *v, struct app *app, struct cv_rect *column, char change[CHANGE])
{
	const struct gcs_model *model = v->graph.model;
	uint32_t n = 0;
	side_section(app, column, "Spaces", "side by side");
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		if (s->gone || s->stream_count == 0)
			continue;
		bool on = has_lane(v, s->name, NULL);
		if (!folded(v, 0, n, on))
			run_name(
			    v, app, column, HIST_SPACE_NAMES + i, "space", s->name, on, change);
		n++;
	}
	run_more(v, app, column, 0, n);
}

static void run_streams(
    struct hist_view *v, struct app *app, struct cv_rect *column, char change[CHANGE])
{
	const struct gcs_space *s = v->graph.lanes > 0 ? hist_space(v, 0) : NULL;
	uint32_t n = 0;
	side_section(app, column, "Streams", s != NULL ? s->name : "");
	for (uint32_t i = 0; s != NULL && i < s->stream_count; i++) {
		if (s->streams[i].role != GCS_ROLE_DATA)
			continue;
		const char *name = s->streams[i].name;
		bool on = has_lane(v, NULL, name);
		if (!folded(v, 1, n, on))
			run_name(v, app, column, HIST_STREAM_NAMES + i, "stream", name, on, change);
		n++;
	}
	run_more(v, app, column, 1, n);
}

static void run_stepper(struct hist_view *v, struct app *app, struct cv_rect row,
    const struct hist_setting *s, uint32_t id)
{
	struct ui *ui = &app->ui;
	char text[GCS_MAX_NAME + 1];
	bool number = s->kind == SETTING_NUMBER || s->kind == SETTING_FONT;
	struct cv_rect less = cut_left(&row, ui_px(ui, 24));
	struct cv_rect more = cut_right(&row, ui_px(ui, 24));
	if (ui_button(ui, UI_ID(PANEL_SIDE, id), less, ICON_NONE, number ? "-" : "<", 0))
		hist_step(v, app, s, -1);
	if (ui_button(ui, UI_ID(PANEL_SIDE, id + 1), more, ICON_NONE, number ? "+" : ">", 0))
		hist_step(v, app, s, 1);
	hist_setting_text(&v->set, s, text, sizeof text);
	ui_value(ui, rect_inset(row, ui_px(ui, 2)), TEXT_CENTRE, text[0] != 0 ? text : "none");
}

static void run_field(struct hist_view *v, struct app *app, struct cv_rect row,
    const struct hist_setting *s, uint32_t id)
{
	struct textfield *field = s->kind == SETTING_FACTOR       ? &v->factor
				  : strcmp(s->key, "prefix") == 0 ? &v->prefix
								  : &v->postfix;
	if (!ui_field(&app->ui, UI_ID(PANEL_SIDE, id), row, field, ""))
		return;
	char words[320];
	struct textfield kept = *field;
	/* A number being typed may be incomplete. */
	if (s->kind == SETTING_FACTOR && field->text[0] == 0)
		return;
	snprintf(words, sizeof words, "%s=%s", s->key, field->text);
	hist_set(v, app, words);
	*field = kept;
}

/* A swatch that cycles through named colours, and a field for any other. */
static void run_colour(struct hist_view *v, struct app *app, struct cv_rect row,
    const struct hist_setting *s, uint32_t id)
{
	struct ui *ui = &app->ui;
	int *at = (int *)((char *)&v->set + s->offset);
	struct textfield *field = &v->colour[at - v->set.colour];
	struct cv_rect swatch = cut_left(&row, ui_px(ui, 26));
	cut_left(&row, ui_px(ui, 4));
	struct cv_rect box = rect_inset(swatch, ui_px(ui, 4));
	if (ui_control(ui, UI_ID(PANEL_SIDE, id), swatch)) {
		hist_step(v, app, s, 1);
		return;
	}
	if (ui_paints(ui)) {
		if (*at == HIST_OF_THEME)
			cv_hatch(ui->cv, box, 4, ui->theme->weak);
		else
			cv_fill(ui->cv, box, (uint32_t)*at);
		cv_frame(ui->cv, box, ui_px(ui, 1), ui->theme->text);
		ui_ring(ui, UI_ID(PANEL_SIDE, id), swatch);
	}
	int colour;
	bool edited = ui_field(ui, UI_ID(PANEL_SIDE, id + 1), row, field, "theme");
	/* A colour being typed may be incomplete. */
	if (!edited || !hist_colour_parse(field->text, &colour))
		return;
	struct textfield kept = *field;
	*at = colour;
	hist_changed(v, app, s);
	*field = kept;
}

/* Enter in a colour field reports an error. */
static void check_colour(
    struct hist_view *v, struct app *app, const struct hist_setting *s, uint32_t id)
{
	struct ui *ui = &app->ui;
	struct keystroke stroke;
	char words[320];
	const int *at = (const int *)((const char *)&v->set + s->offset);
	if (ui_paints(ui) || ui->used || ui->focus != UI_ID(PANEL_SIDE, id + 1) ||
	    !key_of_event(ui->ev, &stroke) || stroke.key != KEY_ENTER)
		return;
	snprintf(words, sizeof words, "%s=%s", s->key, v->colour[at - v->set.colour].text);
	hist_set(v, app, words);
	ui_take(ui);
}

/* False if the text in a field is not a colour. */
static bool is_valid(const struct hist_view *v, const struct hist_setting *s)
{
	int colour;
	const int *at = (const int *)((const char *)&v->set + s->offset);
	return s->kind != SETTING_COLOUR ||
	       hist_colour_parse(v->colour[at - v->set.colour].text, &colour);
}

void hist_spot(struct hist_view *v, struct app *app, uint32_t id, struct cv_rect r)
{
	if (!ui_paints(&app->ui) || v->spots == UI_FOCUS_ITEMS)
		return;
	v->spot[v->spots++] =
	    (struct hist_spot){id, r.y - app->rect[PANEL_SIDE].y + app->side_scroll, r.h};
}

/* Scrolls a newly focused control into view. */
static void follow_focus(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	uint32_t focus = ui->focus;
	if (!ui_paints(ui) || focus == v->side_focus)
		return;
	v->side_focus = focus;
	for (uint32_t i = 0; i < v->spots; i++) {
		if (v->spot[i].id != focus)
			continue;
		int y = v->spot[i].y - app->side_scroll;
		int below = y + v->spot[i].h - app->rect[PANEL_SIDE].h;
		int by = y < 0 ? y : below > 0 ? below : 0;
		app->side_scroll += by;
		column->y -= by;
	}
}

static void run_setting(struct hist_view *v, struct app *app, struct cv_rect row, uint32_t i)
{
	struct ui *ui = &app->ui;
	const struct hist_setting *s = &hist_settings[i];
	uint32_t id = HIST_SIDE + 2 * i;
	hist_spot(v, app, UI_ID(PANEL_SIDE, id), row);
	hist_spot(v, app, UI_ID(PANEL_SIDE, id + 1), row);
	if (s->kind == SETTING_SWITCH) {
		bool on = *(const bool *)((const char *)&v->set + s->offset);
		if (ui_toggle(ui, UI_ID(PANEL_SIDE, id), row, s->title, &on))
			hist_step(v, app, s, 1);
		return;
	}
	struct cv_rect label = cut_left(&row, row.w * 45 / 100);
	if (is_valid(v, s))
		ui_label(ui, label, TEXT_LEFT, s->title);
	else if (ui_paints(ui))
		text_in(ui->cv, ui->fonts->face[FONT_SMALL], label, TEXT_LEFT, ui->theme->bad,
		    "#rrggbb or name");
	if (s->kind == SETTING_COLOUR) {
		run_colour(v, app, row, s, id);
		check_colour(v, app, s, id);
	} else if (s->kind == SETTING_FACTOR ||
		   (s->kind == SETTING_TEXT && strcmp(s->key, "event") != 0)) {
		run_field(v, app, row, s, id);
	} else {
		run_stepper(v, app, row, s, id);
	}
}

static void run_settings(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	side_section(app, column, "Settings", "Shift+H");
	for (uint32_t i = 0; i < hist_setting_count(); i++) {
		bool first = hist_settings[i].kind == SETTING_COLOUR &&
			     hist_settings[i - 1].kind != SETTING_COLOUR;
		if (first)
			side_section(app, column, "Colours", "name or #rrggbb");
		struct cv_rect row = cut_top(column, ui_px(ui, 28));
		run_setting(
		    v, app, rect_make(row.x, row.y + ui_px(ui, 2), row.w, row.h - ui_px(ui, 4)), i);
	}
	cut_top(column, ui_px(ui, 6));
	struct cv_rect row = cut_top(column, ui_px(ui, 28));
	row.w = ui_button_width(ui, ICON_NONE, "Defaults");
	hist_spot(v, app, UI_ID(PANEL_SIDE, HIST_DEFAULTS), row);
	if (ui_button(ui, UI_ID(PANEL_SIDE, HIST_DEFAULTS), row, ICON_NONE, "Defaults", 0))
		hist_defaults(v, app);
}

void hist_side_run(void *self, struct app *app, struct cv_rect *column)
{
	struct hist_view *v = self;
	int top;
	char change[CHANGE] = "";
	follow_focus(v, app, column);
	v->spots = ui_paints(&app->ui) ? 0 : v->spots;
	top = column->y;
	hist_find_run(v, app, column);
	hist_legend_run(v, app, column);
	if (v->graph.model != NULL) {
		run_spaces(v, app, column, change);
		run_streams(v, app, column, change);
	}
	v->settings_at = column->y - top + ui_px(&app->ui, 36);
	run_settings(v, app, column);
	if (change[0] != 0)
		hist_set(v, app, change);
}

void hist_side_text(void *self, struct app *app, struct textbuf *out)
{
	struct hist_view *v = self;
	char text[GCS_MAX_NAME + 1];
	(void)app;
	for (uint32_t i = 0; i < hist_setting_count(); i++)
		textbuf_printf(out, "history\t%s=%s\n", hist_settings[i].key,
		    hist_setting_text(&v->set, &hist_settings[i], text, sizeof text));
	textbuf_printf(out, "history\tonly=%s\n", v->only.on ? v->only.name : "none");
}

void hist_open_settings(struct hist_view *v, struct app *app)
{
	app_set_view(app, VIEW_HISTORY);
	app->side_shown = true;
	app_layout(app);
	app_frame(app);
	v->side_focus = 0;
	app->ui.focus = UI_ID(PANEL_SIDE, HIST_SIDE);
	app->ui.focus_shown = true;
	app->side_scroll = v->settings_at - ui_px(&app->ui, 36);
	app_dirty(app, PANEL_SIDE);
}
