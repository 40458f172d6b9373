/* What is live in a profile, what is new, what is where, and by which frame (S3, S8). */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "kit.h"
#include "live_profile.h"
#include "sites.h"

static struct gcs_error err;
static struct gcs_profile *profile;

#define WALL INT64_C(1767323045000000000)
#define MIB  (1024.0 * 1024)

static struct gcs_profile_head head_of(enum gcs_profile_kind kind, uint64_t judged)
{
	return (struct gcs_profile_head){.kind = kind,
	    .server = "Test",
	    .as_of = "now",
	    .interval = 1024,
	    .wall_ns = WALL,
	    .since_wall_ns = WALL - INT64_C(60000000000),
	    .judged = {judged, WALL - INT64_C(5000000000) + (int64_t)judged * 1000000, "Young"},
	    .judged_old = {judged == 0 ? 0 : 1, WALL - INT64_C(50000000000), "Full"},
	    .used_bytes = 100 * 1024 * 1024};
}

static uint32_t call(struct gcs_profile *p, uint32_t parent, const char *class_name, uint32_t line)
{
	const struct gcs_frame f = {
	    .class_name = class_name, .method = "go", .file = "X.java", .line = line};
	return gcs_profile_add_stack(
	    p, &(struct gcs_stack){.parent = parent, .frame = gcs_profile_add_frame(p, &f)});
}

static uint32_t name_of(struct gcs_profile *p, const char *name)
{
	for (uint32_t i = 0; i < gcs_profile_name_count(p); i++)
		if (strcmp(gcs_profile_name(p, i), name) == 0)
			return i;
	return gcs_profile_add_name(p, name);
}

struct spec {
	const char *class_name, *region;
	uint32_t line, age; /* of the program's frame */
	double bytes;
	uint64_t size, address;
	const char *library; /* called by the program's frame; NULL: none */
};

static void add(struct gcs_profile *p, const struct spec *s)
{
	const bool totals = gcs_profile_head(p)->kind == GCS_PROFILE_ALLOCATED;
	const uint32_t own = call(p, call(p, GCS_NONE, "java.lang.Thread", 1), "app.Shop", s->line);
	const struct gcs_profile_entry e = {
	    .stack = s->library == NULL ? own : call(p, own, s->library, 7),
	    .class_name = name_of(p, s->class_name),
	    .thread = name_of(p, "main"),
	    .samples = 1,
	    .bytes = s->bytes,
	    .bytes_variance = s->bytes * 1024,
	    .objects = 10,
	    .objects_variance = 1,
	    .age = s->age,
	    .size = s->size,
	    .address = s->address,
	    .region = name_of(p, s->region) + 1,
	    .live_bytes = totals ? s->bytes / 2 : 0,
	    .new_bytes = totals ? s->bytes / 4 : 0};
	cr_assert(gcs_profile_add_entry(p, &e));
}

static const struct spec specs[] = {
    {"byte[]", "Old", 55, 3, 30 * MIB, 4096, 0x30000, NULL},
    {"byte[]", "Eden", 55, 0, 70 * MIB, 4096, 0x1000, NULL},
    {"int[]", "Humongous", 60, 1, 10 * MIB, 700000, 0x50000, "java.util.HashMap"},
    {"Node", "Survivor", 60, 1, 5 * MIB, 48, 0x20000, "org.lib.Map"},
    {"char[]", "Eden", 70, 0, 2 * MIB, 100, 0x2000, NULL},
};

static struct gcs_profile *make(enum gcs_profile_kind kind, uint64_t judged)
{
	const struct gcs_profile_head head = head_of(kind, judged);
	struct gcs_profile *p = gcs_profile_create(&head);
	for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
		struct spec s = specs[i];
		if (kind == GCS_PROFILE_ALLOCATED) {
			s.age = 1;
			s.size = gcs_size_range(s.size);
		}
		add(p, &s);
	}
	return p;
}

static void setup(void)
{
	kit_count_memory(0);
	profile = make(GCS_PROFILE_LIVE, 41);
}

