#include "heap_shadow.h"

#include <string.h>
#include <sys/resource.h>

#include "own_memory.h"

_Atomic(struct shadow_piece *) shadow_pieces[SHADOW_PIECES];
static atomic_uint_least64_t
    pieces[SHADOW_PIECES / 64]; /* a bit for each that there is or will be */

/* Below, what is reserved here would be missing in the program: it cannot be given back. */
static bool has_room(void)
{
	struct rlimit limit;
	return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
	       limit.rlim_cur >= (rlim_t)SHADOW_LEAST_LIMIT;
}

struct shadow_piece *shadow_reserve(uintptr_t address)
{
	if (!has_room())
		return NULL;
	const uint16_t index = (uint16_t)(address >> SHADOW_PIECE_SHIFT);
	struct shadow_piece *none = NULL;
	struct shadow_piece *piece = own_memory_reserve(sizeof *piece);
	if (piece == NULL)
		return NULL;
	/* Before it is there, so that nobody misses it. */
	atomic_fetch_or(&pieces[index / 64], UINT64_C(1) << index % 64);
	/* Another thread may be first: its piece is used, and ours is left untouched. */
	if (atomic_compare_exchange_strong(&shadow_pieces[index], &none, piece))
		return piece;
	return none;
}

uint32_t shadow_next_piece(uint32_t index)
{
	for (uint32_t word = index / 64; word < SHADOW_PIECES / 64; word++) {
		uint64_t bits = atomic_load(&pieces[word]);
		if (word == index / 64)
			bits &= UINT64_MAX << index % 64;
		for (; bits != 0; bits &= bits - 1) {
			const uint32_t found = word * 64 + (uint32_t)__builtin_ctzll(bits);
			if (atomic_load(&shadow_pieces[found]) != NULL)
				return found;
		}
	}
	return SHADOW_PIECES;
}

enum { DIGIT_BITS = 7, CHECK_AT = 8 * (SHADOW_DIGITS - 1) };

/* Bytes of which each has seven bits of the length, and the last a check, so that digits of two blocks are not
 * taken for a length. */
static uint64_t digits_of(uint64_t units)
{
	uint64_t digits = units * 0x9e3779b97f4a7c15u >> (64 - DIGIT_BITS) << CHECK_AT;
	for (int i = 0; i < SHADOW_DIGITS - 1; i++)
		digits |= (units & (uint64_t)0x7f << DIGIT_BITS * i) << i;
	return digits;
}

/* Bytes that other threads read and write meanwhile are old or new each, as with single accesses. */
void shadow_set_digits(struct shadow_piece *piece, uint32_t unit, uint64_t units)
{
	const uint64_t digits = digits_of(units);
	memcpy((void *)&piece->units[unit + 1], &digits, SHADOW_DIGITS);
}

uint64_t shadow_long_length(const struct shadow_piece *piece, uint32_t unit)
{
	uint64_t digits = 0, units = 0;
	memcpy(&digits, (const void *)&piece->units[unit + 1], SHADOW_DIGITS);
	for (int i = 0; i < SHADOW_DIGITS - 1; i++)
		units |= digits >> i & (uint64_t)0x7f << DIGIT_BITS * i;
	return digits_of(units) == digits ? units : 0;
}

/* A word in which bytes have their high bit set where blocks start. */
static uint64_t starts_at(const struct shadow_piece *piece, uint32_t unit)
{
	uint64_t word;
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
