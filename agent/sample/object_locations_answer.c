/* What clients are told of positions: profiles of a part of the heap, and the tiles of a site. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "heap_filter.h"
#include "object_locations_internal.h"
#include "sites.h"
#include "thread.h"
#include "tiles.h"
#include "vm_weak.h"

/* A question waits so long for a collection to end, and begins anew so often when one has come in
 * between. */
enum { PATIENCE_MS = 2000, STEP_MS = 5, ATTEMPTS = 5 };

/* A watched sample at the moment of the question. */
struct item {
	struct heap_place place;
	bool placed, exact;
	bool taken;
};

/* One question under way. */
struct look {
	struct object_locations *p;
	struct where where;
	struct item *items;
	uint32_t count;
	bool all;  /* also samples without a position are taken */
	bool last; /* the last attempt: what is read counts, also if objects moved meanwhile */
	bool unsettled;
	int waited_ms;
	uint32_t placed, approximate;
	char note[200];
};

static void look_at_heap(struct object_locations *p)
{
	(p->driver->look != NULL ? p->driver->look : p->driver->capture)(p->heap, p->raw);
}

/* The types of regions are read behind the positions: a region that has an object by then is what
 * it is for it. */
static void place_all(struct look *l, const uint64_t *addresses)
{
	struct object_locations *p = l->p;
	l->placed = l->approximate = 0;
	look_at_heap(p);
	for (uint32_t i = 0; i < l->count; i++) {
		struct item *item = &l->items[i];
		if (addresses[i] == 0 ||
		    !p->driver->place(p->heap, p->raw, addresses[i], &item->place))
			continue;
		item->placed = true;
		item->exact = item->exact && !item->place.moving;
		item->taken = where_holds(&l->where, addresses[i], &item->place);
		l->placed++;
		l->approximate += !item->exact;
	}
}

static void write_note(struct look *l)
{
	int used = snprintf(l->note, sizeof l->note,
	    "%" PRIu32 " of %" PRIu32 " watched samples have a position", l->placed, l->count);
	if (l->unsettled)
		snprintf(l->note + used, sizeof l->note - (size_t)used,
		    ", all approximate: a collection moves objects");
	else if (l->approximate != 0)
		snprintf(l->note + used, sizeof l->note - (size_t)used,
		    ", %" PRIu32 " of them approximate: as of before a relocation that goes on",
		    l->approximate);
}

/* Lock held: the references cannot go. False: to be tried again, or without memory. */
static bool begin(struct sample_choice *choice, const struct tracked *live, uint32_t count)
{
	struct look *l = choice->context;
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
		const struct vm_position position = vm_weak_position(l->p->vm, live[i].weak);
		addresses[i] = position.address;
		l->items[i].exact = position.exact;
	}
	place_all(l, addresses);
	gcs_free(addresses);
	l->unsettled =
	    !l->p->concurrent && ((epoch & 1) != 0 || object_locations_epoch(l->p) != epoch);
	write_note(l);
	choice->again = l->unsettled && !l->last;
	return !choice->again;
}

static bool takes(const struct sample_choice *choice, uint32_t i)
{
	const struct look *l = choice->context;
	return l->all || l->items[i].taken;
}

/* While the program stands in one of our callbacks, objects do not move either. False when the
 * question has waited long enough. */
static bool wait_for_stillness(struct look *l)
{
	for (; (object_locations_epoch(l->p) & 1) != 0; l->waited_ms += STEP_MS) {
		if (l->waited_ms >= PATIENCE_MS)
			return false;
		thread_sleep_us(1000 * STEP_MS);
	}
	return true;
}

static enum gcs_status check(const struct object_locations *p, struct gcs_error *err)
{
	if (p->driver == NULL)
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "there is no map of this JVM's heap, so that nothing has a place in it");
	if (!vm_has(p->vm, VM_WEAK_POSITIONS))
		return gcs_fail(err, GCS_UNSUPPORTED, "addresses of sampled objects: %s",
		    vm_why(p->vm, VM_WEAK_POSITIONS));
	return GCS_OK;
}

static struct gcs_profile *look_for(struct look *l, struct gcs_error *err)
{
	struct gcs_profile *profile = NULL;
	struct sample_choice choice = {
	    .begin = begin, .takes = takes, .context = l, .note = l->note};
	for (int i = 1; i == 1 || choice.again; i++) {
		l->last = !wait_for_stillness(l) || i == ATTEMPTS;
		choice.again = false;
		profile = sampler_profile(l->p->sampler, GCS_PROFILE_LIVE, &choice, err);
	}
	return profile;
}

