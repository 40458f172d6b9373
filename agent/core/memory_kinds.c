#include "memory_kinds.h"

#include <stdlib.h>
#include <unistd.h>

#include <gcspy/memory.h>

/* An entry of /proc/PID/pagemap: the page is present, or in swap (Linux, Documentation/admin-guide). */
#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)

enum { ENTRIES = 512 };

static const char *const names[MEMORY_KIND_COUNT] = {
#define X(id, name) name,
    MEMORY_KINDS(X)
#undef X
};

const char *memory_kind_name(enum memory_kind kind)
{
	return names[kind];
}

void memory_ranges_add(struct memory_ranges *r, uint64_t low, uint64_t high, enum memory_kind kind)
{
	if (low >= high)
		return;
	if (r->count == r->capacity) {
		const size_t capacity = r->capacity == 0 ? 256 : r->capacity * 2;
		struct memory_range *items = gcs_realloc(r->items, capacity * sizeof *items);
		if (items == NULL) {
			r->failed = true;
			return;
		}
		r->items = items;
		r->capacity = capacity;
	}
	r->items[r->count++] = (struct memory_range){low, high, kind};
}

static int by_address(const void *a, const void *b)
{
	const struct memory_range *x = a, *y = b;
	return x->low != y->low ? (x->low < y->low ? -1 : 1)
				: (x->high > y->high) - (x->high < y->high);
}

void memory_ranges_sort(struct memory_ranges *r)
{
	size_t kept = 0;
	if (r->count != 0)
		qsort(r->items, r->count, sizeof *r->items, by_address);
	for (size_t i = 0; i < r->count; i++) {
		struct memory_range range = r->items[i];
		if (kept != 0 && range.low < r->items[kept - 1].high)
			range.low = r->items[kept - 1].high;
		if (range.low < range.high)
			r->items[kept++] = range;
	}
	r->count = kept;
}

