#include "layer.h"

#include <stdlib.h>
#include <string.h>

void layer_fini(struct layer *layer)
{
	free(layer->store);
	memset(layer, 0, sizeof *layer);
}

void layer_restore(struct layer *layer, struct cv *cv)
{
	if (!layer->on)
		return;
	layer->on = false;
	/* After a resize everything is painted anyway. */
	struct cv_rect canvas = rect_make(0, 0, cv->w, cv->h);
	if (!rect_same(rect_and(layer->r, canvas), layer->r))
		return;
	cv_restore(cv, layer->r, layer->store);
	cv_touch(cv, layer->r);
}

bool layer_save(struct layer *layer, struct cv *cv, struct cv_rect r)
{
	r = rect_and(r, rect_make(0, 0, cv->w, cv->h));
	size_t need = (size_t)r.w * (size_t)r.h;
	if (need == 0)
		return false;
	if (need > layer->capacity) {
		uint32_t *store = realloc(layer->store, need * sizeof *store);
		if (store == NULL)
			return false;
		layer->store = store;
		layer->capacity = need;
	}
	layer->r = r;
	layer->on = true;
	cv_save(cv, r, layer->store);
	cv_touch(cv, r);
	return true;
}
