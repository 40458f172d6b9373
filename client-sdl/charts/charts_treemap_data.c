/* Declared in charts_treemap.h. */
#include "charts_treemap.h"

#include <stdlib.h>
#include <string.h>

#include "layout.h"

#define KINDS (GCS_MAX_ENUM + 2) /* categories, unnamed values, unused tiles */

/* A space or group to be placed. */
struct part {
	bool group;
	uint32_t id;
	double weight;
};

struct builder {
	struct charts *c;
	struct app *app;
	const struct gcs_model *model;
	bool bytes; /* the part that is weighted by bytes, else by tiles */
	double space[GCS_MAX_SPACES];
	double group[GCS_MAX_GROUPS];
	bool in_bytes[GCS_MAX_SPACES];
	uint64_t tiles[GCS_MAX_SPACES];
};

int treemap_head(const struct ui *ui)
{
	return font_height(ui->fonts->face[FONT_SMALL]) + ui_px(ui, 6);
}

const struct gcs_stream *treemap_stream(
    const struct charts *c, const struct app *app, const struct treemap_node *n)
{
	if (n->kind == TREEMAP_GROUP || n->id >= app->space_count)
		return NULL;
	const struct gcs_space *s = &gcs_snapshot_model(c->snapshot)->spaces[n->id];
	uint32_t stream = app->stream_of[n->id];
	return stream < s->stream_count ? &s->streams[stream] : NULL;
}

static struct treemap_node *add(struct builder *b, enum treemap_kind kind, uint32_t id)
{
	struct chart_treemap_state *t = &b->c->treemap;
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity > 0 ? 2 * t->capacity : 64;
		struct treemap_node *more =
		    t->count < TREEMAP_NODES ? realloc(t->node, capacity * sizeof *more) : NULL;
		if (more == NULL) {
			t->left_out++;
			return NULL;
		}
		t->node = more;
		t->capacity = capacity;
	}
	struct treemap_node *n = &t->node[t->count++];
	*n = (struct treemap_node){.kind = kind, .id = id, .bytes = b->bytes, .mean = -1};
	return n;
}

/* Sizes of tiles: by their addresses, else `each`, in bytes or as 1 per tile. */
struct extent {
	const int64_t *start, *end;
	double each;
	bool bytes;
};

static struct extent extent_of(const struct gcs_snapshot *snapshot, uint32_t space)
{
	const struct gcs_space *s = &gcs_snapshot_model(snapshot)->spaces[space];
	uint32_t start = gcs_space_role(s, GCS_ROLE_RANGE_START);
	uint32_t end = gcs_space_role(s, GCS_ROLE_RANGE_END);
	struct extent e = {.each = 1};
	if (start != GCS_NONE && end != GCS_NONE) {
		e.start = gcs_snapshot_values(snapshot, space, start);
		e.end = gcs_snapshot_values(snapshot, space, end);
		e.bytes = true;
	} else if (s->block_bytes > 0) {
		e.each = (double)s->block_bytes;
		e.bytes = true;
	}
	return e;
}

static double size_of(const struct extent *e, uint32_t tile)
{
	if (e->start == NULL || e->end == NULL)
		return e->each;
	double size = (double)e->end[tile] - (double)e->start[tile];
	return size > 0 ? size : 0;
}

static void weigh(struct builder *b)
{
	for (uint32_t i = 0; i < b->model->space_count; i++) {
		struct chart_data d;
		if (!app_shows(b->app, i) || i >= b->app->space_count)
			continue;
		struct extent e = extent_of(b->c->snapshot, i);
		chart_data_open(&d, b->c->snapshot, i, GCS_NONE);
		d.control = tilecode_column(b->c->snapshot, i, GCS_ROLE_CONTROL);
		b->in_bytes[i] = e.bytes;
		for (uint32_t t = 0; t < d.tiles; t++) {
			if (chart_background(&d, t))
				continue;
			b->space[i] += size_of(&e, t);
			b->tiles[i]++;
		}
		b->c->treemap.whole[e.bytes] += b->space[i];
	}
}

