#include "related.h"

#include <stdio.h>
#include <string.h>

#include "tilecode.h"

enum { NAMES = 3 }; /* tiles named one by one */

/* The columns of addresses; false if the space has none, or no tiles. */
static bool columns(
    const struct gcs_snapshot *s, uint32_t space, const int64_t **starts, const int64_t **ends)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	if (space >= model->space_count || model->spaces[space].gone)
		return false;
	*starts = tilecode_column(s, space, GCS_ROLE_RANGE_START);
	*ends = tilecode_column(s, space, GCS_ROLE_RANGE_END);
	return *starts != NULL && *ends != NULL;
}

bool related_range(
    const struct gcs_snapshot *s, uint32_t space, uint32_t tile, uint64_t *start, uint64_t *end)
{
	const int64_t *starts, *ends;
	if (!columns(s, space, &starts, &ends) || tile >= gcs_snapshot_tiles(s, space))
		return false;
	*start = (uint64_t)starts[tile];
	*end = (uint64_t)ends[tile];
	return *start < *end;
}

static void add_tile(struct related *r, uint32_t tile)
{
	struct tile_run *last = r->count == 0 ? NULL : &r->run[r->count - 1];
	r->tiles++;
	if (last != NULL && last->first + last->count == tile)
		last->count++;
	else if (r->count < RELATED_RUNS)
		r->run[r->count++] = (struct tile_run){tile, 1};
}

void related_find(
    const struct gcs_snapshot *s, uint32_t space, uint32_t tile, uint32_t other, struct related *r)
{
	const int64_t *starts, *ends;
	uint64_t start, end;
	r->tiles = r->count = 0;
	if (other == space || !related_range(s, space, tile, &start, &end) ||
	    !columns(s, other, &starts, &ends))
		return;
	const uint32_t tiles = gcs_snapshot_tiles(s, other);
	for (uint32_t i = 0; i < tiles; i++)
		if ((uint64_t)starts[i] < end && start < (uint64_t)ends[i] &&
		    (uint64_t)starts[i] < (uint64_t)ends[i])
			add_tile(r, i);
}

bool related_same(const struct related *a, const struct related *b)
{
	return a->tiles == b->tiles && a->count == b->count &&
	       memcmp(a->run, b->run, a->count * sizeof a->run[0]) == 0;
}

static void name_each(
    const struct gcs_snapshot *s, uint32_t space, const struct related *r, char *out, size_t size)
{
	size_t used = 0;
	for (uint32_t i = 0; i < r->count; i++)
		for (uint32_t k = 0; k < r->run[i].count && used < size; k++) {
			uint32_t tile = r->run[i].first + k;
			const char *name = gcs_snapshot_name(s, space, tile);
			const char *comma = used == 0 ? "" : ", ";
			int n = *name != 0
				    ? snprintf(out + used, size - used, "%s%.60s", comma, name)
				    : snprintf(out + used, size - used, "%s%u", comma, tile);
			used += n > 0 ? (size_t)n : 0;
		}
}

void related_text(
    const struct gcs_snapshot *s, uint32_t space, const struct related *r, char *out, size_t size)
{
	out[0] = 0;
	if (r->tiles <= NAMES)
		name_each(s, space, r, out, size);
	else if (r->count == 1)
		snprintf(out, size, "%u \xe2\x80\x93 %u", r->run[0].first,
		    r->run[0].first + r->run[0].count - 1);
	else
		snprintf(out, size, "%u tiles", r->tiles);
}
