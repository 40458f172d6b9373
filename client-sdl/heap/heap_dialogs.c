/* The menu of streams and the summary of a space (V2, V5). Declared in app.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "layout.h"

enum { MENU_FIRST = 10, SUMMARY_BAR = 2, MENU_BAR = 3 };

/* Moves through a list by keys; true if *at changed. */
static bool list_key(struct ui *ui, int count, int step, int page, int *at)
{
	struct keystroke stroke;
	if (ui->ev == NULL || ui->used || !key_of_event(ui->ev, &stroke))
		return false;
	const int before = *at;
	switch (stroke.key) {
	case KEY_UP:
	case KEY_DOWN:
		*at += stroke.key == KEY_UP ? -step : step;
		break;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		*at += stroke.key == KEY_PAGE_UP ? -page : page;
		break;
	case KEY_HOME:
		*at = 0;
		break;
	case KEY_END:
		*at = count;
		break;
	default:
		return false;
	}
	*at = clamp_int(*at, 0, count > 0 ? count : 0);
	ui_take(ui);
	return *at != before;
}

/* The data streams of the active space, and, as stream_count, its expression. */
static int entries_of(
    const struct app *app, const struct heap_prefs *p, uint32_t entry[GCS_MAX_STREAMS + 1])
{
	const struct gcs_space *s = app_space(app, app->active_space);
	int n = 0;
	if (p == NULL || app->active_space >= app->space_count)
		return 0;
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (tilecode_is_view(s, i))
			entry[n++] = i;
	if (p->text[0] != 0)
		entry[n++] = s->stream_count;
	return n;
}

/* The entry that colours the tiles. */
static uint32_t shown_entry(const struct app *app, const struct heap_prefs *p)
{
	const uint32_t space = app->active_space;
	return heap_by_text(p, app, space) ? app_space(app, space)->stream_count
					   : app->stream_of[space];
}

static void choose(struct app *app, struct heap_prefs *p, uint32_t stream)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	p->by_text = stream >= s->stream_count;
	if (p->by_text)
		p->over_stream = app->stream_of[app->active_space];
	else
		app_set_stream(app, app->active_space, stream);
	heap_restyle(app->views[VIEW_HEAP], app);
	app_close_modal(app);
}

static void menu_row(
    struct app *app, struct heap_prefs *p, struct cv_rect r, uint32_t stream, int row)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct gcs_space *s = app_space(app, app->active_space);
	const bool shown = stream == shown_entry(app, p);
	const uint32_t id = UI_ID(PANEL_MODAL, MENU_FIRST + row);
	if (ui_area(ui, id, r)) {
		choose(app, p, stream);
		return;
	}
	if (!ui_paints(ui))
		return;
	if (row == app->modal_row || ui->hot == id)
		cv_round(ui->cv, r, ui_px(ui, 4), row == app->modal_row ? th->hover : th->raised);
	cut_left(&r, ui_px(ui, 8));
	struct cv_rect mark = cut_left(&r, ui_px(ui, 18));
	if (shown)
		cv_round(
		    ui->cv, centred(mark, ui_px(ui, 8), ui_px(ui, 8)), ui_px(ui, 4), th->accent);
	text_in(ui->cv, ui->fonts->face[shown ? FONT_BOLD : FONT_UI], r, TEXT_LEFT, th->text,
	    stream < s->stream_count ? s->streams[stream].name : p->text);
}

void stream_menu_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	struct keystroke stroke;
	uint32_t entry[GCS_MAX_STREAMS + 1];
	const int rows = entries_of(app, p, entry), h = ui_px(ui, 26);
	if (list_key(ui, rows - 1, 1, r.h / h, &app->modal_row)) {
		const int top = app->modal_row * h;
		app->modal_scroll = clamp_int(app->modal_scroll, top + h - r.h, top);
	}
	if (ui->ev != NULL && !ui->used && key_of_event(ui->ev, &stroke) &&
	    (stroke.key == KEY_ENTER || stroke.key == ' ') && app->modal_row < rows) {
		ui_take(ui);
		choose(app, p, entry[app->modal_row]);
		return;
	}
	struct cv_rect bar = cut_right(&r, rows * h > r.h ? ui_px(ui, 12) : 0);
	ui_scroll_wheel(ui, r, rows * h, r.h, h, &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, MENU_BAR), bar, rows * h, r.h, &app->modal_scroll);
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	for (int row = 0; row < rows && app->modal == MODAL_STREAMS; row++) {
		struct cv_rect line = rect_make(r.x, r.y + row * h - app->modal_scroll, r.w, h);
		if (rect_meets(line, r))
			menu_row(app, p, line, entry[row], row);
	}
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
}

int stream_menu_chosen(const struct app *app)
{
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	uint32_t entry[GCS_MAX_STREAMS + 1];
	int row = entries_of(app, p, entry);
	while (row-- > 0)
		if (entry[row] == shown_entry(app, p))
			return row;
	return 0;
}

