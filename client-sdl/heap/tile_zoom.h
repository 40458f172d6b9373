/*
 * Looking closer (F16): zooms into tiles, which the server shows as spaces of their own. They
 * stack; each is known by the tile that it was asked for, so that the way back is known. Not the
 * size of tiles in the window, which view_heap.c calls zoom.
 */
#ifndef GCSPY_CLIENT_TILE_ZOOM_H
#define GCSPY_CLIENT_TILE_ZOOM_H

#include <gcspy/model.h>

struct app;

/* What a tile is known by; space GCS_NONE: none. */
struct tile_ref {
	uint32_t space, tile;
};

struct tile_zoom_space {
	uint32_t space;
	struct tile_ref from;
	bool seen; /* it was in a picture */
	char name[GCS_MAX_NAME + 1];
};

struct tile_zoom {
	struct tile_zoom_space stack[GCS_MAX_ZOOMS_EACH];
	uint32_t count;
	bool asked; /* the question below waits for its answer */
	uint32_t question;
	struct tile_ref from;
	uint64_t connection; /* whose zooms these are */
	/* Given up, but perhaps still in the picture: not to be shown any more. */
	struct tile_zoom_space released[GCS_MAX_ZOOMS_EACH];
	uint32_t released_next;
};

/* The commands. False when it could not be done; a toast says why. */
bool tile_zoom_in(struct app *app);
bool tile_zoom_out(struct app *app);

/* Takes the answer, if it has come; and forgets the zooms of another connection. */
void tile_zoom_poll(struct app *app);

/* There is a new picture: turns to a zoom that is in it for the first time. */
void tile_zoom_shown(struct app *app);

/* True while a zoom was asked for and is not in the picture yet. */
bool tile_zoom_waits(const struct app *app);

/* True if the space was given up. */
bool tile_zoom_hides(const struct app *app, uint32_t space);

/* The way to a zoom of ours, "G1 regions > 17 > 3"; "" for other spaces. */
void tile_zoom_path(const struct app *app, uint32_t space, char *out, size_t size);

#endif
