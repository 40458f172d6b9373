/*
 * What a user has chosen for each space of the heap map, by its name, so that it outlives snapshots
 * and descriptions: pinned or hidden, columns, order, split tiles, expression, marked tiles - and
 * what is computed from that for the present picture. All but marks is saved (heap_state.c).
 */
#ifndef GCSPY_CLIENT_HEAP_PREFS_H
#define GCSPY_CLIENT_HEAP_PREFS_H

#include "app.h"
#include "expr.h"
#include "heap_colours.h"
#include "tilediff.h"
#include "tileage.h"
#include "tilemap.h"

#define HEAP_PREFS   2048u /* spaces that are remembered */
#define HEAP_COLUMNS 4096u /* most tiles to a row that a user can ask for */

struct heap_prefs {
	char name[GCS_MAX_NAME + 1];
	bool pinned, hidden;
	uint32_t lost;    /* of a hidden space: the tile that was selected, plus 1; 0: none */
	uint32_t left;    /* which one in the order of hiding */
	uint32_t columns; /* 0: as many as fit */
	enum tileorder_kind order_kind;
	uint32_t parts; /* streams beside the first, by name */
	char part[TILE_PARTS - 1][GCS_MAX_NAME + 1];
	char text[EXPR_TEXT]; /* of the expression, "" for none */
	bool by_text;         /* it colours the tiles, until another stream is chosen */
	uint32_t over_stream; /* the stream in whose place it does */
	struct tilemarks marks;
	struct heap_colours colours;
	bool met;       /* what was saved of these has been restored */
	uint64_t saved; /* a hash of the commands that were saved last */
	/* For the present picture. */
	uint32_t of_stream; /* and this stream */
	struct expr expr;
	bool valid;    /* the text means something in this space, */
	char why[320]; /* or why it does not */
	double *real;
	uint32_t real_room;
	struct tilereal range; /* of the expression's values */
	uint32_t with_value;   /* used tiles that have one */
	struct tileorder order;
	struct tileage age;
	struct tilemarks equal; /* tiles with the selected one's value */
	struct tilestyle style;
	struct tilediff difference; /* to the picture that the map is compared with, if */
	bool compared;              /* it has such a space, with this number */
	uint32_t space_at_a, stream_at_a;
};

struct heap;

/* Those of a space that is in the picture; NULL without memory. */
struct heap_prefs *heap_prefs_of(struct heap *heap, const struct app *app, uint32_t space);
void heap_prefs_fini(struct heap *heap);

/* True if an expression colours the space. */
bool heap_by_text(const struct heap_prefs *prefs, const struct app *app, uint32_t space);

/* True if the space is in the map: not given up, not hidden, and in an open group or pinned. */
bool heap_shows(struct heap *heap, const struct app *app, uint32_t space);

#endif
