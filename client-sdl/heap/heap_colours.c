#include "heap_colours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "heap_view.h"

static const struct {
	const char *key, *title;
} parts[COLOUR_PARTS] = {
    [COLOUR_STREAM] = {"stream", "Stream"},
    [COLOUR_SELECTION] = {"selection", "Selection"},
    [COLOUR_MARKER] = {"marker", "Marker"},
    [COLOUR_ACTIVE] = {"active_marker", "Active marker"},
    [COLOUR_SEPARATOR] = {"separator", "Separator"},
    [COLOUR_LINK] = {"link", "Link"},
};

const char *heap_colours_title(enum colour_part part)
{
	return parts[part].title;
}

void heap_colours_fini(struct heap_colours *c)
{
	tileset_fini(&c->tileset[0]);
	tileset_fini(&c->tileset[1]);
}

static struct heap_prefs *prefs_of(const struct app *app, uint32_t space)
{
	return heap_prefs_of(app->views[VIEW_HEAP], app, space);
}

/* The first choice: ramps are numbered from 0, hues follow. */
static int first_of(enum colour_part part)
{
	return part == COLOUR_STREAM ? 0 : PALETTE_RAMPS;
}

static uint32_t hue_of(const struct heap_colours *c, enum colour_part part)
{
	return c->part[part] > PALETTE_RAMPS ? palette_hue(c->part[part] - 1 - PALETTE_RAMPS) : 0;
}

const char *heap_colours_word(const struct heap_colours *c, enum colour_part part)
{
	return c->part[part] == 0 ? "default" : palette_name(c->part[part] - 1);
}

uint32_t heap_colours_of(const struct app *app, const struct heap_colours *c, enum colour_part part)
{
	const struct theme *th = app->ui.theme;
	const uint32_t by_theme[COLOUR_PARTS] = {[COLOUR_SELECTION] = th->selection,
	    [COLOUR_MARKER] = th->warn,
	    [COLOUR_ACTIVE] = th->accent,
	    [COLOUR_SEPARATOR] = th->separator,
	    [COLOUR_LINK] = th->link};
	uint32_t shade[256];
	if (part != COLOUR_STREAM)
		return hue_of(c, part) != 0 ? hue_of(c, part) : by_theme[part];
	palette_ramp(c->part[part] > 0 ? c->part[part] - 1 : app->ramp, th->dark, shade);
	return shade[PALETTE_SHADES * 2 / 3];
}

int heap_colours_ramp(const struct app *app, uint32_t space)
{
	const struct heap_prefs *p = prefs_of(app, space);
	return p != NULL && p->colours.part[COLOUR_STREAM] > 0 ? p->colours.part[COLOUR_STREAM] - 1
							       : app->ramp;
}

/* The index of a stream's colours, or -1; with `add`, a free one if there is none. */
static int find_stream(struct heap_colours *c, const char *stream, bool add)
{
	int room = -1;
	for (int i = 0; i < COLOUR_STREAMS; i++) {
		if (strcmp(c->names[i].stream, stream) == 0)
			return i;
		if (room < 0 && c->names[i].stream[0] == 0)
			room = i;
	}
	if (add && room >= 0)
		snprintf(c->names[room].stream, sizeof c->names[room].stream, "%s", stream);
	return add ? room : -1;
}

static const struct gcs_stream *stream_of(const struct app *app, uint32_t space, uint32_t stream)
{
	const struct gcs_space *s = app_space(app, space);
	return s != NULL && stream < s->stream_count ? &s->streams[stream] : NULL;
}

void heap_colours_names(
    const struct app *app, uint32_t space, uint32_t stream, uint32_t name[TILE_NAMES])
{
	struct heap_prefs *p = prefs_of(app, space);
	const struct gcs_stream *st = stream_of(app, space, stream);
	memset(name, 0, TILE_NAMES * sizeof *name);
	const int at = p != NULL && st != NULL && st->name[0] != 0
			   ? find_stream(&p->colours, st->name, false)
			   : -1;
	for (uint32_t i = 0; at >= 0 && i < TILE_NAMES; i++)
		if (p->colours.names[at].name[i] > 0)
			name[i] = palette_hue(p->colours.names[at].name[i] - 1);
}

