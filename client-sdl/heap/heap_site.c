#include "heap_site.h"

#include <gcspy/format.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sites_view.h"
#include "tiles_spread.h"

static void free_values(struct heap_site *site)
{
	for (uint32_t i = 0; i < site->space_count; i++)
		free(site->values[i]);
	free(site->values);
	site->values = NULL;
	site->space_count = 0;
	site->most = 0;
}

void heap_site_leave(struct heap_site *site)
{
	free_values(site);
	for (uint32_t i = 0; i < PROFILES_KEPT; i++)
		gcs_site_tiles_free(site->tiles[i]);
	/* A pending answer is received and discarded. */
	*site = (struct heap_site){.stale = true,
	    .waiting = site->waiting,
	    .gone = site->waiting,
	    .id = site->id,
	    .connection = site->connection};
}

void heap_site_set(
    struct heap_site *site, const uint64_t *numbers, uint32_t count, const char *name)
{
	heap_site_leave(site);
	site->on = true;
	site->count = count < PROFILES_KEPT ? count : PROFILES_KEPT;
	memcpy(site->number, numbers, site->count * sizeof *numbers);
	sites_put_name(site->name, sizeof site->name, name);
}

static bool is_waiting(const struct heap_site *site, const struct app *app)
{
	return site->waiting && site->connection == app->connection;
}

static bool can_ask(const struct heap_site *site, const struct app *app)
{
	return site->on && app->state == SOURCE_LIVE && app->source.ops->query != NULL &&
	       !app->event_history.back && app->view_id == VIEW_HEAP && profiles_may_ask(app);
}

uint64_t heap_site_due_ms(const struct heap_site *site, const struct app *app)
{
	if (!can_ask(site, app))
		return UINT64_MAX;
	return site->answer_of != app->connection || site->at > 0 ? app->now_ms : site->due_ms;
}

bool heap_site_settled(const struct heap_site *site, const struct app *app)
{
	return !site->on || app->event_history.back ||
	       (site->answer_of == app->connection && !is_waiting(site, app));
}

void heap_site_tick(struct heap_site *site, struct app *app)
{
	char digits[16];
	if (app->now_ms < heap_site_due_ms(site, app))
		return;
	snprintf(digits, sizeof digits, "%012" PRIx64, site->number[site->at]);
	const struct gcs_info parameter = {"site", digits};
	enum gcs_status status = app_ask(app, "tiles", 1, &parameter, &site->id);
	site->due_ms = app->now_ms + HEAP_SITE_REFRESH_MS;
	site->waiting = status == GCS_OK;
	site->gone = false;
	site->connection = app->connection;
	if (status == GCS_OK)
		return;
	/* Counts as answered, so that it is not repeated at once. */
	snprintf(site->message, sizeof site->message, "%s", gcs_status_text(status));
	site->answer_of = app->connection;
	site->at = 0;
	site->stale = true;
}

