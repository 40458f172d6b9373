/*
 * Where the live objects lie of what one looks at in a view of call sites: the row or frame under
 * the pointer, else the selected one, whichever was the last to change (B16, S8). The source is
 * asked when it has stayed the same for a moment; answers are kept, so that moving over the rows
 * asks little. A small map in the side panel shows the tiles. The window's thread only; nothing
 * waits for an answer.
 */
#ifndef GCSPY_CLIENT_SITE_LOCATIONS_H
#define GCSPY_CLIENT_SITE_LOCATIONS_H

#include <gcspy/client.h>
#include <gcspy/snapshot.h>

#include "damage.h"
#include "export_text.h"
#include "tiles.h"

#define SITE_LOCATIONS_DWELL_MS  60         /* that one has looked at the same */
#define SITE_LOCATIONS_ASKING_MS 200        /* before it is said that an answer is awaited */
#define SITE_LOCATIONS_AGAIN_MS  3000       /* between two questions about the same site */
#define SITE_LOCATIONS_SITES     8          /* of one row or frame; the largest ones */
#define SITE_LOCATIONS_KEPT      64         /* answers … */
#define SITE_LOCATIONS_BYTES     (4u << 20) /* … which take no more than this together */
#define SITE_LOCATIONS_MOST      (1u << 20) /* of one answer */
#define SITE_LOCATIONS_SPEED     (1u << 20) /* bytes a second that are asked for */
#define SITE_LOCATIONS_SPACES    16         /* of the map */

struct app;
struct shared_profile;

/* What one looks at. */
struct site_locations_look {
	uint64_t key;  /* of a row or a frame, by its view; 0: nothing */
	bool selected; /* else it is under the pointer */
};

/* An answer. */
struct site_locations_answer {
	uint64_t number; /* of the site */
	uint64_t events, ms, used;
	struct gcs_tiles *tiles; /* NULL: there is none, and words say why */
	size_t bytes;
	char words[160];
};

struct site_locations_space {
	uint32_t space;
	uint32_t tiles, hit; /* tiles, and those with objects of the sites */
	double bytes;
	int64_t *values; /* by tile */
};

/* The cell of the map under the pointer: its sites are marked in the views. */
struct site_locations_cell {
	uint64_t low, high;           /* addresses; equal: none */
	uint64_t seen_low, seen_high; /* the same as it was seen last */
	uint64_t since_ms;
	bool marked;        /* its answer has come, or will not */
	bool waiting;       /* for it */
	uint64_t asked_low; /* what the question is about */
	struct shared_profile
	    *before;   /* of the heap map's selected tile, marked again afterwards */
	bool replaced; /* `before` counts */
};

struct site_locations {
	struct site_locations_cell cell;
	/* Whose turn it is: both as they were seen last. */
	uint64_t hovered, chosen;
	bool by_choice;
	int view;
	/* What is looked at since when, and its sites once the moment is over. */
	struct site_locations_look look;
	uint32_t version; /* of the profiles */
	uint64_t since_ms;
	bool ready;
	uint64_t number[SITE_LOCATIONS_SITES];
	uint32_t count, all; /* of the numbers; of all its sites */
	char name[200];
	/* The question that is not answered yet. */
	bool waiting;
	uint32_t id;
	uint64_t asked;      /* the site */
	uint64_t due_ms;     /* no other one before */
	uint64_t connection; /* also of all answers */
	struct site_locations_answer answer[SITE_LOCATIONS_KEPT];
	uint32_t answers;
	size_t bytes;
	uint64_t uses;
	uint32_t news; /* counts what changes the map */
	/* The map, and what it was made of. */
	struct site_locations_space space[SITE_LOCATIONS_SPACES];
	uint32_t spaces, left_out; /* with addresses */
	int64_t most;
	uint32_t told; /* sites with an answer */
	uint32_t samples, placed;
	double live;
	char told_name[200];
	uint32_t map_news;
	const struct gcs_snapshot *map_of; /* only compared, never followed */
};

void site_locations_fini(struct site_locations *l);

/* As in struct view, while a view of call sites is shown. */
void site_locations_tick(struct app *app);
uint64_t site_locations_due_ms(const struct app *app);
void site_locations_poll(struct app *app);

/* True while a question about it is unanswered. */
bool site_locations_are_awaited(const struct app *app);

/* True when all is told that can be told of what is looked at. */
bool site_locations_settled(const struct app *app);

/* For site_locations_map.c: the answer about a site, or NULL; how many of the sites have none
 * yet. */
struct site_locations_answer *site_locations_find(struct site_locations *l, uint64_t number);
uint32_t site_locations_missing(const struct site_locations *l);

/* site_locations_map.c. Brings the map up to date. */
void site_locations_map(struct app *app);

/* "37 tiles of 3 spaces, 12.4 MiB", or why there is nothing. True if it is an answer. */
bool site_locations_words(const struct app *app, char *text, size_t size);

/* site_locations_cell.c. The pointer is over these addresses; 0, 0: over none. */
void site_locations_point(struct app *app, uint64_t low, uint64_t high);
void site_locations_cell_tick(struct app *app);
uint64_t site_locations_cell_due_ms(const struct app *app);
void site_locations_cell_take(struct app *app, const struct gcs_answer *answer);

/* In the side panel, and as text. */
void site_locations_side(struct app *app, struct cv_rect *column);
void site_locations_text(struct app *app, struct textbuf *out);

#endif
