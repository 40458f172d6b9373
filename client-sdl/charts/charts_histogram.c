/* The distribution of values over tiles, and the tiles of a bin. Declared in charts.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "charts.h"
#include "heap_colours.h"
#include "layout.h"
#include "palette.h"

#define DOUBLE_MS 400

static void fill_bins(struct charts *c, int wanted)
{
	struct chart_histogram_state *h = &c->histogram;
	if (h->version == c->version && h->wanted == wanted)
		return;
	bins_fill(&h->bins, &c->data, wanted);
	if (h->version != c->version)
		h->has_ranks =
		    c->data.stream->presentation != GCS_ENUM && chart_ranks(&c->data, &h->ranks);
	h->version = c->version;
	h->wanted = wanted;
}

static void ready_for(struct charts *c, const struct app *app)
{
	int width = app->rect[PANEL_VIEW].w;
	fill_bins(c, clamp_int(width / ui_px(&app->ui, 28), 6, 60));
}

static uint32_t chosen_bin(const struct chart_histogram_state *h)
{
	if (!h->chosen)
		return GCS_NONE;
	uint32_t bin = bins_of(&h->bins, h->value);
	return bin < h->bins.count ? bin : GCS_NONE;
}

static struct cv_rect bin_rect(const struct charts *c, uint32_t bin)
{
	const struct plot *p = &c->plot;
	struct cv_rect r = charts_column_rect(p, c->histogram.bins.count, bin);
	int y = (int)(plot_y(p, c->histogram.bins.tiles[bin]) + 0.5);
	int bottom = p->area.y + p->area.h;
	if (c->histogram.bins.tiles[bin] > 0 && y >= bottom)
		y = bottom - 1;
	r.y = y;
	r.h = bottom - y;
	return r;
}

static void bin_share(char *text, size_t size, const struct bins *b, uint32_t bin)
{
	char number[48];
	gcs_format_number(number, sizeof number, b->tiles[bin], GCS_DECIMAL);
	snprintf(
	    text, size, "%s (%.1f %%)", number, b->used > 0 ? 100.0 * b->tiles[bin] / b->used : 0);
}

static void bin_tip(const struct charts *c, uint32_t bin, char *text, size_t size)
{
	char name[360], share[80];
	bins_text(name, sizeof name, &c->histogram.bins, &c->data, bin);
	bin_share(share, sizeof share, &c->histogram.bins, bin);
	snprintf(text, size, "%s\nTiles\t%s", name, share);
}

/* Labels of numbers are between bins, names are centred on theirs. */
static void axes(struct charts *c, struct cv_rect r, const struct ui *ui)
{
	const struct bins *b = &c->histogram.bins;
	struct plot *p = &c->plot;
	axis_of_counts(&p->y, b->most, 4);
	axis_of_values(&p->x, c->data.stream, b->first, b->first + b->count * b->step,
	    clamp_int(r.w / ui_px(ui, 84), 2, 20), false);
	p->x.low = b->first;
	p->x.high = b->first + b->count * b->step;
	if (!(p->x.high > p->x.low))
		p->x.high = p->x.low + 1;
	for (int i = 0; i < p->x.count && (b->names || b->step <= 1); i++)
		p->x.tick[i] += 0.5;
}

/* Mean and percentiles: first the lines, then the names, each on its own line above the plot. */
static void paint_ranks(const struct charts *c, const struct pen *pen)
{
	const struct chart_histogram_state *h = &c->histogram;
	const struct plot *p = &c->plot;
	if (!h->has_ranks)
		return;
	const struct {
		const char *name;
		double value;
	} marks[] = {{"median", (double)h->ranks.median}, {"mean", c->data.sum / c->data.used},
	    {"p90", (double)h->ranks.p90}, {"p99", (double)h->ranks.p99}};
	enum { MARKS = sizeof marks / sizeof *marks };
	int x[MARKS], line = font_height(pen->ui->fonts->face[FONT_SMALL]);
	uint32_t colour = pen->ui->theme->warn;
	for (int i = 0; i < MARKS; i++) {
		x[i] = (int)plot_x(p, marks[i].value + (h->bins.step <= 1 ? 0.5 : 0));
		pen_fill(pen, rect_make(x[i], p->area.y - i * line, 1, p->area.h + i * line),
		    colour, NULL);
	}
	for (int i = 0; i < MARKS; i++)
		plot_label(pen, p, x[i], p->area.y - i * line, colour, marks[i].name);
}

/* Count and share, above the bar. */
static void paint_share(
    const struct charts *c, const struct pen *pen, uint32_t bin, struct cv_rect bar)
{
	struct ui *ui = pen->ui;
	char text[80];
	bin_share(text, sizeof text, &c->histogram.bins, bin);
	int h = font_height(ui->fonts->face[FONT_SMALL]);
	if (text_width(ui->fonts->face[FONT_SMALL], text) > bar.w)
		gcs_format_number(text, sizeof text, c->histogram.bins.tiles[bin], GCS_DECIMAL);
	if (text_width(ui->fonts->face[FONT_SMALL], text) > bar.w)
		return;
	struct cv_rect at = rect_make(bar.x, bar.y - h - 1, bar.w, h);
	if (at.y < c->plot.area.y)
		at.y = c->plot.area.y - h;
	pen_text(pen, FONT_SMALL, at, TEXT_CENTRE, ui->theme->text, text);
}

