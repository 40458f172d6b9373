/* The legend of the stream that colours the active space. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "layout.h"
#include "side.h"
#include "tilemap.h"

#define SAMPLE 16 /* pixels of a sample tile at scale 1 */

struct legend {
	struct app *app;
	const struct gcs_space *space;
	const struct gcs_stream *stream;
	uint32_t space_id, stream_id;
	struct tileset set;                 /* its shades and names */
	const struct heap_colours *colours; /* of the space */
};

static void sample_row(const struct legend *l, struct cv_rect *column, unsigned code,
    const char *label, const char *value)
{
	struct ui *ui = &l->app->ui;
	const struct cv_rect box = side_sample(l->app, column, label, value);
	if (ui_paints(ui))
		tileset_sample(ui->cv, &l->set, ui->theme, box, code);
}

/* Labels of the low end, the middle and the high end below the ramp. */
static void ramp_labels(const struct legend *l, char text[3][RAMP_LABEL])
{
	int64_t min = l->stream->min;
	if (l->stream->maximum == GCS_MAX_OF_STREAM) {
		snprintf(text[0], RAMP_LABEL, "0 %%");
		snprintf(text[1], RAMP_LABEL, "50 %%");
		snprintf(text[2], RAMP_LABEL, "100 %%");
		return;
	}
	int64_t max = gcs_snapshot_maximum(l->app->snapshot, l->space_id, l->stream_id, 0);
	for (uint32_t i = 0; i < 3; i++)
		heap_stats_value(text[i], RAMP_LABEL, l->stream,
		    i == 2 ? max : min + (int64_t)(((uint64_t)max - (uint64_t)min) / 2 * i));
}

/* Drops the middle label if it would touch the others, and puts the high one on a line of its
 * own if it would touch the low one. True for two lines. */
static bool fit_labels(struct app *app, int room, char text[3][RAMP_LABEL])
{
	const struct ui *ui = &app->ui;
	int w[3], gap = ui_px(ui, 8);
	for (int i = 0; i < 3; i++)
		w[i] = text_width(ui->fonts->face[FONT_SMALL], text[i]);
	if ((w[0] > w[2] ? w[0] : w[2]) + gap > (room - w[1]) / 2)
		text[1][0] = 0;
	return w[0] + w[2] + gap > room;
}

void side_ramp(struct app *app, struct cv_rect *column, int ramp, char text[3][RAMP_LABEL])
{
	uint32_t shade[256];
	palette_ramp(ramp, app->ui.theme->dark, shade);
	side_ramp_in(app, column, shade, text);
}

void side_ramp_in(
    struct app *app, struct cv_rect *column, const uint32_t *shade, char text[3][RAMP_LABEL])
{
	struct ui *ui = &app->ui;
	struct cv_rect bar = cut_top(column, ui_px(ui, 14));
	struct cv_rect labels = cut_top(column, ui_px(ui, 18));
	struct cv_rect high = labels;
	if (fit_labels(app, bar.w, text))
		high = cut_top(column, ui_px(ui, 16));
	cut_top(column, ui_px(ui, 4));
	if (!ui_paints(ui))
		return;
	for (int x = 0; x < bar.w; x++) {
		int i = bar.w > 1 ? x * (PALETTE_SHADES - 1) / (bar.w - 1) : 0;
		cv_vline(ui->cv, bar.x + x, bar.y, bar.h, shade[i]);
	}
	ui_label(ui, labels, TEXT_LEFT, text[0]);
	ui_label(ui, labels, TEXT_CENTRE, text[1]);
	ui_label(ui, high, TEXT_RIGHT, text[2]);
}

static const char *ramp_detail(const struct legend *l, char *text, size_t size)
{
	if (l->stream->maximum == GCS_MAX_OF_EVENT)
		return "maximum: largest value now";
	if (l->stream->maximum != GCS_MAX_OF_STREAM)
		return "";
	snprintf(text, size, "share of %s", l->space->streams[l->stream->max_stream].name);
	return text;
}

static void names(const struct legend *l, struct cv_rect *column)
{
	uint32_t count = 0;
	const int64_t *counts =
	    gcs_snapshot_summary(l->app->snapshot, l->space_id, l->stream_id, &count);
	for (uint32_t i = 0; i < l->stream->enum_count; i++) {
		char value[48] = "";
		if (counts != NULL && i < count && l->stream->summary == GCS_SUMMARY_COUNTS)
			gcs_format_number(value, sizeof value, counts[i], GCS_DECIMAL);
		bool zero = l->stream->paint == GCS_PAINT_ZERO &&
			    l->stream->min + (int64_t)i == l->stream->zero;
		sample_row(
		    l, column, zero ? LOOK_ZERO : LOOK_ENUM + i, l->stream->enum_names[i], value);
	}
}

