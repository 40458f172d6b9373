/*
 * The call sites of the tile under the pointer, else of the selected one (S8): the source is
 * queried once the tile has been the same for a short time, and the side panel lists the largest
 * sites. Those of the selected tile are marked in the views of call sites. Window thread only;
 * never waits for an answer.
 */
#ifndef GCSPY_CLIENT_HEAP_TILE_H
#define GCSPY_CLIENT_HEAP_TILE_H

#include "app.h"

#define HEAP_TILE_PAUSE_MS   60   /* before a query */
#define HEAP_TILE_ASKING_MS  200  /* before "Loading" appears */
#define HEAP_TILE_REFRESH_MS 3000 /* while there are new snapshots */
#define HEAP_TILE_SITES      5
#define HEAP_TILE_KEPT       32         /* cached answers */
#define HEAP_TILE_MOST_BYTES (4u << 20) /* of an answer */

/* An answer. */
struct heap_tile_sites {
	struct tile_ref of; /* space GCS_NONE: none */
	uint64_t event;     /* shown when it was queried, see heap_tile.c */
	char why[160];      /* why the sites are not known, "" if they are */
	uint32_t count;     /* of all its sites */
	uint32_t rows;
	struct {
		char name[160], share[32];
		char own[200]; /* the first frame outside the JDK and libraries, or "" */
	} row[HEAP_TILE_SITES];
};

struct heap_tile {
	struct tile_ref of; /* the tile in focus; space GCS_NONE: none */
	uint64_t since_ms;
	bool asked; /* it has been queried, on this connection */
	uint64_t asked_ms, asked_event;
	/* The pending query, and its tile. */
	bool waiting;
	uint32_t id;
	uint64_t connection;
	struct tile_ref asked_of;
	char asked_where[PROFILES_WHERE];
	bool asked_selected;
	bool late;                                   /* "Loading" is shown */
	struct heap_tile_sites answer;               /* the newest or a cached one */
	struct heap_tile_sites kept[HEAP_TILE_KEPT]; /* a ring, of this connection */
	uint32_t next;
};

void heap_tile_init(struct heap_tile *tile);

/* As in struct view; `quiet`: another query is pending. */
void heap_tile_tick(struct heap_tile *tile, struct app *app, bool quiet);
void heap_tile_poll(struct heap_tile *tile, struct app *app);
uint64_t heap_tile_due_ms(const struct heap_tile *tile, const struct app *app, bool quiet);

/* Its section of the side panel, also as text. */
void heap_tile_side(const struct heap_tile *tile, struct app *app, struct cv_rect *column);
void heap_tile_text(const struct heap_tile *tile, const struct app *app, struct textbuf *out);

#endif
