/*
 * The heap map coloured by one or a few call sites (S8): the bytes of their live objects that start
 * in each tile. The source is queried while the map is shown; the newest answer replaces the
 * streams' values until the site is closed. Window thread only; never waits for an answer.
 */
#ifndef GCSPY_CLIENT_HEAP_SITE_H
#define GCSPY_CLIENT_HEAP_SITE_H

#include "site_tiles.h"

#include "app.h"
#include "tilecode.h"

#define HEAP_SITE_REFRESH_MS 3000 /* between an answer and the next query */

struct heap_site {
	bool on;
	uint64_t number[PROFILES_KEPT]; /* queried one after the other */
	uint32_t count;
	uint32_t at;    /* index of the next or pending query */
	char name[200]; /* for people */
	/* The pending query. */
	bool waiting;
	bool gone; /* the answer is no longer needed */
	uint32_t id;
	uint64_t connection;
	uint64_t due_ms;
	/* The newest answer. */
	struct gcs_site_tiles *tiles[PROFILES_KEPT]; /* by site; NULL: none */
	uint64_t answer_of; /* the connection of all answers; 0: none yet */
	char message[256];  /* why there are no tiles */
	/* The tiles' values per space of this snapshot; rebuilt for another one. */
	int64_t **values;
	uint32_t space_count;
	int64_t most;
	const struct gcs_snapshot *shown; /* only compared, never dereferenced */
	bool stale;                       /* the maps must be repainted */
};

/* The sum of the answers; `count` adds up, and `tiles` is not set. False without answers. */
bool heap_site_sum(const struct heap_site *site, struct gcs_site_tiles *sum);

/* Sets the sites, at most PROFILES_KEPT, or none; the maps are repainted. */
void heap_site_set(
    struct heap_site *site, const uint64_t *numbers, uint32_t count, const char *name);
void heap_site_leave(struct heap_site *site); /* frees everything */

/* As in struct view. */
void heap_site_tick(struct heap_site *site, struct app *app);
void heap_site_poll(struct heap_site *site, struct app *app);
uint64_t heap_site_due_ms(const struct heap_site *site, const struct app *app);
bool heap_site_settled(const struct heap_site *site, const struct app *app);

/* Updates the values to snapshot and answer; true if everything must be repainted. */
bool heap_site_refresh(struct heap_site *site, struct app *app);

/* The values that replace a stream's; NULL, and false, if the streams are shown. */
bool heap_site_share(const struct heap_site *site, uint32_t space, struct tileshare *share);

/* "of byte[] from HashMap.resize: 12 MiB" for the space's title. */
void heap_site_title(
    const struct heap_site *site, const struct app *app, uint32_t space, char *text, size_t size);

/* The site's section of the side panel, also as text. */
void heap_site_side(const struct heap_site *site, struct app *app, struct cv_rect *column);
void heap_site_text(const struct heap_site *site, const struct app *app, struct textbuf *out);

#endif
