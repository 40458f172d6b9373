/* The heap view: all spaces in their groups, each with a title bar and a tile map. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_side.h"
#include "heap_text.h"
#include "heap_view.h"
#include "layout.h"
#include "plugins_menu.h"
#include "side.h"

enum { BAR = 1 };

static void *heap_open(struct app *app)
{
	struct heap *heap = calloc(1, sizeof *heap);
	(void)app;
	if (heap == NULL)
		return NULL;
	heap->active = heap->mark.space = heap->bar = heap->anchor.at.space = heap->fit.space =
	    heap->show_space = heap->pointed.space = heap->equal_of.space = GCS_NONE;
	heap_tile_init(&heap->tile);
	return heap;
}

static void heap_close(void *self)
{
	struct heap *heap = self;
	heap_clear(heap);
	heap_prefs_fini(heap);
	heap_drop_snapshots(heap);
	tilemarks_fini(&heap->mark.base);
	heap_site_leave(&heap->site);
	heap_compare_fini(heap);
	for (int i = 0; i < 4; i++)
		tileset_fini(&heap->tileset[i]);
	free(heap);
}

static struct cv_rect area_of(const struct app *app, struct cv_rect r)
{
	cut_right(&r, ui_px(&app->ui, 12));
	return r;
}

static bool set_tilesets(struct heap *heap, const struct app *app, int few, bool *all)
{
	static const struct tilecolours change = {.change = 1};
	const int sets = heap->compare.a != NULL ? 4 : 2;
	bool ok = true;
	for (int i = 0; ok && i < sets; i++)
		ok = tileset_set(&heap->tileset[i], app->ui.theme, app->ramp,
		    i % 2 == 0 ? heap->fitted : few, app_is_old(app), i < 2 ? NULL : &change, all);
	for (uint32_t i = 0; ok && i < heap->count; i++)
		if (heap->item[i].kind == HEAP_SPACE) {
			const int own = heap_fixed_pitch(app, heap->item[i].prefs);
			ok = heap_fixed_tilesets(heap, app, heap->item[i].prefs, &change, all);
			heap_colours_refresh(app, &heap->item[i], own > 0 ? own : heap->fitted,
			    own > 0 ? own : few, all);
		}
	return ok;
}

bool heap_refresh(struct heap *heap, struct app *app, struct cv_rect area, bool *all)
{
	bool ok = true;
	if (app->selected.space != GCS_NONE)
		heap_unfold(heap, app, app->selected.space);
	if (*all || !heap_layout_fits(heap, app, area)) {
		ok = heap_layout(heap, app, area);
		*all = true;
	}
	*all = (ok && heap_style_refresh(heap, app)) || *all;
	ok = ok && set_tilesets(heap, app, heap_few_pitch(heap, app, heap->fitted), all);
	*all = *all || heap->active != app->active_space;
	return ok;
}

static void refresh_tip(struct heap *heap, struct app *app)
{
	if (app->ui.tip[0] == 0 || app->hovered.space == GCS_NONE || heap->shown == app->snapshot)
		return;
	struct heap_item *item = heap_find(heap, app->hovered.space);
	if (item != NULL)
		heap_tip(
		    app, tilemap_rect(&item->map, heap_tileset(heap, item), app->hovered.tile));
}

/* A horizontal scroll indicator, for maps wider than the window. */
static void paint_sideways(const struct heap *heap, struct app *app)
{
	struct ui *ui = &app->ui;
	const int page = heap->area.w - 2 * ui_px(&app->ui, HEAP_MARGIN), h = ui_px(ui, 4);
	if (heap->wide <= page || page <= 0)
		return;
	struct cv_rect r = rect_make(heap->area.x + ui_px(&app->ui, HEAP_MARGIN),
	    heap->area.y + heap->area.h - h - ui_px(ui, 2), page, h);
	cv_fill(ui->cv, r, ui->theme->raised);
	cv_touch(ui->cv, r);
	r.x += (int)((int64_t)page * heap->scroll_x / heap->wide);
	r.w = (int)((int64_t)page * page / heap->wide);
	r.w = r.w > ui_px(ui, 12) ? r.w : ui_px(ui, 12);
	cv_fill(ui->cv, r, ui->theme->weak);
}

