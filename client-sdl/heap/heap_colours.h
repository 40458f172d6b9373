/*
 * Colours that a user gives to a space (V2): of its streams' ramp, of the selection and marks, of
 * borders and links, and of the values of an enumeration. Kept by the space's name as long as the
 * window lives; the dialog of 2002, a command, and the bars of the histogram set them.
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

#define COLOUR_STREAMS 8 /* enumerations of a space that can have colours of their own */

/* All zero: everything by default. */
struct heap_colours {
	uint8_t part[COLOUR_PARTS]; /* number of the colour, plus 1; 0: default */
	struct {
		char stream[GCS_MAX_NAME + 1]; /* "": free */
		uint8_t name[TILE_NAMES];      /* hue plus 1 */
	} names[COLOUR_STREAMS];
	/* The looks that come of it, and for what they were made. */
	struct tilelook look[2];
	const struct theme *theme;
	int ramp;
	bool used;
	struct tilecolours made;
};

struct heap;
struct heap_item;
struct heap_prefs;

void heap_colours_fini(struct heap_colours *colours);

/* Makes the looks of a space if they are others than before; true if all must be painted. */
bool heap_colours_refresh(
    struct heap *heap, const struct app *app, struct heap_item *item, int pitch, int few);

/* "KEY=VALUE", "defaults", or NULL for the dialog; false with a toast. */
bool heap_colours_command(struct heap *heap, struct app *app, const char *argument);

/* The ramp of a space; the colour of a name of one of its enumerations. */
int heap_colours_ramp(const struct app *app, uint32_t space);
uint32_t heap_colours_name(const struct app *app, uint32_t space, uint32_t stream, uint32_t value);

/* The colours of all names of a stream as a look has them, 0: by default. */
void heap_colours_names(
    const struct app *app, uint32_t space, uint32_t stream, uint32_t name[TILE_NAMES]);

/* The next colour for a name (dir 1), or its default again (0). */
bool heap_colours_turn_name(
    struct app *app, uint32_t space, uint32_t stream, uint32_t value, int dir);

/* The number of a part's colour in words; the colour itself (of a ramp its upper part). */
const char *heap_colours_word(const struct heap_colours *colours, enum colour_part part);
uint32_t heap_colours_of(
    const struct app *app, const struct heap_colours *colours, enum colour_part part);
/* The colour after (dir 1) or before (dir -1) the present one, or the default (0). */
void heap_colours_turn(struct app *app, struct heap_prefs *p, enum colour_part part, int dir);
void heap_colours_reset(struct app *app, struct heap_prefs *p);
const char *heap_colours_title(enum colour_part part);

/* What is not by default, a line each. */
void heap_colours_text(const struct heap_prefs *p, struct textbuf *out);

#endif
