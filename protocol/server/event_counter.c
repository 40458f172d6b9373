/* Counting events in each thread, and adding up. */
#include "updates_internal.h"

#include <limits.h>

#include <gcspy/memory.h>

#include "server_internal.h"

struct gcs_event_counter *gcs_event_counter_create(struct gcs_updates *u)
{
	size_t values = 0;
	for (uint32_t i = 0; i < u->options.event_count; i++)
		values += u->statistics[i].values;
	const size_t cells = u->options.event_count * sizeof(struct counted_event);
	struct gcs_event_counter *t =
	    gcs_zalloc(sizeof *t + cells + values * sizeof(struct counted_value));
	if (t == NULL)
		return NULL;
	struct counted_value *value = (struct counted_value *)(void *)((char *)t->cells + cells);
	t->updates = u;
	t->event_count = u->options.event_count;
	t->seen = UINT_MAX - 1; /* it takes its programs at the first event */
	for (uint32_t i = 0; i < u->options.event_count; i++) {
		t->cells[i].values = value;
		t->cells[i].value_count = u->statistics[i].values;
		for (uint32_t k = 0; k < u->statistics[i].values; k++, value++) {
			atomic_init(&value->least, INT64_MAX);
			atomic_init(&value->most, INT64_MIN);
		}
	}
	pthread_mutex_lock(&u->lock);
	t->next = u->counters;
	u->counters = t;
	pthread_mutex_unlock(&u->lock);
	return t;
}

void gcs_event_counter_destroy(struct gcs_event_counter *t)
{
	if (t == NULL)
		return;
	struct gcs_updates *u = t->updates;
	pthread_mutex_lock(&u->lock);
	counters_collect(u);
	struct gcs_event_counter **at = &u->counters;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	pthread_mutex_unlock(&u->lock);
	for (uint32_t i = 0; i < u->options.event_count; i++)
		triggers_drop(t->cells[i].program);
	gcs_free(t);
}

/* Only this thread writes, but for `least` and `most`, which the flushing thread resets: a value that
 * is stored after the reset belongs to the next update, one that is not stored because an earlier one
 * was as extreme is in this one. Relaxed: the numbers announce nothing else. */
static void add_value(struct counted_value *v, int64_t value)
{
	const int64_t sum = atomic_load_explicit(&v->sum, memory_order_relaxed);
	atomic_store_explicit(
	    &v->sum, (int64_t)((uint64_t)sum + (uint64_t)value), memory_order_relaxed);
	if (value < atomic_load_explicit(&v->least, memory_order_relaxed))
		atomic_store_explicit(&v->least, value, memory_order_relaxed);
	if (value > atomic_load_explicit(&v->most, memory_order_relaxed))
		atomic_store_explicit(&v->most, value, memory_order_relaxed);
}

/* Takes the present programs. The lock is held shortly, and only after a change of the triggers. */
static void take_programs(struct gcs_event_counter *t, unsigned attention)
{
	struct gcs_updates *u = t->updates;
	struct triggers *triggers = &u->server->triggers;
	pthread_mutex_lock(&triggers->lock);
	for (uint32_t i = 0; i < u->options.event_count; i++) {
		triggers_drop(t->cells[i].program);
		t->cells[i].program = triggers_take(triggers, u->options.events[i]);
	}
	pthread_mutex_unlock(&triggers->lock);
	t->seen = attention & ~1u;
}

/* Out of line, like the next: what is rare must not cost the others registers. */
static __attribute__((noinline)) void attend(struct gcs_event_counter *t, unsigned attention)
{
	if ((attention & ~1u) != t->seen)
		take_programs(t, attention);
	if ((attention & 1) != 0)
		updates_detain(t->updates);
}

/* Relaxed: to be detained one event later does no harm; and a trigger is there at the next event of a thread
 * that has heard of it. */
static inline unsigned attention_of(const struct gcs_event_counter *t)
{
	return atomic_load_explicit(&t->updates->attention, memory_order_relaxed);
}

