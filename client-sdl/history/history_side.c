/* The side panel of history graphs: legend, what is shown, settings. Declared in history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"
#include "palette.h"
#include "side.h"
#include "tilecode.h"
#include "tilemap.h"

enum { MOST_NAMES = 10, SPACE_IDS = HIST_SIDE + 100, STREAM_IDS = HIST_SIDE + 200 };

static void sample_row(
    struct hist_view *v, struct app *app, struct cv_rect *column, unsigned look, const char *label)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 20));
	if (!ui_paints(ui))
		return;
	int size = ui_px(ui, 14);
	struct cv_rect box = cut_left(&row, ui_px(ui, 24));
	/* Of small cells the raster shows no frames. */
	if (look == LOOK_ZERO && v->plan.row_px < HIST_FRAME_FROM) {
		cv_fill(ui->cv, rect_make(box.x, box.y + (box.h - size) / 2, size, size),
		    v->look.colour[LOOK_ZERO]);
		ui_value(ui, row, TEXT_LEFT, label);
		return;
	}
	struct tilelook samples = {0};
	memcpy(samples.shade, v->look.colour, sizeof samples.shade);
	tilelook_sample(ui->cv, &samples, ui->theme,
	    rect_make(box.x, box.y + (box.h - size) / 2, size, size), look);
	ui_value(ui, row, TEXT_LEFT, label);
}

static void edges_legend(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	struct cv_rect bar = cut_top(column, ui_px(ui, 14));
	struct cv_rect labels = cut_top(column, ui_px(ui, 18));
	for (int x = 0; ui_paints(ui) && x < bar.w; x++)
		cv_vline(ui->cv, bar.x + x, bar.y, bar.h,
		    v->look.colour[bar.w > 1 ? x * (PALETTE_SHADES - 1) / (bar.w - 1) : 0]);
	ui_label(ui, labels, TEXT_LEFT, "less");
	ui_label(ui, labels, TEXT_CENTRE, "as before");
	ui_label(ui, labels, TEXT_RIGHT, "more, other");
}

static void numbers_legend(struct hist_view *v, struct app *app, struct cv_rect *column,
    uint32_t lane, const struct gcs_stream *st)
{
	char text[3][RAMP_LABEL], words[RAMP_LABEL + 16];
	if (st->maximum != GCS_MAX_FIXED) {
		for (int i = 0; i < 3; i++)
			snprintf(text[i], RAMP_LABEL, "%d %%", i * 50);
	} else {
		int64_t half = (int64_t)(((uint64_t)st->max - (uint64_t)st->min) / 2);
		hist_number_words(v, lane, st->min, text[0], RAMP_LABEL);
		hist_number_words(v, lane, st->min + half, text[1], RAMP_LABEL);
		hist_number_words(v, lane, st->max, text[2], RAMP_LABEL);
	}
	side_ramp(app, column, text);
	if (st->presentation == GCS_PLUS) {
		snprintf(words, sizeof words, "%s or more", text[2]);
		sample_row(v, app, column, LOOK_OVER, words);
	}
	if (st->paint == GCS_PAINT_ZERO) {
		hist_number_words(v, lane, st->zero, words, sizeof words);
		sample_row(v, app, column, LOOK_ZERO, words);
	}
}

static void lane_legend(struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t lane)
{
	const struct gcs_stream *st = hist_stream(v, lane);
	const struct gcs_space *s = hist_space(v, lane);
	side_section(app, column, "Legend", v->graph.lane[lane].stream);
	if (v->set.edges) {
		edges_legend(v, app, column);
		return;
	}
	if (v->graph.lane[lane].bare)
		sample_row(v, app, column, HIST_USED, "used");
	else if (st != NULL && st->presentation == GCS_ENUM)
		for (uint32_t i = 0; i < st->enum_count; i++) {
			bool zero = st->paint == GCS_PAINT_ZERO && st->min + (int64_t)i == st->zero;
			sample_row(
			    v, app, column, zero ? LOOK_ZERO : LOOK_ENUM + i, st->enum_names[i]);
		}
	else if (st != NULL)
		numbers_legend(v, app, column, lane, st);
	if (s != NULL && gcs_space_role(s, GCS_ROLE_CONTROL) != GCS_NONE)
		sample_row(
		    v, app, column, LOOK_UNUSED, *s->unused_text != 0 ? s->unused_text : "unused");
}

/* One legend for each stream that is shown. */
static void run_legends(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	for (uint32_t i = 0; i < v->graph.lanes; i++) {
		bool again = v->set.edges && i > 0;
		for (uint32_t j = 0; j < i; j++)
			again =
			    again || strcmp(v->graph.lane[i].stream, v->graph.lane[j].stream) == 0;
		if (!again)
			lane_legend(v, app, column, i);
	}
}

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

