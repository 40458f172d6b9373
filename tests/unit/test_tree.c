/* Call trees that are turned round, cut, freed from recursion and compared (S6, S8, V9, Q2, Q3). */
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
	profile = profiles_empty(GCS_PROFILE_LIVE);
}

static void teardown(void)
{
	gcs_profile_free(profile);
	cr_assert_eq(kit_live_blocks(), 0, "no live blocks");
}

#define TreeTest(name) Test(tree, name, .init = setup, .fini = teardown)

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b) + 1e-9;
}

static struct gcs_sites *sites_of(const struct gcs_profile *p)
{
	struct gcs_sites *s = gcs_sites_create(p, NULL, &err);
	cr_assert_not_null(s, "%s", err.text);
	return s;
}

static struct gcs_tree *tree_of(const struct gcs_sites *s, const struct gcs_tree_options *options)
{
	struct gcs_tree *t = gcs_tree_create_with(s, options, &err);
	cr_assert_not_null(t, "%s", err.text);
	return t;
}

static uint32_t call(uint32_t parent, const char *method)
{
	return profiles_call(profile, parent, "C", method, 1);
}

/* The bytes of the path of names, each in its own call; -1 if there is none. */
static double bytes_at(const struct gcs_tree *t, const char *path)
{
	char text[256];
	snprintf(text, sizeof text, "%s", path);
	const struct gcs_node *node = gcs_tree_node(t, 0);
	for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
		uint32_t k = node->first_child;
		while (k != GCS_NONE && strcmp(gcs_tree_node(t, k)->name, word) != 0)
			k = gcs_tree_node(t, k)->next_sibling;
		if (k == GCS_NONE)
			return -1;
		node = gcs_tree_node(t, k);
	}
	return node->total_bytes;
}

/* main calls a and b; both call work, which allocates; b calls itself. */
static void make_plain(void)
{
	uint32_t main = call(GCS_NONE, "main"), a = call(main, "a"), b = call(main, "b");
	uint32_t again = call(call(b, "b"), "b");
	cr_assert(profiles_sample(profile, call(a, "work"), "X", "t", 100, 0));
	cr_assert(profiles_sample(profile, call(b, "work"), "X", "t", 200, 0));
	cr_assert(profiles_sample(profile, call(again, "work"), "Y", "t", 400, 0));
	cr_assert(profiles_sample(profile, GCS_NONE, "X", "t", 50, 0));
}

TreeTest(turned_round_it_begins_with_the_classes)
{
	make_plain();
	struct gcs_sites *s = sites_of(profile);
	struct gcs_tree *t = tree_of(s, &(struct gcs_tree_options){.form = GCS_TREE_CALLERS});
	cr_assert(near(bytes_at(t, ""), 750));
	cr_assert(near(bytes_at(t, "X"), 350));
	cr_assert(near(bytes_at(t, "X C.work"), 300));
	cr_assert(near(bytes_at(t, "X C.work C.a C.main"), 100));
	cr_assert(near(bytes_at(t, "X C.work C.b C.main"), 200));
	cr_assert(near(bytes_at(t, "Y C.work C.b C.b C.b C.main"), 400));
	/* What ends at the class has no frames. */
	const struct gcs_node *x = gcs_tree_node(t, gcs_tree_node(t, 0)->first_child);
	cr_assert_str_eq(x->name, "Y");
	x = gcs_tree_node(t, x->next_sibling);
	cr_assert(near(x->self_bytes, 50) && x->kind == GCS_NODE_CLASS && x->samples == 3);
	gcs_tree_free(t);
	gcs_sites_free(s);
}

TreeTest(recursion_is_one_node)
{
	make_plain();
	struct gcs_sites *s = sites_of(profile);
	struct gcs_tree *t = tree_of(s, &(struct gcs_tree_options){.collapse = true});
	cr_assert(near(bytes_at(t, "C.main C.b"), 600));
	cr_assert(near(bytes_at(t, "C.main C.b C.work"), 600));
	cr_assert(near(bytes_at(t, "C.main C.b C.b"), -1));
	gcs_tree_free(t);
	t = tree_of(s, &(struct gcs_tree_options){.collapse = true, .form = GCS_TREE_CALLERS});
	cr_assert(near(bytes_at(t, "Y C.work C.b C.main"), 400));
	gcs_tree_free(t);
	gcs_sites_free(s);
}