static inline void look_around(struct gcs_event_counter *t)
{
	const unsigned attention = attention_of(t);
	if (__builtin_expect(attention != t->seen, 0))
		attend(t, attention);
}

/* The number, over all threads, of the last event of this cell. Others may take it in at the same time
 * (counters_collect): each occurrence is added once. Relaxed: the numbers announce nothing else. */
static uint64_t number_last(struct counted_event *c, struct statistics *s)
{
	const uint64_t count = atomic_load_explicit(&c->count, memory_order_relaxed);
	uint64_t before = atomic_load_explicit(&c->numbered, memory_order_relaxed);
	while (before < count)
		if (atomic_compare_exchange_weak_explicit(
			&c->numbered, &before, count, memory_order_relaxed, memory_order_relaxed))
			return atomic_fetch_add_explicit(
				   &s->number, count - before, memory_order_relaxed) +
			       count - before;
	return atomic_load_explicit(&s->number, memory_order_relaxed);
}

static __attribute__((noinline)) void fire_counted(
    struct gcs_event_counter *t, uint32_t event, uint32_t held, const int64_t *values)
{
	struct counted_event *c = &t->cells[event];
	triggers_count(t->updates, event, c->program, held,
	    number_last(c, &t->updates->statistics[event]), values);
	look_around(t);
}

static inline void check_triggers(
    struct gcs_event_counter *t, uint32_t event, const int64_t *values)
{
	const uint32_t held = triggers_held(t->cells[event].program, values);
	if (__builtin_expect(held != 0, 0))
		fire_counted(t, event, held, values);
}

/* The rest of an event with values or triggers. */
static __attribute__((noinline)) void count_more(
    struct gcs_event_counter *t, uint32_t event, const int64_t *values)
{
	const struct counted_event *c = &t->cells[event];
	for (uint32_t k = 0; values != NULL && k < c->value_count; k++)
		add_value(&c->values[k], values[k]);
	if (c->program != NULL)
		check_triggers(t, event, values);
}

static inline void count(struct gcs_event_counter *t, uint32_t event, const int64_t *values)
{
	struct counted_event *c = &t->cells[event];
	/* Single writer, so no addition in one step is needed. */
	atomic_store_explicit(&c->count, atomic_load_explicit(&c->count, memory_order_relaxed) + 1,
	    memory_order_relaxed);
	if (values != NULL || c->program != NULL)
		count_more(t, event, values);
}

/* New triggers are taken before the event, which may be the one that is waited for; the program waits after
 * the event. */
static __attribute__((noinline)) void count_attentively(
    struct gcs_event_counter *t, uint32_t event, const int64_t *values)
{
	attend(t, attention_of(t) & ~1u);
	count(t, event, values);
	look_around(t);
}

void gcs_count_event(struct gcs_event_counter *t, uint32_t event, const int64_t *values)
{
	if (__builtin_expect(event >= t->event_count, 0))
		return;
	if (__builtin_expect(attention_of(t) != t->seen, 0))
		count_attentively(t, event, values);
	else
		count(t, event, values);
}

void gcs_count_sums(
    struct gcs_event_counter *t, uint32_t event, uint64_t count, const int64_t *sums)
{
	if (event >= t->updates->options.event_count)
		return;
	struct counted_event *c = &t->cells[event];
	atomic_store_explicit(&c->count,
	    atomic_load_explicit(&c->count, memory_order_relaxed) + count, memory_order_relaxed);
	for (uint32_t k = 0; sums != NULL && k < t->updates->statistics[event].values; k++) {
		const int64_t sum = atomic_load_explicit(&c->values[k].sum, memory_order_relaxed);
		atomic_store_explicit(&c->values[k].sum,
		    (int64_t)((uint64_t)sum + (uint64_t)sums[k]), memory_order_relaxed);
	}
}

static void add_to_sum(struct statistics *s, uint32_t k, int64_t more)
{
	s->sum[k] = (int64_t)((uint64_t)s->sum[k] + (uint64_t)more);
}

static void widen(struct statistics *s, uint32_t k, int64_t least, int64_t most)
{
	s->least[k] = least < s->least[k] ? least : s->least[k];
	s->most[k] = most > s->most[k] ? most : s->most[k];
}

