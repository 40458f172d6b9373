/* The rows of the tables of callers and callees; declared in calls.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

const struct calltree_part *calls_part(const struct calls_view *view, uint32_t part)
{
	const struct calltree *made = view->maker.made;
	return made != NULL && made->part[part].tree != NULL ? &made->part[part] : NULL;
}

const struct gcs_node *calls_node(const struct calls_view *view, uint32_t row)
{
	return gcs_tree_node(calls_part(view, view->row[row].part)->tree, view->row[row].node);
}

static uint64_t key_of(const struct calls_view *view, struct calls_row row)
{
	uint64_t key = calls_part(view, row.part)->key[row.node];
	return row.part != 0 ? ~key : key;
}

void calls_forget_search(struct calls_view *view)
{
	for (int i = 0; i < 2; i++) {
		free(view->hit[i]);
		free(view->above[i]);
		free(view->shown[i]);
		view->hit[i] = view->above[i] = view->shown[i] = NULL;
	}
	view->hits = 0;
	view->matched = 0;
}

static bool search_part(struct calls_view *view, struct app *app, uint32_t number)
{
	const struct calltree_part *part = calls_part(view, number);
	uint32_t count = gcs_tree_count(part->tree);
	bool *hit = view->hit[number] = calloc(count, sizeof *hit);
	bool *above = view->above[number] = calloc(count, sizeof *above);
	bool *shown = view->shown[number] = calloc(count, sizeof *shown);
	double matched;
	if (hit == NULL || above == NULL || shown == NULL ||
	    !calltree_search(part, &app->profiles.filter, GCS_BY_BYTES, hit, &matched))
		return false;
	view->matched = matched > view->matched ? matched : view->matched;
	for (uint32_t i = count; i-- > 1;)
		if (hit[i] || above[i])
			above[gcs_tree_node(part->tree, i)->parent] = true;
	/* Everything below a hit is shown, too. */
	bool *below = calloc(count, sizeof *below);
	for (uint32_t i = 0; i < count; i++) {
		bool in = below != NULL && i > 0 && below[gcs_tree_node(part->tree, i)->parent];
		if (below != NULL)
			below[i] = hit[i] || in;
		shown[i] = hit[i] || above[i] || in;
		view->hits += hit[i];
	}
	free(below);
	return true;
}

static void search(struct calls_view *view, struct app *app)
{
	view->filter_version = app->profiles.filter_version;
	calls_forget_search(view);
	for (uint32_t i = 0; i < 2; i++) {
		if (calls_part(view, i) == NULL || search_part(view, app, i))
			continue;
		calls_forget_search(view);
		return;
	}
}

static bool is_open(const struct calls_view *view, struct calls_row row)
{
	const bool *above = view->above[row.part];
	bool by_itself = row.node == 0 || (above != NULL && above[row.node]);
	return by_itself ? !keyset_has(&view->closed, key_of(view, row))
			 : keyset_has(&view->open, key_of(view, row));
}

bool calls_is_open(const struct calls_view *view, uint32_t row)
{
	return is_open(view, view->row[row]) && calls_node(view, row)->first_child != GCS_NONE;
}

struct sort_key {
	double number;
	const char *text;
	uint32_t node;
};

static int by_key(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	int order = strcmp(x->text, y->text);
	return order != 0 ? order : (x->node > y->node) - (x->node < y->node);
}

/* Rows to be added, the next one last. */
struct pile {
	struct calls_row *row;
	uint32_t count, capacity;
};

static bool push(struct pile *pile, struct calls_row row)
{
	if (pile->count == pile->capacity) {
		uint32_t capacity = pile->capacity == 0 ? 256 : pile->capacity * 2;
		struct calls_row *more = realloc(pile->row, capacity * sizeof *more);
		if (more == NULL)
			return false;
		pile->row = more;
		pile->capacity = capacity;
	}
	pile->row[pile->count++] = row;
	return true;
}

/* The number to sort a node by; of a change what it amounts to, whether it is more or less. */
static double sort_number(const struct calls_view *view, const struct gcs_node *node)
{
	const int sort = view->table.sort;
	const double value = sort < CALLS_NAME ? calls_value(node, sort) : 0;
	return view->maker.made->before != NULL ? fabs(value) : value;
}

/* Pushes a row's children in the table's order, the first one last. */
static bool push_children(const struct calls_view *view, struct pile *pile, struct calls_row row)
{
	const struct gcs_tree *tree = calls_part(view, row.part)->tree;
	const bool *shown = view->shown[row.part];
	uint32_t n = 0, first = gcs_tree_node(tree, row.node)->first_child;
	for (uint32_t k = first; k != GCS_NONE; k = gcs_tree_node(tree, k)->next_sibling)
		n++;
	struct sort_key *keys = malloc(((size_t)n + 1) * sizeof *keys);
	if (keys == NULL)
		return false;
	n = 0;
	const int sort = view->table.sort;
	for (uint32_t k = first; k != GCS_NONE; k = gcs_tree_node(tree, k)->next_sibling) {
		const struct gcs_node *node = gcs_tree_node(tree, k);
		const struct gcs_frame *own = NULL;
		if (sort == CALLS_OWN)
			own = calltree_own_frame((struct calltree_place){
			    view->maker.made, calls_part(view, row.part), k});
		const char *text = sort != CALLS_OWN ? node->name
				   : own != NULL     ? own->class_name
						     : "";
		if (shown == NULL || shown[k])
			keys[n++] = (struct sort_key){sort_number(view, node), text, k};
	}
	if (n > 0)
		qsort(keys, n, sizeof *keys, by_key);
	bool ok = true;
	for (uint32_t i = 0; ok && i < n; i++) {
		uint32_t at = view->table.falling ? i : n - 1 - i;
		ok = push(pile, (struct calls_row){keys[at].node, row.part});
	}
	free(keys);
	return ok;
}

