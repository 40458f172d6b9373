/* The marks of touched tiles, and resizes. */
#include "tiles_internal.h"

#include <gcspy/memory.h>

#include "reserved.h"
#include "thread.h"

static enum gcs_status check_tiles(const struct gcs_tiles_options *o, struct gcs_error *err)
{
	const uint32_t most = o->most == 0 ? o->tiles : o->most;
	if (o->space >= GCS_MAX_SPACES || o->streams == 0 || o->streams > GCS_MAX_STREAMS)
		return gcs_fail(err, GCS_ARGUMENT, "space %u with %u streams: 1 to %u are allowed",
		    o->space, o->streams, GCS_MAX_STREAMS);
	if (most == 0 || most > GCS_MAX_TILES || o->tiles > most)
		return gcs_fail(err, GCS_ARGUMENT, "%u of at most %u tiles: 1 to %u are allowed",
		    o->tiles, most, GCS_MAX_TILES);
	if (o->read == NULL)
		return gcs_fail(err, GCS_ARGUMENT, "the tiles need a function that reads them");
	return RESERVED_CHECK("the options of tiles", o, err);
}

/* Buffers of one stream have adjacent maps. */
static void place_stale_maps(struct gcs_tiles *t, uint32_t map_words)
{
	for (uint32_t k = 0; k < t->options.streams; k++)
		for (uint32_t i = 0; i < TILES_BUFFERS; i++)
			t->streams[k].buffers[i].stale =
			    t->stale + ((size_t)k * TILES_BUFFERS + i) * map_words;
}

static bool allocate_marks(struct gcs_tiles *t)
{
	const uint32_t map_words = column_map_words(t->options.most);
	const size_t streams = t->marked;
	t->touched = gcs_zalloc(t->words * streams * sizeof t->touched[0]);
	t->head = gcs_zalloc(t->heads * streams * sizeof t->head[0]);
	t->taken = gcs_zalloc(t->words * streams * sizeof t->taken[0]);
	t->taken_head = gcs_zalloc(t->heads * streams * sizeof t->taken_head[0]);
	t->before = gcs_alloc(t->options.most * sizeof t->before[0]);
	t->scratch = gcs_zalloc(t->words * sizeof t->scratch[0]);
	t->scratch_head = gcs_zalloc(t->heads * sizeof t->scratch_head[0]);
	t->stale = gcs_zalloc(map_words * streams * TILES_BUFFERS * sizeof t->stale[0]);
	t->streams = gcs_zalloc(streams * sizeof t->streams[0]);
	if (t->touched == NULL || t->head == NULL || t->taken == NULL || t->taken_head == NULL ||
	    t->before == NULL || t->scratch == NULL || t->scratch_head == NULL ||
	    t->stale == NULL || t->streams == NULL)
		return false;
	place_stale_maps(t, map_words);
	return true;
}

static void free_marks(struct gcs_tiles *t)
{
	gcs_free(t->touched);
	gcs_free(t->head);
	gcs_free(t->taken);
	gcs_free(t->taken_head);
	gcs_free(t->before);
	gcs_free(t->scratch);
	gcs_free(t->scratch_head);
	gcs_free(t->stale);
	gcs_free(t->streams);
}

static void touch_new(struct gcs_tiles *t, uint32_t first, uint32_t count)
{
	for (uint32_t k = 0; k < t->marked; k++)
		gcs_tiles_touch(t, k, first, count);
}

struct gcs_tiles *gcs_tiles_create(const struct gcs_tiles_options *options, struct gcs_error *err)
{
	if (RESERVED_CHECK("the options of tiles", options, err) != GCS_OK ||
	    check_tiles(options, err) != GCS_OK)
		return NULL;
	struct gcs_tiles *t = gcs_zalloc(sizeof *t);
	if (t != NULL) {
		t->options = *options;
		if (t->options.most == 0)
			t->options.most = options->tiles;
		t->tiles = options->tiles;
		t->marked = options->streams + (options->name != NULL);
		t->words = (t->options.most + TILES_WORD - 1) / TILES_WORD;
		t->heads = (t->words + TILES_WORD - 1) / TILES_WORD;
		if (allocate_marks(t) && pthread_mutex_init(&t->lock, NULL) == 0) {
			t->fenced = options->lock_free && !thread_barrier();
			touch_new(t, 0, t->tiles);
			return t;
		}
		free_marks(t);
		gcs_free(t);
	}
	gcs_fail(err, GCS_NOMEM, "no memory for the marks of a space");
	return NULL;
}

void gcs_tiles_destroy(struct gcs_tiles *t)
{
	if (t == NULL)
		return;
	tiles_drop_buffers(t);
	for (uint32_t k = 0; k < t->options.streams; k++)
		column_unref(t->streams[k].newest);
	pthread_mutex_destroy(&t->lock);
	free_marks(t);
	gcs_free(t);
}

