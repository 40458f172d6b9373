/*
 * Looking back, for tests: a folder for temporary files, waiting for the threads that write and
 * read, time and place of the made-up server's events.
 */
#ifndef GCSPY_TESTS_UI_PAST_H
#define GCSPY_TESTS_UI_PAST_H

#include "event_history_store.h"
#include "ui_world.h"

/* When event `step` (from 0) of ui_world.h happens. */
uint64_t event_history_step_ns(unsigned step);

/* Makes a folder for this test, named by TMPDIR; counts its files; removes it. */
void event_history_folder(void);
unsigned event_history_in_folder(void);
void event_history_remove_folder(void);

/* Waits until the files are made, and all that was put is written. */
void event_history_ready(struct event_history_store *h);
void event_history_drain(struct event_history_store *h);

/* Events for the application without painting each, so slowly that the disk takes all. */
void event_history_events(struct world *w, unsigned count);

/* Takes what comes until the moment that was asked for is shown, and paints it. */
void event_history_settle(struct world *w);

#endif
