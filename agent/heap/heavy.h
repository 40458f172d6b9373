/* The streams of the heavy volume in a heap's space (H5): their descriptions, and the values of
 * tiles from a heap walk's result. */
#ifndef GCSPY_AGENT_HEAVY_H
#define GCSPY_AGENT_HEAVY_H

#include "heap.h"

enum heavy_stream {
	HEAVY_STATE,
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
	uint32_t ids[HEAVY_COUNT]; /* GCS_NONE: not available with this JVM or collector */
	uint32_t control;          /* id of the control stream */
	bool shown;                /* the space has values of a heap walk */
};

enum heavy_special {
	HEAVY_HAS_CARDS = 1,   /* its cards are meaningful */
	HEAVY_ONLY_MARKED = 2, /* objects that the last marking found dead are not counted */
	HEAVY_NOT = 4,         /* it cannot be walked */
};

/*
 * Adds their descriptions after the space's first `count` streams (room for HEAVY_COUNT more);
 * `control` is one of those. `special`: bits of enum heavy_special. Returns the new count: the same
 * if objects cannot be walked.
 */
uint32_t heavy_describe(struct heavy *h, const struct vm *vm, uint64_t block, unsigned special,
    uint32_t control, struct gcs_stream *streams, uint32_t count);

/* Tiles of a space in cells: `per_tile` each, from the cell `first` on. */
struct heavy_cells {
	uint32_t first, count, per_tile;
	uint32_t tiles; /* of the space; those beyond the cells are not in use */
};

/*
 * Writes the streams: the result's values, or zeros if the volume is light. A tile whose values are
 * not of this event keeps them and is marked as stale in the control stream, which must have been
 * written. The space's line says what is not counted. False without memory.
 */
bool heavy_write(struct heavy *h, const struct heap_event *event, struct gcs_snapshot *snapshot,
    uint32_t space, const struct heavy_cells *cells);

#endif
