#include "frame_cache.h"

#include <string.h>

#include <gcspy/memory.h>

#include "walk_hash.h"

enum { LINE_BYTES = 64, LINE_WORDS = 8 };

/* Methods: four to a line, a Method tied to its id, and the id. */
enum { METHOD_WAYS = 4, METHOD_WORDS = 2, METHOD_TIED = 0, METHOD_ID = 1 };

/* Locations: a line is a part of a location with up to four scopes, and ends with a hash of its
 * words. */
enum { LOCATION_WAYS = 2, PART_SCOPES = 4, MAX_SCOPES = 512 };
enum { PART_WHERE, PART_WHAT, PART_IDS, PART_INDICES = PART_IDS + PART_SCOPES, PART_HASH };

/* In PART_WHAT below the flags of vm_walk.h: compile id, part, scopes in all, scopes known here. */
enum { PART_SHIFT = 32, TOTAL_SHIFT = 40, KNOWN_SHIFT = 52 };

_Static_assert(PART_HASH == LINE_WORDS - 1, "a part is a line");
_Static_assert(MAX_SCOPES / PART_SCOPES <= 1 << (TOTAL_SHIFT - PART_SHIFT), "parts have 8 bits");

struct part {
	uint64_t words[LINE_WORDS];
};

bool frame_cache_init(struct frame_cache *cache)
{
	const size_t methods = (size_t)WALK_METHODS * METHOD_WORDS;
	const size_t locations = (size_t)WALK_LOCATIONS * LINE_WORDS;
	cache->memory = gcs_zalloc((methods + locations) * sizeof(_Atomic uint64_t) + LINE_BYTES);
	if (cache->memory == NULL)
		return false;
	const uintptr_t start = ((uintptr_t)cache->memory + LINE_BYTES - 1) & ~(uintptr_t)63;
	cache->methods = (_Atomic uint64_t *)start;
	cache->locations = cache->methods + methods;
	return true;
}

void frame_cache_fini(struct frame_cache *cache)
{
	gcs_free(cache->memory);
	cache->memory = NULL;
	cache->methods = NULL;
	cache->locations = NULL;
}

static uint64_t get(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void set(_Atomic uint64_t *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_relaxed);
}

/* The word that releases what the others refer to. */
static uint64_t get_last(const _Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_acquire);
}

static void set_last(_Atomic uint64_t *word, uint64_t value)
{
	atomic_store_explicit(word, value, memory_order_release);
}

static unsigned next_turn(struct frame_cache *cache)
{
	return atomic_fetch_add_explicit(&cache->turn, 1, memory_order_relaxed);
}

/* Methods. */

static _Atomic uint64_t *methods_near(const struct frame_cache *cache, uint64_t method)
{
	const size_t line = hash_mix(method) % (WALK_METHODS / METHOD_WAYS);
	return cache->methods + line * METHOD_WAYS * METHOD_WORDS;
}

jmethodID frame_cache_method(const struct frame_cache *cache, const struct vm *vm, uint64_t method)
{
	const _Atomic uint64_t *entry = methods_near(cache, method);
	for (int i = 0; i < METHOD_WAYS; i++, entry += METHOD_WORDS) {
		const uint64_t word = get_last(&entry[METHOD_ID]);
		const jmethodID id = (jmethodID)(uintptr_t)word;
		if (word != 0 && (get(&entry[METHOD_TIED]) ^ hash_mix(word)) == method)
			return vm_method_has_id(vm, method, id, false) ? id : NULL;
	}
	return NULL;
}

void frame_cache_learn_method(struct frame_cache *cache, uint64_t method, jmethodID id)
{
	_Atomic uint64_t *const first = methods_near(cache, method);
	const uint64_t word = (uintptr_t)id;
	int chosen = -1;
	for (int i = 0; i < METHOD_WAYS; i++) {
		const uint64_t other = get(&first[i * METHOD_WORDS + METHOD_ID]);
		const uint64_t tied = get(&first[i * METHOD_WORDS + METHOD_TIED]);
		if (other == word && (tied ^ hash_mix(word)) == method)
			return;
		if (other == 0 || (tied ^ hash_mix(other)) == method)
			chosen = i;
	}
	if (chosen < 0)
		chosen = (int)(next_turn(cache) % METHOD_WAYS);
	set(&first[chosen * METHOD_WORDS + METHOD_TIED], method ^ hash_mix(word));
	set_last(&first[chosen * METHOD_WORDS + METHOD_ID], word);
}

/* Locations in compiled code. */

static uint64_t part_name(const struct vm_frame *frame, size_t part)
{
	return frame->what | (uint64_t)part << PART_SHIFT;
}

static _Atomic uint64_t *parts_near(
    const struct frame_cache *cache, const struct vm_frame *frame, size_t part)
{
	const uint64_t hash = hash_mix(frame->where * WALK_ODD_5 + part_name(frame, part));
	const size_t set_number = hash % (WALK_LOCATIONS / LOCATION_WAYS);
	return cache->locations + set_number * LOCATION_WAYS * LINE_WORDS;
}

