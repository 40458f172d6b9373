/*
 * Where the user was: view, active space, stream, selected tile, as a history to go back and
 * forward in (D29). Recorded with each painted frame; the window's thread only.
 */
#ifndef GCSPY_CLIENT_NAV_H
#define GCSPY_CLIENT_NAV_H

#include <stdbool.h>
#include <stdint.h>

#define NAV_PLACES 50
#define NAV_JOIN   1000 /* ms: tiles selected for less than this are not places */

struct app;

struct nav_place {
	int view;
	uint32_t space, stream, tile; /* tile: GCS_NONE without a selected one */
};

struct nav {
	struct nav_place place[NAV_PLACES];
	int count, at; /* at: the present place */
	uint64_t since_ms;
};

void nav_note(struct app *app);

/* One place back (-1) or forward (1); false with a toast when there is none. */
bool nav_go(struct app *app, int dir);

#endif
