/* The heap view: all spaces at once, in their groups, each with title bar and tile map. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "heap_text.h"
#include "layout.h"
#include "side.h"

enum { BAR = 1 };

static void *heap_open(struct app *app)
{
	struct heap *heap = calloc(1, sizeof *heap);
	(void)app;
	if (heap != NULL)
		heap->active = GCS_NONE;
	return heap;
}

static void heap_close(void *self)
{
	struct heap *heap = self;
	heap_clear(heap);
	heap_site_fini(&heap->site);
	tilelook_fini(&heap->look[0]);
	tilelook_fini(&heap->look[1]);
	free(heap);
}

static struct cv_rect area_of(const struct app *app, struct cv_rect r)
{
	cut_right(&r, ui_px(&app->ui, 12));
	return r;
}

static struct cv_rect item_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item)
{
	int outer = heap_margin(app) - ui_px(&app->ui, 6);
	return rect_make(heap->area.x + outer, heap->area.y + item->y - heap->scroll,
	    heap->area.w - 2 * outer, item->h);
}

static void paint_group(struct heap *heap, struct app *app, const struct heap_item *item)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	const struct gcs_group *group = &app_model(app)->groups[item->id];
	struct cv_rect r = item_rect(heap, app, item);
	cut_left(&r, ui_px(ui, 6 + 16 * item->depth));
	struct cv_rect mark = cut_left(&r, ui_px(ui, 16));
	int size = ui_px(ui, 8);
	mark = rect_make(mark.x, mark.y + (mark.h - size) / 2, size, size);
	if (app_group_open(app, item->id)) {
		for (int i = 0; i < (size + 1) / 2; i++)
			cv_hline(ui->cv, mark.x + i, mark.y + size / 4 + i, size - 2 * i, th->weak);
	} else {
		cv_arrow(ui->cv, mark, 1, th->weak);
	}
	struct font *bold = ui->fonts->face[FONT_BOLD];
	text_in(ui->cv, bold, r, TEXT_LEFT, th->weak, group->name);
	int w = text_width(bold, group->name) + ui_px(ui, 12);
	cv_hline(ui->cv, r.x + w, r.y + r.h / 2, r.w - w, th->line);
}

static void paint_title(struct app *app, struct cv_rect r, const struct heap_item *item)
{
	struct ui *ui = &app->ui;
	const struct theme *th = ui->theme;
	bool active = item->id == app->active_space;
	char left[1024], right[600];
	heap_title_text(app, item->id, left, sizeof left, right, sizeof right);
	struct font *bold = ui->fonts->face[FONT_BOLD];
	struct font *font = ui->fonts->face[FONT_UI];
	cv_fill(ui->cv, r, th->ground);
	cv_touch(ui->cv, r);
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

/* Finds the tiles that overlap the selected one of another space; true if they are others than
 * those that are marked. */
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

static void paint_space(struct heap *heap, struct app *app, struct heap_item *item, bool all)
{
	struct ui *ui = &app->ui;
	struct cv_rect r = item_rect(heap, app, item);
	bool active = item->id == app->active_space;
	if (all && active)
		cv_round_frame(ui->cv, r, ui_px(ui, 5), ui_px(ui, 2), ui->theme->accent);
	if (all || heap->shown != app->snapshot || item->map.stream != app->stream_of[item->id]) {
		struct cv_rect title = rect_make(r.x + ui_px(ui, 6), r.y + ui_px(ui, 3),
		    r.w - 2 * ui_px(ui, 6), heap_title_height(app) - ui_px(ui, 3));
		paint_title(app, title, item);
	}
	int frame = ui_px(ui, 2);
	struct cv_rect map = rect_make(
	    r.x + frame, item->map.y - 3, r.w - 2 * frame, r.y + r.h - frame - item->map.y + 3);
	struct tileshare share;
	bool shared = heap_site_share(&heap->site, item->id, &share);
	tilemap_set_share(&item->map, shared ? &share : NULL);
	cv_push_clip(ui->cv, rect_and(map, heap->area));
	bool related = relate(app, item);
	if (related && !all) {
		/* Old marks lie in the gaps, which tiles do not paint. */
		cv_fill(ui->cv, map, ui->theme->ground);
		all = true;
	}
	app->stats.tiles += tilemap_paint(&item->map, ui->cv, heap_look(heap, item), app->snapshot,
	    item->id, app->stream_of[item->id], all);
	uint32_t selected = app->selected.space == item->id ? app->selected.tile : GCS_NONE;
	uint32_t hovered = app->hovered.space == item->id ? app->hovered.tile : GCS_NONE;
	tilemap_mark(&item->map, ui->cv, heap_look(heap, item), selected, hovered);
	for (uint32_t i = 0; i < item->related.count; i++)
		tilemap_frame(&item->map, ui->cv, heap_look(heap, item), item->related.run[i].first,
		    item->related.run[i].count);
	cv_pop_clip(ui->cv);
}

/* Brings layout and look up to date; true when everything must be painted. False in *ok: no memory.
 */
