/* Paints text from the glyphs of a font. Declared in font.h. */
#include <string.h>

#include "font.h"
#include "utf8.h"

#define ELLIPSIS "\xe2\x80\xa6"

int text_width_n(struct font *font, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	int width = 0;
	while (text < end) {
		uint32_t code = utf8_next(&text);
		if (code == 0)
			break;
		width += font_glyph(font, code)->advance;
	}
	return width;
}

int text_width(struct font *font, const char *text)
{
	return text_width_n(font, text, strlen(text));
}

static int paint_n(
    struct cv *cv, struct font *font, int x, int y, uint32_t colour, const char *text, size_t bytes)
{
	const char *end = text + bytes;
	while (text < end) {
		uint32_t code = utf8_next(&text);
		if (code == 0)
			break;
		const struct font_glyph *g = font_glyph(font, code);
		if (g->cover != NULL)
			cv_coverage(
			    cv, x + g->left, y + g->top, g->cover, g->w, g->w, g->h, colour);
		x += g->advance;
	}
	return x;
}

static void note(struct cv *cv, struct cv_rect at, const char *text, bool cut)
{
	if (cv->note_text == NULL)
		return;
	const struct cv_rect seen = rect_and(at, cv->clip);
	if (!rect_empty(seen))
		cv->note_text(cv->note_context, seen, text, cut || seen.w < at.w);
}

int text_paint(struct cv *cv, struct font *font, int x, int y, uint32_t colour, const char *text)
{
	const int end = paint_n(cv, font, x, y, colour, text, strlen(text));
	note(cv, rect_make(x, y, end - x, font_height(font)), text, false);
	return end;
}

/* Bytes of the longest start of the text that is at most width pixels wide. */
static size_t fitting(struct font *font, const char *text, int width)
{
	size_t at = 0;
	int used = 0;
	while (text[at] != 0) {
		const char *p = text + at;
		int advance = font_glyph(font, utf8_next(&p))->advance;
		if (used + advance > width)
			break;
		used += advance;
		at = (size_t)(p - text);
	}
	return at;
}

void text_in(struct cv *cv, struct font *font, struct cv_rect r, enum text_align align,
    uint32_t colour, const char *text)
{
	int y = r.y + (r.h - font_height(font)) / 2;
	int width = text_width(font, text);
	cv_push_clip(cv, r);
	if (width > r.w) {
		int dots = text_width(font, ELLIPSIS);
		size_t n = fitting(font, text, r.w - dots);
		int x = paint_n(cv, font, r.x, y, colour, text, n);
		paint_n(cv, font, x, y, colour, ELLIPSIS, strlen(ELLIPSIS));
		note(cv, r, text, true);
	} else {
		int x = r.x;
		if (align == TEXT_RIGHT)
			x = r.x + r.w - width;
		else if (align == TEXT_CENTRE)
			x = r.x + (r.w - width) / 2;
		text_paint(cv, font, x, y, colour, text);
	}
	cv_pop_clip(cv);
}

void text_in_ends(
    struct cv *cv, struct font *font, struct cv_rect r, uint32_t colour, const char *text)
{
	const int y = r.y + (r.h - font_height(font)) / 2;
	const int room = r.w - text_width(font, ELLIPSIS);
	if (text_width(font, text) <= r.w || room <= 0) {
		text_in(cv, font, r, TEXT_LEFT, colour, text);
		return;
	}
	const size_t n = fitting(font, text, room / 2);
	const char *tail = text + n;
	const int rest = room - text_width_n(font, text, n);
	while (*tail != 0 && text_width(font, tail) > rest)
		utf8_next(&tail);
	cv_push_clip(cv, r);
	int x = paint_n(cv, font, r.x, y, colour, text, n);
	x = paint_n(cv, font, x, y, colour, ELLIPSIS, strlen(ELLIPSIS));
	paint_n(cv, font, x, y, colour, tail, strlen(tail));
	note(cv, r, text, true);
	cv_pop_clip(cv);
}

size_t text_break(struct font *font, const char *text, int width, const char **next)
{
	size_t line = strcspn(text, "\n");
	size_t fits = fitting(font, text, width);
	if (fits >= line) {
		*next = text[line] == '\n' ? text + line + 1 : NULL;
		return line;
	}
	size_t cut = fits;
	while (cut > 0 && text[cut] != ' ')
		cut--;
	if (cut == 0) { /* One word wider than the line: break inside, by at least one character. */
		cut = fits > 0 ? fits : utf8_after(text, 0);
		*next = text + cut;
		return cut;
	}
	*next = text + cut + 1;
	return cut;
}

int text_paragraph(
    struct cv *cv, struct font *font, struct cv_rect r, uint32_t colour, const char *text)
{
	int y = 0;
	while (text != NULL && *text != 0) {
		const char *next;
		size_t n = text_break(font, text, r.w, &next);
		if (cv != NULL)
			paint_n(cv, font, r.x, r.y + y, colour, text, n);
		y += font_height(font);
		text = next;
	}
	return y;
}
