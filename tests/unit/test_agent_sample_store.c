/* What samples add up to: estimates, the live table under its budget, garbage, and the move to
 * another stack table. Objects, interval and chance are the test's own; the truth is known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "heap.h"
#include "sample_store.h"

struct world {
	struct stack_table *stack_table;
	struct sample_store *sample_store;
	uint64_t random;
	uint64_t id;
	uint64_t object_bytes; /* limit of the tracked ones; 0: none */
	double next;           /* bytes until the geometric sampler's next point */
};

static double uniform(struct world *w)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return ((double)(w->random >> 11) + 0.5) / 9007199254740992.0;
}

static double gap(struct world *w, uint64_t interval)
{
	return -log(uniform(w)) * (double)interval;
}

static void begin_seeded(
    struct world *w, size_t live_bytes, uint32_t sites, size_t stack_table_bytes, uint64_t seed)
{
	const struct sample_store_limits limits = {.live_bytes = live_bytes,
	    .object_bytes = w->object_bytes,
	    .sites = sites,
	    .recent = 10,
	    .frequent = 50,
	    .seed = seed};
	*w = (struct world){.stack_table = stack_table_create(stack_table_bytes),
	    .random = 88172645463325252u ^ seed};
	w->sample_store = sample_store_create(&limits, w->stack_table);
	cr_assert_not_null(w->sample_store);
}

static void begin(struct world *w, size_t live_bytes, uint32_t sites, size_t stack_table_bytes)
{
	begin_seeded(w, live_bytes, sites, stack_table_bytes, 1);
}

static void end(struct world *w)
{
	sample_store_destroy(w->sample_store);
	stack_table_destroy(w->stack_table);
}

static uint32_t text(struct world *w, const char *words)
{
	return stack_table_text(sample_store_stacks(w->sample_store), words, strlen(words));
}

static uint32_t stack_of(struct world *w, uint32_t number)
{
	struct stack_table *d = sample_store_stacks(w->sample_store);
	struct stack_table_frame f = {.class_name = text(w, "C"),
	    .method = text(w, "m"),
	    .file = text(w, "C.java"),
	    .line = number + 1};
	struct stack_table_stack s = {STACK_TABLE_NONE, stack_table_add_frame(d, &f)};
	return stack_table_add_stack(d, &s);
}

static uint64_t threshold(struct world *w, uint64_t size)
{
	struct sample_threshold now;
	sample_store_thresholds(w->sample_store, &now);
	return sample_threshold_of(&now, size);
}

static struct sample sample_at(
    struct world *w, uint32_t site, uint64_t size, uint64_t interval, uint32_t born)
{
	struct sample s = {
	    .stack = stack_of(w, site),
	    .class_name = text(w, "byte[]"),
	    .thread = text(w, "main"),
	    .group = text(w, "main"),
	    .born = born,
	    .priority = (uint32_t)(uniform(w) * 4294967296.0),
	    .keep = threshold(w, size),
	    .id = ++w->id,
	    .size = size,
	    .interval = interval,
	};
	s.no_room = s.stack == STACK_TABLE_NONE;
	s.weak = s.priority < s.keep ? (void *)(uintptr_t)(s.id * 8) : NULL;
	return s;
}

/* The program allocates one object; HotSpot's sampler may take it. */
static bool allocate(
    struct world *w, uint32_t site, uint64_t size, uint64_t interval, uint32_t born)
{
	if (w->next > (double)size) {
		w->next -= (double)size;
		return false;
	}
	w->next = gap(w, interval);
	struct sample s = sample_at(w, site, size, interval, born);
	sample_store_add(w->sample_store, &s);
	return true;
}

Test(agent_sample_store, estimates_are_unbiased_for_all_sizes)
{
	static const uint64_t sizes[] = {16, 24, 160, 4096, 65536, 300000, 1048576};
	enum { SITES = sizeof sizes / sizeof sizes[0] };
	double truth[SITES] = {0};
	unsigned covered = 0;
	struct world w = {0};
	begin(&w, 1 << 20, 1000, 1 << 20);
	w.next = gap(&w, 65536);
	/* About as many bytes at each site, in turn. */
	for (uint64_t round = 0; round < 60; round++)
		for (uint32_t k = 0; k < SITES; k++)
			for (uint64_t bytes = 0; bytes < 1048576; bytes += sizes[k]) {
				allocate(&w, k, sizes[k], 65536, 0);
				truth[k] += (double)sizes[k];
			}
	for (uint32_t k = 0; k < SITES; k++) {
		const struct site_key key = {.stack = stack_of(&w, k),
		    .class_name = text(&w, "byte[]"),
		    .group = text(&w, "main"),
		    .range = site_range(sizes[k])};
		uint32_t site =
		    sites_find((struct sites *)sample_store_sites(w.sample_store), &key);
		cr_assert(site != GCS_NONE);
		const struct estimate *e =
		    &sample_store_sites(w.sample_store)->items[site].allocated;
		double error = fabs(e->bytes - truth[k]);
		cr_assert(error < 0.15 * truth[k], "%lu bytes: %.0f instead of %.0f",
		    (unsigned long)sizes[k], e->bytes, truth[k]);
		covered += error <= 1.96 * sqrt(e->bytes_variance);
		cr_assert(fabs(e->objects * (double)sizes[k] - e->bytes) < 1e-6 * e->bytes);
	}
	cr_assert(covered >= SITES - 1, "%u of %u inside their interval", covered, (unsigned)SITES);
	end(&w);
}

