/*
 * Fonts: glyphs as 8-bit coverage, rendered once on demand and kept, and text painted from them.
 *
 * A font has one back end that turns a code point into coverage: SDL2_ttf (font_ttf.c) or the
 * built-in pixel font (font_block.c), also used when no font file is installed.
 * There is no shaping and no kerning: digits and table columns stay aligned. Texts are UTF-8. A
 * font belongs to the thread that paints; glyphs live as long as the font.
 */
#ifndef GCSPY_CLIENT_FONT_H
#define GCSPY_CLIENT_FONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "canvas.h"

struct font_glyph {
	uint32_t code;  /* code point */
	uint8_t *cover; /* w * h bytes, owned by the font; NULL for a glyph without pixels */
	int w, h;
	int left, top; /* of the coverage, from the pen position and the top of the line */
	int advance;
};

struct font;

/* What a back end provides. raster fills everything but `code`; false without memory. */
struct font_back_end {
	bool (*raster)(void *self, uint32_t code, struct font_glyph *glyph);
	void (*destroy)(void *self);
};

/* Takes over self, also on failure (NULL). height of a line in pixels. */
struct font *font_create(const struct font_back_end *back_end, void *self, int height);

int font_height(const struct font *font);
const struct font_glyph *font_glyph(struct font *font, uint32_t code);

/* Fills glyph with the hollow box for a character that the font lacks. */
bool font_fallback_box(struct font_glyph *glyph, int ascent, int advance);

/* The four faces that the visualiser uses, for one scale. */
enum font_face { FONT_UI, FONT_BOLD, FONT_SMALL, FONT_MONO, FONT_FACES };

struct fonts {
	struct font *face[FONT_FACES];
};

/* Fonts for a scale in percent (100 is 1:1). False without memory or, for ttf, without files. */
bool fonts_block(struct fonts *fonts, int scale);
bool fonts_ttf(struct fonts *fonts, int scale);
void fonts_fini(struct fonts *fonts);

/* Width of a text in pixels; of its first `bytes` bytes. */
int text_width(struct font *font, const char *text);
int text_width_n(struct font *font, const char *text, size_t bytes);

/* Paints with the top of the line at y; returns the pen position after the text. */
int text_paint(struct cv *cv, struct font *font, int x, int y, uint32_t colour, const char *text);

enum text_align { TEXT_LEFT, TEXT_CENTRE, TEXT_RIGHT };

/* Paints one line centred vertically in r; what does not fit ends in an ellipsis. */
void text_in(struct cv *cv, struct font *font, struct cv_rect r, enum text_align align,
    uint32_t colour, const char *text);

/* The same, left-aligned, with the ellipsis in the middle: for names that begin alike. */
void text_in_ends(
    struct cv *cv, struct font *font, struct cv_rect r, uint32_t colour, const char *text);

/*
 * Breaks a text into lines of at most `width` pixels at spaces and newlines: the number of bytes of
 * the first line; *next is where the following line starts (NULL at the end).
 */
size_t text_break(struct font *font, const char *text, int width, const char **next);

/* Paints with line breaks from the top of r; returns the height used. With cv NULL only measures.
 */
int text_paragraph(
    struct cv *cv, struct font *font, struct cv_rect r, uint32_t colour, const char *text);

#endif
