/* What samples add up to: estimates, the live table under its budget, garbage, and the move to
 * another depot. Objects, interval and chance are the test's own; the truth is known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tally.h"

struct world {
	struct depot *depot;
	struct tally *tally;
	uint64_t random;
	uint64_t id;
	double next; /* bytes until the geometric sampler's next point */
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
    struct world *w, size_t live_bytes, uint32_t sites, size_t depot_bytes, uint64_t seed)
{
	struct tally_limits limits = {
	    .live_bytes = live_bytes, .sites = sites, .recent = 10, .frequent = 50, .seed = seed};
	*w = (struct world){.depot = depot_create(depot_bytes), .random = 88172645463325252u};
	w->tally = tally_create(&limits, w->depot);
	cr_assert_not_null(w->tally);
}

static void begin(struct world *w, size_t live_bytes, uint32_t sites, size_t depot_bytes)
{
	begin_seeded(w, live_bytes, sites, depot_bytes, 1);
}

static void end(struct world *w)
{
	tally_destroy(w->tally);
	depot_destroy(w->depot);
}

static uint32_t text(struct world *w, const char *words)
{
	return depot_text(tally_depot(w->tally), words, strlen(words));
}

static uint32_t stack_of(struct world *w, uint32_t number)
{
	struct depot *d = tally_depot(w->tally);
	struct depot_frame f = {.class_name = text(w, "C"),
	    .method = text(w, "m"),
	    .file = text(w, "C.java"),
	    .line = number + 1};
	struct depot_stack s = {DEPOT_NONE, depot_add_frame(d, &f)};
	return depot_add_stack(d, &s);
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
	    .keep = tally_threshold(w->tally),
	    .id = ++w->id,
	    .size = size,
	    .interval = interval,
	};
	s.no_room = s.stack == DEPOT_NONE;
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
	tally_add(w->tally, &s);
	return true;
}

Test(agent_tally, estimates_are_unbiased_for_all_sizes)
{
	static const uint64_t sizes[] = {16, 24, 160, 4096, 65536, 300000, 1048576};
	enum { SITES = sizeof sizes / sizeof sizes[0] };
	double truth[SITES] = {0};
	unsigned covered = 0;
	struct world w;
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
		uint32_t site = sites_find((struct sites *)tally_sites(w.tally), stack_of(&w, k),
		    text(&w, "byte[]"), text(&w, "main"));
		cr_assert(site != GCS_NONE);
		const struct estimate *e = &tally_sites(w.tally)->items[site].allocated;
		double error = fabs(e->bytes - truth[k]);
		cr_assert(error < 0.15 * truth[k], "%lu bytes: %.0f instead of %.0f",
		    (unsigned long)sizes[k], e->bytes, truth[k]);
		covered += error <= 1.96 * sqrt(e->bytes_variance);
		cr_assert(fabs(e->objects * (double)sizes[k] - e->bytes) < 1e-6 * e->bytes);
	}
	cr_assert(covered >= SITES - 1, "%u of %u inside their interval", covered, (unsigned)SITES);
	end(&w);
}

static double live_bytes(const struct tally *t)
{
	uint32_t count;
	const struct tracked *l = tally_live(t, &count);
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += estimate_of(l[i].size, l[i].p * ((double)l[i].keep / 4294967296.0)).bytes;
	return sum;
}

Test(agent_tally, the_budget_leaves_an_unbiased_part)
{
	struct world w;
	begin(&w, 400 * sizeof(struct tracked), 100, 1 << 20);
	double truth = 0;
	for (int i = 0; i < 20000; i++) {
		uint64_t size = i % 3 == 0 ? 64 : 1024;
		struct sample s = sample_at(&w, (uint32_t)i % 5, size, 4096, 0);
		tally_add(w.tally, &s);
		truth += estimate_of(size, sample_probability(size, 4096)).bytes;
	}
	uint32_t count;
	(void)tally_live(w.tally, &count);
	const struct tally_counts *c = tally_counts(w.tally);
	cr_assert(count <= 400 && count > 100);
	cr_assert_eq(c->dropped + count, 20000u);
	cr_assert(fabs(live_bytes(w.tally) - truth) < 0.2 * truth, "%.0f instead of %.0f",
	    live_bytes(w.tally), truth);
	/* Every reference that was let go is to be deleted, and none of those that are kept. */
	struct discards *d = tally_discards(w.tally);
	const struct tracked *l = tally_live(w.tally, &count);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < d->count; k++)
			cr_assert_neq(l[i].weak, d->items[k]);
	end(&w);
}

Test(agent_tally, the_threshold_rises_again_when_there_is_room)
{
	struct world w;
	begin(&w, 128 * sizeof(struct tracked), 100, 1 << 20);
	for (int i = 0; i < 5000; i++) {
		struct sample s = sample_at(&w, 0, 64, 4096, 0);
		tally_add(w.tally, &s);
	}
	cr_assert(tally_threshold(w.tally) < (uint64_t)1 << 30);
	uint32_t count;
	while (tally_live(w.tally, &count), count != 0)
		tally_bury(w.tally, count - 1, 1);
	cr_assert_eq(tally_threshold(w.tally), (uint64_t)1 << 32);
	end(&w);
}