static double live_bytes(const struct sample_store *t)
{
	uint32_t count;
	const struct tracked *l = sample_store_live(t, &count);
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += estimate_of(l[i].size, l[i].p * ((double)l[i].keep / 4294967296.0)).bytes;
	return sum;
}

Test(agent_sample_store, the_budget_leaves_an_unbiased_part)
{
	struct world w = {0};
	begin(&w, 400 * sizeof(struct tracked), 100, 1 << 20);
	double truth = 0;
	for (int i = 0; i < 20000; i++) {
		uint64_t size = i % 3 == 0 ? 64 : 1024;
		struct sample s = sample_at(&w, (uint32_t)i % 5, size, 4096, 0);
		sample_store_add(w.sample_store, &s);
		truth += estimate_of(size, sample_probability(size, 4096)).bytes;
	}
	uint32_t count;
	(void)sample_store_live(w.sample_store, &count);
	const struct sample_store_counts *c = sample_store_counts(w.sample_store);
	cr_assert(count <= 400 && count > 100);
	cr_assert_eq(c->dropped + count, 20000u);
	cr_assert(fabs(live_bytes(w.sample_store) - truth) < 0.2 * truth, "%.0f instead of %.0f",
	    live_bytes(w.sample_store), truth);
	/* Every released reference is deleted, and no kept one. */
	struct discards *d = sample_store_discards(w.sample_store);
	const struct tracked *l = sample_store_live(w.sample_store, &count);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < d->count; k++)
			cr_assert_neq(l[i].weak, d->items[k]);
	end(&w);
}

/* Halving the threshold until it is 0 would drop all of them. */
Test(agent_sample_store, samples_of_the_least_priority_stay_tracked)
{
	enum { ROOM = 128, ADDED = 200 };
	struct world w = {0};
	uint32_t count;
	begin(&w, ROOM * sizeof(struct tracked), 100, 1 << 20);
	for (int i = 0; i < ADDED; i++) {
		struct sample s = sample_at(&w, 0, 64, 4096, 0);
		s.priority = 0;
		s.weak = (void *)(uintptr_t)(s.id * 8);
		sample_store_add(w.sample_store, &s);
	}
	(void)sample_store_live(w.sample_store, &count);
	cr_assert_eq(count, ROOM);
	cr_assert_eq(sample_store_counts(w.sample_store)->dropped, ADDED - ROOM);
	end(&w);
}

Test(agent_sample_store, the_threshold_rises_again_when_there_is_room)
{
	struct world w = {0};
	begin(&w, 128 * sizeof(struct tracked), 100, 1 << 20);
	for (int i = 0; i < 5000; i++) {
		struct sample s = sample_at(&w, 0, 64, 4096, 0);
		sample_store_add(w.sample_store, &s);
	}
	cr_assert(threshold(&w, 64) < (uint64_t)1 << 30);
	uint32_t count;
	while (sample_store_live(w.sample_store, &count), count != 0)
		sample_store_mark_dead(w.sample_store, count - 1, 0);
	cr_assert_eq(threshold(&w, 64), (uint64_t)1 << 32);
	end(&w);
}

/* Objects stay in the heap while they are tracked: so much of them, small ones as before, and what is
 * estimated of large ones is right in the mean. */