static void teardown(void)
{
	gcs_profile_free(profile);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define LiveTest(name) Test(live_profile, name, .init = setup, .fini = teardown)

static struct gcs_sites *sites_of(struct gcs_site_filter filter)
{
	struct gcs_sites *s = gcs_sites_create(profile, &filter, &err);
	cr_assert_not_null(s, "%s", err.text);
	return s;
}

LiveTest(new_objects_are_never_added_to_live_ones)
{
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.top = 0});
	kit_near(gcs_sites_total(s)->bytes, 45 * MIB);
	cr_assert_eq(gcs_sites_total(s)->new_bytes, 0);
	cr_assert_eq(gcs_sites_count(s), 3);
	cr_assert_not(gcs_sites_has_new(s));
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.with_new = true});
	kit_near(gcs_sites_total(s)->bytes, 45 * MIB);
	kit_near(gcs_sites_total(s)->new_bytes, 72 * MIB);
	kit_near(gcs_sites_total(s)->new_bytes_error, sqrt(72 * MIB * 1024));
	cr_assert_eq(gcs_sites_count(s), 4);
	kit_near(gcs_sites_at(s, 0)->bytes, 30 * MIB);
	kit_near(gcs_sites_at(s, 0)->new_bytes, 70 * MIB);
	cr_assert_eq(gcs_sites_at(s, 3)->bytes, 0, "new only, so last");
	gcs_sites_free(s);
}

LiveTest(totals_have_both)
{
	gcs_profile_free(profile);
	profile = make(GCS_PROFILE_ALLOCATED, 41);
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.top = 0});
	kit_near(gcs_sites_total(s)->bytes, 117 * MIB);
	kit_near(gcs_sites_total(s)->live_bytes, 117 * MIB / 2);
	kit_near(gcs_sites_total(s)->new_bytes, 117 * MIB / 4);
	cr_assert(gcs_sites_has_new(s));
	gcs_sites_free(s);
}

/* More live than used cannot be: the sum is what is used, and the words say what the samples say. */
LiveTest(live_is_at_most_what_is_used)
{
	char text[400];
	add(profile, &(struct spec){"big", "Old", 1, 9, 80 * MIB, 64, 0, NULL});
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.top = 0});
	kit_near(gcs_sites_total(s)->bytes, 100 * MIB);
	kit_near(gcs_sites_at(s, 0)->bytes, 80 * MIB * 100 / 125);
	kit_near(gcs_sites_at(s, 0)->survival[gcs_survival_bucket(9)], 64 * MIB);
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.class_pattern = "big"});
	kit_near(gcs_sites_total(s)->bytes, 64 * MIB);
	gcs_sites_free(s);
	gcs_profile_coverage_text(text, sizeof text, profile);
	cr_assert_str_eq(text, "Samples say 125 MiB \302\261 358 KiB, more than the 100 MiB used: "
			       "figures of live objects are reduced to that");
}

LiveTest(words)
{
	char text[400];
	cr_assert_str_eq(gcs_profile_new_text(profile), "not collected yet");
	gcs_profile_judged_text(text, sizeof text, profile);
	cr_assert_str_eq(text,
	    "Live: survived young collection 41 at 03:04:00; old objects judged by "
	    "full collection 1 at 03:03:15");
	gcs_profile_coverage_text(text, sizeof text, profile);
	cr_assert_str_eq(text,
	    "Samples cover 45 MiB of 100 MiB used (45 %); objects older than the sampling (since "
	    "03:03:05) are not seen; gcspy histogram counts all, interval= at start samples from "
	    "the beginning");
	gcs_profile_free(profile);
	struct gcs_profile_head head = head_of(GCS_PROFILE_LIVE, 41);
	head.collections = 41; /* all of the program's */
	profile = gcs_profile_create(&head);
	add(profile, &specs[1]);
	gcs_profile_coverage_text(text, sizeof text, profile);
	cr_assert_not_null(strstr(text, "; the rest is what had not been collected yet, was"));
	cr_assert_null(strstr(text, "interval="));
	gcs_profile_free(profile);
	profile = make(GCS_PROFILE_LIVE, 0);
	gcs_profile_judged_text(text, sizeof text, profile);
	cr_assert_str_eq(
	    text, "Live: nothing yet, no collection has judged a sample since sampling began");
	gcs_profile_free(profile);
	profile = make(GCS_PROFILE_RECENT, 41);
	cr_assert_str_eq(gcs_profile_judged_text(text, sizeof text, profile), "");
	cr_assert_str_eq(gcs_profile_coverage_text(text, sizeof text, profile), "");
}