static void heap_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct heap *heap = self;
	struct cv *cv = &app->cv;
	app->stats.tiles = 0;
	all = heap_site_refresh(&heap->site, app) || all;
	const bool ok = heap_refresh(heap, app, area_of(app, r), &all);
	if (!ok) {
		cv_fill(cv, r, app->ui.theme->ground);
		cv_touch(cv, r);
		heap_empty(app, r);
		return;
	}
	if (app->reveal) {
		app->reveal = false;
		int before = heap->scroll;
		heap_reveal(heap, app, app->selected.space, app->selected.tile);
		all = all || heap->scroll != before;
	}
	if (heap->show_space != GCS_NONE) {
		int before = heap->scroll;
		heap_reveal(heap, app, heap->show_space, 0);
		heap->show_space = GCS_NONE;
		all = all || heap->scroll != before;
	}
	heap_place(heap, app);
	/* Without a selected tile the magnifier shows the hovered one. */
	if (app->selected.space == GCS_NONE &&
	    (heap->pointed.space != app->hovered.space || heap->pointed.tile != app->hovered.tile))
		app_dirty(app, PANEL_SIDE);
	heap->pointed = app->hovered;
	if (heap->bar != GCS_NONE && !rect_has(heap->area, app->ui.mouse_x, app->ui.mouse_y)) {
		heap->bar = GCS_NONE;
		heap->bar_stale = true;
	}
	if (all) {
		cv_fill(cv, r, app->ui.theme->ground);
		cv_touch(cv, r);
	}
	cv_push_clip(cv, heap->area);
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		if (!rect_meets(heap_item_rect(heap, app, item), heap->area))
			continue;
		if (item->kind == HEAP_SPACE)
			heap_paint_space(heap, app, item, all);
		else if (item->kind == HEAP_GROUP)
			heap_group_run(heap, app, item, all);
		else if (all)
			heap_paint_hidden(heap, app, item);
	}
	cv_pop_clip(cv);
	heap->bar_stale = false;
	paint_sideways(heap, app);
	struct cv_rect bar = rect_make(
	    heap->area.x + heap->area.w, r.y, r.x + r.w - heap->area.x - heap->area.w, r.h);
	cv_fill(cv, bar, app->ui.theme->ground);
	ui_scroll_bar(
	    &app->ui, UI_ID(PANEL_VIEW, BAR), bar, heap->content, heap->area.h, &heap->scroll);
	cv_touch(cv, bar);
	refresh_tip(heap, app);
	heap->shown = app->snapshot;
	heap->active = app->active_space;
}

/* Panels may run before the map has painted a new snapshot, or when the map has no room. */
static void catch_up(struct heap *heap, struct app *app)
{
	bool all = false;
	struct cv_rect area = area_of(app, app->rect[PANEL_VIEW]);
	if (app->snapshot == NULL ||
	    (heap->now == app->snapshot && heap_layout_fits(heap, app, area)))
		return;
	(void)heap_refresh(heap, app, area, &all);
	heap_place(heap, app);
	app->view_all = app->view_all || all;
	app_dirty(app, PANEL_VIEW);
}

static void heap_event(void *self, struct app *app, struct cv_rect r)
{
	struct heap *heap = self;
	struct ui *ui = &app->ui;
	if (heap->tileset[0].pitch == 0) {
		heap_empty(app, r);
		return;
	}
	catch_up(heap, app);
	struct cv_rect bar = r;
	bar = cut_right(&bar, ui_px(ui, 12));
	if (ui_scroll_bar(
		ui, UI_ID(PANEL_VIEW, BAR), bar, heap->content, heap->area.h, &heap->scroll))
		heap_scroll_by(heap, app, 0, 0);
	heap_pointer(heap, app, r);
}

void heap_leave_site(struct heap *heap, struct app *app)
{
	heap_site_leave(&heap->site);
	app_toast(app, "Tiles show their stream again");
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static bool leave_site(struct heap *heap, struct app *app)
{
	if (!heap->site.on || app->modal != MODAL_NONE || app->ui.focus != 0)
		return false;
	heap_leave_site(heap, app);
	return true;
}

static bool leave_comparison(struct heap *heap, struct app *app)
{
	return app->modal == MODAL_NONE && app->ui.focus == 0 && heap_compare_end(heap, app);
}

static bool heap_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct heap *heap = self;
	bool ok;
	if (app->snapshot == NULL && !app->view_state.running)
		return false;
	app_frame(app); /* brings the layout up to date */
	switch (id) {
	case COMMAND_back:
		if (app->modal == MODAL_NONE && heap_field_close(heap, app))
			return true;
		return leave_site(heap, app) || leave_comparison(heap, app);
	case COMMAND_compare:
		if (argument != NULL && strcmp(argument, "mark") != 0)
			return false; /* a profile's file */
		return heap_compare_mark(heap, app, argument);
	case COMMAND_mark:
	case COMMAND_mark_add:
	case COMMAND_mark_remove:
	case COMMAND_clear_markers:
		return heap_mark_command(heap, app, id, argument);
	default:
		if (heap_choice_command(heap, app, id, argument, &ok))
			return ok;
		return heap_zoom_command(heap, app, id) || heap_walk(heap, app, id);
	}
}

