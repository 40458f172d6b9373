/* Which samples a search begins with. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "path_result.h"
#include "path_targets.h"

static struct gcs_error err;
static struct path_targets targets;

/* `count` samples of `class_name`, of a line of their own, 10 objects of 100 bytes each. */
static void add(
    struct gcs_profile *p, const char *class_name, uint32_t line, uint32_t count, uint32_t age)
{
	static uint64_t id;
	const struct gcs_frame frame = {"shop.Main", "run", "Main.java", line, GCS_FRAME_JAVA};
	const uint32_t stack = gcs_profile_add_stack(
	    p, &(struct gcs_stack){GCS_NONE, gcs_profile_add_frame(p, &frame)});
	const uint32_t name = gcs_profile_add_name(p, class_name);
	for (uint32_t i = 0; i < count; i++)
		cr_assert(gcs_profile_add_entry(p, &(struct gcs_profile_entry){.stack = stack,
						       .class_name = name,
						       .thread = name,
						       .samples = 1,
						       .bytes = 1000,
						       .objects = 10,
						       .age = age,
						       .size = 100,
						       .id = ++id}));
}

static struct gcs_profile *profile_without(uint64_t lost)
{
	struct gcs_profile *p =
	    gcs_profile_create(&(struct gcs_profile_head){.kind = GCS_PROFILE_LIVE,
		.server = "s",
		.as_of = "alive at the last collection",
		.interval = 1024,
		.lost = lost,
		.used_bytes = 4000000});
	add(p, "shop.Session", 1, 400, 5);
	add(p, "shop.Shop$Session", 2, 20, 1);
	add(p, "shop.NewSession", 3, 30, 0);
	add(p, "byte[]", 4, 10, 2);
	return p;
}

static struct gcs_profile *profile(void)
{
	return profile_without(0);
}

Test(path_targets, at_most_fifty_of_a_site_stand_for_all)
{
	struct gcs_profile *p = profile();
	const struct path_question q = {.class_name = "shop.Session"};
	cr_assert_eq(path_targets_choose(p, &q, &targets, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(targets.count, PATH_TARGETS_SITE);
	cr_assert_eq(targets.samples, 400);
	cr_assert_eq(targets.sites, 1);
	cr_assert_float_eq(targets.bytes, 400000, 0.001);
	double bytes = 0;
	for (uint32_t i = 0; i < targets.count; i++) {
		bytes += targets.items[i].bytes;
		cr_assert(i == 0 || targets.items[i].id != targets.items[i - 1].id);
	}
	cr_assert_float_eq(bytes, 400000, 0.001);
	path_targets_free(&targets);
	gcs_profile_free(p);
}

/* A whole name, or what is after a dot or dollar sign; not any end. */
Test(path_targets, classes_by_the_end_of_their_name)
{
	struct gcs_profile *p = profile();
	cr_assert_eq(path_targets_choose(
			 p, &(struct path_question){.class_name = "Session"}, &targets, &err),
	    GCS_OK);
	cr_assert_eq(targets.samples, 420);
	cr_assert_eq(targets.sites, 2);
	cr_assert_eq(targets.count, PATH_TARGETS_SITE + 20);
	cr_assert_float_eq(targets.bytes, 420000, 0.001);
	cr_assert_float_eq(targets.objects, 4200, 0.001, "of both sites");
	path_targets_free(&targets);
	/* As in source files. */
	cr_assert_eq(path_targets_choose(
			 p, &(struct path_question){.class_name = "Shop.Session"}, &targets, &err),
	    GCS_OK);
	cr_assert_eq(targets.samples, 20);
	path_targets_free(&targets);
	cr_assert_eq(path_targets_choose(
			 p, &(struct path_question){.class_name = "shop$Session"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.class_name = "ession"}, &targets, &err),
	    GCS_ARGUMENT);
	gcs_profile_free(p);
}

/* New samples are not known to be alive. */
Test(path_targets, only_what_a_collection_has_spared)
{
	struct gcs_profile *p = profile();
	cr_assert_eq(path_targets_choose(
			 p, &(struct path_question){.class_name = "NewSession"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_str_eq(err.text, "no live sample is of class NewSession: its samples (30) are "
				   "new, and no collection has "
				   "told yet whether they are alive (live samples in all: 430)");
	cr_assert_eq(path_targets_choose(p,
			 &(struct path_question){.class_name = "NewSession", .where = "eden"},
			 &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_str_eq(
	    err.text, "no live sample is of class NewSession at eden (live samples there: 430)");
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.min_age = 2}, &targets, &err), GCS_OK);
	cr_assert_eq(targets.samples, 410);
	path_targets_free(&targets);
	gcs_profile_free(p);
}

Test(path_targets, what_the_buffer_had_no_room_for_is_a_reason)
{
	struct gcs_profile *p = profile_without(70);
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.class_name = "Basket"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_str_eq(err.text,
	    "no live sample is of class Basket: its objects are older than sampling, few or small "
	    "(a smaller interval samples more), or dead, or lost with the 70 samples that a full "
	    "buffer rejected; `gcspy histogram` counts them (live samples in all: 430)");
	gcs_profile_free(p);
}

Test(path_targets, a_thousand_in_all_of_the_biggest_sites)
{
	struct gcs_profile *p = profile();
	for (uint32_t line = 100; line < 130; line++)
		add(p, "shop.Item", line, 60, 3);
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.limit_ms = 0}, &targets, &err), GCS_OK);
	cr_assert_eq(targets.count, PATH_TARGETS_MOST);
	cr_assert_eq(targets.sites, PATH_TARGETS_MOST / PATH_TARGETS_SITE);
	cr_assert_float_eq(targets.bytes, 400000 + 19 * 60000, 0.001);
	path_targets_free(&targets);
	gcs_profile_free(p);
}

Test(path_targets, what_is_wrong)
{
	struct gcs_profile *p = profile();
	cr_assert_eq(path_targets_choose(p, &(struct path_question){.site = "12"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "12 hexadecimal digits"));
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.site = "0123456789ab"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_str_eq(err.text,
	    "no live sample has the call site 0123456789ab; `gcspy sites` lists the call sites "
	    "(live samples in all: 430)");
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.site = "000000000000"}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "12 hexadecimal digits"), "not all of them");
	gcs_profile_free(p);
}

