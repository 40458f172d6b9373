#include "chain_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "arena.h"
#include "text.h"

struct chain_node {
	const char *text;
	struct chain_node *child, *next; /* the first of its children; of its siblings */
	uint64_t samples;
	double objects, bytes;
};

struct chain_tree {
	struct arena arena;
	struct chain_node top;
	uint32_t nodes;
	bool raw;
};

struct chain_tree *chain_tree_create(bool raw)
{
	struct chain_tree *t = gcs_zalloc(sizeof *t);
	if (t != NULL)
		t->raw = raw;
	return t;
}

void chain_tree_destroy(struct chain_tree *t)
{
	if (t == NULL)
		return;
	arena_fini(&t->arena);
	gcs_free(t);
}

/* The child with that text, added if it is new; NULL without memory. */
static struct chain_node *chain_child(
    struct chain_tree *t, struct chain_node *parent, const char *text)
{
	struct chain_node **at = &parent->child;
	for (; *at != NULL; at = &(*at)->next)
		if (strcmp((*at)->text, text) == 0)
			return *at;
	struct chain_node *n = arena_alloc(&t->arena, 1, sizeof *n);
	const char *copy = n == NULL ? NULL : arena_text(&t->arena, text, strlen(text));
	if (copy == NULL)
		return NULL;
	*n = (struct chain_node){.text = copy};
	*at = n;
	t->nodes++;
	return n;
}

static void count_chain(struct chain_node *n, double objects, double bytes)
{
	n->samples++;
	n->objects += objects;
	n->bytes += bytes;
}

bool chain_tree_add(struct chain_tree *t, const struct chain_step *steps, uint32_t step_count,
    double objects, double bytes)
{
	char text[1024];
	struct chain_node *n = &t->top;
	uint32_t depth = 0;
	count_chain(n, objects, bytes);
	for (uint32_t i = 0; i < step_count; depth++) {
		if (depth + 1 == CHAIN_TREE_DEPTH) {
			n = chain_child(t, n, "... (longer)");
			i = step_count;
		} else if (t->raw) {
			chain_step_text(&steps[i++], text, sizeof text);
			n = chain_child(t, n, text);
		} else {
			i = chain_fold(steps, step_count, i, text, sizeof text);
			n = chain_child(t, n, text);
		}
		if (n == NULL)
			return false;
		count_chain(n, objects, bytes);
	}
	return true;
}

bool chain_tree_is(const struct gcs_table *t)
{
	return t->column_count == CHAIN_COLUMNS && (t->depths != NULL || t->row_count == 0) &&
	       t->columns[CHAIN_COLUMN_HOLDER].kind == GCS_COLUMN_TEXT &&
	       t->columns[CHAIN_COLUMN_SAMPLES].kind == GCS_COLUMN_NUMBER &&
	       t->columns[CHAIN_COLUMN_OBJECTS].kind == GCS_COLUMN_NUMBER &&
	       t->columns[CHAIN_COLUMN_BYTES].kind == GCS_COLUMN_NUMBER;
}

bool chain_tree_merge(struct chain_tree *t, const struct gcs_table *table, uint32_t parent)
{
	struct chain_node *path[CHAIN_TREE_DEPTH + 1] = {&t->top};
	const uint32_t above = parent == UINT32_MAX ? 0 : table->depths[parent] + 1;
	for (uint32_t i = parent == UINT32_MAX ? 0 : parent + 1;
	     i < table->row_count && table->depths[i] >= above; i++) {
		const struct gcs_cell *cells = &table->cells[(size_t)i * CHAIN_COLUMNS];
		const uint32_t depth = table->depths[i] - above;
		if (depth >= CHAIN_TREE_DEPTH)
			continue;
		struct chain_node *n = chain_child(t, path[depth], cells[CHAIN_COLUMN_HOLDER].text);
		if (n == NULL)
			return false;
		path[depth + 1] = n;
		n->samples += (uint64_t)cells[CHAIN_COLUMN_SAMPLES].number;
		n->objects += (double)cells[CHAIN_COLUMN_OBJECTS].number;
		n->bytes += (double)cells[CHAIN_COLUMN_BYTES].number;
		if (depth != 0)
			continue;
		t->top.samples += (uint64_t)cells[CHAIN_COLUMN_SAMPLES].number;
		t->top.bytes += (double)cells[CHAIN_COLUMN_BYTES].number;
	}
	return true;
}

