/* The single drivers, for dl_spaces.c. */
#ifndef DL_DRIVERS_H
#define DL_DRIVERS_H

#include "dl_spaces.h"

/* The heap by addresses. */
struct heap_space;
struct heap_space *heap_space_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t block, struct gcs_error *err);
struct gcs_tiles *heap_space_tiles(const struct heap_space *heap);
void heap_space_prepare(struct heap_space *heap);
void heap_space_fill(struct heap_space *heap, struct gcs_snapshot *snapshot);
void heap_space_read_zoom(struct heap_space *heap, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values);
void heap_space_destroy(struct heap_space *heap);

/* A bin. NULL with GCS_OK in `err` for a bin that no chunk can be in. */
struct bin_space;
struct bin_space *bin_space_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t bin, struct gcs_error *err);
struct gcs_tiles *bin_space_tiles(const struct bin_space *space);
/* The bin has changed: its tiles follow it. */
void bin_space_prepare(struct bin_space *space);
void bin_space_fill(struct bin_space *space, struct gcs_snapshot *snapshot);
void bin_space_destroy(struct bin_space *space);

/* Mspaces; dv and top; parked chunks. */
struct summary_spaces {
	const struct dlmalloc_inside *inside;
	uint32_t mspaces, ends, parked; /* ids */
};
enum gcs_status summary_spaces_add(struct summary_spaces *s, struct gcs_server *server,
    const struct dlmalloc_inside *inside, uint32_t group, struct gcs_error *err);
void summary_spaces_fill(struct summary_spaces *s, struct gcs_snapshot *snapshot);

#endif
