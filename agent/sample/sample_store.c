#include "sample_store_internal.h"

#include <string.h>

#include <gcspy/memory.h>

#include "heap.h"

enum { FIRST_LIVE = 1024, LEAST_LIVE = 64 };

static uint64_t next_random(struct sample_store *t)
{
	t->random ^= t->random << 13;
	t->random ^= t->random >> 7;
	t->random ^= t->random << 17;
	return t->random;
}

static void reset_thresholds(struct sample_store *t)
{
	atomic_store(&t->threshold.priority, ALL_PRIORITIES);
	const uint64_t most = t->limits.object_bytes;
	atomic_store(&t->threshold.size, most != 0 ? most : UINT64_MAX);
}

void sample_store_name_others(struct sample_store *t)
{
	static const char other[] = "[other call sites]";
	struct stack_table *d = t->stack_table;
	struct stack_table_frame frame = {.kind = GCS_FRAME_NOTE};
	frame.class_name = frame.file = stack_table_text(d, "", 0);
	frame.method = stack_table_text(d, other, sizeof other - 1);
	struct stack_table_stack stack = {STACK_TABLE_NONE, stack_table_add_frame(d, &frame)};
	t->other_stack = stack_table_add_stack(d, &stack);
	t->other_class = stack_table_text(d, "[other classes]", 15);
	t->other_group = stack_table_text(d, "*", 1);
	(void)sites_find(
	    &t->sites, &(struct site_key){t->other_stack, t->other_class, t->other_group, 0, NULL});
}

struct sample_store *sample_store_create(
    const struct sample_store_limits *limits, struct stack_table *stack_table)
{
	struct sample_store *t = gcs_zalloc(sizeof *t);
	if (t == NULL)
		return NULL;
	t->limits = *limits;
	t->stack_table = stack_table;
	t->random = limits->seed * 2 + 0x9e3779b97f4a7c15u; /* never 0: it is odd */
	size_t most = limits->live_bytes / sizeof t->live[0];
	if (limits->live_most != 0 && limits->live_most < most)
		most = limits->live_most;
	t->live_limit = most < LEAST_LIVE   ? LEAST_LIVE
			: most > UINT32_MAX ? UINT32_MAX
					    : (uint32_t)most;
	t->live_capacity = t->live_limit < FIRST_LIVE ? t->live_limit : FIRST_LIVE;
	reset_thresholds(t);
	t->live = gcs_alloc(t->live_capacity * sizeof t->live[0]);
	t->recent = gcs_zalloc((limits->recent + (size_t)1) * sizeof t->recent[0]);
	t->frequent = gcs_zalloc((limits->frequent + (size_t)1) * sizeof t->frequent[0]);
	if (t->live == NULL || t->recent == NULL || t->frequent == NULL ||
	    !sites_init(&t->sites, limits->sites)) {
		sample_store_destroy(t);
		return NULL;
	}
	sample_store_name_others(t);
	return t;
}

void sample_store_destroy(struct sample_store *t)
{
	if (t == NULL)
		return;
	sites_fini(&t->sites);
	gcs_free(t->live);
	gcs_free(t->recent);
	gcs_free(t->frequent);
	gcs_free((void *)t->discards.items);
	gcs_free(t);
}

void sample_store_thresholds(const struct sample_store *t, struct sample_threshold *to)
{
	atomic_store_explicit(
	    &to->priority, atomic_load(&t->threshold.priority), memory_order_relaxed);
	atomic_store_explicit(&to->size, atomic_load(&t->threshold.size), memory_order_relaxed);
}

/* Without memory the reference, some 8 bytes, leaks until the JVM ends. */
static void discard(struct sample_store *t, void *weak)
{
	struct discards *d = &t->discards;
	if (weak == NULL || sample_address(weak) != 0)
		return;
	if (d->count == d->capacity) {
		uint32_t capacity = d->capacity == 0 ? 256 : d->capacity * 2;
		void **items = gcs_realloc((void *)d->items, capacity * sizeof *items);
		if (items == NULL)
			return;
		d->items = items;
		d->capacity = capacity;
	}
	d->items[d->count++] = weak;
}