static uint64_t hash_part(const struct part *part)
{
	uint64_t key[2] = {HASH_ODD_2, HASH_ODD_3};
	for (int i = 0; i < PART_HASH; i++)
		walk_hash_add(key, part->words[i]);
	return hash_mix(key[0] ^ key[1]) | 1;
}

/*
 * Reads the part of a frame from this line; false when it holds another one or was being written.
 */
static bool read_part(
    const _Atomic uint64_t *line, const struct vm_frame *frame, size_t number, struct part *part)
{
	const uint64_t counts =
	    ~UINT64_C(0) << TOTAL_SHIFT & ~(VM_FRAME_COMPILED | VM_FRAME_DEOPTIMIZED);
	if (get(&line[PART_WHERE]) != frame->where)
		return false;
	part->words[PART_HASH] = get_last(&line[PART_HASH]);
	for (int i = 0; i < PART_HASH; i++)
		part->words[i] = get(&line[i]);
	return part->words[PART_WHERE] == frame->where &&
	       (part->words[PART_WHAT] & ~counts) == part_name(frame, number) &&
	       part->words[PART_HASH] == hash_part(part);
}

static size_t total_of(const struct part *part)
{
	return part->words[PART_WHAT] >> TOTAL_SHIFT & 0xfff;
}

static size_t known_of(const struct part *part)
{
	return part->words[PART_WHAT] >> KNOWN_SHIFT & 0x7;
}

static bool find_part(
    const struct frame_cache *cache, const struct vm_frame *frame, size_t number, struct part *part)
{
	const _Atomic uint64_t *line = parts_near(cache, frame, number);
	for (int i = 0; i < LOCATION_WAYS; i++, line += LINE_WORDS) {
		if (read_part(line, frame, number, part))
			return true;
	}
	return false;
}

/* Sixteen bits each; bytecode indices are below 65535, which represents -1. */
static jlocation index_of(const struct part *part, size_t scope)
{
	const uint64_t index = part->words[PART_INDICES] >> (16 * scope) & 0xffff;
	return index == 0xffff ? -1 : (jlocation)index;
}

void frame_cache_prefetch(const struct frame_cache *cache, const struct vm_frame *frame)
{
	const _Atomic uint64_t *line = parts_near(cache, frame, 0);
	for (int i = 0; i < LOCATION_WAYS; i++)
		walk_prefetch(line + (ptrdiff_t)i * LINE_WORDS);
}

size_t frame_cache_scopes(const struct frame_cache *cache, const struct vm_frame *frame,
    jvmtiFrameInfo *scopes, size_t room)
{
	size_t total = 1;
	for (size_t done = 0; done < total && done < room;) {
		struct part part;
		if (!find_part(cache, frame, done / PART_SCOPES, &part))
			return 0;
		total = total_of(&part);
		const size_t known = known_of(&part);
		size_t wanted = (total < room ? total : room) - done;
		if (wanted > PART_SCOPES)
			wanted = PART_SCOPES;
		if (known < wanted)
			return 0;
		for (size_t i = 0; i < wanted; i++, done++) {
			scopes[done].method = (jmethodID)(uintptr_t)part.words[PART_IDS + i];
			scopes[done].location = index_of(&part, i);
		}
	}
	return total;
}

static void put_part(
    struct frame_cache *cache, const struct vm_frame *frame, size_t number, const struct part *part)
{
	_Atomic uint64_t *const first = parts_near(cache, frame, number);
	_Atomic uint64_t *line = NULL;
	for (int i = 0; i < LOCATION_WAYS; i++) {
		struct part old;
		_Atomic uint64_t *const other = first + i * LINE_WORDS;
		if (read_part(other, frame, number, &old)) {
			if (known_of(&old) >= known_of(part))
				return;
			line = other;
		} else if (line == NULL && get(&other[PART_HASH]) == 0) {
			line = other;
		}
	}
	if (line == NULL)
		line = first + next_turn(cache) % LOCATION_WAYS * LINE_WORDS;
	for (int i = 0; i < PART_HASH; i++)
		set(&line[i], part->words[i]);
	set_last(&line[PART_HASH], part->words[PART_HASH]);
}

void frame_cache_learn_scopes(struct frame_cache *cache, const struct vm_frame *frame,
    const jvmtiFrameInfo *scopes, size_t known, size_t total)
{
	if (total > MAX_SCOPES)
		return;
	for (size_t done = 0; done < known; done += PART_SCOPES) {
		const size_t here = known - done < PART_SCOPES ? known - done : PART_SCOPES;
		struct part part = {.words = {frame->where}};
		part.words[PART_WHAT] = part_name(frame, done / PART_SCOPES) |
					(uint64_t)total << TOTAL_SHIFT |
					(uint64_t)here << KNOWN_SHIFT;
		for (size_t i = 0; i < here; i++) {
			const jvmtiFrameInfo *scope = &scopes[done + i];
			part.words[PART_IDS + i] = (uintptr_t)scope->method;
			part.words[PART_INDICES] |= ((uint64_t)scope->location & 0xffff)
						    << (16 * i);
		}
		part.words[PART_HASH] = hash_part(&part);
		put_part(cache, frame, done / PART_SCOPES, &part);
	}
}
