#include "tile_zoom.h"

#include <stdio.h>
#include <string.h>

#include "app.h"
#include "related.h"

#define CUT 16 /* blocks per zoomed tile */

/* The index of a zoom in the stack, or `count`. */
static uint32_t find(const struct tile_zoom *c, uint32_t space)
{
	uint32_t i = 0;
	while (i < c->count && c->stack[i].space != space)
		i++;
	return i;
}

/* The largest power of two up to `bytes`, at least the minimum block. */
static uint64_t block_for(uint64_t bytes)
{
	uint64_t block = GCS_MIN_ZOOM_BLOCK;
	while (block <= bytes / 2)
		block *= 2;
	return block;
}

/* The space to zoom into for a tile: its own if it has blocks, else one that overlaps it. */
static uint32_t space_to_ask(const struct app *app, struct tile_ref of)
{
	const struct gcs_model *model = app_model(app);
	struct related related;
	if (model->spaces[of.space].block_bytes != 0)
		return of.space;
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (model->spaces[i].gone || model->spaces[i].block_bytes == 0)
			continue;
		related_find(app->snapshot, of.space, of.tile, i, &related);
		if (related.tiles != 0)
			return i;
	}
	return GCS_NONE;
}

static bool ask(struct app *app, uint32_t space, uint64_t start, uint64_t end)
{
	struct tile_zoom *c = &app->tile_zoom;
	uint64_t most = app_space(app, space)->block_bytes;
	uint64_t bytes = end - start < most ? end - start : most;
	if (most <= GCS_MIN_ZOOM_BLOCK) {
		app_toast(app, "These are already the finest blocks");
		return false;
	}
	enum gcs_status status = app->source.ops->zoom(
	    app->source.self, space, start, end, block_for(bytes / CUT), &c->question);
	if (status != GCS_OK) {
		app_toast(app,
		    status == GCS_UNSUPPORTED ? "This server does not support zooming: %s"
					      : "Failed: %s",
		    gcs_status_text(status));
		return false;
	}
	c->asked = true;
	c->from = app->selected;
	c->connection = app->connection;
	return true;
}

bool tile_zoom_in(struct app *app)
{
	uint64_t start, end;
	uint32_t space = GCS_NONE;
	if (app->source.ops == NULL || app->source.ops->zoom == NULL) {
		app_toast(app, "This source does not support zooming");
	} else if (app->tile_zoom.asked) {
		app_toast(app, "The previous zoom is still pending");
	} else if (app->selected.space == GCS_NONE) {
		app_toast(app, "Select the tile to zoom into first");
	} else if (app->tile_zoom.count == GCS_MAX_ZOOMS_EACH) {
		app_toast(app, "Limit of %u zooms reached: close one first (Shift+Z)",
		    GCS_MAX_ZOOMS_EACH);
	} else if (!related_range(
		       app->snapshot, app->selected.space, app->selected.tile, &start, &end) ||
		   (space = space_to_ask(app, app->selected)) == GCS_NONE) {
		app_toast(app, "This tile has no memory to zoom into");
	} else {
		return ask(app, space, start, end);
	}
	return false;
}

static void forget(struct tile_zoom *c, struct tile_zoom_space *zoom)
{
	c->count--;
	memmove(zoom, zoom + 1, (size_t)(&c->stack[c->count] - zoom) * sizeof *zoom);
}

bool tile_zoom_out(struct app *app)
{
	struct tile_zoom *c = &app->tile_zoom;
	uint32_t id, at = find(c, app->active_space);
	if (c->count == 0) {
		app_toast(app, "No zoom to close");
		return false;
	}
	struct tile_zoom_space *zoom = &c->stack[at < c->count ? at : c->count - 1];
	/* The answer is not needed. */
	(void)app->source.ops->unzoom(app->source.self, zoom->space, &id);
	struct tile_ref from = zoom->from;
	const struct gcs_space *shown = app_space(app, zoom->space);
	if (shown != NULL)
		snprintf(zoom->name, sizeof zoom->name, "%s", shown->name);
	c->released[c->released_next++ % GCS_MAX_ZOOMS_EACH] = *zoom;
	if (app->hovered.space == zoom->space)
		app->hovered.space = GCS_NONE;
	forget(c, zoom);
	bool there = app_space(app, from.space) != NULL && !tile_zoom_hides(app, from.space) &&
		     !app_space(app, from.space)->gone &&
		     from.tile < gcs_snapshot_tiles(app->snapshot, from.space);
	app_select(app, there ? from.space : GCS_NONE, there ? from.tile : 0);
	app_settle(app);
	return true;
}

