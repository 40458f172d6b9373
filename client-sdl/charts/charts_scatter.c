/* Scatter plot: one stream against another, a point per tile. Declared in charts.h. */
#include <gcspy/format.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "layout.h"
#include "palette.h"

/* Pixels of a point at scale 1; larger if there are few tiles. */
static int cell_size(uint32_t tiles)
{
	return tiles <= 500 ? 6 : tiles <= 5000 ? 4 : 3;
}

/* The stream of the y axis: the chosen one, else the next; GCS_NONE if there is no other. */
static uint32_t other_stream(const struct charts *c)
{
	const struct chart_scatter_state *s = &c->scatter;
	const struct gcs_space *space = c->data.space;
	if (s->space == c->data.space_id && s->y < space->stream_count &&
	    s->y != c->data.stream_id && space->streams[s->y].role == GCS_ROLE_DATA)
		return s->y;
	uint32_t next = chart_next_stream(space, c->data.stream_id);
	if (next == GCS_NONE)
		next = chart_next_stream(space, GCS_NONE);
	return next != c->data.stream_id ? next : GCS_NONE;
}

/* The other stream's data, or NULL. Updates the coefficient and discards points that are out of
 * date. */
static const struct chart_data *other_data(struct charts *c)
{
	struct chart_scatter_state *s = &c->scatter;
	uint32_t stream = other_stream(c);
	if (stream == GCS_NONE)
		return NULL;
	if (s->version == c->version && s->data.stream_id == stream)
		return s->has_data ? &s->data : NULL;
	s->has_data = chart_data_init(&s->data, c->snapshot, c->data.space_id, stream);
	s->has_r = s->has_data && chart_correlation(&c->data, &s->data, &s->r, &s->n);
	s->version = c->version;
	s->wide = 0;
	return s->has_data ? &s->data : NULL;
}

static bool scatter_lacks(struct charts *c, struct app *app, char *text, size_t size)
{
	(void)app;
	if (other_stream(c) != GCS_NONE)
		return false;
	snprintf(text, size, "This space has only one stream; a scatter plot needs two.");
	return true;
}

static void axis_for(struct axis *axis, const struct chart_data *d, int most)
{
	axis_of_values(axis, d->stream, (double)d->min, (double)d->max, most, true);
	/* A category is 1 wide, with its name in the middle. */
	if (d->stream->presentation != GCS_ENUM)
		return;
	axis->low = (double)d->stream->min - 0.5;
	axis->high = (double)d->stream->max + 0.5;
}

static uint32_t place_in(double at, uint32_t cells)
{
	return at > 0 ? (at < cells ? (uint32_t)at : cells - 1) : 0;
}

static uint32_t cell_of(const struct charts *c, double x, double y)
{
	const struct chart_scatter_state *s = &c->scatter;
	uint32_t column = place_in((x - c->plot.x.low) * s->per_x, s->wide);
	return place_in((c->plot.y.high - y) * s->per_y, s->high) * s->wide + column;
}

static bool reserve_cells(struct chart_scatter_state *s, uint32_t count)
{
	if (count <= s->capacity)
		return true;
	struct scatter_cell *more = realloc(s->cell, count * sizeof *more);
	if (more == NULL)
		return false;
	s->cell = more;
	s->capacity = count;
	return true;
}

static bool fill_cells(struct charts *c, const struct chart_data *y)
{
	struct chart_scatter_state *s = &c->scatter;
	const struct chart_data *x = &c->data;
	uint32_t wide = (uint32_t)(c->plot.area.w / s->size),
		 high = (uint32_t)(c->plot.area.h / s->size);
	bool same = s->wide == wide && s->high == high;
	if (same || wide == 0 || high == 0)
		return same;
	s->wide = s->high = 0;
	if (!reserve_cells(s, wide * high))
		return false;
	s->wide = wide;
	s->high = high;
	s->most = 0;
	s->per_x = wide / (c->plot.x.high - c->plot.x.low);
	s->per_y = high / (c->plot.y.high - c->plot.y.low);
	memset(s->cell, 0, (size_t)wide * high * sizeof *s->cell);
	for (uint32_t i = 0; i < x->tiles; i++) {
		if (!chart_used(x, i) || !chart_used(y, i))
			continue;
		struct scatter_cell *cell =
		    &s->cell[cell_of(c, (double)x->values[i], (double)y->values[i])];
		cell->first = cell->tiles == 0 ? i : cell->first;
		cell->tiles++;
		s->most = cell->tiles > s->most ? cell->tiles : s->most;
	}
	return true;
}

