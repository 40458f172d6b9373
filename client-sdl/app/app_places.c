/* From a tile to its call sites and back (S8): commands of one view that concern another.
 * Declared in app.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "flame_view.h"
#include "heap_view.h"
#include "related.h"
#include "sites.h"
#include "sites_view.h"

/* From the first to the last marked tile of the active space, if any: the protocol's address
 * ranges are contiguous (docs/protocol.md, section 10). */
static bool place_of_marks(struct app *app, char *where, size_t size)
{
	const struct heap_prefs *p =
	    app->snapshot != NULL ? heap_prefs_of(app->views[VIEW_HEAP], app, app->active_space)
				  : NULL;
	uint64_t low = UINT64_MAX, high = 0;
	for (uint32_t i = 0; p != NULL && p->marks.count > 0 && i < p->marks.tiles; i++) {
		uint64_t start, end;
		if (!tilemarks_has(&p->marks, i) ||
		    !related_range(app->snapshot, app->active_space, i, &start, &end))
			continue;
		low = start < low ? start : low;
		high = end > high ? end : high;
	}
	if (low < high)
		snprintf(where, size, "range=0x%" PRIx64 "-0x%" PRIx64, low, high);
	return low < high;
}

const char *app_place_of(const struct app *app, struct tile_ref of, char *where, size_t size)
{
	const struct gcs_space *s = app_space(app, of.space);
	if (s == NULL || of.tile >= gcs_snapshot_tiles(app->snapshot, of.space))
		return "Select a tile first: click one or use the arrow keys";
	const int64_t *starts =
	    gcs_snapshot_values(app->snapshot, of.space, gcs_space_role(s, GCS_ROLE_RANGE_START));
	const int64_t *ends =
	    gcs_snapshot_values(app->snapshot, of.space, gcs_space_role(s, GCS_ROLE_RANGE_END));
	if (starts == NULL || ends == NULL || ends[of.tile] <= starts[of.tile])
		return "These tiles have no addresses";
	snprintf(where, size, "range=0x%" PRIx64 "-0x%" PRIx64, (uint64_t)starts[of.tile],
	    (uint64_t)ends[of.tile]);
	return NULL;
}

/* The addresses of the selected tile, or a toast that says why there are none. */
static bool place_of_tile(struct app *app, char *where, size_t size)
{
	const char *why = app_place_of(app, app->selected, where, size);
	const struct gcs_space *s = app_space(app, app->selected.space);
	if (why != NULL && s != NULL)
		app_toast(app, "The tiles of %s have no addresses", s->name);
	else if (why != NULL)
		app_toast(app, "%s", why);
	return why == NULL;
}

static bool show_sites(struct app *app, const char *place)
{
	char where[PROFILES_WHERE];
	if (place != NULL)
		snprintf(where, sizeof where, "%s", place);
	else if (!place_of_marks(app, where, sizeof where) &&
		 !place_of_tile(app, where, sizeof where))
		return false;
	profiles_show_place(app, where);
	return true;
}

/* What a view of call trees has selected, or what is under the pointer there. */
static struct calltree_place place_of(const struct app *app, enum view_id view, bool selected)
{
	if (view == VIEW_FLAME)
		return flame_place_of_sites(app->views[view], selected);
	if (view == VIEW_CALLS)
		return calls_place(app->views[view], selected);
	return (struct calltree_place){.part = NULL};
}

/* The call sites selected in a view, at most PROFILES_KEPT; returns their number. */
static uint32_t selected_sites(
    struct app *app, enum view_id view, uint64_t *numbers, char *name, size_t size)
{
	if (view != VIEW_FLAME && view != VIEW_CALLS)
		return sites_looked_numbers(app->views[VIEW_SITES], true, numbers, name, size);
	return calltree_place_sites(place_of(app, view, true), numbers, name, size);
}