static const char *native_words(char *text, size_t size, uint64_t interval, const char *missing)
{
	struct gcs_profile_head head = head_of(GCS_PROFILE_LIVE, 41);
	head.explicit_free = true;
	head.interval = interval;
	head.as_of = missing;
	gcs_profile_free(profile);
	profile = gcs_profile_create(&head);
	add(profile, &(struct spec){"small", "Old", 1, 9, 40 * MIB, 64, 0, NULL});
	if (interval == 1)
		((struct gcs_profile_entry *)gcs_profile_entry(profile, 0))->bytes_variance = 0;
	return gcs_profile_coverage_text(text, size, profile);
}

/* Of a native heap the rest has never been an allocation's from before, unless the server says so. */
LiveTest(words_of_native_heaps)
{
	char text[400];
#define COVERS "Samples cover 40 MiB of 100 MiB used (40 %); the rest is headers, rounding"
	cr_assert_str_eq(native_words(text, sizeof text, 1, ""),
	    "Samples cover 40 MiB of 100 MiB used (40 %); the rest is headers and rounding");
	cr_assert_str_eq(native_words(text, sizeof text, 1, "3 blocks are not among them"),
	    COVERS " and the blocks that were not sampled");
	cr_assert_str_eq(native_words(text, sizeof text, 1024, "so are others"),
	    COVERS ", chance and what was not sampled");
	cr_assert_str_eq(native_words(text, sizeof text, 1024, ""),
	    "Samples cover 40 MiB of 100 MiB used (40 %); the rest is headers, rounding and "
	    "chance");
	add(profile, &(struct spec){"big", "Old", 1, 9, 80 * MIB, 64, 0, NULL});
	gcs_profile_coverage_text(text, sizeof text, profile);
	cr_assert_not_null(
	    strstr(text, ", more than the 100 MiB used: figures of live objects are "));
}

LiveTest(an_older_server_does_not_tell)
{
	char text[400];
	struct gcs_profile_head head = head_of(GCS_PROFILE_LIVE, 0);
	head.live_includes_new = true;
	gcs_profile_free(profile);
	profile = gcs_profile_create(&head);
	add(profile, &specs[1]);
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.top = 0});
	kit_near(gcs_sites_total(s)->bytes, 70 * MIB);
	gcs_sites_free(s);
	cr_assert_str_eq(gcs_profile_judged_text(text, sizeof text, profile),
	    "Live includes what was allocated since the last collection: this server does not tell "
	    "it apart");
	cr_assert_str_eq(gcs_profile_coverage_text(text, sizeof text, profile), "");
}

/* Bytes and number of the sites that a filter selects. */
static void selects(struct gcs_site_filter filter, double mib, uint32_t count)
{
	struct gcs_sites *s = sites_of(filter);
	kit_near(gcs_sites_total(s)->bytes, mib * MIB);
	cr_assert_eq(gcs_sites_count(s), count, "%u", gcs_sites_count(s));
	gcs_sites_free(s);
}

