/* The error of a change between two profiles of one run: what is in both cancels (S8). */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "calltree.h"
#include "kit.h"
#include "sites.h"

#define WALL  INT64_C(1767323045000000000)
#define SINCE (WALL - INT64_C(60000000000))

/* A sample of an object of `size` bytes, of `weight` of which each stands for. */
struct sampled {
	uint64_t id;
	const char *class_name;
	double size, weight;
	uint32_t age;
	const char *region;
};

struct made {
	const struct sampled *samples;
	uint32_t count;
	uint64_t judged, used;
	int64_t since;
	const char *server;
};

static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
}

static void teardown(void)
{
	cr_assert_eq(kit_live_blocks(), 0);
}

#define PairsTest(name) Test(sites_pairs, name, .init = setup, .fini = teardown)

static struct gcs_profile *begin(uint64_t judged, uint64_t used, int64_t since, const char *server)
{
	struct gcs_profile *p =
	    gcs_profile_create(&(struct gcs_profile_head){.kind = GCS_PROFILE_LIVE,
		.server = server,
		.as_of = "now",
		.interval = 1024,
		.wall_ns = WALL,
		.since_wall_ns = since,
		.judged = {judged, WALL + (int64_t)judged * INT64_C(1000000000), "Full"},
		.used_bytes = used});
	const struct gcs_frame f = {.class_name = "C", .method = "m", .file = "C.java"};
	cr_assert_not_null(p);
	cr_assert_eq(gcs_profile_add_frame(p, &f), 0);
	cr_assert_eq(gcs_profile_add_stack(p, &(struct gcs_stack){.parent = GCS_NONE}), 0);
	return p;
}

static double variance(const struct sampled *s)
{
	return s->size * s->size * s->weight * (s->weight - 1);
}

static void add(struct gcs_profile *p, const struct sampled *s)
{
	const struct gcs_profile_entry e = {.stack = 0,
	    .class_name = gcs_profile_add_name(p, s->class_name),
	    .thread = gcs_profile_add_name(p, "main"),
	    .samples = 1,
	    .bytes = s->size * s->weight,
	    .bytes_variance = variance(s),
	    .objects = s->weight,
	    .objects_variance = s->weight * (s->weight - 1),
	    .age = s->age,
	    .region = s->region == NULL ? 0 : gcs_profile_add_name(p, s->region) + 1,
	    .id = s->id,
	    .size = (uint64_t)s->size};
	cr_assert(gcs_profile_add_entry(p, &e));
}

static struct gcs_profile *make(const struct made *m)
{
	struct gcs_profile *p = begin(m->judged, m->used, m->since == 0 ? SINCE : m->since,
	    m->server == NULL ? "Test" : m->server);
	for (uint32_t i = 0; i < m->count; i++)
		add(p, &m->samples[i]);
	return p;
}

/* A comparison with all that it borrows. */
struct compared {
	struct gcs_profile *profile[2];
	struct gcs_sites *sites[2];
	struct gcs_comparison *changes;
};

static struct compared compare_with(
    struct made before, struct made after, const struct gcs_site_filter *filter)
{
	before.judged = 1;
	after.judged = 2;
	struct compared c = {.profile = {make(&before), make(&after)}};
	for (int i = 0; i < 2; i++)
		cr_assert_not_null(c.sites[i] = gcs_sites_create(c.profile[i], filter, &err));
	cr_assert_not_null(c.changes = gcs_sites_compare(c.sites[0], c.sites[1], &err));
	return c;
}

static struct compared compare(struct made before, struct made after)
{
	return compare_with(before, after, NULL);
}

static void end(struct compared *c)
{
	gcs_comparison_free(c->changes);
	for (int i = 0; i < 2; i++) {
		gcs_sites_free(c->sites[i]);
		gcs_profile_free(c->profile[i]);
	}
}

/* The change of a class; of everything for "". */
static const struct gcs_change *change_of(const struct compared *c, const char *class_name)
{
	for (uint32_t i = 0; class_name[0] != '\0' && i < gcs_comparison_count(c->changes); i++) {
		const struct gcs_change *one = gcs_comparison_at(c->changes, i);
		const struct gcs_site *site = one->after != NULL ? one->after : one->before;
		if (strcmp(site->class_name, class_name) == 0)
			return one;
	}
	cr_assert_str_eq(class_name, "");
	return gcs_comparison_total(c->changes);
}