uint64_t app_look(const struct app *app, bool selected)
{
	/* After the pointer has moved on, this is no longer under it. */
	if (!selected && !rect_has(app->rect[PANEL_VIEW], app->ui.mouse_x, app->ui.mouse_y))
		return 0;
	if (app->view_id == VIEW_SITES)
		return sites_look(app->view_self, selected);
	return calltree_place_key(place_of(app, app->view_id, selected));
}

uint32_t app_look_sites(
    const struct app *app, bool selected, uint64_t *numbers, char *name, size_t size)
{
	if (app->view_id == VIEW_SITES)
		return sites_looked_numbers(app->view_self, selected, numbers, name, size);
	return calltree_place_sites(place_of(app, app->view_id, selected), numbers, name, size);
}

void app_show_kept(struct app *app)
{
	struct heap *heap = app->views[VIEW_HEAP];
	uint64_t numbers[PROFILES_KEPT];
	char name[400];
	/* A recording does not tell where objects are. */
	if (!app->profiles.kept || app->state != SOURCE_LIVE || app->source.ops->query == NULL ||
	    app->source.ops->file)
		return;
	app->profiles.kept = false;
	uint32_t count =
	    selected_sites(app, (enum view_id)app->profiles.kept_by, numbers, name, sizeof name);
	if (count > 0 && count <= PROFILES_KEPT)
		heap_site_set(&heap->site, numbers, count, name);
}

static bool show_tiles(struct app *app, const char *digits)
{
	uint64_t numbers[PROFILES_KEPT];
	uint32_t count = 1;
	char name[400];
	if (digits != NULL && !gcs_site_number_parse(digits, numbers)) {
		app_toast(app, "%s: expected the 12 hexadecimal digits of a call site", digits);
		return false;
	}
	const enum view_id view =
	    profiles_are_shown(app) ? app->view_id : (enum view_id)app->profiles.kept_by;
	if (digits == NULL) {
		count = selected_sites(app, view, numbers, name, sizeof name);
	} else {
		/* In most cases that of the selected row, which has a name. */
		uint64_t chosen[PROFILES_KEPT];
		if (selected_sites(app, view, chosen, name, sizeof name) != 1 ||
		    chosen[0] != numbers[0])
			snprintf(name, sizeof name, "call site %s", digits);
	}
	if (count == 0 || count > PROFILES_KEPT) {
		app_toast(app,
		    count == 0 ? "Select a call site or a frame first, by a click"
			       : "Too many call sites to show on the map; select a narrower frame");
		return false;
	}
	struct heap *heap = app->views[VIEW_HEAP];
	app->profiles.kept = false;
	heap_site_set(&heap->site, numbers, count, name);
	app_set_view(app, VIEW_HEAP);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app_tick_view(app);
	return true;
}

/* By the plugin `paths`, whose page shows the answer; of several sites, the largest. */
static bool ask_holders(struct app *app, const char *digits)
{
	uint64_t numbers[PROFILES_KEPT];
	char name[400], question[120];
	const struct gcs_model *model = app_model(app);
	if (digits != NULL ? !gcs_site_number_parse(digits, numbers)
			   : selected_sites(app, app->view_id, numbers, name, sizeof name) == 0) {
		app_toast(app, digits != NULL ? "Expected the 12 hexadecimal digits of a call site"
					      : "Select a call site or a frame first, by a click");
		return false;
	}
	if (model == NULL || gcs_model_find_plugin(model, "paths") == GCS_NONE) {
		app_toast(app, "This program does not say what holds its objects");
		return false;
	}
	snprintf(question, sizeof question,
	    "paths site=%012" PRIx64 " class= tile=0x0 where=", numbers[0]);
	return app_command(app, COMMAND_ask, question);
}

bool app_place_command(struct app *app, enum command_id id, const char *argument)
{
	if (id == COMMAND_site_holders)
		return ask_holders(app, argument);
	return id == COMMAND_tile_sites ? show_sites(app, argument) : show_tiles(app, argument);
}
