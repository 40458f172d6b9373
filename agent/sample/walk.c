#include "walk.h"

#include <stdatomic.h>
#include <stdio.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "walk_cache.h"
#include "frame_resolver.h"
#include "walk_hash.h"

/* Compared with GetStackTrace: the first stacks of each kind, then one of this many. */
enum { FIRST_FOUND = 200, FIRST_COMPOSED = 1000, VERIFY_EVERY = 256 };

/* This many failures among fewer than twice as many walks are too many. */
enum { GIVE_UPS_LIMIT = 5000 };

/* Of so many of the youngest frames the entries in the caches are loaded ahead: always the whole stack's
 * and that of the first base that would be tried, with what has to be resolved then; and those of the
 * next ones when the stack is not known. */
enum { PREFETCHED = 2, PREFETCHED_LATER = 5 };

struct walker {
	jvmtiEnv *jvmti;
	struct frame_resolver resolver;
	struct walk_cache cache;
	atomic_uint generation;       /* 1 and up, as wide as the cache's */
	_Atomic(const char *) why;    /* GetStackTrace is in use; NULL: fast */
	atomic_ullong walks_at_limit; /* when GIVE_UPS_LIMIT was last reached */
	char apart[64];               /* what threads count, on a cache line of its own */
	atomic_ullong found, composed, asked, verified, mismatches;
	atomic_ullong all_give_ups, gave_up[WALK_GIVE_UPS];
};