static void has_error(const struct compared *c, const char *class_name, double bytes_variance)
{
	const double error = change_of(c, class_name)->bytes_error;
	cr_assert_float_eq(error * error, bytes_variance, 1e-9 * bytes_variance + 1e-9,
	    "%s: %g, not %g", class_name, error * error, bytes_variance);
}

#define SAMPLES(...)                                                                               \
	(struct made)                                                                              \
	{                                                                                          \
		.samples = (const struct sampled[]){__VA_ARGS__},                                  \
		.count = sizeof((const struct sampled[]){__VA_ARGS__}) / sizeof(struct sampled)    \
	}

static const struct sampled a1 = {1, "A", 100, 10, 2, "Old"}, a2 = {2, "A", 200, 5, 2, "Old"},
			    a4 = {4, "A", 50, 20, 1, "Old"}, b3 = {3, "B", 300, 4, 1, "Old"},
			    c5 = {5, "C", 100, 10, 1, "Old"};

PairsTest(samples_in_both_cancel)
{
	struct compared c = compare(SAMPLES(a1, a2, b3), SAMPLES(b3, a4, a1, c5));
	kit_near(change_of(&c, "A")->bytes, 0);
	has_error(&c, "A", variance(&a2) + variance(&a4));
	has_error(&c, "C", variance(&c5));
	has_error(&c, "", variance(&a2) + variance(&a4) + variance(&c5));
	const double objects = change_of(&c, "A")->objects_error;
	kit_near(objects * objects, 5 * 4 + 20 * 19);
	end(&c);
}

/* That no sample came or went does not say that nothing did: a sample is the least. */
PairsTest(the_least_error_is_that_of_a_sample)
{
	struct compared c = compare(SAMPLES(a1, a2, b3), SAMPLES(a2, b3, a1));
	has_error(&c, "A", variance(&a1));
	has_error(&c, "B", variance(&b3));
	has_error(&c, "", variance(&b3));
	kit_near(change_of(&c, "")->bytes, 0);
	end(&c);
}

/* Objects that are all sampled have no error. */
PairsTest(what_is_certain_stays_certain)
{
	const struct sampled large = {7, "L", 1e6, 1, 1, NULL}, larger = {8, "L", 2e6, 1, 1, NULL};
	struct compared c = compare(SAMPLES(large), SAMPLES(large, larger));
	has_error(&c, "L", 0);
	kit_near(change_of(&c, "L")->bytes, 2e6);
	end(&c);
}

static void is_old_formula(struct made before, struct made after)
{
	struct compared c = compare(before, after);
	has_error(&c, "A", 2 * variance(&a1) + variance(&a2));
	has_error(&c, "", 2 * variance(&a1) + variance(&a2) + 2 * variance(&b3));
	end(&c);
}

PairsTest(different_runs_share_nothing)
{
	struct made before = SAMPLES(a1, a2, b3), after = SAMPLES(a1, b3);
	before.since = SINCE - 1;
	is_old_formula(before, after);
	before.since = 0;
	before.server = "Other";
	is_old_formula(before, after);
	struct sampled none[] = {a1, a2, b3};
	for (int i = 0; i < 3; i++)
		none[i].id = 0;
	before = SAMPLES(none[0], none[1], none[2]);
	is_old_formula(before, after);
	is_old_formula(before, SAMPLES(none[0], none[2]));
}

