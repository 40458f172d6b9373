/* The writers (S6, E2); tests/cli reads what they write with readers of their own. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "made_profiles.h"

static struct gcs_error err;
static struct gcs_profile *profile;
static struct gcs_sites *sites;
static struct kept kept;

static void setup(void)
{
	kit_count_memory(0);
	kept = (struct kept){.room = SIZE_MAX};
	profile = profiles_plain(GCS_PROFILE_LIVE);
	sites = gcs_sites_create(profile, NULL, &err);
}

static void teardown(void)
{
	profiles_forget(&kept);
	gcs_sites_free(sites);
	gcs_profile_free(profile);
	cr_assert_eq(kit_live_blocks(), 0, "no live blocks");
}

#define ExportTest(name) Test(export, name, .init = setup, .fini = teardown)

static const char *written(enum gcs_export_format format)
{
	profiles_forget(&kept);
	struct gcs_sink sink = profiles_sink(&kept);
	cr_assert_eq(gcs_sites_export(sites, format, NULL, &sink, &err), GCS_OK, "%s", err.text);
	return kept.bytes;
}

Test(export_names, words_and_suffixes)
{
	enum gcs_export_format format = GCS_EXPORT_TEXT;
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++)
		cr_assert_str_neq(gcs_export_word((enum gcs_export_format)i), "?");
	cr_assert_str_eq(gcs_export_word(GCS_EXPORT_FORMAT_COUNT), "?");
	cr_assert(gcs_export_guess("/a.b/c.pb.gz", &format));
	cr_assert_eq(format, GCS_EXPORT_PPROF);
	cr_assert(gcs_export_guess("x.folded", &format));
	cr_assert_eq(format, GCS_EXPORT_COLLAPSED);
	cr_assert_not(gcs_export_guess(".svg", &format), "a name, not an end of one");
	cr_assert_not(gcs_export_guess("svg", &format));
	cr_assert_not(gcs_export_guess("x.gz", &format));
}

ExportTest(collapsed)
{
	cr_assert_str_eq(written(GCS_EXPORT_COLLAPSED), "app.Main.main;app.Work.run;byte[] 800000\n"
							"app.Main.main;java.util.ArrayList 100000\n"
							"byte[] 40000\n");
}

ExportTest(collapsed_weighs_at_least_one)
{
	cr_assert(profiles_sample(profile, GCS_NONE, "a;b c\n", "t", 0.2, 0));
	gcs_sites_free(sites);
	sites = gcs_sites_create(profile, NULL, &err);
	cr_assert_not_null(strstr(written(GCS_EXPORT_COLLAPSED), "\na:b_c\xef\xbf\xbd 1\n"));
}

/* A remark finds deaths before any collection that began with the sampling. */
ExportTest(text_of_samples_that_died)
{
	struct gcs_profile_head *head = (struct gcs_profile_head *)gcs_profile_head(profile);
	head->collections = 0;
	cr_assert_not_null(strstr(
	    written(GCS_EXPORT_TEXT), "tracked, 72 died, no whole collection yet, 0 dropped"));
	head->collections = 1;
	cr_assert_not_null(
	    strstr(written(GCS_EXPORT_TEXT), "tracked, 72 died in 1 collection, 0 dropped"));
	head->explicit_free = true;
	cr_assert_not_null(strstr(written(GCS_EXPORT_TEXT), "tracked, 72 freed, 0 dropped"));
}

