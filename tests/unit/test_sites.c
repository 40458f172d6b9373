/* Call sites, call tree and comparison of profiles (S6, S8). */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calltree.h"
#include "kit.h"
#include "made_profiles.h"

static struct gcs_error err;
static struct gcs_profile *profile;

static void setup(void)
{
	kit_count_memory(0);
	profile = profiles_plain(GCS_PROFILE_LIVE);
}

static void teardown(void)
{
	gcs_profile_free(profile);
	cr_assert_eq(kit_live_blocks(), 0, "no live blocks");
}

#define SiteTest(name) Test(sites, name, .init = setup, .fini = teardown)

static struct gcs_sites *sites_of(const struct gcs_site_filter *filter)
{
	struct gcs_sites *s = gcs_sites_create(profile, filter, &err);
	cr_assert_not_null(s, "%s", err.text);
	return s;
}

/* The methods of a site's stack, youngest first, apart by blanks. */
static const char *stack_of(const struct gcs_sites *s, const struct gcs_site *site)
{
	static char text[256];
	uint32_t stack = site->stack;
	const struct gcs_frame *f;
	text[0] = '\0';
	while ((f = gcs_sites_caller(s, &stack)) != NULL)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", f->method);
	return text;
}

SiteTest(equal_stacks_and_classes_are_one_site)
{
	struct gcs_sites *s = sites_of(NULL);
	cr_assert_eq(gcs_sites_count(s), 3);
	const struct gcs_site *first = gcs_sites_at(s, 0);
	cr_assert_str_eq(first->class_name, "byte[]");
	cr_assert_str_eq(stack_of(s, first), "run main ");
	cr_assert_eq(first->samples, 2);
	kit_near(first->bytes, 800000);
	kit_near(first->bytes_error, sqrt(600000 * 100.0 + 200000 * 100.0));
	kit_near(first->objects, 8000);
	kit_near(first->objects_error, sqrt(8));
	kit_near(first->mean_age, (6000 * 3.0 + 2000 * 1.0) / 8000);
	kit_near(first->mean_lifetime, 2500);
	kit_near(first->live_bytes, 800000);
	kit_near(first->survival[gcs_survival_bucket(3)], 600000);
	kit_near(first->survival[gcs_survival_bucket(1)], 200000);
	cr_assert_str_eq(stack_of(s, gcs_sites_at(s, 1)), "main ");
	cr_assert_eq(gcs_sites_at(s, 2)->stack, GCS_NONE);
	cr_assert_null(gcs_sites_at(s, 3));
	kit_near(gcs_sites_total(s)->bytes, 940000);
	kit_near(gcs_sites_total(s)->bytes_error, sqrt(940000 * 100.0));
	gcs_sites_free(s);
}

SiteTest(totals_have_the_age_of_the_dead)
{
	gcs_profile_free(profile);
	profile = profiles_plain(GCS_PROFILE_ALLOCATED);
	struct gcs_sites *s = sites_of(NULL);
	const struct gcs_site *first = gcs_sites_at(s, 0);
	cr_assert_eq(first->samples, 6);
	kit_near(first->mean_age, 2.5);
	kit_near(first->live_bytes, 200000);
	kit_near(first->live_objects, 2000);
	kit_near(first->survival[gcs_survival_bucket(3)], 450000);
	gcs_sites_free(s);
	gcs_profile_free(profile);
	profile = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile_entry living = {.stack = GCS_NONE,
	    .class_name = gcs_profile_add_name(profile, "A"),
	    .thread = gcs_profile_add_name(profile, "t"),
	    .samples = 1,
	    .bytes = 100,
	    .objects = 1,
	    .live_bytes = 100,
	    .live_objects = 1,
	    .age = 9};
	cr_assert(gcs_profile_add_entry(profile, &living));
	s = sites_of(NULL);
	cr_assert_lt(gcs_sites_at(s, 0)->mean_age, 0, "nothing has died");
	gcs_sites_free(s);
	living.live_objects = 1 - 1e-9; /* what is rounded is not dead */
	cr_assert(gcs_profile_add_entry(profile, &living));
	s = sites_of(NULL);
	cr_assert_lt(gcs_sites_at(s, 0)->mean_age, 0, "nothing has died");
	gcs_sites_free(s);
}

