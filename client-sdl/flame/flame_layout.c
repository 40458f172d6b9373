/* Places of frames; declared in flame_view.h. Nodes know their part of the whole, so that a layout
 * is an offset and a scale. */
#include <math.h>
#include <stdlib.h>

#include "flame_view.h"
#include "layout.h"

const struct calltree_part *flame_part(const struct flame_view *view)
{
	const struct calltree *made = view->maker.made;
	return made != NULL && made->part[0].tree != NULL ? &made->part[0] : NULL;
}

static void search(struct flame_view *view, struct app *app)
{
	const struct calltree_part *part = flame_part(view);
	view->filter_version = app->profiles.filter_version;
	free(view->hit);
	view->hit = NULL;
	view->hits = 0;
	if (part == NULL)
		return;
	uint32_t count = gcs_tree_count(part->tree);
	view->hit = calloc(count, sizeof *view->hit);
	if (view->hit == NULL || !calltree_search(part, &app->profiles.filter, view->measure,
				     view->hit, &view->matched)) {
		free(view->hit);
		view->hit = NULL;
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		view->hits += view->hit[i];
}

/* Finds selection and zoom again in a new tree. */
static void find_again(struct flame_view *view)
{
	const struct calltree_part *part = flame_part(view);
	view->focus = view->hovered = view->selected = GCS_NONE;
	if (part == NULL)
		return;
	view->focus = view->zoom.key != 0 ? calltree_find(part, view->zoom.key) : 0;
	if (view->focus == GCS_NONE) {
		view->zoom = (struct flame_zoom){.to = 1};
		view->focus = 0;
	}
	if (view->selected_key != 0)
		view->selected = calltree_find(part, view->selected_key);
}

void flame_sync(struct flame_view *view, struct app *app)
{
	struct calltree_request request = {.form = CALLTREE_DOWN, .collapse = view->collapse};
	if (view->holders.on) {
		request.chains = view->holders.chains;
		request.chains_version = view->holders.version;
	}
	bool changed = calltree_sync(&view->maker, app, &request);
	if (changed) {
		find_again(view);
		app_dirty(app, PANEL_VIEW);
		app_dirty(app, PANEL_SIDE);
	}
	if (changed || view->filter_version != app->profiles.filter_version)
		search(view, app);
}

int flame_row_height(const struct app *app)
{
	return font_height(app->fonts.face[FONT_SMALL]) + ui_px(&app->ui, 6);
}

void flame_sight(const struct flame_view *view, double *from, double *to)
{
	const struct calltree_part *part = flame_part(view);
	const struct gcs_node *focus = gcs_tree_node(part->tree, view->focus);
	double left = focus->left[view->measure], width = focus->share[view->measure];
	width = width > 0 ? width : 1;
	*from = left + view->zoom.from * width;
	*to = left + view->zoom.to * width;
}

static struct cv_rect place(
    const struct flame_view *view, const struct app *app, uint32_t depth, double left, double right)
{
	int h = flame_row_height(app);
	int64_t at = (int64_t)depth * h - view->scroll;
	struct cv_rect r = {.h = h - ui_px(&app->ui, 1)};
	at = at < 1 << 24 ? at : 1 << 24;
	r.y = view->icicle ? view->area.y + (int)at : view->area.y + view->area.h - h - (int)at;
	double low = view->area.x, high = view->area.x + view->area.w;
	if (right - left < 1 || right <= low || left >= high)
		return r;
	int x0 = (int)floor((left > low ? left : low) + 0.5);
	int x1 = (int)floor((right < high ? right : high) + 0.5);
	r.x = x0;
	r.w = x1 - x0 > 0 ? x1 - x0 : 1;
	/* A gap between neighbours, where there is room. */
	if (r.w >= 4)
		r.w -= ui_px(&app->ui, 1);
	return r;
}

/* From parts of the whole to pixels. */
struct scale {
	double from;   /* left edge of what is in sight */
	double pixels; /* width of the whole */
	int x;
};

static struct scale scale_of(const struct flame_view *view)
{
	double from, to;
	flame_sight(view, &from, &to);
	return (struct scale){from, view->area.w / (to - from), view->area.x};
}

static struct cv_rect rect_of(
    const struct flame_view *view, const struct app *app, const struct scale *s, uint32_t number)
{
	const struct calltree_part *part = flame_part(view);
	const struct gcs_node *node = gcs_tree_node(part->tree, number);
	double left = s->x + (node->left[view->measure] - s->from) * s->pixels;
	double width = node->share[view->measure] * s->pixels;
	return place(view, app, node->depth, left, left + width);
}

struct cv_rect flame_rect(const struct flame_view *view, const struct app *app, uint32_t node)
{
	struct scale s = scale_of(view);
	return rect_of(view, app, &s, node);
}

/* The next node in preorder, or the one after this subtree. */
static uint32_t next_of(const struct gcs_tree *tree, uint32_t number, bool into)
{
	const struct gcs_node *node = gcs_tree_node(tree, number);
	if (into && node->first_child != GCS_NONE)
		return node->first_child;
	while (node->next_sibling == GCS_NONE) {
		if (node->parent == GCS_NONE)
			return GCS_NONE;
		node = gcs_tree_node(tree, node->parent);
	}
	return node->next_sibling;
}

uint32_t flame_walk(
    const struct flame_view *view, const struct app *app, flame_each *each, void *context)
{
	const struct calltree_part *part = flame_part(view);
	struct scale s = scale_of(view);
	int h = flame_row_height(app);
	uint32_t first = (uint32_t)(view->scroll / h);
	uint32_t last = (uint32_t)((view->scroll + view->area.h) / h);
	double end = s.from + view->area.w / s.pixels, pixel = 1 / s.pixels;
	uint32_t hidden = 0;
	for (uint32_t i = 0; i != GCS_NONE;) {
		const struct gcs_node *node = gcs_tree_node(part->tree, i);
		double left = node->left[view->measure], width = node->share[view->measure];
		bool wide = width >= pixel;
		/* A frame without any width may be at the very end. */
		bool in_sight =
		    wide ? left + width > s.from && left < end : left >= s.from && left <= end;
		if (in_sight && !wide)
			hidden += part->below[i];
		else if (in_sight && node->depth >= first && node->depth <= last)
			each(context, i, rect_of(view, app, &s, i));
		i = next_of(part->tree, i, in_sight && wide);
	}
	return hidden;
}

struct finding {
	int x, y;
	uint32_t node;
};

static void find_at(void *context, uint32_t node, struct cv_rect r)
{
	struct finding *f = context;
	if (f->x >= r.x && f->x <= r.x + r.w && f->y >= r.y && f->y <= r.y + r.h)
		f->node = node;
}

uint32_t flame_at(const struct flame_view *view, const struct app *app, int x, int y)
{
	struct finding f = {x, y, GCS_NONE};
	if (flame_part(view) != NULL && rect_has(view->area, x, y))
		flame_walk(view, app, find_at, &f);
	return f.node;
}