static bool refresh(struct heap *heap, struct app *app, struct cv_rect area, bool all, bool *ok)
{
	*ok = true;
	if (all || !heap_layout_fits(heap, app, area)) {
		*ok = heap_layout(heap, app, area);
		all = true;
	}
	bool dim = app_is_old(app);
	int few = heap_few_pitch(heap, app, heap->fitted);
	const struct tilelook *look = heap->look;
	if (look[0].sprite == NULL || look[0].pitch != heap->fitted || look[1].pitch != few ||
	    look[0].dim != dim || heap->look_theme != app->ui.theme ||
	    heap->look_ramp != app->ramp) {
		*ok = *ok &&
		      tilelook_set(&heap->look[0], app->ui.theme, app->ramp, heap->fitted, dim) &&
		      tilelook_set(&heap->look[1], app->ui.theme, app->ramp, few, dim);
		heap->look_theme = app->ui.theme;
		heap->look_ramp = app->ramp;
		all = true;
	}
	return all || heap->active != app->active_space;
}

static void refresh_tip(struct heap *heap, struct app *app)
{
	if (app->ui.tip[0] == 0 || app->hovered.space == GCS_NONE || heap->shown == app->snapshot)
		return;
	struct heap_item *item = heap_find(heap, app->hovered.space);
	if (item != NULL)
		heap_tip(app, tilemap_rect(&item->map, heap_look(heap, item), app->hovered.tile));
}

static void heap_draw(void *self, struct app *app, struct cv_rect r, bool all)
{
	struct heap *heap = self;
	struct cv *cv = &app->cv;
	app->stats.tiles = 0;
	bool ok = true;
	all = heap_site_refresh(&heap->site, app) || all;
	if (app->snapshot != NULL)
		all = refresh(heap, app, area_of(app, r), all, &ok);
	if (app->snapshot == NULL || !ok) {
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
	heap_place(heap, app);
	if (all) {
		cv_fill(cv, r, app->ui.theme->ground);
		cv_touch(cv, r);
	}
	cv_push_clip(cv, heap->area);
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		if (!rect_meets(item_rect(heap, app, item), heap->area))
			continue;
		if (item->kind == HEAP_SPACE)
			paint_space(heap, app, item, all);
		else if (all)
			paint_group(heap, app, item);
	}
	cv_pop_clip(cv);
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

static struct heap_item *item_at(struct heap *heap, const struct app *app, int x, int y)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		if (rect_has(item_rect(heap, app, &heap->item[i]), x, y))
			return &heap->item[i];
	}
	return NULL;
}

static void point(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	struct heap_item *item = item_at(heap, app, ev->x, ev->y);
	struct tile_ref now = {GCS_NONE, 0};
	if (item != NULL && item->kind == HEAP_SPACE && rect_has(heap->area, ev->x, ev->y)) {
		now.tile = tilemap_at(&item->map, heap_look(heap, item), ev->x, ev->y);
		now.space = now.tile != GCS_NONE ? item->id : GCS_NONE;
	}
	bool same = now.space == app->hovered.space &&
		    (now.space == GCS_NONE || now.tile == app->hovered.tile);
	app->hovered = now;
	if (now.space != GCS_NONE)
		heap_tip(app, tilemap_rect(&item->map, heap_look(heap, item), now.tile));
	if (!same)
		app_dirty(app, PANEL_VIEW);
}

static void press(struct heap *heap, struct app *app)
{
	const struct ui_event *ev = app->ui.ev;
	app->ui.focus = 0;
	struct heap_item *item = item_at(heap, app, ev->x, ev->y);
	if (ev->button == 3) {
		app_select(app, GCS_NONE, 0);
		return;
	}
	if (item == NULL || ev->button != 1)
		return;
	if (item->kind == HEAP_GROUP) {
		app_toggle_group(app, item->id);
		keep_groups(app);
		app->view_all = true;
		return;
	}
	uint32_t tile = tilemap_at(&item->map, heap_look(heap, item), ev->x, ev->y);
	if (tile != GCS_NONE)
		app_select(app, item->id, tile);
	else
		app_activate(app, item->id);
}

/* Changes the pitch so that what is at the canvas line y stays there. */
static void zoom(struct heap *heap, struct app *app, int pitch, int x, int y)
{
	struct heap_item *item = item_at(heap, app, x, y);
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
	bool ok;
	refresh(heap, app, heap->area, true, &ok);
	if (!ok || id == GCS_NONE || kind != HEAP_SPACE || (item = heap_find(heap, id)) == NULL)
		return;
	heap_place(heap, app);
	int at = tile != GCS_NONE ? tilemap_rect(&item->map, heap_look(heap, item), tile).y
				  : item_rect(heap, app, item).y;
	int most = heap->content > heap->area.h ? heap->content - heap->area.h : 0;
	heap->scroll = clamp_int(heap->scroll + at - y, 0, most);
}