/* Downsampling raises the weights of those that stay: (W - w)² + s (W - w) is left. */
PairsTest(samples_with_new_weights_cancel_in_part)
{
	struct sampled heavy = a1, light = a1;
	heavy.weight = 40;
	for (int turned = 0; turned < 2; turned++) {
		const struct made one = SAMPLES(light, a2), two = SAMPLES(heavy, a2);
		struct compared c = turned ? compare(two, one) : compare(one, two);
		kit_near(change_of(&c, "A")->bytes, turned ? -3000 : 3000);
		has_error(&c, "A", fmax(3000.0 * 3000 + 100 * 3000, variance(&heavy)));
		end(&c);
	}
	/* Enough of them to be above the least error. */
	struct sampled was[3] = {light, light, light}, is[3] = {heavy, heavy, heavy};
	for (uint64_t i = 0; i < 3; i++)
		was[i].id = is[i].id = 10 + i;
	struct compared c = compare(SAMPLES(was[0], was[1], was[2]), SAMPLES(is[2], is[1], is[0]));
	has_error(&c, "A", 3 * (3000.0 * 3000 + 100 * 3000));
	const double objects = change_of(&c, "")->objects_error;
	kit_near(objects * objects, 3 * (30.0 * 30 + 30));
	end(&c);
}

/* More than the heap uses: figures are reduced by a factor, here to a half and to a quarter. */
PairsTest(factors_that_differ_leave_their_difference)
{
	const struct sampled big = {9, "A", 1000, 100, 1, NULL};
	struct made before = SAMPLES(big, c5), after = SAMPLES(big, c5);
	const double all = big.size * big.weight + c5.size * c5.weight;
	before.used = (uint64_t)(all / 2);
	after.used = (uint64_t)(all / 4);
	struct compared c = compare(before, after);
	kit_near(change_of(&c, "A")->bytes, -0.25 * big.size * big.weight);
	const double left = 0.25 * 0.25 * variance(&big), one = 0.5 * 0.5 * variance(&big);
	has_error(&c, "A", fmax(left, one));
	end(&c);
	struct sampled many[8];
	for (uint64_t i = 0; i < 8; i++) {
		many[i] = big;
		many[i].id = 20 + i;
	}
	before = SAMPLES(many[0], many[1], many[2], many[3], many[4], many[5], many[6], many[7]);
	after = before;
	before.used = (uint64_t)(8 * big.size * big.weight / 2);
	after.used = (uint64_t)(8 * big.size * big.weight / 8);
	c = compare(before, after);
	has_error(&c, "A", 8 * 0.375 * 0.375 * variance(&big));
	has_error(&c, "", 8 * 0.375 * 0.375 * variance(&big));
	end(&c);
}

/* A factor falls as samples come elsewhere: a row errs with its share of that. */
PairsTest(a_factor_errs_with_all_samples)
{
	const struct sampled base = {30, "A", 1000, 100, 1, NULL},
			     l1 = {31, "L", 100, 3000, 1, NULL}, l2 = {32, "L", 100, 3000, 1, NULL},
			     l3 = {33, "L", 100, 3000, 1, NULL};
	struct sampled many[4] = {base, base, base, base};
	for (uint64_t i = 0; i < 4; i++)
		many[i].id = 40 + i;
	struct made before = SAMPLES(many[0], many[1], many[2], many[3]);
	struct made after = SAMPLES(many[0], many[1], many[2], many[3], l1, l2, l3);
	before.used = after.used = 250000; /* of 400,000, and of 1,300,000 */
	struct compared c = compare(before, after);
	const double f = 250.0 / 400, g = 250.0 / 1300;
	const double row = 4 * (f - g) * (f - g) * variance(&base),
		     leak = 3 * g * g * variance(&l1);
	cr_assert_lt(change_of(&c, "A")->bytes, 0);
	cr_assert(leak > row && leak > f * f * variance(&base));
	has_error(&c, "A", leak);
	has_error(&c, "L", leak);
	end(&c);
}

/* What counts before, but not after, has gone, and the other way round. */
PairsTest(a_sample_that_is_not_selected_is_not_there)
{
	struct sampled fresh = a2, young = a4;
	fresh.age = 0;
	young.region = "Eden";
	struct compared c = compare(SAMPLES(a1, fresh), SAMPLES(a1, a2));
	kit_near(change_of(&c, "A")->bytes, 1000);
	has_error(&c, "A", fmax(variance(&a2), variance(&a1)));
	end(&c);
	const struct gcs_site_filter old = {.where = "old"};
	c = compare_with(SAMPLES(a1, a2, young), SAMPLES(a1, a2, a4), &old);
	kit_near(change_of(&c, "A")->bytes, 1000);
	has_error(&c, "A", variance(&a4));
	end(&c);
}

