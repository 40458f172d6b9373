/* Searching history graphs: for a tile, an event, a graph. Declared in history_view.h. */
#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "findtext.h"
#include "history_view.h"
#include "layout.h"
#include "side.h"

/* The cursor's row, else the row of the shown event, else the newest visible one. */
static uint64_t line_now(const struct hist_view *v, const struct app *app)
{
	const struct hist_plan *p = &v->plan;
	uint64_t line;
	uint32_t column;
	if (hist_cursor_place(v, p, &line, &column) || hist_present_line(v, app, p, &line))
		return line;
	return p->top + (p->lines < p->page ? p->lines : p->page) - 1;
}

static uint32_t lane_now(const struct hist_view *v)
{
	return v->has_cursor && v->cursor_lane < v->plan.lanes ? v->cursor_lane : 0;
}

static bool found_tile(struct hist_view *v, struct app *app, uint32_t lane, uint64_t tile)
{
	char number[48];
	hist_cursor_put(v, app, line_now(v, app), lane, (uint32_t)tile);
	app_toast(app, "Tile %s of %.200s", gcs_format_count(number, sizeof number, tile),
	    v->graph.lane[lane].space);
	return true;
}

/* Searches the cursor's graph first. */
static bool find_address(struct hist_view *v, struct app *app, uint64_t address)
{
	for (uint32_t i = 0; i < v->plan.lanes; i++) {
		uint32_t lane = (lane_now(v) + i) % v->plan.lanes;
		const struct hist_lane *l = &v->graph.lane[lane];
		uint64_t tile = l->block_bytes > 0 && address >= l->base
				    ? (address - l->base) / l->block_bytes
				    : UINT64_MAX;
		if (l->base > 0 && tile < l->tiles)
			return found_tile(v, app, lane, tile);
	}
	app_toast(app, "No tile of the graph contains address 0x%" PRIx64, address);
	return false;
}

static bool put_row(struct hist_view *v, struct app *app, uint32_t row)
{
	uint32_t lane = lane_now(v);
	char time[64], number[48];
	const struct hist_row *r = hist_row_at(&v->graph, row);
	hist_time_text(v, r->time_ns, time, sizeof time);
	gcs_format_count(number, sizeof number, r->number);
	hist_cursor_put(v, app, hist_line_of(&v->plan, &v->graph, row), lane,
	    v->has_cursor ? v->cursor_tile : 0);
	app_toast(app, "Event %s at %s", number, time);
	return true;
}

/* By number, as in tooltips. */
static bool find_event(struct hist_view *v, struct app *app, uint64_t number)
{
	const struct hist_graph *g = &v->graph;
	char first[48], last[48];
	for (uint32_t i = 0; i < g->count; i++) {
		const struct hist_row *row = hist_row_at(g, i);
		if (row->number >= number && (i > 0 || row->number - number < row->events))
			return put_row(v, app, i);
	}
	const struct hist_row *row = hist_row_at(g, 0);
	gcs_format_count(
	    first, sizeof first, row->number - (row->number >= row->events ? row->events - 1 : 0));
	gcs_format_count(last, sizeof last, hist_row_at(g, g->count - 1)->number);
	app_toast(app, "No event %" PRIu64 ": the graph has %s to %s", number, first, last);
	return false;
}

static bool find_time(struct hist_view *v, struct app *app, double seconds)
{
	if (seconds > 1e9) {
		app_toast(app, "The graph ends before that time");
		return false;
	}
	return put_row(v, app, hist_row_find(&v->graph, v->origin_ns + (uint64_t)(seconds * 1e9)));
}

/* A tile number, or an event number if it is too large for that or marked as one. */
static bool find_number(struct hist_view *v, struct app *app, const char *text, bool *ok)
{
	bool event = strncmp(text, "event ", 6) == 0 || text[0] == '#';
	text += text[0] == '#' ? 1 : event ? 6 : 0;
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != 0)
		return false;
	uint32_t lane = lane_now(v);
	*ok = event || number >= v->graph.lane[lane].tiles ? find_event(v, app, number)
							   : found_tile(v, app, lane, number);
	return true;
}

/* Moves the cursor to the graph with the best matching name. */
static bool find_graph(struct hist_view *v, struct app *app, const char *text)
{
	int best = 0;
	uint32_t at = 0;
	for (uint32_t i = 0; i < v->plan.lanes; i++) {
		int space = findtext_fit(v->graph.lane[i].space, text);
		int stream = findtext_fit(v->graph.lane[i].stream, text);
		int points = space > stream ? space : stream;
		at = points > best ? i : at;
		best = points > best ? points : best;
	}
	if (best == 0)
		return false;
	char words[2 * GCS_MAX_NAME + 8];
	hist_lane_text(v, at, words, sizeof words);
	hist_cursor_put(v, app, line_now(v, app), at, 0);
	app_toast(app, "Graph %.280s", words);
	return true;
}

