#include "requests.h"

#include <string.h>

#include "app.h"

const char *requests_refusal(const struct app *app)
{
	if (app->state != SOURCE_LIVE)
		return "Not connected";
	if (app->source.ops->file)
		return "A recording has no program to ask";
	return app->source.ops->query == NULL ? "This server answers no questions" : NULL;
}

/* The answers of an earlier connection never come. */
static void drop_lost(struct requests *r, uint64_t connection)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->at[i].connection == connection)
			r->at[n++] = r->at[i];
	}
	r->count = n;
}

static bool has_room(struct app *app)
{
	drop_lost(&app->requests, app->connection);
	return app->requests.count < REQUESTS;
}

static enum gcs_status note(
    struct app *app, enum gcs_status status, uint32_t id, request_done *done, uint32_t tag)
{
	struct requests *r = &app->requests;
	if (status == GCS_OK)
		r->at[r->count++] = (struct request){id, tag, app->connection, done};
	return status;
}

enum gcs_status requests_query(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, request_done *done, uint32_t tag)
{
	if (requests_refusal(app) != NULL)
		return GCS_UNSUPPORTED;
	return requests_read(app, topic, count, parameters, done, tag);
}

enum gcs_status requests_read(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, request_done *done, uint32_t tag)
{
	uint32_t id = 0;
	if (app->state != SOURCE_LIVE || app->source.ops->query == NULL)
		return GCS_UNSUPPORTED;
	if (!has_room(app))
		return GCS_LIMIT;
	const enum gcs_status status =
	    app->source.ops->query(app->source.self, topic, count, parameters, &id);
	return note(app, status, id, done, tag);
}

enum gcs_status requests_set(
    struct app *app, const char *key, const char *value, request_done *done, uint32_t tag)
{
	uint32_t id = 0;
	if (requests_refusal(app) != NULL || app->source.ops->set == NULL)
		return GCS_UNSUPPORTED;
	if (!has_room(app))
		return GCS_LIMIT;
	const enum gcs_status status = app->source.ops->set(app->source.self, key, value, &id);
	return note(app, status, id, done, tag);
}

enum gcs_status requests_trigger(
    struct app *app, const struct gcs_trigger *trigger, request_done *done, uint32_t tag)
{
	uint32_t id = 0;
	if (requests_refusal(app) != NULL || app->source.ops->set_trigger == NULL)
		return GCS_UNSUPPORTED;
	if (!has_room(app))
		return GCS_LIMIT;
	const enum gcs_status status = app->source.ops->set_trigger(app->source.self, trigger, &id);
	return note(app, status, id, done, tag);
}

enum gcs_status requests_untrigger(
    struct app *app, const char *name, request_done *done, uint32_t tag)
{
	uint32_t id = 0;
	if (requests_refusal(app) != NULL || app->source.ops->remove_trigger == NULL)
		return GCS_UNSUPPORTED;
	if (!has_room(app))
		return GCS_LIMIT;
	const enum gcs_status status = app->source.ops->remove_trigger(app->source.self, name, &id);
	return note(app, status, id, done, tag);
}

bool requests_are_pending(const struct app *app, request_done *done)
{
	for (uint32_t i = 0; i < app->requests.count; i++) {
		if (app->requests.at[i].done == done &&
		    app->requests.at[i].connection == app->connection)
			return true;
	}
	return false;
}

const char *requests_text(const struct gcs_answer *answer)
{
	return answer->message[0] != 0 ? answer->message : gcs_status_text(answer->status);
}

/* What takes an answer may send the next request. */
void requests_poll(struct app *app)
{
	struct requests *r = &app->requests;
	drop_lost(r, app->connection);
	for (uint32_t i = 0; i < r->count;) {
		const struct request request = r->at[i];
		struct gcs_answer *answer = app->source.ops->answer(app->source.self, request.id);
		if (answer == NULL) {
			i++;
			continue;
		}
		memmove(&r->at[i], &r->at[i + 1], (--r->count - i) * sizeof *r->at);
		if (answer->status != GCS_CLOSED)
			request.done(app, request.tag, answer);
		gcs_answer_free(answer);
	}
}
