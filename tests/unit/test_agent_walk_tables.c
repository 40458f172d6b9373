/* The walker's tables: what is put in is found, what is torn is not believed (S7). */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "walk_cache.h"
#include "frame_cache.h"
#include "vm_internal.h"
#include "walk_hash.h"

enum { THREADS = 4, TURNS = 40000, SHARED = 24 };

static struct walk_cache cache;
static struct frame_cache dictionary;
static const struct vm vm_with_addresses;
static const struct vm *const vm = &vm_with_addresses;
static atomic_ullong hits, wrong;

/* Runs the same in several threads at once. */
static void run_threads(void *(*function)(void *argument))
{
	pthread_t threads[THREADS];
	atomic_store(&hits, 0);
	atomic_store(&wrong, 0);
	for (size_t i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, function, (void *)(uintptr_t)i), 0);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Keys of one set: all of them compete for two entries. */
static void make_key(uint64_t i, uint64_t key[static 2])
{
	key[0] = i * WALK_CACHE_ENTRIES + 5;
	key[1] = hash_mix(i);
}

static struct walk_cached value_for(uint64_t i, uint32_t generation)
{
	return (struct walk_cached){.stack = (uint32_t)i * 17,
	    .generation = generation,
	    .native_top = i % 2 != 0,
	    .truncated = i % 3 == 0,
	    .count = (uint16_t)(i * 7 % (1 << WALK_COUNT_BITS)),
	    .answer = hash_mix(i + 99) & WALK_ANSWER_MASK};
}

static bool same(const struct walk_cached *a, const struct walk_cached *b)
{
	return a->stack == b->stack && a->generation == b->generation &&
	       a->native_top == b->native_top && a->truncated == b->truncated &&
	       a->count == b->count && a->answer == b->answer;
}

Test(agent_walk_cache, keeps_the_newest_and_forgets_generations)
{
	uint64_t key[2];
	struct walk_cached found;
	const uint32_t last = (1u << WALK_GENERATION_BITS) - 1;
	cr_assert(walk_cache_init(&cache));
	for (uint64_t i = 0; i < 2; i++) {
		const struct walk_cached value = value_for(i, last);
		make_key(i, key);
		cr_assert_not(walk_cache_find(&cache, key, last, &found));
		walk_cache_put(&cache, key, &value);
		cr_assert(walk_cache_find(&cache, key, last, &found));
		cr_assert(same(&found, &value));
		cr_assert_not(walk_cache_find(&cache, key, 1, &found), "another generation");
		key[1]++;
		cr_assert_not(walk_cache_find(&cache, key, last, &found), "half of the key");
	}
	make_key(0, key);
	cr_assert(walk_cache_find(&cache, key, last, &found), "two ways");
	for (uint64_t i = 2; i < 50; i++) {
		const struct walk_cached value = value_for(i, 1);
		make_key(i, key);
		walk_cache_put(&cache, key, &value);
		cr_assert(walk_cache_find(&cache, key, 1, &found), "the newest is there");
		cr_assert(same(&found, &value));
	}
	make_key(0, key);
	cr_assert_not(walk_cache_find(&cache, key, last, &found), "old ones had to go");
	const uint64_t zero[2] = {0, 0};
	cr_assert_not(walk_cache_find(&cache, zero, 1, &found));
	walk_cache_fini(&cache);
	walk_cache_fini(&cache);
}

static void *use_cache(void *argument)
{
	uint64_t state = (uintptr_t)argument + 1;
	for (int turn = 0; turn < TURNS; turn++) {
		uint64_t key[2];
		struct walk_cached found;
		state = hash_mix(state + HASH_ODD_2);
		const uint64_t i = state % SHARED;
		const struct walk_cached value = value_for(i, 3);
		make_key(i, key);
		if (state >> 32 & 1) {
			walk_cache_put(&cache, key, &value);
		} else if (walk_cache_find(&cache, key, 3, &found)) {
			atomic_fetch_add(&hits, 1);
			if (!same(&found, &value))
				atomic_fetch_add(&wrong, 1);
		}
	}
	return NULL;
}

Test(agent_walk_cache, never_gives_a_torn_entry)
{
	cr_assert(walk_cache_init(&cache));
	run_threads(use_cache);
	cr_assert_gt(atomic_load(&hits), 0);
	cr_assert_eq(atomic_load(&wrong), 0);
	walk_cache_fini(&cache);
}

