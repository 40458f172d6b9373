/* Call sites out of a profile: grouping, runtime frames, filter (S6, S8). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "sites_index.h"
#include "ui_profile.h"

static struct sites_index ix;
static struct sites sites;
static struct sites_filter filter;
static struct gcs_profile *profile;

static void tear_down(void)
{
	sites_fini(&sites);
	sites_index_fini(&ix);
	sites_filter_fini(&filter);
	gcs_profile_free(profile);
	profile = NULL;
}

static void build(bool runtime_frame, const char *typed)
{
	sites_fini(&sites);
	sites_index_fini(&ix);
	sites_filter_fini(&filter);
	sites_filter_init(&filter, typed);
	cr_assert(sites_index_init(&ix, profile, runtime_frame));
	cr_assert(sites_init(&sites, &ix, &filter));
}

/* The sites and the part of the bytes, in percent, that a filter lets pass. */
static void expect(const char *typed, uint32_t count, double percent)
{
	build(false, typed);
	cr_assert_eq(sites.count, count, "%s: %u", typed, sites.count);
	double found = sites.bytes / sites.all_bytes * 100;
	cr_assert(fabs(found - percent) < 0.05, "%s: %f", typed, found);
}

Test(sites, entries_with_one_stack_and_class_are_one_site, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	cr_assert_eq(sites.count, 10u);
	double bytes = 0;
	uint64_t samples = 0;
	for (uint32_t i = 0; i < sites.count; i++) {
		bytes += sites.site[i].bytes;
		samples += sites.site[i].samples;
	}
	cr_assert_eq(samples, gcs_profile_entry_count(profile));
	cr_assert(fabs(bytes - sites.all_bytes) < 1);
	const struct site *first = &sites.site[0];
	cr_assert_str_eq(gcs_profile_name(profile, first->class_name), "byte[]");
	cr_assert_str_eq(sites_top(&ix, first)->method, "copyOf");
	cr_assert_eq(first->samples, 61u);
	/* Estimates and variances of independent samples add up. */
	const struct gcs_profile_entry *e = gcs_profile_entry(profile, first->entry);
	cr_assert(fabs(first->bytes - 61 * e->bytes) < 1);
	cr_assert(fabs(first->bytes_variance - 61 * e->bytes_variance) < 1e6);
	cr_assert(first->age >= 1 && first->age <= 3);
}

/* Slow and obvious: the class and the content of all frames, one after the other. */
static bool same_site(uint32_t a, uint32_t b)
{
	const struct gcs_profile_entry *x = gcs_profile_entry(profile, a);
	const struct gcs_profile_entry *y = gcs_profile_entry(profile, b);
	if (strcmp(gcs_profile_name(profile, x->class_name),
		gcs_profile_name(profile, y->class_name)) != 0)
		return false;
	uint32_t s = x->stack, t = y->stack;
	while (s != GCS_NONE && t != GCS_NONE) {
		const struct gcs_stack *p = gcs_profile_stack(profile, s);
		const struct gcs_stack *q = gcs_profile_stack(profile, t);
		const struct gcs_frame *f = gcs_profile_frame(profile, p->frame);
		const struct gcs_frame *g = gcs_profile_frame(profile, q->frame);
		if (strcmp(f->class_name, g->class_name) != 0 || f->line != g->line)
			return false;
		s = p->parent;
		t = q->parent;
	}
	return s == t;
}

static void random_profile(uint64_t *state)
{
	static const char *const words[] = {"a.A", "b.B", "a.A", "c.C$D", "b.B"};
	struct gcs_profile_head head = {.server = "", .as_of = ""};
	profile = gcs_profile_create(&head);
	for (uint32_t i = 0; i < 5; i++)
		gcs_profile_add_name(profile, words[i]);
	for (uint32_t i = 0; i < 12; i++) {
		struct gcs_frame f = {
		    words[kit_below(state, 5)], "m", "F", kit_below(state, 2), GCS_FRAME_JAVA};
		gcs_profile_add_frame(profile, &f);
	}
	for (uint32_t i = 0; i < 60; i++) {
		struct gcs_stack s = {
		    i == 0 || kit_below(state, 4) == 0 ? GCS_NONE : kit_below(state, i),
		    kit_below(state, 12)};
		gcs_profile_add_stack(profile, &s);
	}
	for (uint32_t i = 0; i < 200; i++) {
		struct gcs_profile_entry e = {
		    .stack = kit_below(state, 9) == 0 ? GCS_NONE : kit_below(state, 60),
		    .class_name = kit_below(state, 5),
		    .thread = kit_below(state, 5),
		    .samples = 1,
		    .bytes = 1 + kit_below(state, 100),
		    .objects = 1};
		cr_assert(gcs_profile_add_entry(profile, &e));
	}
}

