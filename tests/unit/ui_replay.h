/*
 * Recordings for tests of the visualiser: the made-up server of ui_world.h in a trace file, and an
 * application that plays one by the real source.
 */
#ifndef GCSPY_TESTS_UI_REPLAY_H
#define GCSPY_TESTS_UI_REPLAY_H

#include "ui_world.h"

struct replay_world {
	struct app app;
	struct source_options source;
	char folder[96];
	char path[128]; /* run.gcspy in it */
	char clipboard[65536];
};

/* Writes `events` events with 87 ms between them, a profile after each `profile_every`-th (0: none);
 * without `finish` as if the writer had been killed. replay_fini removes the file. */
void replay_record(struct replay_world *w, uint32_t events, uint32_t profile_every, bool finish);

/* Likewise; a profile after the third event in which nothing has survived, and one at the end. */
void replay_record_late(struct replay_world *w, uint32_t events);

/* Likewise, with this answer of the plugin `paths` behind event `at`. */
void replay_record_paths(
    struct replay_world *w, uint32_t events, uint32_t at, const void *answer, size_t length);

/* Likewise; the trigger "long" fires at each `fired_every`-th event. */
void replay_record_fired(struct replay_world *w, uint32_t events, uint32_t fired_every);

/* Opens the window and the file in it; replay_open also waits for the whole timeline, and goes to the first event. */
void replay_begin(struct replay_world *w, int width, int height);
void replay_open(struct replay_world *w, int width, int height);
void replay_fini(struct replay_world *w);

/* Lets the real time pass until the script is done; false if it failed. */
bool replay_run(struct replay_world *w, const char *script);

/* The text of the window, in a buffer of its own. */
bool replay_says(struct replay_world *w, const char *what);

#endif