static void take(struct heap_site *site, struct app *app, const struct gcs_answer *answer)
{
	struct gcs_error err = {.text = ""};
	gcs_site_tiles_free(site->tiles[site->at]);
	site->tiles[site->at] = answer->status == GCS_OK
				    ? gcs_site_tiles_decode(answer->bytes, answer->length, &err)
				    : NULL;
	sites_put_name(site->message, sizeof site->message,
	    answer->status == GCS_OK     ? err.text
	    : answer->message[0] != '\0' ? answer->message
					 : gcs_status_text(answer->status));
	site->at = (site->at + 1) % site->count;
	if (site->at == 0)
		site->answer_of = app->connection;
	site->due_ms = app->now_ms + HEAP_SITE_REFRESH_MS;
	site->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void heap_site_poll(struct heap_site *site, struct app *app)
{
	if (!is_waiting(site, app))
		return;
	struct gcs_answer *answer = app_answer(app, site->id);
	if (answer == NULL)
		return;
	site->waiting = false;
	bool gone = site->gone;
	site->gone = false;
	if (answer->status != GCS_CLOSED && !gone && !app->event_history.back)
		take(site, app, answer);
	gcs_answer_free(answer);
}

static bool fill_space(struct heap_site *site, const struct gcs_snapshot *s, uint32_t space)
{
	const uint32_t tiles = gcs_snapshot_tiles(s, space);
	int64_t *values = calloc((size_t)tiles + 1, sizeof *values);
	if (values == NULL)
		return false;
	for (uint32_t i = 0; i < site->count; i++)
		if (site->tiles[i] != NULL)
			tiles_spread(site->tiles[i], s, space, values);
	for (uint32_t i = 0; i < tiles; i++)
		site->most = values[i] > site->most ? values[i] : site->most;
	site->values[space] = values;
	return true;
}

/* Present locations say nothing about an earlier event. */
static void drop_answers(struct heap_site *site)
{
	for (uint32_t i = 0; i < site->count; i++) {
		site->stale = site->stale || site->tiles[i] != NULL;
		gcs_site_tiles_free(site->tiles[i]);
		site->tiles[i] = NULL;
	}
	site->answer_of = 0;
	site->at = 0;
}

bool heap_site_refresh(struct heap_site *site, struct app *app)
{
	if (site->on && app->event_history.back)
		drop_answers(site);
	const bool stale = site->stale;
	site->stale = false;
	if (!site->on || app->snapshot == NULL || (!stale && site->shown == app->snapshot))
		return stale;
	const uint32_t count = app_model(app)->space_count;
	free_values(site);
	site->shown = app->snapshot;
	site->values = calloc((size_t)count + 1, sizeof *site->values);
	site->space_count = site->values != NULL ? count : 0;
	for (uint32_t i = 0; i < site->space_count; i++)
		if (!fill_space(site, app->snapshot, i))
			break; /* without memory, streams are shown */
	return true;
}

bool heap_site_share(const struct heap_site *site, uint32_t space, struct tileshare *share)
{
	const bool shown = site->on && space < site->space_count;
	share->values = shown ? site->values[space] : NULL;
	share->most = site->most;
	return share->values != NULL;
}

static int64_t bytes_in(const struct heap_site *site, const struct app *app, uint32_t space)
{
	int64_t sum = 0;
	struct tileshare share;
	if (heap_site_share(site, space, &share))
		for (uint32_t i = 0; i < gcs_snapshot_tiles(app->snapshot, space); i++)
			sum += share.values[i];
	return sum;
}

void heap_site_title(
    const struct heap_site *site, const struct app *app, uint32_t space, char *text, size_t size)
{
	char number[48], all[48];
	struct gcs_site_tiles sum;
	if (gcs_space_role(app_space(app, space), GCS_ROLE_RANGE_START) == GCS_NONE) {
		snprintf(text, size, "no addresses");
		return;
	}
	gcs_format_number(number, sizeof number, bytes_in(site, app, space), GCS_BYTES);
	snprintf(text, size, "of %s: %s", site->name, number);
	/* Tiles hold no more than they have room for; what is not located is in none. */
	if (!heap_site_sum(site, &sum))
		return;
	sites_put_bytes(all, sizeof all, sum.bytes);
	const size_t used = strlen(text);
	if (strcmp(all, number) != 0 && used < size)
		snprintf(text + used, size - used, " here, of %s live", all);
}

bool heap_site_sum(const struct heap_site *site, struct gcs_site_tiles *sum)
{
	bool any = false;
	*sum = (struct gcs_site_tiles){.as_of = ""};
	for (uint32_t i = 0; i < site->count; i++) {
		const struct gcs_site_tiles *t = site->tiles[i];
		if (t == NULL)
			continue;
		any = true;
		sum->as_of = t->as_of;
		sum->bytes += t->bytes;
		sum->samples += t->samples;
		sum->placed += t->placed;
		sum->approximate += t->approximate;
		sum->count += t->count;
	}
	return any;
}