Test(agent_sample_store, tracked_objects_have_a_limit_of_their_sizes)
{
	enum { RUNS = 400, LARGE = 300, SMALL = 300, BYTES = 1 << 20, MOST = 32 * BYTES };
	double large = 0, squares = 0;
	for (int run = 0; run < RUNS; run++) {
		struct world w = {.object_bytes = MOST};
		uint32_t count;
		begin_seeded(&w, 1 << 20, 100, 1 << 20, (uint64_t)run * 7919 + 1);
		for (int i = 0; i < LARGE; i++) {
			const uint64_t size = i % 2 == 0 ? BYTES : 3 * BYTES;
			struct sample s = sample_at(&w, 0, size, 1, 0);
			sample_store_add(w.sample_store, &s);
			s = sample_at(&w, 1, 64, 1, 0);
			sample_store_add(w.sample_store, &s);
		}
		const struct tracked *live = sample_store_live(w.sample_store, &count);
		uint64_t bytes = 0, small = 0;
		double sum = 0;
		for (uint32_t i = 0; i < count; i++) {
			bytes += live[i].size >= BYTES ? live[i].size : 0;
			sum += live[i].size >= BYTES ? tracked_estimate(&live[i]).bytes : 0;
			small += live[i].size < BYTES;
		}
		cr_assert_eq(small, SMALL);
		cr_assert_leq(bytes, MOST);
		large += sum;
		squares += sum * sum;
		while (sample_store_live(w.sample_store, &count), count != 0)
			sample_store_mark_dead(w.sample_store, count - 1, 0);
		cr_assert_eq(threshold(&w, BYTES), (uint64_t)1 << 32, "there is room again");
		end(&w);
	}
	const double mean = large / RUNS, truth = LARGE / 2 * 4.0 * BYTES;
	const double error = sqrt((squares / RUNS - mean * mean) / RUNS);
	cr_assert_lt(fabs(mean - truth), 4 * error, "%g instead of %g", mean, truth);
	cr_assert_lt(error, truth / 20);
}

Test(agent_sample_store, the_dead_have_ages_and_lifetimes)
{
	struct world w = {0};
	begin(&w, 1 << 20, 100, 1 << 20);
	for (uint32_t i = 0; i < 30; i++) {
		struct sample s = sample_at(&w, 0, 1000, 1, i / 10);
		sample_store_add(w.sample_store, &s);
	}
	uint32_t count;
	while (sample_store_live(w.sample_store, &count), count != 0)
		sample_store_mark_dead(w.sample_store, count - 1, 3 - (count - 1) / 10);
	const struct site *site = &sample_store_sites(w.sample_store)->items[1];
	for (uint32_t age = 1; age <= 3; age++)
		cr_assert_float_eq(site->died_bytes[gcs_survival_bucket(age)], 10000, 1e-6);
	cr_assert_float_eq(site->age_sum / site->died_objects, 2, 1e-9);
	/* The newest in front; the ring has ten places. */
	cr_assert_eq(sample_store_recent(w.sample_store, 0)->was.id, 1u);
	cr_assert_eq(sample_store_recent(w.sample_store, 9)->was.id, 10u);
	cr_assert_null(sample_store_recent(w.sample_store, 10));
	cr_assert_eq(sample_store_recent(w.sample_store, 0)->age, 3u);
	cr_assert_eq(sample_store_recent(w.sample_store, 0)->lifetime_bytes, 29000u);
	cr_assert_eq(sample_store_counts(w.sample_store)->garbage_seen, 30u);
	cr_assert_not_null(sample_store_frequent(w.sample_store, 29));
	end(&w);
}

/* S4: whatever died, early or late, has the same chance to be in the reservoir. */
Test(agent_sample_store, the_reservoir_is_a_uniform_sample)
{
	unsigned quarters[4] = {0};
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world w = {0};
		begin_seeded(&w, 1 << 20, 100, 1 << 20, seed * 7919);
		for (uint32_t i = 0; i < 2000; i++) {
			struct sample s = sample_at(&w, i % 2, 64, 1, 0);
			sample_store_add(w.sample_store, &s);
			sample_store_mark_dead(w.sample_store, 0, 0);
		}
		for (uint32_t i = 0; i < 50; i++)
			quarters[(sample_store_frequent(w.sample_store, i)->was.id - 1) / 500]++;
		end(&w);
	}
	/* 500 of 2,000 each; the deviation is 19. */
	for (int i = 0; i < 4; i++)
		cr_assert(
		    quarters[i] > 400 && quarters[i] < 600, "%u of quarter %d", quarters[i], i);
}

static double total(const struct sample_store *t, bool *others)
{
	const struct sites *s = sample_store_sites(t);
	double sum = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		sum += s->items[i].allocated.bytes;
		const struct stack_table_stack stack =
		    stack_table_stack(sample_store_stacks(t), s->items[i].key.stack);
		const char *name =
		    stack.frame == STACK_TABLE_NONE
			? ""
			: stack_table_name(sample_store_stacks(t),
			      stack_table_frame(sample_store_stacks(t), stack.frame)->method);
		*others = *others ||
			  (strcmp(name, "[other call sites]") == 0 && s->items[i].samples != 0);
	}
	return sum;
}

