/*
 * The counts of events and the shadow's lengths: a reader never sees fewer events than before, nor more than
 * there have been, while their owner adds and settles; each length comes back as it was put in.
 */
#include <criterion/criterion.h>
#include <pthread.h>

#include "heap_shadow.h"
#include "malloc_counts.h"

enum { EVENTS = 4000000, MOST_UNITS = 100 };

static struct malloc_counts counts;
static atomic_uint_least64_t begun; /* events, before they are counted */
static atomic_bool done;

/* Settles at a limit that changes, at times after each event. */
static void *add(void *unused)
{
	for (uint64_t i = 0; i < EVENTS; i++) {
		atomic_store(&begun, i + 1);
		if (i % 1000 == 999)
			counts_add_to_sum(&counts, (1 + i % MOST_UNITS) * SHADOW_UNIT, false);
		else if (counts_add(&counts, 1 + i % MOST_UNITS, counts_limit(i >> 8 & 0xfff)))
			(void)counts_settle(&counts);
	}
	atomic_store(&done, true);
	return unused;
}

Test(malloc_counts, reader_sees_what_has_been_added)
{
	pthread_t writer;
	uint64_t last_count = 0, last_bytes = 0, reads = 0;
	pthread_create(&writer, NULL, add, NULL);
	for (bool last = false; !last; reads++) {
		uint64_t count = 0, bytes = 0;
		last = atomic_load(&done);
		counts_read(&counts, &count, &bytes);
		const uint64_t most = atomic_load(&begun);
		cr_assert(count >= last_count && bytes >= last_bytes && count <= most,
		    "%lu events after %lu, of %lu", (unsigned long)count, (unsigned long)last_count,
		    (unsigned long)most);
		last_count = count;
		last_bytes = bytes;
	}
	pthread_join(writer, NULL);
	cr_assert_eq(last_count, EVENTS);
	cr_assert_eq(last_bytes, (uint64_t)EVENTS / MOST_UNITS * 5050 * SHADOW_UNIT);
	cr_assert_gt(reads, 1);
}

Test(malloc_counts, largest_block)
{
	static struct malloc_counts t;
	uint64_t count = 0, bytes = 0;
	cr_assert_not(counts_add(&t, COUNTS_MOST, counts_limit(COUNTS_MOST)));
	cr_assert(counts_add(&t, COUNTS_MOST, counts_limit(COUNTS_MOST)));
	counts_read(&t, &count, &bytes);
	cr_assert_eq(count, 2);
	cr_assert_eq(bytes, (uint64_t)2 * COUNTS_MOST * SHADOW_UNIT);
	cr_assert_eq(counts_settle(&t), bytes);
	count = bytes = 0;
	counts_read(&t, &count, &bytes);
	cr_assert_eq(count, 2);
	cr_assert_eq(bytes, (uint64_t)2 * COUNTS_MOST * SHADOW_UNIT);
}

Test(heap_shadow, lengths)
{
	const uintptr_t start = (uintptr_t)0x7f0012345 << SHADOW_UNIT_SHIFT;
	for (uint64_t units = 1; units < (uint64_t)1 << 35; units += 1 + units / 7) {
		cr_assert(shadow_set(start, units << SHADOW_UNIT_SHIFT));
		cr_assert_eq(shadow_size(shadow_piece(start), start), units << SHADOW_UNIT_SHIFT);
		cr_assert_eq(shadow_clear(start), units << SHADOW_UNIT_SHIFT);
		cr_assert_eq(shadow_size(shadow_piece(start), start), 0);
	}
}

/* As if a scan came between the bytes of two lengths: not a length. */
Test(heap_shadow, half_changed_digits)
{
	const uintptr_t start = (uintptr_t)0x7f0012345 << SHADOW_UNIT_SHIFT;
	cr_assert(shadow_set(start, (uint64_t)200 << SHADOW_UNIT_SHIFT));
	struct shadow_piece *piece = shadow_piece(start);
	const uint32_t unit = shadow_unit(start);
	for (uint32_t i = 1; i < SHADOW_DIGITS; i++) {
		const unsigned char digit = atomic_load(&piece->units[unit + i]);
		atomic_store(&piece->units[unit + i], digit ^ 1);
		cr_assert_eq(shadow_size(piece, start), 0, "digit %u", i);
		atomic_store(&piece->units[unit + i], digit);
	}
	atomic_store(&piece->units[unit + 1], SHADOW_SHORT + 3); /* a block that starts there */
	cr_assert_eq(shadow_size(piece, start), 0);
}
