/* What the tests of the flame graph and of the tables of callers have in common. */
#ifndef GCSPY_TESTS_UI_CALLS_H
#define GCSPY_TESTS_UI_CALLS_H

#include "ui_world.h"

/* A connected window with that view and the shop's live profile. */
void calls_open_shop(struct world *w, const char *key, int width, int height);

/* The next answer to the question that is due now. */
void calls_next(struct world *w, struct gcs_profile *profile);

/* Lets the threads of the view come to an end. */
void calls_settle(struct world *w);

/* True if the dump of the window says so, else it is printed. */
bool calls_says(struct world *w, const char *text);

/* One sample of one class in one method. */
struct gcs_profile *calls_single(void);

/* main -> walk -> walk … with that many frames, in two samples. */
struct gcs_profile *calls_recursive(uint32_t depth);

/* Names of 4,000 bytes, CJK, right to left, control characters, none at all. */
struct gcs_profile *calls_names(void);

/* Saves a profile into a file of that name in the working directory. */
bool calls_save(struct gcs_profile *profile, const char *path);

#endif