Test(sites, random_profiles_are_grouped_as_by_hand, .fini = tear_down)
{
	uint64_t state = kit_seed();
	for (int round = 0; round < 20; round++) {
		random_profile(&state);
		build(true, "");
		for (uint32_t a = 0; a < 200; a++) {
			for (uint32_t b = a; b < 200; b++)
				cr_assert_eq(sites.of_entry[a] == sites.of_entry[b],
				    same_site(a, b), "entries %u and %u", a, b);
		}
		gcs_profile_free(profile);
		profile = NULL;
	}
}

Test(sites, runtime_frame_is_hidden_and_shown, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	const struct site *chars = &sites.site[2];
	cr_assert_eq(ix.node[chars->node].depth, 6u, "8 frames, of them 2 of reflection");
	build(true, "");
	cr_assert_eq(ix.node[sites.site[2].node].depth, 8u);
}

Test(sites, a_stack_of_plumbing_alone_keeps_its_youngest_frame, .fini = tear_down)
{
	struct gcs_profile_head head = {.server = "", .as_of = ""};
	profile = gcs_profile_create(&head);
	struct gcs_frame f = {"libjvm.so", "thread_entry", "", 0, GCS_FRAME_VM};
	gcs_profile_add_frame(profile, &f);
	f.method = "make";
	gcs_profile_add_frame(profile, &f);
	gcs_profile_add_name(profile, "x");
	gcs_profile_add_stack(profile, &(struct gcs_stack){GCS_NONE, 0});
	gcs_profile_add_stack(profile, &(struct gcs_stack){0, 1});
	gcs_profile_add_entry(profile, &(struct gcs_profile_entry){.stack = 1, .samples = 1});
	build(false, "");
	cr_assert_eq(sites.count, 1u);
	cr_assert_str_eq(sites_top(&ix, &sites.site[0])->method, "make");
	cr_assert_eq(ix.node[sites.site[0].node].depth, 1u);
}

Test(sites, filter_looks_at_class_method_and_thread, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	expect("", 10, 100);
	build(false, "class:hashmap$node");
	cr_assert_eq(sites.count, 2u, "HashMap$Node[] and ConcurrentHashMap$Node");
	build(false, "method: HASHMAP.PUTVAL");
	cr_assert_eq(sites.count, 2u);
	build(false, "thread:cache-warmer");
	cr_assert_eq(sites.count, 1u);
	cr_assert_eq(sites.site[0].samples, 6u, "of 7, one in four is another thread's");
	build(false, "shop.model");
	cr_assert_eq(sites.count, 2u, "in the class, and in a frame");
	expect("nowhere", 0, 0);
	build(false, "class:/^(int|byte)\\[\\]$");
	cr_assert_eq(sites.count, 3u);
	build(false, "/OrderReader.run$");
	cr_assert_eq(sites.count, 2u, "a pattern minds capital letters");
	build(false, "/orderreader");
	cr_assert_eq(sites.count, 0u);
	/* Filters find hidden frames too: what is hidden is still called. */
	build(false, "LambdaForm");
	cr_assert_eq(sites.count, 1u);
}

Test(sites, a_pattern_that_is_none_lets_all_pass_and_says_why, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "/a(b");
	cr_assert(strstr(filter.error, "invalid pattern: ") == filter.error, "%s", filter.error);
	cr_assert_eq(sites.count, 10u);
	build(false, "/");
	cr_assert(filter.error[0] == 0 && sites.count == 10);
}

Test(sites, keys_are_the_same_in_the_next_profile, .fini = tear_down)
{
	struct gcs_profile *other = profile_shop(GCS_PROFILE_ALLOCATED, 3);
	struct sites_index index2;
	struct sites sites2;
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	cr_assert(sites_index_init(&index2, other, false) && sites_init(&sites2, &index2, NULL));
	for (uint32_t i = 0; i < sites.count; i++) {
		cr_assert_eq(sites.site[i].key, sites2.site[i].key);
		cr_assert(i == 0 || sites.site[i].key != sites.site[i - 1].key);
	}
	sites_fini(&sites2);
	sites_index_fini(&index2);
	gcs_profile_free(other);
}

Test(sites, absurd_profiles, .fini = tear_down)
{
	profile = profile_strange(GCS_PROFILE_LIVE);
	build(true, "");
	cr_assert_eq(sites.count, 9u);
	cr_assert_eq(ix.node[sites.site[0].node].depth, 5001u);
	cr_assert_eq(sites.site[3].node, GCS_NONE);
	cr_assert_null(sites_top(&ix, &sites.site[3]));
	for (uint32_t i = 0; i < sites.count; i++)
		cr_assert(isfinite(sites.site[i].age) && isfinite(sites.site[i].lifetime));
	build(false, "Long");
	cr_assert_gt(sites.count, 0u);
	gcs_profile_free(profile);
	profile = profile_empty(GCS_PROFILE_LIVE, 0);
	build(false, "x");
	cr_assert(sites.count == 0 && sites.all_bytes == 0);
}