/* A sample whose call site was merged into others is in two rows, and once in the sum. */
PairsTest(a_sample_that_changes_its_row_is_in_both)
{
	struct sampled moved = a1;
	moved.class_name = "M";
	struct compared c = compare(SAMPLES(a1, a2, b3), SAMPLES(moved, a2, c5, b3));
	has_error(&c, "A", fmax(variance(&a1), variance(&a2)));
	has_error(&c, "M", variance(&a1));
	has_error(&c, "", fmax(variance(&c5), variance(&b3)));
	end(&c);
}

PairsTest(omitted_sites_count_in_the_sum)
{
	const struct gcs_site_filter largest = {.top = 1};
	struct compared c = compare_with(SAMPLES(a1, a2, b3), SAMPLES(b3, a1, a2, c5), &largest);
	cr_assert_eq(gcs_comparison_count(c.changes), 1);
	has_error(&c, "A", variance(&a1));
	has_error(&c, "", fmax(variance(&c5), variance(&b3)));
	end(&c);
}

/* Of hostile profiles. */
PairsTest(an_id_is_in_one_pair_only)
{
	struct sampled twin = a2;
	twin.id = a1.id;
	struct compared c = compare(SAMPLES(a1, twin), SAMPLES(a1, a1, twin));
	has_error(&c, "A", variance(&a1) + 2 * variance(&a2));
	end(&c);
	const struct sampled zero = {1, "A", 0, 0, 1, NULL}, huge = {1, "A", 1, 1e150, 1, NULL};
	c = compare(SAMPLES(zero), SAMPLES(huge));
	cr_assert(isfinite(change_of(&c, "")->bytes_error));
	end(&c);
}

PairsTest(a_tree_has_the_same_errors)
{
	struct compared c = compare(SAMPLES(a1, a2, b3), SAMPLES(b3, a4, a1, c5));
	for (int form = GCS_TREE_CALLEES; form <= GCS_TREE_CALLERS; form++) {
		const struct gcs_tree_options options = {
		    .form = (enum gcs_tree_form)form, .before = c.sites[0]};
		struct gcs_tree *t = gcs_tree_create_with(c.sites[1], &options, &err);
		kit_near(gcs_tree_node(t, 0)->bytes_variance,
		    variance(&a2) + variance(&a4) + variance(&c5));
		for (uint32_t i = 1; i < gcs_tree_count(t); i++) {
			const struct gcs_node *node = gcs_tree_node(t, i);
			if (strcmp(node->name, "A") == 0)
				kit_near(node->bytes_variance, variance(&a2) + variance(&a4));
			if (strcmp(node->name, "B") == 0)
				kit_near(node->bytes_variance, variance(&b3));
		}
		gcs_tree_free(t);
	}
	end(&c);
}

Test(sites_pairs_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	struct gcs_profile *before = make(&SAMPLES(a1, a2, b3)),
			   *after = make(&SAMPLES(b3, c5, a1));
	for (size_t allowed = 0;; allowed++) {
		kit_fail_after(allowed);
		struct gcs_sites *b = gcs_sites_create(before, NULL, &err);
		struct gcs_sites *a = b == NULL ? NULL : gcs_sites_create(after, NULL, &err);
		struct gcs_comparison *c = a == NULL ? NULL : gcs_sites_compare(b, a, &err);
		const struct gcs_tree_options options = {.before = b};
		struct gcs_tree *t = c == NULL ? NULL : gcs_tree_create_with(a, &options, &err);
		const bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert_eq(failed, t == NULL, "after %zu allocations", allowed);
		gcs_tree_free(t);
		gcs_comparison_free(c);
		gcs_sites_free(a);
		gcs_sites_free(b);
		if (!failed)
			break;
	}
	gcs_profile_free(before);
	gcs_profile_free(after);
	cr_assert_eq(kit_live_blocks(), 0);
}

/*
 * Simulated runs: most objects are in both profiles, some went, and some came; `kept` of the samples
 * are left after downsampling between the two.
 */