/* The weights of groups, by bytes or by tiles. */
static void weigh_groups(struct builder *b)
{
	memset(b->group, 0, sizeof b->group);
	for (uint32_t i = 0; i < b->model->space_count; i++) {
		uint32_t g = b->model->spaces[i].group;
		if (b->in_bytes[i] == b->bytes && g < b->model->group_count)
			b->group[g] += b->space[i];
	}
	for (uint32_t g = b->model->group_count; g-- > 0;) {
		uint32_t parent = b->model->groups[g].parent;
		if (parent < g)
			b->group[parent] += b->group[g];
	}
}

struct kind_sum {
	double weight, share;
	uint32_t tiles, valued; /* valued: tiles that `share` sums up */
};

/* Sums up a space's tiles by category, then used and unused ones; returns the number of categories.
 * */
static uint32_t sum_kinds(struct builder *b, uint32_t space, struct kind_sum *sum)
{
	struct chart_data d;
	uint32_t stream = b->app->stream_of[space];
	bool values = chart_data_open(&d, b->c->snapshot, space, stream);
	bool named = values && d.stream->presentation == GCS_ENUM;
	uint32_t names = named ? d.stream->enum_count : 0;
	struct extent e = extent_of(b->c->snapshot, space);
	double range = values ? (double)d.top - (double)d.stream->min : 0;
	for (uint32_t t = 0; t < d.tiles; t++) {
		if (chart_background(&d, t))
			continue;
		uint32_t kind = names + 1;
		if (chart_used(&d, t) || chart_uncounted(&d, t)) {
			uint64_t index =
			    named ? (uint64_t)d.values[t] - (uint64_t)d.stream->min : names;
			kind = index < names ? (uint32_t)index : names;
		}
		double size = size_of(&e, t);
		sum[kind].weight += size;
		sum[kind].tiles++;
		if (!values || named || kind > names || chart_uncounted(&d, t))
			continue;
		double part = d.limits != NULL ? chart_share(&d, t) / 100
			      : range > 0 ? ((double)d.values[t] - (double)d.stream->min) / range
					  : 0;
		sum[kind].share += part > 0 ? (part < 1 ? part : 1) : 0;
		sum[kind].valued++;
	}
	return names;
}

static int by_weight(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->group != y->group)
		return x->group ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* Places parts, largest first, on whole pixels without overlaps. */
static void place_parts(struct part *part, uint32_t count, struct cv_rect room, struct cv_rect *r)
{
	double *weight = calloc(count + 1, sizeof *weight);
	struct box *box = malloc((count + 1) * sizeof *box);
	qsort(part, count, sizeof *part, by_weight);
	for (uint32_t i = 0; i < count; i++) {
		r[i] = rect_make(room.x, room.y, 0, 0);
		if (weight != NULL)
			weight[i] = part[i].weight;
	}
	if (weight != NULL && box != NULL) {
		squarify(weight, count, (struct box){room.x, room.y, room.w, room.h}, box);
		for (uint32_t i = 0; i < count; i++) {
			int x = (int)(box[i].x + 0.5), y = (int)(box[i].y + 0.5);
			r[i] = rect_make(x, y, (int)(box[i].x + box[i].w + 0.5) - x,
			    (int)(box[i].y + box[i].h + 0.5) - y);
		}
	}
	free(weight);
	free(box);
}

static void place_kinds(struct builder *b, uint32_t space, struct cv_rect room)
{
	struct kind_sum sum[KINDS];
	struct part part[KINDS];
	struct cv_rect r[KINDS];
	uint32_t count = 0;
	memset(sum, 0, sizeof sum);
	uint32_t names = sum_kinds(b, space, sum);
	for (uint32_t i = 0; i <= names + 1; i++) {
		if (sum[i].tiles > 0)
			part[count++] = (struct part){.id = i, .weight = sum[i].weight};
	}
	place_parts(part, count, room, r);
	for (uint32_t i = 0; i < count; i++) {
		const struct kind_sum *of = &sum[part[i].id];
		struct treemap_node *n = add(b, TREEMAP_LEAF, space);
		if (n == NULL)
			continue;
		n->value = part[i].id < names    ? part[i].id
			   : part[i].id == names ? TREEMAP_USED
						 : TREEMAP_UNUSED;
		n->weight = of->weight;
		n->tiles = of->tiles;
		n->r = r[i];
		/* A gap between neighbours. */
		n->r.w -= n->r.w > 3;
		n->r.h -= n->r.h > 3;
		n->mean = n->value == TREEMAP_USED && of->valued > 0 ? of->share / of->valued : -1;
	}
}