static bool run_name(struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t id,
    const char *key, const char *name, bool on)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	bool now = on;
	if (!ui_toggle(ui, UI_ID(PANEL_SIDE, id), row, name, &now))
		return false;
	char words[GCS_MAX_NAME + 16];
	snprintf(words, sizeof words, "%s%c=%s", key, now ? '+' : '-', name);
	hist_set(v, app, words);
	return true;
}

static void run_more(struct app *app, struct cv_rect *column, uint32_t left, const char *key)
{
	char words[100];
	struct cv_rect row = cut_top(column, left > 0 ? ui_px(&app->ui, 20) : 0);
	snprintf(words, sizeof words, "and %u more: history %s=NAME", left, key);
	if (left > 0)
		ui_label(&app->ui, row, TEXT_LEFT, words);
}

/* What can be in the graph, and what is. */
static void run_choices(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	const struct gcs_model *model = v->graph.model;
	if (model == NULL)
		return;
	uint32_t shown = 0, left = 0;
	side_section(app, column, "Spaces", "side by side");
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		if (s->gone || s->stream_count == 0)
			continue;
		if (shown == MOST_NAMES)
			left++;
		else if (run_name(v, app, column, SPACE_IDS + shown++, "space", s->name,
			     has_lane(v, s->name, NULL)))
			return;
	}
	run_more(app, column, left, "space");
	const struct gcs_space *s = v->graph.lanes > 0 ? hist_space(v, 0) : NULL;
	shown = left = 0;
	side_section(app, column, "Streams", s != NULL ? s->name : "");
	for (uint32_t i = 0; s != NULL && i < s->stream_count; i++) {
		if (s->streams[i].role != GCS_ROLE_DATA)
			continue;
		if (shown == MOST_NAMES)
			left++;
		else if (run_name(v, app, column, STREAM_IDS + shown++, "stream",
			     s->streams[i].name, has_lane(v, NULL, s->streams[i].name)))
			return;
	}
	run_more(app, column, left, "stream");
}

static void run_stepper(struct hist_view *v, struct app *app, struct cv_rect row,
    const struct hist_setting *s, uint32_t id)
{
	struct ui *ui = &app->ui;
	char text[GCS_MAX_NAME + 1];
	bool number = s->kind == SETTING_NUMBER;
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
	/* A number that is being typed may be none for a moment. */
	if (s->kind == SETTING_FACTOR && field->text[0] == 0)
		return;
	snprintf(words, sizeof words, "%s=%s", s->key, field->text);
	hist_set(v, app, words);
	*field = kept;
}

/* A control that gets the keyboard comes into sight. */
static void follow_focus(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	uint32_t first = UI_ID(PANEL_SIDE, HIST_SIDE), focus = ui->focus;
	if (!ui_paints(ui) || focus == v->side_focus)
		return;
	v->side_focus = focus;
	if (focus < first || focus >= first + 2 * hist_setting_count())
		return;
	struct cv_rect panel = app->rect[PANEL_SIDE];
	int h = ui_px(ui, 28), y = column->y + v->settings_at + (int)(focus - first) / 2 * h;
	int by = y < panel.y                 ? y - panel.y
		 : y + h > panel.y + panel.h ? y + h - panel.y - panel.h
					     : 0;
	app->side_scroll += by;
	column->y -= by;
}

static void run_settings(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	side_section(app, column, "Settings", "Shift+H");
	for (uint32_t i = 0; i < hist_setting_count(); i++) {
		const struct hist_setting *s = &hist_settings[i];
		uint32_t id = HIST_SIDE + 2 * i;
		struct cv_rect row = cut_top(column, ui_px(ui, 28));
		row = rect_make(row.x, row.y + ui_px(ui, 2), row.w, row.h - ui_px(ui, 4));
		if (s->kind == SETTING_SWITCH) {
			bool on = *(const bool *)((const char *)&v->set + s->offset);
			if (ui_toggle(ui, UI_ID(PANEL_SIDE, id), row, s->title, &on))
				hist_step(v, app, s, 1);
			continue;
		}
		ui_label(ui, cut_left(&row, row.w * 45 / 100), TEXT_LEFT, s->title);
		bool field = s->kind == SETTING_FACTOR ||
			     (s->kind == SETTING_TEXT && strcmp(s->key, "event") != 0);
		if (field)
			run_field(v, app, row, s, id);
		else
			run_stepper(v, app, row, s, id);
	}
}

void hist_side_run(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	int top;
	follow_focus(v, app, column);
	top = column->y;
	run_legends(v, app, column);
	run_choices(v, app, column);
	v->settings_at = column->y - top + ui_px(&app->ui, 36);
	run_settings(v, app, column);
}

void hist_side_words(struct hist_view *v, struct app *app, struct textbuf *out)
{
	char text[GCS_MAX_NAME + 1];
	(void)app;
	for (uint32_t i = 0; i < hist_setting_count(); i++)
		textbuf_printf(out, "history\t%s=%s\n", hist_settings[i].key,
		    hist_setting_text(&v->set, &hist_settings[i], text, sizeof text));
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