uint32_t heap_colours_name(const struct app *app, uint32_t space, uint32_t stream, uint32_t value)
{
	uint32_t name[TILE_NAMES];
	heap_colours_names(app, space, stream, name);
	const uint32_t own = name[value % TILE_NAMES];
	return own != 0 ? own : palette_enum_colour(value);
}

void heap_colours_refresh(
    const struct app *app, struct heap_item *item, int pitch, int few, bool *all)
{
	struct heap_colours *c = &item->prefs->colours;
	static const struct tilecolours none;
	struct tilecolours now = {.selection = hue_of(c, COLOUR_SELECTION),
	    .marker = hue_of(c, COLOUR_MARKER),
	    .active = hue_of(c, COLOUR_ACTIVE),
	    .separator = hue_of(c, COLOUR_SEPARATOR),
	    .link = hue_of(c, COLOUR_LINK)};
	const int ramp = heap_colours_ramp(app, item->id);
	const bool dim = app_is_old(app), before = c->used;
	if (item->id < app->space_count)
		heap_colours_names(app, item->id, app->stream_of[item->id], now.name);
	c->used = c->part[COLOUR_STREAM] > 0 || memcmp(&now, &none, sizeof now) != 0;
	/* Without memory the space has the default colours. */
	c->used = c->used &&
		  tileset_set(&c->tileset[0], app->ui.theme, ramp, pitch, dim, &now, all) &&
		  tileset_set(&c->tileset[1], app->ui.theme, ramp, few, dim, &now, all);
	*all = *all || c->used != before;
}

static void changed(struct app *app)
{
	heap_restyle(app->views[VIEW_HEAP], app);
	app_dirty(app, PANEL_MODAL);
}

void heap_colours_turn(struct app *app, struct heap_prefs *p, enum colour_part part, int dir)
{
	const int first = first_of(part), count = PALETTE_RAMPS + PALETTE_HUES - first + 1;
	int at = p->colours.part[part] > 0 ? p->colours.part[part] - first : 0;
	at = dir == 0 ? 0 : (at + count + dir) % count;
	p->colours.part[part] = (uint8_t)(at > 0 ? at + first : 0);
	changed(app);
}

void heap_colours_reset(struct app *app, struct heap_prefs *p)
{
	memset(p->colours.part, 0, sizeof p->colours.part);
	memset(p->colours.names, 0, sizeof p->colours.names);
	changed(app);
}

static bool set_name(
    struct app *app, struct heap_prefs *p, const struct gcs_stream *st, uint32_t value, uint8_t hue)
{
	const int at = find_stream(&p->colours, st->name, true);
	if (at < 0) {
		app_toast(
		    app, "Custom colours are limited to %d streams per space", COLOUR_STREAMS);
		return false;
	}
	p->colours.names[at].name[value] = hue;
	changed(app);
	return true;
}

bool heap_colours_turn_name(
    struct app *app, uint32_t space, uint32_t stream, uint32_t value, int dir)
{
	struct heap_prefs *p = prefs_of(app, space);
	const struct gcs_stream *st = stream_of(app, space, stream);
	if (p == NULL || st == NULL || st->presentation != GCS_ENUM) {
		app_toast(app,
		    "Only categories have their own colours; space_colours stream=COLOUR "
		    "colours the whole stream");
		return false;
	}
	if (value >= st->enum_count || value >= TILE_NAMES) {
		app_toast(
		    app, "Only the first %u categories can have their own colours", TILE_NAMES);
		return false;
	}
	if (st->paint == GCS_PAINT_ZERO && st->min + (int64_t)value == st->zero) {
		app_toast(app, "%.200s is always drawn as an empty frame", st->enum_names[value]);
		return false;
	}
	const int at = find_stream(&p->colours, st->name, false);
	const int before = at >= 0 ? p->colours.names[at].name[value] : 0;
	const int hue = dir == 0 ? 0 : (before + 1) % (PALETTE_HUES + 1);
	if (!set_name(app, p, st, value, (uint8_t)hue))
		return false;
	app_toast(app, "%.200s: %s", st->enum_names[value],
	    hue > 0 ? palette_name(PALETTE_RAMPS + hue - 1) : "default colour");
	return true;
}

