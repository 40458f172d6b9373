#include "heap_view.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "layout.h"

static const int pitches[] = {2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20, 24, 28, 32, 40, 48, 64};

#define PITCHES     ((int)(sizeof pitches / sizeof *pitches))
#define FEW_PITCH   16 /* at scale 1 */
#define LARGEST_FIT 32 /* larger tiles show nothing more */

int heap_next_pitch(int pitch, int dir)
{
	int i = 0;
	while (i + 1 < PITCHES && pitches[i] < pitch)
		i++;
	return pitches[clamp_int(i + dir, 0, PITCHES - 1)];
}

void heap_clear(struct heap *heap)
{
	for (uint32_t i = 0; i < heap->count; i++)
		tilemap_fini(&heap->item[i].map);
	free(heap->item);
	heap->item = NULL;
	heap->count = 0;
}

struct heap_item *heap_find(struct heap *heap, uint32_t space)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		if (heap->item[i].kind == HEAP_SPACE && heap->item[i].id == space)
			return &heap->item[i];
	}
	return NULL;
}

static void add(struct heap *heap, enum heap_kind kind, uint32_t id, int depth)
{
	heap->item[heap->count++] = (struct heap_item){.kind = kind, .id = id, .depth = depth};
}

static void add_space(struct heap *heap, const struct app *app, uint32_t space, int depth)
{
	add(heap, HEAP_SPACE, space, depth);
	struct heap_item *item = &heap->item[heap->count - 1];
	item->prefs = heap_prefs_of(heap, app, space);
	item->folded = heap_folded(item->prefs, app, space);
}

static void add_spaces(struct heap *heap, const struct app *app, uint32_t group, int depth)
{
	const struct gcs_model *model = app_model(app);
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (model->spaces[i].group == group && heap_shows(heap, app, i) &&
		    !heap_prefs_of(heap, app, i)->pinned)
			add_space(heap, app, i, depth);
	}
}

/* Pinned spaces come before all groups. */
static void add_pinned(struct heap *heap, const struct app *app)
{
	heap->hidden = 0;
	for (uint32_t i = 0; i < app_model(app)->space_count; i++) {
		const struct heap_prefs *p = heap_prefs_of(heap, app, i);
		if (p == NULL)
			continue;
		heap->hidden += p->hidden && app_shows(app, i);
		if (p->pinned && heap_shows(heap, app, i))
			add_space(heap, app, i, 0);
	}
}

/* A group with nothing but one folded space is one line, too. */
static void drop_header(struct heap *heap, const struct gcs_model *model, uint32_t header)
{
	const struct heap_item *only = &heap->item[header + 1];
	if (heap->count != header + 2 || !only->folded)
		return;
	for (uint32_t i = 0; i < model->group_count; i++)
		if (model->groups[i].parent == heap->item[header].id)
			return;
	heap->item[header] = *only;
	heap->count--;
}

/*
 * The tree of groups in depth-first order without recursion: a parent comes before its children, so
 * the group to visit next is the first unvisited child of the deepest open one, else of its parent.
 */
static void list_items(struct heap *heap, const struct app *app, const struct gcs_model *model)
{
	add_pinned(heap, app);
	add_spaces(heap, app, GCS_NONE, 0);
	uint32_t path[GCS_MAX_GROUPS + 1]; /* the open groups; path[0] is the top level */
	uint32_t next[GCS_MAX_GROUPS + 1]; /* where to look for the next child */
	int depth = 0;
	path[0] = GCS_NONE;
	next[0] = 0;
	while (depth >= 0) {
		uint32_t child = next[depth];
		while (child < model->group_count && model->groups[child].parent != path[depth])
			child++;
		if (child >= model->group_count) {
			depth--;
			continue;
		}
		next[depth] = child + 1;
		const uint32_t header = heap->count;
		add(heap, HEAP_GROUP, child, depth);
		if (!app_group_open(app, child))
			continue;
		depth++;
		path[depth] = child;
		next[depth] = child + 1;
		add_spaces(heap, app, child, depth);
		drop_header(heap, model, header);
	}
	if (heap->hidden > 0)
		add(heap, HEAP_HIDDEN, 0, 0);
}

static bool is_matrix(const struct app *app, const struct heap_item *item)
{
	const struct gcs_space *s = app_space(app, item->id);
	return item->prefs->columns > 0 || (s->kind == GCS_SPACE_MATRIX && s->columns > 0);
}

/* Tiles per row: the user's number, the server's, or as many as fit. A proportional band keeps the
 * number that fits without a zoom, so that a zoom enlarges it. */