static unsigned long long count_one(atomic_ullong *counter)
{
	return atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static unsigned long long value_of(const atomic_ullong *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static unsigned long long walks_of(const struct walker *w)
{
	return value_of(&w->found) + value_of(&w->composed) + value_of(&w->asked);
}

const char *walk_give_up_text(int reason)
{
	if (reason == WALK_REDEFINED)
		return "a redefined method";
	if (reason == WALK_DISAGREED)
		return "frames that are not those of GetStackTrace";
	return vm_walk_end_text((enum vm_walk_end)reason);
}

struct walker *walker_create(
    const struct vm *vm, jvmtiEnv *jvmti, uint32_t depth, enum walk_choice choice)
{
	struct walker *w = gcs_zalloc(sizeof *w);
	if (w == NULL)
		return NULL;
	w->jvmti = jvmti;
	w->resolver.vm = vm;
	w->resolver.depth = depth < 1 ? 1 : depth > WALK_MAX_DEPTH ? WALK_MAX_DEPTH : depth;
	atomic_init(&w->generation, 1);
	if (choice == WALK_JVMTI)
		atomic_init(&w->why, "Disabled by an option.");
	else if (!vm_has(vm, VM_STACK_WALK))
		atomic_init(&w->why, vm_why(vm, VM_STACK_WALK));
	if (!walk_cache_init(&w->cache) || !frame_cache_init(&w->resolver.frame_cache)) {
		walker_destroy(w);
		return NULL;
	}
	return w;
}

void walker_destroy(struct walker *w)
{
	if (w == NULL)
		return;
	walk_cache_fini(&w->cache);
	frame_cache_fini(&w->resolver.frame_cache);
	gcs_free(w);
}

static bool is_fast(const struct walker *w)
{
	return atomic_load_explicit(&w->why, memory_order_relaxed) == NULL;
}

/* Ends the fast walk for good; the first reason stays. */
static void end_fast(struct walker *w, const char *why)
{
	const char *none = NULL;
	atomic_compare_exchange_strong(&w->why, &none, why);
}

static void give_up(struct walker *w, int reason)
{
	count_one(&w->gave_up[reason]);
	if (reason == VM_WALK_FROZEN)
		return; /* not an error */
	if ((count_one(&w->all_give_ups) + 1) % GIVE_UPS_LIMIT != 0)
		return;
	const unsigned long long now = walks_of(w);
	if (now - atomic_exchange(&w->walks_at_limit, now) < 2 * GIVE_UPS_LIMIT)
		end_fast(w, "More than half of the stacks could not be walked.");
}

/* GetStackTrace, and the keys of its answers. */

static bool get_stack(const struct walker *w, jthread thread, struct walk *walk)
{
	walk->count = 0;
	const jvmtiError error = (*w->jvmti)->GetStackTrace(
	    w->jvmti, thread, 0, (jint)w->resolver.depth, walk->frames, &walk->count);
	if (error != JVMTI_ERROR_NONE)
		walk->count = 0;
	return error == JVMTI_ERROR_NONE;
}

/* Is there a frame beyond an answer of maximum depth? Costs a second call. */
static bool goes_on(const struct walker *w, jthread thread, const struct walk *walk)
{
	jvmtiFrameInfo next;
	jint count = 0;
	if (walk->count < (jint)w->resolver.depth)
		return false;
	return (*w->jvmti)->GetStackTrace(w->jvmti, thread, (jint)w->resolver.depth, 1, &next,
		   &count) == JVMTI_ERROR_NONE &&
	       count > 0;
}

/* Starts with other numbers than the key of a physical stack. */
static void make_answer_key(struct walk *walk)
{
	walk->key[0] = WALK_ODD_5;
	walk->key[1] = HASH_ODD_3;
	walk_hash_add(walk->key, (uint64_t)walk->count);
	for (jint i = 0; i < walk->count; i++) {
		walk_hash_add(walk->key, (uintptr_t)walk->frames[i].method);
		walk_hash_add(walk->key, (uint64_t)walk->frames[i].location);
	}
	walk_hash_finish(walk->key);
}

static void take_cached(struct walk *walk, const struct walk_cached *cached, uint32_t *stack)
{
	walk->native_top = cached->native_top;
	walk->truncated = cached->truncated;
	walk->answer = cached->answer;
	*stack = cached->stack;
}

/* All frames are in `frames`, and only the whole stack is to be remembered. */
static void be_whole(struct walk *walk)
{
	walk->base = WALK_NO_BASE;
	walk->base_answer = 0;
	walk->base_count = 0;
	walk->levels = 1;
	walk->starts[0] = 0;
	walk->keys[0][0] = walk->key[0];
	walk->keys[0][1] = walk->key[1];
}

/* The stack is in `frames` by GetStackTrace, and has no other key. */
static bool find_answer(struct walker *w, jthread thread, struct walk *walk, uint32_t *stack)
{
	struct walk_cached cached;
	make_answer_key(walk);
	be_whole(walk);
	if (walk_cache_find(&w->cache, walk->key, walk->generation, &cached)) {
		take_cached(walk, &cached, stack);
		return true;
	}
	walk_set_flags(walk, goes_on(w, thread, walk));
	return false;
}

static bool find_asked(struct walker *w, jthread thread, struct walk *walk, uint32_t *stack)
{
	count_one(&w->asked);
	get_stack(w, thread, walk);
	return find_answer(w, thread, walk, stack);
}

/* The walk has failed. One that found no Java frame is right if there is none. */
static bool find_given_up(struct walker *w, jthread thread, struct walk *walk, uint32_t *stack)
{
	count_one(&w->asked);
	get_stack(w, thread, walk);
	if (walk->end != VM_WALK_NO_JAVA || walk->count > 0)
		give_up(w, walk->end);
	return find_answer(w, thread, walk, stack);
}

/* Physical stacks. */

/* Begins to load what the caches have of these frames. */
static void load_ahead(
    const struct walker *w, const struct walk *walk, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < walk->physical_count && i < end; i++) {
		walk_cache_prefetch(&w->cache, walk->keys[i]);
		if (vm_frame_compiled(&walk->physical[i]))
			frame_cache_prefetch(&w->resolver.frame_cache, &walk->physical[i]);
	}
}

static bool walk_physically(const struct walker *w, JNIEnv *jni, struct walk *walk)
{
	__builtin_prefetch(&w->found, 1);
	walk->end =
	    vm_walk(w->resolver.vm, jni, walk->physical, w->resolver.depth, &walk->physical_count);
	if (walk->end >= VM_WALK_NO_JAVA)
		return false;
	walk_make_keys(&w->resolver, walk);
	load_ahead(w, walk, 0, PREFETCHED);
	return true;
}

static const char DIFFERED[] = "A stack differed from that of GetStackTrace.";

/* The cache lacks an entry: asks, stores the answer, and computes the key again. */
static bool find_learning(struct walker *w, jthread thread, struct walk *walk, uint32_t *stack)
{
	struct walk_cached cached;
	count_one(&w->asked);
	if (!get_stack(w, thread, walk))
		return find_answer(w, thread, walk, stack);
	const int reason = walk_learn(&w->resolver, walk);
	if (reason != 0) {
		give_up(w, reason);
		return find_answer(w, thread, walk, stack);
	}
	walk_make_keys(&w->resolver, walk);
	if (!walk_cache_find(&w->cache, walk->key, walk->generation, &cached)) {
		be_whole(walk);
		return false;
	}
	if (cached.answer != walk->answer) {
		count_one(&w->mismatches);
		end_fast(w, DIFFERED);
		return find_answer(w, thread, walk, stack);
	}
	take_cached(walk, &cached, stack);
	return true;
}

/* Verifying. */

static bool is_due(unsigned long long number, unsigned long long first)
{
	return number < first || number % VERIFY_EVERY == 0;
}

/*
 * Compares what `walk` represents with GetStackTrace, which overwrites its frames with the same. A
 * redefinition of classes in between may have changed the answer; it also changes the key, and then
 * the comparison means nothing.
 */
static bool verify(struct walker *w, JNIEnv *jni, jthread thread, struct walk *walk)
{
	const uint64_t key[2] = {walk->key[0], walk->key[1]};
	const uint64_t answer = walk->answer;
	be_whole(walk);
	if (!get_stack(w, thread, walk))
		return false;
	count_one(&w->verified);
	if (walk_hash_frames(walk) == answer)
		return true;
	if (walk_physically(w, jni, walk) && walk->key[0] == key[0] && walk->key[1] == key[1]) {
		count_one(&w->mismatches);
		end_fast(w, DIFFERED);
	}
	return false;
}

static bool accept_found(struct walker *w, JNIEnv *jni, jthread thread, struct walk *walk,
    const struct walk_cached *cached, uint32_t *stack)
{
	take_cached(walk, cached, stack);
	if (is_due(count_one(&w->found), FIRST_FOUND) && !verify(w, jni, thread, walk))
		return find_answer(w, thread, walk, stack);
	return true;
}

static bool accept_composed(
    struct walker *w, JNIEnv *jni, jthread thread, struct walk *walk, uint32_t *stack)
{
	if (is_due(count_one(&w->composed), FIRST_COMPOSED) && !verify(w, jni, thread, walk))
		return find_answer(w, thread, walk, stack);
	return false;
}

/*
 * Looks for the stack of the older frames: without the youngest, without two, four, seven … A stack of
 * more frames than the depth has no base, for what it omits depends on the younger frames.
 */
static void find_base(const struct walker *w, struct walk *walk)
{
	be_whole(walk);
	if (walk->end == VM_WALK_MORE)
		return;
	const uint32_t limit =
	    walk->physical_count < WALK_LEVELS ? walk->physical_count : WALK_LEVELS;
	walk->levels = limit;
	load_ahead(w, walk, PREFETCHED, PREFETCHED_LATER);
	for (uint32_t i = 1; i < limit; i += 1 + i / 2) {
		struct walk_cached cached;
		if (!walk_cache_find(&w->cache, walk->keys[i], walk->generation, &cached) ||
		    cached.truncated)
			continue;
		walk->base = cached.stack;
		walk->base_answer = cached.answer;
		walk->base_count = cached.count;
		walk->levels = i;
		return;
	}
}

/* Resolves the frames younger than the base; all of them if they are too many with it. */
static bool compose(const struct walker *w, struct walk *walk)
{
	find_base(w, walk);
	if (walk->base != WALK_NO_BASE && walk_compose(&w->resolver, walk) && !walk->truncated)
		return true;
	if (walk->base != WALK_NO_BASE)
		be_whole(walk);
	if (!walk_compose(&w->resolver, walk))
		return false;
	if (walk->truncated)
		be_whole(walk);
	return true;
}

bool walker_find(struct walker *w, JNIEnv *jni, jthread thread, struct walk *walk, uint32_t *stack)
{
	struct walk_cached cached;
	walk->generation = atomic_load_explicit(&w->generation, memory_order_acquire);
	if (!is_fast(w))
		return find_asked(w, thread, walk, stack);
	if (!walk_physically(w, jni, walk))
		return find_given_up(w, thread, walk, stack);
	if (walk_cache_find(&w->cache, walk->key, walk->generation, &cached))
		return accept_found(w, jni, thread, walk, &cached, stack);
	if (compose(w, walk))
		return accept_composed(w, jni, thread, walk, stack);
	return find_learning(w, thread, walk, stack);
}

void walker_remember(
    struct walker *w, const struct walk *walk, const uint32_t *stacks, uint32_t bits)
{
	uint64_t answer = walk->base_answer;
	jint at = walk->count;
	if (walk->generation != atomic_load_explicit(&w->generation, memory_order_acquire))
		return;
	for (uint32_t i = walk->levels; i-- > 0;) {
		for (; at > walk->starts[i]; at--)
			answer += walk_hash_frame(
			    &walk->frames[at - 1], (size_t)(walk->base_count + walk->count - at));
		const struct walk_cached cached = {
		    .stack = walk->count == 0 ? bits | stacks[0] : stacks[at] | bits,
		    .generation = walk->generation,
		    .native_top = walk->count != 0 && walk->frames[at].location == -1,
		    .truncated = walk->truncated,
		    .count = (uint16_t)(walk->base_count + walk->count - at),
		    .answer = answer,
		};
		walk_cache_put(&w->cache, walk->keys[i], &cached);
	}
}

void walker_forget(struct walker *w)
{
	const unsigned last = (1u << WALK_GENERATION_BITS) - 1;
	unsigned old = atomic_load(&w->generation);
	while (!atomic_compare_exchange_weak(&w->generation, &old, old == last ? 1 : old + 1))
		continue;
}

void walker_collected(struct walker *w)
{
	/* A count of the JVM's own changes less often, and spares the stacks that are known. */
	if (!vm_counts_unloading(w->resolver.vm))
		atomic_fetch_add_explicit(&w->resolver.pauses, 1, memory_order_relaxed);
}

uint64_t walker_unloading(const struct walker *w)
{
	return frame_resolver_unloading(&w->resolver);
}

void walker_report(const struct walker *w, struct walker_report *report)
{
	*report = (struct walker_report){
	    .found = value_of(&w->found),
	    .composed = value_of(&w->composed),
	    .asked = value_of(&w->asked),
	    .verified = value_of(&w->verified),
	    .mismatches = value_of(&w->mismatches),
	    .why = atomic_load_explicit(&w->why, memory_order_relaxed),
	};
	report->fast = report->why == NULL;
	report->walks = report->found + report->composed + report->asked;
	for (int i = 0; i < WALK_GIVE_UPS; i++)
		report->gave_up[i] = value_of(&w->gave_up[i]);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

void walker_describe(const struct walker *w, char *text, size_t size)
{
	struct walker_report report;
	char walks[32], verified[32], mismatches[32];
	walker_report(w, &report);
	if (!report.fast) {
		(void)snprintf(text, size, "GetStackTrace, because: %s", report.why);
		return;
	}
	gcs_format_number(walks, sizeof walks, (int64_t)report.walks, GCS_DECIMAL);
	gcs_format_number(verified, sizeof verified, (int64_t)report.verified, GCS_DECIMAL);
	gcs_format_number(mismatches, sizeof mismatches, (int64_t)report.mismatches, GCS_DECIMAL);
	(void)snprintf(text, size,
	    "fast; %s stacks, %.1f %% found, %.1f %% asked, %s verified, %s mismatches", walks,
	    percent(report.found, report.walks), percent(report.asked, report.walks), verified,
	    mismatches);
}
