#include "dl_spaces.h"

#include <gcspy/memory.h>

#include "dl_drivers.h"

struct dl_spaces {
	const struct dlmalloc_inside *inside;
	struct heap_space *heap;
	struct bin_space *bins[DLMALLOC_BINS]; /* NULL: no chunk can be in this bin */
	struct summary_spaces summaries;
	bool known; /* all bins have been walked once */
};

static bool add_bins(struct dl_spaces *d, struct gcs_server *server, uint32_t group,
    const char *name, uint32_t first, uint32_t count, struct gcs_error *err)
{
	uint32_t id;
	const struct gcs_group bins = {.name = name, .parent = group};
	if (gcs_server_add_group(server, &bins, &id, err) != GCS_OK)
		return false;
	for (uint32_t i = first; i < first + count; i++) {
		d->bins[i] = bin_space_add(server, d->inside, id, i, err);
		if (d->bins[i] == NULL && err->status != GCS_OK)
			return false;
	}
	return true;
}

struct dl_spaces *dl_spaces_add(struct gcs_server *server, const struct dlmalloc_inside *inside,
    uint32_t group, uint32_t block, struct gcs_error *err)
{
	struct dl_spaces *d = gcs_zalloc(sizeof *d);
	if (d == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for dlmalloc's spaces");
		return NULL;
	}
	d->inside = inside;
	d->heap = heap_space_add(server, inside, group, block, err);
	if (d->heap != NULL &&
	    add_bins(d, server, group, "Smallbins", 0, DLMALLOC_SMALL_BINS, err) &&
	    add_bins(d, server, group, "Treebins", DLMALLOC_SMALL_BINS, DLMALLOC_TREE_BINS, err) &&
	    summary_spaces_add(&d->summaries, server, inside, group, err) == GCS_OK)
		return d;
	dl_spaces_destroy(d);
	return NULL;
}

uint32_t dl_spaces_tiles(const struct dl_spaces *d, struct gcs_tiles *tiles[DL_SPACES_TILES])
{
	uint32_t count = 0;
	tiles[count++] = heap_space_tiles(d->heap);
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (d->bins[i] != NULL)
			tiles[count++] = bin_space_tiles(d->bins[i]);
	return count;
}

void dl_spaces_prepare(struct dl_spaces *d)
{
	const uint64_t dirty = d->inside->take_dirty();
	heap_space_prepare(d->heap);
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (d->bins[i] != NULL && (!d->known || (dirty >> i & 1) != 0))
			bin_space_prepare(d->bins[i]);
	d->known = true;
}

void dl_spaces_fill(struct dl_spaces *d, struct gcs_snapshot *snapshot)
{
	heap_space_fill(d->heap, snapshot);
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (d->bins[i] != NULL)
			bin_space_fill(d->bins[i], snapshot);
	summary_spaces_fill(&d->summaries, snapshot);
}

void dl_spaces_read_zoom(struct dl_spaces *d, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values)
{
	heap_space_read_zoom(d->heap, space, stream, blocks, count, values);
}

void dl_spaces_destroy(struct dl_spaces *d)
{
	if (d == NULL)
		return;
	heap_space_destroy(d->heap);
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		bin_space_destroy(d->bins[i]);
	gcs_free(d);
}
