/* The cells of the tables of callers and callees; declared in calls.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

const struct table_column calls_columns[CALLS_COLUMNS] = {
    [CALLS_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 84, 0, 0, false},
    [CALLS_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 86, 0, 3, false},
    [CALLS_SHARE] = {"share", "Share", TEXT_RIGHT, 110, 1, 1, false},
    [CALLS_SELF] = {"self", "Self", TEXT_RIGHT, 84, 0, 2, false},
    [CALLS_OBJECTS] = {"objects", "Objects", TEXT_RIGHT, 78, 0, 4, false},
    [CALLS_SAMPLES] = {"samples", "Samples", TEXT_RIGHT, 70, 0, 5, false},
    [CALLS_NAME] = {"name", "Name", TEXT_LEFT, 200, 6, 0, true},
};

double calls_value(const struct gcs_node *n, int column)
{
	switch ((enum calls_column)column) {
	case CALLS_ERROR:
		return n->bytes_variance;
	case CALLS_SELF:
		return n->self_bytes - n->base_self_bytes;
	case CALLS_OBJECTS:
		return n->total_objects - n->base_objects;
	case CALLS_SAMPLES:
		return (double)n->samples - (double)n->base_samples;
	case CALLS_BYTES:
	case CALLS_SHARE:
	case CALLS_NAME:
	case CALLS_COLUMNS:
		break;
	}
	return n->total_bytes - n->base_bytes;
}

static bool is_change(const struct calls_view *view)
{
	return view->maker.made->before != NULL;
}

/* The name, a tab, and in weaker ink kind and package. */
static void put_name(const struct calls_view *view, uint32_t row, char *text, size_t size)
{
	static const char *const kinds[GCS_NODE_KIND_COUNT] = {[GCS_NODE_JAVA] = "",
	    [GCS_NODE_NATIVE] = "native",
	    [GCS_NODE_VM] = "JVM",
	    [GCS_NODE_NOTE] = "",
	    [GCS_NODE_CLASS] = "class",
	    [GCS_NODE_ROOT] = ""};
	const struct gcs_node *node = calls_node(view, row);
	char name[300], whole[300];
	calltree_put_short(name, sizeof name, node);
	calltree_put_name(whole, sizeof whole, node);
	if (node->kind == GCS_NODE_ROOT && view->form == CALLTREE_SANDWICH) {
		snprintf(
		    text, size, "%s\t%s", view->row[row].part == 0 ? "Callers" : "Callees", whole);
		return;
	}
	size_t n = strlen(whole) > strlen(name) ? strlen(whole) - strlen(name) : 0;
	whole[n > 0 && (whole[n - 1] == '.' || whole[n - 1] == '`') ? n - 1 : n] = 0;
	const char *kind = kinds[node->kind];
	bool any = n > 0 || kind[0] != 0;
	snprintf(text, size, "%s%s%s%s%s", name, any ? "\t" : "", kind,
	    n > 0 && kind[0] != 0 ? " " : "", n > 0 ? whole : "");
}

void calls_cell(void *context, uint32_t row, int column, char *text, size_t size)
{
	const struct calls_view *view = context;
	const struct gcs_node *n = calls_node(view, row);
	const struct gcs_node *root = gcs_tree_node(calls_part(view, view->row[row].part)->tree, 0);
	const bool change = is_change(view);
	const struct profiles_live *live = &view->live;
	const double rate = live->minutes > 0 ? live->minutes : 1;
	char number[64];
	if (live->unknown[0] != 0 && column != CALLS_NAME) {
		snprintf(text, size, "not known");
		return;
	}
	switch ((enum calls_column)column) {
	case CALLS_BYTES:
		sites_put_value(text, size, change, sites_put_bytes, n->total_bytes / rate,
		    n->base_bytes / rate);
		break;
	case CALLS_ERROR:
		snprintf(text, size, "\xc2\xb1 %s",
		    sites_put_bytes(number, sizeof number, sqrt(n->bytes_variance) / rate));
		break;
	case CALLS_SHARE:
		if (change)
			sites_put_growth(text, size, n->total_bytes, n->base_bytes);
		else
			sites_put_share(text, size, n->total_bytes, root->total_bytes);
		break;
	case CALLS_SELF:
		sites_put_value(text, size, change, sites_put_bytes, n->self_bytes / rate,
		    n->base_self_bytes / rate);
		break;
	case CALLS_OBJECTS:
		sites_put_value(
		    text, size, change, sites_put_count, n->total_objects, n->base_objects);
		break;
	case CALLS_SAMPLES:
		sites_put_value(text, size, change, sites_put_count, (double)n->samples,
		    (double)n->base_samples);
		break;
	case CALLS_NAME:
		put_name(view, row, text, size);
		break;
	case CALLS_COLUMNS:
		break;
	}
}

static double bar_of(void *context, uint32_t row, int column)
{
	const struct calls_view *view = context;
	if (column != CALLS_SHARE || view->live.unknown[0] != 0)
		return -1;
	const struct gcs_node *n = calls_node(view, row);
	const struct gcs_node *root = gcs_tree_node(calls_part(view, view->row[row].part)->tree, 0);
	double all = root->total_bytes + root->base_bytes;
	double part = is_change(view) ? 2 * fabs(n->total_bytes - n->base_bytes) : n->total_bytes;
	return all > 0 ? part / all : 0;
}

static enum table_tone tone_of(void *context, uint32_t row, int column)
{
	const struct calls_view *view = context;
	const struct gcs_node *n = calls_node(view, row);
	const double bytes = n->total_bytes - n->base_bytes;
	if (column != CALLS_NAME &&
	    (n->bytes_variance > bytes * bytes || view->live.unknown[0] != 0))
		return TABLE_UNCERTAIN;
	if (!is_change(view) || column == CALLS_ERROR || column == CALLS_NAME)
		return TABLE_PLAIN;
	double change = calls_value(n, column);
	return change > 0 ? TABLE_MORE : change < 0 ? TABLE_LESS : TABLE_PLAIN;
}

static void branch_of(void *context, uint32_t row, struct table_branch *branch)
{
	const struct calls_view *view = context;
	const struct gcs_node *node = calls_node(view, row);
	branch->depth = node->depth;
	branch->state = node->first_child == GCS_NONE ? BRANCH_LEAF
			: calls_is_open(view, row)    ? BRANCH_OPEN
						      : BRANCH_CLOSED;
}

static bool is_marked(void *context, uint32_t row)
{
	const struct calls_view *view = context;
	const bool *marked = calls_part(view, view->row[row].part)->marked;
	return marked != NULL && marked[view->row[row].node];
}

/* In a difference, the share column shows growth. */
static const struct table_column *columns_of(const struct calls_view *view)
{
	static struct table_column changed[CALLS_COLUMNS];
	if (!is_change(view))
		return calls_columns;
	memcpy(changed, calls_columns, sizeof changed);
	changed[CALLS_SHARE].title = "Growth";
	if (view->live.minutes > 0) {
		changed[CALLS_BYTES].title = "Bytes/min";
		changed[CALLS_SELF].title = "Self/min";
	}
	return changed;
}

struct table_rows calls_table_rows(struct calls_view *view, const struct app *app)
{
	return (struct table_rows){
	    .column = columns_of(view),
	    .columns = CALLS_COLUMNS,
	    .count = view->rows,
	    .cell = calls_cell,
	    .bar = bar_of,
	    .tone = tone_of,
	    .branch = branch_of,
	    .branch_column = CALLS_NAME,
	    .marked = is_marked,
	    .context = view,
	    .old = profiles_are_old(app),
	};
}