/* Both halves of a sandwich have all that the method took part in, once. */
TreeTest(a_method_between_its_callers_and_callees)
{
	make_plain();
	struct gcs_sites *s = sites_of(profile);
	struct gcs_tree_options options = {.method = "C.b"};
	struct gcs_tree *callees = tree_of(s, &options);
	options.form = GCS_TREE_CALLERS;
	struct gcs_tree *callers = tree_of(s, &options);
	cr_assert(near(bytes_at(callees, ""), 600) && near(bytes_at(callers, ""), 600));
	cr_assert_str_eq(gcs_tree_node(callees, 0)->name, "C.b");
	cr_assert(near(bytes_at(callees, "C.work X"), 200));
	cr_assert(near(bytes_at(callees, "C.b C.b C.work Y"), 400), "from the oldest on");
	cr_assert(near(bytes_at(callers, "C.main"), 600));
	cr_assert_eq(gcs_tree_count(callers), 2);
	gcs_tree_free(callers);
	gcs_tree_free(callees);
	options.method = "C.nobody";
	callers = tree_of(s, &options);
	cr_assert(gcs_tree_count(callers) == 1 && gcs_tree_node(callers, 0)->total_bytes == 0);
	cr_assert_eq(gcs_tree_of_site(callers, 0), GCS_NONE);
	gcs_tree_free(callers);
	gcs_sites_free(s);
}

TreeTest(a_difference_has_both_ends)
{
	make_plain();
	struct gcs_profile *before = profile;
	profile = profiles_empty(GCS_PROFILE_LIVE);
	uint32_t main = call(GCS_NONE, "main");
	cr_assert(profiles_sample(profile, call(call(main, "a"), "work"), "X", "t", 300, 0));
	cr_assert(profiles_sample(profile, call(main, "fresh"), "Z", "t", 70, 0));
	struct gcs_sites *s = sites_of(profile), *b = sites_of(before);
	struct gcs_tree *t = tree_of(s, &(struct gcs_tree_options){.before = b});
	const struct gcs_node *root = gcs_tree_node(t, 0);
	cr_assert(near(root->total_bytes, 370) && near(root->base_bytes, 750));
	cr_assert(near(root->bytes_variance, (370 + 750) * 100.0));
	cr_assert(root->samples == 2 && root->base_samples == 4);
	cr_assert(near(bytes_at(t, "C.main C.a"), 300));
	cr_assert(near(bytes_at(t, "C.main C.b"), 0), "gone, and still there");
	cr_assert(near(bytes_at(t, "C.main C.fresh"), 70));
	const struct gcs_node *top =
	    gcs_tree_node(t, gcs_tree_node(t, root->first_child)->first_child);
	cr_assert_str_eq(top->name, "C.b", "both ends together decide the order");
	cr_assert(near(top->base_bytes, 600));
	/* The other way round everything changes its sign. */
	struct gcs_tree *back = tree_of(b, &(struct gcs_tree_options){.before = s});
	cr_assert_eq(gcs_tree_count(back), gcs_tree_count(t));
	cr_assert(near(gcs_tree_node(back, 0)->base_bytes, 370));
	gcs_tree_free(back);
	gcs_tree_free(t);
	gcs_sites_free(b);
	gcs_sites_free(s);
	gcs_profile_free(before);
}

TreeTest(sites_know_where_they_end)
{
	make_plain();
	struct gcs_sites *s = sites_of(profile);
	for (int form = GCS_TREE_CALLEES; form <= GCS_TREE_CALLERS; form++) {
		struct gcs_tree *t =
		    tree_of(s, &(struct gcs_tree_options){.form = (enum gcs_tree_form)form});
		for (uint32_t i = 0; i < gcs_sites_count(s); i++) {
			const struct gcs_node *n = gcs_tree_node(t, gcs_tree_of_site(t, i));
			cr_assert_not_null(n);
			cr_assert_geq(n->total_bytes, gcs_sites_at(s, i)->bytes);
		}
		cr_assert_eq(gcs_tree_of_site(t, gcs_sites_count(s)), GCS_NONE);
		gcs_tree_free(t);
	}
	gcs_sites_free(s);
}

/* Whatever the options: totals are those of the sites, parents those of their children. */
static void check_sums(const struct gcs_tree *t, double bytes)
{
	cr_assert(near(gcs_tree_node(t, 0)->total_bytes, bytes));
	for (uint32_t i = 0; i < gcs_tree_count(t); i++) {
		const struct gcs_node *node = gcs_tree_node(t, i);
		double sum = 0, own = 0;
		for (uint32_t k = node->first_child; k != GCS_NONE;
		     k = gcs_tree_node(t, k)->next_sibling) {
			const struct gcs_node *c = gcs_tree_node(t, k);
			cr_assert(k > i && c->parent == i && c->depth == node->depth + 1);
			sum += c->total_bytes;
			own += c->kind == GCS_NODE_CLASS ? c->total_bytes : 0;
		}
		/* What a node has itself is in the classes below it, or in no child at all. */
		cr_assert(near(node->total_bytes, sum) ||
			      near(node->total_bytes, sum + node->self_bytes) ||
			      near(node->total_bytes, sum + node->self_bytes - own),
		    "%s", node->name);
	}
}

