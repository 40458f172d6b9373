#include "tilediff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tilecode.h"

#define LEAST (1.0 / 126) /* the smallest difference with a colour of its own */

void tilediff_fini(struct tilediff *d)
{
	free(d->of);
	free(d->real);
	hash_fini(&d->index);
	*d = (struct tilediff){0};
}

static const struct gcs_space *space_of(const struct gcs_snapshot *s, uint32_t space)
{
	return &gcs_snapshot_model(s)->spaces[space];
}

static bool has_names(const struct gcs_snapshot *s, uint32_t space)
{
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++)
		if (*gcs_snapshot_name(s, space, i) != 0)
			return true;
	return false;
}

/* A space of one of the snapshots. */
struct side {
	const struct gcs_snapshot *snapshot;
	uint32_t space;
	const int64_t *starts;
};

static struct side side_of(const struct gcs_snapshot *s, uint32_t space)
{
	return (struct side){s, space, tilecode_column(s, space, GCS_ROLE_RANGE_START)};
}

/* Identifies a tile on both sides. */
struct key {
	const char *name; /* "" unless tiles are matched by name */
	uint64_t hash;    /* of the name, or the start address */
};

static struct key key_at(const struct tilediff *d, const struct side *side, uint32_t tile)
{
	if (d->how != TILEDIFF_NAME)
		return (struct key){"", (uint64_t)side->starts[tile]};
	const char *name = gcs_snapshot_name(side->snapshot, side->space, tile);
	return (struct key){name, hash_text(hash_secret(), name)};
}

static bool same_key(const struct tilediff *d, struct key a, struct key b)
{
	return a.hash == b.hash && strcmp(a.name, b.name) == 0 &&
	       (d->how != TILEDIFF_NAME || *a.name != 0);
}

/* The first tile of A with the key. */
static uint32_t find(const struct tilediff *d, const struct side *a, struct key key)
{
	struct hash_search s = hash_search(&d->index, key.hash);
	for (uint64_t tile; hash_next(&s, &tile);)
		if (same_key(d, key, key_at(d, a, (uint32_t)tile)))
			return (uint32_t)tile;
	return GCS_NONE;
}

/* Indexes the tiles of A by key, once. */
static bool index_a(struct tilediff *d, const struct side *a)
{
	if (d->index_of == a->snapshot && d->index_space == a->space && d->index_how == d->how)
		return true;
	hash_fini(&d->index);
	d->index_of = NULL;
	if (!hash_reserve(&d->index, d->tiles_at_a))
		return false;
	for (uint32_t i = 0; i < d->tiles_at_a; i++) {
		const struct key key = key_at(d, a, i);
		if (same_key(d, key, key) && find(d, a, key) == GCS_NONE)
			hash_put(&d->index, key.hash, i);
	}
	d->index_of = a->snapshot;
	d->index_space = a->space;
	d->index_how = d->how;
	return true;
}

/* Tries the same tile number first. Returns how many tiles of A were found again. */
static uint32_t match_keys(struct tilediff *d, const struct side *a, const struct side *now)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < d->tiles; i++) {
		const struct key key = key_at(d, now, i);
		d->of[i] = i;
		if (i >= d->tiles_at_a || !same_key(d, key, key_at(d, a, i))) {
			if (!index_a(d, a))
				return 0;
			d->of[i] = find(d, a, key);
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
	const struct side old = side_of(a, space_a), new = side_of(now, space);
	d->how = has_names(a, space_a) && has_names(now, space) ? TILEDIFF_NAME
		 : old.starts != NULL && new.starts != NULL     ? TILEDIFF_ADDRESS
								: TILEDIFF_NUMBER;
	if (d->how != TILEDIFF_NUMBER)
		found = match_keys(d, &old, &new);
	/* Another run of a program has its heap at other addresses. */
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

/* For each name the index of the same text in A, -1: none. */
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
	const int64_t *control_a = tilecode_column(a, space_a, GCS_ROLE_CONTROL);
	const int64_t *control = tilecode_column(now, space, GCS_ROLE_CONTROL);
	const struct gcs_stream *sa = &space_of(a, space_a)->streams[stream_a];
	const struct gcs_stream *sn = &space_of(now, space)->streams[stream];
	const int64_t *counted_a = tilecode_counted(a, space_a, stream_a);
	const int64_t *counted = tilecode_counted(now, space, stream);
	int16_t name[GCS_MAX_ENUM];
	begin(d, sn->presentation == GCS_ENUM);
	if (d->other)
		match_names(sa, sn, name);
	for (uint32_t i = 0; i < d->tiles; i++) {
		const uint32_t at = d->of[i];
		double change = INFINITY;
		if (new == NULL || !tilecode_used(control, i) ||
		    (counted != NULL && counted[i] == 0))
			change = (double)NAN;
		else if (at != GCS_NONE && old != NULL && tilecode_used(control_a, at) &&
			 (counted_a == NULL || counted_a[at] != 0))
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
