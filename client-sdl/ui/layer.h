/*
 * A temporary layer over the panels: dialog, tooltip, toast. It saves the pixels under it, so that
 * removing it is a copy and repaints nothing. Layers are removed in reverse order.
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

/* Restores the pixels and marks them as damage; nothing if the layer is not shown. */
void layer_restore(struct layer *layer, struct cv *cv);

/* Saves the pixels of the visible part of r; false without memory (then nothing may be painted). */
bool layer_save(struct layer *layer, struct cv *cv, struct cv_rect r);

#endif
