/* Spaces folded to one line: what is not the heap's own, until it is opened. Declared in
 * heap_view.h. */
#include <stdio.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"
#include "layout.h"

enum { FIRST_FOLD = 2000 }; /* after the widgets of groups */

static uint32_t widget(const struct heap_item *item)
{
	return UI_ID(PANEL_VIEW, FIRST_FOLD + item->id);
}

static uint32_t top_group(const struct gcs_model *model, uint32_t group)
{
	while (group < model->group_count && model->groups[group].parent != GCS_NONE)
		group = model->groups[group].parent;
	return group;
}

/* The heap's own are the main space, the others of its outermost group that are no lists, and zooms. */
static bool is_secondary(const struct app *app, uint32_t space)
{
	const struct gcs_model *model = app_model(app);
	const struct gcs_space *s = &model->spaces[space];
	char zoom[300];
	bool heap_known = false;
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (!model->spaces[i].main || model->spaces[i].gone)
			continue;
		heap_known = true;
		if (i == space ||
		    (s->kind != GCS_SPACE_LIST &&
			top_group(model, s->group) == top_group(model, model->spaces[i].group)))
			return false;
	}
	tile_zoom_path(app, space, zoom, sizeof zoom);
	return heap_known && zoom[0] == '\0';
}

bool heap_folded(const struct heap_prefs *prefs, const struct app *app, uint32_t space)
{
	if (prefs == NULL || app_space(app, space) == NULL)
		return false;
	return prefs->fold != FOLD_DEFAULT ? prefs->fold == FOLD_CLOSED
					   : !prefs->pinned && is_secondary(app, space);
}

bool heap_fold_chosen(const struct heap_prefs *prefs, const struct app *app, uint32_t space)
{
	return prefs->fold != FOLD_DEFAULT &&
	       (prefs->fold == FOLD_CLOSED) != (!prefs->pinned && is_secondary(app, space));
}

static void set(
    struct heap *heap, struct app *app, struct heap_prefs *prefs, uint32_t space, bool folded)
{
	prefs->fold = folded ? FOLD_CLOSED : FOLD_OPEN;
	/* The selected tile is never in a folded space. */
	if (folded && app->selected.space == space)
		app_select(app, GCS_NONE, 0);
	heap->area.w = 0; /* forces a new layout */
	heap_restyle(heap, app);
}

bool heap_unfold(struct heap *heap, struct app *app, uint32_t space)
{
	struct heap_prefs *p = heap_prefs_of(heap, app, space);
	if (!heap_folded(p, app, space))
		return false;
	set(heap, app, p, space, false);
	return true;
}

bool heap_fold_command(struct heap *heap, struct app *app, const char *argument)
{
	const uint32_t space = app->active_space;
	struct heap_prefs *p = heap_prefs_of(heap, app, space);
	bool folded = heap_folded(p, app, space);
	if (p == NULL) {
		app_toast(app, "No active space");
		return false;
	}
	if (!view_state_switch(app, COMMAND_fold, argument, &folded))
		return false;
	set(heap, app, p, space, folded);
	app_toast(app, folded ? "%.200s folded to one line" : "%.200s unfolded", p->name);
	return true;
}

void heap_fold_text(const struct app *app, uint32_t space, char *text, size_t size)
{
	const struct gcs_space *s = app_space(app, space);
	const uint32_t stream = app->stream_of[space];
	char left[1024], summary[400] = "";
	heap_title_text(app, space, left, sizeof left, text, size);
	if (stream < s->stream_count && s->streams[stream].summary != GCS_SUMMARY_COUNTS)
		tilecode_summary(summary, sizeof summary, app->snapshot, space, stream);
	if (summary[0] == '\0')
		heap_put_tiles(text, size, gcs_snapshot_tiles(app->snapshot, space));
	const size_t used = strlen(text);
	if (!gcs_snapshot_gathered(app->snapshot, space))
		snprintf(text + used, size - used, " \xc2\xb7 as of an earlier event");
}

static void paint_mark(struct ui *ui, struct cv_rect r, bool folded, uint32_t ink)
{
	const int size = ui_px(ui, 8);
	const struct cv_rect mark = rect_make(r.x, r.y + (r.h - size) / 2, size, size);
	if (folded)
		cv_arrow(ui->cv, mark, 1, ink);
	for (int i = 0; !folded && i < (size + 1) / 2; i++)
		cv_hline(ui->cv, mark.x + i, mark.y + size / 4 + i, size - 2 * i, ink);
}

/* Left folds and Right unfolds, as in a tree; neither selects tiles. */
static bool toggled_by_key(struct ui *ui, const struct heap_item *item)
{
	struct keystroke stroke;
	if (ui->used || ui->focus != widget(item) || !key_of_event(ui->ev, &stroke) ||
	    stroke.mods != 0 || (stroke.key != KEY_LEFT && stroke.key != KEY_RIGHT))
		return false;
	ui_take(ui);
	return stroke.key == (item->folded ? KEY_RIGHT : KEY_LEFT);
}

bool heap_fold_rings(struct heap *heap, struct app *app, const struct heap_item *item)
{
	const uint32_t id = widget(item);
	const bool rings = app->ui.focus == id && app->ui.focus_shown, rang = heap->ringed == id;
	if (rings || rang)
		heap->ringed = rings ? id : 0;
	return rings || rang;
}

void heap_fold_place(struct heap *heap, struct app *app, const struct heap_item *item)
{
	struct cv_rect title = heap_title_rect(heap, app, item);
	ui_control(
	    &app->ui, widget(item), item->folded ? title : cut_left(&title, ui_px(&app->ui, 16)));
}

void heap_fold_run(
    struct heap *heap, struct app *app, const struct heap_item *item, struct cv_rect *title)
{
	struct ui *ui = &app->ui;
	const uint32_t id = widget(item);
	const struct cv_rect whole = *title, mark = cut_left(title, ui_px(ui, 16));
	const struct cv_rect at = item->folded ? whole : mark;
	const bool toggled = ui_control(ui, id, at);
	ui_tip(ui, id, at,
	    item->folded ? "Unfold the space\nKey\tShift+G"
			 : "Fold the space to one line\nKey\tShift+G");
	if (ui_paints(ui)) {
		paint_mark(ui, mark, item->folded, ui->theme->weak);
		ui_ring(ui, id, rect_inset(at, -ui_px(ui, 2)));
		return;
	}
	if (toggled && ui->ev->kind == EV_UP)
		ui->focus = 0;
	if (!toggled && !toggled_by_key(ui, item))
		return;
	app_activate(app, item->id);
	set(heap, app, item->prefs, item->id, !item->folded);
}