SiteTest(garbage_is_not_live)
{
	gcs_profile_free(profile);
	profile = profiles_plain(GCS_PROFILE_RECENT);
	struct gcs_sites *s = sites_of(NULL);
	cr_assert_eq(gcs_sites_total(s)->live_bytes, 0);
	kit_near(gcs_sites_total(s)->survival[0], 140000);
	gcs_sites_free(s);
}

/* Bytes of the first site and number of sites that a filter leaves. */
static void filtered(struct gcs_site_filter filter, double bytes, uint32_t count)
{
	struct gcs_sites *s = sites_of(&filter);
	kit_near(gcs_sites_total(s)->bytes, bytes);
	cr_assert_eq(gcs_sites_count(s), count);
	gcs_sites_free(s);
}

SiteTest(filters)
{
	filtered((struct gcs_site_filter){.class_pattern = "List$"}, 100000, 1);
	filtered((struct gcs_site_filter){.class_pattern = "^(byte|java)"}, 940000, 3);
	filtered((struct gcs_site_filter){.class_pattern = "nosuch"}, 0, 0);
	filtered((struct gcs_site_filter){.thread_pattern = "work"}, 240000, 2);
	filtered((struct gcs_site_filter){.min_age = 1}, 800000, 1);
	filtered((struct gcs_site_filter){.below_age = 1}, 140000, 2);
	filtered((struct gcs_site_filter){.min_age = 1, .below_age = 3}, 200000, 1);
	filtered((struct gcs_site_filter){.by_thread = true}, 940000, 4);
	/* The two ways of the call differ in their lines. */
	filtered((struct gcs_site_filter){.all_frames = true}, 940000, 4);
}

SiteTest(the_largest_are_kept_and_all_count)
{
	struct gcs_site_filter filter = {.top = 2};
	struct gcs_sites *s = sites_of(&filter);
	cr_assert_eq(gcs_sites_count(s), 2);
	cr_assert_eq(gcs_sites_omitted(s), 1);
	kit_near(gcs_sites_total(s)->bytes, 940000);
	gcs_sites_free(s);
}

SiteTest(what_a_filter_cannot_be)
{
	struct gcs_site_filter filter = {.class_pattern = "a("};
	cr_assert_null(gcs_sites_create(profile, &filter, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "class \"a(\" is not a regular expression: "));
	filter = (struct gcs_site_filter){.thread_pattern = "[z-a]"};
	cr_assert_null(gcs_sites_create(profile, &filter, &err));
	cr_assert_not_null(strstr(err.text, "thread \"[z-a]\""));
	gcs_profile_free(profile);
	profile = profiles_plain(GCS_PROFILE_ALLOCATED);
	filter = (struct gcs_site_filter){.min_age = 1};
	cr_assert_null(gcs_sites_create(profile, &filter, &err));
	cr_assert_eq(err.status, GCS_UNSUPPORTED);
	filter = (struct gcs_site_filter){.below_age = 1};
	cr_assert_null(gcs_sites_create(profile, &filter, &err));
}

SiteTest(where_all_is_plumbing_the_youngest_frame_stays)
{
	uint32_t at = profiles_call(profile, GCS_NONE, "java.lang.invoke.Invokers", "older", 1);
	at = profiles_call(profile, at, "jdk.internal.reflect.Accessor", "younger", 2);
	cr_assert(profiles_sample(profile, at, "Only", "main", 1, 0));
	struct gcs_site_filter filter = {.class_pattern = "Only"};
	struct gcs_sites *s = sites_of(&filter);
	cr_assert_str_eq(stack_of(s, gcs_sites_at(s, 0)), "younger ");
	gcs_sites_free(s);
}