static void paint_bin(
    const struct charts *c, struct app *app, const struct pen *pen, uint32_t bin, bool hovered)
{
	const struct bins *b = &c->histogram.bins;
	struct ui *ui = pen->ui;
	struct cv_rect bar = bin_rect(c, bin);
	bool zero = c->data.stream->paint == GCS_PAINT_ZERO &&
		    c->data.stream->min + (int64_t)bin == c->data.stream->zero;
	bool named = b->names && bin < b->named;
	uint32_t colour = !named ? ui->theme->accent
			  : zero ? ui->theme->hollow
				 : heap_colours_name(app, c->data.space_id, c->data.stream_id, bin);
	if (bin == chosen_bin(&c->histogram) || hovered)
		colour = cv_mix(colour, ui->theme->text, hovered ? 80 : 40);
	char tip[480];
	bin_tip(c, bin, tip, sizeof tip);
	pen_fill(pen, bar, colour, tip);
	if (bin == chosen_bin(&c->histogram)) {
		struct cv_rect all = charts_column_rect(&c->plot, b->count, bin);
		pen_frame(pen, rect_inset(all, -1), ui_px(ui, 2), ui->theme->selection);
	}
	if (b->count <= 40 && b->tiles[bin] > 0)
		paint_share(c, pen, bin, bar);
}

static void histogram_paint(
    struct charts *c, struct app *app, const struct pen *pen, struct cv_rect r)
{
	struct ui *ui = pen->ui;
	ready_for(c, app);
	axes(c, r, ui);
	/* Room for the names of the marks. */
	if (c->histogram.has_ranks)
		cut_top(&r, 3 * font_height(ui->fonts->face[FONT_SMALL]));
	cut_top(&r, ui_px(ui, 4));
	plot_lay_out(pen, &c->plot, r);
	plot_paint(pen, &c->plot);
	uint32_t hovered =
	    charts_column_at(&c->plot, c->histogram.bins.count, ui->mouse_x, ui->mouse_y);
	for (uint32_t i = 0; i < c->histogram.bins.count; i++)
		paint_bin(c, app, pen, i, i == hovered && ui->tip[0] != 0 && pen->svg == NULL);
	paint_ranks(c, pen);
}

/* "37 tiles in 128 KiB to 256 KiB, number 3 is selected: Left and Right step through them". */
static void chosen_text(const struct charts *c, const struct app *app, char *text, size_t size)
{
	const struct chart_histogram_state *h = &c->histogram;
	uint32_t bin = chosen_bin(h);
	char name[360], tiles[64], number[48];
	if (bin == GCS_NONE) {
		snprintf(text, size, "Click a bar or press Up and Down to select its tiles");
		return;
	}
	bins_text(name, sizeof name, &h->bins, &c->data, bin);
	chart_count(tiles, sizeof tiles, h->bins.tiles[bin], "tile", "tiles");
	uint32_t at = bins_rank(&h->bins, &c->data, bin, charts_selected(c, app));
	gcs_format_number(number, sizeof number, at, GCS_DECIMAL);
	snprintf(text, size, "%s in %s%s%s%s: Left and Right step through them", tiles, name,
	    at > 0 ? ", number " : "", at > 0 ? number : "", at > 0 ? " is selected" : "");
}

static void histogram_heading(struct charts *c, struct app *app, struct chart_heading *head)
{
	const struct chart_data *d = &c->data;
	const struct chart_histogram_state *h = &c->histogram;
	char tiles[240], value[4][160], figures[800] = "", chosen[560];
	ready_for(c, app);
	snprintf(head->title, sizeof head->title, "Distribution of %.100s in %.100s",
	    d->stream->name, d->space->name);
	chart_clean(head->title);
	charts_tiles_text(tiles, sizeof tiles, d);
	if (h->has_ranks) {
		chart_amount(value[0], 160, d->stream, (double)h->ranks.median);
		chart_amount(value[1], 160, d->stream, d->sum / d->used);
		chart_amount(value[2], 160, d->stream, (double)h->ranks.p90);
		chart_amount(value[3], 160, d->stream, (double)h->ranks.p99);
		snprintf(figures, sizeof figures, " \xc2\xb7 median %s, mean %s, p90 %s, p99 %s",
		    value[0], value[1], value[2], value[3]);
	}
	size_t used = strlen(figures);
	if (h->has_ranks && h->ranks.every > 1)
		snprintf(figures + used, sizeof figures - used,
		    " (ranked from one in %u used tiles)", h->ranks.every);
	chosen_text(c, app, chosen, sizeof chosen);
	snprintf(head->text, sizeof head->text, "%s%s\n%s", tiles, figures, chosen);
}

