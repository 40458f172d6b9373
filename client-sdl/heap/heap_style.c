/* Applies the user's choices to the snapshot: expressions, orders, ages, equal values. Declared in
 * heap_view.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_stats.h"
#include "heap_view.h"

/* The range over the used tiles; that of a percentage is 0 to 100. */
static void find_range(struct heap_prefs *p, const int64_t *control, uint32_t tiles)
{
	double low = INFINITY, high = -INFINITY;
	p->with_value = 0;
	for (uint32_t i = 0; i < tiles; i++) {
		if (isnan(p->real[i]) || !tilecode_used(control, i))
			continue;
		low = p->real[i] < low ? p->real[i] : low;
		high = p->real[i] > high ? p->real[i] : high;
		p->with_value++;
	}
	if (p->expr.percent || p->with_value == 0) {
		low = 0;
		high = p->expr.percent ? 100 : 1;
	}
	p->range = (struct tilereal){p->real, low, high};
}

static void evaluate(struct heap *heap, struct app *app, struct heap_prefs *p, uint32_t space)
{
	struct gcs_error err = {.text = ""};
	const uint32_t tiles = gcs_snapshot_tiles(app->snapshot, space);
	p->valid = expr_compile(&p->expr, p->text, app_space(app, space), &err);
	snprintf(p->why, sizeof p->why, "%s", err.text);
	if (!p->valid)
		return;
	if (p->real_room < tiles) {
		double *real = realloc(p->real, (size_t)tiles * sizeof *real);
		p->valid = real != NULL;
		if (real == NULL)
			return;
		p->real = real;
		p->real_room = tiles;
	}
	if (p->real == NULL) {
		p->valid = false;
		return;
	}
	expr_evaluate(&p->expr, app->snapshot, heap->before, space, p->real);
	find_range(p, tilecode_column(app->snapshot, space, GCS_ROLE_CONTROL), tiles);
}

bool heap_rule(
    const struct heap_prefs *p, const struct app *app, uint32_t space, struct tilecode *tc)
{
	if (space >= app->space_count ||
	    !tilecode_init(tc, app->snapshot, space, app->stream_of[space]))
		return false;
	const bool differs = p->style.real.values == p->difference.real;
	if (p->style.real.values != NULL &&
	    (differs ? p->difference.tiles : p->real_room) >= tc->tiles)
		tilecode_set_real(tc, &p->style.real);
	else
		tilecode_set_errors(tc, app->snapshot, space, app->stream_of[space]);
	return true;
}

bool heap_text_value(
    struct heap *heap, const struct app *app, struct tile_ref at, char *text, size_t size)
{
	const struct heap_prefs *p = heap_prefs_of(heap, app, at.space);
	if (at.space == GCS_NONE || !heap_by_text(p, app, at.space) || !p->valid ||
	    p->style.real.values == NULL || p->real == NULL || heap->now != app->snapshot ||
	    at.tile >= gcs_snapshot_tiles(app->snapshot, at.space) || at.tile >= p->real_room)
		return false;
	if (tilecode_used(tilecode_column(app->snapshot, at.space, GCS_ROLE_CONTROL), at.tile))
		heap_stats_real(text, size, p->real[at.tile], p->expr.percent);
	else
		snprintf(text, size, "\xe2\x80\x93");
	return true;
}

static void find_parts(struct heap_prefs *p, const struct app *app, uint32_t space)
{
	const struct gcs_space *s = app_space(app, space);
	p->style.parts = 0;
	for (uint32_t i = 0; i < p->parts; i++) {
		const uint32_t stream = gcs_space_find_stream(s, p->part[i]);
		if (stream != GCS_NONE)
			p->style.part[p->style.parts++] = stream;
	}
}

/* The selected value, and the name of its stream; false if there is none. */
static bool selected_value(
    const struct heap *heap, const struct app *app, const char **name, int64_t *value)
{
	const struct tile_ref at = app->selected;
	const struct gcs_space *s = app_space(app, at.space);
	struct tilecode rule;
	if (!heap->equal || s == NULL || at.space >= app->space_count ||
	    !tilecode_init(&rule, app->snapshot, at.space, app->stream_of[at.space]) ||
	    at.tile >= rule.tiles)
		return false;
	*name = s->streams[app->stream_of[at.space]].name;
	*value = rule.values[at.tile];
	return tilecode_has_value(&rule, at.tile);
}

