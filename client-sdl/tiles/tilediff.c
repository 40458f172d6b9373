#include "tilediff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilecode.h"

#define LEAST (1.0 / 126) /* of a difference that is told from none by its colour */

void tilediff_fini(struct tilediff *d)
{
	free(d->of);
	free(d->real);
	free(d->key);
	*d = (struct tilediff){0};
}

static const struct gcs_space *space_of(const struct gcs_snapshot *s, uint32_t space)
{
	return &gcs_snapshot_model(s)->spaces[space];
}

static const int64_t *role_of(const struct gcs_snapshot *s, uint32_t space, enum gcs_role role)
{
	const uint32_t stream = gcs_space_role(space_of(s, space), role);
	return stream == GCS_NONE ? NULL : gcs_snapshot_values(s, space, stream);
}

static bool has_names(const struct gcs_snapshot *s, uint32_t space)
{
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++)
		if (*gcs_snapshot_name(s, space, i) != 0)
			return true;
	return false;
}

static enum tilediff_how kind_of(
    const struct gcs_snapshot *a, uint32_t space_a, const struct gcs_snapshot *now, uint32_t space)
{
	if (has_names(a, space_a) && has_names(now, space))
		return TILEDIFF_NAME;
	if (role_of(a, space_a, GCS_ROLE_RANGE_START) != NULL &&
	    role_of(now, space, GCS_ROLE_RANGE_START) != NULL)
		return TILEDIFF_ADDRESS;
	return TILEDIFF_NUMBER;
}

static struct tilediff_key key_at(
    const struct gcs_snapshot *s, uint32_t space, const int64_t *starts, uint32_t tile)
{
	return (struct tilediff_key){.name = gcs_snapshot_name(s, space, tile),
	    .start = starts != NULL ? (uint64_t)starts[tile] : 0,
	    .tile = tile};
}

static int compare_names(const void *a, const void *b)
{
	const struct tilediff_key *x = a, *y = b;
	const int order = strcmp(x->name, y->name);
	return order != 0 ? order : (x->tile > y->tile) - (x->tile < y->tile);
}

static int compare_starts(const void *a, const void *b)
{
	const struct tilediff_key *x = a, *y = b;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->tile > y->tile) - (x->tile < y->tile);
}

static int (*order_of(enum tilediff_how how))(const void *, const void *)
{
	return how == TILEDIFF_NAME ? compare_names : compare_starts;
}

static bool same_key(
    enum tilediff_how how, const struct tilediff_key *a, const struct tilediff_key *b)
{
	return how == TILEDIFF_NAME ? *a->name != 0 && strcmp(a->name, b->name) == 0
				    : a->start == b->start;
}

/* The keys of A, sorted once. */
static bool index_a(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a)
{
	const int64_t *starts = role_of(a, space_a, GCS_ROLE_RANGE_START);
	const uint32_t tiles = gcs_snapshot_tiles(a, space_a);
	if (d->key != NULL && d->key_of == a && d->key_space == space_a && d->key_how == d->how)
		return true;
	struct tilediff_key *key = realloc(d->key, ((size_t)tiles + 1) * sizeof *key);
	if (key == NULL)
		return false;
	d->key = key;
	d->keys = tiles;
	d->key_of = a;
	d->key_space = space_a;
	d->key_how = d->how;
	for (uint32_t i = 0; i < tiles; i++)
		key[i] = key_at(a, space_a, starts, i);
	qsort(key, tiles, sizeof *key, order_of(d->how));
	return true;
}