Test(agent_sample_store, a_move_loses_no_bytes_and_no_live_sample)
{
	struct world w = {0};
	bool others = false;
	begin(&w, 1 << 20, 400, 1 << 18);
	for (uint32_t i = 0; !sample_store_crowded(w.sample_store); i++) {
		cr_assert(i < 100000);
		struct sample s = sample_at(&w, i, 64 + i, 1, 0);
		sample_store_add(w.sample_store, &s);
		if (i >= 20)
			sample_store_mark_dead(w.sample_store, 20, 0);
	}
	bool before_others = false;
	double before = total(w.sample_store, &before_others);
	struct stack_table *to = stack_table_create(1 << 18);
	cr_assert(sample_store_move(w.sample_store, to));
	stack_table_destroy(w.stack_table);
	w.stack_table = to;
	cr_assert_float_eq(total(w.sample_store, &others), before, before * 1e-9);
	cr_assert(others && sample_store_counts(w.sample_store)->elsewhere > 0);
	cr_assert_not(sample_store_crowded(w.sample_store));
	uint32_t count;
	const struct tracked *l = sample_store_live(w.sample_store, &count);
	cr_assert_eq(count, 20u);
	for (uint32_t i = 0; i < count; i++) {
		const struct site *site = &sample_store_sites(w.sample_store)->items[l[i].site];
		const struct stack_table_stack stack = stack_table_stack(to, site->key.stack);
		cr_assert_eq(stack_table_frame(to, stack.frame)->line, (uint32_t)l[i].id);
		cr_assert_str_eq(stack_table_name(to, l[i].thread), "main");
	}
	cr_assert_eq(
	    stack_table_frame(to,
		stack_table_stack(to, sample_store_sites(w.sample_store)
					  ->items[sample_store_recent(w.sample_store, 0)->was.site]
					  .key.stack)
		    .frame)
		->line,
	    (uint32_t)sample_store_recent(w.sample_store, 0)->was.id);
	end(&w);
}

Test(agent_sample_store, what_finds_no_place_is_counted)
{
	struct world w = {0};
	bool others = false;
	begin(&w, 1 << 20, 10, 1 << 20);
	for (uint32_t i = 0; i < 100; i++) {
		struct sample s = sample_at(&w, i, 100, 1, 0);
		sample_store_add(w.sample_store, &s);
	}
	struct estimate lost = {.bytes = 500, .objects = 5};
	sample_store_add_lost(w.sample_store, &lost, 2);
	cr_assert_float_eq(total(w.sample_store, &others), 10000, 1e-6);
	cr_assert_eq(sample_store_counts(w.sample_store)->samples, 102u);
	cr_assert_float_eq(sample_store_counts(w.sample_store)->allocated.bytes, 10500, 1e-6);
	cr_assert(sample_store_counts(w.sample_store)->elsewhere >= 90);
	end(&w);
}

/* A call site's ranges of sizes and regions have sites of their own, with one head; a move keeps
 * them together, and the tile of the head. */
Test(agent_sample_store, ranges_of_sizes_and_regions)
{
	static const struct heap_birthplace eden = {.type = "Eden", .parts = HEAP_EDEN},
					    humongous = {.type = "Humongous",
						.parts = HEAP_HUMONGOUS,
						.old = true};
	static const uint64_t sizes[] = {16, 1023, 1024, 2047, 2048, 1 << 20};
	static const uint32_t ranges[] = {0, 0, 10, 10, 11, 20};
	struct world w = {0};
	begin(&w, 1 << 20, 100, 1 << 18);
	for (int i = 0; i < 6; i++) {
		struct sample s = sample_at(&w, 0, sizes[i], 1, 0);
		s.place = i == 5 ? &humongous : &eden;
		cr_assert_eq(site_range(sizes[i]), ranges[i], "%d", i);
		sample_store_add(w.sample_store, &s);
	}
	struct sample other = sample_at(&w, 1, 16, 1, 0);
	sample_store_add(w.sample_store, &other);
	const struct sites *sites = sample_store_sites(w.sample_store);
	cr_assert_eq(sites->count, 6u, "the last resort, four ranges, another site");
	for (uint32_t i = 1; i < 5; i++)
		cr_assert_eq(sites->items[i].head, 1u);
	cr_assert_eq(sites->items[5].head, 5u);
	uint32_t count;
	const struct tracked *l = sample_store_live(w.sample_store, &count);
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(l[i].old, i == 5, "only humongous ones are not young");
	sample_store_site(w.sample_store, 1)->tile = 7;
	struct stack_table *to = stack_table_create(1 << 18);
	cr_assert(sample_store_move(w.sample_store, to));
	stack_table_destroy(w.stack_table);
	w.stack_table = to;
	sites = sample_store_sites(w.sample_store);
	l = sample_store_live(w.sample_store, &count);
	const uint32_t head = sites->items[l[0].site].head;
	cr_assert_eq(sites->items[head].tile, 7u);
	for (uint32_t i = 0; i < 6; i++) {
		cr_assert_eq(sites->items[l[i].site].head, head);
		cr_assert_eq(sites->items[l[i].site].key.range, ranges[i]);
	}
	cr_assert_eq(sites->items[l[5].site].key.place, &humongous);
	cr_assert_neq(sites->items[l[6].site].head, head);
	end(&w);
}
