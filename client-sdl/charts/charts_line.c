/* Up to four streams as lines, in tile order. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "layout.h"
#include "palette.h"
#include "timeline.h"

/* Palette indices that people with any colour vision can tell apart. */
static const uint32_t line_colours[CHART_LINES] = {0, 1, 2, 6};

/* Categories have no order that a line could show. */
static bool is_drawn_as_line(const struct gcs_space *s, uint32_t stream)
{
	return stream < s->stream_count && s->streams[stream].role == GCS_ROLE_DATA &&
	       s->streams[stream].presentation != GCS_ENUM;
}

static bool line_lacks(struct charts *c, struct app *app, char *text, size_t size)
{
	(void)app;
	if (is_drawn_as_line(c->data.space, c->data.stream_id))
		return false;
	snprintf(text, size,
	    "%.120s has categories, which form no line. ] goes to the next stream.",
	    c->data.stream->name);
	chart_clean(text);
	return true;
}

/* The active space's stream, and those added to it. */
static uint32_t streams_of(const struct charts *c, uint32_t stream[CHART_LINES])
{
	const struct chart_line_state *l = &c->line;
	uint32_t n = 1;
	stream[0] = c->data.stream_id;
	for (uint32_t i = 0; l->space == c->data.space_id && i < l->count; i++) {
		uint32_t id = l->added[i];
		if (id != stream[0] && is_drawn_as_line(c->data.space, id))
			stream[n++] = id;
	}
	return n;
}

static bool same_unit(const struct gcs_stream *a, const struct gcs_stream *b)
{
	return a->format == b->format && strcmp(a->prefix, b->prefix) == 0 &&
	       strcmp(a->suffix, b->suffix) == 0;
}

/* Data of all lines; true if they share a scale. */
static bool gather(const struct charts *c, struct chart_data data[CHART_LINES], uint32_t *n)
{
	uint32_t stream[CHART_LINES];
	bool common = true;
	*n = streams_of(c, stream);
	data[0] = c->data;
	for (uint32_t i = 1; i < *n; i++) {
		chart_data_init(&data[i], c->snapshot, c->data.space_id, stream[i]);
		common = common && same_unit(data[0].stream, data[i].stream);
	}
	return common;
}

static void axis_of_line(struct axis *axis, const struct chart_data *d, double low, double high)
{
	axis_of_values(axis, d->stream, low < 0 ? low : 0, high, 5, true);
}

static uint32_t line_colour(const struct app *app, uint32_t line)
{
	return timeline_colour(app->ui.theme, palette_enum_colour(line_colours[line]));
}

/* With several tiles per column, the range from the smallest to the largest value. */
static void paint_band(const struct charts *c, struct app *app, const struct pen *pen,
    const struct plot *p, uint32_t line)
{
	const struct chart_columns *columns = &c->line.columns[line];
	uint32_t band = cv_mix(app->ui.theme->ground, line_colour(app, line), 110);
	for (uint32_t i = 0; i < columns->count; i++) {
		const struct chart_column *at = &columns->column[i];
		struct cv_rect r = charts_column_rect(p, columns->count, i);
		int high = (int)plot_y(p, at->high), low = (int)plot_y(p, at->low);
		if (at->used > 0 && at->low < at->high)
			pen_fill(pen, rect_make(r.x, high, r.w, low - high), band, NULL);
	}
}

/* Connects the middles of columns, at the largest value of each. */
static void paint_line(const struct charts *c, struct app *app, const struct pen *pen,
    const struct plot *p, uint32_t line)
{
	const struct chart_columns *columns = &c->line.columns[line];
	uint32_t colour = line_colour(app, line);
	double step = (double)p->area.w / columns->count;
	int dot = ui_px(pen->ui, 1);
	for (uint32_t i = 0; i < columns->count; i++) {
		const struct chart_column *at = &columns->column[i];
		if (at->used == 0)
			continue;
		double x = p->area.x + (i + 0.5) * step, y = plot_y(p, at->high);
		if (i + 1 < columns->count && at[1].used > 0)
			pen_line(pen, x, y, x + step, plot_y(p, at[1].high), colour,
			    (enum pen_dash)line);
		/* A tile between unused ones is a dot. */
		else if (i == 0 || columns->column[i - 1].used == 0)
			pen_fill(pen, rect_make((int)x - dot, (int)y - dot, 3 * dot, 3 * dot),
			    colour, NULL);
	}
}

