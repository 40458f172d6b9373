#include "pending_connection.h"

#include <stdio.h>
#include <string.h>

#include "app.h"

bool pending_connection_waits(
    const struct app *app, const struct source *source, const char *address)
{
	return app->snapshot != NULL && !source->ops->file && strcmp(app->address, address) != 0;
}

static void close_source(struct pending_connection *c)
{
	if (c->source.ops != NULL)
		c->source.ops->close(c->source.self);
	c->source = (struct source){0};
}

bool pending_connection_end(struct app *app)
{
	struct pending_connection *c = &app->pending_connection;
	const bool was = c->address[0] != 0;
	close_source(c);
	gcs_snapshot_unref(c->first);
	*c = (struct pending_connection){0};
	if (was)
		app_dirty(app, PANEL_FOOTER);
	return was;
}

void pending_connection_begin(struct app *app, const struct source *source, const char *address)
{
	struct pending_connection *c = &app->pending_connection;
	char why[sizeof c->why] = "";
	/* The reason of the last failure stays visible during the next attempt. */
	if (strcmp(c->address, address) == 0)
		memcpy(why, c->why, sizeof why);
	pending_connection_end(app);
	app->retry_at_ms = 0; /* of what was lost before */
	c->source = *source;
	snprintf(c->address, sizeof c->address, "%s", address);
	memcpy(c->why, why, sizeof why);
	app_dirty(app, PANEL_FOOTER);
}

/* Replaces what is shown. */
static void take_over(struct app *app, struct gcs_snapshot *first)
{
	const struct source source = app->pending_connection.source;
	char address[sizeof app->pending_connection.address];
	memcpy(address, app->pending_connection.address, sizeof address);
	app->pending_connection.source = (struct source){0};
	pending_connection_end(app);
	app_take_source(app, &source, address);
	app->pending_connection.first = first;
}

void pending_connection_poll(struct app *app)
{
	struct pending_connection *c = &app->pending_connection;
	struct gcs_error why = {.status = GCS_OK};
	if (c->source.ops == NULL)
		return;
	struct gcs_snapshot *first = c->source.ops->next(c->source.self);
	if (first != NULL) {
		take_over(app, first);
		return;
	}
	if (c->source.ops->state(c->source.self, &why) != SOURCE_LOST)
		return;
	if (c->why[0] == 0)
		app_toast(app, "Cannot connect to %.100s; still showing %.100s", c->address,
		    app->address);
	snprintf(c->why, sizeof c->why, "%.255s", why.text);
	close_source(c);
	c->retry_at_ms = app->auto_retry ? app->now_ms + RETRY_MS : 0;
	app_dirty(app, PANEL_FOOTER);
}

void pending_connection_tick(struct app *app)
{
	struct pending_connection *c = &app->pending_connection;
	char address[sizeof c->address];
	if (c->retry_at_ms == 0 || app->now_ms < c->retry_at_ms)
		return;
	c->retry_at_ms = 0;
	memcpy(address, c->address, sizeof address);
	if (!app_connect(app, address))
		c->retry_at_ms = app->now_ms + RETRY_MS;
}

void pending_connection_text(const struct app *app, char *text, size_t size)
{
	const struct pending_connection *c = &app->pending_connection;
	*text = 0;
	if (c->address[0] == 0)
		return;
	if (c->why[0] == 0)
		snprintf(text, size, "Connecting to %.200s \xe2\x80\xa6", c->address);
	else
		snprintf(text, size, "Cannot connect to %.200s%s: %.200s", c->address,
		    c->retry_at_ms != 0 || c->source.ops != NULL ? ", retrying" : "", c->why);
}
