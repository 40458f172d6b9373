/*
 * The update interval of a target in sample-driven mode (F12, V10): how often it publishes what it
 * counted and touched, and how often it does so in fact. The target is asked for its interval while
 * the view of events is shown, because every client may set it. With a target that publishes each of its
 * events, the interval is this client's own: what comes between is counted, but not gathered for it.
 * The window's thread only.
 */
#ifndef GCSPY_CLIENT_EVENTS_UPDATE_H
#define GCSPY_CLIENT_EVENTS_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app;

#define UPDATE_REFRESH_MS 3000 /* between questions for the interval */
#define UPDATE_UNKNOWN    UINT32_MAX

struct events_update {
	uint64_t connection; /* that the rest is about */
	uint64_t asked_ms;   /* 0: not yet */
	uint32_t ms;         /* the target's interval; UPDATE_UNKNOWN: it has not told */
	uint32_t wanted;     /* to be sent once the answer to the last one is here */
	bool wants;
	bool own; /* the interval is this client's, of a target that publishes each event */
};

/* Whether there is an interval to be seen: the target's, or one of this client's own. */
bool events_update_shown(const struct app *app);

/* The event of updates, or GCS_NONE if the target publishes each of its events. */
uint32_t events_update_event(const struct app *app);

/* Asks for the interval when that is due, and when it will be (UINT64_MAX: never). */
void events_update_tick(struct events_update *u, struct app *app);
uint64_t events_update_due_ms(const struct events_update *u, const struct app *app);

/* Sends a new interval; false, with a toast, if that is not possible. */
bool events_update_set(struct events_update *u, struct app *app, uint32_t ms);

/* The positions of the slider, each a round interval. */
#define UPDATE_STEPS 15
uint32_t events_update_step(int at);
int events_update_nearest(uint32_t ms);

/* "every 50 ms · 19.6 of 20 per second"; rate: updates per second as received, negative: unknown.
 * *late: much less than what was set. */
void events_update_text(
    const struct events_update *u, double rate, char *text, size_t size, bool *late);

#endif
