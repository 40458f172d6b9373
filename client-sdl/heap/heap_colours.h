/*
 * User-chosen colours of a space (V2): its ramp, selection and marks, borders and links, and the
 * categories of a stream. Keyed by the space's name for the life of the window; set by the dialog
 * of 2002, a command, or the bars of the histogram.
 */
#ifndef GCSPY_CLIENT_HEAP_COLOURS_H
#define GCSPY_CLIENT_HEAP_COLOURS_H

#include "app.h"
#include "tilemap.h"

enum colour_part {
	COLOUR_STREAM, /* a ramp, or a hue as one */
	COLOUR_SELECTION,
	COLOUR_MARKER,
	COLOUR_ACTIVE, /* marks while they are made */
	COLOUR_SEPARATOR,
	COLOUR_LINK,
	COLOUR_PARTS
};

#define COLOUR_STREAMS 8 /* maximum streams of a space with custom colours */

/* All zero: defaults. */
struct heap_colours {
	uint8_t part[COLOUR_PARTS]; /* number of the colour, plus 1; 0: default */
	struct {
		char stream[GCS_MAX_NAME + 1]; /* "": free */
		uint8_t name[TILE_NAMES];      /* hue plus 1 */
	} names[COLOUR_STREAMS];
	bool used;                 /* any of them, and these are up to date */
	struct tileset tileset[2]; /* with many tiles, with few */
};

struct heap;
struct heap_item;
struct heap_prefs;

void heap_colours_fini(struct heap_colours *colours);

/* Updates a space's tile sets; sets *all if everything must be repainted. */
void heap_colours_refresh(
    const struct app *app, struct heap_item *item, int pitch, int few, bool *all);

/* "KEY=VALUE", "defaults", or NULL for the dialog; false with a toast. */
bool heap_colours_command(struct heap *heap, struct app *app, const char *argument);

/* The ramp of a space; the colour of a name of one of its enumerations. */
int heap_colours_ramp(const struct app *app, uint32_t space);
uint32_t heap_colours_name(const struct app *app, uint32_t space, uint32_t stream, uint32_t value);

/* The colours of all categories of a stream, 0: default. */
void heap_colours_names(
    const struct app *app, uint32_t space, uint32_t stream, uint32_t name[TILE_NAMES]);

/* Sets the next colour of a category (dir 1), or the default (0). */
bool heap_colours_turn_name(
    struct app *app, uint32_t space, uint32_t stream, uint32_t value, int dir);

/* The name of a part's colour; the colour itself (of a ramp its upper end). */
const char *heap_colours_word(const struct heap_colours *colours, enum colour_part part);
uint32_t heap_colours_of(
    const struct app *app, const struct heap_colours *colours, enum colour_part part);
/* Sets the next (dir 1) or previous (dir -1) colour, or the default (0). */
void heap_colours_turn(struct app *app, struct heap_prefs *p, enum colour_part part, int dir);
void heap_colours_reset(struct app *app, struct heap_prefs *p);
const char *heap_colours_title(enum colour_part part);

/* The custom colours, one per line. */
void heap_colours_text(const struct heap_prefs *p, struct textbuf *out);

#endif