/* Methods are found by their address, which what an id points to has to be still. */
enum { METHODS = 4096 };
static uint64_t ids[METHODS];

static uint64_t method_of(uint64_t i)
{
	return 0x7f0000001000 + i * 88;
}

static jmethodID id_of(uint64_t i)
{
	return (jmethodID)(void *)&ids[i];
}

Test(agent_walk_dictionary, knows_methods_while_their_id_leads_to_them)
{
	size_t known = 0;
	cr_assert(frame_cache_init(&dictionary));
	for (uint64_t i = 0; i < METHODS; i++) {
		ids[i] = method_of(i);
		cr_assert_null(frame_cache_method(&dictionary, vm, method_of(i)));
		frame_cache_learn_method(&dictionary, method_of(i), id_of(i));
		cr_assert_eq(frame_cache_method(&dictionary, vm, method_of(i)), id_of(i));
	}
	for (uint64_t i = 0; i < METHODS; i++)
		known += frame_cache_method(&dictionary, vm, method_of(i)) == id_of(i);
	cr_assert_gt(known, METHODS * 9 / 10, "few had to go at this load: %zu", known);
	ids[7] = 0; /* its class is gone */
	frame_cache_learn_method(&dictionary, method_of(8), id_of(8));
	cr_assert_null(frame_cache_method(&dictionary, vm, method_of(7)));
	ids[9] = method_of(7); /* and its address used again */
	frame_cache_learn_method(&dictionary, method_of(7), id_of(9));
	cr_assert_eq(frame_cache_method(&dictionary, vm, method_of(7)), id_of(9));
	frame_cache_fini(&dictionary);
}

/* Method number i of a place: anything that depends on both. */
static jvmtiFrameInfo scope_for(uint64_t where, size_t i)
{
	const jlocation location = (jlocation)((where / 16 + i * 7) % 65536);
	return (jvmtiFrameInfo){
	    .method = (jmethodID)(uintptr_t)(hash_mix(where + i) | 1),
	    .location = location == 65535 ? -1 : location,
	};
}

static void learn_place(uint64_t where, uint64_t id, size_t known, size_t total)
{
	jvmtiFrameInfo scopes[64];
	const struct vm_frame frame = {where, VM_FRAME_COMPILED | id};
	for (size_t i = 0; i < known; i++)
		scopes[i] = scope_for(where, i);
	frame_cache_learn_scopes(&dictionary, &frame, scopes, known, total);
}

/* How many methods the place is known to have in all; counts those that are wrong. */
static size_t find_place(uint64_t where, uint64_t id, size_t room)
{
	jvmtiFrameInfo scopes[64];
	const struct vm_frame frame = {where, VM_FRAME_COMPILED | id};
	const size_t total = frame_cache_scopes(&dictionary, &frame, scopes, room);
	for (size_t i = 0; i < total && i < room; i++) {
		const jvmtiFrameInfo scope = scope_for(where, i);
		if (scopes[i].method != scope.method || scopes[i].location != scope.location)
			atomic_fetch_add(&wrong, 1);
	}
	return total;
}

Test(agent_walk_dictionary, knows_places_of_any_number_of_methods)
{
	cr_assert(frame_cache_init(&dictionary));
	atomic_store(&wrong, 0);
	for (size_t total = 1; total <= 60; total++) {
		const uint64_t where = 0x7f1234560000 + total * 16;
		cr_assert_eq(find_place(where, 5, 64), 0);
		learn_place(where, 5, total, total);
		cr_assert_eq(find_place(where, 5, 64), total);
		cr_assert_eq(find_place(where, 5, 1), total, "only one is wanted");
		cr_assert_eq(find_place(where, 6, 64), 0, "another compilation");
	}
	cr_assert_eq(find_place(0x100000 - 16, 0, 64), 0);
	cr_assert_eq(atomic_load(&wrong), 0);
	frame_cache_fini(&dictionary);
}

/* A stack that was cut by the depth teaches only the young end of its last frame. */
Test(agent_walk_dictionary, learns_a_place_in_parts)
{
	const uint64_t where = 0x7f0000000040;
	cr_assert(frame_cache_init(&dictionary));
	atomic_store(&wrong, 0);
	learn_place(where, 1, 2, 7);
	cr_assert_eq(find_place(where, 1, 2), 7);
	cr_assert_eq(find_place(where, 1, 3), 0, "the third is not known yet");
	learn_place(where, 1, 5, 7);
	cr_assert_eq(find_place(where, 1, 5), 7);
	learn_place(where, 1, 1, 7);
	cr_assert_eq(find_place(where, 1, 5), 7, "what is known stays");
	cr_assert_eq(find_place(where, 1, 64), 0);
	learn_place(where, 1, 7, 7);
	cr_assert_eq(find_place(where, 1, 64), 7);
	learn_place(where + 16, 1, 4, 513);
	cr_assert_eq(find_place(where + 16, 1, 4), 0, "too many are not learned");
	cr_assert_eq(atomic_load(&wrong), 0);
	frame_cache_fini(&dictionary);
}