/* A limit that is raised to what a pause has just taken would end the next search as well. */
Test(path_targets, a_raised_limit_has_room)
{
	static const struct {
		uint64_t pause_us, raised;
	} rows[] = {{300, 1}, {8000, 11}, {99000, 130}, {529000, 670}, {12345000, 16000}};
	char text[100], expected[100];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		path_limit_text(&(struct path_question){.record = i == 0}, 40000000,
		    rows[i].pause_us * 1000, text, sizeof text);
		snprintf(expected, sizeof expected, "the limit of 40 ms, which %s=%d raises",
		    i == 0 ? "paths-pause" : "max-pause", (int)rows[i].raised);
		cr_expect_str_eq(text, expected);
	}
}

/* Class loaders are looked for by nothing but their class. */
Test(path_targets, class_loaders_by_their_name_alone)
{
	cr_assert(
	    path_targets_loaders(&(struct path_question){.class_name = "Loader"}, &err, &targets));
	cr_assert(targets.loaders);
	cr_assert_eq(targets.count, 0);
	path_targets_free(&targets);
	cr_assert_not(path_targets_loaders(&(struct path_question){.min_age = 0}, &err, &targets));
	cr_assert_not(path_targets_loaders(
	    &(struct path_question){.class_name = "Loader", .min_age = 2}, &err, &targets));
	cr_assert_not(path_targets_loaders(
	    &(struct path_question){.class_name = "Loader", .site = "0123456789ab"}, &err,
	    &targets));
	cr_assert_not(path_targets_loaders(
	    &(struct path_question){.class_name = "Loader", .where = "old"}, &err, &targets));
}

static double objects_of(double objects, double bytes, double used, double counted, double in)
{
	return path_heap_objects(&(struct path_heap){used, objects, bytes},
	    &(struct path_counted){.objects = counted, .bytes = in});
}

/* As when the agent came late: a few big objects are no measure of all others. */
Test(path_targets, bytes_that_no_sample_stands_for_are_small_objects)
{
	cr_assert_float_eq(objects_of(40000, 4000000, 4000000, 0, 0), 40000, 0.001);
	cr_assert_float_eq(objects_of(10, 800, 800 + 3200000, 0, 0), 100010, 0.001);
	cr_assert_float_eq(objects_of(0, 0, 3200, 0, 0), 100, 0.001);
	cr_assert_float_eq(objects_of(50, 5000, 4000, 0, 0), 50, 0.001, "by chance more");
}

