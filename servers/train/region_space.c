/* The regions of the old generation in address order: section 5.1 of the paper. */
#include <stdlib.h>
#include <string.h>

#include "cards.h"
#include "changes.h"
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

/* The strongest card of a region: a pointer that has not been processed matters more than a known one. */
static enum card strongest(const struct old_generation *old, uint32_t region)
{
	const unsigned char *cards = &old->cards[(size_t)region * CARDS_PER_REGION];
	if (old->regions[region].type == REGION_FREE ||
	    (old->marks[region] & REGION_HAS_CARDS) == 0)
		return CARD_CLEAN;
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

static int64_t sum_of_car(const struct car *car, uint32_t stream, const char *region)
{
	const char *from = car->type == CAR_POPULAR ? car->base : region;
	return share_of(
	    car, stream == USED ? car_used(car) : car->allocated[stream - ALLOCATED], from);
}

static int64_t value_of(const struct old_generation *old, uint32_t tile, uint32_t stream)
{
	const struct region *region = &old->regions[tile];
	const char *start = old->base + (size_t)tile * REGION_BYTES;
	const struct car *car = region->car; /* of popular cars, the highest */
	int64_t sum = 0;
	if (region->type == REGION_FREE)
		return stream == CONTROL ? GCS_TILE_UNUSED : 0;
	for (uint32_t i = 0; region->popular != NULL && i < REGION_BYTES / old->popular_bytes;
	     i++) {
		const struct car *part = region->popular[i];
		if (part == NULL)
			continue;
		if (stream == USED || (stream >= ALLOCATED && stream < CONTROL))
			sum += sum_of_car(part, stream, start);
		if (car == NULL || car_higher(part, car))
			car = part;
	}
	switch (stream) {
	case CARDS:
		return strongest(old, tile);
	case TRAIN:
		return (int64_t)car->train->id;
	case CAR:
		return (int64_t)car->id;
	case TYPE:
		return car->type;
	case CONTROL:
		return GCS_TILE_USED | (car->end > start + REGION_BYTES ? GCS_TILE_LINK : 0);
	default:
		return region->popular != NULL ? sum : sum_of_car(car, stream, start);
	}
}

static void read_regions(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	struct train_spaces *spaces = context;
	const struct old_generation *old = &spaces->heap->old;
	struct gcs_blocks blocks = {
	    .low = (uintptr_t)old->base, .high = (uintptr_t)old->end, .block = REGION_BYTES};
	spaces->tiles_read += count;
	if (stream == START || stream == END) {
		gcs_blocks_ranges(&blocks, first, count, stream == START ? values : NULL,
		    stream == END ? values : NULL);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		values[i] = value_of(old, first + i, stream);
}

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
	const uint32_t count = spaces->heap->old.region_count;
	const struct gcs_tiles_options options = {
	    .tiles = count, .read = read_regions, .context = spaces};
	spaces->card_states = calloc(count, 1);
	if (spaces->card_states == NULL) {
		*err = (struct gcs_error){.status = GCS_NOMEM, .text = "no memory"};
		return GCS_NOMEM;
	}
	return train_add_space(
	    server, &space, &options, &spaces->regions, &spaces->region_tiles, err);
}

/* Zooms: cars, and what is in them, in blocks of any size from that of a card on. */

struct zoom {
	const struct gcs_blocks *blocks;
	uint32_t stream;
	int64_t *values;
};

/* Bytes of a kind of allocation are the last ones of the car, in the order of the kinds. */
static void zoom_allocated(const struct zoom *zoom, const struct car *car)
{
	const char *end = car->top;
	for (uint32_t kind = OLD_ALLOCATIONS; kind-- > zoom->stream - ALLOCATED + 1;)
		end -= car->allocated[kind];
	gcs_blocks_add(zoom->blocks, zoom->values,
	    (uintptr_t)end - car->allocated[zoom->stream - ALLOCATED], (uintptr_t)end, 1);
}

static void zoom_tile(
    const struct zoom *zoom, const struct car *car, uint32_t tile, int64_t control)
{
	int64_t *value = &zoom->values[tile];
	switch (zoom->stream) {
	case TRAIN:
		*value = (int64_t)car->train->id;
		break;
	case CAR:
		*value = (int64_t)car->id;
		break;
	case TYPE:
		*value = car->type;
		break;
	default:
		*value = control;
	}
}

/* Of several cars in a block, `car` is the last one. */
static void zoom_car(const struct zoom *zoom, const struct car *car)
{
	const struct gcs_blocks *blocks = zoom->blocks;
	const uint64_t start = (uintptr_t)car->base, end = (uintptr_t)car->end;
	if (end <= blocks->low || start >= blocks->high)
		return;
	if (zoom->stream == USED) {
		gcs_blocks_add(blocks, zoom->values, start, (uintptr_t)car->top, 1);
	} else if (zoom->stream >= ALLOCATED && zoom->stream < CONTROL) {
		zoom_allocated(zoom, car);
	} else {
		const uint32_t first = start > blocks->low ? gcs_blocks_tile(blocks, start) : 0;
		const uint32_t last = end < blocks->high ? gcs_blocks_tile(blocks, end - 1)
							 : gcs_blocks_count(blocks) - 1;
		for (uint32_t tile = first; tile <= last; tile++)
			zoom_tile(zoom, car, tile,
			    GCS_TILE_USED |
				(tile < last && car->type == CAR_OVERSIZED ? GCS_TILE_LINK : 0));
	}
}

/* The strongest card of each block. */
static void zoom_cards(const struct old_generation *old, const struct zoom *zoom)
{
	static const unsigned char strength[CARD_STATES] = {
	    [CARD_CLEAN] = 0, [CARD_YOUNG] = 1, [CARD_DIRTY] = 2};
	const struct gcs_blocks *blocks = zoom->blocks;
	for (uint32_t tile = 0; tile < gcs_blocks_count(blocks); tile++) {
		const uint64_t start = blocks->low + tile * blocks->block,
			       rest = blocks->high - start;
		const char *at = (const char *)(uintptr_t)start;
		const char *last = at + (rest < blocks->block ? rest : blocks->block) - 1;
		for (size_t card = card_of(old, at); card <= card_of(old, last); card++)
			if (strength[old->cards[card]] > strength[zoom->values[tile]])
				zoom->values[tile] = old->cards[card];
	}
}

void train_zoom_regions(const struct train_spaces *spaces, uint32_t stream,
    const struct gcs_blocks *blocks, int64_t *values)
{
	const struct old_generation *old = &spaces->heap->old;
	const struct zoom zoom = {.blocks = blocks, .stream = stream, .values = values};
	if (stream == CARDS) {
		zoom_cards(old, &zoom);
		return;
	}
	const uint32_t last = region_of(old, (const char *)(uintptr_t)(blocks->high - 1));
	const struct car *before = NULL;
	for (uint32_t i = region_of(old, (const char *)(uintptr_t)blocks->low); i <= last; i++) {
		const struct region *region = &old->regions[i];
		if (region->car != NULL && region->car != before)
			zoom_car(&zoom, region->car);
		before = region->car;
		for (uint32_t k = 0;
		     region->popular != NULL && k < REGION_BYTES / old->popular_bytes; k++)
			if (region->popular[k] != NULL)
				zoom_car(&zoom, region->popular[k]);
	}
}

/* Counts a region in use by its cards; free ones count as clean here. */
static void count_cards(struct train_spaces *spaces, uint32_t region)
{
	unsigned char now = (unsigned char)strongest(&spaces->heap->old, region);
	spaces->card_counts[spaces->card_states[region]]--;
	spaces->card_counts[now]++;
	spaces->card_states[region] = now;
}

void train_look_at_regions(struct train_spaces *spaces)
{
	const struct old_generation *old = &spaces->heap->old;
	for (uint32_t region = region_changed(old, 0); region < old->region_count;
	     region = region_changed(old, region + 1)) {
		count_cards(spaces, region);
		for (uint32_t stream = 0; stream < START; stream++)
			gcs_tiles_touch(spaces->region_tiles, stream, region, 1);
	}
}

void train_summarise_regions(const struct train_spaces *spaces, struct gcs_snapshot *snapshot)
{
	const struct old_generation *old = &spaces->heap->old;
	const uint32_t space = spaces->regions;
	const int64_t used = (int64_t)old->region_count - old->free_regions;
	const int64_t *cards = spaces->card_counts, *sums = old->sums;
	train_share(snapshot, space, USED, sums[SUM_USED], used * REGION_BYTES);
	train_counts(snapshot, space, CARDS, CARD_STATES,
	    (int64_t[]){used - cards[CARD_DIRTY] - cards[CARD_YOUNG], cards[CARD_DIRTY],
		cards[CARD_YOUNG]});
	train_counts(snapshot, space, TYPE, CAR_TYPES,
	    (int64_t[]){used - old->oversized_regions - old->popular_regions,
		old->oversized_regions, old->popular_regions});
	train_allocation_totals(snapshot, space, ALLOCATED, sums);
}
