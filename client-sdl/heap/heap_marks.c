/* Marks ranges of tiles, by pointer, keys and script (V2). Declared in heap_view.h. */
#include <stdio.h>
#include <stdlib.h>

#include "heap_view.h"

/* The tiles between two: by number, or, with `seen`, by position on screen. */
static void put_range(struct tilemarks *marks, const struct heap_item *item, uint32_t from,
    uint32_t to, enum marks_how how, bool seen)
{
	if (!tileorder_on(item->map.style.order) || !seen) {
		tilemarks_range(marks, from, to, how == MARKS_SUBTRACT ? how : MARKS_ADD);
		return;
	}
	uint32_t a = tilemap_place(&item->map, from), b = tilemap_place(&item->map, to);
	for (uint32_t i = a < b ? a : b; i <= (a < b ? b : a); i++) {
		uint32_t tile = tilemap_tile(&item->map, i);
		tilemarks_range(marks, tile, tile, how == MARKS_SUBTRACT ? how : MARKS_ADD);
	}
}

static void changed(struct app *app)
{
	app->view_all = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

bool heap_mark_begin(
    struct heap *heap, struct app *app, uint32_t space, uint32_t tile, enum marks_how how)
{
	struct heap_item *item = heap_find(heap, space);
	if (item == NULL || tile >= item->map.tiles)
		return false;
	heap_unfold(heap, app, space);
	struct tilemarks *marks = &item->prefs->marks;
	tilemarks_fini(&heap->mark.base);
	if (!tilemarks_resize(marks, item->map.tiles) ||
	    (how != MARKS_REPLACE && !tilemarks_copy(&heap->mark.base, marks))) {
		app_toast(app, "Cannot mark tiles: out of memory");
		return false;
	}
	heap->mark.space = space;
	heap->mark.from = tile;
	heap->mark.how = how;
	heap->mark.numbers = false;
	app_activate(app, space);
	heap_mark_to(heap, app, tile);
	return true;
}

void heap_mark_to(struct heap *heap, struct app *app, uint32_t tile)
{
	struct heap_item *item = heap_find(heap, heap->mark.space);
	if (item == NULL || tile >= item->map.tiles || heap->mark.from >= item->map.tiles)
		return;
	struct tilemarks *marks = &item->prefs->marks;
	tilemarks_clear(marks);
	if (heap->mark.base.tiles == item->map.tiles)
		tilemarks_copy(marks, &heap->mark.base);
	if (tilemarks_resize(marks, item->map.tiles))
		put_range(marks, item, heap->mark.from, tile, heap->mark.how, !heap->mark.numbers);
	changed(app);
}

/* "FROM TO" in the active space. */
static bool mark_named(struct heap *heap, struct app *app, const char *argument, enum marks_how how)
{
	char *end;
	const struct heap_item *item = heap_find(heap, app->active_space);
	unsigned long from = strtoul(argument, &end, 10);
	const bool first = end != argument && argument[0] >= '0' && argument[0] <= '9';
	while (*end == ' ')
		end++;
	const char *second = end;
	unsigned long to = strtoul(second, &end, 10);
	if (!first || *second < '0' || *second > '9' || *end != 0) {
		app_toast(app, "%s: expected the numbers of the first and last tile", argument);
		return false;
	}
	if (item == NULL || from >= item->map.tiles || to >= item->map.tiles) {
		app_toast(app, "%s has %u tiles, numbered from 0",
		    item != NULL ? item->prefs->name : "No space",
		    item != NULL ? item->map.tiles : 0);
		return false;
	}
	if (!heap_mark_begin(heap, app, item->id, (uint32_t)from, how))
		return false;
	heap->mark.numbers = true;
	heap_mark_to(heap, app, (uint32_t)to);
	heap->mark.space = GCS_NONE;
	return true;
}

/* The first call begins a range at the selected tile; the next one extends it. */
static bool mark_selected(struct heap *heap, struct app *app, enum marks_how how)
{
	const struct tile_ref at = app->selected;
	if (at.space == GCS_NONE || heap_find(heap, at.space) == NULL) {
		app_toast(app, "Select a tile first: click one or use the arrow keys");
		return false;
	}
	const bool extends = how == MARKS_REPLACE && heap->mark.space == at.space &&
			     heap->mark.how != MARKS_SUBTRACT && heap->mark.from != at.tile;
	if (extends)
		heap_mark_to(heap, app, at.tile);
	else if (!heap_mark_begin(heap, app, at.space, at.tile, how))
		return false;
	const uint32_t count = heap_find(heap, at.space)->prefs->marks.count;
	if (extends)
		app_toast(app, "%u tiles marked", count);
	else
		app_toast(app, "Range starts here: go to its other end and press ' again");
	return true;
}

static bool clear(struct heap *heap, struct app *app)
{
	struct heap_item *item = heap_find(heap, app->active_space);
	heap->mark.space = GCS_NONE;
	if (item == NULL || item->prefs->marks.count == 0) {
		app_toast(app, "No marked tiles in the active space");
		return false;
	}
	tilemarks_clear(&item->prefs->marks);
	changed(app);
	return true;
}

bool heap_mark_command(struct heap *heap, struct app *app, enum command_id id, const char *argument)
{
	enum marks_how how = id == COMMAND_mark_add      ? MARKS_ADD
			     : id == COMMAND_mark_remove ? MARKS_SUBTRACT
							 : MARKS_REPLACE;
	if (id == COMMAND_clear_markers)
		return clear(heap, app);
	return argument != NULL ? mark_named(heap, app, argument, how)
				: mark_selected(heap, app, how);
}
