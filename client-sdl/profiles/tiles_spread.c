#include "tiles_spread.h"

bool tiles_ranges(
    const struct gcs_snapshot *s, uint32_t space, const int64_t **starts, const int64_t **ends)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	*starts = *ends = NULL;
	if (space >= model->space_count)
		return false;
	const struct gcs_space *described = &model->spaces[space];
	*starts = gcs_snapshot_values(s, space, gcs_space_role(described, GCS_ROLE_RANGE_START));
	*ends = gcs_snapshot_values(s, space, gcs_space_role(described, GCS_ROLE_RANGE_END));
	return *starts != NULL && *ends != NULL;
}

static double overlap(const struct gcs_site_tile *t, uint64_t start, uint64_t end)
{
	const uint64_t low = t->low > start ? t->low : start;
	const uint64_t high = t->high < end ? t->high : end;
	return low < high ? (double)(high - low) / (double)(t->high - t->low) : 0;
}

/* Both are in address order, a space in one or two pieces, so the search continues from the
 * previous match. */
void tiles_spread(const struct gcs_site_tiles *from, const struct gcs_snapshot *s, uint32_t space,
    int64_t *values)
{
	const int64_t *starts, *ends;
	uint32_t at = 0;
	if (!tiles_ranges(s, space, &starts, &ends))
		return;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++) {
		const uint64_t start = (uint64_t)starts[i], end = (uint64_t)ends[i];
		if (i > 0 && starts[i] < starts[i - 1])
			at = 0;
		while (at < from->count && from->tiles[at].high <= start)
			at++;
		double bytes = 0;
		for (uint32_t k = at; k < from->count && from->tiles[k].low < end; k++)
			bytes += from->tiles[k].bytes * overlap(&from->tiles[k], start, end);
		values[i] += bytes < 1e18 ? (int64_t)(bytes + 0.5) : INT64_MAX / 16;
	}
}
