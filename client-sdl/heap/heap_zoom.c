/* The size of tiles, and the visible part of the map. Declared in heap_view.h. */
#include "heap_view.h"
#include "layout.h"

static bool set_pitch(struct heap *heap, struct app *app, int pitch)
{
	bool all = true;
	heap->pitch = pitch;
	app->hovered.space = GCS_NONE;
	app->ui.tip[0] = 0;
	app_dirty(app, PANEL_VIEW);
	app->view_all = true;
	if (!heap_refresh(heap, app, heap->area, &all))
		return false;
	heap_place(heap, app);
	return true;
}

/* Of an item whose tiles keep their size, else of all others. */
static bool set_size(struct heap *heap, struct app *app, const struct heap_item *item, int pitch)
{
	if (item == NULL || item->kind != HEAP_SPACE || item->prefs->pitch == 0 || pitch == 0)
		return set_pitch(heap, app, pitch);
	heap_fix(app, item->prefs, pitch);
	return set_pitch(heap, app, heap->pitch);
}

void heap_zoom(struct heap *heap, struct app *app, int pitch, int x, int y)
{
	struct heap_item *item = heap_item_at(heap, app, x, y);
	uint32_t id = item != NULL ? item->id : GCS_NONE;
	enum heap_kind kind = item != NULL ? item->kind : HEAP_GROUP;
	uint32_t tile = GCS_NONE;
	if (item != NULL && kind == HEAP_SPACE)
		tile = tilemap_at(&item->map, heap_tileset(heap, item), x, y);
	heap->rows_of = heap->slack_x = heap->slack_y = 0;
	if (!set_size(heap, app, item, pitch) || kind != HEAP_SPACE ||
	    (item = heap_find(heap, id)) == NULL)
		return;
	struct cv_rect now = heap_item_rect(heap, app, item);
	if (tile != GCS_NONE)
		now = tilemap_rect(&item->map, heap_tileset(heap, item), tile);
	heap_scroll_by(heap, app, tile != GCS_NONE ? now.x - x : 0, now.y - y);
}

/* Remembers the tile under the pointer, unless the pointer has not moved since. */
static bool find_anchor(struct heap *heap, const struct app *app, int x, int y)
{
	struct heap_anchor *a = &heap->anchor;
	struct heap_item *item = heap_find(heap, a->at.space);
	if (item != NULL && a->x == x && a->y == y && a->at.tile < item->map.tiles)
		return true;
	a->at.space = GCS_NONE;
	item = heap_item_at(heap, app, x, y);
	if (item == NULL || item->kind != HEAP_SPACE)
		return false;
	const struct tileset *set = heap_tileset(heap, item);
	const uint32_t tile = tilemap_at(&item->map, set, x, y);
	if (tile == GCS_NONE)
		return false;
	const struct cv_rect r = tilemap_rect(&item->map, set, tile);
	*a = (struct heap_anchor){
	    {item->id, tile}, x, y, (x - r.x) * 1000 / set->pitch, (y - r.y) * 1000 / set->pitch};
	return true;
}

/* Extends the content so that it can scroll that far. */
static void make_room(struct heap *heap, const struct app *app, int dx, int dy)
{
	const int width = heap->area.w - 2 * ui_px(&app->ui, HEAP_MARGIN);
	const int x = heap->scroll_x + dx + width - heap->wide;
	const int y = heap->scroll + dy + heap->area.h - heap->content;
	heap->slack_x = x > 0 && heap->scroll_x + dx > 0 ? x : 0;
	heap->slack_y = y > 0 && heap->scroll + dy > 0 ? y : 0;
	heap->wide += heap->slack_x;
	heap->content += heap->slack_y;
}

bool heap_zoom_wheel(struct heap *heap, struct app *app, int dir, int x, int y)
{
	if (!find_anchor(heap, app, x, y))
		return false;
	const struct heap_anchor *a = &heap->anchor;
	struct heap_item *item = heap_find(heap, a->at.space);
	/* Larger tiles of small spaces grow from their own size. */
	const int from =
	    dir > 0 || item->prefs->pitch > 0 ? heap_tileset(heap, item)->pitch : heap->fitted;
	const int pitch = heap_next_pitch(from, dir);
	if (pitch == from)
		return true;
	if (heap->rows_of == 0)
		heap->rows_of = heap->fitted;
	heap->slack_x = heap->slack_y = 0;
	if (!set_size(heap, app, item, pitch) || (item = heap_find(heap, a->at.space)) == NULL)
		return true;
	const struct cv_rect r = tilemap_rect(&item->map, heap_tileset(heap, item), a->at.tile);
	const int now = heap_tileset(heap, item)->pitch;
	const int dx = r.x + a->part_x * now / 1000 - x, dy = r.y + a->part_y * now / 1000 - y;
	make_room(heap, app, dx, dy);
	heap_scroll_by(heap, app, dx, dy);
	return true;
}

/* dir 0: as large as fits. */
static bool zoom_by_key(struct heap *heap, struct app *app, int dir)
{
	int x = heap->area.x + heap->area.w / 2;
	int y = heap->area.y + heap->area.h / 2;
	struct heap_item *item = heap_find(heap, app->selected.space);
	if (item != NULL) {
		struct cv_rect tile =
		    tilemap_rect(&item->map, heap_tileset(heap, item), app->selected.tile);
		if (rect_meets(tile, heap->area)) {
			x = tile.x;
			y = tile.y;
		}
	}
	item = heap_item_at(heap, app, x, y);
	const bool fixed = item != NULL && item->kind == HEAP_SPACE && item->prefs->pitch > 0;
	const int from = fixed ? heap_tileset(heap, item)->pitch : heap->fitted;
	heap_zoom(heap, app, dir != 0 ? heap_next_pitch(from, dir) : 0, x, y);
	return true;
}

/* The target of F: the marked tiles of the space if the selected one is among them, else that. */
static struct cv_rect target(const struct heap *heap, const struct heap_item *item, uint32_t tile)
{
	const struct tileset *set = heap_tileset(heap, item);
	struct cv_rect r = tilemap_rect(&item->map, set, tile);
	const struct tilemarks *marks = &item->prefs->marks;
	uint32_t count;
	if (!tilemarks_has(marks, tile))
		return r;
	for (uint32_t at = tilemarks_run(marks, 0, &count); at != UINT32_MAX;
	     at = tilemarks_run(marks, at + count, &count)) {
		for (uint32_t i = at; i < at + count && i < item->map.tiles; i++)
			r = rect_or(r, tilemap_rect(&item->map, set, i));
	}
	return r;
}

/* The largest pitch with which the target fits into the window. */
static int pitch_that_fits(const struct heap *heap, const struct heap_item *item, struct cv_rect r)
{
	int now = heap_tileset(heap, item)->pitch;
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

/* Centres the selected tile; the second time in a row, enlarges it to fill the window. */
static bool reveal(struct heap *heap, struct app *app)
{
	const struct tile_ref at = app->selected;
	struct heap_item *item = heap_find(heap, at.space);
	if (item == NULL || at.tile >= item->map.tiles) {
		app_toast(app, "Select a tile first: click one or use the arrow keys");
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
	if (heap->wide > heap->area.w - 2 * ui_px(&app->ui, HEAP_MARGIN))
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
		return zoom_by_key(heap, app, 1);
	case COMMAND_zoom_out:
		return zoom_by_key(heap, app, -1);
	case COMMAND_zoom_fit:
		heap->fitted_of = 0;
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
