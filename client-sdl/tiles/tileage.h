/*
 * The age of each tile of a space in snapshots since its last change, for the recency view. Any
 * data stream counts as a change. Window thread only.
 */
#ifndef GCSPY_CLIENT_TILEAGE_H
#define GCSPY_CLIENT_TILEAGE_H

#include <gcspy/snapshot.h>

#define TILEAGE_MOST 64 /* snapshots; older tiles all look the same */

struct tileage {
	uint8_t *age; /* by tile, 0: changed with this snapshot */
	uint32_t tiles;
};

/* A zeroed struct knows nothing. */
void tileage_fini(struct tileage *age);

/* Advances from the previous snapshot (may be NULL) to this one; new tiles count as old. False
 * without memory. */
bool tileage_next(struct tileage *age, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space);

/* Fading of a tile of that age, at most TILEAGE_MOST: 0 to 7, one step per doubling. */
static inline unsigned tileage_level(uint8_t age)
{
	static const uint8_t level[TILEAGE_MOST + 1] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4,
	    4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
	    6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7};
	return level[age];
}

#endif
