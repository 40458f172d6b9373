/* The side panel: parts, marks, relations, the magnifier. Declared in heap_side.h. */
#include "heap_side.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_magnify.h"
#include "heap_stats.h"
#include "layout.h"
#include "side.h"

enum { MAGNIFIER = 60 }; /* widget numbers of its two rows */

static void frame_row(
    struct app *app, struct cv_rect *column, enum tile_edge edge, uint32_t colour, const char *text)
{
	struct ui *ui = &app->ui;
	struct cv_rect box = side_sample(app, column, text, "");
	if (!ui_paints(ui))
		return;
	cv_fill(ui->cv, rect_inset(box, ui_px(ui, 3)),
	    cv_mix(ui->theme->hollow, ui->theme->panel, 120));
	tile_edge_sample(ui->cv, rect_inset(box, ui_px(ui, 3)), ui_px(ui, 2), edge, colour);
}

/* The part of each tile that shows a stream. */
static void part_row(
    struct app *app, struct cv_rect *column, uint32_t part, uint32_t count, const char *name)
{
	struct ui *ui = &app->ui;
	struct cv_rect box = side_sample(app, column, name, "");
	if (!ui_paints(ui))
		return;
	for (uint32_t i = 0; i < count; i++)
		cv_fill(ui->cv, tilesplit_part(box, i, count),
		    i == part ? ui->theme->accent : ui->theme->raised);
	cv_frame(ui->cv, rect_inset(box, -1), 1, ui->theme->weak);
}

static uint32_t related_tiles(const struct heap *heap)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < heap->count; i++)
		if (heap->item[i].kind == HEAP_SPACE)
			n += heap->item[i].related.tiles;
	return n;
}

static uint32_t equal_tiles(const struct heap *heap, uint32_t *spaces)
{
	uint32_t n = 0;
	*spaces = 0;
	for (uint32_t i = 0; i < heap->count; i++) {
		if (heap->item[i].kind != HEAP_SPACE)
			continue;
		n += heap->item[i].prefs->equal.count;
		*spaces += heap->item[i].prefs->equal.count > 0;
	}
	return n;
}

static char *put_equal(const struct heap *heap, char *text, size_t size)
{
	char number[48];
	uint32_t spaces;
	gcs_format_number(number, sizeof number, equal_tiles(heap, &spaces), GCS_DECIMAL);
	snprintf(text, size, "%s with the same value in %u space%s", number, spaces,
	    spaces == 1 ? "" : "s");
	return text;
}

static void fading_row(struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	struct cv_rect row = cut_top(column, ui_px(ui, 22));
	if (!ui_paints(ui))
		return;
	struct cv_rect bar = cut_left(&row, ui_px(ui, 72));
	for (int i = 0; i < 8; i++) {
		struct cv_rect step = cut_left(&bar, ui_px(ui, 8));
		cv_fill(ui->cv, rect_make(step.x, step.y + ui_px(ui, 4), step.w, ui_px(ui, 14)),
		    cv_mix(ui->theme->accent, ui->theme->ground, i * 27));
	}
	ui_value(ui, row, TEXT_LEFT, "now \xe2\x80\xa6 64 snapshots ago");
}

void heap_side_legend(struct heap *heap, struct app *app, struct cv_rect *column)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	const struct heap_item *item = heap_find(heap, app->active_space);
	char text[128];
	uint32_t spaces;
	if (s == NULL || item == NULL)
		return;
	const struct tilestyle *style = &item->prefs->style;
	if (style->parts > 0) {
		const bool small = heap_tileset(heap, item)->tile < TILE_SPLIT_FROM;
		side_section(app, column, "In each tile", small ? "zoom in to see all" : "");
		const char *first = heap_by_text(item->prefs, app, item->id)
					? item->prefs->text
					: s->streams[app->stream_of[item->id]].name;
		part_row(app, column, 0, style->parts + 1, first);
		for (uint32_t i = 0; i < style->parts; i++)
			part_row(
			    app, column, i + 1, style->parts + 1, s->streams[style->part[i]].name);
	}
	if (heap->recency)
		fading_row(app, column);
	if (related_tiles(heap) > 0)
		frame_row(app, column, EDGE_LINE, app->ui.theme->related,
		    "same memory as the selected tile");
	if (equal_tiles(heap, &spaces) > 0)
		frame_row(app, column, EDGE_DOUBLE, app->ui.theme->related,
		    put_equal(heap, text, sizeof text));
	if (item->prefs->marks.count > 0)
		frame_row(app, column, EDGE_DASHES, heap_tileset(heap, item)->marker, "marked");
}