static void legend_text(const struct chart_data *d, bool common, char *text, size_t size)
{
	char low[160], high[160];
	if (d->used == 0) {
		snprintf(text, size, "%.120s: no values", d->stream->name);
	} else {
		chart_amount(low, sizeof low, d->stream, (double)d->min);
		chart_amount(high, sizeof high, d->stream, (double)d->max);
		snprintf(text, size, "%.120s: %s to %s%s", d->stream->name, low, high,
		    common ? "" : ", own scale");
	}
	chart_clean(text);
}

static void paint_legend(struct app *app, const struct pen *pen, const struct chart_data *data,
    uint32_t n, bool common, struct cv_rect *r)
{
	struct ui *ui = pen->ui;
	int x = 0, h = ui_px(ui, 20);
	struct cv_rect row = cut_top(r, h);
	for (uint32_t i = 0; i < n; i++) {
		char text[480];
		legend_text(&data[i], common, text, sizeof text);
		int sample = ui_px(ui, 28), gap = ui_px(ui, 8);
		int w =
		    sample + gap + text_width(ui->fonts->face[FONT_SMALL], text) + ui_px(ui, 16);
		if (x > 0 && x + w > row.w) {
			x = 0;
			row = cut_top(r, h);
		}
		double y = row.y + h / 2.0;
		pen_line(pen, row.x + x, y, row.x + x + sample, y, line_colour(app, i),
		    (enum pen_dash)i);
		pen_text(pen, FONT_SMALL,
		    rect_make(row.x + x + sample + gap, row.y,
			clamp_int(w - sample - gap, 0, row.w - x - sample - gap), h),
		    TEXT_LEFT, ui->theme->text, text);
		x += w;
	}
}

static void line_paint(struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	struct chart_data data[CHART_LINES];
	uint32_t n;
	bool common = gather(c, data, &n);
	double low = (double)c->data.min, high = (double)c->data.max;
	paint_legend(app, pen, data, n, common, &r);
	for (uint32_t i = 1; i < n && common; i++) {
		low = (double)data[i].min < low ? (double)data[i].min : low;
		high = (double)data[i].max > high ? (double)data[i].max : high;
	}
	axis_of_line(&c->plot.y, &data[0], low, high);
	axis_of_tiles(&c->plot.x, c->data.tiles, r.w / ui_px(pen->ui, 90) + 1);
	plot_lay_out(pen, &c->plot, r);
	plot_paint(pen, &c->plot);
	uint32_t width = (uint32_t)clamp_int(c->plot.area.w, 1, 1 << 15);
	struct plot own[CHART_LINES];
	bool drawn[CHART_LINES];
	for (uint32_t i = 0; i < n; i++) {
		/* Columns are of one version and one stream. */
		uint64_t version = c->version << 8 | data[i].stream_id;
		drawn[i] = data[i].used > 0 &&
			   charts_columns(&c->line.columns[i], &data[i], false, width, version);
		own[i] = c->plot;
		if (!common && i > 0)
			axis_of_line(&own[i].y, &data[i], (double)data[i].min, (double)data[i].max);
		if (drawn[i])
			paint_band(c, app, pen, &own[i], i);
	}
	for (uint32_t i = n; i-- > 0;) {
		if (drawn[i])
			paint_line(c, app, pen, &own[i], i);
	}
	app->stats.tiles += n * c->data.tiles;
	uint32_t selected = charts_selected(c, app);
	if (selected != GCS_NONE)
		plot_mark(pen, &c->plot, (int)plot_x(&c->plot, selected + 0.5), 1,
		    app->ui.theme->selection);
}

static void line_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	struct chart_data data[CHART_LINES];
	uint32_t n;
	bool common = gather(c, data, &n);
	char tiles[240];
	(void)app;
	size_t used =
	    (size_t)snprintf(head->title, sizeof head->title, "%.100s", data[0].stream->name);
	for (uint32_t i = 1; i < n && used < sizeof head->title; i++)
		used += (size_t)snprintf(head->title + used, sizeof head->title - used, "%s%.60s",
		    i + 1 < n ? ", " : " and ", data[i].stream->name);
	if (used < sizeof head->title)
		snprintf(head->title + used, sizeof head->title - used, " of %.100s",
		    c->data.space->name);
	chart_clean(head->title);
	charts_tiles_text(tiles, sizeof tiles, &c->data);
	bool reduced = c->plot.area.w > 0 && c->data.tiles > (uint32_t)c->plot.area.w;
	snprintf(head->text, sizeof head->text,
	    "%s \xc2\xb7 in tile order%s%s \xc2\xb7 Shift+N adds the next "
	    "stream; after the last one it removes all",
	    tiles,
	    n > 1 ? (common ? ", same scale" : ", each on its own scale (labels: the first)") : "",
	    reduced ? ", min to max per pixel column" : "");
}

