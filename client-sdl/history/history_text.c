/* History graphs as text. Declared in history_view.h. */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "palette.h"
#include "tilecode.h"

const struct gcs_space *hist_space(const struct hist_view *v, uint32_t lane)
{
	const struct gcs_model *model = v->graph.model;
	uint32_t id =
	    model != NULL ? gcs_model_find_space(model, v->graph.lane[lane].space) : GCS_NONE;
	return id != GCS_NONE ? &model->spaces[id] : NULL;
}

const struct gcs_stream *hist_stream(const struct hist_view *v, uint32_t lane)
{
	const struct gcs_space *s = hist_space(v, lane);
	uint32_t id = s != NULL && !v->graph.lane[lane].bare
			  ? gcs_space_find_stream(s, v->graph.lane[lane].stream)
			  : GCS_NONE;
	return id != GCS_NONE ? &s->streams[id] : NULL;
}

static char *decimal(char *text, size_t size, uint64_t n)
{
	return gcs_format_number(text, size, (int64_t)n, GCS_DECIMAL);
}

char *hist_time_text(const struct hist_view *v, uint64_t time_ns, char *text, size_t size)
{
	uint64_t base = v->origin_ns;
	return replay_put_time(text, size, time_ns > base ? time_ns - base : 0);
}

void hist_lane_text(const struct hist_view *v, uint32_t lane, char *text, size_t size)
{
	const struct hist_lane *l = &v->graph.lane[lane];
	snprintf(text, size, "%s \xc2\xb7 %s", l->space, l->bare ? "used or unused" : l->stream);
}

static bool of_one_space(const struct hist_graph *g)
{
	for (uint32_t i = 1; i < g->lanes; i++) {
		if (strcmp(g->lane[i].space, g->lane[0].space) != 0)
			return false;
	}
	return true;
}

void hist_title_text(const struct hist_view *v, char *text, size_t size)
{
	const struct hist_graph *g = &v->graph;
	size_t n =
	    (size_t)snprintf(text, size, "%s%s", v->set.prefix, v->set.prefix[0] != 0 ? " " : "");
	bool one = of_one_space(g);
	for (uint32_t i = 0; i < g->lanes && n < size; i++) {
		if (i == 0 || !one)
			n += (size_t)snprintf(
			    text + n, size - n, "%s%.100s", i > 0 ? ", " : "", g->lane[i].space);
		if (n < size)
			n += (size_t)snprintf(text + n, size - n, "%s%.100s",
			    i > 0 && one ? ", " : " \xc2\xb7 ",
			    g->lane[i].bare ? "used or unused" : g->lane[i].stream);
	}
}

/* "up to 4 tiles per column"; false if no tiles are joined. */
static bool joined_text(
    const struct hist_view *v, const struct hist_plan *p, char *text, size_t size)
{
	char number[48];
	uint64_t least = UINT64_MAX, most = 1;
	for (uint32_t i = 0; i < p->lanes; i++) {
		uint64_t per = hist_tiles_per(&v->graph, p, i);
		least = per < least ? per : least;
		most = per > most ? per : most;
	}
	snprintf(text, size, "%s%s tiles per column", least < most ? "up to " : "",
	    decimal(number, sizeof number, most));
	return most > 1;
}

void hist_status_text(const struct hist_view *v, const struct app *app, const struct hist_plan *p,
    char *text, size_t size)
{
	const struct hist_graph *g = &v->graph;
	char a[48], b[48], part[500];
	uint64_t per = g->stride * p->group;
	snprintf(
	    text, size, "%s event%s", decimal(a, sizeof a, g->events), g->events == 1 ? "" : "s");
	if (per > 1)
		append_clause(text, size, "%s events per row", decimal(a, sizeof a, per));
	bool joined = joined_text(v, p, part, sizeof part);
	if (joined)
		append_clause(text, size, "%s", part);
	size_t n = strlen(text);
	if (per > 1 || joined)
		snprintf(text + n, size - n, ", showing the %s",
		    v->set.reduce == HIST_MEAN ? "mean" : "largest");
	if (v->set.smooth > 0)
		append_clause(text, size, "smoothed over %d rows", hist_window(&v->set));
	if (v->set.edges)
		append_clause(text, size, "differences from the previous row");
	else if (v->only.on)
		append_clause(text, size, "only %.80s, the rest dimmed", v->only.name);
	hist_line_text(v, app, p, part, sizeof part);
	if (part[0] != 0)
		append_clause(text, size, "%s", part);
	append_clause(text, size, "%s \xc3\x97 %s pixels",
	    decimal(a, sizeof a, (uint64_t)p->raster.w),
	    decimal(b, sizeof b, p->lines * (uint64_t)p->row_px));
	if (p->left_out > 0)
		append_clause(
		    text, size, "no room for %u chart%s", p->left_out, p->left_out == 1 ? "" : "s");
}

