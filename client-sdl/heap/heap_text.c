/* The heap view as text: title bars, tooltip, copied text. Declared in heap_view.h and
 * heap_text.h. */
#include "heap_text.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "layout.h"
#include "tileinfo.h"

#define TIP_ROWS   16
#define TEXT_TILES 4096u /* maximum per space */

/* Precedes the stream, so that a narrow title keeps it. */
static const char *order_text(const struct heap_prefs *p)
{
	if (p == NULL || !tileorder_on(&p->order))
		return "";
	return p->order.kind == ORDER_FALLING ? "descending \xc2\xb7 " : "ascending \xc2\xb7 ";
}

void heap_title_text(const struct app *app, uint32_t space, char *left, size_t left_size,
    char *right, size_t right_size)
{
	const struct gcs_space *s = app_space(app, space);
	char tiles[64];
	heap_put_tiles(tiles, sizeof tiles, gcs_snapshot_tiles(app->snapshot, space));
	const char *info = gcs_snapshot_space_info(app->snapshot, space);
	bool gathered = gcs_snapshot_gathered(app->snapshot, space);
	char path[300];
	tile_zoom_path(app, space, path, sizeof path);
	const struct heap_prefs *p = heap_prefs_of(app->views[VIEW_HEAP], app, space);
	const char *pinned = p != NULL && p->pinned ? "pinned \xc2\xb7 " : "";
	snprintf(left, left_size, "%s%s%s%s%s%s%s%s%s", pinned, path,
	    *path != 0 ? " \xc2\xb7 " : "", tiles, *s->block_info != 0 ? " \xc2\xb7 " : "",
	    s->block_info, *info != 0 ? " \xc2\xb7 " : "", info,
	    gathered ? "" : " \xc2\xb7 as of an earlier event");
	uint32_t stream = app->stream_of[space];
	char summary[400] = "";
	right[0] = 0;
	if (stream >= s->stream_count)
		return;
	tilecode_summary(summary, sizeof summary, app->snapshot, space, stream);
	struct heap *heap = app->views[VIEW_HEAP];
	const char *order = order_text(p);
	if (heap->site.on) {
		heap_site_title(&heap->site, app, space, right, right_size);
		return;
	}
	if (heap_compares(heap) && p != NULL) {
		heap_compare_sum(app, p, space, summary, sizeof summary);
		snprintf(right, right_size, "%s%s since A: %s", order,
		    heap_by_text(p, app, space) ? p->text : s->streams[stream].name, summary);
		return;
	}
	if (heap_by_text(p, app, space)) {
		snprintf(right, right_size, "%s%s%s", order, p->text,
		    p->valid ? "" : ": not applicable");
		return;
	}
	bool counts = s->streams[stream].summary == GCS_SUMMARY_COUNTS;
	snprintf(right, right_size, "%s%s%s%s", order, s->streams[stream].name,
	    *summary != 0 && !counts ? ": " : "", counts ? "" : summary);
}

void heap_hidden_text(struct heap *heap, const struct app *app, char *text, size_t size)
{
	size_t used = (size_t)snprintf(text, size, "%u hidden: ", heap->hidden);
	bool first = true;
	for (uint32_t i = 0; i < app_model(app)->space_count && used < size; i++) {
		const struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p == NULL || !p->hidden || !app_shows(app, i))
			continue;
		used += (size_t)snprintf(
		    text + used, size - used, "%s%.60s", first ? "" : ", ", p->name);
		first = false;
	}
	if (used < size)
		snprintf(text + used, size - used, " \xe2\x80\x93 click to show %s",
		    heap->hidden == 1 ? "it" : "them");
}