int stream_menu_height(const struct app *app)
{
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	uint32_t entry[GCS_MAX_STREAMS + 1];
	return entries_of(app, p, entry) * 26 + 32;
}

/* The summary: rows of a label and a value, then the streams. */

enum { FACTS = 8, VALUES = 4 };

struct fact {
	const char *label;
	char value[GCS_MAX_TEXT + 1];
};

static uint32_t used_tiles(const struct app *app, uint32_t space)
{
	const int64_t *control = tilecode_column(app->snapshot, space, GCS_ROLE_CONTROL);
	uint32_t n = 0;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(app->snapshot, space); i++)
		n += tilecode_used(control, i);
	return n;
}

static int facts_of(const struct app *app, uint32_t space, struct fact facts[FACTS])
{
	const struct gcs_space *s = app_space(app, space);
	char a[64], b[64];
	int n = 0;
	facts[n].label = "Event";
	if (!heap_put_event(facts[n].value, sizeof facts[n].value, app->snapshot))
		snprintf(facts[n].value, sizeof facts[n].value, "no event yet");
	n++;
	facts[n].label = "Tiles";
	gcs_format_number(a, sizeof a, used_tiles(app, space), GCS_DECIMAL);
	gcs_format_number(b, sizeof b, gcs_snapshot_tiles(app->snapshot, space), GCS_DECIMAL);
	snprintf(facts[n].value, sizeof facts[n].value, "%s used of %s%s", a, b,
	    gcs_snapshot_gathered(app->snapshot, space) ? "" : " (as of an earlier event)");
	n++;
	const struct {
		const char *label, *text;
	} texts[] = {{"Each tile", s->block_info},
	    {"Space", gcs_snapshot_space_info(app->snapshot, space)}, {"About", s->description}};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		if (*texts[i].text == 0)
			continue;
		facts[n].label = texts[i].label;
		snprintf(facts[n++].value, sizeof facts[0].value, "%s", texts[i].text);
	}
	return n;
}

/* The server's summary, then minimum, mean and maximum; categories have counts. */
static void values_of(const struct app *app, uint32_t space, uint32_t stream, char out[VALUES][400])
{
	const struct gcs_stream *st = &app_space(app, space)->streams[stream];
	struct heap_stats stats;
	heap_stats_of(&stats, app->snapshot, space, stream, NULL);
	for (int i = 0; i < VALUES; i++)
		out[i][0] = 0;
	tilecode_summary(out[0], sizeof out[0], app->snapshot, space, stream);
	if (st->presentation == GCS_ENUM) {
		if (out[0][0] == 0)
			heap_stats_text(out[0], sizeof out[0], &stats, st);
		return;
	}
	if (stats.tiles == 0)
		return;
	heap_stats_value(out[1], sizeof out[1], st, stats.min);
	heap_stats_value(out[2], sizeof out[2], st, stats.mean);
	heap_stats_value(out[3], sizeof out[3], st, stats.max);
}

static void paint_fact(
    struct app *app, struct cv_rect r, int label_w, const char *label, const char *value, int h)
{
	struct ui *ui = &app->ui;
	struct cv_rect line = rect_make(r.x, r.y, r.w, h);
	struct cv_rect left = cut_left(&line, label_w);
	left.h = font_height(ui->fonts->face[FONT_UI]) + ui_px(ui, 6);
	ui_label(ui, left, TEXT_LEFT, label);
	line.y += ui_px(ui, 3);
	text_paragraph(ui->cv, ui->fonts->face[FONT_UI], line, ui->theme->text, value);
}

static void rule(struct ui *ui, struct cv_rect r, int y)
{
	cv_hline(ui->cv, r.x, y, r.w, cv_mix(ui->theme->panel, ui->theme->line, 150));
}

static int run_facts(struct app *app, struct cv_rect r, uint32_t space, int y)
{
	struct ui *ui = &app->ui;
	static struct fact facts[FACTS]; /* large; window thread only */
	const int n = facts_of(app, space, facts);
	const int label_w = r.w / 5;
	for (int i = 0; i < n; i++) {
		struct cv_rect room = rect_make(0, 0, r.w - label_w, 0);
		const int h =
		    text_paragraph(NULL, ui->fonts->face[FONT_UI], room, 0, facts[i].value) +
		    ui_px(ui, 6);
		if (ui_paints(ui))
			paint_fact(app, rect_make(r.x, r.y + y, r.w, h), label_w, facts[i].label,
			    facts[i].value, h);
		y += h;
	}
	return y;
}

