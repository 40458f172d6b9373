/* Spaces whose tiles keep their size: more tiles scroll rather than shrink. Declared in
 * heap_view.h. */
#include <string.h>

#include <gcspy/format.h>

#include "heap_view.h"

int heap_fixed_pitch(const struct app *app, const struct heap_prefs *p)
{
	if (p == NULL || p->pitch == 0)
		return 0;
	const int pitch = ui_px(&app->ui, p->pitch);
	return pitch > HEAP_PITCH_LEAST ? pitch : HEAP_PITCH_LEAST;
}

void heap_fix(const struct app *app, struct heap_prefs *p, int pitch)
{
	const int unscaled = (pitch * 100 + app->scale / 2) / app->scale;
	p->pitch = unscaled > HEAP_PITCH_LEAST ? unscaled : HEAP_PITCH_LEAST;
	p->pitch = p->pitch < HEAP_PITCH_MOST ? p->pitch : HEAP_PITCH_MOST;
}

bool heap_fixed_tilesets(const struct heap *heap, const struct app *app, struct heap_prefs *p,
    const struct tilecolours *change, bool *all)
{
	const int pitch = heap_fixed_pitch(app, p);
	const bool dim = app_is_old(app);
	return pitch == 0 ||
	       (tileset_set(&p->fixed[0], app->ui.theme, app->ramp, pitch, dim, NULL, all) &&
		   (heap->compare.a == NULL || tileset_set(&p->fixed[1], app->ui.theme, app->ramp,
						   pitch, dim, change, all)));
}

bool heap_fixed_command(struct heap *heap, struct app *app, const char *argument)
{
	const struct heap_item *item = heap_find(heap, app->active_space);
	struct heap_prefs *p = heap_prefs_of(heap, app, app->active_space);
	uint64_t size = 0;
	if (p == NULL) {
		app_toast(app, "No active space");
		return false;
	}
	const bool fit = argument != NULL ? strcmp(argument, "fit") == 0 : p->pitch > 0;
	const bool now = argument == NULL || strcmp(argument, "fixed") == 0;
	if (!fit && !now &&
	    (!gcs_parse_number(argument, &size) || size < HEAP_PITCH_LEAST ||
		size > HEAP_PITCH_MOST)) {
		app_toast(app, "tile_size %.60s: expected fit, fixed or %d to %d pixels", argument,
		    HEAP_PITCH_LEAST, HEAP_PITCH_MOST);
		return false;
	}
	if (fit)
		p->pitch = 0;
	else if (!now)
		p->pitch = (int)size;
	else if (item != NULL && heap_tileset(heap, item)->pitch > 0)
		heap_fix(app, p, heap_tileset(heap, item)->pitch);
	heap->area.w = 0; /* forces a new layout */
	heap->rows_of = heap->slack_x = heap->slack_y = 0;
	heap_restyle(heap, app);
	app_toast(app, fit ? "Tiles of %.200s fit the window" : "Tiles of %.200s keep their size",
	    p->name);
	return true;
}