static bool heap_where(
    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r)
{
	struct heap *heap = self;
	heap_unfold(heap, app, space);
	app_frame(app);
	heap_reveal(heap, app, space, tile);
	app_frame(app);
	struct heap_item *item = heap_find(heap, space);
	if (item == NULL || tile >= item->map.tiles)
		return false;
	*r = tilemap_rect(&item->map, heap_tileset(heap, item), tile);
	return true;
}

static void heap_copy(void *self, struct app *app, struct textbuf *out)
{
	struct heap *heap = self;
	if (app->snapshot != NULL)
		app_frame(app);
	catch_up(heap, app);
	heap_text(heap, app, out);
}

static bool heap_has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL;
}

static void heap_side(void *self, struct app *app, struct cv_rect *column)
{
	struct heap *heap = self;
	if (heap->bar != GCS_NONE && !ui_paints(&app->ui) && app->ui.ev->kind == EV_MOVE) {
		heap->bar = GCS_NONE; /* The pointer has left the map. */
		heap->bar_stale = true;
		app_dirty(app, PANEL_VIEW);
	}
	catch_up(heap, app);
	heap_field_run(heap, app, column);
	/* What was selected is always in sight; without a selection its place is below. */
	const bool selected = app->selected.space != GCS_NONE;
	if (selected) {
		side_tile(app, column);
		heap_side_value(heap, app, column);
	}
	if (heap->site.on) {
		heap_site_side(&heap->site, app, column);
	} else {
		side_streams(app, column);
		if (heap_compares(heap))
			heap_compare_legend(heap, app, column);
		else
			side_legend(app, column);
	}
	heap_side_legend(heap, app, column);
	heap_side_marked(heap, app, column);
	if (!selected)
		side_tile(app, column);
	heap_side_magnifier(heap, app, column);
	plugins_side(app, column, HEAP_SIDE_PLUGINS);
	heap_tile_side(&heap->tile, app, column);
}

static void heap_panel_text(void *self, struct app *app, struct textbuf *out)
{
	struct heap *heap = self;
	catch_up(heap, app);
	if (heap->site.on)
		heap_site_text(&heap->site, app, out);
	else
		side_streams_text(app, out);
	heap_compare_text(heap, app, out);
	heap_side_text(heap, app, out);
	side_tile_text(app, out);
	heap_tile_text(&heap->tile, app, out);
}

static void heap_poll(void *self, struct app *app)
{
	struct heap *heap = self;
	heap_compare_poll(heap, app);
	heap_site_poll(&heap->site, app);
	heap_tile_poll(&heap->tile, app);
}

static void heap_tick(void *self, struct app *app)
{
	struct heap *heap = self;
	heap_compare_poll(heap, app);
	heap_site_tick(&heap->site, app);
	heap_tile_tick(&heap->tile, app, heap->site.on);
}

static uint64_t heap_due_ms(void *self, const struct app *app)
{
	const struct heap *heap = self;
	uint64_t site = heap_site_due_ms(&heap->site, app);
	uint64_t tile = heap_tile_due_ms(&heap->tile, app, heap->site.on);
	if (heap->compare.reading)
		return app->now_ms + HEAP_COMPARE_POLL_MS;
	return tile < site ? tile : site;
}

static bool heap_settled(void *self, struct app *app)
{
	struct heap *heap = self;
	return heap_site_settled(&heap->site, app) && !heap->compare.reading;
}

const struct view heap_view = {
    .name = "heap",
    .title = "Heap",
    .show = COMMAND_heap_map,
    .open = heap_open,
    .close = heap_close,
    .draw = heap_draw,
    .event = heap_event,
    .command = heap_command,
    .place = heap_where,
    .copy_text = heap_copy,
    .has_side = heap_has_side,
    .side = heap_side,
    .side_text = heap_panel_text,
    .menu = heap_menu,
    .state = heap_state,
    .forget = heap_forget,
    .described = heap_described,
    .of_snapshot = true,
    .poll = heap_poll,
    .tick = heap_tick,
    .due_ms = heap_due_ms,
    .settled = heap_settled,
};
