/* Reference chains as a tree: which steps become one row, and what the rows add up to. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "kit.h"

static struct chain_tree *tree;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	tree = chain_tree_create(false);
}

static void teardown(void)
{
	chain_tree_destroy(tree);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ChainTest(name) Test(chain_tree, name, .init = setup, .fini = teardown)

#define TEXT(text)                                                                                 \
	{                                                                                          \
		CHAIN_TEXT, text, NULL, 1                                                          \
	}
#define STATIC(owner, field)                                                                       \
	{                                                                                          \
		CHAIN_STATIC, owner, field, 1                                                      \
	}
#define FIELD(owner, field)                                                                        \
	{                                                                                          \
		CHAIN_FIELD, owner, field, 1                                                       \
	}
#define ELEMENT(owner)                                                                             \
	{                                                                                          \
		CHAIN_ELEMENT, owner, "", 1                                                        \
	}
#define COUNT(steps) (sizeof(steps) / sizeof(steps)[0])

/* Adds the chain as the only one, and compares its rows with `expected`, one per line. */
static void expect(bool raw, const struct chain_step *steps, size_t count, const char *expected)
{
	struct chain_tree *one = chain_tree_create(raw);
	char rows[4000] = "";
	void *bytes;
	size_t length;
	cr_assert(chain_tree_add(one, steps, (uint32_t)count, 2, 100));
	cr_assert_eq(chain_tree_encode(one, "", &bytes, &length, &err), GCS_OK);
	struct gcs_table *t = gcs_table_decode(bytes, length, &err);
	cr_assert_not_null(t, "%s", err.text);
	for (uint32_t i = 0; i < t->row_count; i++) {
		cr_assert_eq(t->depths[i], i);
		cr_assert_eq(t->cells[i * CHAIN_COLUMNS + CHAIN_COLUMN_BYTES].number, 100);
		snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s\n",
		    t->cells[i * CHAIN_COLUMNS + CHAIN_COLUMN_HOLDER].text);
	}
	cr_expect_str_eq(rows, expected);
	gcs_plugin_free(t);
	gcs_plugin_free(bytes);
	chain_tree_destroy(one);
}

ChainTest(a_list_is_one_step)
{
	static const struct chain_step steps[] = {STATIC("shop.Feed", "INSTANCE"),
	    FIELD("shop.Feed", "listeners"), FIELD("java.util.ArrayList", "elementData"),
	    ELEMENT("java.lang.Object[]"), TEXT("shop.Session")};
	expect(false, steps, COUNT(steps),
	    "static "
	    "shop.Feed.INSTANCE\nshop.Feed.listeners\njava.util.ArrayList[*]\nshop.Session\n");
	expect(true, steps, COUNT(steps),
	    "static shop.Feed.INSTANCE\nshop.Feed.listeners\njava.util.ArrayList.elementData\n"
	    "java.lang.Object[*]\nshop.Session\n");
}

ChainTest(maps_have_keys_and_values)
{
	static const struct chain_step value[] = {FIELD("java.util.HashMap", "table"),
	    ELEMENT("java.util.HashMap$Node[]"), FIELD("java.util.HashMap$Node", "next"),
	    FIELD("java.util.HashMap$Node", "value"), TEXT("a")};
	static const struct chain_step key[] = {FIELD("java.util.LinkedHashMap", "table"),
	    ELEMENT("java.util.HashMap$Node[]"), FIELD("java.util.LinkedHashMap$Entry", "key"),
	    TEXT("a")};
	static const struct chain_step own[] = {FIELD("shop.LruCache", "head"),
	    FIELD("java.util.LinkedHashMap$Entry", "after"),
	    FIELD("java.util.LinkedHashMap$Entry", "value"), TEXT("a")};
	static const struct chain_step set[] = {FIELD("java.util.HashSet", "map"),
	    FIELD("java.util.HashMap", "table"), ELEMENT("java.util.HashMap$Node[]"),
	    FIELD("java.util.HashMap$Node", "key"), TEXT("a")};
	static const struct chain_step tree_map[] = {FIELD("java.util.TreeMap", "root"),
	    {CHAIN_FIELD, "java.util.TreeMap$Entry", "left", 7},
	    FIELD("java.util.TreeMap$Entry", "value"), TEXT("a")};
	static const struct chain_step concurrent[] = {
	    FIELD("java.util.concurrent.ConcurrentHashMap", "table"),
	    ELEMENT("java.util.concurrent.ConcurrentHashMap$Node[]"),
	    FIELD("java.util.concurrent.ConcurrentHashMap$Node", "val"), TEXT("a")};
	expect(false, value, COUNT(value), "java.util.HashMap value\na\n");
	expect(false, key, COUNT(key), "java.util.LinkedHashMap key\na\n");
	expect(false, own, COUNT(own), "shop.LruCache value\na\n");
	expect(false, set, COUNT(set), "java.util.HashSet[*]\na\n");
	expect(false, tree_map, COUNT(tree_map), "java.util.TreeMap value\na\n");
	expect(false, concurrent, COUNT(concurrent),
	    "java.util.concurrent.ConcurrentHashMap value\na\n");
}

