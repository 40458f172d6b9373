/*
 * The shadow: which memory the program has from its allocator, exactly.
 *
 * One byte for each unit of 16 bytes of address space. The byte of the unit in which a block starts has
 * its high bit set: it is SHADOW_SHORT and the block's length in units, for up to 126 of them; SHADOW_LONG, and
 * the length is in the six bytes after it, seven bits each and a check (blocks of up to 512 GiB); or
 * SHADOW_SAMPLED, and the length is with the block's sample (sites/live_blocks.h). So a start is known without
 * what comes before it, and freeing a block is one store. One more byte for each granule of 64 KiB says that a
 * block starting there has come or gone.
 *
 * Memory order. The program's thread stores the shadow's byte, then the granule's, both unconditionally
 * and the second with release; a reader exchanges the granule's byte for 0, then scans. Either the
 * exchange sees the mark, and then the scan sees the byte, or the mark comes later and the next reader
 * sees it. Two threads may mark the same granule: the earlier one's byte is visible with the later
 * one's mark because both stores of the first are visible to all threads in that order (so it is on
 * x86-64 and ARMv8; C11 promises it only for one thread's own stores). The bytes of a block are stored by
 * its owner alone: set after the allocator has returned it, cleared before it is given back, so that
 * the allocator's own synchronisation orders two owners. A scan in the middle of a change may see neither
 * block or part of a length; the mark that follows makes it scan again.
 *
 * Pieces of 4 GiB are reserved when the first block in them appears. They are never freed.
 */
#ifndef GCSPYMALLOC_HEAP_SHADOW_H
#define GCSPYMALLOC_HEAP_SHADOW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live_blocks.h"

enum { SHADOW_UNIT = 16, SHADOW_UNIT_SHIFT = 4, SHADOW_GRANULE_SHIFT = 16 };
enum { SHADOW_PIECE_SHIFT = 32, SHADOW_ADDRESS_BITS = 48 };
enum { SHADOW_PIECES = 1 << (SHADOW_ADDRESS_BITS - SHADOW_PIECE_SHIFT) };
enum { SHADOW_PIECE_UNITS = 1 << (SHADOW_PIECE_SHIFT - SHADOW_UNIT_SHIFT) };
enum { SHADOW_PIECE_GRANULES = 1 << (SHADOW_PIECE_SHIFT - SHADOW_GRANULE_SHIFT) };
enum { SHADOW_GRANULE = 1 << SHADOW_GRANULE_SHIFT };
/* The bytes of starts: short blocks have the greatest, so that one comparison tells them. */
enum { SHADOW_SAMPLED = 0x80, SHADOW_LONG = 0x81, SHADOW_SHORT = 0x81 };
enum { SHADOW_SHORT_UNITS = 0xff - SHADOW_SHORT, SHADOW_DIGITS = 6 };
enum { SHADOW_LIST_SHIFT = 10, SHADOW_PIECE_LISTS = 1 << (SHADOW_PIECE_SHIFT - SHADOW_LIST_SHIFT) };

typedef atomic_uchar shadow_byte;

struct shadow_piece {
	shadow_byte units[SHADOW_PIECE_UNITS];
	shadow_byte spare[64]; /* digits of a block that starts in the last units */
	shadow_byte dirty[SHADOW_PIECE_GRANULES];
	atomic_uint sampled[SHADOW_PIECE_LISTS]; /* the sampled blocks that start in each KiB */
};

/* Hidden: a program's every event reads it, without a way through the table of offsets. */
extern _Atomic(struct shadow_piece *) shadow_pieces[SHADOW_PIECES]
    __attribute__((visibility("hidden")));

/* The least limit of the address space, in bytes: a piece takes 272 MiB of it, and the tables of samples half a
 * GiB. */
#define SHADOW_LEAST_LIMIT (UINT64_C(8) << 30)

/* Reserves the piece with this address; NULL if that is refused, or the limit is lower. Any thread, also a signal handler's. */
struct shadow_piece *shadow_reserve(uintptr_t address);

/* The first piece from this one on that there is; SHADOW_PIECES: none. */
uint32_t shadow_next_piece(uint32_t index);

/* The length of the block that starts at this unit with this byte, in units; 0 if the digits are just
 * being changed. */
uint64_t shadow_long_length(const struct shadow_piece *piece, uint32_t unit);

/* Sets the digits of a long block, of which the start is to be set next. */
void shadow_set_digits(struct shadow_piece *piece, uint32_t unit, uint64_t units);

