/*
 * dlmalloc 2.8.3 with our hooks, which insert_hooks.sh has put in, and the walks over what it keeps to itself.
 *
 * Its mutexes are taken by functions of ours: the thread that forks holds them all, and may still allocate in
 * other handlers of fork, before and after ours.
 */
#define _GNU_SOURCE
#include "dl_allocator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "dl_blocks.h"
#include "dl_parked.h"

static _Atomic(pthread_t) forking; /* the thread that is inside fork, or 0 */

static int lock_mutex(pthread_mutex_t *mutex)
{
	return allocator_forking() ? 0 : pthread_mutex_lock(mutex);
}

static int unlock_mutex(pthread_mutex_t *mutex)
{
	return allocator_forking() ? 0 : pthread_mutex_unlock(mutex);
}

static inline void hook_small_bin(const void *state, size_t size, int change);
static inline void hook_tree_bin(const void *state, size_t size, int change);

#define USE_DL_PREFIX            1
#define MSPACES                  1
#define USE_LOCKS                1
#define MALLOC_ALIGNMENT         16
#define NO_MALLINFO              1
#define DEFAULT_GRANULARITY      ((size_t)256 * 1024)
#define REALLOC_ZERO_BYTES_FREES 1
#define pthread_mutex_lock       lock_mutex
#define pthread_mutex_unlock     unlock_mutex
#include <dlmalloc_hooked.c>
#undef pthread_mutex_lock
#undef pthread_mutex_unlock

/* The bins of the main heap, written under its lock. */
static struct dlmalloc_bin bins[DLMALLOC_BINS];
static _Atomic uint64_t dirty;

static inline void change_bin(uint32_t bin, size_t size, int change)
{
	bins[bin].chunks += (uint64_t)(int64_t)change;
	bins[bin].bytes += (uint64_t)((int64_t)size * change);
	atomic_fetch_or_explicit(&dirty, (uint64_t)1 << bin, memory_order_release);
}

static inline void hook_small_bin(const void *state, size_t size, int change)
{
	if (state == gm)
		change_bin((uint32_t)small_index(size), size, change);
}

static inline void hook_tree_bin(const void *state, size_t size, int change)
{
	bindex_t index;
	compute_tree_index(size, index);
	if (state == gm)
		change_bin(DLMALLOC_SMALL_BINS + (uint32_t)index, size, change);
}

uint64_t allocator_take_dirty(void)
{
	return atomic_exchange(&dirty, 0);
}

bool allocator_forking(void)
{
	return atomic_load_explicit(&forking, memory_order_relaxed) == pthread_self();
}

void allocator_fork_begins(void)
{
	pthread_mutex_lock(&gm->mutex);
	pthread_mutex_lock(&morecore_mutex);
	atomic_store(&forking, pthread_self());
}

static void leave(pthread_mutex_t *mutex, bool child)
{
	if (child)
		pthread_mutex_init(mutex, NULL);
	else
		pthread_mutex_unlock(mutex);
}

void allocator_fork_ends(bool child)
{
	atomic_store(&forking, (pthread_t)0);
	leave(&morecore_mutex, child);
	leave(&gm->mutex, child);
}

void allocator_mspace_fork_begins(void *mspace)
{
	pthread_mutex_lock(&((mstate)mspace)->mutex);
}

void allocator_mspace_fork_ends(void *mspace, bool child)
{
	leave(&((mstate)mspace)->mutex, child);
}

bool allocator_chunk(const void *block, uint64_t *address, uint64_t *size)
{
	const mchunkptr chunk = mem2chunk(block);
	*address = (uintptr_t)chunk;
	*size = chunksize(chunk);
	return !is_mmapped(chunk);
}

size_t allocator_chunk_size(size_t bytes)
{
	return bytes >= MAX_REQUEST ? 0 : request2size(bytes);
}

