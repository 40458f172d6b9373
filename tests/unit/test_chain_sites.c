/* Chains of several call sites in one answer: chosen by site, summed up, drawn as a flame graph. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "chain_tree.h"
#include "kit.h"
#include "sites.h"

static struct gcs_error err;
static struct gcs_table *table;
static void *encoded;

static void add(
    struct chain_tree *t, const char *site, const char *owner, const char *class_name, double bytes)
{
	const struct chain_step steps[] = {{CHAIN_TEXT, site, NULL, 1},
	    {CHAIN_STATIC, owner, "ALL", 1}, {CHAIN_FIELD, "java.util.ArrayList", "elementData", 1},
	    {CHAIN_ELEMENT, "java.lang.Object[]", "", 1}, {CHAIN_TEXT, class_name, NULL, 1}};
	cr_assert(chain_tree_add(t, steps, 5, bytes / 10, bytes));
}

static struct gcs_table *table_of(struct chain_tree *t, void **bytes)
{
	size_t length;
	cr_assert_eq(chain_tree_encode(t, "title", bytes, &length, &err), GCS_OK);
	struct gcs_table *made = gcs_table_decode(*bytes, length, &err);
	cr_assert_not_null(made, "%s", err.text);
	cr_assert(chain_tree_is(made));
	chain_tree_destroy(t);
	return made;
}

static void setup(void)
{
	kit_count_memory(0);
	struct chain_tree *t = chain_tree_create(false);
	add(t, "site 00000000000a", "shop.Cache", "shop.Entry", 600);
	add(t, "site 00000000000a", "shop.Feed", "shop.Entry", 200);
	add(t, "site 00000000000b", "shop.Feed", "shop.Event<&\"'", 100);
	add(t, "site 00000000000b", "shop.Feed", "shop.Event<&\"'", 100);
	table = table_of(t, &encoded);
}

static void teardown(void)
{
	gcs_plugin_free(table);
	gcs_plugin_free(encoded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define SitesTest(name) Test(chain_sites, name, .init = setup, .fini = teardown)

/* The rows of these sites, "depth text samples bytes", one per line. */
static void expect(const uint64_t *numbers, uint32_t count, const char *rows, const char *summary)
{
	char text[2000] = "", said[300];
	void *bytes;
	struct chain_tree *t = chain_tree_create(false);
	cr_assert(chain_tree_merge_sites(t, table, numbers, count));
	cr_assert_eq(chain_tree_summary(t, said, sizeof said), summary != NULL);
	if (summary != NULL)
		cr_expect_str_eq(said, summary);
	struct gcs_table *made = table_of(t, &bytes);
	for (uint32_t i = 0; i < made->row_count; i++) {
		const struct gcs_cell *c = &made->cells[i * CHAIN_COLUMNS];
		snprintf(text + strlen(text), sizeof text - strlen(text), "%u %s %lld %lld\n",
		    made->depths[i], c[CHAIN_COLUMN_HOLDER].text,
		    (long long)c[CHAIN_COLUMN_SAMPLES].number,
		    (long long)c[CHAIN_COLUMN_BYTES].number);
	}
	cr_expect_str_eq(text, rows);
	gcs_plugin_free(made);
	gcs_plugin_free(bytes);
}

SitesTest(one_site)
{
	const uint64_t number = 0xa;
	expect(&number, 1,
	    "0 static shop.Cache.ALL 1 600\n1 java.util.ArrayList[*] 1 600\n2 shop.Entry 1 600\n"
	    "0 static shop.Feed.ALL 1 200\n1 java.util.ArrayList[*] 1 200\n2 shop.Entry 1 200\n",
	    "75 %: static shop.Cache.ALL \xe2\x86\x92 java.util.ArrayList[*]");
}

SitesTest(all_sites_are_one_tree)
{
	expect(NULL, 0,
	    "0 static shop.Cache.ALL 1 600\n1 java.util.ArrayList[*] 1 600\n2 shop.Entry 1 600\n"
	    "0 static shop.Feed.ALL 3 400\n1 java.util.ArrayList[*] 3 400\n"
	    "2 shop.Entry 1 200\n2 shop.Event<&\"' 2 200\n",
	    "60 %: static shop.Cache.ALL \xe2\x86\x92 java.util.ArrayList[*]");
}

SitesTest(no_such_site)
{
	const uint64_t number = 0xc;
	expect(&number, 1, "", NULL);
}

SitesTest(numbers_of_rows)
{
	char text[40];
	chain_site_text(0x0123456789ab, text, sizeof text);
	cr_assert_str_eq(text, "site 0123456789ab");
	cr_assert_eq(chain_site_number(text), 0x0123456789ab);
	cr_assert_eq(chain_site_number("static A.site"), 0);
	cr_assert_eq(chain_site_number("site 12"), 0);
}

/* The holders are frames from the root on, the objects' class is the leaf; all bytes are there. */
SitesTest(a_profile_for_flame_graphs)
{
	struct gcs_profile *p = chain_profile(table);
	cr_assert_not_null(p);
	cr_assert_eq(gcs_profile_entry_count(p), 3);
	double bytes = 0;
	for (uint32_t i = 0; i < 3; i++)
		bytes += gcs_profile_entry(p, i)->bytes;
	cr_assert_float_eq(bytes, 1000, 0.001);
	const struct gcs_profile_entry *first = gcs_profile_entry(p, 0);
	cr_assert_str_eq(gcs_profile_name(p, first->class_name), "shop.Entry");
	const struct gcs_stack *inner = gcs_profile_stack(p, first->stack);
	cr_assert_str_eq(gcs_profile_frame(p, inner->frame)->method, "java.util.ArrayList[*]");
	const struct gcs_stack *outer = gcs_profile_stack(p, inner->parent);
	cr_assert_str_eq(gcs_profile_frame(p, outer->frame)->method, "static shop.Cache.ALL");
	gcs_profile_free(p);
}

static size_t occurrences(const char *text, size_t length, const char *word)
{
	size_t found = 0, words = strlen(word);
	for (size_t i = 0; i + words <= length; i++)
		found += memcmp(text + i, word, words) == 0;
	return found;
}

struct kept {
	char text[200000];
	size_t length;
};

static bool keep(void *context, const void *bytes, size_t length)
{
	struct kept *kept = context;
	if (kept->length + length > sizeof kept->text)
		return false;
	memcpy(kept->text + kept->length, bytes, length);
	kept->length += length;
	return true;
}

/* Names of the program have no markup; holders are above what they hold. */
SitesTest(pictures)
{
	static struct kept kept;
	for (int page = 0; page < 2; page++) {
		const struct gcs_sink sink = {keep, &kept};
		struct text text;
		kept.length = 0;
		text_begin(&text, &sink);
		cr_assert_eq(chain_graph(&text, table, page != 0, &err), GCS_OK);
		cr_assert_eq(text_end(&text, &err), GCS_OK);
		cr_assert_eq(
		    occurrences(kept.text, kept.length, "<title>static shop.Cache.ALL"), 1);
		cr_assert_eq(occurrences(kept.text, kept.length, "shop.Event&lt;&amp;"), 2);
		cr_assert_eq(occurrences(kept.text, kept.length, "shop.Event<"), 0);
		cr_assert_eq(occurrences(kept.text, kept.length, "data-icicle=\"1\""), 1);
		cr_assert_eq(occurrences(kept.text, kept.length, "<!DOCTYPE html>"), (size_t)page);
	}
}
