/* From a tile to its call sites and back (S8): what one view asks of the other. Declared in app.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/sites.h>

#include "heap.h"
#include "sites_view.h"

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
	else if (!place_of_tile(app, where, sizeof where))
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
