#include "heap_prefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap_view.h"

static void fini_one(struct heap_prefs *p)
{
	tilemarks_fini(&p->marks);
	tilemarks_fini(&p->equal);
	tileorder_fini(&p->order);
	tileage_fini(&p->age);
	tilediff_fini(&p->difference);
	heap_colours_fini(&p->colours);
	for (int i = 0; i < 2; i++)
		tileset_fini(&p->fixed[i]);
	free(p->real);
	free(p);
}

void heap_prefs_fini(struct heap *heap)
{
	for (uint32_t i = 0; i < heap->prefs_count; i++)
		fini_one(heap->prefs[i]);
	free(heap->prefs);
	heap->prefs = NULL;
	heap->prefs_count = heap->prefs_room = 0;
}

/* Drops the settings of spaces that are no longer in the model. */
static void purge(struct heap *heap, const struct app *app)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < heap->prefs_count; i++) {
		struct heap_prefs *p = heap->prefs[i];
		if (gcs_model_find_space(app_model(app), p->name) != GCS_NONE)
			heap->prefs[kept++] = p;
		else
			fini_one(p);
	}
	heap->prefs_count = kept;
}

static struct heap_prefs *add(struct heap *heap, const struct app *app, const char *name)
{
	if (heap->prefs_count >= HEAP_PREFS)
		purge(heap, app);
	if (heap->prefs_count == heap->prefs_room) {
		uint32_t room = heap->prefs_room > 0 ? 2 * heap->prefs_room : 16;
		struct heap_prefs **prefs = realloc(heap->prefs, room * sizeof *prefs);
		if (prefs == NULL)
			return NULL;
		heap->prefs = prefs;
		heap->prefs_room = room;
	}
	struct heap_prefs *p = calloc(1, sizeof *p);
	if (p == NULL)
		return NULL;
	snprintf(p->name, sizeof p->name, "%s", name);
	heap->prefs[heap->prefs_count++] = p;
	return p;
}

struct heap_prefs *heap_prefs_of(struct heap *heap, const struct app *app, uint32_t space)
{
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL)
		return NULL;
	/* Usually the list is in the order of the spaces. */
	if (space < heap->prefs_count && strcmp(heap->prefs[space]->name, s->name) == 0)
		return heap->prefs[space];
	for (uint32_t i = 0; i < heap->prefs_count; i++) {
		struct heap_prefs *found = heap->prefs[i];
		if (strcmp(found->name, s->name) != 0)
			continue;
		if (space < heap->prefs_count) { /* for next time */
			heap->prefs[i] = heap->prefs[space];
			heap->prefs[space] = found;
		}
		return found;
	}
	return add(heap, app, s->name);
}

bool heap_by_text(const struct heap_prefs *prefs, const struct app *app, uint32_t space)
{
	return prefs != NULL && prefs->by_text && space < app->space_count &&
	       app->stream_of[space] == prefs->over_stream;
}

bool heap_shows(struct heap *heap, const struct app *app, uint32_t space)
{
	if (!app_shows(app, space))
		return false;
	const struct heap_prefs *p = heap_prefs_of(heap, app, space);
	if (p == NULL || p->hidden)
		return false;
	const uint32_t group = app_space(app, space)->group;
	return p->pinned || group == GCS_NONE || app_group_open(app, group);
}
