/* Moves samples: into the sample store, out of it when their objects die, and to another stack
 * table. On the sampler's thread. */

#include <string.h>

#include <gcspy/memory.h>

#include "sampler_internal.h"

/* HotSpot promotes an object after at most this many collections (MaxTenuringThreshold): later
 * young collections do not concern it. */
enum { OLDEST_YOUNG = 16 };

/* Maximum number of samples that wait for the end of a move; more are counted as lost. */
enum { MOST_STASHED = 65536 };

static void add_lost(struct sampler *s)
{
	uint64_t now[3] = {
	    atomic_load(&s->lost), atomic_load(&s->lost_bytes), atomic_load(&s->lost_objects)};
	struct estimate lost = {
	    .bytes = (double)(now[1] - s->lost_seen[1]),
	    .objects = (double)(now[2] - s->lost_seen[2]),
	};
	if (now[0] != s->lost_seen[0])
		sample_store_add_lost(s->sample_store, &lost, now[0] - s->lost_seen[0]);
	memcpy(s->lost_seen, now, sizeof now);
}

static void stash_or_lose(struct sampler *s, const struct sample *sample)
{
	struct stash *stash = &s->stash;
	if (stash->count == stash->capacity && stash->capacity < MOST_STASHED) {
		uint32_t capacity = stash->capacity == 0 ? 1024 : stash->capacity * 2;
		struct sample *items = gcs_realloc(stash->items, capacity * sizeof *items);
		if (items != NULL) {
			stash->items = items;
			stash->capacity = capacity;
		}
	}
	if (stash->count < stash->capacity) {
		stash->items[stash->count++] = *sample;
		return;
	}
	struct estimate one =
	    estimate_of(sample->size, sample_probability(sample->size, sample->interval));
	atomic_fetch_add(&s->lost, 1);
	atomic_fetch_add(&s->lost_bytes, (uint64_t)one.bytes);
	atomic_fetch_add(&s->lost_objects, (uint64_t)one.objects);
	if (sample->weak != NULL)
		(*s->jni)->DeleteWeakGlobalRef(s->jni, sample->weak);
}

uint32_t sampler_drain(struct sampler *s)
{
	enum { AT_ONCE = 64 }; /* keeps the time under the lock short */
	struct sample some[AT_ONCE];
	uint32_t all = 0, count;
	uint32_t present = atomic_load(&s->table_epochs.generation);
	do {
		count = 0;
		while (count < AT_ONCE && ring_take(s->ring, &some[count]))
			count++;
		all += count;
		pthread_mutex_lock(&s->lock);
		for (uint32_t i = 0; i < count; i++)
			if (!s->moving || some[i].generation != present)
				sample_store_add(s->sample_store, &some[i]);
		add_lost(s);
		atomic_store_explicit(
		    &s->threshold, sample_store_threshold(s->sample_store), memory_order_relaxed);
		pthread_mutex_unlock(&s->lock);
		for (uint32_t i = 0; s->moving && i < count; i++)
			if (some[i].generation == present)
				stash_or_lose(s, &some[i]);
	} while (count == AT_ONCE && all < SAMPLER_RING);
	return all;
}

static bool reserve_cleared(struct sampler *s, uint32_t count)
{
	if (count <= s->cleared_capacity)
		return true;
	uint8_t *cleared = gcs_realloc(s->cleared, (size_t)count + count / 2);
	if (cleared == NULL)
		return false;
	s->cleared = cleared;
	s->cleared_capacity = count + count / 2;
	return true;
}

void sampler_find_dead(struct sampler *s)
{
	bool all = atomic_exchange(&s->cleared_all, false);
	bool young = atomic_exchange(&s->cleared_young, false);
	uint32_t count, now = atomic_load(&s->collections);
	/* Only this thread changes the sample store: it may read it, and call the JVM, without the
	 * lock. */
	const struct tracked *live = sample_store_live(s->sample_store, &count);
	if ((!all && !young) || !reserve_cleared(s, count))
		return;
	bool any = false;
	for (uint32_t i = 0; i < count; i++) {
		bool looked = all || now - live[i].born <= OLDEST_YOUNG;
		s->cleared[i] =
		    looked && (*s->jni)->IsSameObject(s->jni, live[i].weak, NULL) != JNI_FALSE;
		any = any || s->cleared[i] != 0;
	}
	if (!any)
		return;
	pthread_mutex_lock(&s->lock);
	/* From the end, because the last one takes the place of each that is removed. */
	for (uint32_t i = count; i-- > 0;)
		if (s->cleared[i] != 0)
			sample_store_mark_dead(s->sample_store, i, now);
	atomic_store_explicit(
	    &s->threshold, sample_store_threshold(s->sample_store), memory_order_relaxed);
	pthread_mutex_unlock(&s->lock);
}

void sampler_discard(struct sampler *s)
{
	struct discards *d = sample_store_discards(s->sample_store);
	for (uint32_t i = 0; i < d->count; i++)
		(*s->jni)->DeleteWeakGlobalRef(s->jni, d->items[i]);
	d->count = 0;
}

static void finish_move(struct sampler *s)
{
	struct table_epoch *old = table_epoch_before(&s->table_epochs);
	if (!table_epoch_quiescent(old))
		return;
	/* All samples of the old table are in the ring. */
	sampler_drain(s);
	pthread_mutex_lock(&s->lock);
	struct stack_table *to =
	    s->table_epochs.two[atomic_load(&s->table_epochs.generation) & 1].stack_table;
	bool moved = sample_store_move(s->sample_store, to);
	for (uint32_t i = 0; moved && i < s->stash.count; i++)
		sample_store_add(s->sample_store, &s->stash.items[i]);
	pthread_mutex_unlock(&s->lock);
	if (!moved)
		return; /* retry in the next round */
	s->moving = false;
	table_epoch_empty(old);
	gcs_free(s->stash.items);
	s->stash = (struct stash){0};
}

void sampler_make_room(struct sampler *s)
{
	if (!s->moving && sample_store_crowded(s->sample_store) &&
	    table_epoch_rotate(
		&s->table_epochs, s->options.site_bytes * SAMPLER_TABLE_PERCENT / 100)) {
		walker_forget(s->walker);
		s->moving = true;
	}
	if (s->moving)
		finish_move(s);
}

void sampler_release_all(struct sampler *s)
{
	sampler_drain(s);
	pthread_mutex_lock(&s->lock);
	sample_store_release_live(s->sample_store);
	pthread_mutex_unlock(&s->lock);
	for (uint32_t i = 0; i < s->stash.count; i++)
		if (s->stash.items[i].weak != NULL)
			(*s->jni)->DeleteWeakGlobalRef(s->jni, s->stash.items[i].weak);
	s->stash.count = 0;
	sampler_discard(s);
}
