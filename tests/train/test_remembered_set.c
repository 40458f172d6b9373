/* Remembered sets of the Train collector: growth, coarsening, and that nothing is lost (R1). */
#include <criterion/criterion.h>

#include "remembered_set.h"

enum { WORDS = 50000, SPREAD = 37 };

static void add_all(struct remembered_set *set, uint32_t coarsen_at)
{
	for (uint32_t i = 0; i < WORDS; i++)
		cr_assert(set_add(set, i * SPREAD, coarsen_at));
	for (uint32_t i = 0; i < WORDS; i++)
		cr_assert(set_has(set, i * SPREAD), "word %u", i * SPREAD);
}

Test(remembered_set, exact_sets_have_what_was_added)
{
	struct remembered_set set = {0};
	cr_expect(!set_has(&set, 0));
	add_all(&set, 0);
	cr_expect_eq(set.shift, 0);
	cr_expect_eq(set.count, WORDS);
	for (uint32_t i = 0; i < WORDS; i++)
		cr_assert(!set_has(&set, i * SPREAD + 1));
	cr_expect_eq(set_capacity(&set), set.size);
	set_clear(&set);
}

Test(remembered_set, the_same_word_counts_once)
{
	struct remembered_set set = {0};
	for (int i = 0; i < 100; i++)
		cr_assert(set_add(&set, 5, 0));
	cr_expect_eq(set.count, 1);
	set_clear(&set);
}

Test(remembered_set, coarse_sets_have_what_was_added)
{
	struct remembered_set set = {0};
	add_all(&set, 64);
	cr_expect_eq(set.shift, SET_MAX_SHIFT);
	cr_expect_lt(set.count, WORDS / 10);
	cr_expect_eq(set_capacity(&set), (uint64_t)set.size << SET_MAX_SHIFT);
	set_clear(&set);
}

/* Below the threshold a set doubles; from it on it coarsens, and keeps its size if that helps. */
Test(remembered_set, coarsening_comes_before_growth)
{
	struct remembered_set set = {0};
	uint32_t word = 0;
	for (; set.shift == 0; word++)
		cr_assert(set_add(&set, word, 1000));
	cr_expect_eq(set.size, 2048, "1536 entries of 2048 are the first load of 3/4 above 1000");
	cr_expect_eq(word, 1537);
	cr_expect_eq(set.shift, SET_COARSEN_BITS);
	cr_expect_eq(set.count, 1537 / 8 + 1);
	set_clear(&set);
}

Test(remembered_set, granules_cover_their_words)
{
	struct remembered_set set = {0};
	add_all(&set, 64);
	uint32_t first, entries = 0;
	for (uint32_t i = 0; i < set.size; i++)
		if (set_entry(&set, i, &first)) {
			entries++;
			cr_expect_eq(first & ((1u << set.shift) - 1), 0);
			cr_expect(set_has(&set, first));
		}
	cr_expect_eq(entries, set.count);
	uint32_t largest = set.largest;
	set_clear(&set);
	cr_expect_eq(set.count, 0);
	cr_expect_eq(set.largest, largest);
}
