/*
 * The call sites of the tile under the pointer, else of the selected one (S8): the source is asked when
 * the tile has stayed the same for a moment, and the largest sites stand in the side panel. Those of
 * the selected tile are marked in the views of call sites. The window's thread only; it never waits
 * for an answer.
 */
#ifndef GCSPY_CLIENT_HEAP_TILE_H
#define GCSPY_CLIENT_HEAP_TILE_H

#include "app.h"

#define HEAP_TILE_PAUSE_MS   60   /* that the tile has stayed the same */
#define HEAP_TILE_ASKING_MS  200  /* before it is said that an answer is awaited */
#define HEAP_TILE_REFRESH_MS 3000 /* while there are new pictures */
#define HEAP_TILE_SITES      5
#define HEAP_TILE_KEPT       32         /* answers, for tiles that the pointer comes back to */
#define HEAP_TILE_MOST_BYTES (4u << 20) /* of an answer */

/* An answer. */
struct heap_told {
	struct tile_ref of; /* space GCS_NONE: there is none */
	uint64_t events;    /* that had come when it was asked for */
	uint32_t count;     /* of all its sites */
	uint32_t rows;
	struct {
		char name[160], share[32];
	} row[HEAP_TILE_SITES];
};

struct heap_tile {
	struct tile_ref of; /* the tile that is looked at; space GCS_NONE: none */
	uint64_t since_ms;
	bool asked; /* about it, by this connection */
	uint64_t asked_ms, asked_events;
	/* The question that is not answered yet, and what it is about. */
	bool waiting;
	uint32_t id;
	uint64_t connection;
	struct tile_ref asked_of;
	bool asked_selected;
	bool late;                             /* it was said that it is awaited */
	struct heap_told told;                 /* what is shown */
	struct heap_told kept[HEAP_TILE_KEPT]; /* a ring, of this connection */
	uint32_t next;
};

void heap_tile_init(struct heap_tile *tile);

/* As in struct view; `quiet`: something else is asked for. */
void heap_tile_tick(struct heap_tile *tile, struct app *app, bool quiet);
void heap_tile_poll(struct heap_tile *tile, struct app *app);
uint64_t heap_tile_due_ms(const struct heap_tile *tile, const struct app *app, bool quiet);

/* What is told of it in the side panel, and the same as text. */
void heap_tile_side(const struct heap_tile *tile, struct app *app, struct cv_rect *column);
void heap_tile_text(const struct heap_tile *tile, const struct app *app, struct textbuf *out);

#endif
