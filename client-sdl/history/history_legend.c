/* The legend of history graphs: the colours of values, and the highlighted value. Declared in
 * history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"
#include "palette.h"
#include "side.h"
#include "tilecode.h"

/* Values besides those of the ramp. */
static bool number_at(const struct hist_view *v, uint32_t lane, const struct gcs_stream *st,
    uint32_t i, unsigned *look, char *text, size_t size)
{
	char most[RAMP_LABEL];
	bool over = st->presentation == GCS_PLUS, zero = st->paint == GCS_PAINT_ZERO;
	if (over && i == 0) {
		*look = LOOK_OVER;
		hist_number_text(v, lane, st->max, most, sizeof most);
		snprintf(text, size, "%s or more", most);
	} else if (zero && i == over) {
		*look = LOOK_ZERO;
		hist_number_text(v, lane, st->zero, text, size);
	} else {
		return false;
	}
	return true;
}

static bool used_at(const struct hist_view *v, uint32_t lane, uint32_t i, unsigned *look,
    char *text, size_t size, uint32_t *count)
{
	const struct gcs_stream *st = hist_stream(v, lane);
	*count = 0;
	if (v->graph.lane[lane].bare) {
		*count = 1;
		*look = HIST_USED;
		snprintf(text, size, "used");
		return i == 0;
	}
	if (st == NULL)
		return false;
	if (st->presentation != GCS_ENUM) {
		*count = (uint32_t)((st->presentation == GCS_PLUS) + (st->paint == GCS_PAINT_ZERO));
		return number_at(v, lane, st, i, look, text, size);
	}
	*count = st->enum_count;
	if (i >= st->enum_count)
		return false;
	bool zero = st->paint == GCS_PAINT_ZERO && st->min + (int64_t)i == st->zero;
	*look = zero ? LOOK_ZERO : LOOK_ENUM + i;
	snprintf(text, size, "%s", st->enum_names[i]);
	return true;
}

bool hist_value_at(
    const struct hist_view *v, uint32_t lane, uint32_t i, unsigned *look, char *text, size_t size)
{
	const struct gcs_space *s = hist_space(v, lane);
	uint32_t count;
	if (used_at(v, lane, i, look, text, size, &count))
		return true;
	if (i != count || s == NULL || gcs_space_role(s, GCS_ROLE_CONTROL) == GCS_NONE)
		return false;
	*look = LOOK_UNUSED;
	snprintf(text, size, "%s", *s->unused_text != 0 ? s->unused_text : "unused");
	return true;
}

static bool has_value(const struct hist_view *v, uint32_t lane, const char *name, unsigned *look)
{
	char text[GCS_MAX_NAME + RAMP_LABEL];
	for (uint32_t i = 0; hist_value_at(v, lane, i, look, text, sizeof text); i++) {
		if (strcmp(text, name) == 0)
			return true;
	}
	return false;
}

int hist_only_code(const struct hist_view *v, uint32_t lane)
{
	unsigned look;
	if (!v->only.on || v->set.edges || strcmp(v->graph.lane[lane].stream, v->only.stream) != 0)
		return -1;
	return has_value(v, lane, v->only.name, &look) ? (int)look : HIST_NO_CODE;
}

static void show_only(struct hist_view *v, struct app *app, uint32_t lane, const char *name)
{
	struct hist_only *o = &v->only;
	const char *stream = v->graph.lane[lane].stream;
	o->on = !o->on || strcmp(o->name, name) != 0 || strcmp(o->stream, stream) != 0;
	snprintf(o->name, sizeof o->name, "%s", name);
	snprintf(o->stream, sizeof o->stream, "%s", stream);
	hist_dirty(app);
}

bool hist_set_only(struct hist_view *v, struct app *app, const char *name)
{
	unsigned look;
	char all[240] = "", text[GCS_MAX_NAME + RAMP_LABEL];
	for (uint32_t lane = 0; *name != 0 && lane < v->graph.lanes; lane++) {
		if (!has_value(v, lane, name, &look))
			continue;
		v->only.on = false;
		show_only(v, app, lane, name);
		return true;
	}
	if (*name == 0 || strcmp(name, "none") == 0) {
		v->only.on = false;
		hist_dirty(app);
		return true;
	}
	for (uint32_t i = 0; v->graph.lanes > 0 && hist_value_at(v, 0, i, &look, text, sizeof text);
	     i++) {
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%.40s, ", text);
	}
	app_toast(app, "history only=%.60s: expected %snone", name, all);
	return false;
}