bool allocator_bin_sizes(uint32_t bin, uint64_t *least, uint64_t *most)
{
	if (bin < DLMALLOC_SMALL_BINS) {
		*least = *most = small_index2size(bin);
		return *least >= MIN_CHUNK_SIZE && (*least & CHUNK_ALIGN_MASK) == 0;
	}
	const uint32_t tree = bin - DLMALLOC_SMALL_BINS;
	if (tree >= DLMALLOC_TREE_BINS)
		return false;
	*least = minsize_for_tree_index(tree);
	*most = tree + 1 == DLMALLOC_TREE_BINS
		    ? SIZE_MAX
		    : minsize_for_tree_index(tree + 1) - MALLOC_ALIGNMENT;
	return true;
}

static struct dlmalloc_chunk chunk_at(const void *chunk, uint32_t depth)
{
	return (struct dlmalloc_chunk){
	    .address = (uintptr_t)chunk, .size = chunksize((mchunkptr)chunk), .depth = depth};
}

/* An empty list keeps old pointers: only the map says that it is empty. */
static uint32_t walk_small(
    uint32_t bin, struct dlmalloc_chunk *chunks, uint64_t room, uint64_t *all)
{
	const mchunkptr head = smallbin_at(gm, bin);
	uint32_t count = 0;
	*all = 0;
	if (!smallmap_is_marked(gm, bin))
		return 0;
	for (mchunkptr p = head->fd; p != head && *all < room; p = p->fd, ++*all)
		if (chunks != NULL)
			chunks[count++] = chunk_at(p, 0);
	return count;
}

static uint64_t count_same(tchunkptr node, uint64_t limit)
{
	uint64_t same = 0;
	for (tchunkptr p = node->fd; p != node && same < limit; p = p->fd)
		same++;
	return same;
}

/* A node's children are smaller by one bit: no path is longer than a size has bits. */
static uint64_t walk_tree(uint32_t tree, struct dlmalloc_chunk *chunks, uint64_t room,
    uint64_t same_limit, uint64_t *same, bool *more)
{
	struct {
		tchunkptr node;
		uint32_t depth;
	} stack[2 * SIZE_T_BITSIZE];
	uint32_t top = 0;
	uint64_t count = 0;
	*same = 0;
	if (treemap_is_marked(gm, tree)) {
		stack[top].node = *treebin_at(gm, tree);
		stack[top++].depth = 0;
	}
	while (top > 0 && count < room) {
		const tchunkptr node = stack[--top].node;
		const uint32_t depth = stack[top].depth;
		const uint64_t here = count_same(node, same_limit);
		*same += here;
		if (chunks != NULL) {
			chunks[count] = chunk_at(node, depth);
			chunks[count].same = (uint32_t)here;
		}
		count++;
		for (int side = 1; side >= 0; side--)
			if (node->child[side] != 0) {
				stack[top].node = node->child[side];
				stack[top++].depth = depth + 1;
			}
	}
	*more = top > 0;
	return count;
}

uint32_t allocator_walk_bin(
    uint32_t bin, struct dlmalloc_chunk *chunks, uint32_t room, struct dlmalloc_bin *bin_state)
{
	uint32_t count;
	uint64_t all;
	bool more = false;
	lock_mutex(&gm->mutex);
	*bin_state = bins[bin];
	if (bin < DLMALLOC_SMALL_BINS) {
		count = walk_small(bin, chunks, room, &all);
		bin_state->more = bin_state->chunks - count;
	} else {
		count = (uint32_t)walk_tree(
		    bin - DLMALLOC_SMALL_BINS, chunks, room, DLMALLOC_SAME_LIMIT, &all, &more);
		bin_state->more = more;
	}
	unlock_mutex(&gm->mutex);
	return count;
}

