/* Context menus of tiles, spaces and groups. Declared in heap_view.h. */
#include <gcspy/format.h>
#include <stdio.h>

#include "heap_view.h"
#include "layout.h"
#include "plugins_menu.h"

static void menu_of_tile(struct heap *heap, struct app *app)
{
	const struct tile_ref at = app->selected;
	const struct gcs_space *s = app_space(app, at.space);
	const struct heap_prefs *p = heap_prefs_of(heap, app, at.space);
	char where[PROFILES_WHERE], number[40];
	gcs_format_count(number, sizeof number, at.tile);
	menu_begin(app, "%.80s %s %s", s->name, s->tile_title, number);
	if (app_place_of(app, at, where, sizeof where) == NULL) {
		menu_add(app, COMMAND_tile_sites, "Call sites of the objects here", where);
		menu_add(app, COMMAND_look_closer, "Zoom into this memory", NULL);
	}
	menu_add(app, COMMAND_reveal, "Centre this tile", NULL);
	menu_add(app, COMMAND_equal,
	    heap->equal ? "Do not outline the same value" : "Outline tiles with the same value",
	    NULL);
	menu_add(app, COMMAND_mark, "Mark from or to here", NULL);
	if (p != NULL && p->marks.count > 0)
		menu_add(app, COMMAND_clear_markers, "Clear the marks", NULL);
	menu_add(app, COMMAND_back, "Deselect", NULL);
	menu_section(app);
	plugins_menu_add(app, true);
}

static void menu_of_space(struct heap *heap, struct app *app)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	const struct heap_prefs *p = heap_prefs_of(heap, app, app->active_space);
	if (s == NULL || p == NULL)
		return;
	menu_begin(app, "%.120s", s->name);
	menu_add(app, COMMAND_stream, "Colour by another stream", NULL);
	menu_add(app, COMMAND_split, "One more stream in each tile", NULL);
	menu_add(app, COMMAND_expression, "Colour by an expression", NULL);
	menu_add(app, COMMAND_order, "Largest value first", "falling");
	menu_add(app, COMMAND_order, "Smallest value first", "rising");
	menu_add(app, COMMAND_order, "In address order", "address");
	menu_section(app);
	menu_add(app, COMMAND_pin, p->pinned ? "Unpin" : "Pin to the top", NULL);
	menu_add(app, COMMAND_fold,
	    heap_folded(p, app, app->active_space) ? "Unfold" : "Fold to one line", NULL);
	menu_add(app, COMMAND_hide, "Hide", NULL);
	if (heap->hidden > 0)
		menu_add(app, COMMAND_show_hidden, "Show hidden spaces", NULL);
	if (counting_concerns(app, app->active_space))
		menu_add(app, COMMAND_count_objects,
		    counting_is_on(app) ? "Stop counting objects" : "Count objects", NULL);
	menu_add(app, COMMAND_summary, "Summary", NULL);
	menu_add(app, COMMAND_space_colours, "Colours", NULL);
	menu_add(app, COMMAND_charts, "Charts of this space", NULL);
	menu_section(app);
	menu_add(app, COMMAND_tile_size,
	    p->pitch > 0 ? "Fit this space's tiles to the window" : "Keep the size of its tiles",
	    p->pitch > 0 ? "fit" : "fixed");
	menu_add(app, COMMAND_zoom_fit, "Fit the tiles to the window", NULL);
	menu_add(app, COMMAND_layout,
	    heap->shape == HEAP_WRAPPED ? "Spaces in proportion" : "Spaces as wide as the window",
	    heap->shape == HEAP_WRAPPED ? "proportional" : "wrapped");
	menu_add(
	    app, COMMAND_recency, heap->recency ? "Do not fade" : "Fade unchanged tiles", NULL);
	menu_add(app, COMMAND_compare,
	    heap_compares(heap) ? "End the comparison" : "Compare with this moment", NULL);
}

void heap_menu(void *self, struct app *app, bool pointed)
{
	struct heap *heap = self;
	const struct ui *ui = &app->ui;
	if (app->snapshot == NULL)
		return;
	heap_place(heap, app);
	const bool inside = pointed && rect_has(heap->area, ui->mouse_x, ui->mouse_y);
	struct heap_item *item = inside ? heap_item_at(heap, app, ui->mouse_x, ui->mouse_y) : NULL;
	uint32_t tile = GCS_NONE;
	if (item != NULL && item->kind == HEAP_SPACE)
		tile = tilemap_at(&item->map, heap_tileset(heap, item), ui->mouse_x, ui->mouse_y);
	if (tile != GCS_NONE)
		app_select(app, item->id, tile);
	else if (item != NULL && item->kind == HEAP_SPACE)
		app_activate(app, item->id);
	if (item != NULL && item->kind == HEAP_GROUP) {
		const struct gcs_group *group = &app_model(app)->groups[item->id];
		menu_begin(app, "%.120s", group->name);
		menu_add(app, COMMAND_toggle_group,
		    app->group_closed[item->id] ? "Expand" : "Collapse", group->name);
		menu_add(app, COMMAND_expand_all, "Expand all groups", NULL);
	} else if (app->selected.space != GCS_NONE && (tile != GCS_NONE || !pointed)) {
		menu_of_tile(heap, app);
	} else {
		menu_of_space(heap, app);
	}
}
