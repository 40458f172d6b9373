/* The connection: beginning, loss, end and retries. Declared in app.h. */
#include <stdio.h>
#include <string.h>

#include "app.h"

/* A new connection does not know yet which groups are collapsed here. */
void app_greet(struct app *app)
{
	app->greeted = app->connection;
	for (uint32_t i = 0; i < app->group_count; i++) {
		if (app->group_closed[i])
			app->source.ops->collapse(app->source.self, i, true);
	}
}

bool app_connect(struct app *app, const char *address)
{
	char wanted[sizeof app->address];
	if ((size_t)snprintf(wanted, sizeof wanted, "%s", address) >= sizeof wanted) {
		app_toast(app, "Addresses and paths are limited to %zu bytes", sizeof wanted - 1);
		return false;
	}
	struct source source = {0};
	struct gcs_error err = {.status = GCS_OK};
	if (!app->opener.open(app->opener.context, wanted, app->pause_at_start, &source, &err)) {
		const bool again = app->state == SOURCE_LOST && strcmp(app->address, wanted) == 0;
		if (again || app->state == SOURCE_NONE)
			app->why = err;
		if (again && err.status == GCS_ENDED)
			app->ended = true;
		if (!again)
			app_toast(app, "%s", err.text);
		app_dirty(app, PANEL_FOOTER);
		return false;
	}
	if (source.process > 0)
		snprintf(wanted, sizeof wanted, "pid:%ld", source.process);
	if (pending_connection_waits(app, &source, wanted)) {
		pending_connection_begin(app, &source, wanted);
		app_poll(app);
		return true;
	}
	pending_connection_end(app);
	app_take_source(app, &source, wanted);
	app_poll(app);
	return true;
}

void app_take_source(struct app *app, const struct source *source, const char *address)
{
	if (app->source.ops != NULL)
		app->source.ops->close(app->source.self);
	app->retries =
	    app->state == SOURCE_LOST && strcmp(app->address, address) == 0 && !source->ops->file;
	app->source = *source;
	/* What is opened with the program itself comes before the first frame. */
	const bool by_user = app->stats.frames > 0;
	app->from_start = by_user && app_is_at_start(app);
	app_show_start(app, false);
	if (by_user && app->guided && source->ops->file && strcmp(app->address, address) != 0)
		app_set_view(app, VIEW_OVERVIEW);
	app->connection++;
	app->again = strcmp(app->address, address) == 0;
	app->ended = app->ended && app->again;
	memmove(app->address, address, strlen(address) + 1);
	app->retry_at_ms = 0;
	app->heard_ms = app->now_ms;
	app->notice = 0;
	app_dirty(app, PANEL_FOOTER);
}

void app_disconnect(struct app *app)
{
	pending_connection_end(app);
	app->retries = app->reconnects = false;
	if (app->source.ops != NULL && app->source.ops->file)
		profiles_end_comparison(app);
	if (app->source.ops != NULL)
		app->source.ops->close(app->source.self);
	app->source = (struct source){0};
	app->connection++;
	app->state = SOURCE_NONE;
	app->run = GCS_RUNNING;
	app->retry_at_ms = 0;
	replay_poll(app);
	record_poll(app);
	app_dirty_all(app);
}

void app_end_retries(struct app *app)
{
	app->retry_at_ms = 0;
	app->retries = false;
	app_dirty(app, PANEL_FOOTER);
}

/* Retried for a time, unless the user looks for another program: a detached agent comes back, a program
 * that has ended does not. */
void app_retry_later(struct app *app)
{
	const bool file = app->source.ops != NULL && app->source.ops->file;
	const bool shown = app->snapshot != NULL;
	const bool again = app->auto_retry && !file && !app->ended && !app->at_start &&
			   (!shown || app->now_ms < app->give_up_ms);
	app->retry_at_ms = again ? app->now_ms + RETRY_MS : 0;
	app->retries = app->retries && again;
	app_dirty(app, PANEL_FOOTER);
}

static void lose(struct app *app, const struct gcs_error *why)
{
	app->why = *why;
	if (app->reconnects && why->text[0] != 0)
		app_toast(app, "%s", why->text);
	app->reconnects = false;
	app->ended = app->ended || why->status == GCS_ENDED;
	if (!app->retries) {
		app->lost_at = time(NULL);
		app->give_up_ms = app->now_ms + RETRY_MOST_MS;
	}
	app_retry_later(app);
}

/* False while events need not come, or their age says nothing. */
static bool is_listening(const struct app *app)
{
	return app->state == SOURCE_LIVE && !app->replay.on && app->run == GCS_RUNNING &&
	       !app->event_history.back;
}

/* Steps in which the time is shown: a clock that ticks would keep an idle window busy. */
static uint64_t silent_step(uint64_t ms)
{
	return ms < 60000 ? SILENT_MS : 60000;
}

uint64_t app_silent_ms(const struct app *app)
{
	const uint64_t ms = app->now_ms - app->heard_ms;
	return is_listening(app) ? ms - ms % silent_step(ms) : 0;
}

uint64_t app_silent_due_ms(const struct app *app)
{
	const uint64_t ms = app_silent_ms(app);
	return is_listening(app) ? app->heard_ms + ms + silent_step(ms) : UINT64_MAX;
}

void app_poll_state(struct app *app)
{
	struct gcs_error why = {.status = GCS_OK};
	enum source_state state = app->source.ops->state(app->source.self, &why);
	bool own = false;
	uint32_t others = 0;
	enum gcs_run_state run = app->source.ops->run_state(app->source.self, &own, &others);
	if (state == SOURCE_LIVE) {
		app->retries = app->ended = app->reconnects = false;
		view_state_connected(app);
	}
	if (state == app->state && run == app->run && own == app->run_own &&
	    others == app->run_others)
		return;
	bool age_changed = (state == SOURCE_LIVE) != (app->state == SOURCE_LIVE);
	/* Which server another address belongs to is known with its first snapshot. */
	bool met = app->greeted == app->connection;
	if (state == SOURCE_LIVE && (met ? app->state != SOURCE_LIVE : app->again))
		app_greet(app);
	if (state == SOURCE_LOST && app->state != SOURCE_LOST)
		lose(app, &why);
	app->state = state;
	app->run = state == SOURCE_LIVE ? run : GCS_RUNNING;
	app->run_own = own;
	app->run_others = others;
	app_dirty(app, PANEL_FOOTER);
	app_dirty(app, PANEL_HEADER);
	/* Of the connection, the map shows only its age. */
	if (!app->view->of_snapshot)
		app_dirty(app, PANEL_VIEW);
	if (age_changed || app->snapshot == NULL)
		app_dirty_all(app);
}