Test(runtime_frame, frames)
{
	static const struct {
		bool hidden;
		enum gcs_frame_kind kind;
		const char *class_name;
		const char *method;
	} cases[] = {
	    {true, GCS_FRAME_VM, "libjvm.so", "JVM_Clone"},
	    {false, GCS_FRAME_NATIVE, "libjava.so", "java.lang.invoke.x"},
	    {false, GCS_FRAME_NOTE, "", "[more frames]"},
	    {true, GCS_FRAME_JAVA, "java.lang.invoke.LambdaForm$DMH", "invokeStatic"},
	    {true, GCS_FRAME_JAVA, "jdk.internal.reflect.DirectMethodHandleAccessor", "invoke"},
	    {true, GCS_FRAME_NATIVE_METHOD, "jdk.internal.reflect.NativeMethodAccessorImpl",
		"invoke0"},
	    {true, GCS_FRAME_JAVA, "java.lang.reflect.Method", "invoke"},
	    {false, GCS_FRAME_JAVA, "java.lang.reflect.Method", "copy"},
	    {true, GCS_FRAME_JAVA, "java.lang.reflect.Constructor", "newInstanceWithCaller"},
	    {true, GCS_FRAME_JAVA, "app.Main$$Lambda", "apply"},
	    {false, GCS_FRAME_JAVA, "app.Main", "lambda$main$0"},
	    {true, GCS_FRAME_JAVA, "jdk.proxy1.$Proxy", "run"},
	    {true, GCS_FRAME_JAVA, "$Proxy7", "run"},
	    {false, GCS_FRAME_JAVA, "app.My$Proxy", "run"},
	    {true, GCS_FRAME_JAVA, "app.Main", "access$100"},
	    {false, GCS_FRAME_JAVA, "app.Main", "access$"},
	    {false, GCS_FRAME_JAVA, "app.Main", "access$granted"},
	    {true, GCS_FRAME_JAVA, "jdk.internal.vm.Continuation", "enter"},
	    {false, GCS_FRAME_JAVA, "java.util.HashMap", "resize"},
	    {false, GCS_FRAME_JAVA, "java.lang.Thread", "run"},
	    {false, GCS_FRAME_JAVA, "java.lang.invokerage.X", "x"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct gcs_frame f = {.class_name = cases[i].class_name,
		    .method = cases[i].method,
		    .file = "",
		    .kind = cases[i].kind};
		cr_assert_eq(
		    gcs_frame_is_runtime(&f), cases[i].hidden, "%s.%s", f.class_name, f.method);
	}
}

Test(runtime_frame, texts_of_frames)
{
	char text[64];
	struct gcs_frame f = {.class_name = "a.B", .method = "c", .file = ""};
	cr_assert_str_eq(gcs_frame_text(text, sizeof text, &f), "a.B.c");
	f.kind = GCS_FRAME_NATIVE;
	cr_assert_str_eq(gcs_frame_text(text, sizeof text, &f), "a.B`c");
	f.class_name = "";
	cr_assert_str_eq(gcs_frame_text(text, sizeof text, &f), "c");
	cr_assert_str_eq(gcs_frame_text(text, 1, &f), "");
	f.method = "";
	cr_assert_str_eq(gcs_frame_text(text, sizeof text, &f), "?");
}

static const struct gcs_node *child(
    const struct gcs_tree *t, const struct gcs_node *node, unsigned which)
{
	uint32_t number = node->first_child;
	while (which-- != 0)
		number = gcs_tree_node(t, number)->next_sibling;
	return gcs_tree_node(t, number);
}

SiteTest(tree)
{
	struct gcs_sites *s = sites_of(NULL);
	struct gcs_tree *t = gcs_tree_create(s, &err);
	const struct gcs_node *root = gcs_tree_node(t, 0);
	/* all: main: (run: byte[], ArrayList), byte[] */
	cr_assert_eq(gcs_tree_count(t), 6);
	cr_assert_eq(gcs_tree_depth(t), 3);
	kit_near(root->total_bytes, 940000);
	kit_near(root->self_bytes, 40000);
	cr_assert_eq(root->samples, 4);
	const struct gcs_node *top = child(t, root, 0);
	cr_assert_str_eq(top->name, "app.Main.main");
	cr_assert_eq(top->kind, GCS_NODE_JAVA);
	kit_near(top->total_bytes, 900000);
	kit_near(top->self_bytes, 100000);
	kit_near(top->total_objects, 9000);
	kit_near(top->bytes_variance, 900000 * 100.0);
	kit_near(top->objects_variance, 12);
	cr_assert_str_eq(child(t, root, 1)->name, "byte[]");
	cr_assert_eq(child(t, root, 1)->kind, GCS_NODE_CLASS);
	cr_assert_eq(child(t, root, 1)->next_sibling, GCS_NONE);
	cr_assert_str_eq(child(t, top, 0)->name, "app.Work.run");
	cr_assert_str_eq(child(t, top, 1)->name, "java.util.ArrayList");
	cr_assert_eq(child(t, top, 1)->first_child, GCS_NONE);
	cr_assert_null(gcs_tree_node(t, 6));
	gcs_tree_free(t);
	gcs_sites_free(s);
}

/* Each line of a method is a site of its own, and the method one node. */
SiteTest(tree_merges_lines)
{
	for (uint32_t line = 1; line <= 3; line++)
		cr_assert(profiles_sample(profile,
		    profiles_call(profile, GCS_NONE, "app.Loop", "go", line), "L", "main", 10, 0));
	struct gcs_site_filter filter = {.class_pattern = "^L$"};
	struct gcs_sites *s = sites_of(&filter);
	struct gcs_tree *t = gcs_tree_create(s, &err);
	cr_assert_eq(gcs_sites_count(s), 3);
	cr_assert_eq(gcs_tree_count(t), 3);
	kit_near(gcs_tree_node(t, 1)->total_bytes, 30);
	gcs_tree_free(t);
	gcs_sites_free(s);
}

/* Any tree: children lie after their parents, siblings are sorted, and totals add up. */
SiteTest(tree_adds_up)
{
	uint64_t state = kit_seed();
	char name[16];
	uint32_t stacks[200];
	for (unsigned i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "m%u", (unsigned)kit_below(&state, 12));
		stacks[i] = profiles_call(profile, i == 0 ? GCS_NONE : stacks[kit_below(&state, i)],
		    "C", name, (uint32_t)kit_below(&state, 3));
		cr_assert(profiles_sample(
		    profile, stacks[i], name, "t", (double)kit_below(&state, 5000), 0));
	}
	struct gcs_sites *s = sites_of(NULL);
	struct gcs_tree *t = gcs_tree_create(s, &err);
	for (uint32_t i = 0; i < gcs_tree_count(t); i++) {
		const struct gcs_node *node = gcs_tree_node(t, i);
		double sum = node->kind == GCS_NODE_CLASS ? node->self_bytes : 0;
		double last = INFINITY;
		for (uint32_t k = node->first_child; k != GCS_NONE;) {
			const struct gcs_node *c = gcs_tree_node(t, k);
			cr_assert(k > i && c->parent == i && c->depth == node->depth + 1);
			cr_assert_leq(c->total_bytes, last);
			last = c->total_bytes;
			sum += c->total_bytes;
			k = c->next_sibling;
		}
		kit_near(node->total_bytes, sum);
	}
	kit_near(gcs_tree_node(t, 0)->total_bytes, gcs_sites_total(s)->bytes);
	gcs_tree_free(t);
	gcs_sites_free(s);
}

