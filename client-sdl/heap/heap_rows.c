/* A space with few tiles that have names, such as the kinds of memory of a process: each tile in a
 * row of its own with name, bar and value. Declared in heap_view.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_view.h"
#include "layout.h"
#include "tileinfo.h"

enum { ROWS_MOST = 24, ROWS_GAP = 10, ROWS_BAR = 200 };

bool heap_rows_fit(const struct heap *heap, const struct app *app, uint32_t space, int pitch)
{
	const uint32_t tiles = gcs_snapshot_tiles(app->snapshot, space);
	if (heap->shape != HEAP_WRAPPED || app_space(app, space)->kind != GCS_SPACE_LIST ||
	    tiles == 0 || tiles > ROWS_MOST || pitch < font_height(app->ui.fonts->face[FONT_SMALL]))
		return false;
	for (uint32_t i = 0; i < tiles; i++)
		if (*gcs_snapshot_name(app->snapshot, space, i) == 0)
			return false;
	return true;
}

/* What the tile shows: the value that colours it. */
static void put_value(struct heap *heap, const struct app *app, const struct heap_item *item,
    uint32_t tile, char *text, size_t size)
{
	static struct info_row rows[TILEINFO_ROWS];
	const struct tile_ref at = {item->id, tile};
	*text = 0;
	if (item->map.share.values != NULL)
		return; /* a call site's share, which only the colour shows */
	if (heap_compares(heap)) {
		heap_compare_tile(heap, app, at, text, size);
		return;
	}
	if (heap_text_value(heap, app, at, text, size))
		return;
	const uint32_t n = tileinfo_rows(app->snapshot, item->id, tile, rows);
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].stream == app->stream_of[item->id])
			snprintf(text, size, "%s", rows[i].value);
}

/* The largest value of a stream of amounts, to which bars compare; 0: no bars. */
static int64_t largest(const struct heap *heap, const struct app *app, const struct heap_item *item)
{
	const struct gcs_space *s = app_space(app, item->id);
	const uint32_t stream = app->stream_of[item->id];
	int64_t most = 0;
	if (stream >= s->stream_count || s->streams[stream].summary == GCS_SUMMARY_COUNTS ||
	    item->map.share.values != NULL || item->map.style.real.values != NULL ||
	    heap_compares(heap))
		return 0;
	const int64_t *values = gcs_snapshot_values(app->snapshot, item->id, stream);
	for (uint32_t i = 0; values != NULL && i < item->map.tiles; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

struct columns {
	struct font *font;
	int name, bar, value; /* widths */
};

static struct columns measure_rows(
    struct heap *heap, struct app *app, const struct heap_item *item, int width)
{
	struct ui *ui = &app->ui;
	struct columns c = {.font = ui->fonts->face[FONT_UI]};
	const int gap = ui_px(ui, ROWS_GAP);
	if (font_height(c.font) > heap_tileset(heap, item)->pitch)
		c.font = ui->fonts->face[FONT_SMALL];
	for (uint32_t i = 0; i < item->map.tiles; i++) {
		char text[700];
		const int name = text_width(c.font, gcs_snapshot_name(app->snapshot, item->id, i));
		put_value(heap, app, item, i, text, sizeof text);
		const int value = text_width(c.font, text);
		c.name = name > c.name ? name : c.name;
		c.value = value > c.value ? value : c.value;
	}
	/* A value stays whole as long as the names have some room; bars take what is left. */
	c.value = clamp_int(c.value, 0, width / 2);
	c.name = clamp_int(c.name, 0, width - c.value - 2 * gap - width / 8);
	c.bar = clamp_int(width - c.name - c.value - 2 * gap, 0, ui_px(ui, ROWS_BAR));
	return c;
}

void heap_rows_paint(struct heap *heap, struct app *app, struct heap_item *item)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct tileset *set = heap_tileset(heap, item);
	const int x = item->map.x + set->pitch + ui_px(ui, ROWS_GAP);
	const int width = heap->area.x + heap->area.w - ui_px(ui, 2 * HEAP_MARGIN) - x;
	if (width <= 0)
		return;
	const struct columns c = measure_rows(heap, app, item, width);
	const int gap = ui_px(ui, ROWS_GAP), used = c.name + c.bar + c.value + 2 * gap;
	const int64_t most = largest(heap, app, item);
	for (uint32_t i = 0; i < item->map.tiles; i++) {
		char text[700];
		const struct cv_rect cell = tilemap_rect(&item->map, set, i);
		struct cv_rect row = rect_make(x, cell.y, used < width ? used : width, cell.h);
		put_value(heap, app, item, i, text, sizeof text);
		cv_fill(ui->cv, row, th->ground);
		cv_touch(ui->cv, row);
		text_in(ui->cv, c.font, cut_left(&row, c.name), TEXT_LEFT, th->text,
		    gcs_snapshot_name(app->snapshot, item->id, i));
		text_in(ui->cv, c.font, cut_right(&row, c.value), TEXT_RIGHT, th->text, text);
		cut_left(&row, gap);
		cut_right(&row, gap);
		const int64_t *values =
		    gcs_snapshot_values(app->snapshot, item->id, app->stream_of[item->id]);
		if (most == 0 || row.w <= 0 || values[i] <= 0)
			continue;
		struct cv_rect bar = centred(row, row.w, ui_px(ui, 8));
		bar.w = (int)((double)values[i] / (double)most * row.w + 0.5);
		bar.w = bar.w > 0 ? bar.w : ui_px(ui, 1);
		cv_fill(ui->cv, bar, cv_mix(th->ground, th->accent, 190));
	}
	item->map.label = used < width ? x + used - item->map.x : x + width - item->map.x;
}

void heap_rows_text(
    struct heap *heap, const struct app *app, const struct heap_item *item, struct textbuf *out)
{
	for (uint32_t i = 0; i < item->map.tiles; i++) {
		char text[700];
		const uint32_t tile = tilemap_tile(&item->map, i);
		put_value(heap, app, item, tile, text, sizeof text);
		textbuf_printf(
		    out, "row\t%s\t%s\n", gcs_snapshot_name(app->snapshot, item->id, tile), text);
	}
}