static void marks(const struct legend *l, struct cv_rect *column)
{
	struct ui *ui = &l->app->ui;
	const char *unused = *l->space->unused_text != 0 ? l->space->unused_text : "unused";
	char label[300];
	const uint32_t counted = tilecode_counted_by(l->space, l->stream_id);
	const char *also = counted == GCS_NONE ? "" : "not counted, or ";
	if (counted == l->stream_id)
		also = tilecode_any_counted(l->app->snapshot, l->space_id, counted)
			   ? ""
			   : "nothing sampled, or ";
	snprintf(label, sizeof label, "%s%s", also, unused);
	sample_row(l, column, LOOK_UNUSED, label, "");
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	if (!ui_paints(ui))
		return;
	int size = ui_px(ui, SAMPLE);
	int y = row.y + (row.h - size) / 2;
	struct cv_rect half = cut_left(&row, row.w / 2);
	cv_fill(ui->cv, rect_make(half.x + size / 2 - 1, y, ui_px(ui, 2), size),
	    heap_colours_of(l->app, l->colours, COLOUR_SEPARATOR));
	cut_left(&half, ui_px(ui, 24));
	ui_value(ui, half, TEXT_LEFT, "border");
	cv_fill(ui->cv, rect_make(row.x, y + size / 3, size, size / 3),
	    heap_colours_of(l->app, l->colours, COLOUR_LINK));
	cut_left(&row, ui_px(ui, 24));
	ui_value(ui, row, TEXT_LEFT, "linked");
}

/* For an expression: its range, or its error. */
static bool expression(const struct legend *l, struct cv_rect *column)
{
	struct app *app = l->app;
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, l->space_id);
	if (!heap_by_text(p, app, l->space_id))
		return false;
	side_section(app, column, "Legend", p->expr.percent ? "percent" : "expression");
	if (!p->valid) {
		side_paragraph(app, column, FONT_SMALL, app->ui.theme->bad, 0, p->why);
		return true;
	}
	char labels[3][RAMP_LABEL];
	for (int i = 0; i < 3; i++)
		heap_stats_real(labels[i], RAMP_LABEL,
		    p->range.low + (p->range.high / 2 - p->range.low / 2) * i, p->expr.percent);
	side_ramp(app, column, heap_colours_ramp(app, l->space_id), labels);
	if (p->range.low >= 0)
		sample_row(l, column, LOOK_ZERO, "0", "");
	sample_row(l, column, LOOK_UNUSED, "no value, or unused", "");
	return true;
}

void side_legend(struct app *app, struct cv_rect *column)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	if (s == NULL || app->active_space >= app->space_count ||
	    app->stream_of[app->active_space] >= s->stream_count)
		return;
	struct legend l = {.app = app, .space = s, .space_id = app->active_space};
	l.stream_id = app->stream_of[app->active_space];
	l.stream = &s->streams[l.stream_id];
	palette_ramp(heap_colours_ramp(app, l.space_id), app->ui.theme->dark, l.set.shade);
	heap_colours_names(app, l.space_id, l.stream_id, l.set.own.name);
	const struct heap_prefs *prefs = heap_prefs_of(app->views[VIEW_HEAP], app, l.space_id);
	if (prefs == NULL)
		return;
	l.colours = &prefs->colours;
	if (expression(&l, column))
		return;
	char detail[300], text[192], label[256];
	side_section(app, column, "Legend", ramp_detail(&l, detail, sizeof detail));
	if (l.stream->presentation == GCS_ENUM) {
		names(&l, column);
	} else {
		char labels[3][RAMP_LABEL];
		ramp_labels(&l, labels);
		side_ramp(app, column, heap_colours_ramp(app, l.space_id), labels);
		if (l.stream->presentation == GCS_PLUS) {
			heap_stats_value(text, sizeof text, l.stream,
			    gcs_snapshot_maximum(app->snapshot, l.space_id, l.stream_id, 0));
			snprintf(label, sizeof label, "%s or more", text);
			sample_row(&l, column, LOOK_OVER, label, "");
		}
		if (l.stream->paint == GCS_PAINT_ZERO) {
			heap_stats_value(text, sizeof text, l.stream, l.stream->zero);
			sample_row(&l, column, LOOK_ZERO, text, "");
		}
		if (l.stream->error_stream != 0)
			sample_row(&l, column, LOOK_UNCERTAIN + PALETTE_SHADES / 2,
			    "uncertain: less than its error", "");
	}
	if (gcs_space_role(s, GCS_ROLE_CONTROL) != GCS_NONE)
		marks(&l, column);
}