static uint32_t columns_of(const struct heap *heap, const struct app *app,
    const struct heap_item *item, int width, int pitch)
{
	const struct gcs_space *s = app_space(app, item->id);
	if (item->prefs->columns > 0)
		return item->prefs->columns;
	if (item->rows)
		return 1;
	if (s->kind == GCS_SPACE_MATRIX && s->columns > 0)
		return s->columns;
	const bool fixed = item->prefs->pitch > 0;
	if (heap->shape == HEAP_PROPORTIONAL) {
		width = (int)((int64_t)width * item->share / 1000);
		pitch = heap->base > 0 && !fixed ? heap->base : pitch;
	}
	if (!fixed && heap->rows_of > 0 && pitch > heap->rows_of && heap->shape == HEAP_WRAPPED)
		pitch = heap->rows_of;
	int columns = (width - 1) / pitch;
	return columns > 0 ? (uint32_t)columns : 1;
}

const struct tileset *heap_tileset(const struct heap *heap, const struct heap_item *item)
{
	const struct heap_prefs *p = item->prefs;
	if (p != NULL && p->compared && heap_compares(heap))
		return p->pitch > 0 ? &p->fixed[1] : &heap->tileset[item->few + 2];
	if (p != NULL && p->colours.used)
		return &p->colours.tileset[item->few];
	return p != NULL && p->pitch > 0 ? &p->fixed[0] : &heap->tileset[item->few];
}

int heap_few_pitch(const struct heap *heap, const struct app *app, int pitch)
{
	int few = heap_next_pitch(ui_px(&app->ui, FEW_PITCH), 0);
	return heap->pitch > 0 || pitch > few ? pitch : few;
}

/* The pitch of an item if most have the given one; larger if all its tiles then fit in one row. */
static int pitch_of(
    const struct heap *heap, const struct app *app, struct heap_item *item, int width, int pitch)
{
	const int own = heap_fixed_pitch(app, item->prefs);
	int few = own > 0 ? own : heap_few_pitch(heap, app, pitch);
	uint64_t tiles = gcs_snapshot_tiles(app->snapshot, item->id);
	bool bound = is_matrix(app, item) || heap->shape == HEAP_PROPORTIONAL;
	item->rows = !bound && heap_rows_fit(heap, app, item->id, few);
	item->few =
	    item->rows || (!bound && few > pitch && tiles * (uint64_t)few < (uint64_t)width);
	return item->few || own > 0 ? few : pitch;
}

/* The height of everything at a pitch. */
static int measure(struct heap *heap, const struct app *app, int width, int pitch)
{
	int y = ui_px(&app->ui, HEAP_GAP);
	heap->wide = heap->wide_fit = 0;
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		item->y = y;
		if (item->kind != HEAP_SPACE) {
			item->h = ui_px(&app->ui, HEAP_HEADER);
			y += item->h;
			continue;
		}
		if (item->folded) {
			item->h = ui_px(&app->ui, HEAP_TITLE);
			y += item->h + ui_px(&app->ui, HEAP_FOLDED_GAP);
			continue;
		}
		uint32_t tiles = gcs_snapshot_tiles(app->snapshot, item->id);
		struct tileset set = {.gap = 2};
		set.pitch = pitch_of(heap, app, item, width, pitch);
		uint32_t columns = columns_of(heap, app, item, width, set.pitch);
		int row = (int)(columns < tiles ? columns : tiles) * set.pitch + set.gap;
		heap->wide = row > heap->wide ? row : heap->wide;
		if (item->prefs->pitch == 0 && row > heap->wide_fit)
			heap->wide_fit = row;
		item->h = ui_px(&app->ui, HEAP_TITLE) + tilemap_height(&set, tiles, columns) +
			  2 * ui_px(&app->ui, 4);
		y += item->h + ui_px(&app->ui, HEAP_GAP);
	}
	return y;
}

/* Below this, scrolling is better than smaller tiles: few tiles must be easy to tell apart. */
static int smallest_fit(const struct heap *heap, const struct app *app)
{
	uint64_t tiles = 0;
	for (uint32_t i = 0; i < heap->count; i++) {
		if (heap->item[i].kind == HEAP_SPACE && !heap->item[i].folded)
			tiles += gcs_snapshot_tiles(app->snapshot, heap->item[i].id);
	}
	if (tiles <= 2000)
		return ui_px(&app->ui, 10);
	return tiles <= 20000 ? ui_px(&app->ui, 4) : 3;
}

