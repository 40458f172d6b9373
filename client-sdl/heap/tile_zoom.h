/*
 * Zooms into tiles (F16), which the server shows as spaces of their own. They stack; each remembers
 * the tile that it was requested for, to return to it. Unrelated to the tile size, which
 * view_heap.c calls zoom.
 */
#ifndef GCSPY_CLIENT_TILE_ZOOM_H
#define GCSPY_CLIENT_TILE_ZOOM_H

#include <gcspy/model.h>

struct app;

/* Identifies a tile; space GCS_NONE: none. */
struct tile_ref {
	uint32_t space, tile;
};

struct tile_zoom_space {
	uint32_t space;
	struct tile_ref from;
	bool seen; /* it was in a snapshot */
	char name[GCS_MAX_NAME + 1];
};

struct tile_zoom {
	struct tile_zoom_space stack[GCS_MAX_ZOOMS_EACH];
	uint32_t count;
	bool asked; /* the query below is pending */
	uint32_t question;
	struct tile_ref from;
	uint64_t connection; /* whose zooms these are */
	/* Closed, but perhaps still in the snapshot: no longer shown. */
	struct tile_zoom_space released[GCS_MAX_ZOOMS_EACH];
	uint32_t released_next;
};

/* The commands. False on failure, with a toast. */
bool tile_zoom_in(struct app *app);
bool tile_zoom_out(struct app *app);

/* Takes the answer if there is one, and drops the zooms of another connection. */
void tile_zoom_poll(struct app *app);

/* Call for each new snapshot: activates a zoom that it contains for the first time. */
void tile_zoom_shown(struct app *app);

/* True while a requested zoom is not in the snapshot yet. */
bool tile_zoom_waits(const struct app *app);

/* True if the space was closed. */
bool tile_zoom_hides(const struct app *app, uint32_t space);

/* The path to one of our zooms, "G1 regions > 17 > 3"; "" for other spaces. */
void tile_zoom_path(const struct app *app, uint32_t space, char *out, size_t size);

#endif
