/*
 * From the canvas to the window. Two ways behind one table: `surface` copies changed rectangles
 * into the window's own surface (X11, dummy, offscreen; without the accelerated detour that SDL
 * would take, which costs 20 ms and more per frame where there is no GPU), `texture` into one
 * streaming texture (Wayland, which has no window surface, and whatever the user prefers).
 */
#ifndef GCSPY_CLIENT_PRESENT_H
#define GCSPY_CLIENT_PRESENT_H

#include "canvas.h"

struct SDL_Window;

struct present_ops {
	const char *name;
	/* To be called before the window is created. */
	void (*prepare)(void);
	/* NULL if this way does not work for the window. */
	void *(*open)(struct SDL_Window *window);
	/* Shows the damaged rectangles, or everything. */
	bool (*push)(void *self, const struct cv *cv, bool all);
	void (*close)(void *self);
};

extern const struct present_ops present_surface;
extern const struct present_ops present_texture;

#endif
