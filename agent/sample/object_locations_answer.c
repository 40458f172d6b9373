/* Answers to queries: profiles of a part of the heap, and the tiles of a call site. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "heap_filter.h"
#include "object_locations_internal.h"
#include "sites.h"
#include "thread.h"
#include "site_tiles.h"

/* Maximum wait of a query for a collection to end, and attempts if another one has intervened. */
enum { TIMEOUT_MS = 2000, STEP_MS = 5, ATTEMPTS = 5 };

/* A tracked sample. */
struct item {
	struct heap_location location;
	uint64_t address;
	bool placed, exact;
	bool taken;
};

/* A query in progress. */
struct lookup {
	struct object_locations *p;
	struct heap_filter filter;
	struct item *items;
	uint32_t count;
	bool all;  /* also select samples without an address */
	bool last; /* the last attempt: its result counts even if objects moved meanwhile */
	bool unsettled;
	int waited_ms;
	uint32_t placed, approximate;
	char note[400];
};

/* Regions are captured after the addresses: by then the region of an object has its type. */
static void locate_all(struct lookup *l, const uint64_t *addresses)
{
	struct object_locations *p = l->p;
	l->placed = l->approximate = 0;
	heap_capture_off_pause(p->driver, p->heap, p->raw);
	for (uint32_t i = 0; i < l->count; i++) {
		struct item *item = &l->items[i];
		if (addresses[i] == 0 ||
		    !p->driver->locate(p->heap, p->raw, addresses[i], &item->location))
			continue;
		item->placed = true;
		item->address = addresses[i];
		item->exact = item->exact && !item->location.moving;
		item->taken = heap_filter_matches(&l->filter, addresses[i], &item->location);
		l->placed++;
		l->approximate += !item->exact;
	}
}

static void write_note(struct lookup *l)
{
	int used = snprintf(l->note, sizeof l->note,
	    "%" PRIu32 " of %" PRIu32 " tracked samples have a position", l->placed, l->count);
	if (l->unsettled)
		snprintf(l->note + used, sizeof l->note - (size_t)used,
		    ", all approximate: a collection is moving objects");
	else if (l->approximate != 0)
		snprintf(l->note + used, sizeof l->note - (size_t)used,
		    ", %" PRIu32 " of them approximate: as of before the relocation in progress",
		    l->approximate);
}

/* Under the lock, which keeps the references. False: try again, or out of memory. */
static bool begin(struct sample_choice *choice, const struct tracked *live, uint32_t count)
{
	struct lookup *l = choice->context;
	const uint32_t epoch = object_locations_epoch(l->p);
	uint64_t *addresses = gcs_alloc((count + (size_t)1) * sizeof *addresses);
	gcs_free(l->items);
	l->items = gcs_zalloc((count + (size_t)1) * sizeof *l->items);
	l->count = count;
	if (addresses == NULL || l->items == NULL) {
		gcs_free(addresses);
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct vm_position position = sampler_position(l->p->sampler, &live[i]);
		addresses[i] = position.address;
		l->items[i].exact = position.exact;
	}
	locate_all(l, addresses);
	gcs_free(addresses);
	l->unsettled = !l->p->concurrent && !object_locations_settled(l->p, epoch);
	write_note(l);
	choice->again = l->unsettled && !l->last;
	return !choice->again;
}

static bool takes(const struct sample_choice *choice, uint32_t i)
{
	const struct lookup *l = choice->context;
	return l->all || l->items[i].taken;
}

static const char *locate(
    const struct sample_choice *choice, uint32_t i, struct gcs_profile_entry *entry)
{
	const struct item *item = &((const struct lookup *)choice->context)->items[i];
	if (!item->placed)
		return NULL;
	entry->address = item->address;
	entry->approximate = !item->exact;
	return item->location.region != NULL ? item->location.region : item->location.type;
}

/* Waits until objects do not move, which they do not while a client holds the program in a callback
 * either. False after the timeout. */
static bool wait_for_stable(struct lookup *l)
{
	for (; (object_locations_epoch(l->p) & 1) != 0; l->waited_ms += STEP_MS) {
		if (l->waited_ms >= TIMEOUT_MS)
			return false;
		thread_sleep_us(1000 * STEP_MS);
	}
	return true;
}