ChainTest(a_thread_local_variable)
{
	static const struct chain_step steps[] = {TEXT("thread pool-*"),
	    FIELD("shop.Worker", "threadLocals"),
	    FIELD("java.lang.ThreadLocal$ThreadLocalMap", "table"),
	    ELEMENT("java.lang.ThreadLocal$ThreadLocalMap$Entry[]"),
	    FIELD("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value"), TEXT("a")};
	expect(false, steps, COUNT(steps), "thread pool-*\nthread-local variable\na\n");
	static const struct chain_step named[] = {TEXT("thread pool-*"),
	    FIELD("shop.Worker", "threadLocals"),
	    FIELD("java.lang.ThreadLocal$ThreadLocalMap", "table"),
	    ELEMENT("java.lang.ThreadLocal$ThreadLocalMap$Entry[]"),
	    FIELD("java.lang.ThreadLocal$ThreadLocalMap$Entry", "value of shop.Shop.CURRENT"),
	    TEXT("a")};
	expect(false, named, COUNT(named),
	    "thread pool-*\nthread-local variable shop.Shop.CURRENT\na\n");
}

/* The object may be a part of the collection itself. */
ChainTest(a_node_is_inside)
{
	static const struct chain_step steps[] = {STATIC("A", "MAP"),
	    FIELD("java.util.HashMap", "table"), ELEMENT("java.util.HashMap$Node[]"),
	    TEXT("java.util.HashMap$Node")};
	expect(false, steps, COUNT(steps),
	    "static A.MAP\njava.util.HashMap (inside)\njava.util.HashMap$Node\n");
	static const struct chain_step table[] = {
	    FIELD("java.util.HashMap", "table"), TEXT("java.util.HashMap$Node[]")};
	expect(
	    false, table, COUNT(table), "java.util.HashMap (inside)\njava.util.HashMap$Node[]\n");
}

/* A class of the program's own with a field of the same name is none. */
ChainTest(what_only_looks_like_a_collection)
{
	static const struct chain_step steps[] = {FIELD("shop.Grid", "table"),
	    ELEMENT("shop.Cell[][]"), ELEMENT("shop.Cell[]"), TEXT("shop.Cell")};
	static const struct chain_step cut[] = {FIELD("java.util.ArrayList", "elementData")};
	static const struct chain_step data[] = {
	    FIELD("shop.Own", "elementData"), ELEMENT("java.lang.Object[]"), TEXT("a")};
	expect(false, steps, COUNT(steps),
	    "shop.Grid.table\nshop.Cell[][*]\nshop.Cell[*]\nshop.Cell\n");
	expect(false, cut, COUNT(cut), "java.util.ArrayList.elementData\n");
	expect(false, data, COUNT(data), "shop.Own.elementData\njava.lang.Object[*]\na\n");
}

ChainTest(lists_of_the_program)
{
	static const struct chain_step list[] = {
	    {CHAIN_FIELD, "shop.Node", "next", 99998}, FIELD("shop.Node", "item"), TEXT("a")};
	static const struct chain_step both[] = {{CHAIN_FIELD, "shop.Node", "left", 2},
	    FIELD("shop.Node", "right"), FIELD("shop.Node", "item"), TEXT("a")};
	static const struct chain_step two[] = {{CHAIN_FIELD, "shop.Node", "next", 2}, TEXT("a")};
	expect(false, list, COUNT(list), "shop.Node.next (repeated)\nshop.Node.item\na\n");
	expect(false, both, COUNT(both), "shop.Node (linked)\nshop.Node.item\na\n");
	expect(false, two, COUNT(two), "shop.Node.next \xc3\x97 2\na\n");
	expect(true, list, COUNT(list), "shop.Node.next \xc3\x97 99,998\nshop.Node.item\na\n");
}

