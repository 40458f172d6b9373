/*
 * Playing by another clock than the recorded one (C25): a fixed time between events, or the
 * recorded times without what the server itself cost. The window goes from event to event by its
 * own time. Of a recording, and of what is looked back at. The window's thread only.
 */
#ifndef GCSPY_CLIENT_PLAYBACK_RATE_H
#define GCSPY_CLIENT_PLAYBACK_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct app;

enum playback_rate_kind { PLAYBACK_RATE_TIMES, PLAYBACK_RATE_EVERY, PLAYBACK_RATE_COMPENSATED };

struct playback_rate {
	enum playback_rate_kind kind;
	uint32_t every_ms;
	bool on;        /* it plays */
	uint64_t at_ns; /* the event that was gone to last … */
	double due_ms;  /* … and when the next one is due */
};

/* "1/s", "every 250 ms", "compensated": chooses it; false, with nothing changed, for other
 * texts. */
bool playback_rate_parse(struct playback_rate *playback_rate, const char *text);

/* Begins at an event, in the direction of speed. */
void playback_rate_start(struct app *app, uint64_t from_ns, double speed);

/* UINT64_MAX while it does not play. */
uint64_t playback_rate_due_ms(const struct app *app);

/* The event that is due, after perhaps others that have no time to be shown; false: none is.
 * `ended`: there is no further one. */
bool playback_rate_take(struct app *app, double speed, uint64_t *time_ns, bool *ended);

/* "2x, without the server's cost", "an event every 250 ms, backwards"; returns text. */
char *playback_rate_put(const struct app *app, char *text, size_t size, double speed);

#endif
