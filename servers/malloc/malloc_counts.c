#include "malloc_counts.h"

#include "heap_shadow.h"

enum { SUM_SHIFT = 31 };

static unsigned sum_of(uint64_t word)
{
	return word >> SUM_SHIFT & 1;
}

static uint64_t count_of(uint64_t word)
{
	return word & (((uint64_t)1 << SUM_SHIFT) - 1);
}

static uint64_t bytes_of(uint64_t word)
{
	return word >> COUNTS_UNITS_SHIFT << SHADOW_UNIT_SHIFT;
}

static uint64_t get(const atomic_uint_least64_t *number)
{
	return atomic_load_explicit(number, memory_order_relaxed);
}

uint64_t counts_settle(struct malloc_counts *t)
{
	const uint64_t word = get(&t->word);
	const unsigned from = sum_of(word), to = from ^ 1;
	const uint64_t count = get(&t->sums[from].count) + count_of(word);
	const uint64_t bytes = get(&t->sums[from].bytes) + bytes_of(word);
	atomic_store_explicit(&t->settled, get(&t->settled) + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&t->sums[to].count, count, memory_order_relaxed);
	atomic_store_explicit(&t->sums[to].bytes, bytes, memory_order_relaxed);
	atomic_store_explicit(&t->word, (uint64_t)to << SUM_SHIFT, memory_order_release);
	return bytes_of(word);
}

void counts_add_to_sum(struct malloc_counts *t, uint64_t bytes, bool shared)
{
	atomic_uint_least64_t *count = &t->sums[sum_of(get(&t->word))].count;
	atomic_uint_least64_t *sum = &t->sums[sum_of(get(&t->word))].bytes;
	if (shared) {
		atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(sum, bytes, memory_order_relaxed);
		return;
	}
	atomic_store_explicit(count, get(count) + 1, memory_order_relaxed);
	atomic_store_explicit(sum, get(sum) + bytes, memory_order_relaxed);
}

void counts_read(const struct malloc_counts *t, uint64_t *count, uint64_t *bytes)
{
	uint64_t settled, word, sum_count, sum_bytes;
	do {
		settled = atomic_load_explicit(&t->settled, memory_order_acquire);
		word = atomic_load_explicit(&t->word, memory_order_acquire);
		sum_count = get(&t->sums[sum_of(word)].count);
		sum_bytes = get(&t->sums[sum_of(word)].bytes);
		atomic_thread_fence(memory_order_acquire);
	} while (get(&t->settled) != settled);
	*count += sum_count + count_of(word);
	*bytes += sum_bytes + bytes_of(word);
}