struct gcs_profile *object_locations_profile(
    struct object_locations *p, const char *where, struct gcs_error *err)
{
	struct look l = {.p = p};
	struct heap_words words;
	if (check(p, err) != GCS_OK)
		return NULL;
	p->driver->words(p->heap, &words);
	if (where_parse(where, &words, &l.where, err) != GCS_OK)
		return NULL;
	struct gcs_profile *profile = look_for(&l, err);
	gcs_free(l.items);
	return profile;
}

/* The site's samples, by tile. */

static int by_address(const void *left, const void *right)
{
	const struct gcs_site_tile *a = left, *b = right;
	return a->low < b->low ? -1 : a->low > b->low;
}

/* Puts neighbours with one range together; returns how many are left. */
static uint32_t merge(struct gcs_site_tile *tiles, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct gcs_site_tile *last = kept == 0 ? NULL : &tiles[kept - 1];
		if (last == NULL || last->low != tiles[i].low) {
			tiles[kept++] = tiles[i];
			continue;
		}
		last->bytes += tiles[i].bytes;
		last->samples += tiles[i].samples;
		last->approximate += tiles[i].approximate;
	}
	return kept;
}

/* One sample of the site: the i-th entry of the profile is the i-th watched sample, because all
 * were taken. */
static void add_sample(struct gcs_tiles *t, struct gcs_site_tile *tiles,
    const struct gcs_profile_entry *e, const struct item *item)
{
	t->bytes += e->bytes;
	t->samples++;
	if (!item->placed)
		return;
	t->placed_bytes += e->bytes;
	t->placed++;
	t->approximate += !item->exact;
	tiles[t->count++] = (struct gcs_site_tile){
	    .low = item->place.low,
	    .high = item->place.high,
	    .type = item->place.type,
	    .bytes = e->bytes,
	    .samples = 1,
	    .approximate = !item->exact,
	};
}

static enum gcs_status gather(const struct look *l, const struct gcs_profile *profile,
    uint64_t site, void **bytes, size_t *length, struct gcs_error *err)
{
	const uint32_t count = gcs_profile_entry_count(profile);
	uint64_t *shown = gcs_alloc((count + (size_t)1) * 2 * sizeof *shown);
	struct gcs_site_tile *tiles = gcs_alloc((count + (size_t)1) * sizeof *tiles);
	struct gcs_tiles t = {.site = site, .as_of = gcs_profile_head(profile)->as_of};
	enum gcs_status status = GCS_OK;
	if (shown == NULL || tiles == NULL || !gcs_profile_site_numbers(profile, false, shown) ||
	    !gcs_profile_site_numbers(profile, true, shown + count))
		status = gcs_fail(err, GCS_NOMEM, "no memory for the tiles of a call site");
	for (uint32_t i = 0; status == GCS_OK && i < count; i++)
		if (shown[i] == site || shown[count + i] == site)
			add_sample(&t, tiles, gcs_profile_entry(profile, i), &l->items[i]);
	if (status == GCS_OK && t.samples == 0)
		status = gcs_fail(err, GCS_ARGUMENT,
		    "site=%012" PRIx64 ": no live sample has that number; `gcspy sites` and its "
		    "JSON show those that there are",
		    site);
	if (status == GCS_OK) {
		if (t.count != 0)
			qsort(tiles, t.count, sizeof *tiles, by_address);
		t.count = merge(tiles, t.count);
		t.tiles = tiles;
		status = gcs_tiles_encode(&t, bytes, length, err);
	}
	gcs_free(shown);
	gcs_free(tiles);
	return status;
}

enum gcs_status object_locations_tiles(struct object_locations *p, const char *text, void **bytes,
    size_t *length, struct gcs_error *err)
{
	struct look l = {.p = p, .all = true};
	uint64_t site;
	if (check(p, err) != GCS_OK)
		return err->status;
	if (!gcs_site_number_parse(text, &site))
		return gcs_fail(err, GCS_ARGUMENT,
		    "site=%.40s: the 12 hexadecimal digits that `gcspy sites` shows are allowed",
		    text);
	struct gcs_profile *profile = look_for(&l, err);
	enum gcs_status status =
	    profile == NULL ? err->status : gather(&l, profile, site, bytes, length, err);
	gcs_profile_free(profile);
	gcs_free(l.items);
	return status;
}
