/* Shared by the files of event_history.h. */
#ifndef GCSPY_CLIENT_EVENT_HISTORY_INNER_H
#define GCSPY_CLIENT_EVENT_HISTORY_INNER_H

#include "app.h"
#include "event_history_store.h"

/* Looks back: shows an event that is not later (BACK) or not earlier (FORWARD). There must be
 * one. */
void event_history_want(struct app *app, uint64_t time_ns, enum event_history_store_way way);

/* Marks everything dirty that depends on the moment shown. */
void event_history_changed(struct app *app);

/* Plays on from the present place, or pauses. */
void event_history_play(struct app *app, bool on);

#endif
