/* The stream chooser of the active space. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "counting.h"
#include "heap_view.h"
#include "layout.h"
#include "side.h"

static void paint_row(struct app *app, struct cv_rect r, const char *name, const char *kind,
    uint32_t id, bool chosen, bool weak)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	if (chosen || ui->hot == id)
		cv_round(ui->cv, r, ui_px(ui, 4),
		    chosen ? th->raised : cv_mix(th->panel, th->raised, 160));
	struct cv_rect mark = cut_left(&r, ui_px(ui, 24));
	int size = 2 * ui_px(ui, 5); /* even, so that the ring is round */
	mark = centred(mark, size, size);
	cv_round_frame(ui->cv, mark, size / 2, ui_px(ui, 1), chosen ? th->accent : th->weak);
	if (chosen)
		cv_round(ui->cv, rect_inset(mark, ui_px(ui, 3)), size, th->accent);
	cut_right(&r, ui_px(ui, 8));
	ui_label(
	    ui, cut_right(&r, text_width(ui->fonts->face[FONT_SMALL], kind)), TEXT_RIGHT, kind);
	cut_right(&r, ui_px(ui, 8));
	text_in(ui->cv, ui->fonts->face[chosen ? FONT_BOLD : FONT_UI], r, TEXT_LEFT,
	    weak ? th->weak : th->text, name);
}

/* The kind of values of a stream; in a split tile, also its position. */
static const char *kind_of(const struct heap_prefs *p, const struct gcs_stream *stream)
{
	static const char *const kinds[GCS_PRESENTATION_COUNT] = {[GCS_PLAIN] = "",
	    [GCS_PLUS] = "capped",
	    [GCS_PERCENT] = "%",
	    [GCS_ENUM] = "categories"};
	static const char *const parts[TILE_PARTS - 1] = {"part 2", "part 3", "part 4"};
	for (uint32_t i = 0; p != NULL && i < p->parts; i++) {
		if (strcmp(p->part[i], stream->name) == 0)
			return parts[i];
	}
	return kinds[stream->presentation];
}

/* The expression has an entry of its own. */
static void run_text(struct app *app, struct heap_prefs *p, struct cv_rect *column, uint32_t space)
{
	struct ui *ui = &app->ui;
	if (p == NULL || p->text[0] == 0)
		return;
	struct cv_rect row = cut_top(column, ui_px(ui, 24));
	const uint32_t id = UI_ID(PANEL_SIDE, SIDE_STREAM - 1);
	if (ui_control(ui, id, row))
		heap_set_text(app->views[VIEW_HEAP], app, p->text);
	char tip[EXPR_TEXT + 340];
	snprintf(tip, sizeof tip, "%s%s%s", p->text, p->why[0] != 0 ? "\n" : "", p->why);
	ui_tip(ui, id, row, tip);
	if (!ui_paints(ui))
		return;
	paint_row(app, row, p->text, "expression", id, heap_by_text(p, app, space), false);
	ui_ring(ui, id, row);
}

static void choose(struct app *app, struct heap_prefs *p, uint32_t space, uint32_t stream)
{
	if (p != NULL)
		p->by_text = false;
	app_set_stream(app, space, stream);
	heap_restyle(app->views[VIEW_HEAP], app);
}

void side_streams(struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	uint32_t space = app->active_space;
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL || space >= app->space_count)
		return;
	struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, space);
	side_section(app, column, s->name, "[ and ] switch");
	for (uint32_t i = 0; i < s->stream_count; i++) {
		const struct gcs_stream *stream = &s->streams[i];
		if (!tilecode_is_view(s, i))
			continue;
		struct cv_rect row = cut_top(column, ui_px(ui, 24));
		uint32_t id = UI_ID(PANEL_SIDE, SIDE_STREAM + i);
		if (ui_control(ui, id, row))
			choose(app, p, space, i);
		char tip[1024], summary[300];
		tilecode_summary(summary, sizeof summary, app->snapshot, space, i);
		const char *lacks = counting_lacks(app, space, i);
		if (lacks != NULL)
			snprintf(summary, sizeof summary, "%s", lacks);
		snprintf(tip, sizeof tip, "%s%s%.400s%s%s", stream->name,
		    *stream->description != 0 ? "\n" : "", stream->description,
		    *summary != 0 ? "\n" : "", summary);
		ui_tip(ui, id, row, tip);
		if (ui_paints(ui)) {
			paint_row(app, row, stream->name, kind_of(p, stream), id,
			    i == app->stream_of[space] && !heap_by_text(p, app, space),
			    lacks != NULL);
			ui_ring(ui, id, row);
		}
	}
	run_text(app, p, column, space);
	counting_side(app, column, space, UI_ID(PANEL_SIDE, SIDE_COUNT));
}

void side_streams_text(struct app *app, struct textbuf *out)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	if (s == NULL)
		return;
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space);
	const bool by_text = heap_by_text(p, app, app->active_space);
	textbuf_printf(out, "active space\t%s\n", s->name);
	for (uint32_t i = 0; i < s->stream_count; i++) {
		char summary[300];
		tilecode_summary(summary, sizeof summary, app->snapshot, app->active_space, i);
		if (tilecode_is_view(s, i))
			textbuf_printf(out, "stream%s\t%s\t%s\n",
			    i == app->stream_of[app->active_space] && !by_text ? " shown" : "",
			    s->streams[i].name, summary);
	}
	if (p != NULL && p->text[0] != 0)
		textbuf_printf(
		    out, "expression%s\t%s\t%s\n", by_text ? " shown" : "", p->text, p->why);
}
