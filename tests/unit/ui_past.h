/*
 * Looking back, for tests: a folder for temporary files, waiting for the threads that write and
 * read, time and place of the made-up server's events.
 */
#ifndef GCSPY_TESTS_UI_PAST_H
#define GCSPY_TESTS_UI_PAST_H

#include "past_store.h"
#include "ui_world.h"

/* When event `step` (from 0) of ui_world.h happens. */
uint64_t past_step_ns(unsigned step);

/* Makes a folder for this test and TMPDIR name it; how many things lie in it; removes it. */
void past_folder(void);
unsigned past_in_folder(void);
void past_remove_folder(void);

/* Waits until the files are made, and all that was put is written. */
void past_ready(struct past_store *h);
void past_drain(struct past_store *h);

/* Events for the application without painting each, so slowly that the disk takes all. */
void past_events(struct world *w, unsigned count);

/* Takes what comes until the moment that was wished for is shown, and paints it. */
void past_settle(struct world *w);

#endif