/* Lock held. In the order of addresses, by insertion: there are few. */
static uint32_t sort_segments(struct dlmalloc_segment *segments, uint32_t room)
{
	uint32_t count = 0;
	for (msegmentptr s = is_initialized(gm) ? &gm->seg : NULL; s != NULL; s = s->next) {
		const uint64_t start = (uintptr_t)s->base;
		uint32_t at = count;
		if (count == room && (room == 0 || start > segments[room - 1].start))
			continue;
		at = count < room ? count++ : room - 1;
		for (; at > 0 && segments[at - 1].start > start; at--)
			segments[at] = segments[at - 1];
		segments[at] = (struct dlmalloc_segment){start, start + s->size};
	}
	return count;
}

uint32_t allocator_segments(struct dlmalloc_segment *segments, uint32_t room)
{
	lock_mutex(&gm->mutex);
	const uint32_t count = sort_segments(segments, room);
	unlock_mutex(&gm->mutex);
	return count;
}

static enum dlmalloc_use use_of(mchunkptr p)
{
	if (p == gm->top)
		return DLMALLOC_TOP;
	if (p == gm->dv)
		return DLMALLOC_DV;
	if (!cinuse(p))
		return DLMALLOC_FREE;
	return parked_is(chunk2mem(p)) ? DLMALLOC_PARKED : DLMALLOC_USED;
}

/* Where a walk may begin that is to reach `low`: at a used chunk, or at the first one. */
static mchunkptr walk_start(msegmentptr s, uint64_t low)
{
	const uint64_t base = (uintptr_t)s->base;
	uint64_t at = low > base ? low : base;
	for (;;) {
		const uint64_t start = blocks_start(at);
		const uint64_t block = at / DLMALLOC_TOUCHED_BYTES * DLMALLOC_TOUCHED_BYTES;
		if (start >= base)
			return (mchunkptr)(uintptr_t)start;
		if (block <= base)
			return align_as_chunk(s->base);
		at = block - MALLOC_ALIGNMENT;
	}
}

/* Lock held. False if the visitor has ended the walk. */
static bool walk_segment(
    msegmentptr s, uint64_t low, uint64_t high, dlmalloc_visit *visit, void *context)
{
	mchunkptr q = walk_start(s, low);
	while (segment_holds(s, q) && q->head != FENCEPOST_HEAD && (uintptr_t)q < high) {
		const size_t size = q == gm->top ? gm->topsize : chunksize(q);
		if ((uintptr_t)q + size > low && !visit(context, (uintptr_t)q, size, use_of(q)))
			return false;
		if (q == gm->top)
			break;
		q = chunk_plus_offset(q, size);
	}
	return true;
}

void allocator_walk(uint64_t low, uint64_t high, dlmalloc_visit *visit, void *context)
{
	bool goes_on = true;
	lock_mutex(&gm->mutex);
	/* Segments are few, and in no order: the lowest one that has not been walked. */
	for (uint64_t from = low; goes_on && from < high && is_initialized(gm);) {
		msegmentptr next = NULL;
		for (msegmentptr s = &gm->seg; s != NULL; s = s->next)
			if ((uintptr_t)s->base + s->size > from && (uintptr_t)s->base < high &&
			    (next == NULL || s->base < next->base))
				next = s;
		if (next == NULL)
			break;
		goes_on = walk_segment(next, low, high, visit, context);
		from = (uintptr_t)next->base + next->size;
	}
	unlock_mutex(&gm->mutex);
}

void allocator_state(struct dlmalloc_state *state)
{
	lock_mutex(&gm->mutex);
	*state = (struct dlmalloc_state){.dv = gm->dvsize == 0 ? 0 : (uintptr_t)gm->dv,
	    .dv_size = gm->dvsize,
	    .top = (uintptr_t)gm->top,
	    .top_size = gm->topsize,
	    .footprint = gm->footprint,
	    .max_footprint = gm->max_footprint};
	unlock_mutex(&gm->mutex);
	parked_totals(&state->parked_chunks, &state->parked_bytes);
}