static int fit(struct heap *heap, const struct app *app, int width, int height)
{
	int least = smallest_fit(heap, app);
	int pitch = heap_next_pitch(least, 0);
	for (int i = 0; i < PITCHES && pitches[i] <= ui_px(&app->ui, LARGEST_FIT); i++) {
		if (pitches[i] >= least && measure(heap, app, width, pitches[i]) <= height)
			pitch = pitches[i];
	}
	/* The columns of a matrix are fixed, however small the tiles become. */
	while (pitch > pitches[0] && measure(heap, app, width, pitch) > 0 && heap->wide_fit > width)
		pitch = heap_next_pitch(pitch, -1);
	return pitch;
}

/* What the width of a space's band represents: bytes, or tiles if their size is not known. */
static uint64_t extent(const struct app *app, uint32_t space, bool *bytes)
{
	const struct gcs_space *s = app_space(app, space);
	const uint32_t tiles = gcs_snapshot_tiles(app->snapshot, space);
	const int64_t *starts = tilecode_column(app->snapshot, space, GCS_ROLE_RANGE_START);
	const int64_t *ends = tilecode_column(app->snapshot, space, GCS_ROLE_RANGE_END);
	uint64_t sum = 0;
	for (uint32_t i = 0; starts != NULL && ends != NULL && i < tiles; i++) {
		const uint64_t start = (uint64_t)starts[i], end = (uint64_t)ends[i];
		const uint64_t size = end > start ? end - start : 0;
		sum = size < UINT64_MAX - sum ? sum + size : UINT64_MAX;
	}
	if (sum == 0 && tiles > 0 && s->block_bytes < UINT64_MAX / tiles)
		sum = s->block_bytes * tiles;
	*bytes = sum > 0;
	return sum > 0 ? sum : tiles;
}

/* The largest band is as wide as the window; bytes are compared with bytes, tiles with tiles. */
static void find_shares(struct heap *heap, const struct app *app)
{
	enum { LEAST = 20 };
	uint64_t most[2] = {1, 1};
	bool bytes;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < heap->count; i++) {
			struct heap_item *item = &heap->item[i];
			if (item->kind != HEAP_SPACE)
				continue;
			const uint64_t size = extent(app, item->id, &bytes);
			if (pass == 0 && size > most[bytes])
				most[bytes] = size;
			item->share = (int)((double)size * 1000 / (double)most[bytes] + 0.5);
			item->share = clamp_int(item->share, LEAST, 1000);
		}
	}
}

static int map_width(const struct app *app, struct cv_rect area)
{
	return area.w - 2 * ui_px(&app->ui, HEAP_MARGIN);
}

/* What is shown where, whatever the numbers of tiles. */
static uint64_t outline(const struct heap *heap, const struct app *app, struct cv_rect area)
{
	uint64_t key = hash_text(1, app->server);
	key = hash_add(hash_add(key, (uint64_t)area.w), (uint64_t)area.h);
	key = hash_add(hash_add(key, (uint64_t)app->scale), (uint64_t)heap->shape);
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_item *item = &heap->item[i];
		key = hash_add(hash_add(key, item->kind), item->id);
		if (item->kind == HEAP_SPACE)
			key = hash_add(hash_add(key, item->folded),
			    (uint64_t)item->prefs->columns << 8 | (uint64_t)item->prefs->pitch);
	}
	return hash_mix(key) | 1;
}

/* The pitch that fits, but no larger one than before where only the numbers of tiles have changed:
 * tiles that grow and shrink from event to event cannot be followed. */
static int steady_fit(struct heap *heap, const struct app *app, int width, struct cv_rect area)
{
	const int best = fit(heap, app, width, area.h);
	const uint64_t now = outline(heap, app, area);
	const bool same = heap->fitted_of == now && heap->pitch == 0;
	heap->fitted_of = heap->pitch == 0 ? now : 0;
	return same && heap->fitted < best ? heap->fitted : best;
}

bool heap_layout(struct heap *heap, struct app *app, struct cv_rect area)
{
	const struct gcs_model *model = app_model(app);
	heap_clear(heap);
	heap->area = area;
	heap->item = calloc(model->space_count + model->group_count + 2, sizeof *heap->item);
	if (heap->item == NULL)
		return false;
	list_items(heap, app, model);
	heap->style_stale = true;
	heap->base = 0;
	if (heap->shape == HEAP_PROPORTIONAL)
		find_shares(heap, app);
	int width = map_width(app, area);
	int pitch = heap->pitch;
	if (pitch == 0 || heap->shape == HEAP_PROPORTIONAL) {
		int best = steady_fit(heap, app, width, area);
		pitch = pitch > 0 ? pitch : best;
		heap->base = best;
	}
	heap->content = measure(heap, app, width, pitch) + heap->slack_y;
	heap->wide += heap->slack_x;
	heap->fitted = pitch;
	int most = heap->content > area.h ? heap->content - area.h : 0;
	heap->scroll = clamp_int(heap->scroll, 0, most);
	heap->scroll_x = clamp_int(heap->scroll_x, 0, heap->wide > width ? heap->wide - width : 0);
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		item->map.selected = item->map.hovered = GCS_NONE;
		if (item->kind == HEAP_SPACE &&
		    !tilemap_layout(&item->map, gcs_snapshot_tiles(app->snapshot, item->id),
			columns_of(
			    heap, app, item, width, pitch_of(heap, app, item, width, pitch)))) {
			heap_clear(heap);
			return false;
		}
	}
	return true;
}