void heap_tip(struct app *app, struct cv_rect at)
{
	struct info_row rows[TILEINFO_ROWS];
	char *out = app->ui.tip;
	size_t size = sizeof app->ui.tip;
	out[0] = 0;
	if (app->hovered.space == GCS_NONE)
		return;
	uint32_t n = tileinfo_rows(app->snapshot, app->hovered.space, app->hovered.tile, rows);
	size_t used = 0;
	for (uint32_t i = 0; i < n && i < TIP_ROWS && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s%s%s", i > 0 ? "\n" : "",
		    rows[i].label, i > 0 ? "\t" : "", rows[i].value);
	char value[96];
	if (used < size &&
	    heap_text_value(app->views[VIEW_HEAP], app, app->hovered, value, sizeof value))
		used += (size_t)snprintf(out + used, size - used, "\n%.60s\t%s",
		    heap_prefs_of(app->views[VIEW_HEAP], app, app->hovered.space)->text, value);
	char since[700];
	heap_compare_tile(app->views[VIEW_HEAP], app, app->hovered, since, sizeof since);
	if (since[0] != 0 && used < size)
		used += (size_t)snprintf(out + used, size - used, "\nSince A\t%s", since);
	if (n > TIP_ROWS && used < size)
		snprintf(out + used, size - used, "\nand %u more: click to see all", n - TIP_ROWS);
	app->ui.tip_at = at;
	if (app->view_id != VIEW_HEAP)
		return;
	/* Keeps neighbouring tiles visible. */
	const int room = clamp_int(at.h * 3 / 2, ui_px(&app->ui, 12), ui_px(&app->ui, 48));
	app->ui.tip_at = rect_inset(at, -room);
}

/* One character per tile: '.' zero, '/' unused, ' ' background, 0 to 9 shades, '?' uncertain, '+'
 * over, letters categories. */
static char letter(unsigned code)
{
	unsigned look = code & LOOK_MASK;
	if (look < PALETTE_SHADES)
		return (char)('0' + look * 10 / PALETTE_SHADES);
	if (look >= LOOK_UNCERTAIN)
		return '?';
	if (look >= LOOK_ENUM)
		return (char)('a' + (look - LOOK_ENUM) % 26);
	return "./ +"[look - LOOK_ZERO];
}

static void map_text(const struct heap *heap, const struct app *app, const struct heap_item *item,
    struct textbuf *out)
{
	struct tilecode tc;
	struct tileshare share;
	if (!heap_rule(item->prefs, app, item->id, &tc))
		return;
	if (heap_site_share(&heap->site, item->id, &share))
		tilecode_set_share(&tc, &share);
	const bool differs = heap_compares(heap) && item->prefs->compared;
	char line[257];
	unsigned at = 0;
	uint32_t n = tc.tiles < TEXT_TILES ? tc.tiles : TEXT_TILES;
	for (uint32_t i = 0; i < n; i++) {
		uint16_t code;
		tilecode_fill(&tc, tilemap_tile(&item->map, i), 1, &code);
		line[at++] = differs ? heap_compare_letter(item->prefs, tilemap_tile(&item->map, i))
				     : letter(code);
		if (at == sizeof line - 1 || at == item->map.columns || i + 1 == n) {
			line[at] = 0;
			textbuf_printf(out, "  |%s|\n", line);
			at = 0;
		}
	}
	if (tc.tiles > n)
		textbuf_printf(out, "  and %u more tiles\n", tc.tiles - n);
}

void heap_text(struct heap *heap, const struct app *app, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_item *item = &heap->item[i];
		if (item->kind == HEAP_HIDDEN) {
			char hidden[600];
			heap_hidden_text(heap, app, hidden, sizeof hidden);
			textbuf_printf(out, "%s\n", hidden);
			continue;
		}
		if (item->kind == HEAP_GROUP) {
			const bool open = app_group_open(app, item->id);
			textbuf_printf(out, open ? "group\t%s\n" : "group\t%s\tcollapsed\n",
			    model->groups[item->id].name);
			continue;
		}
		char left[1024], right[600], summary[400];
		if (item->folded) {
			heap_fold_text(app, item->id, right, sizeof right);
			textbuf_printf(out, "space%s\t%s\tfolded\t%s\n",
			    item->id == app->active_space ? " (active)" : "",
			    model->spaces[item->id].name, right);
			continue;
		}
		heap_title_text(app, item->id, left, sizeof left, right, sizeof right);
		summary[0] = 0;
		if (!heap->site.on)
			tilecode_summary(summary, sizeof summary, app->snapshot, item->id,
			    app->stream_of[item->id]);
		textbuf_printf(out, "space%s\t%s\t%s\t%s\t%s\n",
		    item->id == app->active_space ? " (active)" : "", model->spaces[item->id].name,
		    left, right, summary);
		if (item->rows)
			heap_rows_text(heap, app, item, out);
		else
			map_text(heap, app, item, out);
	}
}