/* A trie's larger sizes are on its right. */
uint64_t allocator_largest_gap(void)
{
	uint64_t largest;
	lock_mutex(&gm->mutex);
	largest = gm->dvsize;
	for (bindex_t i = NSMALLBINS; gm->treemap == 0 && i-- > 0;)
		if (smallmap_is_marked(gm, i)) {
			largest = small_index2size(i) > largest ? small_index2size(i) : largest;
			break;
		}
	for (bindex_t i = NTREEBINS; i-- > 0;)
		if (treemap_is_marked(gm, i)) {
			for (tchunkptr t = *treebin_at(gm, i); t != NULL;
			     t = t->child[1] != NULL ? t->child[1] : t->child[0])
				largest = chunksize(t) > largest ? chunksize(t) : largest;
			break;
		}
	unlock_mutex(&gm->mutex);
	return largest;
}

/* Free bytes of an mspace, by its bins: it is small, or the caller waits. Its lock held. */
static uint64_t free_bytes(mstate m)
{
	uint64_t bytes = m->topsize;
	for (msegmentptr s = &m->seg; s != NULL; s = s->next)
		for (mchunkptr q = align_as_chunk(s->base);
		     segment_holds(s, q) && q != m->top && q->head != FENCEPOST_HEAD;
		     q = next_chunk(q))
			bytes += cinuse(q) ? 0 : chunksize(q);
	return bytes;
}

void allocator_mspace_state(void *mspace, struct dlmalloc_mspace *state)
{
	const mstate m = mspace;
	lock_mutex(&m->mutex);
	*state = (struct dlmalloc_mspace){.footprint = m->footprint,
	    .max_footprint = m->max_footprint,
	    .free_bytes = free_bytes(m)};
	for (msegmentptr s = &m->seg; s != NULL; s = s->next)
		if ((char *)m >= s->base && (char *)m < s->base + s->size) {
			state->start = (uintptr_t)s->base;
			state->end = state->start + s->size;
		}
	unlock_mutex(&m->mutex);
}

static bool add_chunk(void *context, uint64_t address, uint64_t size, enum dlmalloc_use use)
{
	struct dlmalloc_check *c = context;
	(void)address;
	if (use == DLMALLOC_USED || use == DLMALLOC_PARKED) {
		c->used++;
		c->used_bytes += size;
		c->parked += use == DLMALLOC_PARKED;
	} else if (use != DLMALLOC_TOP) {
		c->free++;
		c->free_bytes += size;
	}
	return true;
}

static void check_bins(struct dlmalloc_check *c)
{
	for (uint32_t i = 0; i < DLMALLOC_SMALL_BINS; i++) {
		const mchunkptr head = smallbin_at(gm, i);
		uint64_t all;
		walk_small(i, NULL, UINT64_MAX, &all);
		c->small += all;
		c->length_mismatch += all != bins[i].chunks;
		c->stale += !smallmap_is_marked(gm, i) && head->fd != head;
	}
	for (uint32_t i = 0; i < DLMALLOC_TREE_BINS; i++) {
		uint64_t same;
		bool more;
		const uint64_t nodes = walk_tree(i, NULL, UINT64_MAX, UINT64_MAX, &same, &more);
		c->nodes += nodes;
		c->same += same;
		c->length_mismatch += nodes + same != bins[DLMALLOC_SMALL_BINS + i].chunks;
	}
}

void allocator_check(struct dlmalloc_check *result)
{
	*result = (struct dlmalloc_check){0};
	lock_mutex(&gm->mutex);
	for (msegmentptr s = is_initialized(gm) ? &gm->seg : NULL; s != NULL; s = s->next)
		walk_segment(s, 0, UINT64_MAX, add_chunk, result);
	check_bins(result);
	result->dv = gm->dvsize != 0;
	unlock_mutex(&gm->mutex);
	const uint64_t listed = result->small + result->nodes + result->same + result->dv;
	result->free_mismatch =
	    result->free > listed ? result->free - listed : listed - result->free;
}
