#include "heap_parts.h"

void heap_parts_lay_out(struct heap_parts *parts, const struct dlmalloc_segment *segments,
    uint32_t count, uint32_t block)
{
	*parts = (struct heap_parts){.cut = count == HEAP_PARTS};
	for (uint32_t i = 0; i < count; i++) {
		uint64_t low = segments[i].start / block * block;
		const uint64_t high = (segments[i].end + block - 1) / block * block;
		if (parts->count > 0) {
			const struct heap_part *last = &parts->list[parts->count - 1];
			const uint64_t end = last->low + (uint64_t)last->count * block;
			if (low < end || (low ^ (end - 1)) < DLMALLOC_TOUCHED_BYTES) {
				low = last->low;
				parts->tiles = last->first;
				parts->count--;
			}
		}
		uint64_t tiles = (high - low) / block;
		if (tiles > HEAP_TILES - parts->tiles) {
			tiles = HEAP_TILES - parts->tiles;
			parts->cut = true;
		}
		if (tiles == 0)
			break;
		parts->list[parts->count++] =
		    (struct heap_part){low, parts->tiles, (uint32_t)tiles};
		parts->tiles += (uint32_t)tiles;
	}
}

/* The tiles of `part` that no part of `others` has: from tile `*at` on, to before the result. */
static uint32_t next_alone(
    const struct heap_part *part, const struct heap_parts *others, uint32_t block, uint32_t *at)
{
	for (uint32_t o = 0; o < others->count && *at < part->count; o++) {
		const struct heap_part *other = &others->list[o];
		const uint64_t here = part->low + (uint64_t)*at * block;
		const uint64_t end = other->low + (uint64_t)other->count * block;
		if (end <= here)
			continue;
		if (other->low > here) {
			const uint64_t tiles = (other->low - here) / block;
			return tiles < part->count - *at ? *at + (uint32_t)tiles : part->count;
		}
		const uint64_t both = (end - here) / block;
		*at = both < part->count - *at ? *at + (uint32_t)both : part->count;
	}
	return part->count;
}

void heap_parts_move(const struct heap_parts *before, const struct heap_parts *now, uint32_t block,
    struct gcs_tiles *tiles)
{
	uint32_t removed = 0;
	for (uint32_t p = 0; p < before->count; p++) {
		const struct heap_part *part = &before->list[p];
		for (uint32_t at = 0, end; at < part->count; at = end) {
			end = next_alone(part, now, block, &at);
			if (at < end) {
				gcs_tiles_remove(tiles, part->first + at - removed, end - at);
				removed += end - at;
			}
		}
	}
	for (uint32_t p = 0; p < now->count; p++) {
		const struct heap_part *part = &now->list[p];
		for (uint32_t at = 0, end; at < part->count; at = end) {
			end = next_alone(part, before, block, &at);
			if (at < end)
				gcs_tiles_insert(tiles, part->first + at, end - at);
		}
	}
}
