/*
 * Outline fonts: SDL2_ttf fills the glyph cache from DejaVu Sans, found where distributions install
 * it. GCSPY_FONT_DIR names another folder.
 */
#include <SDL.h>
#include <SDL_ttf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "font.h"

static const char *const folders[] = {
    "/usr/share/fonts/truetype/dejavu",
    "/usr/share/fonts/dejavu",
    "/usr/share/fonts/TTF",
    "/usr/share/fonts/dejavu-sans-fonts",
    "/usr/local/share/fonts/dejavu",
};

static const struct {
	const char *file;
	int pixels; /* em at scale 100 */
} faces[FONT_FACES] = {
    [FONT_UI] = {"DejaVuSans.ttf", 13},
    [FONT_BOLD] = {"DejaVuSans-Bold.ttf", 13},
    [FONT_SMALL] = {"DejaVuSans.ttf", 11},
    [FONT_MONO] = {"DejaVuSansMono.ttf", 12},
};

static bool copy_coverage(SDL_Surface *s, struct font_glyph *glyph)
{
	glyph->cover = malloc((size_t)s->w * (size_t)s->h);
	if (glyph->cover == NULL)
		return false;
	glyph->w = s->w;
	glyph->h = s->h;
	for (int y = 0; y < s->h; y++) {
		const Uint32 *p =
		    (const Uint32 *)((const Uint8 *)s->pixels + (size_t)y * (size_t)s->pitch);
		for (int x = 0; x < s->w; x++)
			glyph->cover[y * s->w + x] = (uint8_t)(p[x] >> 24);
	}
	return true;
}

static bool ttf_raster(void *self, uint32_t code, struct font_glyph *glyph)
{
	TTF_Font *ttf = self;
	int min_x, max_x, min_y, max_y, advance;
	if (!TTF_GlyphIsProvided32(ttf, code)) {
		TTF_GlyphMetrics32(ttf, '0', &min_x, &max_x, &min_y, &max_y, &advance);
		return font_fallback_box(glyph, TTF_FontAscent(ttf), advance);
	}
	if (TTF_GlyphMetrics32(ttf, code, &min_x, &max_x, &min_y, &max_y, &advance) != 0)
		return false;
	glyph->advance = advance;
	glyph->left = min_x < 0 ? min_x : 0;
	if (max_x <= min_x)
		return true; /* a space */
	SDL_Surface *s = TTF_RenderGlyph32_Blended(ttf, code, (SDL_Color){255, 255, 255, 255});
	if (s == NULL)
		return false;
	bool ok = copy_coverage(s, glyph);
	SDL_FreeSurface(s);
	return ok;
}

static void ttf_destroy(void *self)
{
	TTF_CloseFont(self);
	TTF_Quit(); /* counted: one for the TTF_Init of each face */
}

static const struct font_back_end ttf_back_end = {.raster = ttf_raster, .destroy = ttf_destroy};

static TTF_Font *open_in(const char *folder, const char *file, int pixels)
{
	char path[512];
	if (snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path)
		return NULL;
	return TTF_OpenFont(path, pixels);
}

static TTF_Font *open_face(const char *file, int pixels)
{
	const char *own = getenv("GCSPY_FONT_DIR");
	if (own != NULL)
		return open_in(own, file, pixels);
	TTF_Font *ttf = NULL;
	for (size_t i = 0; ttf == NULL && i < sizeof folders / sizeof *folders; i++)
		ttf = open_in(folders[i], file, pixels);
	return ttf;
}

bool fonts_ttf(struct fonts *fonts, int scale)
{
	memset(fonts, 0, sizeof *fonts);
	for (int i = 0; i < FONT_FACES; i++) {
		if (TTF_Init() != 0)
			goto fail;
		TTF_Font *ttf = open_face(faces[i].file, (faces[i].pixels * scale + 50) / 100);
		if (ttf == NULL) {
			TTF_Quit();
			goto fail;
		}
		TTF_SetFontHinting(ttf, TTF_HINTING_LIGHT);
		TTF_SetFontKerning(ttf, 0);
		fonts->face[i] = font_create(&ttf_back_end, ttf, TTF_FontHeight(ttf));
		if (fonts->face[i] == NULL)
			goto fail;
	}
	return true;
fail:
	fonts_fini(fonts);
	return false;
}