/* Places and methods that all compete for one line of each table. */
static uint64_t rivals[SHARED], rival_methods[SHARED];

static void find_rivals(void)
{
	const uint64_t what = VM_FRAME_COMPILED | 1;
	uint64_t where = 0x7f0000000000;
	uint64_t method = 0x7e0000000000;
	for (size_t i = 0; i < SHARED; i++) {
		do
			where += 16;
		while (hash_mix(where * WALK_ODD_5 + what) % (WALK_LOCATIONS / 2) != 0);
		do
			method += 8;
		while (hash_mix(method) % (WALK_METHODS / 4) != 0);
		rivals[i] = where;
		rival_methods[i] = method;
		ids[i] = method;
	}
}

static void *use_dictionary(void *argument)
{
	uint64_t state = (uintptr_t)argument + 1;
	for (int turn = 0; turn < TURNS; turn++) {
		state = hash_mix(state + HASH_ODD_3);
		const uint64_t i = state % SHARED;
		const size_t total = 1 + i % 4;
		if (state >> 32 & 1) {
			learn_place(rivals[i], 1, total, total);
			frame_cache_learn_method(&dictionary, rival_methods[i], id_of(i));
			continue;
		}
		const size_t found = find_place(rivals[i], 1, 64);
		const jmethodID id = frame_cache_method(&dictionary, vm, rival_methods[i]);
		if ((found != 0 && found != total) || (id != NULL && id != id_of(i)))
			atomic_fetch_add(&wrong, 1);
		if (found != 0 || id != NULL)
			atomic_fetch_add(&hits, 1);
	}
	return NULL;
}

Test(agent_walk_dictionary, never_believes_a_torn_entry)
{
	cr_assert(frame_cache_init(&dictionary));
	find_rivals();
	for (size_t i = 0; i < SHARED; i++)
		learn_place(rivals[i], 1, 1 + i % 4, 1 + i % 4);
	cr_assert_eq(find_place(rivals[0], 1, 1), 0, "they do compete");
	run_threads(use_dictionary);
	cr_assert_gt(atomic_load(&hits), 0);
	cr_assert_eq(atomic_load(&wrong), 0);
	frame_cache_fini(&dictionary);
}

/* An entry with any one of its words replaced by that of another entry is not there. */
Test(agent_walk_dictionary, mixtures_of_two_entries_are_not_found)
{
	size_t mixed = 0;
	cr_assert(walk_cache_init(&cache));
	uint64_t key[2][2];
	for (uint64_t i = 0; i < 2; i++) {
		const struct walk_cached value = value_for(i + 1, 1);
		make_key(i, key[i]);
		walk_cache_put(&cache, key[i], &value);
	}
	_Atomic uint64_t *words = cache.words + 5 % (WALK_CACHE_ENTRIES / WALK_CACHE_WAYS) *
						    WALK_CACHE_WAYS * WALK_CACHE_WORDS;
	uint64_t entries[2 * WALK_CACHE_WORDS];
	for (int i = 0; i < 2 * WALK_CACHE_WORDS; i++)
		entries[i] = atomic_load(&words[i]);
	for (unsigned mask = 1; mask < (1u << WALK_CACHE_WORDS) - 1; mask++) {
		struct walk_cached found;
		for (unsigned i = 0; i < WALK_CACHE_WORDS; i++) {
			const unsigned from = mask >> i & 1;
			atomic_store(&words[i], entries[from * WALK_CACHE_WORDS + i]);
			atomic_store(&words[WALK_CACHE_WORDS + i], 0);
		}
		cr_assert_not(walk_cache_find(&cache, key[0], 1, &found), "mixture %u", mask);
		cr_assert_not(walk_cache_find(&cache, key[1], 1, &found), "mixture %u", mask);
		mixed++;
	}
	cr_assert_eq(mixed, 14);
	walk_cache_fini(&cache);
}