/* The first range that ends above the address. */
static size_t first_above(const struct memory_ranges *r, uint64_t address)
{
	size_t low = 0, high = r->count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (r->items[middle].high <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct memory_range *memory_ranges_find(const struct memory_ranges *r, uint64_t address)
{
	const size_t i = first_above(r, address);
	return i < r->count && r->items[i].low <= address ? &r->items[i] : NULL;
}

uint64_t memory_ranges_begin(const struct memory_ranges *r, uint64_t address, uint64_t high)
{
	size_t i = first_above(r, address);
	if (i < r->count && r->items[i].low <= address)
		i++;
	return i < r->count && r->items[i].low < high ? r->items[i].low : high;
}

bool memory_pages(void *context, uint64_t low, uint64_t high, uint64_t *resident, uint64_t *swapped)
{
	const int *fd = context;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entries[ENTRIES];
	*resident = *swapped = 0;
	for (uint64_t at = low / page, end = high / page; at < end;) {
		const uint64_t want = end - at < ENTRIES ? end - at : ENTRIES;
		const ssize_t got =
		    pread(*fd, entries, want * sizeof entries[0], (off_t)(at * sizeof entries[0]));
		if (got < (ssize_t)sizeof entries[0])
			return false;
		const uint64_t count = (uint64_t)got / sizeof entries[0];
		for (uint64_t i = 0; i < count; i++) {
			*resident += (entries[i] & PAGE_PRESENT) != 0;
			*swapped += (entries[i] & PAGE_SWAPPED) != 0;
		}
		at += count;
	}
	*resident *= page;
	*swapped *= page;
	return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The share of `value` that `part` is of `whole`. */
static uint64_t share(uint64_t value, uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : (uint64_t)((double)value * ((double)part / (double)whole));
}

static void add_figures(uint64_t to[SMAPS_FIGURE_COUNT], const uint64_t from[SMAPS_FIGURE_COUNT])
{
	for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
		to[i] += from[i];
}

struct division {
	struct smaps_mapping left; /* what is not handed out yet */
	uint64_t (*figures)[SMAPS_FIGURE_COUNT];
	memory_pages_fn *pages;
	void *context;
};

/* Gives [low, high) of the mapping to a kind. Resident and swapped bytes are counted by page, the
 * others are in proportion. Without a way to count, all are. */
static void hand_out(struct division *d, uint64_t low, uint64_t high, enum memory_kind kind)
{
	struct smaps_mapping *m = &d->left;
	uint64_t part[SMAPS_FIGURE_COUNT] = {[SMAPS_RESERVED] = high - low}, resident, swapped;
	if (m->figures[SMAPS_RESIDENT] + m->figures[SMAPS_SWAPPED] != 0) {
		if (d->pages == NULL || !d->pages(d->context, low, high, &resident, &swapped)) {
			const uint64_t bytes = m->end - m->start;
			resident = share(m->figures[SMAPS_RESIDENT], high - low, bytes);
			swapped = share(m->figures[SMAPS_SWAPPED], high - low, bytes);
		}
		part[SMAPS_RESIDENT] = least(resident, m->figures[SMAPS_RESIDENT]);
		part[SMAPS_SWAPPED] = least(swapped, m->figures[SMAPS_SWAPPED]);
		for (int i = SMAPS_PROPORTIONAL; i <= SMAPS_DIRTY; i++)
			part[i] =
			    share(m->figures[i], part[SMAPS_RESIDENT], m->figures[SMAPS_RESIDENT]);
	}
	for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
		m->figures[i] -= part[i];
	m->start += high - low;
	add_figures(d->figures[kind], part);
}

/* The kind of what is in no range. `before` is that of the mapping below, which is writable. */
static enum memory_kind kind_of(const struct smaps_mapping *m, const struct smaps_mapping *below,
    enum memory_kind before, bool has_stack)
{
	static const enum memory_kind kinds[] = {[SMAPS_ANONYMOUS] = MEMORY_OTHER,
	    [SMAPS_HEAP] = MEMORY_MALLOC,
	    [SMAPS_STACK] = MEMORY_OTHER_STACKS,
	    [SMAPS_JAVA_HEAP] = MEMORY_JAVA_HEAP,
	    [SMAPS_ARCHIVE] = MEMORY_ARCHIVE,
	    [SMAPS_LIBRARY] = MEMORY_LIBRARIES,
	    [SMAPS_FILE] = MEMORY_FILES};
	if (m->sort != SMAPS_ANONYMOUS)
		return kinds[m->sort];
	if (has_stack)
		return MEMORY_OTHER_STACKS;
	if (below == NULL || below->end != m->start)
		return MEMORY_OTHER;
	/* The variables of a library that begin as zeros; room that a heap or metaspace has reserved. */
	if (m->writable)
		return below->sort == SMAPS_LIBRARY && below->writable ? MEMORY_LIBRARIES
								       : MEMORY_OTHER;
	return !m->accessible && before <= MEMORY_METASPACE ? before : MEMORY_OTHER;
}

static bool has_stack(const struct smaps_mapping *m, const struct memory_ranges *r,
    const uint64_t *stacks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (stacks[i] >= m->start && stacks[i] < m->end &&
		    memory_ranges_find(r, stacks[i]) == NULL)
			return true;
	return false;
}

/* Hands out a mapping; returns the kind of its highest part. A file that is mapped into the heap, such
 * as archived objects, is part of the heap. */
static enum memory_kind divide(
    struct division *d, const struct memory_ranges *r, enum memory_kind otherwise)
{
	struct smaps_mapping *m = &d->left;
	enum memory_kind rest = otherwise;
	for (size_t i = first_above(r, m->start); i < r->count && r->items[i].low < m->end; i++) {
		const struct memory_range *range = &r->items[i];
		if (m->sort != SMAPS_ANONYMOUS && range->kind != MEMORY_JAVA_HEAP)
			continue;
		if (range->low > m->start)
			hand_out(d, m->start, range->low, otherwise);
		rest = range->high >= m->end ? range->kind : otherwise;
		if (range->high >= m->end)
			break;
		hand_out(d, m->start, range->high, range->kind);
	}
	add_figures(d->figures[rest], m->figures);
	return rest;
}

void memory_kinds_sum(const struct smaps *smaps, const struct memory_ranges *ranges,
    const uint64_t *stacks, size_t stack_count, memory_pages_fn *pages, void *context,
    uint64_t figures[MEMORY_KIND_COUNT][SMAPS_FIGURE_COUNT])
{
	const struct smaps_mapping *below = NULL;
	enum memory_kind before = MEMORY_OTHER;
	for (int k = 0; k < MEMORY_KIND_COUNT; k++)
		for (int i = 0; i < SMAPS_FIGURE_COUNT; i++)
			figures[k][i] = 0;
	for (uint32_t i = 0; i < smaps->count; i++) {
		const struct smaps_mapping *m = &smaps->mappings[i];
		struct division d = {*m, figures, pages, context};
		const bool stack = has_stack(m, ranges, stacks, stack_count);
		before = divide(&d, ranges, kind_of(m, below, before, stack));
		below = m;
	}
}
