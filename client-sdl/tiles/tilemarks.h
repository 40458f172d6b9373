/*
 * A set of tiles of one space: marked by the user (V2, V4), or equal to the selected one. Bounded
 * by the space's tiles. Window thread only.
 */
#ifndef GCSPY_CLIENT_TILEMARKS_H
#define GCSPY_CLIENT_TILEMARKS_H

#include <stdbool.h>
#include <stdint.h>

struct tilemarks {
	uint64_t *bits;
	uint32_t tiles; /* room; tiles from there on are not in the set */
	uint32_t count; /* in the set */
	uint64_t generation;
};

enum marks_how { MARKS_REPLACE, MARKS_ADD, MARKS_SUBTRACT };

/* A zeroed struct is an empty set. */
void tilemarks_fini(struct tilemarks *marks);

/* Sets the number of tiles; tiles beyond leave the set. False without memory, and the set is then
 * empty. */
bool tilemarks_resize(struct tilemarks *marks, uint32_t tiles);

/* The tiles between two, inclusive, in any order. */
void tilemarks_range(struct tilemarks *marks, uint32_t from, uint32_t to, enum marks_how how);
void tilemarks_put(struct tilemarks *marks, uint32_t tile);
void tilemarks_clear(struct tilemarks *marks);

bool tilemarks_has(const struct tilemarks *marks, uint32_t tile);

/* The first tile of the set from `at` on, and in *count the length of its run; UINT32_MAX if there
 * is none. */
uint32_t tilemarks_run(const struct tilemarks *marks, uint32_t at, uint32_t *count);

/* Makes `to` a copy; false without memory. */
bool tilemarks_copy(struct tilemarks *to, const struct tilemarks *from);

#endif