/* The child of most bytes; NULL: none. */
static const struct chain_node *heaviest(const struct chain_node *parent)
{
	const struct chain_node *best = parent->child;
	for (const struct chain_node *n = best; n != NULL; n = n->next)
		if (n->bytes > best->bytes)
			best = n;
	return best;
}

bool chain_tree_summary(const struct chain_tree *t, char *text, size_t size)
{
	/* Where none of them holds half of what the row has, the branches are more than one. */
	const struct chain_node *n = heaviest(&t->top);
	size_t used;
	if (n == NULL || !(t->top.bytes > 0))
		return false;
	used = (size_t)snprintf(text, size, "%.0f %%: %s", 100 * n->bytes / t->top.bytes, n->text);
	for (;;) {
		const struct chain_node *next = heaviest(n);
		if (next == NULL || next->bytes * 2 < n->bytes || next->child == NULL ||
		    used >= size)
			return true;
		used += (size_t)snprintf(text + used, size - used, " \xe2\x86\x92 %s", next->text);
		n = next;
	}
}

static int by_chain_bytes(const void *left, const void *right)
{
	const struct chain_node *a = *(struct chain_node *const *)left,
				*b = *(struct chain_node *const *)right;
	if (a->bytes != b->bytes)
		return a->bytes > b->bytes ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* The rows that are written. */
struct chain_rows {
	struct gcs_cell *cells;
	uint32_t *depths;
	uint32_t count;
	struct chain_node *
	    *order; /* as many as nodes: each level sorts its own after those above it */
};

/* At most CHAIN_TREE_DEPTH deep. */
static void write_chain_rows(
    struct chain_rows *r, const struct chain_node *parent, uint32_t depth, uint32_t used)
{
	uint32_t children = 0;
	for (struct chain_node *n = parent->child; n != NULL; n = n->next)
		r->order[used + children++] = n;
	if (children != 0)
		qsort(r->order + used, children, sizeof *r->order, by_chain_bytes);
	for (uint32_t i = 0; i < children; i++) {
		const struct chain_node *n = r->order[used + i];
		struct gcs_cell *cells = &r->cells[(size_t)r->count * CHAIN_COLUMNS];
		cells[CHAIN_COLUMN_HOLDER].text = n->text;
		cells[CHAIN_COLUMN_SAMPLES].number = (int64_t)n->samples;
		cells[CHAIN_COLUMN_OBJECTS].number = (int64_t)text_rounded(n->objects);
		cells[CHAIN_COLUMN_BYTES].number = (int64_t)text_rounded(n->bytes);
		r->depths[r->count++] = depth;
		write_chain_rows(r, n, depth + 1, used + children);
	}
}

enum gcs_status chain_tree_encode(const struct chain_tree *t, const char *title, void **bytes,
    size_t *length, struct gcs_error *err)
{
	static const struct gcs_column columns[CHAIN_COLUMNS] = {
	    [CHAIN_COLUMN_HOLDER] = {"Held by", GCS_COLUMN_TEXT, GCS_DECIMAL},
	    [CHAIN_COLUMN_SAMPLES] = {"Samples", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	    [CHAIN_COLUMN_OBJECTS] = {"Objects", GCS_COLUMN_NUMBER, GCS_DECIMAL},
	    [CHAIN_COLUMN_BYTES] = {"Bytes", GCS_COLUMN_NUMBER, GCS_BYTES},
	};
	struct chain_rows rows = {
	    .cells = gcs_zalloc(((size_t)t->nodes + 1) * CHAIN_COLUMNS * sizeof *rows.cells),
	    .depths = gcs_alloc(((size_t)t->nodes + 1) * sizeof *rows.depths),
	    .order = gcs_alloc(((size_t)t->nodes + 1) * sizeof *rows.order),
	};
	enum gcs_status status;
	if (rows.cells == NULL || rows.depths == NULL || rows.order == NULL) {
		status = gcs_fail(err, GCS_NOMEM, "no memory for reference chains");
	} else {
		write_chain_rows(&rows, &t->top, 0, 0);
		status = gcs_table_encode(&(struct gcs_table){.title = title,
					      .column_count = CHAIN_COLUMNS,
					      .columns = columns,
					      .row_count = rows.count,
					      .cells = rows.cells,
					      .depths = rows.depths},
		    bytes, length, err);
	}
	gcs_free(rows.cells);
	gcs_free(rows.depths);
	gcs_free(rows.order);
	return status;
}
