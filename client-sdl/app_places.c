/* From a tile to its call sites and back (S8): what one view asks of the other. Declared in app.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/sites.h>

#include "heap.h"
#include "related.h"
#include "sites_view.h"

/* From the first marked tile to the last one, if the active space has some (section 10 too); the
 * places of the protocol are in one piece. */
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

/* The selected tile's addresses as a place (docs/protocol.md, section 10). */
static bool place_of_tile(struct app *app, char *where, size_t size)
{
	const uint32_t space = app->selected.space, tile = app->selected.tile;
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL || tile >= gcs_snapshot_tiles(app->snapshot, space)) {
		app_toast(app, "Select a tile first: click it, or use the arrow keys");
		return false;
	}
	const int64_t *starts =
	    gcs_snapshot_values(app->snapshot, space, gcs_space_role(s, GCS_ROLE_RANGE_START));
	const int64_t *ends =
	    gcs_snapshot_values(app->snapshot, space, gcs_space_role(s, GCS_ROLE_RANGE_END));
	if (starts == NULL || ends == NULL || ends[tile] <= starts[tile]) {
		app_toast(app, "The tiles of %s have no addresses", s->name);
		return false;
	}
	snprintf(where, size, "range=0x%" PRIx64 "-0x%" PRIx64, (uint64_t)starts[tile],
	    (uint64_t)ends[tile]);
	return true;
}

static bool show_sites(struct app *app, const char *place)
{
	char where[SITES_WHERE];
	if (place != NULL)
		snprintf(where, sizeof where, "%s", place);
	else if (!place_of_marks(app, where, sizeof where) &&
		 !place_of_tile(app, where, sizeof where))
		return false;
	sites_show_place(app->views[VIEW_SITES], app, where);
	return true;
}

static bool show_tiles(struct app *app, const char *digits)
{
	uint64_t number;
	char name[400];
	if (digits != NULL && !gcs_site_number_parse(digits, &number)) {
		app_toast(app, "%s: the 12 hexadecimal digits of a call site are allowed", digits);
		return false;
	}
	if (digits != NULL)
		snprintf(name, sizeof name, "call site %s", digits);
	else if (!sites_selected_number(app->views[VIEW_SITES], &number, name, sizeof name)) {
		app_toast(app, "Select a call site first: 2 shows them");
		return false;
	}
	struct heap *heap = app->views[VIEW_HEAP];
	heap_site_set(&heap->site, number, name);
	app_set_view(app, VIEW_HEAP);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app_tick_view(app);
	return true;
}

bool app_place_command(struct app *app, enum command_id id, const char *argument)
{
	return id == COMMAND_tile_sites ? show_sites(app, argument) : show_tiles(app, argument);
}