Test(path_targets, a_histogram_bounds_the_objects_of_the_heap)
{
	cr_assert_float_eq(objects_of(0, 0, 32e6, 1000, 32e6), 1000, 0.001, "large ones");
	cr_assert_float_eq(objects_of(0, 0, 64e6, 1000, 32e6), 2000, 0.001, "the heap has grown");
	cr_assert_float_eq(objects_of(0, 0, 32e6, 2e6, 32e6), 2e6, 0.001, "smaller ones");
	cr_assert_float_eq(objects_of(0, 0, 32e6, 2e6, 320e6), 1e6, 0.001, "most was garbage");
	cr_assert_float_eq(objects_of(5000, 1e6, 32e6, 1000, 32e6), 5000, 0.001, "samples know");
}

/* What was allocated since the collection is no part of what it has left. */
Test(path_targets, the_heap_at_the_last_collection)
{
	struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "s",
	    .as_of = "",
	    .judged = {.number = 3, .wall_ns = 1000, .kind = "Young"},
	    .used_bytes = 4000000};
	struct gcs_profile *p = gcs_profile_create(&head);
	add(p, "old", 1, 4, 2);
	add(p, "unjudged", 2, 2, 0);
	cr_assert_float_eq(path_heap_of(p, 5000000).used, 4000000, 0.001);
	cr_assert_float_eq(path_heap_of(p, 5000000).objects, 60, 0.001);
	gcs_profile_free(p);
	head.judged.wall_ns = -1;
	p = gcs_profile_create(&head);
	add(p, "old", 1, 4, 2);
	add(p, "since", 2, 2, 0);
	cr_assert_float_eq(path_heap_of(p, 5000000).objects, 40, 0.001);
	cr_assert_float_eq(path_heap_of(p, 5000000).bytes, 4000, 0.001);
	gcs_profile_free(p);
	head.judged.number = 0;
	p = gcs_profile_create(&head);
	add(p, "first", 1, 4, 0);
	cr_assert_float_eq(path_heap_of(p, 5000000).used, 5000000, 0.001);
	cr_assert_float_eq(path_heap_of(p, 5000000).objects, 40, 0.001);
	gcs_profile_free(p);
}

Test(path_targets, epsilon_never_tells_what_is_alive)
{
	struct gcs_profile *p = gcs_profile_create(&(struct gcs_profile_head){
	    .kind = GCS_PROFILE_LIVE, .server = "s", .as_of = "", .interval = 1024});
	cr_assert_eq(
	    path_targets_choose(p, &(struct path_question){.uncollected = true}, &targets, &err),
	    GCS_ARGUMENT);
	cr_assert_str_eq(err.text,
	    "no live sample matches: Epsilon does not collect garbage, so nothing tells which "
	    "samples are alive; `gcspy histogram` counts all objects (live samples in all: 0)");
	gcs_profile_free(p);
}

static const char *title_of(struct path_result *r, uint64_t longest_ns)
{
	static char title[900];
	static struct path_question q;
	static struct climb climb;
	char message[300];
	void *bytes = NULL;
	size_t length = 0;
	climb.longest.wall_ns = longest_ns;
	*r = (struct path_result){&q, &targets, &climb, 500000000, r->late, NULL};
	cr_assert_eq(path_result_write(r, &bytes, &length, message, sizeof message, &err), GCS_OK);
	struct gcs_table *table = gcs_table_decode(bytes, length, &err);
	cr_assert_not_null(table);
	snprintf(title, sizeof title, "%s", table->title);
	gcs_plugin_free(table);
	gcs_plugin_free(bytes);
	return title;
}

/* The last pause of a search has ended nothing early. */
Test(path_result, a_pause_above_the_limit_is_called_so)
{
	struct path_result r = {.late = false};
	targets = (struct path_targets){.items = NULL};
	cr_assert_null(strstr(title_of(&r, 500000000), "limit"));
	cr_assert_not_null(
	    strstr(title_of(&r, 1200000000), "longest 1.2 s, above the limit of 500 ms, "));
	r.late = true;
	cr_assert_null(strstr(title_of(&r, 1200000000), "above"));
}
