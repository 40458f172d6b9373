/* The commands of the tables of callers and callees; declared in calls.h. */
#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "flame_view.h"

const char *const calls_form_names[CALLS_FORMS] = {
    [CALLTREE_DOWN] = "top-down", [CALLTREE_UP] = "bottom-up", [CALLTREE_SANDWICH] = "sandwich"};

static const char *const titles[CALLS_FORMS] = {
    [CALLTREE_DOWN] = "Top-down", [CALLTREE_UP] = "Bottom-up", [CALLTREE_SANDWICH] = "Sandwich"};

const char *calls_form_title(enum calltree_form form)
{
	return titles[form];
}

bool calls_explain_empty(
    const struct calls_view *view, const struct app *app, struct profiles_empty *empty)
{
	if (profiles_explain_empty(app, empty))
		return true;
	const struct calltree *made = view->maker.made;
	if (view->form == CALLTREE_SANDWICH && view->method[0] == 0) {
		snprintf(empty->title, sizeof empty->title, "No method selected");
		snprintf(empty->text, sizeof empty->text,
		    "Select a row of another grouping or a frame of the flame graph, then choose "
		    "Sandwich to see its callers and callees.");
		return true;
	}
	if (calltree_explain_empty(made, app, empty) || calltree_lacks_threads(made, empty))
		return true;
	if (view->hit[0] == NULL || view->hits > 0)
		return false;
	snprintf(empty->title, sizeof empty->title, "No row matches the filter");
	snprintf(empty->text, sizeof empty->text, "Escape clears the filter.");
	return true;
}

static bool is_method(const struct gcs_node *node)
{
	return node != NULL && (node->kind == GCS_NODE_JAVA || node->kind == GCS_NODE_NATIVE ||
				   node->kind == GCS_NODE_VM);
}

/* The method of the selected row, or if there is none yet, of the flame graph's selected frame, or of the
 * selected call site. */
static void take_method(struct calls_view *view, struct app *app)
{
	const struct gcs_node *node = calls_selected(view);
	const struct flame_view *flame = app->views[VIEW_FLAME];
	const struct calltree_part *part = flame_part(flame);
	if (!is_method(node) && view->method[0] == 0 && part != NULL && flame->selected != GCS_NONE)
		node = gcs_tree_node(part->tree, flame->selected);
	if (is_method(node))
		snprintf(view->method, sizeof view->method, "%s", node->name);
	else if (view->method[0] == 0)
		sites_put_method(view->method, sizeof view->method, app->views[VIEW_SITES]);
}

