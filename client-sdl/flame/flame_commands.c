/* The commands of the flame graph; declared in flame_view.h. */
#include <stdio.h>
#include <string.h>

#include "flame_view.h"

bool flame_explain_empty(
    const struct flame_view *view, const struct app *app, struct profiles_empty *empty)
{
	const struct calltree *made = view->maker.made;
	if (view->holders.on && made != NULL && made->part[0].tree != NULL &&
	    gcs_tree_count(made->part[0].tree) > 1)
		return false;
	if (view->holders.on) {
		*empty = (struct profiles_empty){.offer = PROFILES_OFFER_NOTHING};
		snprintf(empty->title, sizeof empty->title, "No chains");
		snprintf(empty->text, sizeof empty->text, "%s", view->holders.title);
		return true;
	}
	if (calltree_explain_empty(made, app, empty))
		return true;
	if (gcs_tree_count(made->part[0].tree) > 1)
		return false;
	if (calltree_lacks_threads(made, empty))
		return true;
	profiles_explain_none(app, empty);
	return true;
}

static bool select_named(struct flame_view *view, struct app *app, const char *name)
{
	const struct calltree_part *part = flame_part(view);
	uint32_t node = part != NULL && name != NULL ? calltree_find_name(part, name) : GCS_NONE;
	if (node == GCS_NONE) {
		app_toast(app, "No frame named \"%s\"", name != NULL ? name : "");
		return false;
	}
	flame_select(view, app, node);
	return true;
}

static bool go_back(struct flame_view *view, struct app *app)
{
	if (app->modal != MODAL_NONE || app->ui.focus != 0)
		return false;
	if (!flame_out(view, app))
		return view->holders.on ? flame_hold(view, app, "off") : profiles_leave(app);
	app_toast(app, "Zoomed out of the frame");
	return true;
}

static const char *const measures[] = {[GCS_BY_BYTES] = "bytes", [GCS_BY_OBJECTS] = "objects"};
static const char *const ways[] = {"flames", "icicles"};

void flame_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct flame_view *view = self;
	(void)app;
	if (scope != STATE_STYLE)
		return;
	view_state_put(out, "width", COMMAND_flame_measure, measures[view->measure]);
	view_state_put(out, "way", COMMAND_flame_way,
	    ways[view->holders.on ? view->holders.icicle_of_sites : view->icicle]);
	view_state_put_flag(out, "collapse", COMMAND_collapse_recursion, view->collapse);
}

/* Sets *ok for a command that it knows. */
static bool set_style(
    struct flame_view *view, struct app *app, enum command_id id, const char *argument, bool *ok)
{
	int choice = id == COMMAND_flame_way ? view->icicle : (int)view->measure;
	switch (id) {
	case COMMAND_flame_measure:
		*ok = view_state_choice(app, id, argument, measures, &choice);
		if (!*ok)
			return true;
		view->measure = (enum gcs_measure)choice;
		view->filter_version--; /* the share of the matches changes */
		app_toast(
		    app, "Frame width: %s", view->measure == GCS_BY_BYTES ? "bytes" : "objects");
		break;
	case COMMAND_flame_way:
		*ok = view_state_choice(app, id, argument, ways, &choice);
		if (!*ok)
			return true;
		view->icicle = choice == 1;
		app_toast(app, "The root is %s", view->icicle ? "on top" : "at the bottom");
		break;
	case COMMAND_collapse_recursion:
		*ok = view_state_switch(app, id, argument, &view->collapse);
		if (!*ok)
			return true;
		app_toast(app, "Recursive calls are %s", view->collapse ? "collapsed" : "expanded");
		break;
	default:
		return false;
	}
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return true;
}

bool flame_run_command(
    struct flame_view *view, struct app *app, enum command_id id, const char *argument)
{
	switch (id) {
	case COMMAND_back:
		return go_back(view, app);
	case COMMAND_frame:
		return select_named(view, app, argument);
	case COMMAND_flame_holders:
		return flame_hold(view, app, argument);
	case COMMAND_frame_out:
		flame_out(view, app);
		return true;
	case COMMAND_open_frame:
		if (flame_part(view) != NULL && view->selected != GCS_NONE)
			flame_zoom_to(view, app, view->selected);
		else
			app_toast(app, "Select a frame first (arrow keys)");
		return true;
	default:
		break;
	}
	bool ok = true;
	if (set_style(view, app, id, argument, &ok))
		return ok;
	if (flame_walk_keys(view, app, id) || profiles_run_command(app, id, argument))
		return true;
	if (argument == NULL && sites_is_for_tiles(id)) {
		app_toast(app, "Only available in the heap map (press 1)");
		return true;
	}
	return false;
}
