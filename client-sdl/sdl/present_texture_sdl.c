#include <SDL.h>
#include <stdlib.h>

#include "present.h"

struct texture {
	SDL_Renderer *renderer;
	SDL_Texture *texture;
	int w, h;
};

static void texture_close(void *opaque)
{
	struct texture *self = opaque;
	if (self->texture != NULL)
		SDL_DestroyTexture(self->texture);
	if (self->renderer != NULL)
		SDL_DestroyRenderer(self->renderer);
	free(self);
}

static void *texture_open(SDL_Window *window)
{
	struct texture *self = calloc(1, sizeof *self);
	if (self == NULL)
		return NULL;
	self->renderer =
	    SDL_CreateRenderer(window, -1, SDL_RENDERER_ACCELERATED | SDL_RENDERER_PRESENTVSYNC);
	if (self->renderer == NULL)
		self->renderer = SDL_CreateRenderer(window, -1, 0);
	if (self->renderer == NULL) {
		texture_close(self);
		return NULL;
	}
	return self;
}

/* The texture has the size of the canvas; a new one must be filled completely. */
static bool fit_texture(struct texture *self, const struct cv *cv, bool *all)
{
	if (self->texture != NULL && self->w == cv->w && self->h == cv->h)
		return true;
	if (self->texture != NULL)
		SDL_DestroyTexture(self->texture);
	self->texture = SDL_CreateTexture(
	    self->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, cv->w, cv->h);
	self->w = cv->w;
	self->h = cv->h;
	*all = true;
	return self->texture != NULL;
}

static bool texture_push(void *opaque, const struct cv *cv, bool all)
{
	struct texture *self = opaque;
	if (!fit_texture(self, cv, &all))
		return false;
	int count = all ? 1 : cv->damage.count;
	for (int i = 0; i < count; i++) {
		struct cv_rect r = all ? rect_make(0, 0, cv->w, cv->h) : cv->damage.rect[i];
		SDL_Rect to = {r.x, r.y, r.w, r.h};
		const uint32_t *from = cv->px + (size_t)r.y * (size_t)cv->w + (size_t)r.x;
		if (SDL_UpdateTexture(self->texture, &to, from, cv->w * 4) != 0)
			return false;
	}
	if (SDL_RenderCopy(self->renderer, self->texture, NULL, NULL) != 0)
		return false;
	SDL_RenderPresent(self->renderer);
	return true;
}

const struct present_ops present_texture = {
    .name = "texture",
    .open = texture_open,
    .push = texture_push,
    .close = texture_close,
};