static void heap_event(void *self, struct app *app, struct cv_rect r)
{
	struct heap *heap = self;
	struct ui *ui = &app->ui;
	const struct ui_event *ev = ui->ev;
	if (app->snapshot == NULL || heap->look[0].pitch == 0) {
		heap_empty(app, r);
		return;
	}
	struct cv_rect bar = r;
	bar = cut_right(&bar, ui_px(ui, 12));
	int line = ui_px(ui, 48);
	bool scrolled = ui_scroll_bar(
	    ui, UI_ID(PANEL_VIEW, BAR), bar, heap->content, heap->area.h, &heap->scroll);
	if (ui_scroll_wheel(ui, r, heap->content, heap->area.h, line, &heap->scroll) || scrolled) {
		app->view_all = true;
		app_dirty(app, PANEL_VIEW);
		heap_place(heap, app);
	}
	if (ev->kind == EV_WHEEL && ev->mods & MOD_CTRL && ev->wheel != 0) {
		zoom(
		    heap, app, heap_next_pitch(heap->fitted, ev->wheel > 0 ? 1 : -1), ev->x, ev->y);
		ui_take(ui);
	}
	if ((ev->kind == EV_MOVE || ev->kind == EV_WHEEL) && ui->active == 0)
		point(heap, app);
	if (ev->kind == EV_DOWN && !ui->used)
		press(heap, app);
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
	zoom(heap, app, pitch, x, y);
	return true;
}

static bool leave_site(struct heap *heap, struct app *app)
{
	if (!heap->site.on || app->modal != MODAL_NONE || app->ui.focus != 0)
		return false;
	heap_site_leave(&heap->site);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return true;
}

static bool heap_command(void *self, struct app *app, enum command_id id, const char *argument)
{
	struct heap *heap = self;
	(void)argument;
	if (app->snapshot == NULL)
		return false;
	app_frame(app); /* The layout is that of the present state from here on. */
	int page = heap->area.h - ui_px(&app->ui, 40);
	int most = heap->content > heap->area.h ? heap->content - heap->area.h : 0;
	switch (id) {
	case COMMAND_back:
		return leave_site(heap, app);
	case COMMAND_zoom_in:
		return zoom_by_key(heap, app, heap_next_pitch(heap->fitted, 1));
	case COMMAND_zoom_out:
		return zoom_by_key(heap, app, heap_next_pitch(heap->fitted, -1));
	case COMMAND_zoom_fit:
		heap->scroll = 0;
		return zoom_by_key(heap, app, 0);
	case COMMAND_scroll_up:
	case COMMAND_scroll_down:
		heap->scroll += id == COMMAND_scroll_up ? -page : page;
		heap->scroll = clamp_int(heap->scroll, 0, most);
		app->view_all = true;
		app_dirty(app, PANEL_VIEW);
		return true;
	case COMMAND_reveal:
		heap_reveal(heap, app, app->selected.space, app->selected.tile);
		return true;
	default:
		return heap_walk(heap, app, id);
	}
}

static bool heap_where(
    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r)
{
	struct heap *heap = self;
	app_frame(app);
	heap_reveal(heap, app, space, tile);
	app_frame(app);
	struct heap_item *item = heap_find(heap, space);
	if (item == NULL || tile >= item->map.tiles)
		return false;
	*r = tilemap_rect(&item->map, heap_look(heap, item), tile);
	return true;
}

static void heap_copy(void *self, struct app *app, struct textbuf *out)
{
	struct heap *heap = self;
	if (app->snapshot != NULL)
		app_frame(app);
	/* A window without room has painted nothing, and knows the spaces of an earlier picture. */
	if (app->snapshot != NULL && !heap_layout_fits(heap, app, heap->area))
		(void)heap_layout(heap, app, heap->area);
	heap_text(heap, app, out);
}

static bool heap_has_side(void *self, struct app *app)
{
	(void)self;
	return app->snapshot != NULL;
}

static void heap_side(void *self, struct app *app, struct cv_rect *column)
{
	const struct heap *heap = self;
	if (heap->site.on) {
		heap_site_side(&heap->site, app, column);
	} else {
		side_streams(app, column);
		side_legend(app, column);
	}
	side_tile(app, column);
}

static void heap_side_text(void *self, struct app *app, struct textbuf *out)
{
	const struct heap *heap = self;
	if (heap->site.on)
		heap_site_text(&heap->site, app, out);
	else
		side_streams_text(app, out);
	side_tile_text(app, out);
}

static void heap_poll(void *self, struct app *app)
{
	struct heap *heap = self;
	heap_site_poll(&heap->site, app);
}

static void heap_tick(void *self, struct app *app)
{
	struct heap *heap = self;
	heap_site_tick(&heap->site, app);
}

static uint64_t heap_due_ms(void *self, const struct app *app)
{
	const struct heap *heap = self;
	return heap_site_due_ms(&heap->site, app);
}

static bool heap_settled(void *self, struct app *app)
{
	const struct heap *heap = self;
	return heap_site_settled(&heap->site, app);
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
    .side_text = heap_side_text,
    .of_snapshot = true,
    .poll = heap_poll,
    .tick = heap_tick,
    .due_ms = heap_due_ms,
    .settled = heap_settled,
};
