/*
 * Where the live objects of a call site lie: the answer to the query "tiles" (row S8;
 * docs/protocol.md, section 10).
 */
#ifndef GCSPY_WIRE_TILES_H
#define GCSPY_WIRE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/model.h>

GCS_BEGIN_DECLS

/* What a tile of the heap has of the site. */
struct gcs_site_tile {
	uint64_t low, high; /* addresses, half open */
	double bytes;       /* estimate */
	uint32_t samples;
	uint32_t approximate; /* of them, whose address may have changed since it was known */
	const char *type;     /* of the region, as the heap map shows it */
};

struct gcs_tiles {
	uint64_t site;     /* gcs_site_number */
	const char *as_of; /* for people: what "live" means, and how many samples have a position */
	double bytes;      /* of all live samples of the site; estimate */
	uint32_t samples;
	double placed_bytes; /* of those whose address is known */
	uint32_t placed;
	uint32_t approximate;
	uint32_t count;
	struct gcs_site_tile *tiles; /* by address, each once */
};

/* The body of the answer; `*bytes` is the caller's, to be given to gcs_free. NOMEM, or LIMIT. */
GCS_API enum gcs_status gcs_tiles_encode(
    const struct gcs_tiles *tiles, void **bytes, size_t *length, struct gcs_error *err);

/* What such a body says, or NULL with the reason. Total: any bytes are safe. */
GCS_API struct gcs_tiles *gcs_tiles_decode(const void *bytes, size_t length, struct gcs_error *err);

/* Of gcs_tiles_decode; NULL is fine. */
GCS_API void gcs_tiles_free(struct gcs_tiles *tiles);

GCS_END_DECLS

#endif