static struct cv_rect cell_rect(const struct charts *c, uint32_t cell)
{
	const struct chart_scatter_state *s = &c->scatter;
	return rect_make(
	    c->plot.area.x + (int)((int64_t)c->plot.area.w * (cell % s->wide) / s->wide),
	    c->plot.area.y + (int)((int64_t)c->plot.area.h * (cell / s->wide) / s->high), s->size,
	    s->size);
}

/* Shades tiles per point on a logarithmic scale, from one tile to the maximum. */
static uint32_t density(const struct chart_scatter_state *s, const uint32_t *shade, uint32_t tiles)
{
	if (s->most <= 1)
		return shade[PALETTE_SHADES / 2];
	double part = log((double)tiles) / log((double)s->most);
	return shade[PALETTE_SHADES / 5 + (int)(part * (PALETTE_SHADES - 1 - PALETTE_SHADES / 5))];
}

static void mark_selected(
    const struct charts *c, struct app *app, const struct pen *pen, const struct chart_data *y)
{
	uint32_t selected = charts_selected(c, app);
	if (selected == GCS_NONE || !chart_used(&c->data, selected) || !chart_used(y, selected))
		return;
	struct cv_rect at =
	    cell_rect(c, cell_of(c, (double)c->data.values[selected], (double)y->values[selected]));
	int thick = ui_px(pen->ui, 2);
	pen_frame(pen, rect_inset(at, -2 * thick), thick, app->ui.theme->selection);
}

static void scatter_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	const struct chart_data *y = other_data(c);
	struct ui *ui = pen->ui;
	uint32_t shade[256];
	if (y == NULL)
		return;
	axis_for(&c->plot.x, &c->data, clamp_int(r.w / ui_px(ui, 110), 2, 16));
	axis_for(&c->plot.y, y, clamp_int(r.h / ui_px(ui, 60), 2, 10));
	c->scatter.size = ui_px(ui, cell_size(c->data.used));
	plot_lay_out(pen, &c->plot, r);
	plot_paint(pen, &c->plot);
	if (!fill_cells(c, y))
		return;
	palette_ramp(app->ramp, ui->theme->dark, shade);
	const struct chart_scatter_state *s = &c->scatter;
	for (uint32_t i = 0; i < s->wide * s->high; i++) {
		if (s->cell[i].tiles > 0)
			pen_fill(pen, cell_rect(c, i), density(s, shade, s->cell[i].tiles), NULL);
	}
	mark_selected(c, app, pen, y);
	app->stats.tiles += c->data.tiles;
}

static void scatter_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart_data *y = other_data(c);
	const struct chart_scatter_state *s = &c->scatter;
	char tiles[64], r[96];
	(void)app;
	if (y == NULL)
		return;
	snprintf(head->title, sizeof head->title, "%.80s (y) against %.80s (x) of %.80s",
	    y->stream->name, c->data.stream->name, c->data.space->name);
	chart_clean(head->title);
	chart_count(tiles, sizeof tiles, s->n, "tile", "tiles");
	if (s->has_r)
		snprintf(r, sizeof r, "correlation %.3f", s->r);
	else if (y->stream->presentation == GCS_ENUM || c->data.stream->presentation == GCS_ENUM)
		snprintf(r, sizeof r, "no correlation: categories have no order");
	else if (s->n < 2)
		snprintf(r, sizeof r, "no correlation: too few tiles have both values");
	else
		snprintf(r, sizeof r, "no correlation: one stream is constant");
	char most[64];
	chart_count(most, sizeof most, s->most, "tile", "tiles");
	bool dense = s->wide > 0 && s->most > 1;
	snprintf(head->text, sizeof head->text,
	    "%s over %s%s%s \xc2\xb7 Shift+X changes the y axis", r, tiles,
	    dense ? " \xc2\xb7 colour: tiles per point, up to " : "", dense ? most : "");
}

bool charts_choose_y(struct charts *c, struct app *app, const char *name)
{
	struct chart_scatter_state *s = &c->scatter;
	charts_refresh(c, app);
	const struct gcs_space *space = app_space(app, app->active_space);
	if (space == NULL)
		return app->view_state.running;
	uint32_t stream;
	if (name != NULL) {
		stream = gcs_space_find_stream(space, name);
		if (stream == GCS_NONE || space->streams[stream].role != GCS_ROLE_DATA) {
			app_toast(app, "This space has no stream \"%.100s\"", name);
			return app->view_state.running;
		}
	} else {
		/* The next stream, cyclically, skipping the x axis's. */
		stream = chart_next_stream(space, other_stream(c));
		if (stream == c->data.stream_id)
			stream = chart_next_stream(space, stream);
		if (stream == GCS_NONE)
			stream = chart_next_stream(space, GCS_NONE);
		if (stream == c->data.stream_id)
			stream = chart_next_stream(space, stream);
	}
	s->space = app->active_space;
	s->y = stream;
	app_dirty(app, PANEL_VIEW);
	return true;
}

