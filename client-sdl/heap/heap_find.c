/* Finds a tile by address, or a space, group or stream by name. Declared in heap_view.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "findtext.h"
#include "heap_view.h"
#include "related.h"

/* Shows a space that is hidden or in a collapsed group. */
static void unhide(struct heap *heap, struct app *app, uint32_t space)
{
	struct heap_prefs *p = heap_prefs_of(heap, app, space);
	uint32_t group = app_space(app, space)->group;
	if (p != NULL)
		p->hidden = false;
	for (; group != GCS_NONE && group < app->group_count;
	     group = app_model(app)->groups[group].parent) {
		if (app->group_closed[group])
			app_toggle_group(app, group);
	}
	heap->area.w = 0;
	heap_restyle(heap, app);
}

/* Selects the smallest tile that contains the address. */
static bool find_address(struct heap *heap, struct app *app, uint64_t address)
{
	struct tile_ref best = {GCS_NONE, 0};
	uint64_t smallest = UINT64_MAX;
	for (uint32_t i = 0; i < app_model(app)->space_count; i++) {
		if (!app_shows(app, i))
			continue;
		uint64_t start, end;
		for (uint32_t tile = 0; tile < gcs_snapshot_tiles(app->snapshot, i); tile++) {
			if (related_range(app->snapshot, i, tile, &start, &end) &&
			    address >= start && address < end && end - start < smallest) {
				best = (struct tile_ref){i, tile};
				smallest = end - start;
			}
		}
	}
	if (best.space == GCS_NONE) {
		app_toast(app, "No tile contains address 0x%" PRIx64, address);
		return false;
	}
	unhide(heap, app, best.space);
	app_select(app, best.space, best.tile);
	app->reveal = true;
	return true;
}

struct found {
	int points;
	uint32_t space, stream;
	const char *kind, *name;
};

static void consider(struct found *best, int points, uint32_t space, uint32_t stream,
    const char *kind, const char *name)
{
	if (points > best->points)
		*best = (struct found){points, space, stream, kind, name};
}

/* The first space of the group or of one inside it. */
static uint32_t first_of_group(const struct app *app, uint32_t wanted)
{
	const struct gcs_model *m = app_model(app);
	for (uint32_t i = 0; i < m->space_count; i++) {
		for (uint32_t g = m->spaces[i].group; g < m->group_count; g = m->groups[g].parent)
			if (g == wanted && app_shows(app, i))
				return i;
	}
	return GCS_NONE;
}

/* Prefers spaces to groups to streams among equal matches, and streams of the active space. */
static struct found find_name(const struct app *app, const char *text)
{
	const struct gcs_model *m = app_model(app);
	struct found best = {.space = GCS_NONE};
	for (uint32_t i = 0; i < m->space_count; i++)
		if (app_shows(app, i))
			consider(&best, findtext_fit(m->spaces[i].name, text), i, GCS_NONE, "Space",
			    m->spaces[i].name);
	for (uint32_t g = 0; g < m->group_count; g++) {
		const uint32_t space = first_of_group(app, g);
		if (space != GCS_NONE)
			consider(&best, findtext_fit(m->groups[g].name, text), space, GCS_NONE,
			    "Group", m->groups[g].name);
	}
	for (uint32_t n = 0; n <= m->space_count; n++) {
		const uint32_t i = n == 0 ? app->active_space : n - 1;
		if (!app_shows(app, i))
			continue;
		for (uint32_t k = 0; k < m->spaces[i].stream_count; k++)
			if (m->spaces[i].streams[k].role == GCS_ROLE_DATA)
				consider(&best, findtext_fit(m->spaces[i].streams[k].name, text), i,
				    k, "Stream", m->spaces[i].streams[k].name);
	}
	return best;
}

bool heap_find_text(struct heap *heap, struct app *app, const char *text)
{
	uint64_t address;
	text += strspn(text, " ");
	if (*text == 0)
		return false;
	if (findtext_address(text, &address))
		return find_address(heap, app, address);
	const struct found found = find_name(app, text);
	if (found.points == 0) {
		app_toast(app, "No space, group or stream matches \"%.100s\"", text);
		return false;
	}
	app_toast(app, "%s %.200s", found.kind, found.name);
	unhide(heap, app, found.space);
	app_activate(app, found.space);
	if (found.stream != GCS_NONE) {
		struct heap_prefs *p = heap_prefs_of(heap, app, found.space);
		if (p != NULL)
			p->by_text = false;
		app_set_stream(app, found.space, found.stream);
	}
	heap->show_space = found.space;
	return true;
}
