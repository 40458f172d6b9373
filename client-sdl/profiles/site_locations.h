/*
 * Heap locations of the live objects of a row or frame in a view of call sites: the one under the
 * pointer or the selected one, whichever changed last (B16, S8). The source is queried once it has
 * been the same for a short time; answers are cached, so that moving over rows causes few queries.
 * A small map in the side panel shows the tiles. Window thread only; never waits for an answer.
 */
#ifndef GCSPY_CLIENT_SITE_LOCATIONS_H
#define GCSPY_CLIENT_SITE_LOCATIONS_H

#include <gcspy/client.h>
#include <gcspy/snapshot.h>

#include "damage.h"
#include "export_text.h"
#include "site_tiles.h"

#define SITE_LOCATIONS_DWELL_MS  60         /* before a query */
#define SITE_LOCATIONS_ASKING_MS 200        /* before "Loading" appears */
#define SITE_LOCATIONS_AGAIN_MS  3000       /* between two queries about the same site */
#define SITE_LOCATIONS_SITES     8          /* largest sites of one row or frame */
#define SITE_LOCATIONS_KEPT      64         /* answers … */
#define SITE_LOCATIONS_BYTES     (4u << 20) /* … limited to this many bytes together */
#define SITE_LOCATIONS_MOST      (1u << 20) /* maximum maximum of one answer */
#define SITE_LOCATIONS_SPEED     (1u << 20) /* maximum bytes per second */
#define SITE_LOCATIONS_SPACES    16         /* of the map */

struct app;
struct shared_profile;

/* The row or frame in focus. */
struct site_locations_look {
	uint64_t key;  /* of a row or a frame, defined by its view; 0: none */
	bool selected; /* else it is under the pointer */
};

/* An answer. */
struct site_locations_answer {
	uint64_t number; /* of the site */
	uint64_t events, ms, used;
	struct gcs_site_tiles *tiles; /* NULL: none, and words say why */
	size_t bytes;
	char message[160];
};

struct site_locations_space {
	uint32_t space;
	uint32_t tiles, hit; /* tiles, and tiles with objects of the sites */
	double bytes;
	int64_t *values; /* by tile */
};

/* The cell of the map under the pointer: its sites are marked in the views. */
struct site_locations_cell {
	uint64_t low, high;           /* addresses; equal: none */
	uint64_t seen_low, seen_high; /* as last seen */
	uint64_t since_ms;
	bool marked;                   /* answered, or will not be */
	bool waiting;                  /* for it */
	uint64_t asked_low;            /* start of the queried range */
	struct shared_profile *before; /* of the heap map's selected tile, restored afterwards */
	bool replaced;                 /* `before` is valid */
};

struct site_locations {
	struct site_locations_cell cell;
	/* Hovered and selected key, as last seen; by_choice: the selected one counts. */
	uint64_t hovered, chosen;
	bool by_choice;
	int view;
	/* The key in focus, since when, and its sites once the delay is over. */
	struct site_locations_look look;
	uint32_t version; /* of the profiles */
	uint64_t since_ms;
	bool ready;
	uint64_t number[SITE_LOCATIONS_SITES];
	uint32_t count, all; /* stored numbers; all its sites */
	char name[200];
	/* The pending query. */
	bool waiting;
	uint32_t id;
	uint64_t asked;      /* the site */
	uint64_t due_ms;     /* no other query before this time */
	uint64_t connection; /* also of all answers */
	struct site_locations_answer answer[SITE_LOCATIONS_KEPT];
	uint32_t answers;
	size_t bytes;
	uint64_t uses;
	uint32_t news; /* changes with every change of the map */
	/* The map, and its inputs. */
	struct site_locations_space space[SITE_LOCATIONS_SPACES];
	uint32_t spaces, left_out; /* with addresses */
	int64_t most;
	uint32_t answered; /* sites with an answer */
	uint32_t samples, placed;
	double live;
	char shown_name[200];
	uint32_t map_news;
	const struct gcs_snapshot *map_of; /* only compared, never dereferenced */
};

void site_locations_fini(struct site_locations *l);

/* As in struct view, while a view of call sites is shown. */
void site_locations_tick(struct app *app);
uint64_t site_locations_due_ms(const struct app *app);
void site_locations_poll(struct app *app);

/* True while a query about it is pending. */
bool site_locations_are_awaited(const struct app *app);

/* True if all answers about the key in focus are there. */
bool site_locations_settled(const struct app *app);

/* For site_locations_map.c: the answer about a site, or NULL; the number of sites without one. */
struct site_locations_answer *site_locations_find(struct site_locations *l, uint64_t number);
uint32_t site_locations_missing(const struct site_locations *l);

/* site_locations_map.c. Updates the map. */
void site_locations_map(struct app *app);

/* "37 tiles in 3 spaces, 12.4 MiB live", or why it failed. True if it is an answer. */
bool site_locations_summary(const struct app *app, char *text, size_t size);

/* site_locations_cell.c. Sets the addresses under the pointer; 0, 0: none. */
void site_locations_point(struct app *app, uint64_t low, uint64_t high);
void site_locations_cell_tick(struct app *app);
uint64_t site_locations_cell_due_ms(const struct app *app);
void site_locations_cell_take(struct app *app, const struct gcs_answer *answer);

/* In the side panel, and as text. */
void site_locations_side(struct app *app, struct cv_rect *column);
void site_locations_text(struct app *app, struct textbuf *out);

#endif
