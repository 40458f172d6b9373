/*
 * The drivers: the heap by address, blocks by size, gaps by size, arenas, and the process's mappings.
 *
 * `add_…` describes a space before the server starts; `fill_…` writes its present state into a snapshot. They
 * read what heap_granules.h and process_maps.h have, on the thread that flushes.
 */
#ifndef GCSPYMALLOC_MALLOC_SPACES_H
#define GCSPYMALLOC_MALLOC_SPACES_H

#include <gcspy/server.h>

#include "process_maps.h"

struct gcs_tiles;

/* The heap's tiles follow the granules from then on; NULL with the reason in `err`. */
struct gcs_tiles *heap_map_add(struct gcs_server *server, struct gcs_error *err);
void heap_map_fill(struct gcs_snapshot *snapshot);

/* The mappings have been read: where the heap can be. */
void heap_map_set_mappings(const struct process_maps *maps);

/* Makes *start .. *end - 1 its first part that is mapped as the heap can be. False if there is none. */
bool heap_map_clip(uint64_t *start, uint64_t *end);

enum gcs_status size_classes_add(struct gcs_server *server, struct gcs_error *err);
void size_classes_fill(struct gcs_snapshot *snapshot);

enum gcs_status gaps_add(struct gcs_server *server, struct gcs_error *err);
void gaps_fill(struct gcs_snapshot *snapshot);

/* Only if the allocator is glibc's. Not those whose mappings have not been set yet. */
enum gcs_status arenas_add(struct gcs_server *server, struct gcs_error *err);
/* Before heap_map_set_mappings: makes the arenas' granules known, to which that gives their mapped bytes. */
void arenas_set_mappings(const struct process_maps *maps);
void arenas_fill(struct gcs_snapshot *snapshot);

enum gcs_status mappings_add(struct gcs_server *server, struct gcs_error *err);
/* The snapshot does not go on from one that had them. */
bool mappings_are_missing(const struct gcs_snapshot *snapshot);
void mappings_fill(struct gcs_snapshot *snapshot, const struct process_maps *maps);

#endif