/* Name and numbers in one line, the summary below. */
static int run_stream(struct app *app, struct cv_rect r, uint32_t space, uint32_t stream, int y)
{
	struct ui *ui = &app->ui;
	char values[VALUES][400];
	values_of(app, space, stream, values);
	const struct gcs_stream *st = &app_space(app, space)->streams[stream];
	struct font *font = ui->fonts->face[FONT_UI];
	const int line = font_height(font) + ui_px(ui, 8), column = r.w * 17 / 100;
	const bool numbers = values[1][0] != 0;
	struct cv_rect row = rect_make(r.x, r.y + y, r.w, line);
	struct cv_rect right = numbers ? cut_right(&row, 3 * column) : rect_make(0, 0, 0, 0);
	struct cv_rect below = rect_make(r.x + ui_px(ui, 12), row.y + line, r.w - ui_px(ui, 12), 0);
	below.h = values[0][0] != 0
		      ? text_paragraph(NULL, ui->fonts->face[FONT_SMALL], below, 0, values[0]) +
			    ui_px(ui, 4)
		      : 0;
	if (ui_paints(ui)) {
		rule(ui, r, row.y);
		cut_right(&row, ui_px(ui, 8));
		ui_value(ui, row, TEXT_LEFT, st->name);
		for (int i = 1; numbers && i < VALUES; i++) {
			struct cv_rect cell = cut_left(&right, column);
			cut_left(&cell, ui_px(ui, 6));
			ui_value(ui, cell, TEXT_RIGHT, values[i]);
		}
		text_paragraph(
		    ui->cv, ui->fonts->face[FONT_SMALL], below, ui->theme->weak, values[0]);
	}
	return y + line + below.h;
}

static int run_head(struct app *app, struct cv_rect r, int y)
{
	struct ui *ui = &app->ui;
	static const char *const titles[] = {"min", "mean", "max"};
	struct cv_rect row = rect_make(r.x, r.y + y + ui_px(ui, 8), r.w, ui_px(ui, 22));
	if (ui_paints(ui)) {
		const int column = r.w * 17 / 100;
		struct cv_rect right = cut_right(&row, 3 * column);
		text_in(ui->cv, ui->fonts->face[FONT_BOLD], row, TEXT_LEFT, ui->theme->text,
		    "Streams (used tiles)");
		for (int i = 0; i < 3; i++) {
			struct cv_rect cell = cut_left(&right, column);
			ui_label(ui, cell, TEXT_RIGHT, titles[i]);
		}
	}
	return y + ui_px(ui, 32);
}

void summary_run(struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const uint32_t space = app->active_space;
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL)
		return;
	struct cv_rect title = cut_top(&r, ui_px(ui, 28));
	if (ui_paints(ui)) {
		const char *hint = "Ctrl+C copies \xc2\xb7 Esc closes";
		const int w = text_width(ui->fonts->face[FONT_SMALL], hint);
		ui_label(ui, cut_right(&title, w), TEXT_RIGHT, hint);
		cut_right(&title, ui_px(ui, 12));
		char text[GCS_MAX_NAME + 20];
		snprintf(text, sizeof text, "Summary of %s", s->name);
		text_in(
		    ui->cv, ui->fonts->face[FONT_BOLD], title, TEXT_LEFT, ui->theme->text, text);
	}
	cut_top(&r, ui_px(ui, 4));
	struct cv_rect bar = cut_right(&r, ui_px(ui, 12));
	if (ui_paints(ui))
		cv_push_clip(ui->cv, r);
	struct cv_rect inner = r;
	inner.y -= app->modal_scroll;
	int content = run_facts(app, inner, space, 0);
	content = run_head(app, inner, content);
	for (uint32_t i = 0; i < s->stream_count; i++)
		if (tilecode_is_view(s, i))
			content = run_stream(app, inner, space, i, content);
	if (ui_paints(ui))
		cv_pop_clip(ui->cv);
	const int most = content > r.h ? content - r.h : 0;
	list_key(ui, most, ui_px(ui, 40), r.h, &app->modal_scroll);
	ui_scroll_wheel(ui, r, content, r.h, ui_px(ui, 40), &app->modal_scroll);
	ui_scroll_bar(ui, UI_ID(PANEL_MODAL, SUMMARY_BAR), bar, content, r.h, &app->modal_scroll);
}

void summary_text(struct app *app, struct textbuf *out)
{
	static struct fact facts[FACTS];
	const uint32_t space = app->active_space;
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL)
		return;
	textbuf_printf(out, "summary\t%s\n", s->name);
	const int n = facts_of(app, space, facts);
	for (int i = 0; i < n; i++)
		textbuf_printf(out, "%s\t%s\n", facts[i].label, facts[i].value);
	for (uint32_t i = 0; i < s->stream_count; i++) {
		char v[VALUES][400];
		if (!tilecode_is_view(s, i))
			continue;
		values_of(app, space, i, v);
		textbuf_printf(
		    out, "%s\t%s\t%s\t%s\t%s\n", s->streams[i].name, v[0], v[1], v[2], v[3]);
	}
}
