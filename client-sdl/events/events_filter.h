/*
 * What the server does at each event, as requested by the user (F9, V3): sent when it changes, and
 * again after a lost connection to the same address. Events are identified by name, because another
 * run of a program may number them differently. The window's thread only.
 */
#ifndef GCSPY_CLIENT_EVENTS_FILTER_H
#define GCSPY_CLIENT_EVENTS_FILTER_H

#include <gcspy/client.h>

struct app;

#define EVENTS_MAX_DELAY_MS 10000u
#define EVENTS_MAX_PERIOD   1000000u

struct events_request {
	char name[GCS_MAX_NAME + 1];
	struct gcs_filter filter;
};

struct events_filters {
	char address[1024]; /* of the server that they are for */
	uint64_t sent_to;   /* the connection that has all of them; 0: none */
	uint32_t count;     /* number of the present server's events */
	struct events_request request[GCS_MAX_EVENTS];
};

/* Adopts the server's description; on a new connection, sends the filters of the previous one. */
void events_filters_meet(struct events_filters *f, struct app *app, const struct gcs_model *model);

/* NULL if the source can filter, otherwise a sentence that says why not. */
const char *events_filters_unavailable(const struct app *app);

/* Changes the filter of an event and sends it; while the connection is lost, it waits for the
 * next one. False with a toast. */
bool events_filters_set(
    struct events_filters *f, struct app *app, uint32_t event, const struct gcs_filter *filter);

bool events_filter_is_default(const struct gcs_filter *filter);

/* Sets one part, "enabled", "delay", "pause" or "period", as typed; false with a line that says
 * what is valid. */
bool events_filter_parse(
    struct gcs_filter *filter, const char *key, const char *value, char *wrong, size_t size);

/* "EVENT KEY=VALUE …": parses the event and changes to its present filter. False likewise. */
bool events_filters_parse(const struct events_filters *f, const char *text, uint32_t *event,
    struct gcs_filter *filter, char *wrong, size_t size);

/* The event with that name, or one that differs only in case, or GCS_NONE. */
uint32_t events_filters_find(const struct events_filters *f, const char *name, size_t length);

#endif