Test(agent_tally, the_dead_have_ages_and_lifetimes)
{
	struct world w;
	begin(&w, 1 << 20, 100, 1 << 20);
	for (uint32_t i = 0; i < 30; i++) {
		struct sample s = sample_at(&w, 0, 1000, 1, i / 10);
		tally_add(w.tally, &s);
	}
	/* Born after 0, 1 and 2 collections; all found dead at the fourth. */
	uint32_t count;
	while (tally_live(w.tally, &count), count != 0)
		tally_bury(w.tally, count - 1, 4);
	const struct site *site = &tally_sites(w.tally)->items[1];
	for (uint32_t age = 1; age <= 3; age++)
		cr_assert_float_eq(site->died_bytes[gcs_survival_bucket(age)], 10000, 1e-6);
	cr_assert_float_eq(site->age_sum / site->died_objects, 2, 1e-9);
	/* The newest in front; the ring has ten places. */
	cr_assert_eq(tally_recent(w.tally, 0)->was.id, 1u);
	cr_assert_eq(tally_recent(w.tally, 9)->was.id, 10u);
	cr_assert_null(tally_recent(w.tally, 10));
	cr_assert_eq(tally_recent(w.tally, 0)->age, 3u);
	cr_assert_eq(tally_recent(w.tally, 0)->lifetime_bytes, 29000u);
	cr_assert_eq(tally_counts(w.tally)->garbage_seen, 30u);
	cr_assert_not_null(tally_frequent(w.tally, 29));
	end(&w);
}

/* S4: whatever died, early or late, has the same chance to be in the reservoir. */
Test(agent_tally, the_reservoir_is_a_uniform_sample)
{
	unsigned quarters[4] = {0};
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct world w;
		begin_seeded(&w, 1 << 20, 100, 1 << 20, seed * 7919);
		for (uint32_t i = 0; i < 2000; i++) {
			struct sample s = sample_at(&w, i % 2, 64, 1, 0);
			tally_add(w.tally, &s);
			tally_bury(w.tally, 0, 1);
		}
		for (uint32_t i = 0; i < 50; i++)
			quarters[(tally_frequent(w.tally, i)->was.id - 1) / 500]++;
		end(&w);
	}
	/* 500 of 2,000 each; the deviation is 19. */
	for (int i = 0; i < 4; i++)
		cr_assert(
		    quarters[i] > 400 && quarters[i] < 600, "%u of quarter %d", quarters[i], i);
}

static double total(const struct tally *t, bool *others)
{
	const struct sites *s = tally_sites(t);
	double sum = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		sum += s->items[i].allocated.bytes;
		const struct depot_stack *stack = depot_stack(tally_depot(t), s->items[i].stack);
		const char *name = stack == NULL
				       ? ""
				       : depot_name(tally_depot(t),
					     depot_frame(tally_depot(t), stack->frame)->method);
		*others = *others ||
			  (strcmp(name, "[other call sites]") == 0 && s->items[i].samples != 0);
	}
	return sum;
}

Test(agent_tally, a_move_loses_no_bytes_and_no_live_sample)
{
	struct world w;
	bool others = false;
	begin(&w, 1 << 20, 400, 1 << 18);
	for (uint32_t i = 0; !tally_crowded(w.tally); i++) {
		cr_assert(i < 100000);
		struct sample s = sample_at(&w, i, 64 + i, 1, 0);
		tally_add(w.tally, &s);
		if (i >= 20)
			tally_bury(w.tally, 20, 1);
	}
	bool before_others = false;
	double before = total(w.tally, &before_others);
	struct depot *to = depot_create(1 << 18);
	cr_assert(tally_move(w.tally, to));
	depot_destroy(w.depot);
	w.depot = to;
	cr_assert_float_eq(total(w.tally, &others), before, before * 1e-9);
	cr_assert(others && tally_counts(w.tally)->elsewhere > 0);
	cr_assert_not(tally_crowded(w.tally));
	uint32_t count;
	const struct tracked *l = tally_live(w.tally, &count);
	cr_assert_eq(count, 20u);
	for (uint32_t i = 0; i < count; i++) {
		const struct site *site = &tally_sites(w.tally)->items[l[i].site];
		const struct depot_stack *stack = depot_stack(to, site->stack);
		cr_assert_eq(depot_frame(to, stack->frame)->line, (uint32_t)l[i].id);
		cr_assert_str_eq(depot_name(to, l[i].thread), "main");
	}
	cr_assert_eq(depot_frame(to,
			 depot_stack(to,
			     tally_sites(w.tally)->items[tally_recent(w.tally, 0)->was.site].stack)
			     ->frame)
			 ->line,
	    (uint32_t)tally_recent(w.tally, 0)->was.id);
	end(&w);
}

Test(agent_tally, what_finds_no_place_is_counted)
{
	struct world w;
	bool others = false;
	begin(&w, 1 << 20, 10, 1 << 20);
	for (uint32_t i = 0; i < 100; i++) {
		struct sample s = sample_at(&w, i, 100, 1, 0);
		tally_add(w.tally, &s);
	}
	struct estimate lost = {.bytes = 500, .objects = 5};
	tally_add_lost(w.tally, &lost, 2);
	cr_assert_float_eq(total(w.tally, &others), 10000, 1e-6);
	cr_assert_eq(tally_counts(w.tally)->samples, 102u);
	cr_assert_float_eq(tally_counts(w.tally)->allocated.bytes, 10500, 1e-6);
	cr_assert(tally_counts(w.tally)->elsewhere >= 90);
	end(&w);
}
