#include "tileorder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void tileorder_fini(struct tileorder *order)
{
	free(order->tile);
	free(order->place);
	free(order->key);
	free(order->room);
	*order = (struct tileorder){.generation = order->generation + 1};
}

#define NO_VALUE UINT64_MAX

/* The value as an unsigned number in the same order; NO_VALUE without one. */
static uint64_t key_of(const struct tilecode *rule, uint32_t tile, bool falling)
{
	uint64_t key;
	if (!tilecode_has_value(rule, tile))
		return NO_VALUE;
	if (rule->real != NULL) {
		if (isnan(rule->real[tile]))
			return NO_VALUE;
		memcpy(&key, &rule->real[tile], sizeof key);
		key = key >> 63 != 0 ? ~key : key | UINT64_C(1) << 63;
	} else {
		key = (uint64_t)rule->values[tile] ^ UINT64_C(1) << 63;
	}
	key = falling ? ~key : key;
	return key < NO_VALUE ? key : NO_VALUE - 1;
}

/* Keys from 0, so that few of their bytes differ; returns the largest. */
static uint64_t make_keys(uint64_t *key, const struct tilecode *rule, bool falling)
{
	uint64_t least = NO_VALUE, most = 0;
	for (uint32_t i = 0; i < rule->tiles; i++) {
		key[i] = key_of(rule, i, falling);
		least = key[i] < least ? key[i] : least;
		most = key[i] != NO_VALUE && key[i] > most ? key[i] : most;
	}
	if (least == NO_VALUE) /* no tile has a value */
		least = 0;
	const uint64_t none = most >= least ? most - least + 1 : 0;
	for (uint32_t i = 0; i < rule->tiles; i++)
		key[i] = key[i] == NO_VALUE ? none : key[i] - least;
	return none;
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS }; /* a share in per mille is one digit */

/* One pass of a radix sort, by the digit at that shift; stable. */
static void sort_by(
    uint32_t *to, const uint32_t *from, const uint64_t *key, uint32_t n, unsigned shift)
{
	uint32_t at[DIGITS + 1] = {0};
	for (uint32_t i = 0; i < n; i++)
		at[(key[i] >> shift & (DIGITS - 1)) + 1]++;
	for (int i = 0; i < DIGITS; i++)
		at[i + 1] += at[i];
	for (uint32_t i = 0; i < n; i++)
		to[at[key[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Sorts tiles by their keys, the largest of which is `most`; the result is in either array. */
static uint32_t *sort(uint32_t *from, uint32_t *to, const uint64_t *key, uint32_t n, uint64_t most)
{
	for (uint32_t i = 0; i < n; i++)
		from[i] = i;
	for (unsigned shift = 0; shift < 64 && most >> shift != 0; shift += DIGIT_BITS) {
		sort_by(to, from, key, n, shift);
		uint32_t *other = from;
		from = to;
		to = other;
	}
	return from;
}

static bool make_room(struct tileorder *order, uint32_t tiles)
{
	if (order->tile != NULL && order->tiles == tiles)
		return true;
	tileorder_fini(order);
	order->tile = calloc(tiles, sizeof *order->tile);
	order->place = calloc(tiles, sizeof *order->place);
	order->key = calloc(tiles, sizeof *order->key);
	order->room = calloc(tiles, 2 * sizeof *order->room);
	order->tiles = tiles;
	return order->tile != NULL && order->place != NULL && order->key != NULL &&
	       order->room != NULL;
}

bool tileorder_set(struct tileorder *order, enum tileorder_kind kind, const struct tilecode *rule)
{
	const uint32_t n = rule->tiles;
	if (kind == ORDER_ADDRESS || n == 0) {
		if (order->tile != NULL)
			tileorder_fini(order);
		return true;
	}
	if (!make_room(order, n)) {
		tileorder_fini(order);
		return false;
	}
	const uint64_t most = make_keys(order->key, rule, kind == ORDER_FALLING);
	const uint32_t *tiles = sort(order->room, order->room + n, order->key, n, most);
	if (order->kind != kind || memcmp(tiles, order->tile, n * sizeof *tiles) != 0)
		order->generation++;
	order->kind = kind;
	memcpy(order->tile, tiles, n * sizeof *tiles);
	for (uint32_t i = 0; i < n; i++)
		order->place[tiles[i]] = i;
	return true;
}
