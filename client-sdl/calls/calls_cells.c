/* The cells of the tables of callers and callees; declared in calls.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "figures.h"

const struct table_column calls_columns[CALLS_COLUMNS] = {
    [CALLS_BYTES] = {"bytes", "Bytes", TEXT_RIGHT, 84, 0, 0, false},
    [CALLS_ERROR] = {"error", "\xc2\xb1", TEXT_RIGHT, 94, 0, 3, false},
    [CALLS_SHARE] = {"share", "Share", TEXT_RIGHT, 110, 1, 1, false},
    [CALLS_SELF] = {"self", "Self", TEXT_RIGHT, 84, 0, 2, false},
    [CALLS_OBJECTS] = {"objects", "Objects", TEXT_RIGHT, 78, 0, 4, false},
    [CALLS_SAMPLES] = {"samples", "Samples", TEXT_RIGHT, 70, 0, 5, false},
    [CALLS_NAME] = {"name", "Name", TEXT_LEFT, 200, 6, 0, true},
    [CALLS_OWN] = {"own", "Outside the JDK", TEXT_LEFT, 130, 3, 2, true},
};

/* Only for columns of figures. */
static enum figure figure_of(int column)
{
	static const enum figure figures[] = {[CALLS_BYTES] = FIGURE_BYTES,
	    [CALLS_ERROR] = FIGURE_ERROR,
	    [CALLS_SHARE] = FIGURE_SHARE,
	    [CALLS_SELF] = FIGURE_SELF,
	    [CALLS_OBJECTS] = FIGURE_OBJECTS,
	    [CALLS_SAMPLES] = FIGURE_SAMPLES};
	return figures[column];
}

static struct figures node_figures(const struct gcs_node *n)
{
	return (struct figures){
	    .now = {[FIGURE_BYTES] = n->total_bytes,
		[FIGURE_ERROR] = sqrt(n->bytes_variance),
		[FIGURE_OBJECTS] = n->total_objects,
		[FIGURE_SAMPLES] = (double)n->samples,
		[FIGURE_SELF] = n->self_bytes},
	    .before = {[FIGURE_BYTES] = n->base_bytes,
		[FIGURE_OBJECTS] = n->base_objects,
		[FIGURE_SAMPLES] = (double)n->base_samples,
		[FIGURE_SELF] = n->base_self_bytes},
	};
}

static struct figures row_figures(const struct calls_view *view, uint32_t row)
{
	const struct gcs_node *root = gcs_tree_node(calls_part(view, view->row[row].part)->tree, 0);
	struct figures figures = node_figures(calls_node(view, row));
	figures.all = root->total_bytes + root->base_bytes;
	figures.change = view->maker.made->before != NULL;
	figures.live = &view->live;
	return figures;
}

double calls_value(const struct gcs_node *node, int column)
{
	const struct figures figures = node_figures(node);
	return figures_value(&figures, figure_of(column));
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
	const struct figures figures = row_figures(view, row);
	if (column == CALLS_NAME)
		put_name(view, row, text, size);
	else if (column == CALLS_OWN)
		figures_put_line(text, size, calltree_own_frame(calls_place_at(view, row)));
	else
		figures_cell(&figures, figure_of(column), text, size);
}

static double bar_of(void *context, uint32_t row, int column)
{
	const struct figures figures = row_figures(context, row);
	return column == CALLS_SHARE ? figures_bar(&figures) : -1;
}

static enum table_tone tone_of(void *context, uint32_t row, int column)
{
	const struct figures figures = row_figures(context, row);
	return column < CALLS_NAME ? figures_tone(&figures, figure_of(column)) : TABLE_PLAIN;
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

struct table_rows calls_table_rows(struct calls_view *view, const struct app *app)
{
	return (struct table_rows){
	    .column = figures_columns(calls_columns, CALLS_COLUMNS,
		view->maker.made->before != NULL, &view->live, &view->maker.made->libraries),
	    .columns = CALLS_COLUMNS,
	    .count = view->rows,
	    .cell = calls_cell,
	    .bar = bar_of,
	    .bar_text = view->maker.made->before != NULL ? FIGURES_GROWTH_TEXT : 0,
	    .tone = tone_of,
	    .branch = branch_of,
	    .branch_column = CALLS_NAME,
	    .marked = is_marked,
	    .context = view,
	    .old = profiles_are_old(app),
	};
}
