/* The history of the main space (OOPSLA 2002, section 6.3), with totals and pauses beside it. */
#include <inttypes.h>

#include <gcspy/format.h>

#include "picture.h"
#include "report_page.h"

/* Units of the picture's own coordinates. */
enum { LEFT = 84, TOP = 34, SIDE = 120, GAP = 14, LEAST_WIDTH = 360, LEAST_HEIGHT = 160 };

struct drawing {
	struct report *report;
	const struct hist_graph *graph;
	const struct gcs_space *space;
	uint32_t columns;  /* cells */
	int wide, high;    /* of a cell */
	int width, height; /* of all cells */
	int side[2];       /* where the two charts beside them begin */
};

const struct gcs_space *report_history_space(const struct report *r)
{
	const struct gcs_model *m = r->history.model;
	return m == NULL ? NULL : &m->spaces[gcs_model_find_space(m, r->history.lane[0].space)];
}

const char *report_reduce_words(const struct gcs_space *space)
{
	return report_reduce(space) == HIST_MEAN ? "the commonest name is shown"
						 : "the largest value is shown";
}

static struct drawing lay_out(struct report *r)
{
	const struct hist_graph *g = &r->history;
	const struct hist_lane *lane = &g->lane[0];
	struct drawing d = {.report = r, .graph = g, .space = report_history_space(r)};
	d.columns = (uint32_t)(((uint64_t)lane->tiles + (1u << lane->shift) - 1) >> lane->shift);
	if (d.columns == 0 || g->count == 0)
		return d;
	/* A few tiles or events are drawn larger than a pixel. */
	d.wide = (int)((LEAST_WIDTH + d.columns - 1) / d.columns);
	d.high = (int)((LEAST_HEIGHT + g->count - 1) / g->count);
	d.high = d.high > 12 ? 12 : d.high;
	d.width = (int)d.columns * d.wide;
	d.height = (int)g->count * d.high;
	d.side[0] = LEFT + d.width + GAP;
	d.side[1] = d.side[0] + SIDE + GAP;
	return d;
}

/* A cell has as many pixels as units, because not every program that shows pictures leaves pixels
 * sharp. */
static enum gcs_status put_tiles(const struct drawing *d, struct gcs_error *err)
{
	struct picture p;
	bool open = picture_open(&p, (uint32_t)d->width, (uint32_t)d->height);
	for (uint32_t y = 0; open && y < d->graph->count; y++) {
		const struct hist_row *row = hist_row_at(d->graph, y);
		for (uint32_t x = 0; x < row->lane[0].columns; x++)
			picture_tile(&p,
			    rect_make((int)x * d->wide, (int)y * d->high, d->wide, d->high),
			    hist_cell_code(
				&row->cell[row->lane[0].first + x], report_reduce(d->space)));
	}
	text_format(d->report->text, "<image x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" href=\"",
	    LEFT, TOP, d->width, d->height);
	enum gcs_status status = picture_close(&p, d->report->text, err);
	PUT(d->report, "\"/>\n");
	return status;
}

/* Along the top: bytes from the space's beginning where tiles have a size, or tiles. */
static void put_columns(const struct drawing *d)
{
	enum { STEPS = 4 };
	bool sized = d->space->block_bytes != 0;
	double all = (double)d->columns * (1u << d->graph->lane[0].shift) *
		     (sized ? (double)d->space->block_bytes : 1);
	for (unsigned i = 0; i <= STEPS; i++) {
		double x = LEFT + (double)d->width * i / STEPS, value = all * i / STEPS;
		text_format(d->report->text,
		    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>"
		    "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n",
		    x, x, TOP - 6, TOP + d->height, i == STEPS ? "up" : "along", x, TOP - 12,
		    sized ? say_figure(d->report, value, GCS_UNIT_BYTES)
			  : say_count(d->report, value));
	}
}

static double middle(const struct drawing *d, uint32_t row)
{
	return TOP + (row + 0.5) * d->high;
}

/* Times along the left edge, and strokes at full collections. */
static void put_rows(const struct drawing *d)
{
	struct text *t = d->report->text;
	uint32_t step = 48 / (uint32_t)d->high;
	for (uint32_t i = 0; i < d->graph->count; i += step)
		text_format(t, "<text class=\"up\" x=\"%d\" y=\"%d\">%s</text>\n", LEFT - 8,
		    TOP + (int)i * d->high + 9,
		    say_moment(d->report, hist_row_at(d->graph, i)->time_ns));
	text_raw(t, "<path class=\"full\" d=\"");
	for (uint32_t i = 0; i < d->graph->count; i++)
		if (d->report->rows[i].full)
			text_format(t, "M%d %.1fh5", LEFT - 6, middle(d, i));
	text_raw(t, "\"/>\n");
}