static void collect_value(struct counted_value *v, struct statistics *s, uint32_t k)
{
	const int64_t sum = atomic_load_explicit(&v->sum, memory_order_relaxed);
	const int64_t least = atomic_exchange_explicit(&v->least, INT64_MAX, memory_order_relaxed);
	const int64_t most = atomic_exchange_explicit(&v->most, INT64_MIN, memory_order_relaxed);
	add_to_sum(s, k, (int64_t)((uint64_t)sum - (uint64_t)v->seen));
	widen(s, k, least, most);
	v->seen = sum;
}

void counters_collect(struct gcs_updates *u)
{
	for (struct gcs_event_counter *t = u->counters; t != NULL; t = t->next)
		for (uint32_t i = 0; i < u->options.event_count; i++) {
			struct counted_event *c = &t->cells[i];
			struct statistics *s = &u->statistics[i];
			const uint64_t count =
			    atomic_load_explicit(&c->count, memory_order_relaxed);
			const uint64_t more = count - c->seen;
			(void)number_last(c, s);
			c->seen = count;
			s->count += more;
			s->total += more;
			atomic_fetch_add(&u->server->counters[s->id], more);
			for (uint32_t k = 0; k < s->values; k++)
				collect_value(&c->values[k], s, k);
		}
}

static void set_number(struct counted_numbers *n, uint32_t attribute, int64_t number)
{
	n->numbers[attribute] = number;
	n->known |= (uint64_t)1 << attribute;
}

static void read_counters(
    const struct gcs_updates *u, uint64_t elapsed_ns, struct counted_numbers *n)
{
	n->known = 0;
	for (uint32_t i = 0; i < u->options.event_count; i++) {
		const struct statistics *s = &u->statistics[i];
		n->counts[i] = s->count;
		n->totals[i] = s->total;
		if (elapsed_ns != 0)
			set_number(n, s->first,
			    (int64_t)((double)s->count * 1e9 / (double)elapsed_ns + 0.5));
		for (uint32_t k = 0; k < s->values; k++) {
			uint32_t at = s->at[k];
			if (s->summed[k])
				set_number(n, at++, s->sum[k]);
			if (s->least[k] > s->most[k])
				continue; /* none */
			set_number(n, at, s->least[k]);
			set_number(n, at + 1, s->most[k]);
		}
	}
}

void counters_take(struct gcs_updates *u, uint64_t elapsed_ns, struct counted_numbers *n)
{
	read_counters(u, elapsed_ns, n);
	counters_reset(u);
}

void counters_give_back(struct gcs_updates *u, const struct counted_numbers *n)
{
	for (uint32_t i = 0; i < u->options.event_count; i++) {
		struct statistics *s = &u->statistics[i];
		s->count += n->counts[i];
		for (uint32_t k = 0; k < s->values; k++) {
			uint32_t at = s->at[k];
			if (s->summed[k])
				add_to_sum(s, k, n->numbers[at++]);
			if ((n->known >> at & 1) != 0)
				widen(s, k, n->numbers[at], n->numbers[at + 1]);
		}
	}
}

void counters_write(
    const struct gcs_updates *u, const struct counted_numbers *n, struct gcs_snapshot *snapshot)
{
	for (uint32_t i = 0; i < u->options.event_count; i++)
		gcs_snapshot_set_counter(snapshot, u->statistics[i].id, n->totals[i]);
	for (uint32_t a = 0; a < GCS_MAX_ATTRIBUTES; a++)
		if ((n->known >> a & 1) != 0)
			gcs_snapshot_set_number(snapshot, a, n->numbers[a]);
}

void counters_reset(struct gcs_updates *u)
{
	for (uint32_t i = 0; i < u->options.event_count; i++) {
		struct statistics *s = &u->statistics[i];
		s->count = 0;
		for (uint32_t k = 0; k < s->values; k++) {
			s->sum[k] = 0;
			s->least[k] = INT64_MAX;
			s->most[k] = INT64_MIN;
		}
	}
}
