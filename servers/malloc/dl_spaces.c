/* RTLD_DEFAULT. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "dl_spaces.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "dl_drivers.h"

static const struct dlmalloc_inside *inside;
static struct bin_space *bins[DLMALLOC_BINS]; /* NULL: no chunk can be in this bin */
static struct summary_spaces summaries;
static bool known; /* all bins have been walked once */

bool dl_inside_find(char *why, size_t why_bytes)
{
	const struct dlmalloc_inside *const *table;
	void *symbol = dlsym(RTLD_DEFAULT, DLMALLOC_INSIDE_SYMBOL);
	memcpy(&table, &symbol, sizeof table);
	if (table == NULL)
		return true;
	if ((*table)->version != DLMALLOC_INSIDE_VERSION ||
	    (*table)->bytes != sizeof(struct dlmalloc_inside)) {
		snprintf(why, why_bytes,
		    "libgcspydlmalloc.so has version %u of its table instead of %u: its bins are "
		    "not shown",
		    (unsigned)(*table)->version, DLMALLOC_INSIDE_VERSION);
		return false;
	}
	inside = *table;
	return true;
}

const struct dlmalloc_inside *dl_inside(void)
{
	return inside;
}

static bool add_bins(struct gcs_server *server, uint32_t group, const char *name, uint32_t first,
    uint32_t count, struct gcs_error *err)
{
	uint32_t id;
	const struct gcs_group described = {.name = name, .parent = group};
	if (gcs_server_add_group(server, &described, &id, err) != GCS_OK)
		return false;
	for (uint32_t i = first; i < first + count; i++) {
		bins[i] = bin_space_add(server, inside, id, i, err);
		if (bins[i] == NULL && err->status != GCS_OK)
			return false;
	}
	return true;
}

bool dl_spaces_add(struct gcs_server *server, struct gcs_error *err)
{
	static const struct gcs_group described = {.name = "dlmalloc", .parent = GCS_NONE};
	uint32_t group;
	if (inside == NULL)
		return true;
	return gcs_server_add_group(server, &described, &group, err) == GCS_OK &&
	       add_bins(server, group, "Smallbins", 0, DLMALLOC_SMALL_BINS, err) &&
	       add_bins(server, group, "Treebins", DLMALLOC_SMALL_BINS, DLMALLOC_TREE_BINS, err) &&
	       summary_spaces_add(&summaries, server, inside, group, err) == GCS_OK;
}

uint32_t dl_spaces_tiles(struct gcs_tiles *tiles[DL_SPACES_TILES])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (bins[i] != NULL)
			tiles[count++] = bin_space_tiles(bins[i]);
	return count;
}

void dl_spaces_prepare(void)
{
	const uint64_t dirty = inside == NULL ? 0 : inside->take_dirty();
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (bins[i] != NULL && (!known || (dirty >> i & 1) != 0))
			bin_space_prepare(bins[i]);
	known = true;
}

void dl_spaces_fill(struct gcs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < DLMALLOC_BINS; i++)
		if (bins[i] != NULL)
			bin_space_fill(bins[i], snapshot);
	if (inside != NULL)
		summary_spaces_fill(&summaries, snapshot);
}