LiveTest(places_and_sizes)
{
	selects((struct gcs_site_filter){.where = "old"}, 30, 1);
	selects((struct gcs_site_filter){.where = "Humongous"}, 10, 1);
	selects((struct gcs_site_filter){.where = "young"}, 5, 1);
	selects((struct gcs_site_filter){.where = "eden"}, 0, 0);
	selects((struct gcs_site_filter){.where = "range=0x20000-0x30001"}, 35, 2);
	selects((struct gcs_site_filter){.min_size = 4096}, 40, 2);
	selects((struct gcs_site_filter){.min_size = 4097}, 10, 1);
	gcs_profile_free(profile);
	profile = make(GCS_PROFILE_ALLOCATED, 41);
	selects((struct gcs_site_filter){.where = "humongous"}, 10, 1);
	/* Rounded down to 512 KiB; below 1 KiB to 0. */
	selects((struct gcs_site_filter){.min_size = 700001}, 10, 1);
	selects((struct gcs_site_filter){.min_size = 1023}, 117, 4);
	selects((struct gcs_site_filter){.min_size = 1024}, 110, 2);
}

static void refuses(struct gcs_site_filter filter, enum gcs_status status, const char *words)
{
	cr_assert_null(gcs_sites_create(profile, &filter, &err));
	cr_assert_eq(err.status, status);
	cr_assert_not_null(strstr(err.text, words), "%s", err.text);
}

LiveTest(places_that_are_not_there)
{
	refuses((struct gcs_site_filter){.where = "tenured"}, GCS_ARGUMENT,
	    "has objects in Old, Eden, Humongous, Survivor;");
	refuses((struct gcs_site_filter){.where = "range=0x20-0x10"}, GCS_ARGUMENT,
	    "the second address is not above the first");
	refuses((struct gcs_site_filter){.where = "range=0x20"}, GCS_ARGUMENT, "two addresses");
	gcs_profile_free(profile);
	profile = gcs_profile_create(&(struct gcs_profile_head){
	    .kind = GCS_PROFILE_ALLOCATED, .server = "", .as_of = "", .live_includes_new = true});
	struct gcs_profile_entry e = {.stack = GCS_NONE, .bytes = 1};
	gcs_profile_add_name(profile, "A");
	cr_assert(gcs_profile_add_entry(profile, &e));
	refuses((struct gcs_site_filter){.where = "old"}, GCS_UNSUPPORTED, "does not say where");
	refuses((struct gcs_site_filter){.where = "range=0x0-0x10"}, GCS_UNSUPPORTED, "addresses");
	refuses((struct gcs_site_filter){.min_size = 5000}, GCS_UNSUPPORTED, "sizes");
}

/* ZGC and Shenandoah: their types of regions have no generation, but an age is known. */
LiveTest(regions_without_generations)
{
	static const char *const old = "regions of this collector's heap have no generation";
	for (int kind = GCS_PROFILE_LIVE; kind < GCS_PROFILE_KIND_COUNT; kind++) {
		const bool totals = kind == GCS_PROFILE_ALLOCATED;
		struct gcs_profile_head head = head_of((enum gcs_profile_kind)kind, 41);
		gcs_profile_free(profile);
		profile = gcs_profile_create(&head);
		const struct gcs_profile_entry e = {
		    .stack = GCS_NONE, .samples = 1, .bytes = 7, .age = 2, .region = 1};
		gcs_profile_add_name(profile, "Small");
		cr_assert(gcs_profile_add_entry(profile, &e));
		refuses((struct gcs_site_filter){.where = "old"}, GCS_UNSUPPORTED, old);
		refuses((struct gcs_site_filter){.where = "eden"}, GCS_UNSUPPORTED, "in Small");
		cr_assert_eq(strstr(err.text, "--min-age") != NULL, !totals, "%s", err.text);
		selects((struct gcs_site_filter){.where = "small"}, 7 / (double)MIB, 1);
		selects((struct gcs_site_filter){.where = "humongous"}, 0, 0);
		if (!totals)
			selects((struct gcs_site_filter){.min_age = 2}, 7 / (double)MIB, 1);
	}
}

