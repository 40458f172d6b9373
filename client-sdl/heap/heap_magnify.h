/*
 * The magnifier: a tile and its neighbours in address order, in one row without the map's line
 * breaks (V6). Pure geometry; heap_side.c paints it.
 */
#ifndef GCSPY_CLIENT_HEAP_MAGNIFY_H
#define GCSPY_CLIENT_HEAP_MAGNIFY_H

#include <stdint.h>

#include "damage.h"

struct magnifier {
	struct cv_rect r; /* of the row */
	int cell_w, cell_h, gap;
	uint32_t cells; /* an odd number, the tile in the middle */
	uint32_t tile, tiles;
};

/* As many cells of that size as fit into r, at least one. */
struct magnifier magnifier_make(
    struct cv_rect r, int cell_w, int cell_h, int gap, uint32_t tile, uint32_t tiles);

/* The rectangle and the tile of cell i; UINT32_MAX outside the space. */
struct cv_rect magnifier_cell(const struct magnifier *m, uint32_t i);
uint32_t magnifier_tile(const struct magnifier *m, uint32_t i);

/* The tile at a pixel, or UINT32_MAX; gaps belong to the tile on their left. */
uint32_t magnifier_at(const struct magnifier *m, int x, int y);

#endif