void hist_notice_text(const struct hist_view *v, char *text, size_t size)
{
	const struct hist_graph *g = &v->graph;
	char number[48];
	uint32_t stride = 1;
	text[0] = 0;
	if (v->reading)
		append_clause(text, size, "reading %d %%", (int)(v->progress.part * 100));
	if (g->given_up > 0)
		append_clause(text, size, "%s earlier events omitted",
		    decimal(number, sizeof number, g->given_up));
	for (uint32_t i = 0; i < g->count; i++)
		stride = hist_row_at(g, i)->stride > stride ? hist_row_at(g, i)->stride : stride;
	if (stride > 1)
		append_clause(text, size, "one in %u early events kept", stride);
	if (v->progress.unreadable > 0)
		append_clause(text, size, "%s events unreadable",
		    decimal(number, sizeof number, v->progress.unreadable));
	if (v->progress.why[0] != 0)
		append_clause(text, size, "%s", v->progress.why);
	if (!v->set.collect)
		append_clause(text, size, "not collecting");
}

/* Bytes and durations have a unit; other numbers have the stream's suffix. */
void hist_number_text(
    const struct hist_view *v, uint32_t lane, int64_t value, char *text, size_t size)
{
	const struct gcs_stream *st = hist_stream(v, lane);
	char number[64];
	enum gcs_format format = st != NULL ? st->format : GCS_DECIMAL;
	bool has_unit = format == GCS_BYTES || format == GCS_NANOSECONDS;
	gcs_format_number(number, sizeof number, value, format);
	snprintf(text, size, "%.60s%s%.60s", st != NULL ? st->prefix : "", number,
	    st != NULL && !has_unit ? st->suffix : "");
}

static void name_text(const struct gcs_stream *st, uint16_t look, char *text, size_t size)
{
	uint64_t i =
	    look == LOOK_ZERO ? (uint64_t)st->zero - (uint64_t)st->min : (uint64_t)look - LOOK_ENUM;
	snprintf(text, size, "%s", i < st->enum_count ? st->enum_names[i] : "?");
}

void hist_cell_text(
    const struct hist_view *v, uint32_t lane, const struct hist_cell *cell, char *text, size_t size)
{
	const struct gcs_space *s = hist_space(v, lane);
	const struct gcs_stream *st = hist_stream(v, lane);
	enum hist_reduce by = (enum hist_reduce)v->set.reduce;
	uint16_t look = hist_cell_code(cell, by);
	if (cell->count == 0) {
		const char *unused = s != NULL && *s->unused_text != 0 ? s->unused_text : "unused";
		/* A stream that is counted has no value in unused tiles either. */
		if (s != NULL && st != NULL &&
		    tilecode_counted_by(s, (uint32_t)(st - s->streams)) != GCS_NONE)
			unused = "\xe2\x80\x93";
		snprintf(text, size, "%s", look == LOOK_UNUSED ? unused : "no tile");
	} else if (v->graph.lane[lane].bare) {
		snprintf(text, size, "used");
	} else if (st != NULL && st->presentation == GCS_ENUM) {
		name_text(st, look, text, size);
	} else {
		int64_t value = hist_cell_value(cell, by);
		hist_number_text(v, lane, value, text, size);
		size_t n = strlen(text);
		if (st != NULL && st->presentation == GCS_PERCENT && n < size) {
			double share = look < PALETTE_SHADES ? look / (PALETTE_SHADES - 1.0) : 0;
			if (st->maximum == GCS_MAX_FIXED && st->max > st->min)
				share = ((double)value - (double)st->min) /
					((double)st->max - (double)st->min);
			snprintf(text + n, size - n, " (%.0f %%)", share * 100);
		} else if (look == LOOK_OVER && n < size) {
			snprintf(text + n, size - n, " (maximum or more)");
		}
	}
}