static bool put_rows(struct calls_view *view, struct pile *rows)
{
	struct pile pile = {0};
	bool ok = true;
	view->left_out = 0;
	for (uint32_t part = 2; ok && part-- > 0;)
		if (calls_part(view, part) != NULL)
			ok = push(&pile, (struct calls_row){0, part});
	while (ok && pile.count > 0) {
		struct calls_row row = pile.row[--pile.count];
		if (rows->count >= CALLS_MOST_ROWS) {
			view->left_out++;
			continue;
		}
		ok = push(rows, row);
		if (ok && is_open(view, row))
			ok = push_children(view, &pile, row);
	}
	free(pile.row);
	return ok;
}

static void find_selected(struct calls_view *view)
{
	view->table.selected = TABLE_NONE;
	for (uint32_t i = 0; view->has_selected && i < view->rows; i++) {
		if (key_of(view, view->row[i]) == view->selected_key) {
			view->table.selected = i;
			break;
		}
	}
}

static void rebuild(struct calls_view *view, struct app *app)
{
	struct pile rows = {0};
	if (!put_rows(view, &rows))
		app_toast(app, "Not enough memory for all rows");
	free(view->row);
	view->row = rows.row;
	view->rows = rows.count;
	find_selected(view);
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void calls_sync(struct calls_view *view, struct app *app)
{
	struct calltree_request request = {.form = view->form, .collapse = view->collapse};
	if (view->form == CALLTREE_SANDWICH)
		snprintf(request.method, sizeof request.method, "%s", view->method);
	bool changed = calltree_sync(&view->maker, app, &request);
	bool filtered = view->filter_version != app->profiles.filter_version;
	if (filtered) {
		keyset_clear(&view->closed);
		view->table.scroll = 0;
	}
	if (!changed && !filtered)
		return;
	view->live = app->profiles.live;
	search(view, app);
	rebuild(view, app);
}

void calls_sort_by(struct calls_view *view, struct app *app)
{
	rebuild(view, app);
	view->table.scroll = 0;
	table_reveal(&app->ui, view->table_at, &view->table, view->rows);
}

static void set_open(struct calls_view *view, struct calls_row row, bool open)
{
	const bool *above = view->above[row.part];
	bool by_itself = row.node == 0 || (above != NULL && above[row.node]);
	uint64_t key = key_of(view, row);
	if (by_itself == open)
		keyset_remove(by_itself ? &view->closed : &view->open, key);
	else
		keyset_add(by_itself ? &view->closed : &view->open, key);
}

void calls_toggle(struct calls_view *view, struct app *app, uint32_t number)
{
	struct calls_row row = view->row[number];
	const struct gcs_tree *tree = calls_part(view, row.part)->tree;
	bool open = !is_open(view, row);
	set_open(view, row, open);
	/* An only child opens, too. */
	for (int i = 0; open && i < CALLS_MOST_CHAIN; i++) {
		uint32_t child = gcs_tree_node(tree, row.node)->first_child;
		if (child == GCS_NONE || gcs_tree_node(tree, child)->next_sibling != GCS_NONE)
			break;
		row.node = child;
		set_open(view, row, true);
	}
	rebuild(view, app);
}

void calls_open_all(struct calls_view *view, struct app *app, uint32_t number)
{
	struct calls_row row = view->row[number];
	const struct calltree_part *part = calls_part(view, row.part);
	uint32_t opened = 0, left = 0;
	char a[64], b[64];
	/* Parents have smaller numbers, so that near rows open first. */
	for (uint32_t i = row.node; i < gcs_tree_count(part->tree); i++) {
		uint32_t at = i;
		if (gcs_tree_node(part->tree, i)->first_child == GCS_NONE)
			continue;
		while (at != GCS_NONE && at > row.node)
			at = gcs_tree_node(part->tree, at)->parent;
		if (at != row.node)
			continue;
		if (opened >= CALLS_MOST_OPENED) {
			left++;
			continue;
		}
		set_open(view, (struct calls_row){i, row.part}, true);
		opened++;
	}
	rebuild(view, app);
	if (left > 0)
		app_toast(app, "Expanded %s rows, %s more stay collapsed",
		    sites_put_count(a, sizeof a, opened), sites_put_count(b, sizeof b, left));
}

const struct gcs_node *calls_selected(const struct calls_view *view)
{
	return view->table.selected < view->rows ? calls_node(view, view->table.selected) : NULL;
}

void calls_note_selection(struct calls_view *view, struct app *app)
{
	const struct gcs_node *node = calls_selected(view);
	view->has_selected = node != NULL;
	app->side_scroll = 0;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	if (node == NULL)
		return;
	struct calls_row row = view->row[view->table.selected];
	view->selected_key = key_of(view, row);
	profiles_keep(app);
	struct table_rows rows = calls_table_rows(view, app);
	table_reveal_branch(&app->ui, view->table_at, &view->table, &rows);
}

void calls_select(struct calls_view *view, struct app *app, uint32_t row)
{
	view->table.selected = row;
	table_reveal(&app->ui, view->table_at, &view->table, view->rows);
	calls_note_selection(view, app);
}

struct calltree_place calls_place_at(const struct calls_view *view, uint32_t row)
{
	if (row >= view->rows)
		return (struct calltree_place){.part = NULL};
	return (struct calltree_place){
	    view->maker.made, calls_part(view, view->row[row].part), view->row[row].node};
}

struct calltree_place calls_place(const struct calls_view *view, bool selected)
{
	return calls_place_at(view, selected ? view->table.selected : view->table.hovered);
}