/* ZGC with generations: a type and a part of the heap. */
LiveTest(regions_with_a_part)
{
	static const char *const names[] = {"Small, old", "Large, eden", "Small, survivor"};
	struct gcs_profile_head head = head_of(GCS_PROFILE_LIVE, 41);
	gcs_profile_free(profile);
	profile = gcs_profile_create(&head);
	for (uint32_t i = 0; i < 3; i++) {
		const struct gcs_profile_entry e = {.stack = GCS_NONE,
		    .samples = 1,
		    .bytes = (double)((1 << i) * MIB),
		    .age = 2,
		    .region = i + 1};
		gcs_profile_add_name(profile, names[i]);
		cr_assert(gcs_profile_add_entry(profile, &e));
	}
	selects((struct gcs_site_filter){.where = "old"}, 1, 1);
	selects((struct gcs_site_filter){.where = "young"}, 6, 1);
	selects((struct gcs_site_filter){.where = "eden"}, 2, 1);
	selects((struct gcs_site_filter){.where = "survivor"}, 4, 1);
	selects((struct gcs_site_filter){.where = "humongous"}, 2, 1);
	selects((struct gcs_site_filter){.where = "small"}, 5, 1);
	selects((struct gcs_site_filter){.where = "small, old"}, 1, 1);
}

LiveTest(size_ranges)
{
	static const uint64_t sizes[][2] = {{0, 0}, {1023, 0}, {1024, 1024}, {2047, 1024},
	    {2048, 2048}, {700000, 524288}, {UINT64_MAX, UINT64_C(1) << 63}};
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
		cr_assert_eq(gcs_size_range(sizes[i][0]), sizes[i][1]);
}

/* The line of the program that a row points to. */
static uint32_t own_line(const struct gcs_sites *s, uint32_t site)
{
	const struct gcs_frame *f = gcs_sites_own_frame(s, gcs_sites_at(s, site));
	return f == NULL ? 0 : f->line;
}

LiveTest(own_frame_is_behind_the_jdk_and_libraries)
{
	static const char *const libraries[] = {"com.other.", "org.lib.", NULL};
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.class_pattern = "int|Node"});
	cr_assert_eq(own_line(s, 0), 60);
	cr_assert_eq(own_line(s, 1), 7, "org.lib is a program's unless it is named");
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.class_pattern = "Node", .libraries = libraries});
	cr_assert_eq(own_line(s, 0), 60);
	gcs_sites_free(s);
}

LiveTest(rows_by_class_frame_and_thread)
{
	static const char *const libraries[] = {"org.lib.", NULL};
	struct gcs_sites *s =
	    sites_of((struct gcs_site_filter){.by = GCS_SITES_BY_FRAME, .libraries = libraries});
	cr_assert_eq(gcs_sites_count(s), 2);
	cr_assert_eq(own_line(s, 0), 55);
	kit_near(gcs_sites_at(s, 1)->bytes, 15 * MIB);
	cr_assert_eq(own_line(s, 1), 60);
	cr_assert_str_eq(gcs_sites_at(s, 1)->class_name, "[several classes]");
	uint32_t stack = gcs_sites_at(s, 1)->stack;
	cr_assert_not_null(gcs_sites_caller(s, &stack));
	cr_assert_null(gcs_sites_caller(s, &stack), "nothing but the frame");
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.by = GCS_SITES_BY_CLASS, .with_new = true});
	cr_assert_eq(gcs_sites_count(s), 4);
	cr_assert_str_eq(gcs_sites_at(s, 0)->class_name, "byte[]");
	cr_assert_eq(gcs_sites_at(s, 0)->stack, GCS_NONE);
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.by = GCS_SITES_BY_THREAD});
	cr_assert_eq(gcs_sites_count(s), 1);
	cr_assert_str_eq(gcs_sites_at(s, 0)->thread, "main");
	kit_near(gcs_sites_at(s, 0)->bytes, 45 * MIB);
	gcs_sites_free(s);
}

