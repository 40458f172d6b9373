/*
 * The stacks that a walker remembers: from a key of 128 bits to the caller's number and a hash of
 * the frames. A fixed table; new entries replace old ones.
 *
 * Any number of threads, without locks: the words of an entry are tied to each other, so that an
 * entry read while it was written, in whatever order its words arrive, does not match any key. The
 * word with the number is stored with release and loaded with acquire: whoever finds the number may
 * read, or pass on, what the thread that put it knew about that stack.
 */
#ifndef GCSPY_AGENT_WALK_CACHE_H
#define GCSPY_AGENT_WALK_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* 32 bytes each: 1 MiB. Two fit in one cache line. */
enum { WALK_CACHE_ENTRIES = 1 << 15, WALK_CACHE_WAYS = 2, WALK_CACHE_WORDS = 4 };

/* Generations wrap around after this many. */
enum { WALK_GENERATION_BITS = 30 };

/* A hash of the frames, and their number, in one word. */
enum { WALK_ANSWER_BITS = 54, WALK_COUNT_BITS = 10 };
#define WALK_ANSWER_MASK ((UINT64_C(1) << WALK_ANSWER_BITS) - 1)

struct walk_cache {
	void *memory;
	_Atomic uint64_t *words;
	atomic_uint turn; /* chooses the entry to replace */
};

struct walk_cached {
	uint32_t stack;
	uint32_t generation;
	bool native_top, truncated;
	uint16_t count;  /* of frames, below 1 << WALK_COUNT_BITS */
	uint64_t answer; /* its lower WALK_ANSWER_BITS */
};

bool walk_cache_init(struct walk_cache *cache);
void walk_cache_fini(struct walk_cache *cache);

/* Begins to load the entries that may hold this key. */
void walk_cache_prefetch(const struct walk_cache *cache, const uint64_t key[static 2]);

/* Finds the last entry put for this key, if it is of this generation and still there. */
bool walk_cache_find(const struct walk_cache *cache, const uint64_t key[static 2],
    uint32_t generation, struct walk_cached *cached);

void walk_cache_put(
    struct walk_cache *cache, const uint64_t key[static 2], const struct walk_cached *cached);

#endif