/* The nearest point within a few pixels, or GCS_NONE. */
static uint32_t cell_at(const struct charts *c, int x, int y)
{
	const struct chart_scatter_state *s = &c->scatter;
	if (s->wide == 0 || s->high == 0 || !rect_has(rect_inset(c->plot.area, -6), x, y))
		return GCS_NONE;
	int column = (int)((int64_t)(x - c->plot.area.x) * s->wide / c->plot.area.w);
	int row = (int)((int64_t)(y - c->plot.area.y) * s->high / c->plot.area.h);
	uint32_t found = GCS_NONE;
	int best = 9;
	for (int j = row - 2; j <= row + 2; j++) {
		for (int i = column - 2; i <= column + 2; i++) {
			int far = (i - column) * (i - column) + (j - row) * (j - row);
			if (i < 0 || j < 0 || i >= (int)s->wide || j >= (int)s->high || far >= best)
				continue;
			uint32_t cell = (uint32_t)j * s->wide + (uint32_t)i;
			if (s->cell[cell].tiles == 0)
				continue;
			best = far;
			found = cell;
		}
	}
	return found;
}

static void scatter_point(struct charts *c, struct app *app, int x, int y)
{
	uint32_t cell = cell_at(c, x, y);
	const struct chart_data *other = other_data(c);
	if (cell == GCS_NONE || other == NULL) {
		charts_hover(c, app, GCS_NONE, c->plot.area);
		return;
	}
	const struct scatter_cell *at = &c->scatter.cell[cell];
	charts_hover(c, app, at->first, cell_rect(c, cell));
	if (at->tiles == 1)
		return;
	char tiles[64], name[200], a[200], b[200], text[900];
	chart_count(tiles, sizeof tiles, at->tiles, "tile", "tiles");
	gcs_format_tile_name(name, sizeof name, c->snapshot, c->data.space_id, at->first);
	chart_tile_text(a, sizeof a, &c->data, at->first);
	chart_tile_text(b, sizeof b, other, at->first);
	snprintf(text, sizeof text, "%s here\nFirst\t%s\n%.100s\t%s\n%.100s\t%s", tiles,
	    chart_clean(name), c->data.stream->name, a, other->stream->name, b);
	charts_tip(app, cell_rect(c, cell), text);
}

/* Selects the next tile of a point, so that repeated clicks step through its tiles. */
static void scatter_press(struct charts *c, struct app *app, int x, int y)
{
	uint32_t cell = cell_at(c, x, y), selected = charts_selected(c, app);
	const struct chart_data *other = other_data(c);
	if (cell == GCS_NONE || other == NULL)
		return;
	uint32_t n = c->data.tiles;
	uint32_t from = selected != GCS_NONE ? selected : n - 1;
	for (uint32_t i = 1; i <= n; i++) {
		uint32_t tile = (uint32_t)(((uint64_t)from + i) % n);
		if (chart_used(&c->data, tile) && chart_used(other, tile) &&
		    cell_of(c, (double)c->data.values[tile], (double)other->values[tile]) == cell) {
			app_select(app, c->data.space_id, tile);
			return;
		}
	}
}

static bool scatter_place(struct charts *c, struct app *app, uint32_t tile, struct cv_rect *r)
{
	const struct chart_data *y = other_data(c);
	(void)app;
	if (c->scatter.wide == 0 || y == NULL || !chart_used(&c->data, tile) ||
	    !chart_used(y, tile))
		return false;
	*r = cell_rect(c, cell_of(c, (double)c->data.values[tile], (double)y->values[tile]));
	return true;
}

static void scatter_text(struct charts *c, struct app *app, struct textbuf *out)
{
	const struct chart_data *y = other_data(c);
	(void)app;
	if (y != NULL)
		charts_put_tiles(out, (const struct chart_data[]){c->data, *y}, 2, true);
}

const struct chart chart_scatter = {
    .name = "scatter",
    .title = "Scatter",
    .needs_values = true,
    .lacks = scatter_lacks,
    .heading = scatter_heading,
    .paint = scatter_paint,
    .point = scatter_point,
    .press = scatter_press,
    .place = scatter_place,
    .text = scatter_text,
};
