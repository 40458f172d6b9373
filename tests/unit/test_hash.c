/* The hash table against an array that is searched from end to end, and its functions. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "hash.h"

enum { KEYS = 97, VALUES = 400 };

static struct pair {
	uint64_t key, value;
} pairs[VALUES];
static size_t count;

/* The values of each key, as the table has them and as the array has them. */
static void compare(const struct hash_table *table)
{
	for (uint64_t key = 0; key < KEYS; key++) {
		struct hash_search s = hash_search(table, key);
		size_t found = 0, there = 0;
		for (uint64_t value; hash_next(&s, &value); found++) {
			size_t i = 0;
			while (i < count && (pairs[i].key != key || pairs[i].value != value))
				i++;
			cr_assert_lt(i, count, "%d has no %d", (int)key, (int)value);
		}
		for (size_t i = 0; i < count; i++)
			there += pairs[i].key == key;
		cr_assert_eq(found, there);
		cr_assert_eq(hash_get(table, key) == HASH_NONE, there == 0);
	}
	uint64_t key, value;
	size_t all = 0;
	for (size_t at = 0; hash_each(table, &at, &key, &value);)
		all++;
	cr_assert_eq(all, count);
	cr_assert_eq(table->count, count);
}

Test(hash, values_of_equal_keys_come_and_go)
{
	struct hash_table table = {0};
	srand(1);
	for (uint64_t step = 0; step < 4000; step++) {
		const uint64_t key = (uint64_t)rand() % KEYS;
		if (count < VALUES && rand() % 9 < (step < 2000 ? 6 : 4)) {
			cr_assert(hash_put(&table, key, step));
			pairs[count++] = (struct pair){key, step};
		} else {
			const uint64_t value = hash_remove(&table, key);
			size_t i = 0;
			while (i < count && (pairs[i].key != key || pairs[i].value != value))
				i++;
			cr_assert_eq(i == count, value == HASH_NONE);
			if (i < count)
				pairs[i] = pairs[--count];
		}
		if (step % 50 == 0)
			compare(&table);
	}
	compare(&table);
	hash_fini(&table);
	cr_assert_eq(hash_get(&table, 1), HASH_NONE);
	cr_assert_eq(hash_remove(&table, 1), HASH_NONE);
}

Test(hash, keys_and_values_at_their_limits)
{
	struct hash_table table = {0};
	cr_assert(hash_put(&table, 0, 0));
	cr_assert(hash_put(&table, UINT64_MAX, HASH_NONE - 1));
	cr_assert_eq(hash_get(&table, 0), 0);
	cr_assert_eq(hash_get(&table, UINT64_MAX), HASH_NONE - 1);
	hash_fini(&table);
}

Test(hash, what_is_reserved_needs_no_memory)
{
	struct hash_table table = {0};
	cr_assert(hash_reserve(&table, 1000));
	const struct hash_slot *slots = table.slots;
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert(hash_put(&table, i * 4096, i));
	cr_assert_eq(table.slots, slots);
	for (uint64_t i = 0; i < 1000; i++)
		cr_assert_eq(hash_get(&table, i * 4096), i);
	hash_fini(&table);
}

/* Published test vectors of FNV-1a. */
Test(hash, texts)
{
	cr_assert_eq(hash_text(HASH_BEGIN, ""), UINT64_C(0xcbf29ce484222325));
	cr_assert_eq(hash_text(HASH_BEGIN, "a"), UINT64_C(0xaf63dc4c8601ec8c));
	cr_assert_eq(hash_text(HASH_BEGIN, "foobar"), UINT64_C(0x85944171f73967e8));
	cr_assert_eq(
	    hash_bytes(hash_text(HASH_BEGIN, "foo"), "bar", 3), hash_text(HASH_BEGIN, "foobar"));
	cr_assert_neq(hash_secret(), 0);
	cr_assert_eq(hash_secret(), hash_secret());
}