enum { RUNS = 1500, STEADY = 6000, WENT = 500, CAME = 900 };

static double uniform(uint64_t *random)
{
	return (double)(kit_random(random) >> 11) * 0x1p-53;
}

static double size_of(int number)
{
	return 200 + 100 * (number % 17);
}

static struct compared run(double kept, uint64_t *random)
{
	enum { INTERVAL = 20000 };
	struct compared c = {.profile = {begin(1, 0, SINCE, "Test"), begin(2, 0, SINCE, "Test")}};
	for (int i = 0; i < STEADY + WENT + CAME; i++) {
		const double size = size_of(i), p = -expm1(-size / INTERVAL);
		const double sampled = uniform(random), priority = uniform(random);
		struct sampled s = {(uint64_t)i + 1, i % 3 == 0 ? "A" : "B", size, 1 / p, 1, NULL};
		if (sampled < p && i < STEADY + WENT)
			add(c.profile[0], &s);
		s.weight /= kept;
		if (sampled < p && priority < kept && (i < STEADY || i >= STEADY + WENT))
			add(c.profile[1], &s);
	}
	for (int i = 0; i < 2; i++)
		c.sites[i] = gcs_sites_create(c.profile[i], NULL, &err);
	c.changes = gcs_sites_compare(c.sites[0], c.sites[1], &err);
	return c;
}

static double true_change(void)
{
	double sum = 0;
	for (int i = STEADY; i < STEADY + WENT + CAME; i++)
		sum += i < STEADY + WENT ? -size_of(i) : size_of(i);
	return sum;
}

/* The share of runs whose change is within two errors, which the sum of both errors' squares exceeds. */
static double covered(double kept, double *shrinks)
{
	uint64_t random = 20260711;
	int within = 0;
	double errors = 0, sums = 0;
	for (int i = 0; i < RUNS; i++) {
		struct compared c = run(kept, &random);
		const struct gcs_change *total = gcs_comparison_total(c.changes);
		within += fabs(total->bytes - true_change()) <= 2 * total->bytes_error;
		errors += total->bytes_error;
		sums += hypot(total->before->bytes_error, total->after->bytes_error);
		end(&c);
	}
	*shrinks = sums / errors;
	return (double)within / RUNS;
}

PairsTest(the_true_change_is_within_two_errors)
{
	double shrinks;
	const double share = covered(1, &shrinks);
	cr_assert(share > 0.93 && share < 0.97, "%g", share);
	cr_assert_gt(shrinks, 3);
	const double downsampled = covered(0.5, &shrinks);
	cr_assert(downsampled > 0.93 && downsampled < 0.97, "%g", downsampled);
	cr_assert_gt(shrinks, 1.1);
}

/* What is known without error is not reduced with the estimates, but if it alone is too much. */
PairsTest(exact_sizes_stay)
{
	static const double used[] = {50, 4};
	static const double wanted[][2] = {{8, 42}, {8 * 4 / 68.0, 60 * 4 / 68.0}};
	for (size_t i = 0; i < 2; i++) {
		struct gcs_profile *p = begin(1, (uint64_t)used[i], SINCE, "Test");
		add(p, &(struct sampled){
			   .class_name = "Exact", .size = 8, .weight = 1, .age = 1, .id = 1});
		add(p, &(struct sampled){
			   .class_name = "Rough", .size = 1, .weight = 60, .age = 1, .id = 2});
		const struct gcs_site_filter filter = {.by = GCS_SITES_BY_CLASS};
		struct gcs_sites *sites = gcs_sites_create(p, &filter, NULL);
		cr_assert(fabs(gcs_sites_total(sites)->bytes - used[i]) < 1e-9);
		for (uint32_t k = 0; k < 2; k++) {
			const struct gcs_site *s = gcs_sites_at(sites, k);
			const bool rough = strcmp(s->class_name, "Rough") == 0;
			cr_assert(fabs(s->live_bytes - wanted[i][rough]) < 1e-9, "%s: %g",
			    s->class_name, s->live_bytes);
			cr_assert_eq(s->bytes_error == 0, !rough);
		}
		gcs_sites_free(sites);
		gcs_profile_free(p);
	}
}
