/* The size of tiles, and which part of the map is in sight. Declared in heap.h. */
#include "heap.h"
#include "layout.h"

void heap_zoom(struct heap *heap, struct app *app, int pitch, int x, int y)
{
	struct heap_item *item = heap_item_at(heap, app, x, y);
	uint32_t id = item != NULL ? item->id : GCS_NONE;
	enum heap_kind kind = item != NULL ? item->kind : HEAP_GROUP;
	uint32_t tile = GCS_NONE;
	if (item != NULL && kind == HEAP_SPACE)
		tile = tilemap_at(&item->map, heap_look(heap, item), x, y);
	heap->pitch = pitch;
	app->hovered.space = GCS_NONE;
	app->ui.tip[0] = 0;
	app_dirty(app, PANEL_VIEW);
	app->view_all = true;
	bool all = true;
	if (!heap_refresh(heap, app, heap->area, &all) || kind != HEAP_SPACE ||
	    (item = heap_find(heap, id)) == NULL)
		return;
	heap_place(heap, app);
	struct cv_rect now = heap_item_rect(heap, app, item);
	if (tile != GCS_NONE)
		now = tilemap_rect(&item->map, heap_look(heap, item), tile);
	heap_scroll_by(heap, app, tile != GCS_NONE ? now.x - x : 0, now.y - y);
}

static bool zoom_by_key(struct heap *heap, struct app *app, int pitch)
{
	int x = heap->area.x + heap->area.w / 2;
	int y = heap->area.y + heap->area.h / 2;
	struct heap_item *item = heap_find(heap, app->selected.space);
	if (item != NULL) {
		struct cv_rect tile =
		    tilemap_rect(&item->map, heap_look(heap, item), app->selected.tile);
		if (rect_meets(tile, heap->area)) {
			x = tile.x;
			y = tile.y;
		}
	}
	heap_zoom(heap, app, pitch, x, y);
	return true;
}

/* What F is about: the marked tiles of the space if the selected one is among them, else that. */
static struct cv_rect target(const struct heap *heap, const struct heap_item *item, uint32_t tile)
{
	const struct tilelook *look = heap_look(heap, item);
	struct cv_rect r = tilemap_rect(&item->map, look, tile);
	const struct tilemarks *marks = &item->prefs->marks;
	uint32_t count;
	if (!tilemarks_has(marks, tile))
		return r;
	for (uint32_t at = tilemarks_run(marks, 0, &count); at != UINT32_MAX;
	     at = tilemarks_run(marks, at + count, &count)) {
		for (uint32_t i = at; i < at + count && i < item->map.tiles; i++)
			r = rect_or(r, tilemap_rect(&item->map, look, i));
	}
	return r;
}

/* The largest tiles with which the target, as it is now, has room in the window. */
static int pitch_that_fits(const struct heap *heap, const struct heap_item *item, struct cv_rect r)
{
	int now = heap_look(heap, item)->pitch;
	int best = heap_next_pitch(0, 0);
	for (int pitch = best, before = 0; pitch != before; pitch = heap_next_pitch(pitch, 1)) {
		before = pitch;
		if ((int64_t)r.w * pitch <= (int64_t)heap->area.w * now &&
		    (int64_t)r.h * pitch <= (int64_t)heap->area.h * now)
			best = pitch;
		if (heap_next_pitch(pitch, 1) == pitch)
			break;
	}
	return best;
}

static void centre(struct heap *heap, struct app *app, const struct heap_item *item, uint32_t tile)
{
	heap_place(heap, app);
	struct cv_rect r = target(heap, item, tile);
	const struct cv_rect a = heap->area;
	heap_scroll_by(heap, app, r.x + r.w / 2 - a.x - a.w / 2, r.y + r.h / 2 - a.y - a.h / 2);
}

/* Centres the selected tile; the second time in a row it is made as large as there is room. */
static bool reveal(struct heap *heap, struct app *app)
{
	const struct tile_ref at = app->selected;
	struct heap_item *item = heap_find(heap, at.space);
	if (item == NULL || at.tile >= item->map.tiles) {
		app_toast(app, "Select a tile first: click it, or use the arrow keys");
		return true;
	}
	const bool again = heap->fit.space == at.space && heap->fit.tile == at.tile;
	if (again) {
		struct cv_rect r = target(heap, item, at.tile);
		heap_zoom(heap, app, pitch_that_fits(heap, item, r), r.x, r.y);
		item = heap_find(heap, at.space);
	}
	if (item != NULL)
		centre(heap, app, item, at.tile);
	heap->fit = again ? (struct tile_ref){GCS_NONE, 0} : at;
	return true;
}

static bool pan(struct heap *heap, struct app *app, int dir)
{
	const int step = ui_px(&app->ui, 80);
	if (heap->wide > heap->area.w - 2 * heap_margin(app))
		heap_scroll_by(heap, app, dir * step, 0);
	else
		heap_scroll_by(heap, app, 0, dir * step);
	return true;
}

bool heap_zoom_command(struct heap *heap, struct app *app, enum command_id id)
{
	const int page = heap->area.h - ui_px(&app->ui, 40);
	if (id != COMMAND_reveal)
		heap->fit.space = GCS_NONE;
	switch (id) {
	case COMMAND_zoom_in:
		return zoom_by_key(heap, app, heap_next_pitch(heap->fitted, 1));
	case COMMAND_zoom_out:
		return zoom_by_key(heap, app, heap_next_pitch(heap->fitted, -1));
	case COMMAND_zoom_fit:
		heap->scroll = 0;
		zoom_by_key(heap, app, 0);
		heap_scroll_by(heap, app, -heap->scroll_x, 0);
		return true;
	case COMMAND_scroll_up:
	case COMMAND_scroll_down:
		heap_scroll_by(heap, app, 0, id == COMMAND_scroll_up ? -page : page);
		return true;
	case COMMAND_pan_left:
	case COMMAND_pan_right:
		return pan(heap, app, id == COMMAND_pan_left ? -1 : 1);
	case COMMAND_reveal:
		return reveal(heap, app);
	default:
		return false;
	}
}