void hist_tile_text(const struct hist_view *v, const struct hist_plan *p, uint32_t lane,
    uint32_t column, char *text, size_t size)
{
	const struct hist_lane *l = &v->graph.lane[lane];
	uint64_t per = hist_tiles_per(&v->graph, p, lane);
	uint64_t first = column * per, last = first + per - 1;
	char a[48], b[48], range[100] = "";
	last = last < l->tiles ? last : l->tiles > 0 ? l->tiles - 1 : 0;
	if (l->block_bytes > 0 && l->base > 0)
		snprintf(range, sizeof range,
		    "  0x%" PRIx64 "\xe2\x80\x93"
		    "0x%" PRIx64,
		    l->base + first * l->block_bytes, l->base + (last + 1) * l->block_bytes);
	if (last > first)
		snprintf(text, size, "%s \xe2\x80\x93 %s%s", decimal(a, sizeof a, first),
		    decimal(b, sizeof b, last), range);
	else
		snprintf(text, size, "%s%s", decimal(a, sizeof a, first), range);
}

void hist_legend_text(
    const struct hist_view *v, uint32_t lane, uint64_t tile, char *text, size_t size)
{
	const struct hist_lane *l = &v->graph.lane[lane];
	int legend = v->set.legend;
	char number[48];
	if (legend == LEGEND_AUTO)
		legend = v->set.factor != 1 || v->set.postfix[0] != 0 || l->block_bytes == 0
			     ? LEGEND_NUMBER
			     : LEGEND_BYTES;
	if (legend == LEGEND_ADDRESS && l->block_bytes > 0)
		snprintf(text, size, "0x%" PRIx64, l->base + tile * l->block_bytes);
	else if (legend == LEGEND_BYTES && l->block_bytes > 0)
		gcs_format_number(text, size, (int64_t)(tile * l->block_bytes), GCS_BYTES);
	else if (v->set.factor == 1)
		snprintf(text, size, "%s%s%s", decimal(number, sizeof number, tile),
		    v->set.postfix[0] != 0 ? " " : "", v->set.postfix);
	else
		snprintf(text, size, "%.4g%s%s", (double)tile * v->set.factor,
		    v->set.postfix[0] != 0 ? " " : "", v->set.postfix);
}

/* The stream's name; with several spaces the lane's. */
void hist_chart_name(const struct hist_view *v, uint32_t of, char *text, size_t size)
{
	if (of == CHART_PAUSE || of == CHART_USED)
		snprintf(text, size, "%s", of == CHART_PAUSE ? "Pause" : "Used");
	else if (of_one_space(&v->graph))
		snprintf(text, size, "%s", v->graph.lane[of].stream);
	else
		hist_lane_text(v, of, text, size);
}

void hist_chart_text(const struct hist_view *v, uint32_t of, int64_t value, char *text, size_t size)
{
	if (value == HIST_NONE)
		snprintf(text, size, "\xe2\x80\x93");
	else if (of < HIST_LANES)
		hist_number_text(v, of, value, text, size);
	else
		gcs_format_number(
		    text, size, value, of == CHART_PAUSE ? GCS_NANOSECONDS : GCS_BYTES);
}

static size_t tip_row(struct ui *ui, size_t n, const char *label, const char *value)
{
	if (n >= sizeof ui->tip)
		return n;
	return n + (size_t)snprintf(ui->tip + n, sizeof ui->tip - n, "\n%s\t%s", label, value);
}

/* The events of a line and its rows. */
static size_t tip_event(struct hist_view *v, struct app *app, uint32_t from, uint32_t to)
{
	struct ui *ui = &app->ui;
	const struct gcs_model *model = v->graph.model;
	const struct hist_row *first = hist_row_at(&v->graph, from);
	const struct hist_row *last = hist_row_at(&v->graph, to - 1);
	char a[64], b[64], text[160];
	uint64_t events = 0;
	int64_t pause = -1;
	for (uint32_t i = from; i < to; i++) {
		const struct hist_row *row = hist_row_at(&v->graph, i);
		events += row->events;
		pause = row->pause_ns > pause ? row->pause_ns : pause;
	}
	size_t n;
	if (events == 1)
		n = (size_t)snprintf(ui->tip, sizeof ui->tip, "%.200s",
		    model != NULL && last->event < model->event_count
			? model->events[last->event].name
			: "Event");
	else
		n = (size_t)snprintf(
		    ui->tip, sizeof ui->tip, "%s events", decimal(a, sizeof a, events));
	n = tip_row(
	    ui, n, events == 1 ? "Event #" : "Last event #", decimal(a, sizeof a, last->number));
	hist_time_text(v, first->time_ns, a, sizeof a);
	hist_time_text(v, last->last_ns, b, sizeof b);
	snprintf(text, sizeof text, "%s%s%s", a, events > 1 ? " \xe2\x80\x93 " : "",
	    events > 1 ? b : "");
	n = tip_row(ui, n, "Time", text);
	if (pause >= 0)
		n = tip_row(ui, n, events > 1 ? "Longest pause" : "Pause",
		    gcs_format_number(a, sizeof a, pause, GCS_NANOSECONDS));
	return n;
}

