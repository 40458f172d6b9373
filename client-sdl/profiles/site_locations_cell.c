/* Marks the rows and frames whose objects are in the cell of the small map under the pointer (B16).
 * Declared in site_locations.h. */
#include "site_locations.h"

#include <inttypes.h>
#include <stdio.h>

#include "app.h"

/* Restores the previous marks. */
static void unmark(struct app *app)
{
	struct site_locations_cell *c = &app->profiles.site_locations.cell;
	if (!c->replaced)
		return;
	profiles_set_tile(app, c->before);
	shared_profile_unref(c->before);
	c->before = NULL;
	c->replaced = false;
	app_dirty(app, PANEL_VIEW);
}

void site_locations_point(struct app *app, uint64_t low, uint64_t high)
{
	struct site_locations_cell *c = &app->profiles.site_locations.cell;
	c->low = low;
	c->high = high;
}

static bool can_ask(const struct app *app)
{
	return app->state == SOURCE_LIVE && app->source.ops->query != NULL &&
	       !app->event_history.back && !app->replay.on && profiles_may_ask(app);
}

/* The pointer has left the panel. */
static bool is_pointed(const struct app *app)
{
	const struct site_locations_cell *c = &app->profiles.site_locations.cell;
	return c->low < c->high && app->modal == MODAL_NONE &&
	       rect_has(app->rect[PANEL_SIDE], app->ui.mouse_x, app->ui.mouse_y);
}

uint64_t site_locations_cell_due_ms(const struct app *app)
{
	const struct site_locations_cell *c = &app->profiles.site_locations.cell;
	if (!is_pointed(app))
		return c->seen_low != 0 || c->seen_high != 0 ? app->now_ms : UINT64_MAX;
	if (c->low != c->seen_low || c->high != c->seen_high)
		return app->now_ms;
	return c->marked || !can_ask(app) ? UINT64_MAX : c->since_ms + SITE_LOCATIONS_DWELL_MS;
}

void site_locations_cell_tick(struct app *app)
{
	struct site_locations *l = &app->profiles.site_locations;
	struct site_locations_cell *c = &l->cell;
	char where[PROFILES_WHERE];
	if (!is_pointed(app))
		c->low = c->high = 0;
	if (c->low != c->seen_low || c->high != c->seen_high) {
		c->seen_low = c->low;
		c->seen_high = c->high;
		c->since_ms = app->now_ms;
		c->marked = false;
		unmark(app);
	}
	if (c->low == c->high || site_locations_cell_due_ms(app) > app->now_ms)
		return;
	snprintf(where, sizeof where, "range=0x%" PRIx64 "-0x%" PRIx64, c->low, c->high);
	c->waiting = profiles_ask(app, GCS_PROFILE_LIVE, where, &l->id) == GCS_OK;
	c->marked = true;
	c->asked_low = c->low;
}

void site_locations_cell_take(struct app *app, const struct gcs_answer *answer)
{
	struct site_locations_cell *c = &app->profiles.site_locations.cell;
	if (answer->status != GCS_OK || answer->length > SITE_LOCATIONS_MOST ||
	    c->asked_low != c->low || !is_pointed(app))
		return;
	struct shared_profile *shared =
	    shared_profile_new(gcs_profile_decode(answer->bytes, answer->length, NULL));
	if (shared == NULL)
		return;
	if (!c->replaced)
		c->before = shared_profile_ref(app->profiles.tile);
	c->replaced = true;
	profiles_set_tile(app, shared);
	shared_profile_unref(shared);
	app_dirty(app, PANEL_VIEW);
}