struct discards *sample_store_discards(struct sample_store *t)
{
	return &t->discards;
}

/* Halves one of the thresholds, and with it the number of tracked samples, or that of large ones. */
static void downsample(struct sample_store *t, atomic_uint_least64_t *halved)
{
	uint32_t kept = 0;
	atomic_store(halved, atomic_load(halved) / 2);
	for (uint32_t i = 0; i < t->live_count; i++) {
		struct tracked *l = &t->live[i];
		const uint64_t threshold = sample_threshold_of(&t->threshold, l->size);
		if (l->priority >= threshold) {
			discard(t, l->weak);
			t->counts.dropped++;
			t->object_bytes -= l->size;
			continue;
		}
		if (l->keep > threshold)
			l->keep = threshold;
		t->live[kept++] = *l;
	}
	t->live_count = kept;
}

static bool is_over(const struct sample_store *t, uint64_t size)
{
	const uint64_t most = t->limits.object_bytes;
	return most != 0 && t->object_bytes + size > most;
}

/* False if there is none, or if the sample is one of those that must make room. */
static bool room_for(struct sample_store *t, const struct sample *s)
{
	while (t->live_count == t->live_limit && atomic_load(&t->threshold.priority) > 1)
		downsample(t, &t->threshold.priority);
	while (is_over(t, s->size) && atomic_load(&t->threshold.size) > 1 &&
	       s->priority < sample_threshold_of(&t->threshold, s->size))
		downsample(t, &t->threshold.size);
	if (s->priority >= sample_threshold_of(&t->threshold, s->size))
		return false;
	if (t->live_count < t->live_capacity)
		return true;
	uint64_t wider = (uint64_t)t->live_capacity * 2;
	uint32_t capacity = wider < t->live_limit ? (uint32_t)wider : t->live_limit;
	if (capacity == t->live_count)
		return false;
	struct tracked *live = gcs_realloc(t->live, capacity * sizeof *live);
	if (live == NULL)
		return false;
	t->live = live;
	t->live_capacity = capacity;
	return true;
}

static void track(struct sample_store *t, const struct sample *s, uint32_t site, double p)
{
	if (s->weak == NULL || !room_for(t, s)) {
		t->counts.dropped++;
		discard(t, s->weak);
		return;
	}
	const uint64_t threshold = sample_threshold_of(&t->threshold, s->size);
	const uint64_t keep = s->keep < threshold ? s->keep : threshold;
	t->object_bytes += s->size;
	t->live[t->live_count++] = (struct tracked){
	    .weak = s->weak,
	    .id = s->id,
	    .size = s->size,
	    .context = s->context,
	    .wall_ns = s->wall_ns,
	    .birth_bytes = t->counts.allocated.bytes,
	    .p = p,
	    .keep = keep,
	    .site = site,
	    .thread = s->thread,
	    .born = s->born,
	    .pause = s->pause,
	    .priority = s->priority,
	    .old = s->place != NULL && s->place->old,
	    .eager = s->eager,
	};
}

/* The site of a sample, or the closest one that there is room for. */
static uint32_t site_for(struct sample_store *t, const struct sample *s)
{
	bool placed = !s->no_room && s->class_name != STACK_TABLE_NONE;
	struct site_key key = {s->stack, s->class_name,
	    s->group == STACK_TABLE_NONE ? t->other_group : s->group, site_range(s->size),
	    s->place};
	uint32_t site = placed ? sites_find(&t->sites, &key) : GCS_NONE;
	if (site != GCS_NONE)
		return site;
	t->counts.elsewhere++;
	key.stack = t->other_stack;
	key.group = t->other_group;
	if (s->class_name != STACK_TABLE_NONE)
		site = sites_find(&t->sites, &key);
	return site == GCS_NONE ? 0 : site;
}