static void find_equal(
    const struct heap *heap, const struct app *app, struct heap_prefs *p, uint32_t space)
{
	const char *name = "";
	int64_t value = 0;
	tilemarks_clear(&p->equal);
	if (!selected_value(heap, app, &name, &value))
		return;
	struct tilecode rule;
	if (!tilecode_init(
		&rule, app->snapshot, space, gcs_space_find_stream(app_space(app, space), name)) ||
	    !tilemarks_resize(&p->equal, rule.tiles))
		return;
	for (uint32_t i = 0; i < rule.tiles; i++)
		if (rule.values[i] == value && tilecode_has_value(&rule, i))
			tilemarks_put(&p->equal, i);
}

static void refresh_space(struct heap *heap, struct app *app, struct heap_item *item, bool fresh)
{
	struct heap_prefs *p = item->prefs;
	struct tilecode rule;
	if (item->id < app->space_count)
		p->of_stream = app->stream_of[item->id];
	const uint32_t tiles = gcs_snapshot_tiles(app->snapshot, item->id);
	if (p->marks.tiles != 0 && p->marks.tiles != tiles)
		tilemarks_resize(&p->marks, tiles);
	p->style = (struct tilestyle){0};
	if (heap_by_text(p, app, item->id)) {
		evaluate(heap, app, p, item->id);
		if (p->valid)
			p->style.real = p->range;
	}
	if (heap_compare_space(heap, app, p, item->id))
		p->style.real = (struct tilereal){p->difference.real, -1, 1};
	find_parts(p, app, item->id);
	if (heap->recency && (fresh || p->age.tiles != tiles))
		tileage_next(&p->age, app->snapshot, heap->before, item->id);
	if (heap->recency && p->age.tiles == tiles)
		p->style.age = p->age.age;
	if (p->order_kind != ORDER_ADDRESS && heap_rule(p, app, item->id, &rule))
		tileorder_set(&p->order, p->order_kind, &rule);
	else
		tileorder_set(&p->order, ORDER_ADDRESS, &(struct tilecode){0});
	if (tileorder_on(&p->order))
		p->style.order = &p->order;
	find_equal(heap, app, p, item->id);
}

/* Keeps the two newest snapshots, which expressions and ages compare. */
static bool take_snapshot(struct heap *heap, const struct app *app)
{
	if (heap->now == app->snapshot)
		return false;
	gcs_snapshot_unref(heap->before);
	heap->before = heap->now;
	heap->now = gcs_snapshot_ref(app->snapshot);
	return true;
}

void heap_drop_snapshots(struct heap *heap)
{
	gcs_snapshot_unref(heap->before);
	gcs_snapshot_unref(heap->now);
	heap->before = heap->now = NULL;
}

/* Any view may have chosen another stream. */
static bool stream_differs(const struct heap *heap, const struct app *app)
{
	bool differs = false;
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_item *item = &heap->item[i];
		differs = differs || (item->kind == HEAP_SPACE && item->id < app->space_count &&
					 item->prefs->of_stream != app->stream_of[item->id]);
	}
	return differs;
}

bool heap_style_refresh(struct heap *heap, struct app *app)
{
	const bool fresh = take_snapshot(heap, app);
	const bool other = heap->equal && (heap->equal_of.space != app->selected.space ||
					      heap->equal_of.tile != app->selected.tile);
	const bool stale = heap->style_stale || other || stream_differs(heap, app);
	if (!fresh && !stale)
		return false;
	heap->style_stale = false;
	heap->equal_of = app->selected;
	bool outlines = false;
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		if (item->kind != HEAP_SPACE)
			continue;
		const uint32_t before = item->prefs->equal.count;
		refresh_space(heap, app, item, fresh);
		/* Outlines are in the gaps, which tiles do not paint. */
		outlines = outlines || before > 0 || item->prefs->equal.count > 0;
	}
	return stale || (fresh && outlines);
}

void heap_restyle(struct heap *heap, struct app *app)
{
	heap->style_stale = true;
	app->view_all = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
