#include "font.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256u /* slots; a power of two */

struct font {
	const struct font_back_end *back_end;
	void *self;
	int height;
	struct font_glyph **slot; /* hash by code point, linear probing */
	size_t capacity, used;
	struct font_glyph blank; /* what is shown when there is no memory for a glyph */
};

struct font *font_create(const struct font_back_end *back_end, void *self, int height)
{
	struct font *font = calloc(1, sizeof *font);
	struct font_glyph **slot = calloc(FIRST_CAPACITY, sizeof *slot);
	if (font == NULL || slot == NULL) {
		free(font);
		free(slot);
		back_end->destroy(self);
		return NULL;
	}
	font->back_end = back_end;
	font->self = self;
	font->height = height;
	font->slot = slot;
	font->capacity = FIRST_CAPACITY;
	font->blank.advance = height / 2;
	return font;
}

void font_destroy(struct font *font)
{
	if (font == NULL)
		return;
	for (size_t i = 0; i < font->capacity; i++) {
		if (font->slot[i] != NULL)
			free(font->slot[i]->cover);
		free(font->slot[i]);
	}
	free(font->slot);
	font->back_end->destroy(font->self);
	free(font);
}

int font_height(const struct font *font)
{
	return font->height;
}

static struct font_glyph **find(struct font_glyph **slot, size_t capacity, uint32_t code)
{
	size_t i = (code * 2654435761u) & (capacity - 1);
	while (slot[i] != NULL && slot[i]->code != code)
		i = (i + 1) & (capacity - 1);
	return &slot[i];
}

static bool grow(struct font *font)
{
	size_t capacity = font->capacity * 2;
	struct font_glyph **slot = calloc(capacity, sizeof(*slot));
	if (slot == NULL)
		return false;
	for (size_t i = 0; i < font->capacity; i++) {
		if (font->slot[i] != NULL)
			*find(slot, capacity, font->slot[i]->code) = font->slot[i];
	}
	free(font->slot);
	font->slot = slot;
	font->capacity = capacity;
	return true;
}

const struct font_glyph *font_glyph(struct font *font, uint32_t code)
{
	struct font_glyph **at = find(font->slot, font->capacity, code);
	if (*at != NULL)
		return *at;
	if (font->used * 2 >= font->capacity) {
		if (!grow(font))
			return &font->blank;
		at = find(font->slot, font->capacity, code);
	}
	struct font_glyph *glyph = calloc(1, sizeof *glyph);
	if (glyph == NULL || !font->back_end->raster(font->self, code, glyph)) {
		free(glyph);
		return &font->blank;
	}
	glyph->code = code;
	font->used++;
	*at = glyph;
	return glyph;
}

bool font_fallback_box(struct font_glyph *glyph, int ascent, int advance)
{
	int w = advance > 3 ? advance - 1 : 2;
	int h = ascent > 4 ? ascent - 2 : 2;
	uint8_t *cover = calloc((size_t)w * (size_t)h, 1);
	if (cover == NULL)
		return false;
	for (int y = 0; y < h; y++) {
		for (int x = 0; x < w; x++) {
			if (x == 0 || y == 0 || x == w - 1 || y == h - 1)
				cover[y * w + x] = 255;
		}
	}
	*glyph = (struct font_glyph){.cover = cover, .w = w, .h = h, .top = 2, .advance = w + 1};
	return true;
}

void fonts_fini(struct fonts *fonts)
{
	for (int i = 0; i < FONT_FACES; i++)
		font_destroy(fonts->face[i]);
	memset(fonts, 0, sizeof *fonts);
}
