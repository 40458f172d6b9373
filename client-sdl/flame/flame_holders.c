/* What holds objects, as a graph: the root of each chain on top, the class of the objects at its end.
 * The chains are the last answer of the plugin `paths`, or those of a recording; declared in
 * flame_view.h. */
#include <stdio.h>
#include <string.h>

#include <gcspy/plugin.h>

#include "chain_tree.h"
#include "flame_view.h"
#include "plugin_answer.h"
#include "text.h"

static const char chain_plugin[] = "paths";

bool flame_may_hold(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	return model != NULL && gcs_model_find_plugin(model, chain_plugin) != GCS_NONE;
}

static bool refuse(struct flame_view *view, struct app *app, const char *words)
{
	view->holders.pending = false;
	app_toast(app, "%s", words);
	return false;
}

/* The rows of call sites, which a recording's chains begin with, are left out. */
static struct gcs_profile *profile_of_chains(const struct gcs_table *table)
{
	struct gcs_error err;
	struct chain_tree *tree;
	struct gcs_table *folded = NULL;
	struct gcs_profile *profile = NULL;
	void *bytes = NULL;
	size_t length = 0;
	if (table->row_count == 0 || chain_site_number(table->cells[0].text) == 0)
		return chain_profile(table);
	tree = chain_tree_create(false);
	if (tree != NULL && chain_tree_merge_sites(tree, table, NULL, 0) &&
	    chain_tree_encode(tree, table->title, &bytes, &length, &err) == GCS_OK)
		folded = gcs_table_decode(bytes, length, &err);
	if (folded != NULL)
		profile = chain_profile(folded);
	chain_tree_destroy(tree);
	gcs_plugin_free(bytes);
	gcs_plugin_free(folded);
	return profile;
}

static bool show_chains(struct flame_view *view, struct app *app, const struct gcs_table *table)
{
	struct flame_holders *h = &view->holders;
	if (!chain_tree_is(table))
		return refuse(view, app, "The answer has no reference chains");
	struct shared_profile *chains = shared_profile_new(profile_of_chains(table));
	if (chains == NULL)
		return refuse(view, app, "Not enough memory for the chains");
	shared_profile_unref(h->chains);
	h->chains = chains;
	h->version++;
	h->pending = false;
	snprintf(h->title, sizeof h->title, "%s", table->title);
	text_clean(h->title);
	if (!h->on)
		h->icicle_of_sites = view->icicle;
	h->on = view->icicle = true;
	flame_reset(view, app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return true;
}

static void take_recorded(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct flame_view *view = app->views[VIEW_FLAME];
	struct gcs_error err;
	(void)tag;
	struct gcs_table *table =
	    answer->status != GCS_OK ? NULL : gcs_table_decode(answer->bytes, answer->length, &err);
	if (table != NULL)
		show_chains(view, app, table);
	else
		refuse(view, app, answer->status != GCS_OK ? requests_text(answer) : err.text);
	gcs_plugin_free(table);
}

static bool end_chains(struct flame_view *view, struct app *app)
{
	struct flame_holders *h = &view->holders;
	if (h->on)
		view->icicle = h->icicle_of_sites;
	h->on = false;
	flame_reset(view, app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	return true;
}

bool flame_hold(struct flame_view *view, struct app *app, const char *argument)
{
	bool on = view->holders.on;
	if (!view_state_switch(app, COMMAND_flame_holders, argument, &on))
		return false;
	if (!on)
		return end_chains(view, app);
	if (app->source.ops != NULL && app->source.ops->file) {
		const enum gcs_status status =
		    requests_read(app, chain_plugin, 0, NULL, take_recorded, 0);
		view->holders.pending = status == GCS_OK;
		return status == GCS_OK || refuse(view, app, gcs_status_text(status));
	}
	const struct gcs_table *table = plugins_table(app, chain_plugin);
	/* A user's click asks; a script or a restored layout must not pause the program. */
	if (table == NULL && argument == NULL)
		return app_command(app, COMMAND_site_holders, NULL);
	if (table == NULL)
		return refuse(view, app,
		    "Ask what holds objects first: Holders or Ctrl+Y at a call site or frame");
	return show_chains(view, app, table);
}

void flame_forget_holders(struct flame_view *view)
{
	shared_profile_unref(view->holders.chains);
	view->holders = (struct flame_holders){.on = false};
}