static enum gcs_status check_driver(const struct object_locations *p, struct gcs_error *err)
{
	if (p->driver == NULL)
		return gcs_fail(err, GCS_UNSUPPORTED, "no heap map is available for this JVM");
	return GCS_OK;
}

static enum gcs_status check(const struct object_locations *p, struct gcs_error *err)
{
	if (check_driver(p, err) != GCS_OK)
		return err->status;
	if (!vm_has(p->vm, VM_WEAK_POSITIONS))
		return gcs_fail(err, GCS_UNSUPPORTED, "addresses of sampled objects: %s",
		    vm_why(p->vm, VM_WEAK_POSITIONS));
	return GCS_OK;
}

static struct gcs_profile *look_up(struct lookup *l, uint64_t min_size, struct gcs_error *err)
{
	struct gcs_profile *profile = NULL;
	struct sample_choice choice = {.begin = begin,
	    .takes = takes,
	    .locate = locate,
	    .min_size = min_size,
	    .context = l,
	    .note = l->note};
	for (int i = 1; i == 1 || choice.again; i++) {
		l->last = !wait_for_stable(l) || i == ATTEMPTS;
		choice.again = false;
		profile = sampler_profile(l->p->sampler, GCS_PROFILE_LIVE, &choice, err);
	}
	return profile;
}

static bool takes_place(const struct sample_choice *choice, const struct heap_birthplace *place)
{
	const struct lookup *l = choice->context;
	if (place == NULL)
		return false;
	const struct heap_location location = {.type = place->type, .parts = place->parts};
	return heap_filter_matches(&l->filter, 0, &location);
}

static void write_limits(struct lookup *l, const struct profile_query *query)
{
	char size[40];
	int used = 0;
	if (query->where != NULL)
		used = snprintf(l->note, sizeof l->note,
		    "selected by the region where objects were allocated: where they were later "
		    "is not known");
	const uint64_t least = site_range(query->min_size);
	if (query->kind != GCS_PROFILE_ALLOCATED || query->min_size == 0)
		return;
	gcs_format_number(
	    size, sizeof size, least == 0 ? 0 : (int64_t)((uint64_t)1 << least), GCS_BYTES);
	snprintf(l->note + used, sizeof l->note - (size_t)used,
	    "%sobjects of at least %s: totals have sizes by powers of two, from 1 KiB on",
	    used == 0 ? "" : "; ", size);
}

/* Everything but live samples. */
static struct gcs_profile *by_birthplace(
    struct lookup *l, const struct profile_query *query, struct gcs_error *err)
{
	struct sample_choice choice = {.takes_place = query->where == NULL ? NULL : takes_place,
	    .min_size = query->min_size,
	    .context = l,
	    .note = l->note};
	if (l->filter.kind == FILTER_TILE || l->filter.kind == FILTER_RANGE) {
		gcs_fail(err, GCS_ARGUMENT,
		    "where=%.60s with kind=%s: only live objects have an address", query->where,
		    gcs_profile_kind_word(query->kind));
		return NULL;
	}
	write_limits(l, query);
	return sampler_profile(l->p->sampler, query->kind, &choice, err);
}

struct gcs_profile *object_locations_profile(
    struct object_locations *p, const struct profile_query *query, struct gcs_error *err)
{
	struct lookup l = {.p = p, .all = query->where == NULL};
	const bool live = query->kind == GCS_PROFILE_LIVE;
	struct gcs_error ignored;
	if (query->where != NULL) {
		if ((live ? check : check_driver)(p, err) != GCS_OK)
			return NULL;
		const struct heap_names names = heap_names_of(p->driver, p->vm);
		if (heap_filter_parse(query->where, &names, &l.filter, err) != GCS_OK)
			return NULL;
	}
	if (!live || check(p, &ignored) != GCS_OK)
		return by_birthplace(&l, query, err);
	struct gcs_profile *profile = look_up(&l, query->min_size, err);
	gcs_free(l.items);
	return profile;
}

/* The site's samples, by tile. */

