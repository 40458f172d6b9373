/* The rows of an answer: their order, closed branches, cells. Declared in plugin_answer.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plugin_answer.h"
#include "text.h"

bool plugin_rows_is_parent(const struct plugin_answer *a, uint32_t row)
{
	const struct gcs_table *g = a->grid;
	return g->depths != NULL && row + 1 < g->row_count && g->depths[row + 1] > g->depths[row];
}

static uint32_t count_of(const struct plugin_answer *a)
{
	if (a->grid != NULL)
		return a->grid->row_count;
	if (a->memory != NULL)
		return (uint32_t)((a->memory->length + MEMORY_LINE - 1) / MEMORY_LINE);
	return a->lines;
}

bool plugin_rows_arrange(struct plugin_answer *a)
{
	const uint32_t n = count_of(a);
	uint32_t until = UINT32_MAX; /* deeper rows are in a closed branch */
	if (a->row == NULL)
		a->row = malloc(((size_t)n + 1) * sizeof *a->row);
	if (a->row == NULL)
		return false;
	a->rows = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t depth =
		    a->grid != NULL && a->grid->depths != NULL ? a->grid->depths[i] : 0;
		if (depth > until)
			continue;
		until = a->closed != NULL && a->closed[i] ? depth : UINT32_MAX;
		a->row[a->rows++] = i;
	}
	if (a->table.selected != TABLE_NONE && a->table.selected >= a->rows)
		a->table.selected = TABLE_NONE;
	return true;
}

/* qsort has no context; window thread only. */
static const struct plugin_answer *sorted;

static const struct gcs_cell *cell_at(const struct gcs_table *g, uint32_t row, uint32_t column)
{
	return &g->cells[(size_t)row * g->column_count + column];
}

static int by_cell(const void *x, const void *y)
{
	const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	const struct gcs_table *g = sorted->grid;
	const uint32_t column = (uint32_t)sorted->table.sort;
	const struct gcs_cell *c = cell_at(g, a, column), *d = cell_at(g, b, column);
	int order = 0;
	if (g->columns[column].kind == GCS_COLUMN_TEXT)
		order = strcasecmp(c->text, d->text);
	else if (c->absent != d->absent)
		return c->absent ? 1 : -1; /* not known: last, either way */
	else if (!c->absent)
		order = (c->number > d->number) - (c->number < d->number);
	if (order != 0)
		return sorted->table.falling ? -order : order;
	return (a > b) - (a < b);
}

/* A tree keeps its order. */
void plugin_rows_sort(struct plugin_answer *a)
{
	if (a->grid == NULL || a->grid->depths != NULL || a->table.sort < 0) {
		a->table.sort = -1;
		return;
	}
	sorted = a;
	qsort(a->row, a->rows, sizeof *a->row, by_cell);
	sorted = NULL;
	a->table.selected = TABLE_NONE;
}

static void put_cell(void *context, uint32_t at, int column, char *text, size_t size)
{
	const struct plugin_answer *a = context;
	const uint32_t row = a->row[at];
	*text = 0;
	if (a->text != NULL) {
		snprintf(text, size, "%s", a->text + a->line[row]);
	} else if (a->grid != NULL) {
		const struct gcs_column *c = &a->grid->columns[column];
		const struct gcs_cell *cell = cell_at(a->grid, row, (uint32_t)column);
		if (c->kind == GCS_COLUMN_TEXT)
			snprintf(text, size, "%s", cell->text);
		else if (cell->absent)
			snprintf(text, size, "-");
		else
			gcs_format_number(text, size, cell->number, c->format);
	} else if (column == MEMORY_MARKS) {
		plugin_memory_cell(a, row, column, text, size);
	}
	for (char *p = text; *p != 0; p++)
		*p = *p == '\t' || *p == '\n' ? ' ' : *p;
	text_clean(text);
}

static void put_branch(void *context, uint32_t at, struct table_branch *branch)
{
	const struct plugin_answer *a = context;
	const uint32_t row = a->row[at];
	branch->depth = a->grid->depths[row];
	branch->state = !plugin_rows_is_parent(a, row) ? BRANCH_LEAF
			: a->closed[row]               ? BRANCH_CLOSED
						       : BRANCH_OPEN;
}

struct table_rows plugin_rows_of(struct plugin_answer *a)
{
	const bool tree = a->grid != NULL && a->grid->depths != NULL;
	return (struct table_rows){.column = a->column,
	    .columns = a->columns,
	    .count = a->rows,
	    .cell = put_cell,
	    .branch = tree ? put_branch : NULL,
	    .branch_column = 0,
	    .context = a};
}