/* A value that a click or Enter highlights. */
static void value_row(struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t lane,
    uint32_t id, unsigned look, const char *label)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 20));
	bool alone = v->palette.only[lane] == (int)look, any = v->palette.only[lane] >= 0;
	id = UI_ID(PANEL_SIDE, id);
	hist_spot(v, app, id, row);
	bool clicked = ui_control(ui, id, row);
	ui_tip(ui, id, row, alone ? "Show all values\nKey\tEsc" : "Show only this value");
	if (clicked)
		show_only(v, app, lane, label);
	if (!ui_paints(ui))
		return;
	if (alone || ui->hot == id)
		cv_round(ui->cv, row, ui_px(ui, 4), ui->theme->hover);
	int size = ui_px(ui, 14);
	struct cv_rect all = row, box = cut_left(&row, ui_px(ui, 24));
	box = rect_make(box.x + ui_px(ui, 2), box.y + (box.h - size) / 2, size, size);
	cv_fill(ui->cv, box, hist_palette_colours(&v->palette, lane)[look & LOOK_MASK]);
	if (hist_has_pattern(v->plan.detail, look) && (alone || !any)) {
		cv_push_clip(ui->cv, box);
		hist_paint_pattern(ui->cv, &v->palette, v->plan.detail, box, look);
		cv_pop_clip(ui->cv);
	}
	if (alone)
		ui_label(ui, row, TEXT_RIGHT, "only");
	cut_right(&row, alone ? ui_px(ui, 40) : 0);
	text_in(ui->cv, ui->fonts->face[alone ? FONT_BOLD : FONT_UI], row, TEXT_LEFT,
	    any && !alone ? ui->theme->weak : ui->theme->text, label);
	ui_ring(ui, id, all);
}

static void numbers(struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t lane,
    const struct gcs_stream *st)
{
	char text[3][RAMP_LABEL];
	int64_t half = (int64_t)(((uint64_t)st->max - (uint64_t)st->min) / 2);
	if (st->maximum != GCS_MAX_FIXED) {
		for (int i = 0; i < 3; i++)
			snprintf(text[i], RAMP_LABEL, "%d %%", i * 50);
	} else {
		hist_number_text(v, lane, st->min, text[0], RAMP_LABEL);
		hist_number_text(v, lane, st->min + half, text[1], RAMP_LABEL);
		hist_number_text(v, lane, st->max, text[2], RAMP_LABEL);
	}
	side_ramp_in(app, column, hist_palette_colours(&v->palette, lane), text);
}

static void lane_legend(
    struct hist_view *v, struct app *app, struct cv_rect *column, uint32_t lane, uint32_t *id)
{
	const struct gcs_stream *st = hist_stream(v, lane);
	char text[GCS_MAX_NAME + RAMP_LABEL];
	unsigned look;
	side_section(app, column, "Legend", v->graph.lane[lane].stream);
	if (v->set.edges) {
		char change[3][RAMP_LABEL] = {"less", "unchanged", "more, changed"};
		side_ramp_in(app, column, hist_palette_colours(&v->palette, lane), change);
		return;
	}
	if (st != NULL && st->presentation != GCS_ENUM)
		numbers(v, app, column, lane, st);
	for (uint32_t i = 0; hist_value_at(v, lane, i, &look, text, sizeof text); i++)
		value_row(v, app, column, lane, (*id)++, look, text);
}

/* A legend for each stream shown. */
void hist_legend_run(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	uint32_t id = HIST_VALUES;
	hist_palette_set(v, app);
	for (uint32_t i = 0; i < v->graph.lanes; i++) {
		bool again = v->set.edges && i > 0;
		for (uint32_t j = 0; j < i; j++)
			again =
			    again || strcmp(v->graph.lane[i].stream, v->graph.lane[j].stream) == 0;
		if (!again)
			lane_legend(v, app, column, i, &id);
	}
}