/* A tile may lose its name. */
static bool rows_stay(const struct heap *heap, const struct app *app, const struct heap_item *item)
{
	return heap_rows_fit(heap, app, item->id, heap_tileset(heap, item)->pitch);
}

bool heap_layout_fits(struct heap *heap, const struct app *app, struct cv_rect area)
{
	if (!rect_same(heap->area, area))
		return false;
	const struct gcs_model *model = app_model(app);
	uint32_t shown = 0;
	for (uint32_t i = 0; i < heap->count; i++) {
		const struct heap_item *item = &heap->item[i];
		if (item->kind != HEAP_SPACE)
			continue;
		shown++;
		const struct gcs_space *s = app_space(app, item->id);
		if (s == NULL || strcmp(s->name, item->prefs->name) != 0 ||
		    !heap_shows(heap, app, item->id) ||
		    heap_folded(item->prefs, app, item->id) != item->folded ||
		    (item->rows && !rows_stay(heap, app, item)) ||
		    gcs_snapshot_tiles(app->snapshot, item->id) != item->map.tiles)
			return false;
	}
	uint32_t wanted = 0;
	uint32_t hidden = 0;
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct heap_prefs *p = heap_prefs_of(heap, app, i);
		wanted += heap_shows(heap, app, i);
		hidden += p != NULL && p->hidden && app_shows(app, i);
	}
	return shown == wanted && hidden == heap->hidden && (wanted > 0 || heap->count > 0);
}

void heap_place(struct heap *heap, const struct app *app)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		struct heap_item *item = &heap->item[i];
		item->map.x = heap->area.x + ui_px(&app->ui, HEAP_MARGIN) - heap->scroll_x;
		item->map.y = heap->area.y + item->y - heap->scroll + ui_px(&app->ui, HEAP_TITLE) +
			      ui_px(&app->ui, 4);
	}
}

/* Moves *at so that low..high is inside 0..page, the low end first. */
static void bring(int *at, int low, int high, int page, int content)
{
	if (low < 0)
		*at += low;
	else if (high > page)
		*at += high - page < low ? high - page : low;
	*at = clamp_int(*at, 0, content > page ? content - page : 0);
}

void heap_reveal(struct heap *heap, struct app *app, uint32_t space, uint32_t tile)
{
	struct heap_item *item = heap_find(heap, space);
	if (item == NULL || tile >= item->map.tiles)
		return;
	heap_place(heap, app);
	struct cv_rect r = rect_inset(
	    tilemap_rect(&item->map, heap_tileset(heap, item), tile), -ui_px(&app->ui, 8));
	/* The title bar is revealed with the first row. */
	if (item->folded)
		r.h = 0;
	if (item->folded || tilemap_place(&item->map, tile) < item->map.columns) {
		r.y -= ui_px(&app->ui, HEAP_TITLE);
		r.h += ui_px(&app->ui, HEAP_TITLE);
	}
	int before = heap->scroll, before_x = heap->scroll_x;
	int low = r.y - heap->area.y, left = r.x - heap->area.x - ui_px(&app->ui, HEAP_MARGIN);
	bring(&heap->scroll, low, low + r.h, heap->area.h, heap->content);
	bring(&heap->scroll_x, left, left + r.w, map_width(app, heap->area), heap->wide);
	if (heap->scroll != before || heap->scroll_x != before_x) {
		app->view_all = true;
		app_dirty(app, PANEL_VIEW);
	}
}

void heap_scroll_by(struct heap *heap, struct app *app, int x, int y)
{
	int width = map_width(app, heap->area);
	int most = heap->content > heap->area.h ? heap->content - heap->area.h : 0;
	int most_x = heap->wide > width ? heap->wide - width : 0;
	heap->scroll = clamp_int(heap->scroll + y, 0, most);
	heap->scroll_x = clamp_int(heap->scroll_x + x, 0, most_x);
	app->view_all = true;
	app_dirty(app, PANEL_VIEW);
	heap_place(heap, app);
}
