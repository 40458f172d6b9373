/*
 * dlmalloc's inside, where libgcspydlmalloc.so is the program's allocator: its table (dlmalloc_inside.h), and
 * spaces made of it beside the heap map's.
 *
 *	dlmalloc/Smallbins/…   a space for each free list, a tile for each chunk, in the order of the list
 *	dlmalloc/Treebins/…    a space for each trie, a tile for each node
 *	dlmalloc/Mspaces       a tile for each mspace
 *	dlmalloc/dv and top    two tiles
 *	dlmalloc/Parked        a tile for each size of which chunks are parked
 *
 * All have address ranges, except the last, so that a free chunk's tile and its part of the heap are marked
 * together.
 */
#ifndef GCSPYMALLOC_DL_SPACES_H
#define GCSPYMALLOC_DL_SPACES_H

#include <gcspy/server.h>

#include "dlmalloc_inside.h"

/* Looks for the table, once. False with a line in `why` if there is one of another version. */
bool dl_inside_find(char *why, size_t why_bytes);

/* The table; NULL: the allocator is another one, and the functions below do nothing. */
const struct dlmalloc_inside *dl_inside(void);

/* The spaces' tiles: at most one for each bin. */
enum { DL_SPACES_TILES = DLMALLOC_BINS };

/* Describes all spaces; before the server's start. False with the reason in `err`. */
bool dl_spaces_add(struct gcs_server *server, struct gcs_error *err);

/* For the options of updates; returns how many. */
struct gcs_tiles;
uint32_t dl_spaces_tiles(struct gcs_tiles *tiles[DL_SPACES_TILES]);

/* In the callbacks of the updates with these names. */
void dl_spaces_prepare(void);
void dl_spaces_fill(struct gcs_snapshot *snapshot);

#endif
