#include "heap_shadow.h"

#include <string.h>

#include "own_memory.h"

_Atomic(struct shadow_piece *) shadow_pieces[SHADOW_PIECES];

struct shadow_piece *shadow_reserve(uintptr_t address)
{
	const uint16_t index = (uint16_t)(address >> SHADOW_PIECE_SHIFT);
	struct shadow_piece *none = NULL;
	struct shadow_piece *piece = own_memory_reserve(sizeof *piece);
	if (piece == NULL)
		return NULL;
	/* Another thread may be first: its piece is used, and ours is left untouched. */
	if (atomic_compare_exchange_strong(&shadow_pieces[index], &none, piece))
		return piece;
	return none;
}

/* The last digit is a sum of the others, so that digits of two blocks are not taken for a length. */
static unsigned char sum_of(unsigned char sum, unsigned char digit, uint32_t i)
{
	return (unsigned char)((sum + digit * (2 * i + 1)) & 0x7f);
}

void shadow_set_digits(struct shadow_piece *piece, uint32_t unit, uint64_t units)
{
	unsigned char sum = 1;
	for (uint32_t i = 1; i < SHADOW_DIGITS; i++, units >>= 7) {
		const unsigned char digit = (unsigned char)(units & 0x7f);
		sum = sum_of(sum, digit, i);
		atomic_store_explicit(&piece->units[unit + i], digit, memory_order_relaxed);
	}
	atomic_store_explicit(&piece->units[unit + SHADOW_DIGITS], sum, memory_order_relaxed);
}

uint64_t shadow_long_length(const struct shadow_piece *piece, uint32_t unit)
{
	uint64_t units = 0;
	unsigned char sum = 1;
	for (uint32_t i = 1; i < SHADOW_DIGITS; i++) {
		const unsigned char digit =
		    atomic_load_explicit(&piece->units[unit + i], memory_order_relaxed);
		if (digit >= SHADOW_START)
			return 0;
		units |= (uint64_t)digit << 7 * (i - 1);
		sum = sum_of(sum, digit, i);
	}
	return atomic_load_explicit(&piece->units[unit + SHADOW_DIGITS], memory_order_relaxed) ==
		       sum
		   ? units
		   : 0;
}

/* A word in which bytes have their high bit set where blocks start. */
static uint64_t starts_at(const struct shadow_piece *piece, uint32_t unit)
{
	uint64_t word;
	/* Whole words of a map that others change: each byte is old or new, as with single loads. */
	memcpy(&word, (const void *)&piece->units[unit], sizeof word);
	return word & 0x8080808080808080u;
}

static void scan_piece(const struct shadow_piece *piece, uintptr_t low, uintptr_t high,
    void (*visit)(void *context, uintptr_t start, uint64_t bytes), void *context)
{
	for (uintptr_t at = low; at < high; at += 8 * SHADOW_UNIT) {
		uint64_t starts = starts_at(piece, shadow_unit(at));
		for (; starts != 0; starts &= starts - 1) {
			const uintptr_t start =
			    at + (uintptr_t)__builtin_ctzll(starts) / 8 * SHADOW_UNIT;
			const uint64_t bytes = start < high ? shadow_size(piece, start) : 0;
			if (bytes != 0)
				visit(context, start, bytes);
		}
	}
}

void shadow_scan(uintptr_t low, uintptr_t high,
    void (*visit)(void *context, uintptr_t start, uint64_t bytes), void *context)
{
	const uintptr_t piece_bytes = (uintptr_t)1 << SHADOW_PIECE_SHIFT;
	low -= low % SHADOW_UNIT;
	while (low < high) {
		const uintptr_t next = (low / piece_bytes + 1) * piece_bytes;
		const uintptr_t end = next < high ? next : high;
		const struct shadow_piece *piece = shadow_piece(low);
		/* Single units up to the first whole word, so that words are within the piece. */
		for (; piece != NULL && low < end && low % (8 * SHADOW_UNIT) != 0;
		     low += SHADOW_UNIT) {
			const uint64_t bytes = shadow_size(piece, low);
			if (bytes != 0)
				visit(context, low, bytes);
		}
		if (piece != NULL)
			scan_piece(piece, low, end, visit, context);
		low = end;
	}
}
