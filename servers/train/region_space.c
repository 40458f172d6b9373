/* The regions of the old generation in address order: section 5.1 of the paper. */
#include <string.h>

#include "train_spaces.h"

enum {
	USED,
	CARDS,
	TRAIN,
	CAR,
	TYPE,
	ALLOCATED,
	CONTROL = ALLOCATED + OLD_ALLOCATIONS,
	START,
	END,
	STREAMS
};

static const char *const card_names[] = {"clean", "dirty", "young pointers"};
static const char *const type_names[] = {"standard", "oversized", "popular"};

enum gcs_status train_add_region_space(
    struct train_spaces *spaces, struct gcs_server *server, struct gcs_error *err)
{
	struct gcs_stream streams[STREAMS] = {
	    [USED] = gcs_stream_used("Used space", "Bytes of objects in the region", REGION_BYTES),
	    [CARDS] = gcs_stream_enumeration("Card table state",
		"Dirty: the mutator has written a pointer. Young pointers: all that is known is "
		"that "
		"there are some",
		3, card_names),
	    [TRAIN] = train_id_stream("Train ID", "The older the smaller"),
	    [CAR] = train_id_stream(
		"Car ID", "Of the car in its train; the youngest one of popular cars"),
	    [TYPE] =
		gcs_stream_enumeration("Region type", "What the region's cars are", 3, type_names),
	    [CONTROL] = gcs_stream_control(GCS_TILE_UNUSED),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end()};
	streams[TYPE].paint = GCS_PAINT_PLAIN;
	train_allocation_streams(&streams[ALLOCATED], REGION_BYTES, GCS_NONE);
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		streams[ALLOCATED + kind].maximum = GCS_MAX_FIXED;
	struct gcs_space space = {.name = "Regions",
	    .description = "The old generation in address order",
	    .tile_title = "Region",
	    .block_info = "64 KiB",
	    .unused_text = "free",
	    .group = GCS_NONE,
	    .block_bytes = REGION_BYTES,
	    .stream_count = STREAMS,
	    .streams = streams};
	return gcs_server_add_space(server, &space, &spaces->regions, err);
}

/* The strongest card of a region: a pointer that nobody has processed says more than a known one. */
static enum card strongest(const struct old_generation *old, uint32_t region)
{
	const unsigned char *cards = &old->cards[(size_t)region * CARDS_PER_REGION];
	if (memchr(cards, CARD_DIRTY, CARDS_PER_REGION) != NULL)
		return CARD_DIRTY;
	return memchr(cards, CARD_YOUNG, CARDS_PER_REGION) != NULL ? CARD_YOUNG : CARD_CLEAN;
}

/* The part of `bytes` of a car, from its base on, that is in a region of it. */
static int64_t share_of(const struct car *car, size_t bytes, const char *region)
{
	size_t before = (size_t)(region - car->base);
	if (bytes <= before)
		return 0;
	return (int64_t)(bytes - before < REGION_BYTES ? bytes - before : REGION_BYTES);
}

static void add_car(int64_t *columns[], uint32_t tile, const struct car *car, const char *region)
{
	const char *from = car->type == CAR_POPULAR ? car->base : region;
	columns[USED][tile] += share_of(car, car_used(car), from);
	columns[TRAIN][tile] = (int64_t)car->train->id;
	columns[CAR][tile] = (int64_t)car->id;
	for (int kind = 0; kind < OLD_ALLOCATIONS; kind++)
		columns[ALLOCATED + kind][tile] += share_of(car, car->allocated[kind], from);
}

static void fill_region(const struct old_generation *old, int64_t *columns[], uint32_t tile)
{
	const struct region *region = &old->regions[tile];
	char *start = old->base + (size_t)tile * REGION_BYTES;
	for (uint32_t i = 0; i < CONTROL; i++)
		columns[i][tile] = 0;
	columns[CONTROL][tile] = region->type == REGION_FREE ? GCS_TILE_UNUSED : GCS_TILE_USED;
	if (region->type == REGION_FREE)
		return;
	columns[CARDS][tile] = strongest(old, tile);
	columns[TYPE][tile] = region->type == REGION_POPULAR    ? CAR_POPULAR
			      : region->type == REGION_STANDARD ? CAR_STANDARD
								: CAR_OVERSIZED;
	if (region->type != REGION_POPULAR) {
		add_car(columns, tile, region->car, start);
		if (region->car->end > start + REGION_BYTES)
			columns[CONTROL][tile] |= GCS_TILE_LINK;
		return;
	}
	/* Their train and car are those of the highest. */
	const struct car *highest = NULL;
	for (uint32_t i = 0; i < REGION_BYTES / old->popular_bytes; i++)
		if (region->popular[i] != NULL) {
			add_car(columns, tile, region->popular[i], start);
			if (highest == NULL || car_higher(region->popular[i], highest))
				highest = region->popular[i];
		}
	columns[TRAIN][tile] = (int64_t)highest->train->id;
	columns[CAR][tile] = (int64_t)highest->id;
}

/* The tiles of an empty snapshot: free regions, with their ranges, which never change. */
static bool make_tiles(
    const struct old_generation *old, struct gcs_snapshot *snapshot, uint32_t space)
{
	if (gcs_snapshot_tiles(snapshot, space) == old->region_count)
		return true;
	if (!gcs_snapshot_resize(snapshot, space, old->region_count))
		return false;
	int64_t *start = gcs_snapshot_write(snapshot, space, START);
	int64_t *end = gcs_snapshot_write(snapshot, space, END);
	struct gcs_blocks blocks = {
	    .low = (uintptr_t)old->base, .high = (uintptr_t)old->end, .block = REGION_BYTES};
	if (start == NULL || end == NULL)
		return false;
	gcs_blocks_ranges(&blocks, 0, old->region_count, start, end);
	return true;
}

bool train_fill_region_space(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct old_generation *old = &spaces->heap->old;
	uint32_t space = spaces->regions;
	int64_t *columns[START], totals[CONTROL] = {0}, cards[3] = {0}, types[3] = {0};
	if (!make_tiles(old, snapshot, space) || !train_columns(snapshot, space, START, columns))
		return false;
	for (uint32_t tile = 0; tile < old->region_count; tile++) {
		bool in_use = old->regions[tile].type != REGION_FREE;
		if (in_use || columns[CONTROL][tile] != GCS_TILE_UNUSED)
			fill_region(old, columns, tile);
		if (!in_use)
			continue;
		for (uint32_t i = 0; i < CONTROL; i++)
			totals[i] += columns[i][tile];
		cards[columns[CARDS][tile]]++;
		types[columns[TYPE][tile]]++;
	}
	train_share(snapshot, space, USED, totals[USED],
	    (int64_t)(old->region_count - old->free_regions) * REGION_BYTES);
	gcs_snapshot_set_summary(snapshot, space, CARDS, 3, cards);
	gcs_snapshot_set_summary(snapshot, space, TYPE, 3, types);
	for (uint32_t i = ALLOCATED; i < CONTROL; i++)
		train_total(snapshot, space, i, totals[i]);
	return gcs_snapshot_set_gathered(snapshot, space, true);
}
