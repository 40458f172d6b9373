/* Zooming, scrolling and selecting in the flame graph; declared in flame_view.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "flame_view.h"
#include "layout.h"

#define FINEST 1e-7 /* least part of the zoomed frame in sight */

static void push(struct flame_view *view)
{
	if (view->steps == FLAME_STEPS) {
		memmove(view->step, view->step + 1, (FLAME_STEPS - 1) * sizeof *view->step);
		view->steps--;
	}
	view->step[view->steps++] = view->zoom;
}

static void changed(struct flame_view *view, struct app *app)
{
	flame_limit_scroll(view, app);
	view->hovered = GCS_NONE;
	app->ui.tip[0] = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static int content(const struct flame_view *view, const struct app *app)
{
	const struct calltree_part *part = flame_part(view);
	uint32_t rows = part != NULL ? gcs_tree_depth(part->tree) + 1 : 0;
	int64_t height = (int64_t)rows * flame_row_height(app);
	return height < 1 << 28 ? (int)height : 1 << 28;
}

void flame_limit_scroll(struct flame_view *view, const struct app *app)
{
	int most = content(view, app) - view->area.h;
	view->scroll = clamp_int(view->scroll, 0, most > 0 ? most : 0);
}

/* Scrolls a row into sight, with `above` of its callers. */
static void reveal_row(struct flame_view *view, const struct app *app, uint32_t depth, int above)
{
	int h = flame_row_height(app);
	int64_t top = (int64_t)depth * h;
	if (top - (int64_t)above * h < view->scroll)
		view->scroll = (int)(top - (int64_t)above * h > 0 ? top - (int64_t)above * h : 0);
	else if (top + h > (int64_t)view->scroll + view->area.h)
		view->scroll = (int)(top + h - view->area.h);
	flame_limit_scroll(view, app);
}

void flame_rescale(struct flame_view *view, const struct app *app)
{
	const int before = view->row_height, height = flame_row_height(app);
	const uint32_t node = view->selected != GCS_NONE ? view->selected : view->focus;
	view->row_height = height;
	if (before == height || before == 0)
		return;
	view->scroll = (int)((int64_t)view->scroll * height / before);
	reveal_row(view, app, gcs_tree_node(flame_part(view)->tree, node)->depth, 0);
}

static void show(struct flame_view *view, struct app *app)
{
	const struct calltree_part *part = flame_part(view);
	view->focus = view->zoom.key != 0 ? calltree_find(part, view->zoom.key) : 0;
	if (view->focus == GCS_NONE) {
		view->zoom = (struct flame_zoom){.to = 1};
		view->focus = 0;
	}
	reveal_row(view, app, gcs_tree_node(part->tree, view->focus)->depth, 3);
	changed(view, app);
}

void flame_zoom_to(struct flame_view *view, struct app *app, uint32_t node)
{
	const struct calltree_part *part = flame_part(view);
	uint64_t key = node != 0 ? part->key[node] : 0;
	bool same = key == view->zoom.key && view->zoom.from == 0 && view->zoom.to == 1;
	if (same)
		return;
	push(view);
	view->zoom = (struct flame_zoom){.key = key, .to = 1};
	show(view, app);
}

bool flame_out(struct flame_view *view, struct app *app)
{
	if (flame_part(view) == NULL)
		return false;
	bool whole = view->zoom.key == 0 && view->zoom.from == 0 && view->zoom.to == 1;
	if (whole) {
		view->steps = 0;
		return false;
	}
	struct flame_zoom now = view->zoom;
	view->zoom = (struct flame_zoom){.to = 1};
	while (view->steps > 0) { /* skip steps equal to the present zoom */
		view->zoom = view->step[--view->steps];
		if (view->zoom.key != now.key || view->zoom.from != now.from ||
		    view->zoom.to != now.to)
			break;
	}
	show(view, app);
	return true;
}

void flame_reset(struct flame_view *view, struct app *app)
{
	view->steps = 0;
	view->zoom = (struct flame_zoom){.to = 1};
	view->scroll = 0;
	if (flame_part(view) != NULL)
		show(view, app);
}

/* Keeps what is in sight within the zoomed frame. */
static void limit(struct flame_view *view)
{
	struct flame_zoom *z = &view->zoom;
	double width = z->to - z->from;
	if (!(width < 1)) {
		z->from = 0;
		z->to = 1;
		return;
	}
	z->from = z->from < 0 ? 0 : z->from > 1 - width ? 1 - width : z->from;
	z->to = z->from + width;
}

void flame_zoom_at(struct flame_view *view, struct app *app, double factor, int x)
{
	struct flame_zoom *z = &view->zoom;
	double width = z->to - z->from;
	double at = view->area.w > 0 ? (double)(x - view->area.x) / view->area.w : 0.5;
	double other = width * factor;
	if (flame_part(view) == NULL || other < FINEST)
		return;
	/* Of several wheel steps, only the first is undone. */
	if (z->from == 0 && z->to == 1 && factor < 1)
		push(view);
	double middle = z->from + width * at;
	z->from = middle - other * at;
	z->to = z->from + other;
	limit(view);
	changed(view, app);
}

void flame_pan(struct flame_view *view, const struct flame_zoom *from, double part)
{
	double width = from->to - from->from;
	view->zoom = *from;
	view->zoom.from += part * width;
	view->zoom.to += part * width;
	limit(view);
}

struct calltree_place flame_place_of_sites(const struct flame_view *view, bool selected)
{
	return view->holders.on ? (struct calltree_place){.part = NULL}
				: flame_place(view, selected);
}

struct calltree_place flame_place(const struct flame_view *view, bool selected)
{
	const struct calltree_part *part = flame_part(view);
	const uint32_t node = selected ? view->selected : view->hovered;
	if (part == NULL || node >= gcs_tree_count(part->tree))
		return (struct calltree_place){.part = NULL};
	return (struct calltree_place){view->maker.made, part, node};
}

/* Scrolls a frame into sight horizontally, as little as possible. */
static void reveal_column(struct flame_view *view, uint32_t node)
{
	const struct calltree_part *part = flame_part(view);
	const struct gcs_node *focus = gcs_tree_node(part->tree, view->focus);
	const struct gcs_node *wanted = gcs_tree_node(part->tree, node);
	double all = focus->share[view->measure];
	double left = wanted->left[view->measure] - focus->left[view->measure];
	double right = left + wanted->share[view->measure];
	if (all <= 0)
		return;
	left /= all;
	right /= all;
	double width = view->zoom.to - view->zoom.from;
	/* Callers of the zoomed frame are wider, and always in sight. */
	if (left < 0 || right > 1)
		return;
	if (left > view->zoom.to || right < view->zoom.from) {
		view->zoom.from = left - (width - (right - left)) / 2;
		view->zoom.to = view->zoom.from + width;
		limit(view);
	}
}

void flame_select(struct flame_view *view, struct app *app, uint32_t node)
{
	const struct calltree_part *part = flame_part(view);
	view->selected = part != NULL ? node : GCS_NONE;
	view->selected_key = view->selected != GCS_NONE ? part->key[node] : 0;
	if (view->selected != GCS_NONE) {
		if (!view->holders.on)
			profiles_keep(app);
		reveal_column(view, node);
		reveal_row(view, app, gcs_tree_node(part->tree, node)->depth, 0);
	}
	app->side_scroll = 0;
	changed(view, app);
}

static uint32_t before(const struct gcs_tree *tree, uint32_t number)
{
	uint32_t at = gcs_tree_node(tree, gcs_tree_node(tree, number)->parent)->first_child;
	while (gcs_tree_node(tree, at)->next_sibling != number)
		at = gcs_tree_node(tree, at)->next_sibling;
	return at;
}

static bool is_first(const struct gcs_tree *tree, uint32_t number)
{
	return gcs_tree_node(tree, gcs_tree_node(tree, number)->parent)->first_child == number;
}

/* The first or the last child; GCS_NONE without children. */
static uint32_t end_child(const struct gcs_tree *tree, uint32_t number, bool last)
{
	uint32_t at = gcs_tree_node(tree, number)->first_child;
	while (at != GCS_NONE && last && gcs_tree_node(tree, at)->next_sibling != GCS_NONE)
		at = gcs_tree_node(tree, at)->next_sibling;
	return at;
}

/* The neighbour of a frame: its sibling, or a descendant of an ancestor's sibling. */
static uint32_t beside(const struct gcs_tree *tree, uint32_t number, bool right)
{
	uint32_t at = number, up = 0;
	for (; at != 0; at = gcs_tree_node(tree, at)->parent, up++) {
		uint32_t next = GCS_NONE;
		if (right)
			next = gcs_tree_node(tree, at)->next_sibling;
		else if (!is_first(tree, at))
			next = before(tree, at);
		if (next == GCS_NONE)
			continue;
		for (; up > 0; up--) {
			uint32_t child = end_child(tree, next, !right);
			if (child == GCS_NONE)
				break;
			next = child;
		}
		return next;
	}
	return number;
}

static void move(struct flame_view *view, struct app *app, enum command_id id)
{
	const struct gcs_tree *tree = flame_part(view)->tree;
	uint32_t at = view->selected, to = at;
	bool outward = (id == COMMAND_tile_up) != view->icicle; /* away from the root */
	if (at == GCS_NONE || id == COMMAND_tile_first)
		to = view->focus;
	else if (id == COMMAND_tile_left || id == COMMAND_tile_right)
		to = beside(tree, at, id == COMMAND_tile_right);
	else if (id == COMMAND_tile_last)
		for (uint32_t k = at; k != GCS_NONE; k = gcs_tree_node(tree, k)->first_child)
			to = k;
	else if (outward)
		to = gcs_tree_node(tree, at)->first_child;
	else
		to = gcs_tree_node(tree, at)->parent;
	if (to != GCS_NONE)
		flame_select(view, app, to);
}

bool flame_walk_keys(struct flame_view *view, struct app *app, enum command_id id)
{
	if (flame_part(view) == NULL)
		return id == COMMAND_tile_up || id == COMMAND_tile_down ||
		       id == COMMAND_tile_left || id == COMMAND_tile_right;
	int x = view->area.x + view->area.w / 2;
	if (view->selected != GCS_NONE) {
		struct cv_rect r = flame_rect(view, app, view->selected);
		x = r.w > 0 ? r.x + r.w / 2 : x;
	}
	int page = view->area.h * 3 / 4;
	switch (id) {
	case COMMAND_tile_up:
	case COMMAND_tile_down:
	case COMMAND_tile_left:
	case COMMAND_tile_right:
	case COMMAND_tile_first:
	case COMMAND_tile_last:
		move(view, app, id);
		return true;
	case COMMAND_zoom_in:
		flame_zoom_at(view, app, 1 / 1.5, x);
		return true;
	case COMMAND_zoom_out:
		flame_zoom_at(view, app, 1.5, x);
		return true;
	case COMMAND_zoom_fit:
		flame_reset(view, app);
		return true;
	case COMMAND_scroll_up:
	case COMMAND_scroll_down:
		view->scroll += (id == COMMAND_scroll_up) == view->icicle ? -page : page;
		changed(view, app);
		return true;
	case COMMAND_reveal:
		if (view->selected != GCS_NONE)
			flame_select(view, app, view->selected);
		return true;
	default:
		return false;
	}
}
