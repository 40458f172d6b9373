/* Bars: a column per tile, in tile order; the histogram of 2002. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "layout.h"
#include "palette.h"

bool charts_columns(struct chart_columns *columns, const struct chart_data *data, bool share,
    uint32_t width, uint64_t version)
{
	uint32_t count = data->tiles < width ? data->tiles : width;
	if (columns->version == version && columns->count == count)
		return count > 0;
	if (count > columns->capacity) {
		struct chart_column *more =
		    realloc(columns->column, count * sizeof *columns->column);
		if (more == NULL)
			return false;
		columns->column = more;
		columns->capacity = count;
	}
	if (count > 0)
		chart_reduce(data, share, count, columns->column);
	columns->count = count;
	columns->version = version;
	return count > 0;
}

struct cv_rect charts_column_rect(const struct plot *p, uint32_t count, uint32_t column)
{
	int64_t w = p->area.w;
	int left = (int)(w * column / count), right = (int)(w * (column + 1) / count);
	int gap = right - left >= 5 ? 1 : 0;
	return rect_make(p->area.x + left, p->area.y, right - left - gap, p->area.h);
}

uint32_t charts_column_at(const struct plot *p, uint32_t count, int x, int y)
{
	struct cv_rect reach = p->area;
	reach.y -= 16;
	reach.h += 32; /* include the marks above and below */
	if (!rect_has(reach, x, y) || count == 0)
		return GCS_NONE;
	return chart_column_of((uint32_t)p->area.w, count, (uint32_t)(x - p->area.x));
}

uint32_t charts_colour(
    const struct app *app, const uint32_t *shade, const struct tilecode *tc, uint32_t tile)
{
	uint16_t code;
	tilecode_fill(tc, tile, 1, &code);
	unsigned look = code & LOOK_MASK;
	if (look < PALETTE_SHADES)
		return shade[look];
	if (look >= LOOK_ENUM)
		return palette_enum_colour(look - LOOK_ENUM);
	return look == LOOK_OVER ? shade[PALETTE_SHADES - 1] : app->ui.theme->hollow;
}

/* A pixel column's part of a bar; gathered first, so that painting goes row by row. */
struct stretch {
	int top, bottom;
	uint32_t colour;
};

static void paint_rows(struct cv *cv, struct cv_rect area, const struct stretch *s)
{
	struct cv_rect v = rect_and(area, cv->clip);
	for (int y = v.y; y < v.y + v.h; y++) {
		uint32_t *row = cv->px + (size_t)y * (size_t)cv->w;
		for (int x = v.x; x < v.x + v.w; x++) {
			const struct stretch *at = &s[x - area.x];
			if (y >= at->top && y < at->bottom)
				row[x] = at->colour;
		}
	}
}

static void bars_axes(const struct charts *c, struct plot *p, uint32_t width)
{
	const struct chart_data *d = &c->data;
	double high = 0;
	for (uint32_t i = 0; i < c->columns.count; i++)
		high = c->columns.column[i].high > high ? c->columns.column[i].high : high;
	if (d->stream->presentation == GCS_ENUM)
		p->y = (struct axis){.high = 1};
	else if (chart_is_share(d))
		axis_of_shares(&p->y, high);
	else
		axis_of_values(&p->y, d->stream, d->min < 0 ? (double)d->min : 0, high, 4, true);
	axis_of_tiles(&p->x, d->tiles, (int)(width / 90) + 1);
}

/* The rectangle of a bar; empty at the base line. A category has no height: it fills the column. */
static struct cv_rect bar_rect(const struct charts *c, uint32_t column)
{
	const struct plot *p = &c->plot;
	const struct chart_column *at = &c->columns.column[column];
	struct cv_rect r = charts_column_rect(p, c->columns.count, column);
	if (c->data.stream->presentation == GCS_ENUM)
		return r;
	bool crosses = p->y.low < 0 && p->y.high > 0;
	double base = crosses ? 0 : p->y.low;
	double value = at->high < 0 && base == 0 ? at->low : at->high;
	int from = (int)(plot_y(p, value) + 0.5), to = (int)(plot_y(p, base) + 0.5);
	if (from == to && value != base)
		from--;
	r.y = from < to ? from : to;
	r.h = from < to ? to - from : from - to;
	return r;
}

/* Hatches unused tiles on the base line. */
static void paint_unused(const struct charts *c, const struct pen *pen)
{
	const struct plot *p = &c->plot;
	int h = ui_px(pen->ui, 7);
	uint32_t first = 0;
	for (uint32_t i = 0; i <= c->columns.count; i++) {
		bool unused = i < c->columns.count && c->columns.column[i].used == 0 &&
			      c->columns.column[i].unused > 0;
		if (unused)
			continue;
		if (i > first) {
			struct cv_rect a = charts_column_rect(p, c->columns.count, first);
			struct cv_rect b = charts_column_rect(p, c->columns.count, i - 1);
			a.w = b.x + b.w - a.x;
			a.y = p->area.y + p->area.h - h;
			a.h = h;
			pen_hatch(pen, a);
		}
		first = i + 1;
	}
}