/* The first tile of A with the key. */
static uint32_t find(const struct tilediff *d, const struct tilediff_key *wanted)
{
	struct tilediff_key least = *wanted;
	least.tile = 0;
	uint32_t low = 0, high = d->keys;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (order_of(d->how)(&d->key[middle], &least) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < d->keys && same_key(d->how, &d->key[low], wanted) ? d->key[low].tile
								       : GCS_NONE;
}

/* Tiles that stay where they are are seen at once; returns how many of A were found again. */
static uint32_t match_keys(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    const struct gcs_snapshot *now, uint32_t space)
{
	const int64_t *old = role_of(a, space_a, GCS_ROLE_RANGE_START);
	const int64_t *new = role_of(now, space, GCS_ROLE_RANGE_START);
	uint32_t found = 0;
	for (uint32_t i = 0; i < d->tiles; i++) {
		const struct tilediff_key key = key_at(now, space, new, i);
		struct tilediff_key there = {.name = ""};
		if (i < d->tiles_at_a)
			there = key_at(a, space_a, old, i);
		d->of[i] = i < d->tiles_at_a && same_key(d->how, &key, &there) ? i : GCS_NONE;
		if (d->of[i] == GCS_NONE) {
			if (!index_a(d, a, space_a))
				return 0;
			d->of[i] = find(d, &key);
		}
		found += d->of[i] != GCS_NONE;
	}
	return found;
}

static bool grow(struct tilediff *d)
{
	if (d->tiles <= d->room && d->of != NULL)
		return true;
	uint32_t *of = realloc(d->of, ((size_t)d->tiles + 1) * sizeof *of);
	d->of = of != NULL ? of : d->of;
	double *real = realloc(d->real, ((size_t)d->tiles + 1) * sizeof *real);
	d->real = real != NULL ? real : d->real;
	if (of == NULL || real == NULL)
		return false;
	d->room = d->tiles;
	return true;
}

bool tilediff_match(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    const struct gcs_snapshot *now, uint32_t space)
{
	uint32_t found = 0;
	d->tiles = gcs_snapshot_tiles(now, space);
	d->tiles_at_a = gcs_snapshot_tiles(a, space_a);
	if (!grow(d))
		return false;
	d->how = kind_of(a, space_a, now, space);
	if (d->how != TILEDIFF_NUMBER)
		found = match_keys(d, a, space_a, now, space);
	/* Another run of a program has its heap elsewhere. */
	if (found == 0 && d->how != TILEDIFF_NAME) {
		d->how = TILEDIFF_NUMBER;
		for (uint32_t i = 0; i < d->tiles; i++)
			d->of[i] = i < d->tiles_at_a ? i : GCS_NONE;
		found = d->tiles < d->tiles_at_a ? d->tiles : d->tiles_at_a;
	}
	d->gone = d->tiles_at_a > found ? d->tiles_at_a - found : 0;
	return true;
}

static void begin(struct tilediff *d, bool other)
{
	d->other = other;
	d->more = d->less = d->same = d->fresh = 0;
	d->up = d->down = 0;
	d->most = 0;
}

static void note(struct tilediff *d, uint32_t tile, double change)
{
	d->real[tile] = change;
	if (isnan(change))
		return;
	if (isinf(change)) {
		d->fresh++;
		return;
	}
	d->more += change > 0;
	d->less += change < 0;
	d->same += change == 0;
	*(change > 0 ? &d->up : &d->down) += change;
	d->most = fabs(change) > d->most ? fabs(change) : d->most;
}

static void scale(struct tilediff *d)
{
	for (uint32_t i = 0; i < d->tiles; i++) {
		const double v = d->real[i];
		if (isnan(v) || isinf(v) || v == 0)
			continue;
		const double part = fabs(v) / d->most;
		d->real[i] = copysign(part > LEAST ? part : LEAST, v);
	}
}

/* Which of A's names has the same text; -1: none. */
static void match_names(const struct gcs_stream *a, const struct gcs_stream *now, int16_t *name)
{
	for (uint32_t i = 0; i < now->enum_count && i < GCS_MAX_ENUM; i++) {
		name[i] = -1;
		for (uint32_t k = 0; k < a->enum_count && k < GCS_MAX_ENUM && name[i] < 0; k++)
			if (strcmp(a->enum_names[k], now->enum_names[i]) == 0)
				name[i] = (int16_t)k;
	}
}

static double change_of_name(const struct gcs_stream *a, const struct gcs_stream *now,
    const int16_t *name, int64_t value_a, int64_t value)
{
	const uint64_t at_a = (uint64_t)value_a - (uint64_t)a->min;
	const uint64_t at = (uint64_t)value - (uint64_t)now->min;
	if (at >= now->enum_count || at >= GCS_MAX_ENUM)
		return at_a < a->enum_count;
	return name[at] < 0 || (uint64_t)name[at] != at_a;
}

void tilediff_stream(struct tilediff *d, const struct gcs_snapshot *a, uint32_t space_a,
    uint32_t stream_a, const struct gcs_snapshot *now, uint32_t space, uint32_t stream)
{
	const int64_t *old = gcs_snapshot_values(a, space_a, stream_a);
	const int64_t *new = gcs_snapshot_values(now, space, stream);
	const int64_t *control_a = role_of(a, space_a, GCS_ROLE_CONTROL);
	const int64_t *control = role_of(now, space, GCS_ROLE_CONTROL);
	const struct gcs_stream *sa = &space_of(a, space_a)->streams[stream_a];
	const struct gcs_stream *sn = &space_of(now, space)->streams[stream];
	int16_t name[GCS_MAX_ENUM];
	begin(d, sn->presentation == GCS_ENUM);
	if (d->other)
		match_names(sa, sn, name);
	for (uint32_t i = 0; i < d->tiles; i++) {
		const uint32_t at = d->of[i];
		double change = INFINITY;
		if (new == NULL || !tilecode_used(control, i))
			change = (double)NAN;
		else if (at != GCS_NONE && old != NULL && tilecode_used(control_a, at))
			change = d->other ? change_of_name(sa, sn, name, old[at], new[i])
					  : (double)new[i] - (double)old[at];
		note(d, i, change);
	}
	scale(d);
}

void tilediff_reals(struct tilediff *d, const double *a, const double *now)
{
	begin(d, false);
	for (uint32_t i = 0; i < d->tiles; i++) {
		const uint32_t at = d->of[i];
		const bool had = at != GCS_NONE && !isnan(a[at]);
		note(d, i, isnan(now[i]) ? (double)NAN : had ? now[i] - a[at] : (double)INFINITY);
	}
	scale(d);
}