/*
 * Sets marks, after the change that they announce.
 *
 * No mark may be found set, and the change still be missed by the reader that takes it. A reader
 * exchanges the word (tiles_take) and then reads the tile.
 *
 * - If the change and the touch are under a lock that `read` takes: either `read` comes later and sees
 *   the change; or the touch happens after that `read`, so after the exchange, and the load below sees
 *   a word from after it. The same holds for a safepoint, and for one thread.
 * - If the target is lock-free, the load below might be done before the change is visible to others.
 *   The barrier between exchange and read makes that impossible: of each thread, either the change is
 *   before the barrier and seen, or the load is after it and sees the exchanged word.
 * - Where the system has no such barrier, every touch is a read-modify-write: it comes before the
 *   exchange, which then synchronizes with it, or after it and sets the bit again.
 *
 * The reader takes only words whose bit in the head is set. It exchanges the head first, a touch looks
 * at it last, and all four operations are sequentially consistent: if the touch finds the bit set, the
 * reader that takes it takes a word from after the touch; else the touch sets it, for the next one.
 */
static inline void set_marks(struct gcs_tiles *t, uint32_t stream, uint32_t index, uint64_t bits)
{
	atomic_uint_least64_t *word = t->touched + (size_t)stream * t->words + index;
	atomic_uint_least64_t *head = t->head + (size_t)stream * t->heads + index / TILES_WORD;
	const uint64_t bit = (uint64_t)1 << index % TILES_WORD;
	atomic_signal_fence(memory_order_seq_cst); /* keeps the compiler from moving the load up */
	/* With the reader's acquiring exchange, the change is visible to it. */
	if (t->fenced || (atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
		atomic_fetch_or(word, bits);
	if ((atomic_load(head) & bit) == 0)
		atomic_fetch_or(head, bit);
}

/* Bits `from` up to but without `to`, 0 <= from < to <= 64. */
static uint64_t bits_of(uint32_t from, uint32_t to)
{
	return UINT64_MAX >> (TILES_WORD - (to - from)) << from;
}

void gcs_tiles_touch(struct gcs_tiles *t, uint32_t stream, uint32_t first, uint32_t count)
{
	const uint32_t most = t->options.most;
	if (first >= most || stream >= t->marked || count == 0)
		return;
	if (count == 1) {
		set_marks(t, stream, first / TILES_WORD, (uint64_t)1 << first % TILES_WORD);
		return;
	}
	const uint32_t end = count > most - first ? most : first + count;
	for (uint32_t w = first / TILES_WORD; w <= (end - 1) / TILES_WORD; w++) {
		const uint32_t from = w == first / TILES_WORD ? first % TILES_WORD : 0;
		const uint32_t to =
		    w == (end - 1) / TILES_WORD ? (end - 1) % TILES_WORD + 1 : TILES_WORD;
		set_marks(t, stream, w, bits_of(from, to));
	}
}

void gcs_tiles_touch_all(struct gcs_tiles *t, uint32_t first, uint32_t count)
{
	for (uint32_t k = 0; k < t->options.streams; k++)
		gcs_tiles_touch(t, k, first, count);
}

/* Takes the words of a head, in place of those taken last. */
static void take_words(struct gcs_tiles *t, uint32_t stream, uint32_t h)
{
	atomic_uint_least64_t *head = &t->head[(size_t)stream * t->heads + h];
	const size_t first = (size_t)stream * t->words + (size_t)h * TILES_WORD;
	uint64_t *taken_head = &t->taken_head[(size_t)stream * t->heads + h];
	for (uint64_t left = *taken_head; left != 0; left &= left - 1)
		t->taken[first + (uint32_t)__builtin_ctzll(left)] = 0;
	/* A mark that this load misses is set by a touch that nothing orders before the gathering; the
	 * bit stays for the next one. The exchanges acquire the changes that the marks announce. */
	*taken_head =
	    atomic_load_explicit(head, memory_order_relaxed) == 0 ? 0 : atomic_exchange(head, 0);
	for (uint64_t left = *taken_head; left != 0; left &= left - 1) {
		const size_t word = first + (uint32_t)__builtin_ctzll(left);
		t->taken[word] = atomic_exchange(&t->touched[word], 0);
	}
}

void tiles_take(struct gcs_tiles *t)
{
	for (uint32_t k = 0; k < t->marked; k++)
		for (uint32_t h = 0; h < tiles_heads(t->tiles); h++)
			take_words(t, k, h);
}

/* Sets marks again whose first bit is that of tile `first`, which may be before the first tile. */
static void set_moved(struct gcs_tiles *t, uint32_t stream, int64_t first, uint64_t bits)
{
	const int64_t index = (first < 0 ? first - (TILES_WORD - 1) : first) / TILES_WORD;
	const uint32_t shift = (uint32_t)(first - index * TILES_WORD);
	const uint64_t low = bits << shift, high = shift == 0 ? 0 : bits >> (TILES_WORD - shift);
	if (low != 0 && index < t->words)
		set_marks(t, stream, (uint32_t)index, low);
	if (high != 0 && index + 1 < t->words)
		set_marks(t, stream, (uint32_t)(index + 1), high);
}

/* Moves the marks from tile `resume` on to `at + inserted`: only words with marks cost anything. A mark
 * that is set meanwhile stays. There are `tiles` so far; marks of others announce nothing. */
static void shift_marks(struct gcs_tiles *t, uint32_t stream, uint32_t tiles, uint32_t at,
    uint32_t inserted, uint32_t resume)
{
	const uint32_t heads = tiles_heads(tiles);
	atomic_uint_least64_t *words = t->touched + (size_t)stream * t->words;
	const atomic_uint_least64_t *head = t->head + (size_t)stream * t->heads;
	const uint32_t from = at / TILES_WORD, first = from / TILES_WORD;
	const uint64_t kept = at % TILES_WORD == 0 ? 0 : bits_of(0, at % TILES_WORD);
	for (uint32_t h = first; h < heads; h++) {
		t->scratch_head[h] = atomic_load(&head[h]);
		if (h == first)
			t->scratch_head[h] &= UINT64_MAX << from % TILES_WORD;
		for (uint64_t left = t->scratch_head[h]; left != 0; left &= left - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(left);
			t->scratch[w] =
			    atomic_exchange_explicit(&words[w], 0, memory_order_acq_rel);
		}
	}
	for (uint32_t h = first; h < heads; h++)
		for (uint64_t left = t->scratch_head[h]; left != 0; left &= left - 1) {
			const uint32_t w = h * TILES_WORD + (uint32_t)__builtin_ctzll(left);
			const int64_t tile = (int64_t)w * TILES_WORD;
			uint64_t moved = t->scratch[w];
			if (w == from && (moved & kept) != 0)
				set_marks(t, stream, w, moved & kept);
			if (tile < resume) /* the others have not moved, or are removed */
				moved &= tile + TILES_WORD <= resume
					     ? 0
					     : bits_of((uint32_t)(resume - tile), TILES_WORD);
			set_moved(t, stream, tile + at + inserted - resume, moved);
		}
}

/* Replaces `removed` tiles at `at` by `inserted` new ones. Lock held. */
static bool resize(struct gcs_tiles *t, uint32_t at, uint32_t removed, uint32_t inserted)
{
	if (at > t->tiles || removed > t->tiles - at ||
	    inserted > t->options.most - (t->tiles - removed))
		return false;
	if (removed == 0 && inserted == 0)
		return true;
	const uint32_t before = t->tiles;
	t->tiles = t->tiles - removed + inserted;
	t->numbering++;
	if (t->resize_count == TILES_RESIZES)
		t->resize_lost = true;
	else
		t->resizes[t->resize_count++] = (struct resize){.space = t->options.space,
		    .at = at,
		    .count = removed != 0 ? -(int32_t)removed : (int32_t)inserted};
	for (uint32_t k = 0; at + removed < before && k < t->marked; k++)
		shift_marks(t, k, before, at, inserted, at + removed);
	touch_new(t, at, inserted);
	return true;
}

bool gcs_tiles_insert(struct gcs_tiles *t, uint32_t at, uint32_t count)
{
	pthread_mutex_lock(&t->lock);
	const bool ok = resize(t, at, 0, count);
	pthread_mutex_unlock(&t->lock);
	return ok;
}

bool gcs_tiles_remove(struct gcs_tiles *t, uint32_t at, uint32_t count)
{
	pthread_mutex_lock(&t->lock);
	const bool ok = resize(t, at, count, 0);
	pthread_mutex_unlock(&t->lock);
	return ok;
}

bool gcs_tiles_resize(struct gcs_tiles *t, uint32_t count)
{
	pthread_mutex_lock(&t->lock);
	const bool ok = count >= t->tiles ? resize(t, t->tiles, 0, count - t->tiles)
					  : resize(t, count, t->tiles - count, 0);
	pthread_mutex_unlock(&t->lock);
	return ok;
}

uint32_t gcs_tiles_count(struct gcs_tiles *t)
{
	pthread_mutex_lock(&t->lock);
	const uint32_t tiles = t->tiles;
	pthread_mutex_unlock(&t->lock);
	return tiles;
}
