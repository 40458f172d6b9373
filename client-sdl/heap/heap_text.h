/*
 * The heap view in words: tooltip of the tile under the pointer, and the whole view as text with
 * one character per tile.
 */
#ifndef GCSPY_CLIENT_HEAP_TEXT_H
#define GCSPY_CLIENT_HEAP_TEXT_H

#include "heap_view.h"

/* Writes the tooltip of the hovered tile, whose rectangle is `at`; none if no tile is hovered. */
void heap_tip(struct app *app, struct cv_rect at);

/* "2 hidden: Card table, Threads - a click brings them back". */
void heap_hidden_text(struct heap *heap, const struct app *app, char *text, size_t size);

void heap_text(struct heap *heap, const struct app *app, struct textbuf *out);

#endif
