/* The pointer over the heap map: hovering, selecting, marking, panning. Declared in heap_view.h. */
#include <stdlib.h>

#include "heap_text.h"
#include "heap_view.h"
#include "layout.h"

enum { CAPTURE = 2 };

#define STILL   4 /* pixels at scale 1 that a click may move */
#define NOTCHES 4 /* maximum per wheel event */

struct cv_rect heap_item_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item)
{
	int outer = ui_px(&app->ui, HEAP_MARGIN) - ui_px(&app->ui, 6);
	return rect_make(heap->area.x + outer, heap->area.y + item->y - heap->scroll,
	    heap->area.w - 2 * outer, item->h);
}

struct heap_item *heap_item_at(struct heap *heap, const struct app *app, int x, int y)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		if (rect_has(heap_item_rect(heap, app, &heap->item[i]), x, y))
			return &heap->item[i];
	}
	return NULL;
}

/* A command paints before it runs, which is a pass of its own: restores the current one. */
void heap_run(struct app *app, enum command_id id)
{
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	const int panel = ui->panel;
	app_command(app, id, NULL);
	ui->ev = ev;
	ui->panel = panel;
	ui->used = ui->dirty = true;
}

static void point_at_title(struct heap *heap, struct app *app, const struct heap_item *item)
{
	uint32_t bar = item != NULL && item->kind == HEAP_SPACE ? item->id : GCS_NONE;
	if (bar == heap->bar)
		return;
	heap->bar = bar;
	heap->bar_stale = true;
	app_dirty(app, PANEL_VIEW);
}

static void point(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	const bool inside = ev->kind != EV_LEAVE && rect_has(heap->area, ev->x, ev->y);
	struct heap_item *item = inside ? heap_item_at(heap, app, ev->x, ev->y) : NULL;
	struct tile_ref now = {GCS_NONE, 0};
	point_at_title(heap, app, item);
	if (item != NULL && item->kind == HEAP_SPACE) {
		now.tile = tilemap_at(&item->map, heap_tileset(heap, item), ev->x, ev->y);
		now.space = now.tile != GCS_NONE ? item->id : GCS_NONE;
	}
	bool same = now.space == app->hovered.space &&
		    (now.space == GCS_NONE || now.tile == app->hovered.tile);
	app->hovered = now;
	if (now.space != GCS_NONE)
		heap_tip(app, tilemap_rect(&item->map, heap_tileset(heap, item), now.tile));
	if (!same)
		app_dirty(app, PANEL_VIEW);
}

static void capture(struct heap *heap, struct app *app, enum heap_drag drag)
{
	heap->drag = drag;
	heap->drag_x = app->ui.ev->x;
	heap->drag_y = app->ui.ev->y;
	heap->drag_still = app->ui.ev->button == 1;
	app->ui.active = UI_ID(PANEL_VIEW, CAPTURE);
	app->ui.tip[0] = 0;
	ui_take(&app->ui);
}

/* Shift replaces the marks; with Alt it adds to them, with Ctrl it removes some. */
static void press_shift(struct heap *heap, struct app *app, struct heap_item *item)
{
	const struct ui_event *ev = app->ui.ev;
	uint32_t tile = tilemap_at(&item->map, heap_tileset(heap, item), ev->x, ev->y);
	enum marks_how how = ev->mods & MOD_CTRL  ? MARKS_SUBTRACT
			     : ev->mods & MOD_ALT ? MARKS_ADD
						  : MARKS_REPLACE;
	if (tile != GCS_NONE && heap_mark_begin(heap, app, item->id, tile, how))
		capture(heap, app, DRAG_MARK);
}

/* Outside the spaces, a drag still moves the map. */
static void press_left(struct heap *heap, struct app *app, struct heap_item *item)
{
	const struct ui_event *ev = app->ui.ev;
	if (item != NULL && item->kind == HEAP_HIDDEN) {
		heap_run(app, COMMAND_show_hidden);
		return;
	}
	if (item != NULL && item->kind == HEAP_SPACE && ev->mods & MOD_SHIFT) {
		press_shift(heap, app, item);
		return;
	}
	if (item != NULL && item->kind == HEAP_SPACE) {
		uint32_t tile = tilemap_at(&item->map, heap_tileset(heap, item), ev->x, ev->y);
		if (tile != GCS_NONE)
			app_select(app, item->id, tile);
		else
			app_activate(app, item->id);
	}
	capture(heap, app, DRAG_PAN);
}

static void press(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	app->ui.focus = 0;
	heap->fit.space = GCS_NONE;
	if (ev->button == 2) {
		capture(heap, app, DRAG_PAN);
		return;
	}
	struct heap_item *item = heap_item_at(heap, app, ev->x, ev->y);
	if (ev->button == 1 && rect_has(heap->area, ev->x, ev->y))
		press_left(heap, app, item);
}

