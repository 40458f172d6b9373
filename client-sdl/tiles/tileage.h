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

/* How far a tile of that age has faded, 0 to 7: a step with every doubling. */
static inline unsigned tileage_level(uint8_t age)
{
	return (unsigned)(age > 0) + (age > 1) + (age > 3) + (age > 7) + (age > 15) + (age > 31) +
	       (age > 63);
}

#endif