SiteTest(comparison)
{
	struct gcs_profile *later = profiles_empty(GCS_PROFILE_LIVE);
	/* In another order and with other numbers than in the older one. */
	uint32_t added = profiles_call(later, GCS_NONE, "app.New", "made", 1);
	uint32_t top = profiles_call(later, GCS_NONE, "app.Main", "main", 10);
	uint32_t work = profiles_call(later, top, "app.Work", "run", 20);
	cr_assert(profiles_sample(later, work, "byte[]", "main", 850000, 0));
	cr_assert(profiles_sample(later, added, "byte[]", "main", 70000, 0));
	cr_assert(profiles_sample(later, GCS_NONE, "byte[]", "main", 40000, 0));
	struct gcs_sites *before = sites_of(NULL);
	struct gcs_sites *after = gcs_sites_create(later, NULL, &err);
	struct gcs_comparison *c = gcs_sites_compare(before, after, &err);
	cr_assert_eq(gcs_comparison_count(c), 4);
	static const double expected[] = {70000, 50000, 0, -100000};
	for (uint32_t i = 0; i < 4; i++)
		cr_assert_float_eq(gcs_comparison_at(c, i)->bytes, expected[i], 1e-6);
	cr_assert_null(gcs_comparison_at(c, 0)->before);
	cr_assert_str_eq(stack_of(after, gcs_comparison_at(c, 1)->after), "run main ");
	kit_near(gcs_comparison_at(c, 1)->bytes_error, sqrt(850000 * 100.0 + 800000 * 100.0));
	cr_assert_null(gcs_comparison_at(c, 3)->after);
	kit_near(gcs_comparison_total(c)->bytes, 20000);
	cr_assert_null(gcs_comparison_at(c, 4));
	gcs_comparison_free(c);
	gcs_sites_free(after);
	gcs_sites_free(before);
	gcs_profile_free(later);
}

