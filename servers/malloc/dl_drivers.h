/* The single drivers, for dl_spaces.c. */
#ifndef GCSPYMALLOC_DL_DRIVERS_H
#define GCSPYMALLOC_DL_DRIVERS_H

#include "dl_spaces.h"

/* A bin. NULL with GCS_OK in `err` for a bin that no chunk can be in. */
struct bin_space;
struct bin_space *bin_space_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t bin, struct gcs_error *err);
struct gcs_tiles *bin_space_tiles(const struct bin_space *space);
/* The bin has changed: its tiles follow it. */
void bin_space_prepare(struct bin_space *space);
void bin_space_fill(struct bin_space *space, struct gcs_snapshot *snapshot);

/* Mspaces; dv and top; parked chunks. */
struct summary_spaces {
	const struct dlmalloc_inside *inside;
	uint32_t mspaces, ends, parked; /* ids */
};
enum gcs_status summary_spaces_add(struct summary_spaces *s, struct gcs_server *server,
    const struct dlmalloc_inside *inside, uint32_t group, struct gcs_error *err);
void summary_spaces_fill(struct summary_spaces *s, struct gcs_snapshot *snapshot);

#endif