/* The sum on the right; the rest below it, small. */
static void stats_rows(struct app *app, struct cv_rect *column, const struct gcs_stream *stream,
    const struct heap_stats *stats)
{
	struct ui *ui = &app->ui;
	char sum[200], rest[600];
	heap_stats_sum(sum, sizeof sum, stats, stream);
	heap_stats_text(rest, sizeof rest, stats, stream);
	struct cv_rect line = cut_top(column, ui_px(ui, 20));
	if (ui_paints(ui)) {
		ui_value(ui, cut_right(&line, text_width(ui->fonts->face[FONT_UI], sum)),
		    TEXT_RIGHT, sum);
		cut_right(&line, ui_px(ui, 8));
		ui_value(ui, line, TEXT_LEFT, stream->name);
	}
	side_paragraph(app, column, FONT_SMALL, ui->theme->weak, 5, rest);
	if (ui_paints(ui))
		cv_hline(ui->cv, column->x, column->y - 1, column->w,
		    cv_mix(ui->theme->panel, ui->theme->line, 150));
}

void heap_side_marked(struct heap *heap, struct app *app, struct cv_rect *column)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	const struct gcs_space *s = app_space(app, app->active_space);
	char title[80];
	if (item == NULL || item->prefs->marks.count == 0)
		return;
	heap_put_tiles(title, sizeof title, item->prefs->marks.count);
	side_section(app, column, "Marked", title);
	for (uint32_t i = 0; i < s->stream_count; i++) {
		if (!tilecode_is_view(s, i))
			continue;
		struct heap_stats stats;
		heap_stats_of(&stats, app->snapshot, item->id, i, &item->prefs->marks);
		stats_rows(app, column, &s->streams[i], &stats);
	}
}

static void paint_row(struct heap *heap, struct app *app, const struct heap_item *item,
    const struct magnifier *m, const struct tilecode *rule)
{
	struct ui *ui = &app->ui;
	const struct tileset *set = heap_tileset(heap, item);
	for (uint32_t i = 0; i < m->cells; i++) {
		const uint32_t tile = magnifier_tile(m, i);
		struct cv_rect r = magnifier_cell(m, i);
		if (tile == UINT32_MAX || tile >= rule->tiles)
			continue;
		uint16_t code;
		tilecode_fill(rule, tile, 1, &code);
		tileset_sample(ui->cv, set, ui->theme, r, code);
		if (code & TILE_CODE_LINKED)
			cv_fill(ui->cv,
			    rect_make(r.x - m->gap, r.y + r.h / 3, m->gap + r.w / 4, r.h / 3),
			    set->link);
		if (code & TILE_CODE_SEPARATOR)
			cv_fill(ui->cv, rect_make(r.x - m->gap, r.y, m->gap, r.h), set->separator);
		if (tile == m->tile) {
			cv_frame(ui->cv, rect_inset(r, -1), 1, ui->theme->select_in);
			cv_frame(ui->cv, rect_inset(r, -3), 2, set->selection);
		} else if (tilemarks_has(&item->prefs->marks, tile)) {
			cv_frame(ui->cv, rect_inset(r, -1), 1, set->marker);
		}
	}
}

