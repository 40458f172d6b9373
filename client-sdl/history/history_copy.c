/* A history graph as text: a line for each visible row. Declared in history_view.h. */
#include <inttypes.h>
#include <stdio.h>

#include <gcspy/format.h>

#include "history_view.h"

#define MOST_CELLS 200000u

static void put_head(const struct hist_view *v, const struct hist_plan *p, struct textbuf *out)
{
	char text[600];
	textbuf_puts(out, "event\tnumber\tseconds\tevents\tpause ns");
	for (uint32_t i = 0; i < p->lanes; i++) {
		hist_lane_text(v, i, text, sizeof text);
		textbuf_printf(out, "\ttotal of %s", text);
		for (uint32_t c = 0; c < p->block[i].columns; c++) {
			hist_tile_text(v, p, i, c, text, sizeof text);
			textbuf_printf(out, "\t%s", text);
		}
	}
	textbuf_puts(out, "\n");
}

static void put_cells(struct hist_view *v, const struct hist_plan *p, uint32_t lane, uint32_t from,
    uint32_t to, struct textbuf *out)
{
	const struct hist_block *b = &p->block[lane];
	const struct gcs_stream *st = hist_stream(v, lane);
	bool names = st == NULL || st->presentation == GCS_ENUM;
	char text[400];
	for (uint32_t c = 0; c < b->columns; c++) {
		struct hist_cell cell =
		    hist_gather(&v->graph, lane, from, to, c * b->join, b->join);
		textbuf_puts(out, "\t");
		hist_cell_text(v, lane, &cell, text, sizeof text);
		if (cell.count > 0 && !names)
			textbuf_printf(out, "%" PRId64,
			    hist_cell_value(&cell, (enum hist_reduce)v->set.reduce));
		else
			textbuf_printf(out, "%s", text);
	}
}

static void put_line(
    struct hist_view *v, const struct hist_plan *p, uint64_t line, struct textbuf *out)
{
	const struct gcs_model *model = v->graph.model;
	uint32_t from, to;
	hist_line_rows(p, &v->graph, line, &from, &to);
	if (from >= to)
		return;
	const struct hist_row *first = hist_row_at(&v->graph, from);
	const struct hist_row *last = hist_row_at(&v->graph, to - 1);
	uint64_t events = 0;
	for (uint32_t i = from; i < to; i++)
		events += hist_row_at(&v->graph, i)->events;
	textbuf_printf(out, "%s",
	    model != NULL && last->event < model->event_count ? model->events[last->event].name
							      : "?");
	uint64_t ns =
	    first->time_ns - (v->origin_ns < first->time_ns ? v->origin_ns : first->time_ns);
	textbuf_printf(out, "\t%" PRIu64 "\t%" PRIu64 ".%06" PRIu64 "\t%" PRIu64, last->number,
	    ns / 1000000000u, ns % 1000000000u / 1000u, events);
	int64_t pause = hist_chart_value(v, p, CHART_PAUSE, line);
	if (pause != HIST_NONE)
		textbuf_printf(out, "\t%" PRId64, pause);
	else
		textbuf_puts(out, "\t");
	for (uint32_t i = 0; i < p->lanes; i++) {
		int64_t total = hist_chart_value(v, p, i, line);
		textbuf_puts(out, "\t");
		if (total != HIST_NONE)
			textbuf_printf(out, "%" PRId64, total);
		put_cells(v, p, i, from, to, out);
	}
	textbuf_puts(out, "\n");
}

/* The time that the other views show, unless it is the newest. */
static void put_shown(struct hist_view *v, const struct app *app, struct textbuf *out)
{
	const struct hist_plan *p = &v->plan;
	char time[64];
	uint64_t line;
	if (!hist_looks_back(app) || !hist_present_line(v, app, p, &line))
		return;
	hist_time_text(v, gcs_snapshot_occurrence(app->snapshot)->time_ns, time, sizeof time);
	textbuf_printf(out, "shown time\t%s\t%s\n", time,
	    line >= p->top && line < p->top + p->page ? "visible" : "not visible");
}

static void put_cursor(struct hist_view *v, struct textbuf *out)
{
	const struct hist_plan *p = &v->plan;
	char time[64], tile[200], value[400];
	uint64_t line;
	uint32_t column, from, to;
	if (!hist_cursor_place(v, p, &line, &column))
		return;
	hist_line_rows(p, &v->graph, line, &from, &to);
	const struct hist_block *b = &p->block[v->cursor_lane];
	struct hist_cell cell =
	    hist_gather(&v->graph, v->cursor_lane, from, to, column * b->join, b->join);
	hist_time_text(v, v->cursor_ns, time, sizeof time);
	hist_tile_text(v, p, v->cursor_lane, column, tile, sizeof tile);
	hist_cell_text(v, v->cursor_lane, &cell, value, sizeof value);
	textbuf_printf(out, "cursor\t%s\t%s\t%s\n", time, tile, value);
}

void hist_copy_text(void *self, struct app *app, struct textbuf *out)
{
	struct hist_view *v = self;
	const struct hist_plan *p = &v->plan;
	char text[1200], title[200];
	app_frame(app);
	textbuf_puts(out, "history\t");
	hist_title_text(v, text, sizeof text);
	textbuf_printf(out, "%s", text);
	textbuf_puts(out, "\n");
	hist_notice_text(v, text, sizeof text);
	if (text[0] != 0)
		textbuf_printf(out, "%s\n", text);
	if (v->graph.count == 0 || p->columns == 0 || p->page == 0) {
		hist_empty_text(v, app, title, sizeof title, text, sizeof text);
		textbuf_printf(out, "%s\n%s\n", title, text);
		return;
	}
	hist_status_text(v, app, p, text, sizeof text);
	textbuf_printf(out, "%s\n", text);
	put_shown(v, app, out);
	put_cursor(v, out);
	put_head(v, p, out);
	uint64_t n = p->lines < p->page ? p->lines : p->page, i = 0;
	for (; i < n && (i + 1) * p->columns <= MOST_CELLS; i++)
		put_line(v, p, p->top + i, out);
	if (i < n)
		textbuf_printf(out, "and %" PRIu64 " more visible rows\n", n - i);
}
