/* Call sites out of a profile: grouping, runtime frames, filter (S6, S8). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit.h"
#include "sites.h"
#include "sites_filter.h"
#include "ui_profile.h"

static struct gcs_sites *sites;
static struct sites_found found;
static struct sites_filter filter;
static struct gcs_profile *profile;

static void tear_down(void)
{
	gcs_sites_free(sites);
	sites_found_fini(&found);
	sites_filter_fini(&filter);
	gcs_profile_free(profile);
	sites = NULL;
	profile = NULL;
}

static void build(bool runtime_frame, const char *typed)
{
	struct gcs_error err;
	gcs_sites_free(sites);
	sites_found_fini(&found);
	sites_filter_fini(&filter);
	sites_filter_init(&filter, typed);
	cr_assert(sites_found_init(&found, profile, &filter));
	const struct gcs_site_filter chosen = {
	    .all_frames = runtime_frame, .selects = sites_found_has, .context = &found};
	sites = gcs_sites_create(profile, &chosen, &err);
	cr_assert_not_null(sites, "%s", err.text);
}

static uint32_t count(void)
{
	return gcs_sites_count(sites);
}

static const struct gcs_site *of_class(const char *name)
{
	for (uint32_t i = 0; i < count(); i++)
		if (strcmp(gcs_sites_at(sites, i)->class_name, name) == 0)
			return gcs_sites_at(sites, i);
	cr_assert_fail("%s", name);
	return NULL;
}

static const struct gcs_frame *top(const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	return gcs_sites_caller(sites, &stack);
}

static uint32_t depth(const struct gcs_site *site)
{
	uint32_t n = 0, stack = site->stack;
	while (gcs_sites_caller(sites, &stack) != NULL)
		n++;
	return n;
}

static double all_bytes(void)
{
	double bytes = 0;
	for (uint32_t i = 0; i < gcs_profile_entry_count(profile); i++)
		bytes += gcs_profile_entry(profile, i)->bytes;
	return bytes;
}

/* The sites and the part of the bytes, in percent, that a filter lets pass. */
static void expect(const char *typed, uint32_t sites_found, double percent)
{
	build(false, typed);
	cr_assert_eq(count(), sites_found, "%s: %u", typed, count());
	double part = gcs_sites_total(sites)->bytes / all_bytes() * 100;
	cr_assert(fabs(part - percent) < 0.05, "%s: %f", typed, part);
}

Test(sites, entries_with_one_stack_and_class_are_one_site, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	cr_assert_eq(count(), 10u);
	double bytes = 0;
	uint64_t samples = 0;
	for (uint32_t i = 0; i < count(); i++) {
		bytes += gcs_sites_at(sites, i)->bytes;
		samples += gcs_sites_at(sites, i)->samples;
	}
	cr_assert_eq(samples, gcs_profile_entry_count(profile));
	cr_assert(fabs(bytes - all_bytes()) < 1);
	const struct gcs_site *first = gcs_sites_at(sites, 0);
	cr_assert_str_eq(first->class_name, "byte[]");
	cr_assert_str_eq(top(first)->method, "copyOf");
	cr_assert_eq(first->samples, 61u);
	/* Estimates and variances of independent samples add up. */
	const struct gcs_profile_entry *e = gcs_profile_entry(profile, 0);
	cr_assert(fabs(first->bytes - 61 * e->bytes) < 1);
	cr_assert(fabs(first->bytes_error * first->bytes_error - 61 * e->bytes_variance) < 1e6);
	cr_assert(first->mean_age >= 2 && first->mean_age <= 4);
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
		    .age = 1,
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
		uint64_t number[200];
		uint32_t different = 0;
		cr_assert(gcs_profile_site_numbers(profile, true, number));
		for (uint32_t a = 0; a < 200; a++) {
			bool first = true;
			for (uint32_t b = a; b < 200; b++)
				cr_assert_eq(number[a] == number[b], same_site(a, b),
				    "entries %u and %u", a, b);
			for (uint32_t b = 0; b < a; b++)
				first = first && number[a] != number[b];
			different += first;
		}
		cr_assert_eq(count(), different);
		gcs_profile_free(profile);
		profile = NULL;
	}
}

