#include "chain_tree.h"

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
	    *order; /* as many as nodes: each level sorts its own behind those above it */
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