static void place_level(struct builder *b, uint32_t parent, struct cv_rect room);

static struct cv_rect inner(const struct builder *b, struct cv_rect r)
{
	const struct ui *ui = &b->app->ui;
	int head = treemap_head(ui);
	r = rect_inset(r, ui_px(ui, 3));
	if (r.h > 2 * head)
		cut_top(&r, head - ui_px(ui, 2));
	return r;
}

static void place_part(struct builder *b, const struct part *part, struct cv_rect r)
{
	struct treemap_node *n = add(b, part->group ? TREEMAP_GROUP : TREEMAP_SPACE, part->id);
	if (n == NULL)
		return;
	n->weight = part->weight;
	n->r = rect_inset(r, r.w > 8 && r.h > 8 ? 1 : 0);
	n->tiles = part->group ? 0 : b->tiles[part->id];
	struct cv_rect room = inner(b, n->r);
	uint32_t at = b->c->treemap.count - 1;
	if (part->group)
		place_level(b, part->id, room);
	else
		place_kinds(b, part->id, room);
	if (!part->group)
		return;
	uint64_t tiles = 0;
	for (uint32_t i = at + 1; i < b->c->treemap.count; i++) {
		if (b->c->treemap.node[i].kind == TREEMAP_SPACE)
			tiles += b->c->treemap.node[i].tiles;
	}
	b->c->treemap.node[at].tiles = tiles;
}

/* The groups and spaces directly inside a group, or at the top (GCS_NONE). */
static void place_level(struct builder *b, uint32_t parent, struct cv_rect room)
{
	const struct gcs_model *m = b->model;
	uint32_t most = m->group_count + m->space_count + 1, count = 0;
	struct part *part = malloc(most * sizeof *part);
	struct cv_rect *r = malloc(most * sizeof *r);
	if (part == NULL || r == NULL || rect_empty(room))
		goto out;
	for (uint32_t g = 0; g < m->group_count; g++) {
		if (m->groups[g].parent == parent && b->group[g] > 0)
			part[count++] =
			    (struct part){.group = true, .id = g, .weight = b->group[g]};
	}
	for (uint32_t s = 0; s < m->space_count; s++) {
		if (m->spaces[s].group == parent && b->in_bytes[s] == b->bytes && b->space[s] > 0)
			part[count++] = (struct part){.id = s, .weight = b->space[s]};
	}
	place_parts(part, count, room, r);
	for (uint32_t i = 0; i < count; i++)
		place_part(b, &part[i], r[i]);
out:
	free(part);
	free(r);
}

void treemap_build(struct charts *c, struct app *app, struct cv_rect room)
{
	struct chart_treemap_state *t = &c->treemap;
	if (t->version == c->version && rect_same(room, t->room))
		return;
	t->version = c->version;
	t->room = room;
	t->count = t->left_out = 0;
	t->whole[0] = t->whole[1] = 0;
	struct builder *b = calloc(1, sizeof *b);
	if (b == NULL || c->snapshot == NULL) {
		free(b);
		return;
	}
	b->c = c;
	b->app = app;
	b->model = gcs_snapshot_model(c->snapshot);
	weigh(b);
	/* Spaces without byte sizes get a quarter of the width. */
	struct cv_rect tiles = room;
	if (t->whole[1] > 0)
		tiles = cut_right(&room, t->whole[0] > 0 ? room.w / 4 : 0);
	b->bytes = true;
	weigh_groups(b);
	if (t->whole[1] > 0)
		place_level(b, GCS_NONE, room);
	b->bytes = false;
	weigh_groups(b);
	if (t->whole[0] > 0)
		place_level(b, GCS_NONE, tiles);
	free(b);
}
