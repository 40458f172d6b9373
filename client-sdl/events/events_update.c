#include "events_update.h"

#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "events_view.h"

/* Round in every magnitude; 0 is each event. */
static const uint32_t update_steps[UPDATE_STEPS] = {
    0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 60000};

uint32_t events_update_step(int at)
{
	return update_steps[at];
}

static uint32_t step_distance(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

int events_update_nearest(uint32_t ms)
{
	int best = 0;
	for (int i = 1; i < UPDATE_STEPS; i++)
		if (step_distance(update_steps[i], ms) < step_distance(update_steps[best], ms))
			best = i;
	return best;
}

uint32_t events_update_event(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	for (uint32_t i = 0; model != NULL && i < model->event_count; i++)
		if (strcmp(model->events[i].name, "Update") == 0)
			return i;
	return GCS_NONE;
}

/* What was known of another connection is not known of this one. */
static void meet_connection(struct events_update *u, const struct app *app)
{
	if (u->connection != app->connection)
		*u = (struct events_update){.connection = app->connection, .ms = UPDATE_UNKNOWN};
}

static struct events_update *update_of(const struct app *app)
{
	struct events_view *view = app->views[VIEW_EVENTS];
	return &view->update;
}

/* The value of the line "update=". */
static void take_settings(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct events_update *u = update_of(app);
	const char *at = answer->bytes;
	const char *end = at != NULL ? at + answer->length : NULL;
	(void)tag;
	if (answer->status != GCS_OK || u->wants)
		return;
	while (at < end) {
		const char *line = memchr(at, '\n', (size_t)(end - at));
		const size_t n = (size_t)((line != NULL ? line : end) - at);
		char text[32];
		if (n > 7 && n < sizeof text && memcmp(at, "update=", 7) == 0) {
			snprintf(text, sizeof text, "%.*s", (int)(n - 7), at + 7);
			const unsigned long ms = strtoul(text, NULL, 10);
			u->ms =
			    ms <= update_steps[UPDATE_STEPS - 1] ? (uint32_t)ms : UPDATE_UNKNOWN;
		}
		at += line != NULL ? n + 1 : n;
	}
	app_dirty(app, PANEL_VIEW);
}

static bool can_ask_settings(const struct app *app)
{
	return requests_refusal(app) == NULL && events_update_event(app) != GCS_NONE;
}

uint64_t events_update_due_ms(const struct events_update *u, const struct app *app)
{
	if (!can_ask_settings(app))
		return UINT64_MAX;
	if (u->connection != app->connection || u->asked_ms == 0)
		return app->now_ms;
	return u->asked_ms + UPDATE_REFRESH_MS;
}

void events_update_tick(struct events_update *u, struct app *app)
{
	if (events_update_due_ms(u, app) > app->now_ms)
		return;
	meet_connection(u, app);
	u->asked_ms = app->now_ms > 0 ? app->now_ms : 1;
	if (!requests_are_pending(app, take_settings))
		requests_query(app, "settings", 0, NULL, take_settings, 0);
}

static void send_interval(struct events_update *u, struct app *app);

/* The setting is answered in one line for the user; another one may be due already. */
static void take_answer(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct events_update *u = update_of(app);
	if (answer->status == GCS_OK)
		u->ms = tag;
	else
		app_toast(app, "Update interval: %.200s", requests_text(answer));
	if (u->wants)
		send_interval(u, app);
	app_dirty(app, PANEL_VIEW);
}

static void send_interval(struct events_update *u, struct app *app)
{
	char text[16];
	snprintf(text, sizeof text, "%u", u->wanted);
	u->wants = false;
	const enum gcs_status status = requests_set(app, "update", text, take_answer, u->wanted);
	if (status != GCS_OK)
		app_toast(app, "Update interval: %s", gcs_status_text(status));
}

bool events_update_shown(const struct app *app)
{
	const struct events_update *u = update_of(app);
	return events_update_event(app) != GCS_NONE ||
	       (u->own && u->connection == app->connection && app->state == SOURCE_LIVE);
}

static bool set_own(struct events_update *u, struct app *app, uint32_t ms)
{
	const enum gcs_status status = app->source.ops->set_interval == NULL
					   ? GCS_UNSUPPORTED
					   : app->source.ops->set_interval(app->source.self, ms);
	if (status != GCS_OK) {
		app_toast(app, "Update interval: %s", gcs_status_text(status));
		return false;
	}
	meet_connection(u, app);
	u->own = true;
	u->ms = ms;
	app_dirty(app, PANEL_VIEW);
	return true;
}

bool events_update_set(struct events_update *u, struct app *app, uint32_t ms)
{
	const char *why = requests_refusal(app);
	if (why != NULL) {
		app_toast(app, "%s", why);
		return false;
	}
	if (events_update_event(app) == GCS_NONE)
		return set_own(u, app, ms);
	meet_connection(u, app);
	u->wanted = ms;
	u->wants = true;
	if (!requests_are_pending(app, take_answer))
		send_interval(u, app);
	app_dirty(app, PANEL_VIEW);
	return true;
}

static void put_update_rate(double rate, char *text, size_t size)
{
	if (rate >= 100)
		gcs_format_number(text, size, (int64_t)(rate + 0.5), GCS_DECIMAL);
	else
		snprintf(text, size, "%.*f", rate >= 10 ? 0 : rate < 0.1 ? 2 : 1, rate);
}

void events_update_text(
    const struct events_update *u, double rate, char *text, size_t size, bool *late)
{
	const uint32_t ms = u->wants ? u->wanted : u->ms;
	char number[32], wanted[32];
	*late = false;
	if (ms == UPDATE_UNKNOWN)
		snprintf(text, size, "interval not known");
	else if (ms == 0)
		snprintf(text, size, "at each event");
	else
		snprintf(text, size, "every %s",
		    gcs_format_number(
			number, sizeof number, (int64_t)ms * 1000000, GCS_NANOSECONDS));
	if (rate < 0)
		return;
	put_update_rate(rate, number, sizeof number);
	if (ms == UPDATE_UNKNOWN || ms == 0) {
		append_clause(text, size, "%s per second", number);
		return;
	}
	put_update_rate(1000.0 / ms, wanted, sizeof wanted);
	append_clause(text, size, "%s of %s per second", number, wanted);
	*late = rate < 0.8 * 1000.0 / ms;
}