/* The best match so far for a search. */
struct match {
	const char *text, *key, *name;
	int points;
};

static void consider(struct match *m, bool exists, const char *key, const char *name)
{
	const int points = exists ? findtext_fit(name, m->text) : 0;
	if (points > m->points)
		*m = (struct match){m->text, key, name, points};
}

/* Adds a space or a stream that is not shown yet. */
static bool find_name(struct hist_view *v, struct app *app, const char *text)
{
	const struct gcs_model *model = v->graph.model;
	const struct gcs_space *s = hist_space(v, 0);
	struct match m = {.text = text};
	for (uint32_t i = 0; model != NULL && i < model->space_count; i++)
		consider(&m, !model->spaces[i].gone && model->spaces[i].stream_count > 0, "space",
		    model->spaces[i].name);
	for (uint32_t i = 0; s != NULL && i < s->stream_count; i++)
		consider(&m, s->streams[i].role == GCS_ROLE_DATA, "stream", s->streams[i].name);
	if (m.points == 0) {
		app_toast(app, "No tile, time, event, space or stream matches \"%.100s\"", text);
		return false;
	}
	char words[GCS_MAX_NAME + 16];
	snprintf(words, sizeof words, "%s=%s", m.key, m.name);
	app_toast(app, "Graph of the %s %.200s", m.key, m.name);
	return hist_set(v, app, words);
}

bool hist_find(struct hist_view *v, struct app *app, const char *text)
{
	uint64_t address;
	bool ok = false;
	text += strspn(text, " ");
	if (*text == 0)
		return false;
	if (v->graph.count == 0 || v->plan.lanes == 0 || v->plan.page == 0) {
		app_toast(app, "No graph to search yet");
		return false;
	}
	if (findtext_address(text, &address))
		return find_address(v, app, address);
	double seconds = replay_seconds(text);
	if (seconds >= 0)
		return find_time(v, app, seconds);
	if (find_number(v, app, text, &ok))
		return ok;
	return find_graph(v, app, text) || find_name(v, app, text);
}

void hist_find_open(struct hist_view *v, struct app *app)
{
	textfield_set(&v->find, "");
	v->finding = true;
	app->ui.focus = UI_ID(PANEL_SIDE, HIST_FIND);
	app->ui.focus_shown = true;
	app->side_scroll = 0;
	if (!app->side_shown) {
		app->side_shown = true;
		app_layout(app);
	}
	hist_dirty(app);
}

bool hist_find_close(struct hist_view *v, struct app *app)
{
	if (!v->finding)
		return false;
	v->finding = false;
	if (app->ui.focus == UI_ID(PANEL_SIDE, HIST_FIND))
		app->ui.focus = 0;
	hist_dirty(app);
	return true;
}

void hist_find_run(struct hist_view *v, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	uint32_t id = UI_ID(PANEL_SIDE, HIST_FIND);
	if (!v->finding)
		return;
	side_section(app, column, "Find", "Esc closes");
	struct cv_rect row = cut_top(column, ui_px(ui, 28));
	ui_field(ui, id, row, &v->find, "tile, time, event or name");
	cut_top(column, ui_px(ui, 6));
	struct cv_rect said = rect_make(column->x, column->y, column->w, 0);
	said.h = text_paragraph(ui_paints(ui) ? ui->cv : NULL, ui->fonts->face[FONT_SMALL], said,
	    ui->theme->weak,
	    "Tile: 0x\xe2\x80\xa6 or a number. Time: 1:30 or 2.5s. Event: #12. Space or stream: "
	    "its name. Enter searches.");
	cut_top(column, said.h + ui_px(ui, 4));
	struct keystroke stroke;
	if (ui_paints(ui) || ui->used || ui->focus != id || !key_of_event(ui->ev, &stroke) ||
	    stroke.key != KEY_ENTER)
		return;
	/* Scrolling into view paints, so the event is restored afterwards. */
	const struct ui_event *ev = ui->ev;
	const int panel = ui->panel;
	if (hist_find(v, app, v->find.text)) {
		hist_find_close(v, app);
		ui->focus = UI_ID(PANEL_VIEW, HIST_RASTER);
	}
	ui->ev = ev;
	ui->panel = panel;
	ui_take(ui);
}
