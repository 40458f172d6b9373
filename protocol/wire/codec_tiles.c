/* The tiles of a call site as bytes; docs/protocol.md, section 10. */

#include <gcspy/memory.h>

#include "arena.h"
#include "bytes.h"
#include "profile_tables.h"
#include "text.h"
#include "site_tiles.h"

enum { VERSION = 1, SUPPLEMENT = 1 };

/* Least size of a tile, to check counts before memory is allocated. */
enum { LEAST_TILE = 6 };

/* The struct with its memory. */
struct owned {
	struct gcs_site_tiles tiles;
	struct arena arena;
};

static void put_tile(struct wr *w, const struct gcs_site_tile *t, uint64_t before)
{
	wr_varint(w, t->low - before);
	wr_varint(w, t->high - t->low);
	wr_varint(w, text_rounded(t->bytes));
	wr_varint(w, t->samples);
	wr_varint(w, t->approximate);
	wr_text(w, t->type);
}

static void put_supplement(struct wr *w, const struct gcs_site_tiles *t)
{
	if (!t->errors_known)
		return;
	wr_u8(w, SUPPLEMENT);
	wr_double(w, t->variance);
	wr_double(w, t->placed_variance);
	for (uint32_t i = 0; i < t->count; i++)
		wr_double(w, t->tiles[i].variance);
}

enum gcs_status gcs_site_tiles_encode(
    const struct gcs_site_tiles *tiles, void **bytes, size_t *length, struct gcs_error *err)
{
	struct wr w;
	uint64_t before = 0;
	wr_init(&w, GCS_MAX_ANSWER);
	wr_u8(&w, VERSION);
	wr_varint(&w, tiles->site);
	wr_text(&w, tiles->as_of);
	wr_varint(&w, text_rounded(tiles->bytes));
	wr_varint(&w, tiles->samples);
	wr_varint(&w, text_rounded(tiles->placed_bytes));
	wr_varint(&w, tiles->placed);
	wr_varint(&w, tiles->approximate);
	wr_varint(&w, tiles->count);
	for (uint32_t i = 0; i < tiles->count; i++) {
		put_tile(&w, &tiles->tiles[i], before);
		before = tiles->tiles[i].low;
	}
	put_supplement(&w, tiles);
	const enum gcs_status status = w.status;
	if (status != GCS_OK) {
		wr_fini(&w);
		return gcs_fail(err, status, "the tiles of a call site cannot be sent: %s",
		    gcs_status_text(status));
	}
	*bytes = w.data;
	*length = w.length;
	return GCS_OK;
}

/* An estimate, limited so that it can be encoded again after rounding to a double. */
static double get_bytes(struct rd *r)
{
	const double bytes = (double)rd_varint(r);
	if (bytes >= 0x1p62)
		rd_fail(r, GCS_LIMIT);
	return r->status == GCS_OK ? bytes : 0;
}

static void get_head(struct rd *r, struct owned *o)
{
	struct gcs_site_tiles *t = &o->tiles;
	if (rd_u8(r) != VERSION)
		rd_fail(r, GCS_VERSION);
	t->site = rd_varint(r);
	t->as_of = arena_read_text(&o->arena, r, GCS_MAX_TEXT);
	t->bytes = get_bytes(r);
	t->samples = rd_count(r, UINT32_MAX);
	t->placed_bytes = get_bytes(r);
	t->placed = rd_count(r, t->samples);
	t->approximate = rd_count(r, t->placed);
	t->count = rd_count(r, t->placed);
	if (r->status == GCS_OK && t->count > rd_left(r) / LEAST_TILE)
		rd_fail(r, GCS_TRUNCATED);
}

/* Tiles are in the order of addresses, without duplicates. */
static void get_tile(struct rd *r, struct owned *o, uint32_t i)
{
	struct gcs_site_tile *t = &o->tiles.tiles[i];
	const uint64_t before = i == 0 ? 0 : t[-1].low;
	const uint64_t step = rd_varint(r);
	t->low = before + step;
	const uint64_t size = rd_varint(r);
	t->high = t->low + size;
	t->bytes = get_bytes(r);
	t->samples = rd_count(r, o->tiles.placed);
	t->approximate = rd_count(r, t->samples);
	t->type = arena_read_text(&o->arena, r, GCS_MAX_TEXT);
	if ((i != 0 && step == 0) || t->low < before || t->high <= t->low)
		rd_fail(r, GCS_MALFORMED);
}

static double get_variance(struct rd *r)
{
	const double variance = rd_double(r);
	if (profile_is_estimate(variance))
		return variance;
	rd_fail(r, GCS_MALFORMED);
	return 0;
}

/* Unless it is there and known, what follows is ignored. */
static void get_supplement(struct rd *r, struct gcs_site_tiles *t)
{
	t->errors_known = rd_left(r) != 0 && rd_u8(r) == SUPPLEMENT;
	if (!t->errors_known)
		return;
	t->variance = get_variance(r);
	t->placed_variance = get_variance(r);
	for (uint32_t i = 0; r->status == GCS_OK && i < t->count; i++)
		t->tiles[i].variance = get_variance(r);
}

struct gcs_site_tiles *gcs_site_tiles_decode(
    const void *bytes, size_t length, struct gcs_error *err)
{
	struct rd r = rd_over(bytes, length);
	struct owned *o = gcs_zalloc(sizeof *o);
	if (o == NULL)
		rd_fail(&r, GCS_NOMEM);
	else
		get_head(&r, o);
	if (r.status == GCS_OK && o->tiles.count != 0) {
		o->tiles.tiles = arena_alloc(&o->arena, o->tiles.count, sizeof o->tiles.tiles[0]);
		if (o->tiles.tiles == NULL)
			rd_fail(&r, GCS_NOMEM);
	}
	for (uint32_t i = 0; r.status == GCS_OK && i < o->tiles.count; i++)
		get_tile(&r, o, i);
	if (r.status == GCS_OK)
		get_supplement(&r, &o->tiles);
	if (r.status == GCS_OK)
		return &o->tiles;
	if (o != NULL)
		gcs_site_tiles_free(&o->tiles);
	gcs_fail(err, r.status, "the tiles of a call site cannot be read: %s",
	    gcs_status_text(r.status));
	return NULL;
}

void gcs_site_tiles_free(struct gcs_site_tiles *tiles)
{
	struct owned *o = (struct owned *)(void *)tiles; /* its first member */
	if (o == NULL)
		return;
	arena_fini(&o->arena);
	gcs_free(o);
}
