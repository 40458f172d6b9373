/*
 * What the user wants the server to do at each event (F9, V3): sent when it changes, and sent again
 * after the connection was lost, as long as it is to the same address. Events are known by their
 * names, because another run of a program may number them differently. The window's thread only.
 */
#ifndef GCSPY_CLIENT_EVENTS_FILTER_H
#define GCSPY_CLIENT_EVENTS_FILTER_H

#include <gcspy/client.h>

struct app;

#define EVENTS_MAX_DELAY_MS 10000u
#define EVENTS_MAX_PERIOD   1000000u

struct events_wish {
	char name[GCS_MAX_NAME + 1];
	struct gcs_filter filter;
};

struct events_filters {
	char address[1024]; /* whose they are */
	uint64_t sent_to;   /* the connection that has them all, 0: none */
	uint32_t count;     /* of the events of the present server */
	struct events_wish wish[GCS_MAX_EVENTS];
};

/* Takes in what the server describes; of a new connection, sends what was wished before. */
void events_filters_meet(struct events_filters *f, struct app *app, const struct gcs_model *model);

/* NULL if the source can filter, else a sentence that says why not. */
const char *events_filters_refusal(const struct app *app);

/* Changes the filter of an event and sends it; while the connection is lost it waits for the next
 * one. False with a toast. */
bool events_filters_set(
    struct events_filters *f, struct app *app, uint32_t event, const struct gcs_filter *filter);

bool events_filter_is_default(const struct gcs_filter *filter);

/* Changes one part, "enabled", "delay", "pause" or "period", as typed; false with a line that says
 * what is allowed. */
bool events_filter_parse(
    struct gcs_filter *filter, const char *key, const char *value, char *wrong, size_t size);

/* "EVENT KEY=VALUE …": the event and its new filter, from the present one. False likewise. */
bool events_filters_parse(const struct events_filters *f, const char *text, uint32_t *event,
    struct gcs_filter *filter, char *wrong, size_t size);

/* The event of that name, or one that differs in case alone; GCS_NONE: none. */
uint32_t events_filters_find(const struct events_filters *f, const char *name, size_t length);

#endif
