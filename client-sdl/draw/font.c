#include "font.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"

struct font {
	const struct font_back_end *back_end;
	void *self;
	int height;
	struct hash_table glyphs; /* addresses, by code point */
	struct font_glyph blank;  /* shown without memory for a glyph */
};

struct font *font_create(const struct font_back_end *back_end, void *self, int height)
{
	struct font *font = calloc(1, sizeof *font);
	if (font == NULL) {
		back_end->destroy(self);
		return NULL;
	}
	font->back_end = back_end;
	font->self = self;
	font->height = height;
	font->blank.advance = height / 2;
	return font;
}

static void destroy(struct font *font)
{
	uint64_t code, address;
	if (font == NULL)
		return;
	for (size_t at = 0; hash_each(&font->glyphs, &at, &code, &address);) {
		struct font_glyph *glyph = (void *)(uintptr_t)address;
		free(glyph->cover);
		free(glyph);
	}
	hash_fini(&font->glyphs);
	font->back_end->destroy(font->self);
	free(font);
}

int font_height(const struct font *font)
{
	return font->height;
}

const struct font_glyph *font_glyph(struct font *font, uint32_t code)
{
	const uint64_t known = hash_get(&font->glyphs, code);
	if (known != HASH_NONE)
		return (const void *)(uintptr_t)known;
	struct font_glyph *glyph = calloc(1, sizeof *glyph);
	if (glyph == NULL || !hash_reserve(&font->glyphs, font->glyphs.count + 1) ||
	    !font->back_end->raster(font->self, code, glyph)) {
		free(glyph);
		return &font->blank;
	}
	glyph->code = code;
	hash_put(&font->glyphs, code, (uintptr_t)glyph);
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
		destroy(fonts->face[i]);
	memset(fonts, 0, sizeof *fonts);
}
