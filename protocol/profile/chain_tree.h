/*
 * Reference chains of sampled objects, put together to a tree whose first rows are what holds them:
 * static fields, threads, JNI references. A row has the estimates of all objects below it.
 *
 * A chain that is folded shows collections as people think of them: the table, nodes and buckets of
 * a java.util.HashMap are one row "java.util.HashMap value", array indexes are [*], and a list of
 * any length is one row. One thread.
 */
#ifndef GCSPY_PROFILE_CHAIN_TREE_H
#define GCSPY_PROFILE_CHAIN_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/plugin.h>
#include <gcspy/profile.h>
#include <gcspy/status.h>

#include "text.h"

/* A row is cut off below this depth. */
enum { CHAIN_TREE_DEPTH = 128 };

/* The columns of the encoded table. */
enum chain_column {
	CHAIN_COLUMN_HOLDER, /* a text, in a tree */
	CHAIN_COLUMN_SAMPLES,
	CHAIN_COLUMN_OBJECTS, /* estimates */
	CHAIN_COLUMN_BYTES,
	CHAIN_COLUMNS
};

enum chain_kind {
	CHAIN_TEXT,    /* `class_name` as it is: a root, the object itself, a remark */
	CHAIN_STATIC,  /* a static field of the class */
	CHAIN_FIELD,   /* a field of an object of the class */
	CHAIN_ELEMENT, /* an element of an array of the class, "java.lang.Object[]" */
};

/* The field "value" of a thread-local variable's entry may be followed by the variable: "value of A.LOCAL". */
#define CHAIN_VALUE_OF "value of "

struct chain_step {
	enum chain_kind kind;
	const char *class_name;
	const char *field; /* of the kinds that have one */
	uint64_t times;    /* how often in a row, from 1 on */
};

struct chain_tree;

/* NULL without memory. `raw`: chains are not folded. */
struct chain_tree *chain_tree_create(bool raw);
void chain_tree_destroy(struct chain_tree *tree);

/* Adds a chain from its root to the object, with the estimates that it stands for; texts are copied.
 * False without memory. */
bool chain_tree_add(struct chain_tree *tree, const struct chain_step *steps, uint32_t count,
    double objects, double bytes);

/* Adds rows of an encoded tree: those below the row `parent`, or with UINT32_MAX all. They are at most
 * as deep as a tree is. False without memory. */
bool chain_tree_merge(struct chain_tree *tree, const struct gcs_table *table, uint32_t parent);

/* Whether the table has the columns of chains. */
bool chain_tree_is(const struct gcs_table *table);

/* In chain_sites.c. The rows of searches of all call sites at once (form=sites) begin with the call
 * site. The number that such a row has, 0 for any other. */
uint64_t chain_site_number(const char *text);
void chain_site_text(uint64_t number, char *text, size_t size);

/* Adds what the table says of these call sites (NULL: of all), without the rows of the sites. False
 * without memory. */
bool chain_tree_merge_sites(struct chain_tree *tree, const struct gcs_table *table,
    const uint64_t *numbers, uint32_t count);

/* The branch of most bytes as "98 %: static Shop.BASKETS → java.util.HashMap value → …", without the
 * objects themselves; false if there is none. */
bool chain_tree_summary(const struct chain_tree *tree, char *text, size_t size);

/* The tree as the body of a plugin's answer (gcs_table_encode), what holds most first; frees with
 * gcs_plugin_free. */
enum gcs_status chain_tree_encode(const struct chain_tree *tree, const char *title, void **bytes,
    size_t *length, struct gcs_error *err);

/* In chain_graph.c. Encoded chains as a profile: the holders are frames, from the root on, and the last
 * row is the class of the objects. NULL without memory; gcs_profile_free. */
struct gcs_profile *chain_profile(const struct gcs_table *table);

/* The same as a flame graph, the root on top: a picture (SVG), or a page. */
enum gcs_status chain_graph(
    struct text *text, const struct gcs_table *table, bool page, struct gcs_error *err);

/* In chain_fold.c. Writes the text of the row that begins at step `at`, and returns the first step
 * after it. */
uint32_t chain_fold(
    const struct chain_step *steps, uint32_t count, uint32_t at, char *text, size_t size);

/* The row of one step, not folded. */
void chain_step_text(const struct chain_step *step, char *text, size_t size);

#endif
