/* The location of a call site's live objects in the heap: the answer to the query "tiles" (S8;
 * docs/protocol.md, section 10). */
#ifndef GCSPY_WIRE_SITE_TILES_H
#define GCSPY_WIRE_SITE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/model.h>

GCS_BEGIN_DECLS

/* The live objects of the site in one tile of the heap. */
struct gcs_site_tile {
	uint64_t low, high; /* addresses, half open */
	double bytes;       /* estimate, as gcs_site_tile_sum makes it */
	double variance;    /* of it */
	uint32_t samples;
	uint32_t approximate; /* of these, samples whose address may be stale */
	const char *type;     /* of the region, as the heap map shows it */
};

/* The estimate for a tile with one more object. No more can be in a tile than fits into it: samples
 * say otherwise where sampled objects lie close together, as Shenandoah and ZGC copy first what
 * references from outside the heap lead to, weak ones among them. An object that is larger than its
 * tile counts where it begins. */
static inline double gcs_site_tile_sum(double sum, double object, uint64_t size, uint64_t range)
{
	const double fits = (double)range;
	if (object > fits && size <= range)
		object = fits;
	const double larger = sum > object ? sum : object;
	const double most = larger > fits ? larger : fits;
	return sum + object < most ? sum + object : most;
}

struct gcs_site_tiles {
	uint64_t site;     /* gcs_site_number */
	const char *as_of; /* text: what "live" means, and how many samples have a position */
	double bytes;      /* estimate for all live samples of the site */
	double variance;
	uint32_t samples;
	double placed_bytes; /* estimate for those with a known address */
	double placed_variance;
	uint32_t placed;
	uint32_t approximate;
	bool errors_known; /* else all variances are 0: from an older server */
	uint32_t count;
	struct gcs_site_tile *tiles; /* by address, without duplicates */
};

/* Encodes the body of the answer; the caller gives `*bytes` to gcs_free. OK, NOMEM or LIMIT. */
GCS_API enum gcs_status gcs_site_tiles_encode(
    const struct gcs_site_tiles *tiles, void **bytes, size_t *length, struct gcs_error *err);

/* Decodes a body; NULL with the reason in `err`. Safe for any bytes. */
GCS_API struct gcs_site_tiles *gcs_site_tiles_decode(
    const void *bytes, size_t length, struct gcs_error *err);

/* Frees the result of gcs_site_tiles_decode. NULL has no effect. */
GCS_API void gcs_site_tiles_free(struct gcs_site_tiles *tiles);

GCS_END_DECLS

#endif
