#include "tilemarks.h"

#include <stdlib.h>
#include <string.h>

static size_t words(uint32_t tiles)
{
	return ((size_t)tiles + 63) / 64;
}

void tilemarks_fini(struct tilemarks *marks)
{
	free(marks->bits);
	*marks = (struct tilemarks){.generation = marks->generation + 1};
}

static void count(struct tilemarks *marks)
{
	marks->count = 0;
	for (size_t i = 0; i < words(marks->tiles); i++)
		for (uint64_t bits = marks->bits[i]; bits != 0; bits &= bits - 1)
			marks->count++;
	marks->generation++;
}

bool tilemarks_resize(struct tilemarks *marks, uint32_t tiles)
{
	if (tiles == marks->tiles)
		return true;
	const size_t before = words(marks->tiles), now = words(tiles);
	uint64_t *bits = tiles > 0 ? realloc(marks->bits, now * sizeof *bits) : NULL;
	if (bits == NULL) {
		tilemarks_fini(marks);
		return tiles == 0;
	}
	if (now > before)
		memset(bits + before, 0, (now - before) * sizeof *bits);
	if (tiles % 64 != 0)
		bits[now - 1] &= (UINT64_C(1) << tiles % 64) - 1;
	marks->bits = bits;
	marks->tiles = tiles;
	count(marks);
	return true;
}

void tilemarks_clear(struct tilemarks *marks)
{
	if (marks->count == 0)
		return;
	memset(marks->bits, 0, words(marks->tiles) * sizeof *marks->bits);
	marks->count = 0;
	marks->generation++;
}

void tilemarks_range(struct tilemarks *marks, uint32_t from, uint32_t to, enum marks_how how)
{
	const uint32_t low = from < to ? from : to, high = from < to ? to : from;
	if (how == MARKS_REPLACE)
		tilemarks_clear(marks);
	for (uint32_t i = low; i <= high && i < marks->tiles; i++) {
		const uint64_t bit = UINT64_C(1) << i % 64;
		if (how == MARKS_SUBTRACT)
			marks->bits[i / 64] &= ~bit;
		else
			marks->bits[i / 64] |= bit;
	}
	count(marks);
}

void tilemarks_put(struct tilemarks *marks, uint32_t tile)
{
	if (tile >= marks->tiles || tilemarks_has(marks, tile))
		return;
	marks->bits[tile / 64] |= UINT64_C(1) << tile % 64;
	marks->count++;
	marks->generation++;
}

bool tilemarks_has(const struct tilemarks *marks, uint32_t tile)
{
	return tile < marks->tiles && (marks->bits[tile / 64] >> tile % 64 & 1) != 0;
}

uint32_t tilemarks_run(const struct tilemarks *marks, uint32_t at, uint32_t *length)
{
	*length = 0;
	while (at < marks->tiles && !tilemarks_has(marks, at))
		at += marks->bits[at / 64] >> at % 64 == 0 ? 64 - at % 64 : 1;
	if (at >= marks->tiles)
		return UINT32_MAX;
	while (tilemarks_has(marks, at + *length))
		++*length;
	return at;
}

bool tilemarks_copy(struct tilemarks *to, const struct tilemarks *from)
{
	if (!tilemarks_resize(to, from->tiles))
		return false;
	if (from->tiles > 0)
		memcpy(to->bits, from->bits, words(from->tiles) * sizeof *to->bits);
	count(to);
	return true;
}