/* The frame of a chart beside the rows, with its name and its largest value. */
static void put_side(const struct drawing *d, unsigned side, const char *name, const char *most)
{
	struct text *t = d->report->text;
	int left = d->side[side];
	text_format(t,
	    "<rect class=\"side\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>"
	    "<text x=\"%d\" y=\"%d\">",
	    left, TOP, SIDE, d->height, left, TOP - 20);
	text_xml_cut(t, name, 18);
	text_format(t, "</text><text class=\"up\" x=\"%d\" y=\"%d\">%s</text>\n", left + SIDE,
	    TOP - 5, most);
}

static void put_totals(const struct drawing *d)
{
	const struct history_row *rows = d->report->rows;
	uint32_t stream = report_summed(d->space);
	double most = 0;
	char words[48];
	for (uint32_t i = 0; i < d->graph->count; i++)
		most = rows[i].total > most ? rows[i].total : most;
	if (stream == GCS_NONE || !(most > 0))
		return;
	const struct gcs_stream *s = &d->space->streams[stream];
	put_side(d, 0, s->name, gcs_format_number(words, sizeof words, (int64_t)most, s->format));
	PUT(d->report, "<polyline class=\"line before\" points=\"");
	for (uint32_t i = 0; i < d->graph->count; i++)
		if (rows[i].total >= 0)
			text_format(d->report->text, "%.1f,%.1f ",
			    d->side[0] + rows[i].total / most * SIDE, middle(d, i));
	PUT(d->report, "\"/>\n");
}

static void put_pauses(const struct drawing *d)
{
	double most = (double)d->graph->most_pause;
	if (!(most > 0))
		return;
	put_side(d, 1, "Pause", say_figure(d->report, most, GCS_UNIT_NANOSECONDS));
	PUT(d->report, "<path class=\"bars\" d=\"");
	for (uint32_t i = 0; i < d->graph->count; i++) {
		double pause = (double)hist_row_at(d->graph, i)->pause_ns;
		if (pause > 0)
			text_format(d->report->text, "M%d %.1fh%.1f", d->side[1], middle(d, i),
			    pause / most * SIDE);
	}
	text_format(
	    d->report->text, "\" stroke-width=\"%d\"/>\n", d->high > 2 ? d->high - 1 : d->high);
}

/* A tooltip for each row. */
static void put_tips(const struct drawing *d)
{
	struct report *r = d->report;
	for (uint32_t i = 0; i < d->graph->count; i++) {
		const struct hist_row *row = hist_row_at(d->graph, i);
		text_format(r->text,
		    "<rect class=\"hit\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"><title>"
		    "%s, from event %" PRIu64 "%s%s</title></rect>\n",
		    LEFT, TOP + (int)i * d->high, d->width + 2 * (SIDE + GAP), d->high,
		    say_moment(r, row->time_ns), r->rows[i].place + 1,
		    row->pause_ns > 0 ? ", pause " : "",
		    row->pause_ns > 0 ? say_figure(r, (double)row->pause_ns, GCS_UNIT_NANOSECONDS)
				      : "");
	}
}

/* What a row and a column are. */
static void put_words(const struct drawing *d)
{
	struct report *r = d->report;
	uint32_t per_column = 1u << d->graph->lane[0].shift;
	FILL(r,
	    "<p>{}, by {}; time runs down, tiles run to the right. {} A stroke at the left edge is "
	    "a full collection. At the right the largest total and the longest pause of each row."
	    "</p>\n",
	    d->space->name, d->space->streams[d->space->default_stream].name,
	    r->per_row == 1 && per_column == 1
		? "A row is an event, a column a tile."
		: say(r, "A row is %" PRIu64 " event%s, a column %u tile%s: %s.", r->per_row,
		      r->per_row == 1 ? "" : "s", (unsigned)per_column, per_column == 1 ? "" : "s",
		      report_reduce_words(d->space)));
}

enum gcs_status report_history(struct report *r, struct gcs_error *err)
{
	PUT(r, "<section id=\"history\"><h2>History</h2>\n");
	struct drawing d = lay_out(r);
	if (d.width == 0) {
		PUT(r, "<p>No space has tiles.</p></section>\n");
		return GCS_OK;
	}
	put_words(&d);
	enum gcs_status status = report_legend(r, err);
	int width = d.side[1] + SIDE + 24;
	text_format(r->text,
	    "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart past\" role=\"img\" "
	    "aria-label=\"History of the main space\" viewBox=\"0 0 %d %d\" "
	    "style=\"max-width:%dpx\">\n",
	    width, TOP + d.height + 8, width);
	put_columns(&d);
	if (status == GCS_OK)
		status = put_tiles(&d, err);
	put_rows(&d);
	put_totals(&d);
	put_pauses(&d);
	put_tips(&d);
	PUT(r, "</svg>\n<p class=\"note\" aria-live=\"polite\"></p></figure></section>\n");
	return status;
}
