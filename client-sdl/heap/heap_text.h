/*
 * The heap view as text: the tooltip of the tile under the pointer, and the whole view with one
 * character per tile.
 */
#ifndef GCSPY_CLIENT_HEAP_TEXT_H
#define GCSPY_CLIENT_HEAP_TEXT_H

#include "heap_view.h"

/* Sets the tooltip of the hovered tile, whose rectangle is `at`; none without a hovered tile. */
void heap_tip(struct app *app, struct cv_rect at);

/* "2 hidden: Card table, Threads - click to show them". */
void heap_hidden_text(struct heap *heap, const struct app *app, char *text, size_t size);

void heap_text(struct heap *heap, const struct app *app, struct textbuf *out);

#endif
