#include "heap_bytes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "object_locations_internal.h"
#include "sites.h"

enum { MARK_TEXT = 400, MOST_MARKS = 4096 };

struct marks {
	uint32_t count;
	struct gcs_mark list[MOST_MARKS];
	char texts[MOST_MARKS][MARK_TEXT];
};

static int by_start(const void *left, const void *right)
{
	const struct gcs_mark *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* "byte[], 4,112 bytes, site 9a51b5c02c6e, survived 3 collections" */
static void describe(
    const struct gcs_profile *profile, const struct gcs_profile_entry *e, uint64_t site, char *text)
{
	snprintf(text, MARK_TEXT,
	    "%.200s, %" PRIu64 " bytes, site %012" PRIx64 ", %s%" PRIu32 "%s%s",
	    gcs_profile_name(profile, e->class_name), e->size, site,
	    e->age == 0 ? "new, age " : "survived ", e->age,
	    e->age == 0   ? ""
	    : e->age == 1 ? " collection"
			  : " collections",
	    e->approximate ? ", may have moved" : "");
}

static void mark_all(
    struct marks *m, const struct gcs_profile *profile, uint64_t address, uint64_t length)
{
	const uint32_t count = gcs_profile_entry_count(profile);
	uint64_t *sites = gcs_alloc((count + (size_t)1) * sizeof *sites);
	if (sites == NULL || !gcs_profile_site_numbers(profile, false, sites)) {
		gcs_free(sites);
		return;
	}
	for (uint32_t i = 0; i < count && m->count < MOST_MARKS; i++) {
		const struct gcs_profile_entry *e = gcs_profile_entry(profile, i);
		if (e->address < address || e->address - address >= length)
			continue;
		const uint64_t start = e->address - address, left = length - start;
		struct gcs_mark *mark = &m->list[m->count];
		describe(profile, e, sites[i], m->texts[m->count]);
		*mark = (struct gcs_mark){.start = start,
		    .length = e->size == 0     ? 1
			      : e->size < left ? e->size
					       : left,
		    .text = m->texts[m->count]};
		m->count++;
	}
	gcs_free(sites);
	qsort(m->list, m->count, sizeof m->list[0], by_start);
}

/* Without samples, or while the store of samples is busy, there are no marks. */
static void find_marks(
    struct marks *m, struct object_locations *p, uint64_t address, uint64_t length)
{
	char where[60];
	struct gcs_error ignored;
	snprintf(where, sizeof where, "range=0x%" PRIx64 "-0x%" PRIx64, address, address + length);
	const struct profile_query query = {.kind = GCS_PROFILE_LIVE, .where = where};
	struct gcs_profile *profile = object_locations_profile(p, &query, &ignored);
	if (profile != NULL)
		mark_all(m, profile, address, length);
	gcs_profile_free(profile);
}

enum gcs_status heap_bytes_answer(struct object_locations *p, uint64_t address, uint64_t length,
    void **bytes, size_t *encoded, struct gcs_error *err)
{
	const struct vm_range heap = vm_heap_range(p->vm);
	char title[120];
	if (length == 0 || length > HEAP_BYTES_MOST)
		return gcs_fail(
		    err, GCS_ARGUMENT, "length: expected 1 to %d bytes", HEAP_BYTES_MOST);
	if (address < heap.low || address >= heap.high || length > heap.high - address)
		return gcs_fail(err, GCS_ARGUMENT,
		    "0x%" PRIx64 ", %" PRIu64 " bytes: not in the heap, 0x%" PRIx64 "-0x%" PRIx64,
		    address, length, heap.low, heap.high);
	struct marks *marks = gcs_zalloc(sizeof *marks);
	void *copy = gcs_alloc(length);
	enum gcs_status status = GCS_OK;
	if (marks == NULL || copy == NULL)
		status = gcs_fail(err, GCS_NOMEM, "no memory for the bytes");
	else if (!vm_read(p->vm, copy, address, length))
		status = gcs_fail(err, GCS_ARGUMENT,
		    "0x%" PRIx64 ", %" PRIu64 " bytes: not all of them are readable; part of the "
		    "heap may be uncommitted",
		    address, length);
	if (status == GCS_OK) {
		find_marks(marks, p, address, length);
		snprintf(title, sizeof title, "%" PRIu64 " bytes of the heap, %u sampled object%s",
		    length, (unsigned)marks->count, marks->count == 1 ? "" : "s");
		status = gcs_memory_encode(&(struct gcs_memory){.title = title,
					       .address = address,
					       .length = length,
					       .bytes = copy,
					       .mark_count = marks->count,
					       .marks = marks->list},
		    bytes, encoded, err);
	}
	gcs_free(marks);
	gcs_free(copy);
	return status;
}
