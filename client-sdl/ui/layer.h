/*
 * What lies over the panels for a while: dialog, tooltip, toast. A layer keeps the pixels under it,
 * so that taking it away costs a copy and repaints nothing. Layers are taken away in the reverse
 * order.
 */
#ifndef GCSPY_CLIENT_LAYER_H
#define GCSPY_CLIENT_LAYER_H

#include "canvas.h"

struct layer {
	struct cv_rect r;
	uint32_t *store;
	size_t capacity; /* pixels */
	bool on;
};

void layer_fini(struct layer *layer);

/* Puts the pixels back and marks them as damage; nothing if the layer is not on. */
void layer_restore(struct layer *layer, struct cv *cv);

/* Keeps the pixels of the visible part of r; false without memory (then nothing may be painted). */
bool layer_save(struct layer *layer, struct cv *cv, struct cv_rect r);

#endif