static void paint_bars(struct charts *c, struct app *app, const struct pen *pen)
{
	struct cv_rect area = c->plot.area;
	uint32_t shade[256];
	struct tilecode tc;
	palette_ramp(app->ramp, app->ui.theme->dark, shade);
	if (!tilecode_init(&tc, c->snapshot, c->data.space_id, c->data.stream_id))
		return;
	struct stretch *s = calloc((size_t)area.w + 1, sizeof *s);
	for (uint32_t i = 0; i < c->columns.count; i++) {
		const struct chart_column *at = &c->columns.column[i];
		if (at->used == 0)
			continue;
		struct cv_rect r = bar_rect(c, i);
		uint32_t colour = charts_colour(app, shade, &tc, at->at);
		if (at->at == app->hovered.tile && app->hovered.space == c->data.space_id)
			colour = cv_mix(colour, app->ui.theme->text, 110);
		char tip[300], name[160], value[120];
		if (pen->svg != NULL) {
			gcs_format_tile_name(
			    name, sizeof name, c->snapshot, c->data.space_id, at->at);
			chart_tile_text(value, sizeof value, &c->data, at->at);
			snprintf(tip, sizeof tip, "%s: %s", name, value);
			pen_fill(pen, r, colour, tip);
			continue;
		}
		for (int x = r.x; s != NULL && x < r.x + r.w; x++)
			s[x - area.x] = (struct stretch){r.y, r.y + r.h, colour | 0xff000000u};
	}
	if (s != NULL && pen->svg == NULL)
		paint_rows(pen->ui->cv, area, s);
	free(s);
	app->stats.tiles += c->data.tiles;
}

static void bars_paint(struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	uint32_t width = (uint32_t)clamp_int(r.w, 1, 1 << 15);
	/* The largest value determines the width of the labels, and so that of the plot. */
	for (int i = 0; i < 2; i++) {
		if (!charts_columns(
			&c->columns, &c->data, chart_is_share(&c->data), width, c->version))
			return;
		bars_axes(c, &c->plot, width);
		plot_lay_out(pen, &c->plot, r);
		width = (uint32_t)clamp_int(c->plot.area.w, 1, 1 << 15);
	}
	plot_paint(pen, &c->plot);
	paint_bars(c, app, pen);
	paint_unused(c, pen);
	uint32_t selected = charts_selected(c, app);
	if (selected == GCS_NONE)
		return;
	struct cv_rect at = charts_column_rect(
	    &c->plot, c->columns.count, chart_column_of(c->data.tiles, c->columns.count, selected));
	struct cv_rect frame = at.w >= ui_px(pen->ui, 8) ? at : rect_make(at.x + at.w / 2, 0, 0, 0);
	if (frame.w > 0)
		pen_frame(pen, rect_inset(frame, -1), ui_px(pen->ui, 1), app->ui.theme->selection);
	plot_mark(pen, &c->plot, at.x + at.w / 2, frame.w > 0 ? 1 : ui_px(pen->ui, 1),
	    app->ui.theme->selection);
}

static void bars_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	(void)app;
	const struct chart_data *d = &c->data;
	char tiles[240], low[160], mean[160], high[160], each[64] = "";
	uint32_t columns = c->columns.count;
	snprintf(head->title, sizeof head->title, "%.100s of %.100s in tile order", d->stream->name,
	    d->space->name);
	chart_clean(head->title);
	charts_tiles_text(tiles, sizeof tiles, d);
	if (d->stream->presentation == GCS_ENUM) {
		snprintf(head->text, sizeof head->text, "%s", tiles);
	} else {
		chart_amount(low, sizeof low, d->stream, (double)d->min);
		chart_amount(mean, sizeof mean, d->stream, d->sum / d->used);
		chart_amount(high, sizeof high, d->stream, (double)d->max);
		snprintf(head->text, sizeof head->text, "%s \xc2\xb7 min %s, mean %s, max %s",
		    tiles, low, mean, high);
	}
	if (columns == 0 || columns >= d->tiles)
		return;
	snprintf(each, sizeof each, "%.1f", (double)d->tiles / columns);
	size_t used = strlen(head->text);
	snprintf(head->text + used, sizeof head->text - used,
	    " \xc2\xb7 %s tiles per pixel column, showing the %s", each,
	    d->stream->presentation == GCS_ENUM ? "most common" : "largest");
}

static void bars_point(struct charts *c, struct app *app, int x, int y)
{
	uint32_t column = charts_column_at(&c->plot, c->columns.count, x, y);
	if (column == GCS_NONE) {
		charts_hover(c, app, GCS_NONE, c->plot.area);
		return;
	}
	struct cv_rect at = charts_column_rect(&c->plot, c->columns.count, column);
	charts_hover(c, app, c->columns.column[column].at, rect_make(at.x, y, at.w, 1));
}

static void bars_press(struct charts *c, struct app *app, int x, int y)
{
	uint32_t column = charts_column_at(&c->plot, c->columns.count, x, y);
	if (column != GCS_NONE)
		app_select(app, c->data.space_id, c->columns.column[column].at);
}

static bool bars_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	(void)argument;
	uint32_t page = c->columns.count > 0 ? c->data.tiles / c->columns.count : 1;
	return charts_walk(c, app, id, page > 10 ? page : 10);
}

static bool bars_place(struct charts *c, struct app *app, uint32_t tile, struct cv_rect *r)
{
	(void)app;
	if (c->columns.count == 0)
		return false;
	*r = charts_column_rect(
	    &c->plot, c->columns.count, chart_column_of(c->data.tiles, c->columns.count, tile));
	return true;
}

static void bars_text(struct charts *c, struct app *app, struct textbuf *out)
{
	(void)app;
	charts_put_tiles(out, &c->data, 1, false);
}

const struct chart chart_bars = {
    .name = "bars",
    .title = "Bars",
    .needs_values = true,
    .heading = bars_heading,
    .paint = bars_paint,
    .point = bars_point,
    .press = bars_press,
    .command = bars_command,
    .place = bars_place,
    .text = bars_text,
};
