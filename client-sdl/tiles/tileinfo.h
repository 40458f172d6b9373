/*
 * All data about one tile, as rows of label and value, for tooltip, panel, copying and dump.
 */
#ifndef GCSPY_CLIENT_TILEINFO_H
#define GCSPY_CLIENT_TILEINFO_H

#include <gcspy/snapshot.h>

struct info_row {
	char label[256];
	char value[256];
	uint32_t stream; /* the stream that it shows, or GCS_NONE */
};

#define TILEINFO_ROWS (GCS_MAX_STREAMS + 32)

/* Fills rows and returns how many; the first one's label is the tile's name. 0: no such tile. */
uint32_t tileinfo_rows(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t tile,
    struct info_row rows[TILEINFO_ROWS]);

#endif