/* NULL: nothing there is recorded. What is above the 48 bits of an address, as tags are, does not count. */
static inline struct shadow_piece *shadow_piece(uintptr_t address)
{
	const uint16_t index = (uint16_t)(address >> SHADOW_PIECE_SHIFT);
	return atomic_load_explicit(&shadow_pieces[index], memory_order_acquire);
}

static inline uint32_t shadow_unit(uintptr_t address)
{
	return (uint32_t)(address >> SHADOW_UNIT_SHIFT) & (SHADOW_PIECE_UNITS - 1);
}

static inline void shadow_mark(struct shadow_piece *piece, size_t unit)
{
	atomic_store_explicit(&piece->dirty[unit >> (SHADOW_GRANULE_SHIFT - SHADOW_UNIT_SHIFT)], 1,
	    memory_order_release);
}

/* A block of at most SHADOW_SHORT_UNITS starts there. */
static inline void shadow_put(struct shadow_piece *piece, size_t unit, uint64_t units)
{
	atomic_store_explicit(
	    &piece->units[unit], (unsigned char)(SHADOW_SHORT + units), memory_order_release);
	shadow_mark(piece, unit);
}

/* A longer one does. */
static inline void shadow_put_long(struct shadow_piece *piece, uint32_t unit, uint64_t units)
{
	shadow_set_digits(piece, unit, units);
	atomic_store_explicit(&piece->units[unit], SHADOW_LONG, memory_order_release);
	shadow_mark(piece, unit);
}

/* A block of `bytes` starts at `start`, which are multiples of a unit; false if it cannot be recorded. */
static inline bool shadow_set(uintptr_t start, uint64_t bytes)
{
	struct shadow_piece *piece = shadow_piece(start);
	const uint64_t units = bytes >> SHADOW_UNIT_SHIFT;
	if (piece == NULL && (piece = shadow_reserve(start)) == NULL)
		return false;
	if (units <= SHADOW_SHORT_UNITS)
		shadow_put(piece, shadow_unit(start), units);
	else
		shadow_put_long(piece, shadow_unit(start), units);
	return true;
}

static inline bool shadow_is_sampled(const struct shadow_piece *piece, uint32_t unit)
{
	return atomic_load_explicit(&piece->units[unit], memory_order_acquire) == SHADOW_SAMPLED;
}

/* The block that starts there is sampled from now on. */
static inline void shadow_set_sampled(uintptr_t start)
{
	struct shadow_piece *piece = shadow_piece(start);
	atomic_store_explicit(
	    &piece->units[shadow_unit(start)], SHADOW_SAMPLED, memory_order_release);
	shadow_mark(piece, shadow_unit(start));
}

/* The bytes of the block that starts there; 0: none is recorded. */
static inline uint64_t shadow_size(const struct shadow_piece *piece, uintptr_t start)
{
	const uint32_t unit = shadow_unit(start);
	const unsigned char byte = atomic_load_explicit(&piece->units[unit], memory_order_acquire);
	if (byte <= SHADOW_SAMPLED)
		return byte == SHADOW_SAMPLED ? live_blocks_extent(start) : 0;
	const uint64_t units =
	    byte == SHADOW_LONG ? shadow_long_length(piece, unit) : (uint64_t)byte - SHADOW_SHORT;
	return units << SHADOW_UNIT_SHIFT;
}

/* Takes away the block that starts there, whatever it has. */
static inline void shadow_erase(uintptr_t start)
{
	struct shadow_piece *piece = shadow_piece(start);
	atomic_store_explicit(&piece->units[shadow_unit(start)], 0, memory_order_relaxed);
	shadow_mark(piece, shadow_unit(start));
}

/* Takes away the block that starts there; its bytes, or 0 if none is recorded. Not for sampled ones. */
static inline uint64_t shadow_clear(uintptr_t start)
{
	const struct shadow_piece *piece = shadow_piece(start);
	const uint64_t bytes = piece == NULL ? 0 : shadow_size(piece, start);
	if (bytes != 0)
		shadow_erase(start);
	return bytes;
}

/*
 * Calls `visit` with each block that starts in low .. high - 1, in the order of
 * addresses. Not for the program's threads.
 */
void shadow_scan(uintptr_t low, uintptr_t high,
    void (*visit)(void *context, uintptr_t start, uint64_t bytes), void *context);

#endif