static void choose_bin(struct charts *c, struct app *app, uint32_t bin)
{
	struct chart_histogram_state *h = &c->histogram;
	const struct bins *b = &h->bins;
	h->chosen = bin < b->count;
	h->value = b->first + (bin + 0.5) * b->step;
	uint32_t tile = bins_tile(b, &c->data, bin, GCS_NONE, 1);
	if (h->chosen && tile != GCS_NONE)
		app_select(app, c->data.space_id, tile);
	app_dirty(app, PANEL_VIEW);
}

static void histogram_point(struct charts *c, struct app *app, int x, int y)
{
	uint32_t bin = charts_column_at(&c->plot, c->histogram.bins.count, x, y);
	char text[480];
	app_dirty(app, PANEL_VIEW);
	if (bin == GCS_NONE)
		return;
	bin_tip(c, bin, text, sizeof text);
	struct cv_rect at = charts_column_rect(&c->plot, c->histogram.bins.count, bin);
	charts_tip(app, rect_make(at.x, y, at.w, 1), text);
}

static void histogram_press(struct charts *c, struct app *app, int x, int y)
{
	uint32_t bin = charts_column_at(&c->plot, c->histogram.bins.count, x, y);
	struct chart_histogram_state *h = &c->histogram;
	if (bin == GCS_NONE)
		return;
	const bool again = h->pressed == bin + 1 && app->now_ms - h->pressed_ms <= DOUBLE_MS;
	h->pressed = again ? 0 : bin + 1;
	h->pressed_ms = app->now_ms;
	if (again && h->bins.names)
		heap_colours_turn_name(app, c->data.space_id, c->data.stream_id, bin, 1);
	choose_bin(c, app, bin);
}

/* The next bin with tiles in it. */
static void walk_bins(struct charts *c, struct app *app, int dir)
{
	const struct bins *b = &c->histogram.bins;
	uint32_t bin = chosen_bin(&c->histogram);
	int64_t at = bin != GCS_NONE ? (int64_t)bin : dir > 0 ? -1 : (int64_t)b->count;
	for (at += dir; at >= 0 && at < b->count; at += dir) {
		if (b->tiles[at] > 0) {
			choose_bin(c, app, (uint32_t)at);
			return;
		}
	}
}

static bool histogram_command(
    struct charts *c, struct app *app, enum command_id id, const char *argument)
{
	struct chart_histogram_state *h = &c->histogram;
	(void)argument;
	if (!c->has_data || c->data.used == 0)
		return false;
	ready_for(c, app);
	uint32_t bin = chosen_bin(h);
	bool free = app->modal == MODAL_NONE && app->ui.focus == 0;
	if (id == COMMAND_back && bin != GCS_NONE && free) {
		h->chosen = false;
		app_toast(app, "Bar deselected");
		app_dirty(app, PANEL_VIEW);
		return true;
	}
	if ((id == COMMAND_open_frame || id == COMMAND_frame_out) && bin != GCS_NONE) {
		const int dir = id == COMMAND_open_frame ? 1 : 0;
		heap_colours_turn_name(app, c->data.space_id, c->data.stream_id, bin, dir);
		app_dirty(app, PANEL_VIEW);
		return true;
	}
	if (id == COMMAND_tile_up || id == COMMAND_tile_down) {
		walk_bins(c, app, id == COMMAND_tile_up ? 1 : -1);
		return true;
	}
	if ((id != COMMAND_tile_left && id != COMMAND_tile_right) || bin == GCS_NONE)
		return false;
	uint32_t tile = bins_tile(
	    &h->bins, &c->data, bin, charts_selected(c, app), id == COMMAND_tile_right ? 1 : -1);
	if (tile != GCS_NONE)
		app_select(app, c->data.space_id, tile);
	return true;
}

static bool histogram_place(struct charts *c, struct app *app, uint32_t tile, struct cv_rect *r)
{
	(void)app;
	if (!c->has_data || !chart_used(&c->data, tile) || c->histogram.bins.count == 0)
		return false;
	uint32_t bin = bins_of(&c->histogram.bins, (double)c->data.values[tile]);
	*r = charts_column_rect(&c->plot, c->histogram.bins.count, bin);
	return true;
}

static void histogram_text(struct charts *c, struct app *app, struct textbuf *out)
{
	const struct bins *b = &c->histogram.bins;
	char name[360], share[80];
	(void)app;
	for (uint32_t i = 0; i < b->count; i++) {
		bins_text(name, sizeof name, b, &c->data, i);
		bin_share(share, sizeof share, b, i);
		textbuf_printf(out, "%s\t%s\n", name, share);
	}
}

const struct chart chart_histogram = {
    .name = "histogram",
    .title = "Histogram",
    .needs_values = true,
    .heading = histogram_heading,
    .paint = histogram_paint,
    .point = histogram_point,
    .press = histogram_press,
    .command = histogram_command,
    .place = histogram_place,
    .text = histogram_text,
};