void sample_store_add(struct sample_store *t, const struct sample *s)
{
	double p = sample_probability(s->size, s->interval);
	struct estimate one = estimate_of(s->size, p);
	uint32_t number = site_for(t, s);
	struct site *site = &t->sites.items[number];
	site->samples++;
	estimate_add(&site->allocated, &one);
	t->counts.samples++;
	estimate_add(&t->counts.allocated, &one);
	track(t, s, number, p);
}

void sample_store_add_lost(struct sample_store *t, const struct estimate *lost, uint64_t samples)
{
	t->counts.samples += samples;
	estimate_add(&t->counts.allocated, lost);
}

const struct tracked *sample_store_live(const struct sample_store *t, uint32_t *count)
{
	*count = t->live_count;
	return t->live;
}

static void remember(struct sample_store *t, const struct dead *dead)
{
	t->counts.garbage_seen++;
	if (t->limits.recent != 0) {
		t->recent[t->recent_at] = *dead;
		t->recent_at = (t->recent_at + 1) % t->limits.recent;
		if (t->recent_count < t->limits.recent)
			t->recent_count++;
	}
	/*
	 * Each place is taken with probability 1 / seen, so that all the dead have the same chance.
	 */
	uint64_t place = t->frequent_count < t->limits.frequent
			     ? t->frequent_count++
			     : next_random(t) % t->counts.garbage_seen;
	if (place < t->limits.frequent)
		t->frequent[place] = *dead;
}

struct tracked *sample_store_tracked(struct sample_store *t, uint32_t i)
{
	return &t->live[i];
}

void sample_store_mark_dead(struct sample_store *t, uint32_t i, uint32_t age)
{
	struct tracked *l = &t->live[i];
	double lifetime = t->counts.allocated.bytes - l->birth_bytes;
	struct dead dead = {
	    .was = *l,
	    .age = age,
	    .lifetime_bytes = lifetime > 0 ? (uint64_t)lifetime : 0,
	};
	double kept = (double)l->keep / (double)ALL_PRIORITIES;
	struct estimate one = estimate_of(l->size, l->p * kept);
	struct site *site = &t->sites.items[l->site];
	site->died_bytes[gcs_survival_bucket(dead.age)] += one.bytes;
	site->died_objects += one.objects;
	site->age_sum += dead.age * one.objects;
	site->lifetime_sum += lifetime * one.objects;
	t->counts.died++;
	t->object_bytes -= l->size;
	discard(t, l->weak);
	dead.was.weak = NULL;
	remember(t, &dead);
	t->live[i] = t->live[--t->live_count];
	/* With plenty of room again, track more of the new samples. */
	const uint64_t priority = atomic_load(&t->threshold.priority);
	if (priority < ALL_PRIORITIES && t->live_count < t->live_limit / 4)
		atomic_store(&t->threshold.priority, priority * 2);
	const uint64_t most = t->limits.object_bytes, size = atomic_load(&t->threshold.size);
	if (most != 0 && size < most && t->object_bytes < most / 4)
		atomic_store(&t->threshold.size, size * 2 < most ? size * 2 : most);
}

void sample_store_release_live(struct sample_store *t)
{
	for (uint32_t i = 0; i < t->live_count; i++)
		discard(t, t->live[i].weak);
	t->live_count = 0;
	t->object_bytes = 0;
	reset_thresholds(t);
}

const struct sample_store_counts *sample_store_counts(const struct sample_store *t)
{
	return &t->counts;
}

const struct sites *sample_store_sites(const struct sample_store *t)
{
	return &t->sites;
}

struct site *sample_store_site(struct sample_store *t, uint32_t site)
{
	return &t->sites.items[site];
}

struct stack_table *sample_store_stacks(const struct sample_store *t)
{
	return t->stack_table;
}

const struct dead *sample_store_recent(const struct sample_store *t, uint32_t i)
{
	if (i >= t->recent_count)
		return NULL;
	return &t->recent[(t->recent_at + t->limits.recent - 1 - i) % t->limits.recent];
}

const struct dead *sample_store_frequent(const struct sample_store *t, uint32_t i)
{
	return i < t->frequent_count ? &t->frequent[i] : NULL;
}