static void run_row(struct heap *heap, struct app *app, const struct heap_item *item, uint32_t id,
    const struct magnifier *m, const struct tilecode *rule)
{
	struct ui *ui = &app->ui;
	if (ui_area(ui, id, m->r)) {
		const uint32_t tile = magnifier_at(m, ui->ev->x, ui->ev->y);
		if (tile != UINT32_MAX) {
			app_select(app, item->id, tile);
			app->reveal = true;
		}
		return;
	}
	if (ui_paints(ui))
		paint_row(heap, app, item, m, rule);
}

void heap_side_magnifier(struct heap *heap, struct app *app, struct cv_rect *column)
{
	struct ui *ui = &app->ui;
	const bool selected = app->selected.space != GCS_NONE;
	const struct tile_ref at = selected ? app->selected : app->hovered;
	const struct heap_item *item = heap_find(heap, at.space);
	struct tilecode rule;
	if (at.space == GCS_NONE || item == NULL || !heap_rule(item->prefs, app, at.space, &rule) ||
	    at.tile >= rule.tiles)
		return;
	side_section(app, column, "Magnifier", selected ? "click to select" : "under the pointer");
	static const struct {
		int w, h, gap;
	} sizes[] = {{6, 10, 2}, {20, 32, 4}};
	for (int i = 0; i < 2; i++) {
		cut_top(column, ui_px(ui, 4));
		struct cv_rect r = cut_top(column, ui_px(ui, sizes[i].h));
		const struct magnifier m = magnifier_make(rect_inset(r, 0), ui_px(ui, sizes[i].w),
		    ui_px(ui, sizes[i].h), ui_px(ui, sizes[i].gap), at.tile, rule.tiles);
		run_row(heap, app, item, UI_ID(PANEL_SIDE, MAGNIFIER + i), &m, &rule);
		cut_top(column, ui_px(ui, 6));
	}
}

void heap_side_value(struct heap *heap, struct app *app, struct cv_rect *column)
{
	char value[96], since[700];
	if (heap_compare_tile(heap, app, app->selected, since, sizeof since)[0] != 0 &&
	    app->selected.space != GCS_NONE)
		side_row(app, column, "Since A", since, true);
	if (heap_text_value(heap, app, app->selected, value, sizeof value))
		side_row(
		    app, column, heap_prefs_of(heap, app, app->selected.space)->text, value, true);
}

static void marked_text(const struct heap_item *item, const struct app *app, struct textbuf *out)
{
	const struct gcs_space *s = app_space(app, item->id);
	textbuf_printf(out, "marked\t%u\n", item->prefs->marks.count);
	for (uint32_t i = 0; i < s->stream_count; i++) {
		struct heap_stats stats;
		char sum[200], rest[600];
		if (!tilecode_is_view(s, i))
			continue;
		heap_stats_of(&stats, app->snapshot, item->id, i, &item->prefs->marks);
		heap_stats_sum(sum, sizeof sum, &stats, &s->streams[i]);
		textbuf_printf(out, "marked %s\t%s\t%s\n", s->streams[i].name, sum,
		    heap_stats_text(rest, sizeof rest, &stats, &s->streams[i]));
	}
}

void heap_side_text(struct heap *heap, struct app *app, struct textbuf *out)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	char text[128];
	uint32_t spaces;
	if (item == NULL)
		return;
	for (uint32_t i = 0; i < item->prefs->style.parts; i++)
		textbuf_printf(out, "part %u of each tile\t%s\n", i + 2,
		    app_space(app, item->id)->streams[item->prefs->style.part[i]].name);
	if (heap->recency)
		textbuf_puts(out, "fading\tnow to 64 snapshots ago\n");
	if (equal_tiles(heap, &spaces) > 0)
		textbuf_printf(out, "equal\t%s\n", put_equal(heap, text, sizeof text));
	if (heap_text_value(heap, app, app->selected, text, sizeof text))
		textbuf_printf(out, "value\t%s\n", text);
	heap_colours_text(item->prefs, out);
	if (item->prefs->marks.count > 0)
		marked_text(item, app, out);
}
