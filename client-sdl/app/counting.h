/*
 * Counting of the heap's objects by a walk in pauses (volume=heavy, docs/collectors.md), turned on and
 * off from the window. Window thread only.
 */
#ifndef GCSPY_CLIENT_COUNTING_H
#define GCSPY_CLIENT_COUNTING_H

#include <stdbool.h>
#include <stdint.h>

#include "layout.h"

struct app;

/* What the server has accepted from this window. */
struct counting {
	uint64_t connection;
	bool known, on;
};

/* Turns it on, off, or (NULL) from one to the other; a toast has the server's answer. */
bool counting_command(struct app *app, const char *argument);

/* True if the space has streams that a walk counts. */
bool counting_concerns(const struct app *app, uint32_t space);

/* True while objects are counted, as far as known: by the server's last answer, else by the counts. */
bool counting_is_on(const struct app *app);

/* Why the values of a stream are not known; NULL if some are. */
const char *counting_lacks(const struct app *app, uint32_t space, uint32_t stream);

/* The button with its cost, below the streams of such a space. */
void counting_side(struct app *app, struct cv_rect *column, uint32_t space, uint32_t id);

#endif