bool charts_add_line(struct charts *c, struct app *app, const char *name)
{
	struct chart_line_state *l = &c->line;
	const struct gcs_space *s = app_space(app, app->active_space);
	charts_refresh(c, app);
	if (s == NULL)
		return app->view_state.running;
	if (l->space != app->active_space)
		l->count = 0;
	l->space = app->active_space;
	uint32_t stream = name != NULL ? gcs_space_find_stream(s, name) : GCS_NONE;
	if (name != NULL && (stream == GCS_NONE || s->streams[stream].role != GCS_ROLE_DATA)) {
		app_toast(app, "This space has no stream \"%.100s\"", name);
		return app->view_state.running;
	}
	if (name != NULL && !is_drawn_as_line(s, stream)) {
		app_toast(app, "%.100s has categories, which form no line", name);
		return app->view_state.running;
	}
	uint32_t at = l->count > 0 ? l->added[l->count - 1] : GCS_NONE;
	if (name == NULL) {
		do
			stream = at = chart_next_stream(s, at);
		while (stream != GCS_NONE &&
		       (stream == c->data.stream_id || !is_drawn_as_line(s, stream)));
	}
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->added[i] == stream || stream == c->data.stream_id) {
			app_toast(app, "Already in the chart");
			return true;
		}
	}
	app_dirty(app, PANEL_VIEW);
	if (stream != GCS_NONE && l->count < CHART_LINES - 1) {
		l->added[l->count++] = stream;
		return true;
	}
	if (name != NULL) {
		app_toast(app, "A chart is limited to %d streams", CHART_LINES);
		return false;
	}
	app_toast(app, l->count > 0 ? "Showing only the selected stream"
				    : "This space has no other stream that forms a line");
	l->count = 0;
	return true;
}

static void line_point(struct charts *c, struct app *app, int x, int y)
{
	uint32_t count = c->line.columns[0].count;
	uint32_t column = charts_column_at(&c->plot, count, x, y);
	if (column == GCS_NONE) {
		charts_hover(c, app, GCS_NONE, c->plot.area);
		return;
	}
	charts_hover(c, app, c->line.columns[0].column[column].at, rect_make(x, y, 1, 1));
}

static void line_press(struct charts *c, struct app *app, int x, int y)
{
	uint32_t column = charts_column_at(&c->plot, c->line.columns[0].count, x, y);
	if (column != GCS_NONE)
		app_select(app, c->data.space_id, c->line.columns[0].column[column].at);
}

static bool line_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	bool free = app->modal == MODAL_NONE && app->ui.focus == 0;
	(void)argument;
	if (id != COMMAND_back || c->line.count == 0 || c->line.space != app->active_space || !free)
		return false;
	c->line.count--;
	app_toast(app, "Line removed");
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool line_place(struct charts *c, struct app *app, uint32_t tile, struct cv_rect *r)
{
	(void)app;
	int x = (int)plot_x(&c->plot, tile + 0.5);
	*r = rect_make(x, c->plot.area.y, 1, c->plot.area.h);
	return true;
}

static void line_text(struct charts *c, struct app *app, struct textbuf *out)
{
	struct chart_data data[CHART_LINES];
	uint32_t n;
	bool common = gather(c, data, &n);
	char text[480];
	(void)app;
	for (uint32_t i = 0; i < n; i++) {
		legend_text(&data[i], common, text, sizeof text);
		textbuf_printf(out, "line %u\t%s\n", i + 1, text);
	}
	charts_put_tiles(out, data, n, false);
}

const struct chart chart_line = {
    .name = "line",
    .title = "Line",
    .needs_values = true,
    .lacks = line_lacks,
    .heading = line_heading,
    .paint = line_paint,
    .point = line_point,
    .press = line_press,
    .command = line_command,
    .place = line_place,
    .text = line_text,
};