/* The number of a colour, -1 for the default; false with a toast for another word. */
static bool find_colour(struct app *app, const char *word, bool ramps, int *found)
{
	char names[260] = "default";
	*found = palette_find_any(word);
	if (strcmp(word, "default") == 0 || *found >= (ramps ? 0 : PALETTE_RAMPS))
		return true;
	for (int i = ramps ? 0 : PALETTE_RAMPS; i < PALETTE_RAMPS + PALETTE_HUES; i++) {
		const size_t used = strlen(names);
		snprintf(names + used, sizeof names - used, ", %s", palette_name(i));
	}
	app_toast(app, "unknown colour %.40s; available: %s", word, names);
	return false;
}

bool heap_colours_command(struct heap *heap, struct app *app, const char *argument)
{
	struct heap_prefs *p = prefs_of(app, app->active_space);
	char key[200];
	(void)heap;
	if (p == NULL || app->active_space >= app->space_count) {
		app_toast(app, "No active space");
		return false;
	}
	if (argument == NULL) {
		app_open_modal(app, MODAL_COLOURS);
		return true;
	}
	if (strcmp(argument, "defaults") == 0) {
		heap_colours_reset(app, p);
		return true;
	}
	const char *word = strrchr(argument, '=');
	if (word == NULL || (size_t)(word - argument) >= sizeof key) {
		app_toast(app, "space_colours: expected KEY=COLOUR with stream, selection, marker, "
			       "active_marker, separator, link or a category; or defaults");
		return false;
	}
	snprintf(key, sizeof key, "%.*s", (int)(word - argument), argument);
	word++;
	int found;
	for (int i = 0; i < COLOUR_PARTS; i++) {
		if (strcmp(key, parts[i].key) != 0)
			continue;
		if (!find_colour(app, word, i == COLOUR_STREAM, &found))
			return false;
		p->colours.part[i] = (uint8_t)(found + 1);
		changed(app);
		return true;
	}
	const struct gcs_stream *st =
	    stream_of(app, app->active_space, app->stream_of[app->active_space]);
	for (uint32_t i = 0; st != NULL && i < st->enum_count && i < TILE_NAMES; i++)
		if (strcasecmp(key, st->enum_names[i]) == 0)
			return find_colour(app, word, false, &found) &&
			       set_name(app, p, st, i,
				   (uint8_t)(found < 0 ? 0 : found - PALETTE_RAMPS + 1));
	app_toast(app,
	    "%.100s: expected stream, selection, marker, active_marker, separator, link or a "
	    "category of the shown stream",
	    key);
	return false;
}

void heap_colours_text(const struct heap_prefs *p, struct textbuf *out)
{
	for (int i = 0; i < COLOUR_PARTS; i++)
		if (p->colours.part[i] > 0)
			textbuf_printf(out, "colour\t%s\t%s\n", parts[i].title,
			    heap_colours_word(&p->colours, (enum colour_part)i));
	for (int i = 0; i < COLOUR_STREAMS; i++)
		for (uint32_t k = 0; k < TILE_NAMES; k++)
			if (p->colours.names[i].name[k] > 0)
				textbuf_printf(out, "colour\t%s, category %u\t%s\n",
				    p->colours.names[i].stream, k + 1,
				    palette_name(PALETTE_RAMPS + p->colours.names[i].name[k] - 1));
}
