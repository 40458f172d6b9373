#include <SDL.h>

#include "present.h"

static void surface_prepare(void)
{
	SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
}

static void *surface_open(SDL_Window *window)
{
	return SDL_GetWindowSurface(window) != NULL ? window : NULL;
}

static bool copy(SDL_Surface *to, const struct cv *cv, struct cv_rect r)
{
	const uint32_t *from = cv->px + (size_t)r.y * (size_t)cv->w + (size_t)r.x;
	Uint8 *at = (Uint8 *)to->pixels + (size_t)r.y * (size_t)to->pitch +
		    (size_t)r.x * to->format->BytesPerPixel;
	return SDL_ConvertPixels(r.w, r.h, SDL_PIXELFORMAT_ARGB8888, from, cv->w * 4,
		   to->format->format, at, to->pitch) == 0;
}

static bool surface_push(void *window, const struct cv *cv, bool all)
{
	SDL_Surface *to = SDL_GetWindowSurface(window); /* a new one after a resize */
	if (to == NULL || SDL_LockSurface(to) != 0)
		return false;
	struct cv_rect common =
	    rect_and(rect_make(0, 0, cv->w, cv->h), rect_make(0, 0, to->w, to->h));
	SDL_Rect changed[DAMAGE_RECTS];
	int n = 0;
	int count = all ? 1 : cv->damage.count;
	bool ok = true;
	for (int i = 0; i < count; i++) {
		struct cv_rect r = all ? common : rect_and(cv->damage.rect[i], common);
		if (rect_empty(r))
			continue;
		ok = copy(to, cv, r) && ok;
		changed[n++] = (SDL_Rect){r.x, r.y, r.w, r.h};
	}
	SDL_UnlockSurface(to);
	return n == 0 || (SDL_UpdateWindowSurfaceRects(window, changed, n) == 0 && ok);
}

static void surface_close(void *window)
{
	(void)window;
}

const struct present_ops present_surface = {
    .name = "surface",
    .prepare = surface_prepare,
    .open = surface_open,
    .push = surface_push,
    .close = surface_close,
};