void hist_tip(struct hist_view *v, struct app *app, uint64_t line, uint32_t lane, uint32_t column)
{
	struct ui *ui = &app->ui;
	const struct hist_plan *p = &v->plan;
	char text[600], words[700];
	uint32_t from, to;
	hist_line_rows(p, &v->graph, line, &from, &to);
	if (from >= to)
		return;
	size_t n = tip_event(v, app, from, to);
	ui->tip_at = rect_make(p->axis.x, hist_line_y(p, line), p->axis.w, p->row_px);
	if (lane >= p->lanes)
		return;
	const struct hist_block *b = &p->block[lane];
	const struct gcs_space *s = hist_space(v, lane);
	ui->tip_at = hist_cell_rect(p, lane, column, line);
	n = tip_row(ui, n, "Space", v->graph.lane[lane].space);
	hist_tile_text(v, p, lane, column, text, sizeof text);
	n = tip_row(ui, n, s != NULL && *s->tile_title != 0 ? s->tile_title : "Tile", text);
	struct hist_cell cell = hist_gather(&v->graph, lane, from, to, column * b->join, b->join);
	hist_cell_text(v, lane, &cell, text, sizeof text);
	bool several = to > from + 1 || hist_row_at(&v->graph, from)->events > 1 ||
		       hist_tiles_per(&v->graph, p, lane) > 1;
	snprintf(words, sizeof words, "%s%s", text,
	    !several || cell.count == 0  ? ""
	    : v->set.reduce == HIST_MEAN ? " (mean)"
					 : " (largest)");
	n = tip_row(ui, n, v->graph.lane[lane].bare ? "State" : v->graph.lane[lane].stream, words);
	if (v->set.edges && from > 0 && cell.count > 0) {
		cell = hist_gather(&v->graph, lane, from - 1, from, column * b->join, b->join);
		hist_cell_text(v, lane, &cell, text, sizeof text);
		tip_row(ui, n, "Previous row", text);
	}
}

void hist_tip_chart(struct hist_view *v, struct app *app, uint64_t line, uint32_t chart)
{
	struct ui *ui = &app->ui;
	const struct hist_plan *p = &v->plan;
	uint32_t of = p->chart_of[chart];
	char name[600], text[200];
	hist_tip(v, app, line, HIST_LANES, 0);
	if (of == CHART_PAUSE || ui->tip[0] == 0)
		return;
	hist_chart_name(v, of, name, sizeof name);
	hist_chart_text(v, of, hist_chart_value(v, p, of, line), text, sizeof text);
	tip_row(ui, strlen(ui->tip), name, text);
	ui->tip_at.x = p->chart[chart].x;
	ui->tip_at.w = p->chart[chart].w;
}

void hist_empty_text(const struct hist_view *v, const struct app *app, char *title,
    size_t title_size, char *text, size_t size)
{
	if (v->graph.count > 0) {
		snprintf(title, title_size, "No room for the graph");
		snprintf(text, size, "Enlarge the window, or hide charts and title.");
	} else if (v->reading || v->wanted) {
		snprintf(title, title_size, "Reading %d %%", (int)(v->progress.part * 100));
		snprintf(text, size, "Earlier events are being read from the recording.");
	} else if (v->progress.why[0] != 0) {
		snprintf(title, title_size, "No history");
		snprintf(text, size, "%s", v->progress.why);
	} else if (app->source.ops == NULL) {
		snprintf(title, title_size, "No history yet");
		snprintf(text, size,
		    "Ctrl+L connects to a program or opens a recording. Each event becomes a "
		    "row of this graph.");
	} else if (!v->set.collect) {
		snprintf(title, title_size, "Collecting is off");
		snprintf(text, size, "Turn on \"Collect\" in the settings (Shift+H).");
	} else {
		snprintf(title, title_size, "No events yet");
		snprintf(text, size,
		    "Each event from the program becomes a row with one column per tile of "
		    "the "
		    "space.");
	}
}
