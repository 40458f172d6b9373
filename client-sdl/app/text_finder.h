/*
 * Where a text is on the window: what a script's `click "TEXT"` clicks. What counts is what is
 * painted, not what a dump says. The window's thread only.
 */
#ifndef GCSPY_CLIENT_TEXT_FINDER_H
#define GCSPY_CLIENT_TEXT_FINDER_H

#include <stdbool.h>

struct app;

/* The middle of the first text that is equal, else of the first that contains it; in an open dialog
 * only there. False if none is painted. */
bool text_find(struct app *app, const char *text, int *x, int *y);

#endif