void tile_zoom_poll(struct app *app)
{
	struct tile_zoom *c = &app->tile_zoom;
	if (c->connection != app->connection) {
		*c = (struct tile_zoom){.connection = app->connection};
		return;
	}
	struct gcs_answer *answer =
	    c->asked ? app->source.ops->answer(app->source.self, c->question) : NULL;
	if (answer == NULL)
		return;
	uint32_t space = gcs_answer_space(answer);
	c->asked = false;
	if (answer->status != GCS_OK || space == GCS_NONE)
		app_toast(app, "Failed: %.200s",
		    answer->message[0] != 0 ? answer->message : gcs_status_text(answer->status));
	else if (c->count < GCS_MAX_ZOOMS_EACH)
		c->stack[c->count++] = (struct tile_zoom_space){.space = space, .from = c->from};
	gcs_answer_free(answer);
	tile_zoom_shown(app);
}

/* Forgets closed zooms that have left the snapshot: their ids may be reused. */
static void settle_released(struct app *app)
{
	struct tile_zoom *c = &app->tile_zoom;
	for (uint32_t i = 0; i < GCS_MAX_ZOOMS_EACH; i++) {
		const struct gcs_space *s = app_space(app, c->released[i].space);
		if (s == NULL || s->gone || strcmp(s->name, c->released[i].name) != 0)
			c->released[i].name[0] = 0;
	}
}

void tile_zoom_shown(struct app *app)
{
	struct tile_zoom *c = &app->tile_zoom;
	if (app->snapshot == NULL || app->event_history.back)
		return;
	settle_released(app);
	for (uint32_t i = c->count; i-- > 0;) {
		struct tile_zoom_space *zoom = &c->stack[i];
		const struct gcs_space *s = app_space(app, zoom->space);
		bool there =
		    s != NULL && !s->gone && gcs_snapshot_tiles(app->snapshot, zoom->space) != 0;
		if (zoom->seen && !there) {
			forget(c, zoom);
		} else if (!zoom->seen && there) {
			zoom->seen = true;
			app_select(app, zoom->space, 0);
			app->reveal = true;
		}
	}
}

bool tile_zoom_waits(const struct app *app)
{
	const struct tile_zoom *c = &app->tile_zoom;
	bool waits = c->asked;
	for (uint32_t i = 0; i < c->count; i++)
		waits = waits || !c->stack[i].seen;
	return waits;
}

bool tile_zoom_hides(const struct app *app, uint32_t space)
{
	const struct tile_zoom *c = &app->tile_zoom;
	const struct gcs_space *s = app_space(app, space);
	for (uint32_t i = 0; s != NULL && i < GCS_MAX_ZOOMS_EACH; i++)
		if (c->released[i].name[0] != 0 && c->released[i].space == space &&
		    strcmp(c->released[i].name, s->name) == 0)
			return true;
	return false;
}

void tile_zoom_path(const struct app *app, uint32_t space, char *out, size_t size)
{
	const struct tile_zoom *c = &app->tile_zoom;
	struct tile_ref way[GCS_MAX_ZOOMS_EACH];
	uint32_t steps = 0;
	out[0] = 0;
	for (uint32_t at = find(c, space); at < c->count && steps < GCS_MAX_ZOOMS_EACH;
	     at = find(c, way[steps - 1].space))
		way[steps++] = c->stack[at].from;
	const struct gcs_space *root = steps == 0 ? NULL : app_space(app, way[steps - 1].space);
	if (root == NULL)
		return;
	size_t used = (size_t)snprintf(out, size, "%.100s", root->name);
	while (steps-- != 0 && used < size)
		used += (size_t)snprintf(out + used, size - used, " > %u", way[steps].tile);
}
