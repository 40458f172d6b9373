/* Context menus of call sites and frames, shared by the views that show them. Declared in
 * profiles.h. */
#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "calltree_view.h"
#include "sites_view.h"

static void add_filter(struct app *app, const char *what, const char *name)
{
	char label[120];
	snprintf(label, sizeof label, "Only %s %.90s", what, name);
	menu_add(app, COMMAND_sites_filter, label, name);
}

void profiles_menu_site(
    struct app *app, const struct gcs_sites *sites, const struct gcs_site *site, uint64_t number)
{
	const bool live = app->state == SOURCE_LIVE && !app->source.ops->file;
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	char digits[24], frame[600];
	snprintf(digits, sizeof digits, "%012" PRIx64, number);
	if (live && number != 0) {
		menu_add(app, COMMAND_site_tiles, "Show on the heap map", digits);
		menu_add(app, COMMAND_site_holders, "What holds these objects", digits);
	}
	menu_section(app);
	add_filter(app, "class", site->class_name);
	if (own != NULL)
		add_filter(app, "frame", gcs_frame_text(frame, sizeof frame, own));
}

void profiles_menu_views(struct app *app)
{
	static const struct {
		enum view_id view;
		enum command_id id;
		const char *label;
	} ways[] = {{VIEW_SITES, COMMAND_call_sites, "Call sites"},
	    {VIEW_FLAME, COMMAND_flame_graph, "Flame graph"},
	    {VIEW_LEAKS, COMMAND_leaks, "What survives and grows"}};
	menu_section(app);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (app->view_id != ways[i].view)
			menu_add(app, ways[i].id, ways[i].label, NULL);
	if (!profiles_are_shown(app))
		return;
	menu_section(app);
	menu_add(app, COMMAND_compare,
	    app->profiles.base.profile != NULL ? "End the comparison" : "Compare with this moment",
	    NULL);
	menu_add(app, COMMAND_compare_file, "Compare with a recording", NULL);
	menu_add(app, COMMAND_age_band, "Other ages", NULL);
	menu_add(app, COMMAND_sites_save, "Save the profile", NULL);
}

void sites_menu(void *self, struct app *app, bool pointed)
{
	struct sites_view *view = self;
	const struct gcs_sites *sites;
	char title[400];
	sites_sync(view, app);
	if (pointed && view->table.hovered < view->rows) {
		view->table.selected = view->table.hovered;
		sites_note_selection(view, app);
	}
	const struct gcs_site *site = view->table.selected < view->rows
					  ? sites_of_row(view, view->table.selected, &sites)
					  : NULL;
	if (site != NULL) {
		if (view->by == GCS_SITES_BY_SITE)
			sites_put_title(title, sizeof title, sites, site, " from ");
		else
			sites_put_group(title, sizeof title, view, view->table.selected);
		menu_begin(app, "%.150s", title);
		if (view->by != GCS_SITES_BY_SITE)
			menu_add(app, COMMAND_open_frame, "Its call sites", NULL);
		if (view->by == GCS_SITES_BY_SITE)
			profiles_menu_site(
			    app, sites, site, sites_number_of_row(view, view->table.selected));
	}
	profiles_menu_views(app);
}

void profiles_menu_node(struct app *app, struct calltree_place place)
{
	uint64_t numbers[PROFILES_KEPT];
	char name[400], text[CALLTREE_METHOD];
	const bool live = app->state == SOURCE_LIVE && !app->source.ops->file;
	const struct gcs_node *node = gcs_tree_node(place.part->tree, place.node);
	menu_begin(app, "%.150s", calltree_put_name(text, sizeof text, node));
	menu_add(app, COMMAND_open_frame,
	    app->view_id == VIEW_FLAME ? "Zoom into this frame" : "Expand or collapse", NULL);
	if (app->view_id == VIEW_FLAME)
		menu_add(app, COMMAND_frame_out, NULL, NULL);
	else
		menu_add(app, COMMAND_expand_all, "Expand all below", NULL);
	if (live && calltree_place_sites(place, numbers, name, sizeof name) > 0) {
		menu_add(app, COMMAND_site_tiles, "Show on the heap map", NULL);
		menu_add(app, COMMAND_site_holders, "What holds these objects", NULL);
	}
	menu_section(app);
	add_filter(app, "", text);
}
