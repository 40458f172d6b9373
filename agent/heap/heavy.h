/*
 * The streams of the heavy volume in a heap's space (H5): their descriptions, and how a sweep's
 * picture becomes values of tiles.
 */
#ifndef GCSPY_AGENT_HEAVY_H
#define GCSPY_AGENT_HEAVY_H

#include "heap.h"

enum heavy_stream {
	HEAVY_SWEEP,
	HEAVY_OBJECTS,
	HEAVY_BYTES,
	HEAVY_SCALARS,
	HEAVY_ARRAYS,
	HEAVY_UNPARSABLE,
	HEAVY_FILLERS,
	HEAVY_DIRTY,
	HEAVY_CLEAN,
	HEAVY_OTHER,
	HEAVY_COUNT
};

/* The heavy streams of one space. */
struct heavy {
	uint32_t ids[HEAVY_COUNT]; /* GCS_NONE: this JVM or collector has nothing to say there */
	uint32_t control;          /* id of the control stream */
	bool shown;                /* the space has values of a sweep */
};

/* What is special about a space. */
enum heavy_special {
	HEAVY_HAS_CARDS = 1,   /* its cards mean something */
	HEAVY_ONLY_MARKED = 2, /* what the last marking found dead is not counted */
	HEAVY_NOT = 4,         /* it cannot be swept */
};

/*
 * Adds their descriptions behind the space's first `count` streams (room for HEAVY_COUNT more);
 * `control` is one of those. `special`: of enum heavy_special. Returns the new count: the same if
 * objects cannot be walked over.
 */
uint32_t heavy_describe(struct heavy *h, const struct vm *vm, uint64_t block, unsigned special,
    uint32_t control, struct gcs_stream *streams, uint32_t count);

/* Which cells the tiles of a space are: `per_tile` of them each, from the cell `first` on. */
struct heavy_cells {
	uint32_t first, count, per_tile;
	uint32_t tiles; /* of the space; those beyond the cells have nothing in use */
};

/*
 * Writes the streams: the picture's values, or none if the volume is light. A tile whose values are
 * not of this event keeps them and is marked as stale in the control stream, which must have been
 * written. The space's line says what is not counted. False without memory.
 */
bool heavy_write(struct heavy *h, const struct heap_event *event, struct gcs_snapshot *snapshot,
    uint32_t space, const struct heavy_cells *cells);

#endif