ExportTest(text)
{
	cr_assert_str_eq(written(GCS_EXPORT_TEXT),
	    "Live by call site: Test\n"
	    "2026-01-02 03:04:05 UTC: now\n"
	    "Live includes what was allocated since the last collection: this server does not "
	    "tell it apart\n"
	    "918 KiB \302\261 9.47 KiB in about 9,400 objects, 3 call sites\n"
	    "Interval 64 KiB; 76 samples of about 4.77 MiB allocated since 2026-01-02 "
	    "03:03:20 UTC\n"
	    "Samples: 4 tracked, 72 died in 3 collections, 0 dropped, 0 lost, 0 without call site\n"
	    "Bytes and objects are estimates from samples; \302\261 is their standard error\n"
	    "\n"
	    " Rank       Bytes          \302\261   Share      Objects          \302\261  Samples   "
	    " "
	    "Age  Class, call site\n"
	    "    1     781 KiB   8.73 KiB    85 %        8,000          3        2    2.5  byte[]\n"
	    "            app.Work.run (File.java:20)\n"
	    "            app.Main.main (File.java:10)\n"
	    "            [site 2d4e744769d4]\n"
	    "    2    97.7 KiB   3.09 KiB    11 %        1,000          2        1    0.0  "
	    "java.util.ArrayList\n"
	    "            app.Main.main (File.java:10)\n"
	    "            [site 7ca54fb8f707]\n"
	    "    3    39.1 KiB   1.95 KiB   4.3 %          400          2        1    0.0  byte[]\n"
	    "            [no Java frames]\n"
	    "            [site ed32518ac68a]\n");
}

ExportTest(empty_profile_in_every_format)
{
	gcs_sites_free(sites);
	gcs_profile_free(profile);
	profile = profiles_empty(GCS_PROFILE_LIVE);
	sites = gcs_sites_create(profile, NULL, &err);
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++)
		(void)written((enum gcs_export_format)i);
	cr_assert_not_null(strstr(written(GCS_EXPORT_TEXT), "No samples.\n"));
	cr_assert_not_null(strstr(
	    written(GCS_EXPORT_JSON), "\"sites\": [], \"stacks_cut\": false,\n\"stacks\": []}"));
	cr_assert_not_null(strstr(written(GCS_EXPORT_SVG), "<title>all\n"));
}

ExportTest(icicles_have_the_root_on_top)
{
	struct gcs_export_options options = {.icicle = true};
	double y[2];
	for (unsigned i = 0; i < 2; i++) {
		profiles_forget(&kept);
		struct gcs_sink sink = profiles_sink(&kept);
		cr_assert_eq(
		    gcs_sites_export(sites, GCS_EXPORT_SVG, i == 0 ? NULL : &options, &sink, &err),
		    GCS_OK);
		const char *root = strstr(kept.bytes, "<title>all\n");
		y[i] = strtod(strstr(root, " y=\"") + 4, NULL);
	}
	cr_assert_float_eq(y[0] - y[1], 3 * 18, 1e-9);
}

ExportTest(profile_packs_and_unpacks)
{
	(void)written(GCS_EXPORT_GCSPY);
	struct gcs_profile *back = gcs_profile_unpack(kept.bytes, kept.length, &err);
	cr_assert_not_null(back, "%s", err.text);
	void *a, *b;
	size_t n, m;
	cr_assert_eq(gcs_profile_encode(profile, &a, &n, &err), GCS_OK);
	cr_assert_eq(gcs_profile_encode(back, &b, &m, &err), GCS_OK);
	cr_assert(n == m && memcmp(a, b, n) == 0);
	gcs_free(a);
	gcs_free(b);
	gcs_profile_free(back);
	for (size_t length = 0; length < kept.length; length++) {
		cr_assert_null(gcs_profile_unpack(kept.bytes, length, &err));
		cr_assert_eq(err.status, length < 8 ? GCS_FOREIGN : GCS_TRUNCATED, "%zu", length);
	}
}

ExportTest(profile_is_loaded_from_a_file)
{
	char path[] = "/tmp/gcspy-profile-XXXXXX";
	(void)written(GCS_EXPORT_GCSPY);
	int fd = mkstemp(path);
	cr_assert_eq(write(fd, kept.bytes, kept.length), (ssize_t)kept.length);
	close(fd);
	struct gcs_profile *back = gcs_profile_load(path, &err);
	cr_assert_not_null(back, "%s", err.text);
	cr_assert_eq(gcs_profile_entry_count(back), 4);
	gcs_profile_free(back);
	remove(path);
	cr_assert_null(gcs_profile_load(path, &err));
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_null(gcs_profile_load("/tmp", &err), "a folder");
	cr_assert_eq(err.status, GCS_IO);
}

