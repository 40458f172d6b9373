/* The picture of the history, with the summary and the pauses of its rows beside it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "report_legend.h"
#include "report_page.h"
#include "report_png.h"

/* Pixels of the picture's own coordinates. */
enum { LEFT = 84, TOP = 34, SIDE = 120, GAP = 14, LEAST_WIDTH = 360, LEAST_HEIGHT = 160 };

struct past {
	const struct history *history;
	struct text *text;
	double width, height; /* of the tiles' part */
	double row;           /* height of a row */
	double side[2];       /* where the charts beside it begin */
};

static struct past layout(struct report *r)
{
	const struct history *h = &r->history;
	struct past p = {.history = h, .text = r->text};
	/* A few tiles or events are drawn larger than a pixel. */
	double wide = (double)((LEAST_WIDTH + h->columns - 1) / h->columns);
	double high = (double)((LEAST_HEIGHT + h->rows - 1) / h->rows);
	p.width = h->columns * (wide > 1 ? wide : 1);
	p.row = high > 12 ? 12 : high > 1 ? high : 1; /* whole, as wide is */
	p.height = h->rows * p.row;
	p.side[0] = LEFT + p.width + GAP;
	p.side[1] = p.side[0] + SIDE + GAP;
	return p;
}

/* A tile is drawn as large as its place, because not all who show pictures leave pixels as they
 * are. */
static enum gcs_status put_tiles(struct past *p, struct gcs_error *err)
{
	const struct history *h = p->history;
	uint32_t width = (uint32_t)p->width, height = (uint32_t)p->height;
	uint32_t wide = width / h->columns, high = height / h->rows;
	uint8_t *pixels = gcs_alloc((size_t)width * height);
	if (pixels == NULL)
		return gcs_fail(err, GCS_NOMEM, "no memory for the history");
	for (uint32_t y = 0; y < height; y++) {
		const uint8_t *line = h->pixels + (size_t)(y / high) * HISTORY_COLUMNS;
		for (uint32_t x = 0; x < width; x++)
			pixels[(size_t)y * width + x] = line[x / wide];
	}
	text_format(p->text, "<image x=\"%d\" y=\"%d\" width=\"%u\" height=\"%u\" href=\"", LEFT,
	    TOP, (unsigned)width, (unsigned)height);
	enum gcs_status status = png_uri(p->text, pixels, width, height, err);
	text_raw(p->text, "\"/>\n");
	gcs_free(pixels);
	return status;
}

/* Tiles along the top: bytes from the space's beginning where tiles have a size. */
static void put_columns(struct past *p)
{
	enum { STEPS = 4 };
	const struct history *h = p->history;
	const struct gcs_space *space = &h->model->spaces[h->space_id];
	bool sized = space->block_bytes != 0;
	double all = (double)h->columns * h->per_column * (sized ? (double)space->block_bytes : 1);
	char words[48];
	for (unsigned i = 0; i <= STEPS; i++) {
		double x = LEFT + p->width * i / STEPS;
		double value = all * i / STEPS;
		text_format(p->text,
		    "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%.1f\"/>"
		    "<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>\n",
		    x, x, TOP - 6, TOP + p->height, i == STEPS ? "up" : "along", x, TOP - 12,
		    sized ? text_size(words, sizeof words, value)
			  : text_count(words, sizeof words, value));
	}
}

/* Times along the left edge, and strokes where the whole heap was collected. */
static void put_rows(struct past *p, const struct report *r)
{
	const struct history *h = p->history;
	uint32_t step = (uint32_t)(48 / p->row);
	char at[32];
	step = step == 0 ? 1 : step;
	for (uint32_t i = 0; i < h->rows; i += step)
		text_format(p->text, "<text class=\"up\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT - 8,
		    TOP + i * p->row + 9, report_moment(at, sizeof at, r, h->row[i].time_ns));
	text_raw(p->text, "<path class=\"full\" d=\"");
	for (uint32_t i = 0; i < h->rows; i++)
		if (h->row[i].full)
			text_format(p->text, "M%d %.1fh5", LEFT - 6, TOP + (i + 0.5) * p->row);
	text_raw(p->text, "\"/>\n");
}

static double most_of(const struct history *h, bool pauses)
{
	double most = 0;
	for (uint32_t i = 0; i < h->rows; i++) {
		double v = pauses               ? h->row[i].pause_ns
			   : h->row[i].has_most ? (double)h->row[i].most
						: 0;
		most = v > most ? v : most;
	}
	return most;
}

static void put_side_head(struct past *p, unsigned side, const char *name, const char *most)
{
	double left = p->side[side];
	text_format(p->text,
	    "<rect class=\"side\" x=\"%.1f\" y=\"%d\" width=\"%d\" height=\"%.1f\"/>"
	    "<text x=\"%.1f\" y=\"%d\">",
	    left, TOP, SIDE, p->height, left, TOP - 20);
	text_xml_cut(p->text, name, 18);
	text_format(p->text, "</text><text class=\"up\" x=\"%.1f\" y=\"%d\">%s</text>\n",
	    left + SIDE, TOP - 5, most);
}