static int by_address(const void *left, const void *right)
{
	const struct gcs_site_tile *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* Merges neighbours with the same range; returns how many are left. */
static uint32_t merge(struct gcs_site_tile *tiles, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct gcs_site_tile *last = kept == 0 ? NULL : &tiles[kept - 1];
		if (last == NULL || last->low != tiles[i].low) {
			tiles[kept++] = tiles[i];
			continue;
		}
		last->bytes = gcs_site_tile_sum(
		    last->bytes, tiles[i].bytes, UINT64_MAX, last->high - last->low);
		last->variance += tiles[i].variance;
		last->samples += tiles[i].samples;
		last->approximate += tiles[i].approximate;
	}
	return kept;
}

/* Adds one sample of the site. The i-th entry of the profile is the i-th tracked sample, because all
 * were selected. */
static void add_sample(struct gcs_site_tiles *t, struct gcs_site_tile *tiles,
    const struct gcs_profile_entry *e, const struct item *item)
{
	t->bytes += e->bytes;
	t->variance += e->bytes_variance;
	t->samples++;
	if (!item->placed)
		return;
	t->placed_bytes += e->bytes;
	t->placed_variance += e->bytes_variance;
	t->placed++;
	t->approximate += !item->exact;
	tiles[t->count++] = (struct gcs_site_tile){
	    .low = item->location.low,
	    .high = item->location.high,
	    .type = item->location.type,
	    .bytes =
		gcs_site_tile_sum(0, e->bytes, e->size, item->location.high - item->location.low),
	    .variance = e->bytes_variance,
	    .samples = 1,
	    .approximate = !item->exact,
	};
}

static enum gcs_status gather(const struct lookup *l, const struct gcs_profile *profile,
    uint64_t site, void **bytes, size_t *length, struct gcs_error *err)
{
	const uint32_t count = gcs_profile_entry_count(profile);
	uint64_t *shown = gcs_alloc((count + (size_t)1) * 2 * sizeof *shown);
	struct gcs_site_tile *tiles = gcs_alloc((count + (size_t)1) * sizeof *tiles);
	struct gcs_site_tiles t = {
	    .site = site, .as_of = gcs_profile_head(profile)->as_of, .errors_known = true};
	enum gcs_status status = GCS_OK;
	if (shown == NULL || tiles == NULL || !gcs_profile_site_numbers(profile, false, shown) ||
	    !gcs_profile_site_numbers(profile, true, shown + count))
		status = gcs_fail(err, GCS_NOMEM, "no memory for the tiles of a call site");
	/* New samples are not known to be alive. */
	for (uint32_t i = 0; status == GCS_OK && i < count; i++)
		if ((shown[i] == site || shown[count + i] == site) &&
		    gcs_profile_entry(profile, i)->age != 0)
			add_sample(&t, tiles, gcs_profile_entry(profile, i), &l->items[i]);
	if (status == GCS_OK && t.samples == 0)
		status = gcs_fail(err, GCS_ARGUMENT,
		    "no live sample has the call site %012" PRIx64 "; `gcspy sites` lists the "
		    "call sites",
		    site);
	if (status == GCS_OK) {
		if (t.count != 0)
			qsort(tiles, t.count, sizeof *tiles, by_address);
		t.count = merge(tiles, t.count);
		t.tiles = tiles;
		status = gcs_site_tiles_encode(&t, bytes, length, err);
	}
	gcs_free(shown);
	gcs_free(tiles);
	return status;
}

enum gcs_status object_locations_tiles(struct object_locations *p, const char *text, void **bytes,
    size_t *length, struct gcs_error *err)
{
	struct lookup l = {.p = p, .all = true};
	uint64_t site;
	if (check(p, err) != GCS_OK)
		return err->status;
	if (!gcs_site_number_parse(text, &site))
		return gcs_fail(err, GCS_ARGUMENT,
		    "site=%.40s: expected 12 hexadecimal digits, as `gcspy sites` shows them",
		    text);
	struct gcs_profile *profile = look_up(&l, 0, err);
	enum gcs_status status =
	    profile == NULL ? err->status : gather(&l, profile, site, bytes, length, err);
	gcs_profile_free(profile);
	gcs_free(l.items);
	return status;
}
