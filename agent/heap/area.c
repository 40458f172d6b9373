#include "area.h"

#include <string.h>

uint64_t area_block(uint64_t bytes, uint64_t wanted, uint32_t max_tiles)
{
	uint64_t block = wanted != 0 ? wanted : 16384;
	while (block < (uint64_t)1 << 40 && bytes / block >= max_tiles)
		block *= 2;
	return block;
}

uint32_t area_tiles(uint64_t low, uint64_t high, uint64_t block)
{
	if (high <= low)
		return 0;
	uint64_t tiles = (high - low + block - 1) / block;
	return tiles > UINT32_MAX ? UINT32_MAX : (uint32_t)tiles;
}

void area_add(const struct area *area, int64_t *values, uint64_t start, uint64_t end)
{
	uint64_t high = area->low + area->block * area->tiles;
	if (start < area->low)
		start = area->low;
	if (end > high)
		end = high;
	if (start >= end)
		return;
	uint64_t tile = (start - area->low) / area->block;
	for (uint64_t tile_end = area->low + tile * area->block; start < end; tile++) {
		tile_end += area->block;
		uint64_t part = (end < tile_end ? end : tile_end) - start;
		values[tile] += (int64_t)part;
		start += part;
	}
}

/* Adds the extents of all buffers. */
static void add_tlabs(
    const struct area *area, int64_t *values, const struct vm_tlab *tlabs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		area_add(area, values, tlabs[i].start, tlabs[i].hard_end);
}

int64_t area_set_tlabs(
    const struct area *area, int64_t *values, const struct vm_tlab *tlabs, size_t count)
{
	int64_t total = 0;
	memset(values, 0, area->tiles * sizeof *values);
	add_tlabs(area, values, tlabs, count);
	for (uint32_t i = 0; i < area->tiles; i++)
		total += values[i];
	return total;
}

void area_tile_of(
    const struct area *area, uint64_t high, uint64_t address, uint64_t *start, uint64_t *end)
{
	*start = area->low + (address - area->low) / area->block * area->block;
	*end = *start + area->block < high ? *start + area->block : high;
}

void area_ranges(const struct area *area, uint64_t high, int64_t *starts, int64_t *ends)
{
	for (uint32_t i = 0; i < area->tiles; i++) {
		uint64_t start = area->low + (uint64_t)i * area->block;
		uint64_t end = start + area->block;
		starts[i] = (int64_t)start;
		ends[i] = (int64_t)(end < high ? end : high);
	}
}

bool area_has_ranges(
    const struct area *area, uint64_t high, const int64_t *starts, const int64_t *ends)
{
	bool same = true;
	for (uint32_t i = 0; i < area->tiles; i++) {
		uint64_t start = area->low + (uint64_t)i * area->block;
		uint64_t end = start + area->block;
		/* Without a branch, so that it is no slower than comparing memory. */
		same = same & (starts[i] == (int64_t)start) &
		       (ends[i] == (int64_t)(end < high ? end : high));
	}
	return same;
}