/* Chains with the same beginning share it; what holds most comes first. */
ChainTest(joins_what_is_equal)
{
	static const struct chain_step a[] = {TEXT("root"), TEXT("a")};
	static const struct chain_step b[] = {TEXT("root"), TEXT("b")};
	static const struct chain_step c[] = {TEXT("other"), TEXT("a")};
	static const struct {
		const char *text;
		uint32_t depth;
		int64_t samples, objects, bytes;
	} rows[] = {{"root", 0, 3, 6, 1100}, {"b", 1, 1, 2, 1000}, {"a", 1, 2, 4, 100},
	    {"other", 0, 1, 2, 600}, {"a", 1, 1, 2, 600}};
	void *bytes;
	size_t length;
	cr_assert(chain_tree_add(tree, a, 2, 2, 50));
	cr_assert(chain_tree_add(tree, c, 2, 2, 600));
	cr_assert(chain_tree_add(tree, b, 2, 2, 1000));
	cr_assert(chain_tree_add(tree, a, 2, 2, 50));
	cr_assert_eq(chain_tree_encode(tree, "the title", &bytes, &length, &err), GCS_OK);
	struct gcs_table *t = gcs_table_decode(bytes, length, &err);
	cr_assert_str_eq(t->title, "the title");
	cr_assert_eq(t->row_count, COUNT(rows));
	for (uint32_t i = 0; i < t->row_count; i++) {
		const struct gcs_cell *cells = &t->cells[i * CHAIN_COLUMNS];
		cr_expect_str_eq(cells[CHAIN_COLUMN_HOLDER].text, rows[i].text);
		cr_expect_eq(t->depths[i], rows[i].depth);
		cr_expect_eq(cells[CHAIN_COLUMN_SAMPLES].number, rows[i].samples);
		cr_expect_eq(cells[CHAIN_COLUMN_OBJECTS].number, rows[i].objects);
		cr_expect_eq(cells[CHAIN_COLUMN_BYTES].number, rows[i].bytes);
	}
	gcs_plugin_free(t);
	gcs_plugin_free(bytes);
}

ChainTest(is_cut_off_when_it_is_deep)
{
	struct chain_step steps[3 * CHAIN_TREE_DEPTH];
	char names[3 * CHAIN_TREE_DEPTH][8];
	void *bytes;
	size_t length;
	for (size_t i = 0; i < COUNT(steps); i++) {
		snprintf(names[i], sizeof names[i], "n%zu", i);
		steps[i] = (struct chain_step)TEXT(names[i]);
	}
	cr_assert(chain_tree_add(tree, steps, COUNT(steps), 1, 1));
	cr_assert_eq(chain_tree_encode(tree, "", &bytes, &length, &err), GCS_OK);
	struct gcs_table *t = gcs_table_decode(bytes, length, &err);
	cr_assert_eq(t->row_count, CHAIN_TREE_DEPTH);
	cr_assert_str_eq(t->cells[0].text, "n0");
	cr_assert_str_eq(t->cells[(CHAIN_TREE_DEPTH - 1) * CHAIN_COLUMNS].text, "... (longer)");
	gcs_plugin_free(t);
	gcs_plugin_free(bytes);
}

ChainTest(without_memory)
{
	static const struct chain_step steps[] = {TEXT("root"), TEXT("a")};
	bool done = false;
	size_t at = 0;
	for (; !done && at < 100; at++) {
		void *bytes = NULL;
		size_t length;
		kit_fail_after(at);
		struct chain_tree *t = chain_tree_create(false);
		done = t != NULL && chain_tree_add(t, steps, 2, 1, 1) &&
		       chain_tree_encode(t, "", &bytes, &length, &err) == GCS_OK;
		kit_fail_after(SIZE_MAX);
		gcs_plugin_free(bytes);
		chain_tree_destroy(t);
	}
	cr_assert(done && at > 4);
}