Test(sites, runtime_frame_is_hidden_and_shown, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	cr_assert_eq(depth(of_class("char[]")), 6u, "8 frames, of them 2 of reflection");
	build(true, "");
	cr_assert_eq(depth(of_class("char[]")), 8u);
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
	gcs_profile_add_entry(
	    profile, &(struct gcs_profile_entry){.stack = 1, .samples = 1, .age = 1});
	build(false, "");
	cr_assert_eq(count(), 1u);
	cr_assert_str_eq(top(gcs_sites_at(sites, 0))->method, "make");
	cr_assert_eq(depth(gcs_sites_at(sites, 0)), 1u);
}

Test(sites, filter_looks_at_class_method_and_thread, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	expect("", 10, 100);
	build(false, "class:hashmap$node");
	cr_assert_eq(count(), 2u, "HashMap$Node[] and ConcurrentHashMap$Node");
	build(false, "method: HASHMAP.PUTVAL");
	cr_assert_eq(count(), 2u);
	build(false, "thread:cache-warmer");
	cr_assert_eq(count(), 1u);
	cr_assert_eq(gcs_sites_at(sites, 0)->samples, 6u, "of 7, one in four is another thread's");
	build(false, "shop.model");
	cr_assert_eq(count(), 2u, "in the class, and in a frame");
	expect("nowhere", 0, 0);
	build(false, "class:/^(int|byte)\\[\\]$");
	cr_assert_eq(count(), 3u);
	build(false, "/OrderReader.run$");
	cr_assert_eq(count(), 2u, "a pattern minds capital letters");
	build(false, "/orderreader");
	cr_assert_eq(count(), 0u);
	/* Filters find hidden frames too: what is hidden is still called. */
	build(false, "LambdaForm");
	cr_assert_eq(count(), 1u);
}

Test(sites, a_pattern_that_is_none_lets_all_pass_and_says_why, .fini = tear_down)
{
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "/a(b");
	cr_assert(strstr(filter.error, "invalid pattern: ") == filter.error, "%s", filter.error);
	cr_assert_eq(count(), 10u);
	build(false, "/");
	cr_assert(filter.error[0] == 0 && count() == 10);
}

Test(sites, keys_are_the_same_in_the_next_profile, .fini = tear_down)
{
	struct gcs_profile *other = profile_shop(GCS_PROFILE_ALLOCATED, 3);
	profile = profile_shop(GCS_PROFILE_LIVE, 0);
	build(false, "");
	struct gcs_sites *later = gcs_sites_create(other, NULL, NULL);
	cr_assert_eq(gcs_sites_count(later), count());
	for (uint32_t i = 0; i < count(); i++) {
		const uint64_t number = gcs_site_number(sites, gcs_sites_at(sites, i));
		uint32_t same = 0, again = 0;
		for (uint32_t k = 0; k < count(); k++) {
			again += gcs_site_number(sites, gcs_sites_at(sites, k)) == number;
			same += gcs_site_number(later, gcs_sites_at(later, k)) == number;
		}
		cr_assert(same == 1 && again == 1);
	}
	gcs_sites_free(later);
	gcs_profile_free(other);
}

Test(sites, absurd_profiles, .fini = tear_down)
{
	profile = profile_strange(GCS_PROFILE_LIVE);
	build(true, "");
	cr_assert_eq(count(), 9u);
	cr_assert_eq(depth(gcs_sites_at(sites, 0)), 5001u);
	cr_assert_eq(of_class("")->stack, GCS_NONE);
	cr_assert_null(top(of_class("")));
	for (uint32_t i = 0; i < count(); i++)
		cr_assert(isfinite(gcs_sites_at(sites, i)->mean_age) &&
			  isfinite(gcs_sites_at(sites, i)->mean_lifetime));
	build(false, "Long");
	cr_assert_gt(count(), 0u);
	gcs_profile_free(profile);
	profile = profile_empty(GCS_PROFILE_LIVE, 0);
	build(false, "x");
	cr_assert(count() == 0 && gcs_sites_total(sites)->bytes == 0);
}
