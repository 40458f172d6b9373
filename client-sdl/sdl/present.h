/*
 * Presents the canvas in the window, by one of two implementations: `surface` copies changed rectangles
 * into the window's surface (X11, dummy, offscreen; without SDL's accelerated path, which costs 20
 * ms and more per frame without a GPU), `texture` uses a streaming texture (Wayland, which has no
 * window surface, or by the user's choice).
 */
#ifndef GCSPY_CLIENT_PRESENT_H
#define GCSPY_CLIENT_PRESENT_H

#include "canvas.h"

struct SDL_Window;

struct present_ops {
	const char *name;
	/* Before the window is created; may be NULL. */
	void (*prepare)(void);
	/* NULL if it does not work for the window. */
	void *(*open)(struct SDL_Window *window);
	/* Presents the damaged rectangles, or everything. */
	bool (*push)(void *self, const struct cv *cv, bool all);
	void (*close)(void *self);
};

extern const struct present_ops present_surface;
extern const struct present_ops present_texture;

#endif
