#include "tileorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 8 /* bytes of a key */

struct pair {
	uint64_t key;
	uint32_t tile;
};

void tileorder_fini(struct tileorder *order)
{
	free(order->tile);
	free(order->place);
	*order = (struct tileorder){.generation = order->generation + 1};
}

/* Numbers without sign in the same order; a tile without a value has the largest. */
static uint64_t key_of(const struct tilecode *rule, uint32_t tile, bool falling)
{
	uint64_t key;
	if (!tilecode_used(rule->control, tile))
		return UINT64_MAX;
	if (rule->real != NULL) {
		if (isnan(rule->real[tile]))
			return UINT64_MAX;
		memcpy(&key, &rule->real[tile], sizeof key);
		key = key >> 63 != 0 ? ~key : key | UINT64_C(1) << 63;
	} else {
		key = (uint64_t)rule->values[tile] ^ UINT64_C(1) << 63;
	}
	key = falling ? ~key : key;
	return key < UINT64_MAX ? key : UINT64_MAX - 1;
}

/* By one byte of the keys; equal ones stay as they are. False if all have the same byte. */
static bool sort_by(struct pair *to, const struct pair *from, uint32_t n, int digit)
{
	uint32_t at[257] = {0};
	for (uint32_t i = 0; i < n; i++)
		at[(from[i].key >> (8 * digit) & 0xff) + 1]++;
	for (int i = 0; i < 256; i++) {
		if (at[i + 1] == n)
			return false;
		at[i + 1] += at[i];
	}
	for (uint32_t i = 0; i < n; i++)
		to[at[from[i].key >> (8 * digit) & 0xff]++] = from[i];
	return true;
}

static void sort(struct pair *pairs, struct pair *room, uint32_t n, uint32_t *tiles)
{
	struct pair *from = pairs, *to = room;
	for (int digit = 0; digit < DIGITS; digit++) {
		if (!sort_by(to, from, n, digit))
			continue;
		struct pair *other = from;
		from = to;
		to = other;
	}
	for (uint32_t i = 0; i < n; i++)
		tiles[i] = from[i].tile;
}

static bool make_room(struct tileorder *order, uint32_t tiles)
{
	if (order->tile != NULL && order->tiles == tiles)
		return true;
	tileorder_fini(order);
	order->tile = calloc(tiles, sizeof *order->tile);
	order->place = calloc(tiles, sizeof *order->place);
	order->tiles = tiles;
	return order->tile != NULL && order->place != NULL;
}

bool tileorder_set(struct tileorder *order, enum tileorder_kind kind, const struct tilecode *rule)
{
	const uint32_t n = rule->tiles;
	if (kind == ORDER_ADDRESS || n == 0) {
		if (order->tile != NULL)
			tileorder_fini(order);
		return true;
	}
	struct pair *pairs = malloc(2 * (size_t)n * sizeof *pairs);
	uint32_t *tiles = malloc((size_t)n * sizeof *tiles);
	const bool ok = pairs != NULL && tiles != NULL && make_room(order, n);
	if (ok) {
		for (uint32_t i = 0; i < n; i++)
			pairs[i] = (struct pair){key_of(rule, i, kind == ORDER_FALLING), i};
		sort(pairs, pairs + n, n, tiles);
		if (order->kind != kind || memcmp(tiles, order->tile, n * sizeof *tiles) != 0)
			order->generation++;
		order->kind = kind;
		memcpy(order->tile, tiles, n * sizeof *tiles);
		for (uint32_t i = 0; i < n; i++)
			order->place[tiles[i]] = i;
	} else {
		tileorder_fini(order);
	}
	free(pairs);
	free(tiles);
	return ok;
}