void calls_choose(struct calls_view *view, struct app *app, enum calltree_form form)
{
	take_method(view, app);
	view->form = form;
	view->has_selected = false;
	view->table.scroll = 0;
	view->table.tree_scroll = 0;
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static bool command_sort(struct calls_view *view, struct app *app, const char *argument)
{
	if (!profiles_sort(app, &view->table, calls_columns, CALLS_COLUMNS, CALLS_SHARE, argument))
		return false;
	calls_sort_by(view, app);
	return true;
}

static void move_row(struct calls_view *view, struct app *app, int64_t by)
{
	if (table_move(&app->ui, view->table_at, &view->table, view->rows, by))
		calls_note_selection(view, app);
	app_dirty(app, PANEL_VIEW);
}

static bool has_selected(struct calls_view *view, struct app *app)
{
	if (view->table.selected < view->rows)
		return true;
	app_toast(app, "Select a row first (arrow keys)");
	return false;
}

/* Left closes the row or selects its parent; right opens it or selects its first child. */
static void step(struct calls_view *view, struct app *app, bool right)
{
	uint32_t row = view->table.selected;
	if (!has_selected(view, app))
		return;
	bool open = calls_is_open(view, row);
	bool leaf = calls_node(view, row)->first_child == GCS_NONE;
	if (!leaf && open != right) {
		calls_toggle(view, app, row);
		return;
	}
	if (right) {
		if (open)
			calls_select(view, app, row + 1);
		return;
	}
	uint32_t depth = calls_node(view, row)->depth;
	while (row > 0 && depth > 0 && calls_node(view, row)->depth >= depth)
		row--;
	calls_select(view, app, row);
}

static bool run_movement(struct calls_view *view, struct app *app, enum command_id id)
{
	const int64_t by = command_rows(id, table_page(&app->ui, view->table_at));
	if (by != 0) {
		move_row(view, app, by);
		return true;
	}
	switch (id) {
	case COMMAND_tile_left:
	case COMMAND_tile_right:
		step(view, app, id == COMMAND_tile_right);
		return true;
	case COMMAND_reveal:
		table_reveal(&app->ui, view->table_at, &view->table, view->rows);
		app_dirty(app, PANEL_VIEW);
		return true;
	default:
		return false;
	}
}

/* In a sandwich, the row's method becomes that of the sandwich. */
static void open_row(struct calls_view *view, struct app *app)
{
	if (!has_selected(view, app))
		return;
	const struct gcs_node *node = calls_selected(view);
	if (view->form == CALLTREE_SANDWICH && is_method(node))
		calls_choose(view, app, CALLTREE_SANDWICH);
	else if (node->first_child != GCS_NONE)
		calls_toggle(view, app, view->table.selected);
}

static bool select_named(struct calls_view *view, struct app *app, const char *name)
{
	for (uint32_t i = 0; name != NULL && i < view->rows; i++) {
		char text[600];
		const struct gcs_node *node = calls_node(view, i);
		if (strcmp(node->name, name) != 0 &&
		    strcmp(calltree_put_short(text, sizeof text, node), name) != 0)
			continue;
		calls_select(view, app, i);
		return true;
	}
	app_toast(app, "No row named \"%s\"", name != NULL ? name : "");
	return false;
}

static bool run_own(
    struct calls_view *view, struct app *app, enum command_id id, const char *argument)
{
	switch (id) {
	case COMMAND_sites_group:
		return sites_group_command(app, argument);
	case COMMAND_sites_sort:
		return command_sort(view, app, argument);
	case COMMAND_sites_reverse:
		if (!profiles_reverse(app, &view->table, argument))
			return false;
		calls_sort_by(view, app);
		return true;
	case COMMAND_frame:
		return select_named(view, app, argument);
	case COMMAND_open_frame:
		open_row(view, app);
		return true;
	case COMMAND_frame_out:
		step(view, app, false);
		return true;
	case COMMAND_expand_all:
		if (has_selected(view, app))
			calls_open_all(view, app, view->table.selected);
		return true;
	case COMMAND_collapse_recursion:
		if (!view_state_switch(app, id, argument, &view->collapse))
			return false;
		app_toast(app, "Recursive calls are %s", view->collapse ? "collapsed" : "expanded");
		return true;
	default:
		return false;
	}
}

bool calls_run_command(
    struct calls_view *view, struct app *app, enum command_id id, const char *argument)
{
	if (id == COMMAND_back)
		return profiles_leave(app);
	if (argument == NULL && sites_is_for_tiles(id)) {
		app_toast(app, "Only available in the heap map (press 1)");
		return true;
	}
	return run_movement(view, app, id) || run_own(view, app, id, argument) ||
	       profiles_run_command(app, id, argument);
}

void calls_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct calls_view *view = self;
	char argument[sizeof view->method + 16];
	(void)app;
	if (scope == STATE_STYLE) {
		view_state_put(out, "group", COMMAND_sites_group, calls_form_names[view->form]);
		profiles_sort_state(&view->table, calls_columns, out);
		view_state_put_flag(out, "collapse", COMMAND_collapse_recursion, view->collapse);
	} else if (view->method[0] != 0) {
		snprintf(argument, sizeof argument, "sandwich %s", view->method);
		view_state_put(out, "", COMMAND_sites_group, argument);
	}
}

void calls_forget(void *self, struct app *app)
{
	struct calls_view *view = self;
	view->method[0] = 0;
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
