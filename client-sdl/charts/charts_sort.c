/* Sorts tiles by value: a radix sort, linear in their number. Declared in charts.h. */
#include <stdlib.h>

#include "charts.h"

struct item {
	uint64_t key;
	uint32_t tile;
};

/* A stable pass over one byte of the keys; false, with nothing moved, if all bytes are equal. */
static bool radix_pass(const struct item *from, struct item *to, uint32_t count, int shift)
{
	uint32_t at[256] = {0}, sum = 0;
	for (uint32_t i = 0; i < count; i++)
		at[from[i].key >> shift & 0xff]++;
	if (count > 0 && at[from[0].key >> shift & 0xff] == count)
		return false;
	for (int i = 0; i < 256; i++) {
		uint32_t n = at[i];
		at[i] = sum;
		sum += n;
	}
	for (uint32_t i = 0; i < count; i++)
		to[at[from[i].key >> shift & 0xff]++] = from[i];
	return true;
}

/* An unsigned key in the order of the values, or in the reverse order. */
static uint64_t key_of(int64_t value, bool falling)
{
	uint64_t key = (uint64_t)value ^ UINT64_C(1) << 63;
	return falling ? ~key : key;
}

bool charts_sort(const struct chart_data *d, uint32_t *order, uint32_t count, bool falling)
{
	struct item *item = malloc(((size_t)count + 1) * 2 * sizeof *item);
	if (item == NULL)
		return false;
	struct item *from = item, *to = item + count;
	uint32_t used = 0, unused = count;
	/* Tiles without a value go to the end: collected backwards, then put in order. */
	for (uint32_t i = 0; i < count; i++) {
		uint32_t tile = order[i];
		if (chart_used(d, tile))
			from[used++] = (struct item){key_of(d->values[tile], falling), tile};
		else
			from[--unused].tile = tile;
	}
	for (uint32_t i = used; i < count; i++)
		order[i] = from[count - 1 - (i - used)].tile;
	for (int shift = 0; shift < 64; shift += 8) {
		if (!radix_pass(from, to, used, shift))
			continue;
		struct item *t = from;
		from = to;
		to = t;
	}
	for (uint32_t i = 0; i < used; i++)
		order[i] = from[i].tile;
	free(item);
	return true;
}