/* Extends the range to the tile under the pointer, or to the nearest one. */
static void drag_mark(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	struct heap_item *item = heap_find(heap, heap->mark.space);
	if (item == NULL || item->map.tiles == 0)
		return;
	const struct tileset *set = heap_tileset(heap, item);
	const struct tilemap *map = &item->map;
	int rows = (int)((map->tiles - 1) / map->columns);
	int row = clamp_int((ev->y - map->y) / set->pitch, 0, rows);
	int column = clamp_int((ev->x - map->x) / set->pitch, 0, (int)map->columns - 1);
	uint64_t place = (uint64_t)row * map->columns + (uint64_t)column;
	uint32_t last = map->tiles - 1;
	heap_mark_to(heap, app, tilemap_tile(map, place < last ? (uint32_t)place : last));
}

static void drag(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	if (ev->kind == EV_UP) {
		app->view_all = app->view_all || heap->drag == DRAG_MARK || !heap->drag_still;
		heap->drag = DRAG_NONE;
		ui_take(&app->ui);
		app_dirty(app, PANEL_VIEW);
		return;
	}
	if (ev->kind != EV_MOVE)
		return;
	const int still = ui_px(&app->ui, STILL);
	if (heap->drag_still && heap->drag == DRAG_PAN && abs(ev->x - heap->drag_x) <= still &&
	    abs(ev->y - heap->drag_y) <= still)
		return;
	heap->drag_still = false;
	if (heap->drag == DRAG_PAN) {
		heap_scroll_by(heap, app, heap->drag_x - ev->x, heap->drag_y - ev->y);
		heap->drag_x = ev->x;
		heap->drag_y = ev->y;
	} else {
		drag_mark(heap, app);
	}
	ui_take(&app->ui);
}

static void run_bars(struct heap *heap, struct app *app)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_item *item = &heap->item[i];
		struct cv_rect title = heap_title_rect(heap, app, item);
		if (item->kind != HEAP_SPACE || !rect_meets(title, heap->area))
			continue;
		heap_bar_run(heap, app, item, &title);
		if (!app->ui.used && app->modal == MODAL_NONE)
			heap_fold_run(heap, app, item, &title);
	}
}

static void run_groups(struct heap *heap, struct app *app)
{
	for (uint32_t i = 0; i < heap->count && !app->ui.used; i++)
		if (heap->item[i].kind == HEAP_GROUP &&
		    rect_meets(heap_item_rect(heap, app, &heap->item[i]), heap->area))
			heap_group_run(heap, app, &heap->item[i], false);
}

/* Zooms over tiles; scrolls elsewhere and with Shift, sideways with Alt. */
static void wheel(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	const int line = ui_px(&app->ui, 48), dir = ev->wheel > 0 ? 1 : -1;
	const int notches = clamp_int(abs(clamp_int(ev->wheel, -NOTCHES, NOTCHES)), 1, NOTCHES);
	bool zooms = (ev->mods & (MOD_SHIFT | MOD_ALT)) == 0 && rect_has(heap->area, ev->x, ev->y);
	for (int i = 0; zooms && i < notches; i++)
		zooms = heap_zoom_wheel(heap, app, dir, ev->x, ev->y);
	if (!zooms && ev->mods & MOD_ALT)
		heap_scroll_by(heap, app, -dir * notches * line, 0);
	else if (!zooms)
		heap_scroll_by(heap, app, 0, -dir * notches * line);
	ui_take(&app->ui);
}

void heap_pointer(struct heap *heap, struct app *app, struct cv_rect r)
{
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	const int before = heap->scroll;
	heap_place(heap, app);
	if (heap->drag != DRAG_NONE && ui->active == UI_ID(PANEL_VIEW, CAPTURE)) {
		drag(heap, app);
		return;
	}
	heap->drag = DRAG_NONE;
	run_bars(heap, app);
	run_groups(heap, app);
	if (app->modal != MODAL_NONE)
		return; /* a tool has opened a dialog */
	if (ev->kind == EV_WHEEL && ev->wheel != 0 && !ui->used && rect_has(r, ev->x, ev->y))
		wheel(heap, app);
	if (heap->scroll != before)
		heap->fit.space = GCS_NONE;
	if ((ev->kind == EV_MOVE || ev->kind == EV_WHEEL || ev->kind == EV_LEAVE) &&
	    ui->active == 0)
		point(heap, app);
	if (ev->kind == EV_DOWN && !ui->used)
		press(heap, app);
}
