/* The heap view's sections of the side panel, also as text. */
#ifndef GCSPY_CLIENT_HEAP_SIDE_H
#define GCSPY_CLIENT_HEAP_SIDE_H

#include "heap_view.h"

/* Parts, marks, relations and fading in the legend. */
enum { HEAP_SIDE_PLUGINS = 100 }; /* widget numbers of buttons for plugins */

void heap_side_legend(struct heap *heap, struct app *app, struct cv_rect *column);

/* The selected tile's value by the expression. */
void heap_side_value(struct heap *heap, struct app *app, struct cv_rect *column);

/* Sums over the marked tiles of the active space. */
void heap_side_marked(struct heap *heap, struct app *app, struct cv_rect *column);
void heap_side_magnifier(struct heap *heap, struct app *app, struct cv_rect *column);
void heap_side_text(struct heap *heap, struct app *app, struct textbuf *out);

#endif