/* The stream whose totals stand beside the rows: as report_history.c chooses. */
static const struct gcs_stream *summed(const struct history *h)
{
	const struct gcs_space *space = &h->model->spaces[h->space_id];
	for (uint32_t i = 0; i <= space->stream_count; i++) {
		const struct gcs_stream *s = &space->streams[i == 0 ? h->stream_id : i - 1];
		if (s->summary == GCS_SUMMARY_TOTAL || s->summary == GCS_SUMMARY_SHARE)
			return s;
	}
	return NULL;
}

static void put_summary(struct past *p)
{
	const struct history *h = p->history;
	const struct gcs_stream *stream = summed(h);
	double most = most_of(h, false);
	char words[48];
	if (stream == NULL || !(most > 0))
		return;
	put_side_head(p, 0, stream->name,
	    gcs_format_number(words, sizeof words, (int64_t)text_rounded(most), stream->format));
	text_raw(p->text, "<polyline class=\"line before\" points=\"");
	for (uint32_t i = 0; i < h->rows; i++)
		if (h->row[i].has_most)
			text_format(p->text, "%.1f,%.1f ",
			    p->side[0] + (double)h->row[i].most / most * SIDE,
			    TOP + (i + 0.5) * p->row);
	text_raw(p->text, "\"/>\n");
}

static void put_pauses(struct past *p)
{
	const struct history *h = p->history;
	double most = most_of(h, true);
	char words[48];
	if (!(most > 0))
		return;
	put_side_head(p, 1, "Pause",
	    gcs_format_number(words, sizeof words, (int64_t)text_rounded(most), GCS_NANOSECONDS));
	text_raw(p->text, "<path class=\"bars\" d=\"");
	for (uint32_t i = 0; i < h->rows; i++)
		if (h->row[i].pause_ns > 0)
			text_format(p->text, "M%.1f %.1fh%.1f", p->side[1],
			    TOP + (i + 0.5) * p->row, h->row[i].pause_ns / most * SIDE);
	text_format(p->text, "\" stroke-width=\"%.1f\"/>\n", p->row > 2 ? p->row - 1 : p->row);
}

static void put_hits(struct past *p, const struct report *r)
{
	const struct history *h = p->history;
	char at[32], pause[32];
	for (uint32_t i = 0; i < h->rows; i++) {
		text_format(p->text,
		    "<rect class=\"hit\" x=\"%d\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"><title>"
		    "%s, from event %" PRIu64,
		    LEFT, TOP + i * p->row, p->width + 2 * (SIDE + GAP), p->row,
		    report_moment(at, sizeof at, r, h->row[i].time_ns), h->row[i].place);
		if (h->row[i].pause_ns > 0)
			text_format(p->text, ", pause %s",
			    gcs_format_number(
				pause, sizeof pause, (int64_t)h->row[i].pause_ns, GCS_NANOSECONDS));
		text_raw(p->text, "</title></rect>\n");
	}
}

/* What a row and a column are, and what was put together. */
static void put_words(struct report *r)
{
	const struct history *h = &r->history;
	const struct gcs_stream *s = &h->model->spaces[h->space_id].streams[h->stream_id];
	const char *how = s->presentation == GCS_ENUM ? "the commonest name is shown"
						      : "the largest value is shown";
	text_raw(r->text, "<p>");
	text_xml(r->text, h->space);
	text_raw(r->text, ", by ");
	text_xml(r->text, s->name);
	text_raw(r->text, "; time runs down, tiles run to the right. ");
	if (h->per_row == 1 && h->per_column == 1)
		text_raw(r->text, "A row is an event, a column a tile.");
	else
		text_format(r->text, "A row is %" PRIu64 " event%s, a column %u tile%s: %s.",
		    h->per_row, h->per_row == 1 ? "" : "s", (unsigned)h->per_column,
		    h->per_column == 1 ? "" : "s", how);
	text_raw(r->text, " A stroke at the left edge is a full collection. Beside it the largest "
			  "total and the longest pause of each row.</p>\n");
}

enum gcs_status report_history(struct report *r, struct gcs_error *err)
{
	const struct history *h = &r->history;
	enum gcs_status status = GCS_OK;
	text_raw(r->text, "<section id=\"history\"><h2>History</h2>\n");
	if (h->space == NULL || h->rows == 0 || h->columns == 0) {
		text_raw(r->text, "<p>There is no space with tiles.</p></section>\n");
		return GCS_OK;
	}
	struct past p = layout(r);
	put_words(r);
	legend_put(r->text, h->model, h->space_id, h->stream_id);
	text_format(r->text,
	    "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart past\" role=\"img\" "
	    "aria-label=\"History of the main space\" viewBox=\"0 0 %.0f %.0f\" "
	    "style=\"max-width:%.0fpx\">\n",
	    p.side[1] + SIDE + 24, TOP + p.height + 8, p.side[1] + SIDE + 24);
	put_columns(&p);
	status = put_tiles(&p, err);
	put_rows(&p, r);
	put_summary(&p);
	put_pauses(&p);
	put_hits(&p, r);
	text_raw(
	    r->text, "</svg>\n<p class=\"note\" aria-live=\"polite\"></p></figure></section>\n");
	return status;
}