LiveTest(rows_by_package)
{
	static const char *const libraries[] = {"org.lib.", NULL};
	struct gcs_sites *s = sites_of((struct gcs_site_filter){.by = GCS_SITES_BY_PACKAGE});
	double sum = 0;
	cr_assert_eq(gcs_sites_count(s), 2);
	for (uint32_t i = 0; i < 2; i++)
		sum += gcs_sites_at(s, i)->bytes;
	kit_near(sum, 45 * MIB);
	cr_assert_str_eq(gcs_sites_at(s, 0)->class_name, "app");
	cr_assert_str_eq(gcs_sites_at(s, 1)->class_name, "org.lib");
	cr_assert_eq(gcs_sites_at(s, 1)->stack, GCS_NONE);
	gcs_sites_free(s);
	s = sites_of((struct gcs_site_filter){.by = GCS_SITES_BY_PACKAGE, .libraries = libraries});
	cr_assert_eq(gcs_sites_count(s), 1, "a library's frames are passed over");
	struct gcs_comparison *c = gcs_sites_compare(s, s, &err);
	cr_assert_eq(gcs_comparison_count(c), 1);
	gcs_comparison_free(c);
	gcs_sites_free(s);
}

/* A frame whose classes change stays one row of a comparison. */
LiveTest(comparison_by_frame)
{
	struct gcs_profile *later = make(GCS_PROFILE_LIVE, 42);
	add(later, &(struct spec){"long[]", "Old", 55, 2, 8 * MIB, 64, 0, NULL});
	const struct gcs_site_filter filter = {.by = GCS_SITES_BY_FRAME};
	struct gcs_sites *before = sites_of(filter);
	struct gcs_sites *after = gcs_sites_create(later, &filter, &err);
	struct gcs_comparison *c = gcs_sites_compare(before, after, &err);
	cr_assert_eq(gcs_comparison_count(c), 3);
	kit_near(gcs_comparison_at(c, 0)->bytes, 8 * MIB);
	kit_near(gcs_comparison_at(c, 0)->before->bytes, 30 * MIB);
	gcs_comparison_free(c);
	gcs_sites_free(after);
	gcs_sites_free(before);
	gcs_profile_free(later);
}

static const char *unknown_between(uint64_t first, uint64_t last)
{
	static char why[200];
	struct gcs_profile *a = make(GCS_PROFILE_LIVE, first), *b = make(GCS_PROFILE_LIVE, last);
	struct gcs_sites *before = gcs_sites_create(a, NULL, &err);
	struct gcs_sites *after = gcs_sites_create(b, NULL, &err);
	struct gcs_comparison *c = gcs_sites_compare(before, after, &err);
	strcpy(why, gcs_comparison_unknown(c));
	if (first != 0)
		cr_assert_float_eq(gcs_comparison_seconds(c), (double)(last - first) * 1e-3, 1e-6);
	gcs_comparison_free(c);
	gcs_sites_free(before);
	gcs_sites_free(after);
	gcs_profile_free(a);
	gcs_profile_free(b);
	return why;
}

LiveTest(growth_needs_a_collection_between)
{
	cr_assert_str_eq(unknown_between(41, 42), "");
	cr_assert_str_eq(unknown_between(41, 41),
	    "no collection between: young collection 41 at 03:04:00 judged both");
	cr_assert_str_eq(
	    unknown_between(0, 3), "no collection between: none had judged the first profile");
	cr_assert_str_eq(
	    unknown_between(0, 0), "no collection between: none had judged the first profile");
}

static const char *new_text_of(uint64_t judged, const char *kind, uint64_t collections)
{
	gcs_profile_free(profile);
	struct gcs_profile_head head = head_of(GCS_PROFILE_LIVE, judged);
	head.judged.kind = kind;
	head.collections = collections;
	profile = gcs_profile_create(&head);
	return gcs_profile_new_text(profile);
}

/* Young collections of generational ZGC do not judge: what is new may be dead for long, and more than
 * the heap. */
LiveTest(new_objects_are_not_judged_where_young_collections_do_not)
{
	cr_assert_str_eq(new_text_of(0, "", 0), "not collected yet");
	cr_assert_str_eq(new_text_of(0, "", 3), "not judged yet");
	cr_assert_str_eq(new_text_of(7, "Old relocate start", 9), "not judged yet");
	cr_assert_str_eq(new_text_of(7, "Relocate start", 9), "not collected yet");
}
