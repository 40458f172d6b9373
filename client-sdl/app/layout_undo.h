/*
 * Layouts before this one (D29): panel, theme, ramp, scale and the looks of all views, in words as
 * named layouts have them (keep_layout.c). A change by the user puts the one before on a bounded
 * stack; undoing takes it off. Which view is shown is a place, to which one goes back otherwise
 * (nav.h). The window's thread only.
 */
#ifndef GCSPY_CLIENT_LAYOUT_UNDO_H
#define GCSPY_CLIENT_LAYOUT_UNDO_H

#include <stdbool.h>
#include <stdint.h>

enum { LAYOUT_UNDO = 32 };

struct layout_undo {
	char *line[LAYOUT_UNDO]; /* the oldest first */
	uint32_t count;
	char *now;
	bool look; /* the user may have changed something since */
};

struct app;

/* What is there now is the beginning. */
void layout_undo_begin(struct app *app);

/* Looks for a change, when there may be one and nothing is being dragged. */
void layout_undo_note(struct app *app);

/* False, with a message, if there is none before. */
bool layout_undo_step(struct app *app);

void layout_undo_fini(struct app *app);

#endif