/* Wherever the sink stops, the writer says so. */
/* A recursion with a sample at each depth: each stack in full would take 400 MB. */
ExportTest(json_has_each_stack_once)
{
	enum { DEPTH = 3000 };
	uint32_t stack = GCS_NONE;
	for (uint32_t i = 0; i < DEPTH; i++) {
		stack = profiles_call(profile, stack, "app.Deep", "down", i + 1);
		cr_assert(profiles_sample(profile, stack, "byte[]", "main", 1000, 1));
	}
	gcs_sites_free(sites);
	sites = gcs_sites_create(profile, NULL, &err);
	const char *document = written(GCS_EXPORT_JSON);
	cr_assert_lt(strlen(document), (size_t)DEPTH * 1000);
	cr_assert_not_null(strstr(document, "\"stacks_cut\": false"));
	cr_assert_not_null(strstr(document, "\"line\": 3000,"));
}

ExportTest(json_says_where_its_stacks_end)
{
	enum { DEPTH = 20000, NAME = 4000 };
	char *name = calloc(1, NAME + 1);
	uint32_t stack = GCS_NONE;
	memset(name, 'n', NAME);
	for (uint32_t i = 0; i < DEPTH; i++)
		stack = profiles_call(profile, stack, name, "down", i + 1);
	free(name);
	cr_assert(profiles_sample(profile, stack, "byte[]", "main", 1000, 1));
	gcs_sites_free(sites);
	sites = gcs_sites_create(profile, NULL, &err);
	const char *document = written(GCS_EXPORT_JSON);
	cr_assert_lt(strlen(document), 72 << 20);
	cr_assert_not_null(strstr(document, "\"stacks_cut\": true"));
}

ExportTest(sink_that_refuses)
{
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++) {
		(void)written((enum gcs_export_format)i);
		size_t whole = kept.length;
		for (size_t room = 0; room < whole; room += 1 + whole / 7) {
			profiles_forget(&kept);
			kept.room = room;
			struct gcs_sink sink = profiles_sink(&kept);
			cr_assert_eq(
			    gcs_sites_export(sites, (enum gcs_export_format)i, NULL, &sink, &err),
			    GCS_IO);
		}
	}
}

ExportTest(comparison_formats)
{
	struct gcs_comparison *c = gcs_sites_compare(sites, sites, &err);
	struct gcs_sink sink = profiles_sink(&kept);
	cr_assert_eq(gcs_comparison_export(c, GCS_EXPORT_COLLAPSED, 0, &sink, &err), GCS_OK);
	cr_assert_not_null(strstr(kept.bytes, "app.Main.main;app.Work.run;byte[] 800000 800000\n"));
	cr_assert_eq(gcs_comparison_export(c, GCS_EXPORT_SVG, 0, &sink, &err), GCS_UNSUPPORTED);
	cr_assert_not_null(strstr(err.text, "svg"));
	gcs_comparison_free(c);
	cr_assert_eq(
	    gcs_sites_export(sites, GCS_EXPORT_FORMAT_COUNT, NULL, &sink, &err), GCS_ARGUMENT);
}

Test(export_memory, every_failed_allocation_is_survived)
{
	kit_count_memory(0);
	struct gcs_profile *p = profiles_plain(GCS_PROFILE_LIVE);
	struct gcs_sites *s = gcs_sites_create(p, NULL, &err);
	size_t held = kit_live_blocks();
	for (unsigned i = 0; i < GCS_EXPORT_FORMAT_COUNT; i++)
		for (size_t allowed = 0;; allowed++) {
			struct kept out = {.room = SIZE_MAX};
			struct gcs_sink sink = profiles_sink(&out);
			kit_fail_after(allowed);
			enum gcs_status status =
			    gcs_sites_export(s, (enum gcs_export_format)i, NULL, &sink, &err);
			bool failed = kit_has_failed();
			kit_fail_after(SIZE_MAX);
			profiles_forget(&out);
			cr_assert_eq(
			    status, failed ? GCS_NOMEM : GCS_OK, "format %u, %zu", i, allowed);
			cr_assert_eq(kit_live_blocks(), held);
			if (!failed)
				break;
		}
	gcs_sites_free(s);
	gcs_profile_free(p);
	cr_assert_eq(kit_live_blocks(), 0);
}
