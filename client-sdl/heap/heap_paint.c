/* Paints a space: title, tiles, marks. Declared in heap_view.h. */
#include "heap_text.h"
#include "heap_view.h"
#include "layout.h"

void heap_paint_hidden(struct heap *heap, struct app *app, const struct heap_item *item)
{
	char text[600];
	struct cv_rect r = heap_item_rect(heap, app, item);
	cut_left(&r, ui_px(&app->ui, 6));
	heap_hidden_text(heap, app, text, sizeof text);
	text_in(app->ui.cv, app->ui.fonts->face[FONT_UI], r, TEXT_LEFT, app->ui.theme->weak, text);
}

static void paint_title(struct heap *heap, struct app *app, const struct heap_item *item)
{
	struct cv_rect r = heap_title_rect(heap, app, item);
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	bool active = item->id == app->active_space;
	char left[1024], right[600];
	heap_title_text(app, item->id, left, sizeof left, right, sizeof right);
	struct font *bold = ui->fonts->face[FONT_BOLD];
	struct font *font = ui->fonts->face[FONT_UI];
	cv_fill(ui->cv, r, th->ground);
	cv_touch(ui->cv, r);
	heap_bar_run(heap, app, item, &r);
	heap_fold_run(heap, app, item, &r);
	if (item->folded) {
		left[0] = '\0';
		heap_fold_text(app, item->id, right, sizeof right);
	}
	const char *name = app_space(app, item->id)->name;
	int name_w = text_width(bold, name);
	int right_w = text_width(font, right);
	if (right_w > r.w * 6 / 10)
		right_w = r.w * 6 / 10;
	text_in(ui->cv, font, cut_right(&r, right_w), TEXT_RIGHT, th->text, right);
	cut_right(&r, ui_px(ui, 16));
	text_in(
	    ui->cv, bold, cut_left(&r, name_w), TEXT_LEFT, active ? th->accent : th->text, name);
	cut_left(&r, ui_px(ui, 10));
	if (r.w > ui_px(ui, 40))
		ui_label(ui, r, TEXT_LEFT, left);
}

/* Finds the tiles that overlap the selected one of another space; true if they differ from those
 * painted. */
static bool relate(const struct app *app, struct heap_item *item)
{
	struct related now = {0};
	if (app->selected.space != GCS_NONE)
		related_find(
		    app->snapshot, app->selected.space, app->selected.tile, item->id, &now);
	bool differs = !related_same(&now, &item->related);
	item->related = now;
	return differs;
}

/* The map has painted over the lower corners of the active space's frame. */
static void paint_corners(struct ui *ui, struct cv_rect r)
{
	const int size = ui_px(ui, 5);
	for (int i = 0; i < 2; i++) {
		cv_push_clip(ui->cv,
		    rect_make(i == 0 ? r.x : r.x + r.w - size, r.y + r.h - size, size, size));
		cv_fill(ui->cv, r, ui->theme->ground);
		cv_round_frame(ui->cv, r, size, ui_px(ui, 2), ui->theme->accent);
		cv_pop_clip(ui->cv);
	}
}

void heap_paint_space(struct heap *heap, struct app *app, struct heap_item *item, bool all)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = heap_item_rect(heap, app, item);
	bool active = item->id == app->active_space;
	/* Tools are painted each time, which keeps them in the tab order. */
	if (all && active)
		cv_round_frame(ui->cv, r, ui_px(ui, 5), ui_px(ui, 2), ui->theme->accent);
	const bool rings = heap_fold_rings(heap, app, item);
	if (all || rings || heap->shown != app->snapshot || heap->bar_stale || active ||
	    item->id == heap->bar || item->map.stream != app->stream_of[item->id])
		paint_title(heap, app, item);
	else
		heap_fold_place(heap, app, item);
	if (item->folded) {
		item->map.stream = app->stream_of[item->id];
		return;
	}
	int frame = ui_px(ui, 2);
	struct cv_rect map = rect_make(
	    r.x + frame, item->map.y - 3, r.w - 2 * frame, r.y + r.h - frame - item->map.y + 3);
	heap_site_share(&heap->site, item->id, &item->map.share);
	item->map.style = item->prefs->style;
	cv_push_clip(ui->cv, rect_and(map, heap->area));
	bool related = relate(app, item);
	if (related && !all) {
		/* Old marks are in the gaps, which tiles do not paint. */
		cv_fill(ui->cv, map, ui->theme->ground);
		all = true;
	}
	const bool stale =
	    all || heap->shown != app->snapshot || item->map.stream != app->stream_of[item->id];
	app->stats.tiles += tilemap_paint(&item->map, ui->cv, heap_tileset(heap, item),
	    app->snapshot, item->id, app->stream_of[item->id], all);
	uint32_t selected = app->selected.space == item->id ? app->selected.tile : GCS_NONE;
	uint32_t hovered = app->hovered.space == item->id ? app->hovered.tile : GCS_NONE;
	tilemap_mark(&item->map, ui->cv, heap_tileset(heap, item), selected, hovered);
	if (item->rows && stale)
		heap_rows_paint(heap, app, item);
	if (heap_compares(heap))
		heap_compare_signs(heap, app, item);
	for (uint32_t i = 0; i < item->related.count; i++)
		tilemap_frame(&item->map, ui->cv, heap_tileset(heap, item),
		    item->related.run[i].first, item->related.run[i].count);
	tilemap_outline(&item->map, ui->cv, heap_tileset(heap, item), &item->prefs->equal,
	    EDGE_DOUBLE, ui->theme->related);
	bool marking = heap->drag == DRAG_MARK && heap->mark.space == item->id;
	tilemap_outline(&item->map, ui->cv, heap_tileset(heap, item), &item->prefs->marks,
	    EDGE_DASHES,
	    marking ? heap_tileset(heap, item)->active : heap_tileset(heap, item)->marker);
	cv_pop_clip(ui->cv);
	if (active)
		paint_corners(ui, r);
}