SiteTest(empty_profile)
{
	gcs_profile_free(profile);
	profile = profiles_empty(GCS_PROFILE_LIVE);
	struct gcs_sites *s = sites_of(NULL);
	struct gcs_tree *t = gcs_tree_create(s, &err);
	struct gcs_comparison *c = gcs_sites_compare(s, s, &err);
	cr_assert_eq(gcs_sites_count(s), 0);
	cr_assert_lt(gcs_sites_total(s)->mean_age, 0);
	cr_assert_eq(gcs_tree_count(t), 1);
	cr_assert_eq(gcs_comparison_count(c), 0);
	gcs_comparison_free(c);
	gcs_tree_free(t);
	gcs_sites_free(s);
}

/* The largest numbers that a profile may hold stay finite. */
SiteTest(largest_figures_stay_finite)
{
	gcs_profile_free(profile);
	profile = profiles_empty(GCS_PROFILE_LIVE);
	for (uint32_t i = 0; i < 3; i++) {
		struct gcs_profile_entry e = {.stack = GCS_NONE,
		    .class_name = gcs_profile_add_name(profile, "A"),
		    .thread = 0,
		    .bytes = 1e300,
		    .bytes_variance = 1e300,
		    .objects = 1e300,
		    .objects_variance = 1e300,
		    .age = UINT32_MAX,
		    .lifetime_bytes = UINT64_MAX};
		cr_assert(gcs_profile_add_entry(profile, &e));
	}
	struct gcs_sites *s = sites_of(NULL);
	kit_near(gcs_sites_at(s, 0)->mean_age, UINT32_MAX);
	kit_near(gcs_sites_at(s, 0)->mean_lifetime, (double)UINT64_MAX);
	kit_near(gcs_sites_at(s, 0)->bytes, 3e300);
	gcs_sites_free(s);
}

Test(sites_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	for (size_t allowed = 0;; allowed++) {
		kit_fail_after(allowed);
		struct gcs_profile *p = profiles_plain(GCS_PROFILE_LIVE);
		struct gcs_sites *s = p == NULL ? NULL : gcs_sites_create(p, NULL, &err);
		struct gcs_tree *t = s == NULL ? NULL : gcs_tree_create(s, &err);
		struct gcs_comparison *c = s == NULL ? NULL : gcs_sites_compare(s, s, &err);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert_eq(failed, t == NULL || c == NULL, "after %zu allocations", allowed);
		gcs_comparison_free(c);
		gcs_tree_free(t);
		gcs_sites_free(s);
		gcs_profile_free(p);
		cr_assert_eq(kit_live_blocks(), 0, "after %zu allocations", allowed);
		if (!failed)
			break;
	}
}