TreeTest(sums_of_random_trees)
{
	uint64_t state = kit_seed();
	char name[16];
	uint32_t stacks[300];
	for (unsigned i = 0; i < 300; i++) {
		snprintf(name, sizeof name, "m%u", (unsigned)kit_below(&state, 6));
		stacks[i] = call(i == 0 ? GCS_NONE : stacks[kit_below(&state, i)], name);
		cr_assert(profiles_sample(
		    profile, stacks[i], name, "t", (double)kit_below(&state, 5000), 0));
	}
	struct gcs_sites *s = sites_of(profile);
	double bytes = gcs_sites_total(s)->bytes;
	for (int i = 0; i < 8; i++) {
		struct gcs_tree_options options = {.form = (enum gcs_tree_form)(i & 1),
		    .collapse = (i & 2) != 0,
		    .most = (i & 4) != 0 ? 50 : 0};
		struct gcs_tree *t = tree_of(s, &options);
		check_sums(t, bytes);
		cr_assert((gcs_tree_cut(t) > 0) == (options.most > 0));
		cr_assert(options.most == 0 || gcs_tree_count(t) <= options.most);
		gcs_tree_free(t);
	}
	gcs_sites_free(s);
}

/* A program that is not trusted may send stacks of any depth, and any number of sites. */
TreeTest(four_thousand_frames_and_a_hundred_thousand_sites)
{
	uint32_t deep = GCS_NONE, wide = GCS_NONE;
	char name[24];
	for (int i = 0; i < 4000; i++) {
		snprintf(name, sizeof name, "f%d", i);
		deep = call(deep, name);
		wide = i == 10 ? deep : wide;
	}
	for (int i = 0; i < 100000; i++) {
		snprintf(name, sizeof name, "K%d", i);
		cr_assert(profiles_sample(profile, i % 1000 == 0 ? deep : wide, name, "t", 1, 0));
	}
	struct gcs_sites *s = sites_of(profile);
	cr_assert_eq(gcs_sites_count(s), 100000u);
	struct gcs_tree *t = tree_of(s, NULL);
	cr_assert_eq(gcs_tree_depth(t), 4001u);
	cr_assert(near(gcs_tree_node(t, 0)->total_bytes, 100000));
	gcs_tree_free(t);
	/* Turned round the deep ones alone would have 400,000 nodes, the others a million. */
	t = tree_of(s, &(struct gcs_tree_options){.form = GCS_TREE_CALLERS});
	cr_assert_leq(gcs_tree_count(t), GCS_TREE_MOST);
	cr_assert_gt(gcs_tree_cut(t), 0u);
	cr_assert(near(gcs_tree_node(t, 0)->total_bytes, 100000));
	gcs_tree_free(t);
	gcs_sites_free(s);
}

TreeTest(hostile_names)
{
	uint32_t stack = profiles_call(profile, GCS_NONE, "", "", 0);
	stack = profiles_call(profile, stack, "a;b\n\x01\xff", "<x>&\"'", 0);
	stack = profiles_call(profile, stack, "\xe6\x97\xa5.\xd7\xa9", ".....", 0);
	cr_assert(profiles_sample(profile, stack, "", "", 10, 0));
	struct gcs_sites *s = sites_of(profile);
	for (int form = 0; form < 2; form++) {
		struct gcs_tree *t =
		    tree_of(s, &(struct gcs_tree_options){.form = (enum gcs_tree_form)form});
		cr_assert_eq(gcs_tree_count(t), 5);
		check_sums(t, 10);
		gcs_tree_free(t);
	}
	gcs_sites_free(s);
}

Test(tree_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	for (size_t allowed = 0;; allowed++) {
		kit_fail_after(allowed);
		struct gcs_profile *p = profiles_plain(GCS_PROFILE_LIVE);
		struct gcs_sites *s = p == NULL ? NULL : gcs_sites_create(p, NULL, &err);
		struct gcs_tree_options options = {.form = GCS_TREE_CALLERS, .before = s};
		struct gcs_tree *t = s == NULL ? NULL : gcs_tree_create_with(s, &options, &err);
		options.method = "app.Main.main";
		struct gcs_tree *m = t == NULL ? NULL : gcs_tree_create_with(s, &options, &err);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert_eq(failed, m == NULL, "after %zu allocations", allowed);
		gcs_tree_free(m);
		gcs_tree_free(t);
		gcs_sites_free(s);
		gcs_profile_free(p);
		cr_assert_eq(kit_live_blocks(), 0, "after %zu allocations", allowed);
		if (!failed)
			break;
	}
}
