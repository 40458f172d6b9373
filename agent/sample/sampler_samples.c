/* Moves samples: into the sample store, out of it when their objects die, and to another stack
 * table. On the sampler's thread. */

#include <errno.h>
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
	sample_forget(s->jni, sample->weak);
}

/* A sample that does not belong to the stack table of the sample store. */
static void keep_apart(struct sampler *s, const struct sample *sample, uint32_t present)
{
	if (sample->generation == present)
		stash_or_lose(s, sample);
	else /* from before sampling was last turned off */
		sample_forget(s->jni, sample->weak);
}

static void find_place(const struct sampler *s, struct sample *sample)
{
	const struct heap_driver *driver = s->parts.driver;
	if (driver != NULL)
		sample->place = driver->birthplace(s->parts.heap, sample->size);
}

struct vm_position sampler_position(const struct sampler *s, const struct tracked *l)
{
	const uint64_t address = sample_address(l->weak);
	if (address == 0)
		return vm_weak_position(s->parts.vm, l->weak);
	return humongous_is_dead(s->humongous, address, l->pause)
		   ? (struct vm_position){0}
		   : (struct vm_position){.address = address, .exact = true};
}

uint32_t sampler_drain(struct sampler *s)
{
	enum { AT_ONCE = 64 }; /* keeps the time under the lock short */
	struct sample some[AT_ONCE];
	uint32_t all = 0, count;
	const uint32_t present = atomic_load(&s->table_epochs.generation);
	const uint32_t stored = s->moving ? present - 1 : present;
	do {
		count = 0;
		while (count < AT_ONCE && ring_take(s->ring, &some[count]))
			count++;
		all += count;
		for (uint32_t i = 0; i < count; i++)
			find_place(s, &some[i]);
		pthread_mutex_lock(&s->lock);
		for (uint32_t i = 0; i < count; i++)
			if (some[i].generation == stored)
				sample_store_add(s->sample_store, &some[i]);
		add_lost(s);
		sample_store_thresholds(s->sample_store, &s->threshold);
		pthread_mutex_unlock(&s->lock);
		for (uint32_t i = 0; i < count; i++)
			if (some[i].generation != stored)
				keep_apart(s, &some[i], present);
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

/* Generational ZGC: which samples are on pages that a marking of the old generation covers. */
static void find_paged(struct sampler *s, uint32_t count)
{
	const struct heap_driver *driver = s->parts.driver;
	struct heap_location location;
	if (s->raw == NULL)
		return;
	heap_capture_off_pause(driver, s->parts.heap, s->raw);
	for (uint32_t i = 0; i < count; i++) {
		struct tracked *l = sample_store_tracked(s->sample_store, i);
		const uint64_t address = sampler_position(s, l).address;
		if (!l->paged && address != 0 &&
		    driver->locate(s->parts.heap, s->raw, address, &location))
			l->paged = location.marked;
	}
}

static uint32_t first_judge(const struct judgement *now, const struct tracked *l)
{
	return judge_first(now, l->born, l->old && !l->eager);
}

struct judgement sampler_judgement(const struct sampler *s)
{
	return judge_read(&s->judge);
}

bool sampler_has_survived(
    const struct sampler *s, const struct judgement *now, const struct tracked *l)
{
	return l->judged != 0 || (!s->delayed && first_judge(now, l) != 0);
}

/* From the end, because the last one takes the place of each that is removed. Lock held. */
static void mark_dead(struct sampler *s, uint32_t count, const struct judgement *now)
{
	for (uint32_t i = count; i-- > 0;) {
		const struct tracked *l = sample_store_tracked(s->sample_store, i);
		const uint32_t first =
		    l->judged != 0 || s->delayed ? l->judged : first_judge(now, l);
		if (s->cleared[i] != 0)
			sample_store_mark_dead(
			    s->sample_store, i, first == 0 ? 0 : judge_age(now, first) - 1);
	}
}

/* The remaining samples have survived. Lock held. */
static void judge_survivors(struct sampler *s, const struct judgement *now, unsigned looks)
{
	uint32_t count;
	(void)sample_store_live(s->sample_store, &count);
	for (uint32_t i = 0; i < count; i++) {
		struct tracked *l = sample_store_tracked(s->sample_store, i);
		if (l->judged != 0)
			continue;
		if (!s->delayed)
			l->judged = first_judge(now, l);
		else if ((looks & JUDGE_OLD) != 0 && l->paged)
			l->judged = now->collections == 0 ? 1 : (uint32_t)now->collections;
	}
}

static bool is_dead(const struct sampler *s, const struct tracked *l)
{
	const uint64_t address = sample_address(l->weak);
	return address != 0 ? humongous_is_dead(s->humongous, address, l->pause)
			    : (*s->jni)->IsSameObject(s->jni, l->weak, NULL) != JNI_FALSE;
}

static void find_cleared(struct sampler *s, unsigned looks, uint32_t now)
{
	uint32_t count;
	const struct tracked *live = sample_store_live(s->sample_store, &count);
	for (uint32_t i = 0; i < count; i++) {
		const bool young = live[i].old || now - (live[i].born >> 1) <= OLDEST_YOUNG;
		const bool looked =
		    (looks & JUDGE_ALL) != 0 || ((looks & JUDGE_YOUNG) != 0 && young);
		s->cleared[i] = looked && is_dead(s, &live[i]);
	}
}

/* Only this thread changes the sample store: it may read it, and call the JVM, without the lock. */
void sampler_find_dead(struct sampler *s)
{
	const uint32_t collected = atomic_load(&s->collected);
	const unsigned looks = atomic_exchange(&s->looks, 0);
	const struct judgement now = judge_read(&s->judge);
	uint32_t count;
	if (looks == 0)
		return;
	sampler_drain(s); /* all samples of before the collection */
	(void)sample_store_live(s->sample_store, &count);
	if (!reserve_cleared(s, count)) {
		atomic_fetch_or(&s->looks, looks); /* retry in the next round */
		return;
	}
	if (s->delayed && (looks & JUDGE_PAGES) != 0)
		find_paged(s, count);
	find_cleared(s, looks, (uint32_t)now.collections);
	pthread_mutex_lock(&s->lock);
	mark_dead(s, count, &now);
	judge_survivors(s, &now, looks);
	const bool judged = s->judgement.judged.wall_ns != now.judged.wall_ns;
	s->judgement = now;
	sample_store_thresholds(s->sample_store, &s->threshold);
	pthread_mutex_unlock(&s->lock);
	atomic_store(&s->marked, collected);
	sampler_judged *on_judged = atomic_load(&s->on_judged);
	if (judged && on_judged != NULL)
		on_judged(s->judged_context);
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
		sample_forget(s->jni, s->stash.items[i].weak);
	s->stash.count = 0;
	sampler_discard(s);
}

void sampler_serve_visit(struct sampler *s)
{
	pthread_mutex_lock(&s->requests_lock);
	struct visit *v = s->visit;
	s->visit = NULL;
	pthread_mutex_unlock(&s->requests_lock);
	if (v == NULL)
		return;
	v->served = atomic_load(&s->on);
	if (v->served) {
		uint32_t count;
		sampler_drain(s);
		const struct tracked *live = sample_store_live(s->sample_store, &count);
		v->visit(v->context, s->jni, live, count);
	}
	sem_post(&v->done);
}

const char *sampler_class(const struct sampler *s, const struct tracked *l)
{
	const struct site *site = sample_store_site(s->sample_store, l->site);
	return stack_table_name(sample_store_stacks(s->sample_store), site->key.class_name);
}

bool sampler_visit(struct sampler *s, sampler_visitor *visit, void *context)
{
	struct visit v = {.visit = visit, .context = context};
	if (sem_init(&v.done, 0, 0) != 0)
		return false;
	pthread_mutex_lock(&s->requests_lock);
	const bool free = s->visit == NULL;
	if (free)
		s->visit = &v;
	pthread_mutex_unlock(&s->requests_lock);
	sem_post(&s->wake);
	while (free && sem_wait(&v.done) != 0 && errno == EINTR)
		continue;
	sem_destroy(&v.done);
	return v.served;
}
