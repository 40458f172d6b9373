#include "candidate.h"

#include <stdio.h>
#include <string.h>

#include "app.h"

bool candidate_waits(const struct app *app, const struct source *source)
{
	return app->source.ops != NULL && app->source.ops->file && app->state == SOURCE_LIVE &&
	       app->snapshot != NULL && !source->ops->file;
}

static void close_source(struct candidate *c)
{
	if (c->source.ops != NULL)
		c->source.ops->close(c->source.self);
	c->source = (struct source){0};
}

bool candidate_end(struct app *app)
{
	struct candidate *c = &app->candidate;
	const bool was = c->address[0] != 0;
	close_source(c);
	gcs_snapshot_unref(c->first);
	*c = (struct candidate){0};
	if (was)
		app_dirty(app, PANEL_FOOTER);
	return was;
}

void candidate_begin(struct app *app, const struct source *source, const char *address)
{
	struct candidate *c = &app->candidate;
	char why[sizeof c->why] = "";
	/* The reason of the last failure stays in sight while it is tried again. */
	if (strcmp(c->address, address) == 0)
		memcpy(why, c->why, sizeof why);
	candidate_end(app);
	c->source = *source;
	snprintf(c->address, sizeof c->address, "%s", address);
	memcpy(c->why, why, sizeof why);
	app_dirty(app, PANEL_FOOTER);
}

/* The recording makes room. */
static void take_over(struct app *app, struct gcs_snapshot *first)
{
	const struct source source = app->candidate.source;
	char address[sizeof app->candidate.address];
	memcpy(address, app->candidate.address, sizeof address);
	app->candidate.source = (struct source){0};
	candidate_end(app);
	app_take_source(app, &source, address);
	app->candidate.first = first;
}

void candidate_poll(struct app *app)
{
	struct candidate *c = &app->candidate;
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
		app_toast(
		    app, "No connection to %.100s; still showing %.100s", c->address, app->address);
	snprintf(c->why, sizeof c->why, "%.255s", why.text);
	close_source(c);
	c->retry_at_ms = app->auto_retry ? app->now_ms + RETRY_MS : 0;
	app_dirty(app, PANEL_FOOTER);
}

void candidate_tick(struct app *app)
{
	struct candidate *c = &app->candidate;
	char address[sizeof c->address];
	if (c->retry_at_ms == 0 || app->now_ms < c->retry_at_ms)
		return;
	c->retry_at_ms = 0;
	memcpy(address, c->address, sizeof address);
	if (!app_connect(app, address))
		c->retry_at_ms = app->now_ms + RETRY_MS;
}

void candidate_words(const struct app *app, char *text, size_t size)
{
	const struct candidate *c = &app->candidate;
	*text = 0;
	if (c->address[0] == 0)
		return;
	if (c->why[0] == 0)
		snprintf(text, size, "Connecting to %.200s \xe2\x80\xa6", c->address);
	else
		snprintf(text, size, "No connection to %.200s%s: %.200s", c->address,
		    c->retry_at_ms != 0 || c->source.ops != NULL ? ", retrying" : "", c->why);
}
