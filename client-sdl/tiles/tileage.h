/*
 * How long ago each tile of a space changed, in pictures: for the recency view, in which brightness
 * decays. A tile changes with any of its streams of data. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_TILEAGE_H
#define GCSPY_CLIENT_TILEAGE_H

#include <gcspy/snapshot.h>

#define TILEAGE_MOST 64 /* pictures; older tiles all look the same */

struct tileage {
	uint8_t *age; /* by tile, 0: changed with this picture */
	uint32_t tiles;
};

/* A zeroed struct knows nothing. */
void tileage_fini(struct tileage *age);

/* From the picture before (may be NULL) to this one; tiles that were not known count as old. False
 * without memory. */
bool tileage_next(struct tileage *age, const struct gcs_snapshot *now,
    const struct gcs_snapshot *before, uint32_t space);

/* How far a tile of that age, at most TILEAGE_MOST, has faded, 0 to 7: a step with every doubling. */
static inline unsigned tileage_level(uint8_t age)
{
	static const uint8_t level[TILEAGE_MOST + 1] = {0, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4,
	    4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6,
	    6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 7};
	return level[age];
}

#endif
