/* What the files of past.h share. */
#ifndef GCSPY_CLIENT_PAST_INNER_H
#define GCSPY_CLIENT_PAST_INNER_H

#include "app.h"
#include "past_store.h"

/* Looks back, at an event not later (BACK) or not earlier (FORWARD). There must be an event. */
void past_want(struct app *app, uint64_t time_ns, enum past_store_way way);

/* Plays on from where it stands, or holds. */
void past_play(struct app *app, bool on);

#endif
