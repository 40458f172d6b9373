/*
 * User settings of each space of the heap map, keyed by name so that they outlive snapshots and
 * models: pinned or hidden, columns, order, split tiles, expression, marked tiles - and what is
 * computed from them for the current snapshot. All but marks are saved (heap_state.c).
 */
#ifndef GCSPY_CLIENT_HEAP_PREFS_H
#define GCSPY_CLIENT_HEAP_PREFS_H

#include "app.h"
#include "expr.h"
#include "heap_colours.h"
#include "tilediff.h"
#include "tileage.h"
#include "tilemap.h"

#define HEAP_PREFS   2048u /* maximum spaces with settings */
#define HEAP_COLUMNS 4096u /* maximum tiles per row */

/* Whether a space is one line only; by default if it is not the heap's own. */
enum heap_fold { FOLD_DEFAULT, FOLD_OPEN, FOLD_CLOSED };

struct heap_prefs {
	char name[GCS_MAX_NAME + 1];
	bool pinned, hidden;
	enum heap_fold fold;
	uint32_t lost;    /* of a hidden space: its selected tile plus 1; 0: none */
	uint32_t left;    /* sequence number of hiding */
	uint32_t columns; /* 0: as many as fit */
	int pitch;        /* of tiles that keep their size, at scale 1; 0: as large as fits */
	enum tileorder_kind order_kind;
	uint32_t parts; /* streams beside the first, by name */
	char part[TILE_PARTS - 1][GCS_MAX_NAME + 1];
	char text[EXPR_TEXT]; /* of the expression, "" for none */
	bool by_text;         /* it colours the tiles until a stream is chosen */
	uint32_t over_stream; /* the stream that it replaces */
	struct tilemarks marks;
	struct heap_colours colours;
	struct tileset fixed[2]; /* of tiles that keep their size; for differences */
	bool met;                /* the saved settings have been restored */
	uint64_t saved;          /* hash of the last saved commands */
	/* For the current snapshot. */
	uint32_t of_stream; /* and this stream */
	struct expr expr;
	bool valid;    /* the text compiles in this space, */
	char why[320]; /* or why it does not */
	double *real;
	uint32_t real_room;
	struct tilereal range; /* of the expression's values */
	uint32_t with_value;   /* used tiles with a value */
	struct tileorder order;
	struct tileage age;
	struct tilemarks equal; /* tiles with the selected one's value */
	struct tilestyle style;
	struct tilediff difference; /* from the snapshot A, if */
	bool compared;              /* A has such a space, with this index */
	uint32_t space_at_a, stream_at_a;
};

struct heap;

/* The settings of a space of the snapshot; NULL without memory. */
struct heap_prefs *heap_prefs_of(struct heap *heap, const struct app *app, uint32_t space);
void heap_prefs_fini(struct heap *heap);

/* True if an expression colours the space. */
bool heap_by_text(const struct heap_prefs *prefs, const struct app *app, uint32_t space);

/* True if the space is in the map: not closed, not hidden, and in an open group or pinned. */
bool heap_shows(struct heap *heap, const struct app *app, uint32_t space);

#endif
