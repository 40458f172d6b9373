/*
 * The heap map coloured by one call site, or a few (S8): which part of their live objects begins in
 * each tile. The source is asked while the map is shown; the values of the newest answer take the
 * place of the streams' until the site is left. The window's thread only; it never waits for an
 * answer.
 */
#ifndef GCSPY_CLIENT_HEAP_SITE_H
#define GCSPY_CLIENT_HEAP_SITE_H

#include "tiles.h"

#include "app.h"
#include "tilecode.h"

#define HEAP_SITE_REFRESH_MS 3000 /* between an answer and the next question */

struct heap_site {
	bool on;
	uint64_t number[PROFILES_KEPT]; /* asked for one after the other */
	uint32_t count;
	uint32_t at;    /* the one that is asked for next, or is being asked for */
	char name[200]; /* for people */
	/* The question that is not answered yet. */
	bool waiting;
	bool gone; /* nobody waits for the answer any more */
	uint32_t id;
	uint64_t connection;
	uint64_t due_ms;
	/* The newest answer. */
	struct gcs_tiles *tiles[PROFILES_KEPT]; /* by site; NULL: none */
	uint64_t answer_of;                     /* the connection that gave all; 0: none yet */
	char words[256];                        /* why there are no tiles */
	/* The tiles' values, by space of this picture; of another one they are made anew. */
	int64_t **values;
	uint32_t space_count;
	int64_t most;
	const struct gcs_snapshot *shown; /* only compared, never followed */
	bool stale;                       /* the maps have to be painted anew */
};

/* The answers put together; `count` adds up, and `tiles` is not set. False: there are none. */
bool heap_site_sum(const struct heap_site *site, struct gcs_tiles *sum);

/* Other sites, at most PROFILES_KEPT, or none; the maps are painted anew. */
void heap_site_set(
    struct heap_site *site, const uint64_t *numbers, uint32_t count, const char *name);
void heap_site_leave(struct heap_site *site);
void heap_site_fini(struct heap_site *site);

/* As in struct view. */
void heap_site_tick(struct heap_site *site, struct app *app);
void heap_site_poll(struct heap_site *site, struct app *app);
uint64_t heap_site_due_ms(const struct heap_site *site, const struct app *app);
bool heap_site_settled(const struct heap_site *site, const struct app *app);

/* Brings the values up to date with picture and answer; true when all must be painted. */
bool heap_site_refresh(struct heap_site *site, struct app *app);

/* The values that take the place of a stream's; false when the streams are shown. */
bool heap_site_share(const struct heap_site *site, uint32_t space, struct tileshare *share);

/* "of byte[] from HashMap.resize: 12 MiB" for the space's title. */
void heap_site_title(
    const struct heap_site *site, const struct app *app, uint32_t space, char *text, size_t size);

/* What is told of the site in the side panel, and the same as text. */
void heap_site_side(const struct heap_site *site, struct app *app, struct cv_rect *column);
void heap_site_text(const struct heap_site *site, const struct app *app, struct textbuf *out);

#endif
