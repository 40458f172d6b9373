#include "walk_cache.h"

#include <gcspy/memory.h>

#include "walk_hash.h"

enum { LINE_BYTES = 64 };

/* An entry: the two halves of the key, each xor-ed with a mix of the other two words; value;
 * answer. Zeroed entries belong to generation 0, which is never used. */
enum { WORD_KEY_0, WORD_KEY_1, WORD_VALUE, WORD_ANSWER };

/* In a value: the number, two flags, the generation. */
enum { NATIVE_SHIFT = 32, TRUNCATED_SHIFT = 33, GENERATION_SHIFT = 34 };

_Static_assert(GENERATION_SHIFT + WALK_GENERATION_BITS == 64, "a value has 64 bits");
_Static_assert(WALK_ANSWER_BITS + WALK_COUNT_BITS == 64, "so has an answer");

bool walk_cache_init(struct walk_cache *cache)
{
	const size_t bytes =
	    (size_t)WALK_CACHE_ENTRIES * WALK_CACHE_WORDS * sizeof(_Atomic uint64_t);
	cache->memory = gcs_zalloc(bytes + LINE_BYTES);
	if (cache->memory == NULL)
		return false;
	const uintptr_t start = ((uintptr_t)cache->memory + LINE_BYTES - 1) & ~(uintptr_t)63;
	cache->words = (_Atomic uint64_t *)start;
	return true;
}

void walk_cache_fini(struct walk_cache *cache)
{
	gcs_free(cache->memory);
	cache->memory = NULL;
	cache->words = NULL;
}

/* The entries that may hold this key. */
static _Atomic uint64_t *ways_of(const struct walk_cache *cache, const uint64_t key[static 2])
{
	const size_t set = key[0] % (WALK_CACHE_ENTRIES / WALK_CACHE_WAYS);
	return cache->words + set * WALK_CACHE_WAYS * WALK_CACHE_WORDS;
}

void walk_cache_prefetch(const struct walk_cache *cache, const uint64_t key[static 2])
{
	walk_prefetch(ways_of(cache, key));
}

static uint64_t get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_relaxed);
}

/* The value is what a reader goes on with: numbers of the stack table, which this releases. */
static uint64_t get_value(const _Atomic uint64_t *entry)
{
	return atomic_load_explicit(&entry[WORD_VALUE], memory_order_acquire);
}

static uint64_t tie(uint64_t value, uint64_t answer)
{
	return hash_mix(value * WALK_ODD_5 + answer);
}

/* Does the entry hold this key? Its other words are in `*value` and `*answer`. */
static bool holds(
    const _Atomic uint64_t *entry, const uint64_t key[static 2], uint64_t *value, uint64_t *answer)
{
	*value = get_value(entry);
	*answer = get(&entry[WORD_ANSWER]);
	const uint64_t tied = tie(*value, *answer);
	return (get(&entry[WORD_KEY_0]) ^ tied) == key[0] &&
	       (get(&entry[WORD_KEY_1]) ^ tied) == key[1];
}

bool walk_cache_find(const struct walk_cache *cache, const uint64_t key[static 2],
    uint32_t generation, struct walk_cached *cached)
{
	const _Atomic uint64_t *entry = ways_of(cache, key);
	for (int i = 0; i < WALK_CACHE_WAYS; i++, entry += WALK_CACHE_WORDS) {
		uint64_t value;
		uint64_t answer;
		if (!holds(entry, key, &value, &answer) || value >> GENERATION_SHIFT != generation)
			continue;
		*cached = (struct walk_cached){
		    .stack = (uint32_t)value,
		    .generation = generation,
		    .native_top = (value >> NATIVE_SHIFT & 1) != 0,
		    .truncated = (value >> TRUNCATED_SHIFT & 1) != 0,
		    .count = (uint16_t)(answer >> WALK_ANSWER_BITS),
		    .answer = answer & WALK_ANSWER_MASK,
		};
		return true;
	}
	return false;
}

/* The key's own entry, else one of another generation, else the next in turn. */
static _Atomic uint64_t *choose(
    struct walk_cache *cache, const uint64_t key[static 2], uint32_t generation)
{
	_Atomic uint64_t *const first = ways_of(cache, key);
	_Atomic uint64_t *old = NULL;
	for (int i = 0; i < WALK_CACHE_WAYS; i++) {
		_Atomic uint64_t *entry = first + i * WALK_CACHE_WORDS;
		uint64_t value;
		uint64_t answer;
		if (holds(entry, key, &value, &answer))
			return entry;
		if (value >> GENERATION_SHIFT != generation)
			old = entry;
	}
	if (old != NULL)
		return old;
	/* A turn that two threads take is as good as any, and needs no locked instruction. */
	const unsigned turn = atomic_load_explicit(&cache->turn, memory_order_relaxed);
	atomic_store_explicit(&cache->turn, turn + 1, memory_order_relaxed);
	return first + turn % WALK_CACHE_WAYS * WALK_CACHE_WORDS;
}

void walk_cache_put(
    struct walk_cache *cache, const uint64_t key[static 2], const struct walk_cached *cached)
{
	_Atomic uint64_t *entry = choose(cache, key, cached->generation);
	const uint64_t value = cached->stack | (uint64_t)cached->native_top << NATIVE_SHIFT |
			       (uint64_t)cached->truncated << TRUNCATED_SHIFT |
			       (uint64_t)cached->generation << GENERATION_SHIFT;
	const uint64_t answer = (cached->answer & WALK_ANSWER_MASK) | (uint64_t)cached->count
									  << WALK_ANSWER_BITS;
	const uint64_t tied = tie(value, answer);
	set(&entry[WORD_KEY_0], key[0] ^ tied);
	set(&entry[WORD_KEY_1], key[1] ^ tied);
	atomic_store_explicit(&entry[WORD_VALUE], value, memory_order_release);
	set(&entry[WORD_ANSWER], answer);
}
