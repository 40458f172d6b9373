/*
 * Requests to the source whose answers go to a function: settings, triggers, plugins. The views of
 * call sites have queries of their own, see profiles.h. Nothing waits. The window's thread only.
 */
#ifndef GCSPY_CLIENT_REQUESTS_H
#define GCSPY_CLIENT_REQUESTS_H

#include <gcspy/client.h>
#include <stdbool.h>
#include <stdint.h>

#define REQUESTS 32 /* pending at a time */

struct app;

/* Takes an answer, which ends with the call. A lost connection is no answer: its requests are
 * forgotten. `tag` is the caller's. */
typedef void request_done(struct app *app, uint32_t tag, const struct gcs_answer *answer);

struct requests {
	struct request {
		uint32_t id, tag;
		uint64_t connection;
		request_done *done;
	} at[REQUESTS];
	uint32_t count;
};

/* Why the source cannot be asked or changed now, a sentence; NULL if it can. */
const char *requests_refusal(const struct app *app);

/* Sends a query, or a new value of a setting. */
enum gcs_status requests_query(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, request_done *done, uint32_t tag);
/* The same of what a recording has. */
enum gcs_status requests_read(struct app *app, const char *topic, uint32_t count,
    const struct gcs_info *parameters, request_done *done, uint32_t tag);
enum gcs_status requests_set(
    struct app *app, const char *key, const char *value, request_done *done, uint32_t tag);

/* Sets or removes a trigger. */
enum gcs_status requests_trigger(
    struct app *app, const struct gcs_trigger *trigger, request_done *done, uint32_t tag);
enum gcs_status requests_untrigger(
    struct app *app, const char *name, request_done *done, uint32_t tag);

/* True while a request with that function is pending. */
bool requests_are_pending(const struct app *app, request_done *done);

/* The message of an answer, or what its status means. */
const char *requests_text(const struct gcs_answer *answer);

void requests_poll(struct app *app);

#endif
