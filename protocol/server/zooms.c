#include "zooms.h"

/* The range of addresses of the space's tiles; false if it has none. */
static bool find_range(const struct gcs_model *model, const struct gcs_snapshot *latest,
    uint32_t space, uint64_t *low, uint64_t *high)
{
	const struct gcs_space *s = &model->spaces[space];
	const int64_t *starts =
	    gcs_snapshot_values(latest, space, gcs_space_role(s, GCS_ROLE_RANGE_START));
	const int64_t *ends =
	    gcs_snapshot_values(latest, space, gcs_space_role(s, GCS_ROLE_RANGE_END));
	uint32_t tiles = gcs_snapshot_tiles(latest, space);
	*low = UINT64_MAX;
	*high = 0;
	for (uint32_t i = 0; starts != NULL && ends != NULL && i < tiles; i++) {
		*low = (uint64_t)starts[i] < *low ? (uint64_t)starts[i] : *low;
		*high = (uint64_t)ends[i] > *high ? (uint64_t)ends[i] : *high;
	}
	return *low < *high;
}

static enum gcs_status check_blocks(
    const struct gcs_space *space, const struct zoom_message *z, struct gcs_error *err)
{
	if (space->block_bytes == 0)
		return gcs_fail(err, GCS_ARGUMENT,
		    "\"%.60s\" has no blocks of one size: it cannot be zoomed into", space->name);
	if (z->block < GCS_MIN_ZOOM_BLOCK || (z->block & (z->block - 1)) != 0 ||
	    z->block > space->block_bytes)
		return gcs_fail(err, GCS_ARGUMENT,
		    "blocks of %llu bytes: must be a power of two from %u to the %llu of \"%.60s\"",
		    (unsigned long long)z->block, GCS_MIN_ZOOM_BLOCK,
		    (unsigned long long)space->block_bytes, space->name);
	if (z->start >= z->end)
		return gcs_fail(err, GCS_ARGUMENT, "0x%llx-0x%llx: the end must be after the start",
		    (unsigned long long)z->start, (unsigned long long)z->end);
	if ((z->end - z->start - 1) / z->block >= GCS_MAX_ZOOM_TILES)
		return gcs_fail(err, GCS_ARGUMENT,
		    "0x%llx-0x%llx in blocks of %llu bytes: a zoom has at most %u tiles",
		    (unsigned long long)z->start, (unsigned long long)z->end,
		    (unsigned long long)z->block, GCS_MAX_ZOOM_TILES);
	return GCS_OK;
}

enum gcs_status zooms_check(const struct gcs_model *model, const struct gcs_snapshot *latest,
    const struct zoom_message *z, struct gcs_error *err)
{
	uint64_t low, high;
	if (z->space >= model->space_count || model->spaces[z->space].gone)
		return gcs_fail(err, GCS_ARGUMENT, "unknown space %u", z->space);
	const struct gcs_space *space = &model->spaces[z->space];
	enum gcs_status status = check_blocks(space, z, err);
	if (status != GCS_OK || latest == NULL)
		return status;
	if (!find_range(model, latest, z->space, &low, &high))
		return gcs_fail(err, GCS_STATE,
		    "\"%.60s\" shows no addresses now: it cannot be zoomed into", space->name);
	if (z->start < low || z->end > high)
		return gcs_fail(err, GCS_ARGUMENT, "0x%llx-0x%llx: \"%.60s\" has 0x%llx-0x%llx",
		    (unsigned long long)z->start, (unsigned long long)z->end, space->name,
		    (unsigned long long)low, (unsigned long long)high);
	return GCS_OK;
}

enum gcs_status zooms_ask(struct zooms *z, uint32_t peer, uint64_t ticket, struct gcs_error *err)
{
	struct zoom_place *free = NULL;
	uint32_t own = 0;
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++) {
		struct zoom_place *place = &z->places[i];
		if (place->ticket == 0)
			free = place;
		else
			own += place->peer == peer;
	}
	if (own >= GCS_MAX_ZOOMS_EACH)
		return gcs_fail(err, GCS_LIMIT, "a client has at most %u zooms: release one",
		    GCS_MAX_ZOOMS_EACH);
	if (free == NULL)
		return gcs_fail(
		    err, GCS_LIMIT, "the clients have %u zooms, the maximum", GCS_MAX_ZOOMS);
	*free = (struct zoom_place){.ticket = ticket, .peer = peer, .space = GCS_NONE};
	return GCS_OK;
}

static struct zoom_place *find(struct zooms *z, uint64_t ticket)
{
	for (uint32_t i = 0; ticket != 0 && i < GCS_MAX_ZOOMS; i++)
		if (z->places[i].ticket == ticket && z->places[i].space == GCS_NONE)
			return &z->places[i];
	return NULL;
}

bool zooms_made(struct zooms *z, uint64_t ticket, uint32_t space)
{
	struct zoom_place *place = find(z, ticket);
	if (place != NULL)
		place->space = space;
	return place != NULL;
}

void zooms_reject(struct zooms *z, uint64_t ticket)
{
	struct zoom_place *place = find(z, ticket);
	if (place != NULL)
		*place = (struct zoom_place){0};
}

enum gcs_status zooms_release(struct zooms *z, uint32_t peer, uint32_t space, struct gcs_error *err)
{
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++) {
		struct zoom_place *place = &z->places[i];
		if (place->ticket == 0 || place->space != space)
			continue;
		if (place->peer != peer)
			return gcs_fail(
			    err, GCS_STATE, "space %u is a zoom of another client", space);
		*place = (struct zoom_place){0};
		return GCS_OK;
	}
	return gcs_fail(err, GCS_ARGUMENT, "space %u is not a zoom", space);
}

uint32_t zooms_leave(struct zooms *z, uint32_t peer)
{
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS; i++) {
		uint32_t space = z->places[i].space;
		if (z->places[i].ticket == 0 || z->places[i].peer != peer)
			continue;
		z->places[i] = (struct zoom_place){0};
		if (space != GCS_NONE)
			return space;
	}
	return GCS_NONE;
}
