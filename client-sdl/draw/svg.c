#include "svg.h"

#include <string.h>

#include "text.h"
#include "utf8.h"

#define GLYPH 0.6 /* approximate width of a letter, of the font size */

/* XML allows no control characters, not even escaped ones. */
static void put_escaped(struct textbuf *out, const char *text, size_t length)
{
	const char *end = text + length;
	while (text < end) {
		const char *start = text;
		const uint32_t code = utf8_next(&text);
		if (code == '<')
			textbuf_puts(out, "&lt;");
		else if (code == '>')
			textbuf_puts(out, "&gt;");
		else if (code == '&')
			textbuf_puts(out, "&amp;");
		else if (code == '"')
			textbuf_puts(out, "&quot;");
		else if (text_is_hidden(code))
			textbuf_puts(out, " ");
		else
			textbuf_bytes(out, start, (size_t)(text - start));
	}
}

void svg_begin(struct textbuf *out, int width, int height, uint32_t ground, const char *title)
{
	textbuf_printf(out,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d "
	    "%d\" font-family=\"DejaVu Sans, sans-serif\">\n<title>",
	    width, height, width, height);
	put_escaped(out, title, strlen(title));
	textbuf_puts(out, "</title>\n");
	svg_rect(out, 0, 0, width, height, ground, NULL);
}

void svg_end(struct textbuf *out)
{
	textbuf_puts(out, "</svg>\n");
}

void svg_rect(
    struct textbuf *out, double x, double y, double w, double h, uint32_t colour, const char *tip)
{
	textbuf_printf(out,
	    "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#%06x\"", x, y, w, h,
	    colour & 0xffffffu);
	if (tip == NULL) {
		textbuf_puts(out, "/>\n");
		return;
	}
	textbuf_puts(out, "><title>");
	put_escaped(out, tip, strlen(tip));
	textbuf_puts(out, "</title></rect>\n");
}

void svg_line(
    struct textbuf *out, double x1, double y1, double x2, double y2, double width, uint32_t colour)
{
	textbuf_printf(out,
	    "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#%06x\" "
	    "stroke-width=\"%.2f\"/>\n",
	    x1, y1, x2, y2, colour & 0xffffffu, width);
}

/* The number of bytes that fit, and whether that is the whole text. */
static size_t room_for(const char *text, int size, double most, bool *whole)
{
	const char *at = text;
	double used = 0;
	*whole = true;
	while (*at != 0) {
		const char *next = at;
		utf8_next(&next);
		used += size * GLYPH;
		if (most > 0 && used > most) {
			*whole = false;
			break;
		}
		at = next;
	}
	return (size_t)(at - text);
}

void svg_text(struct textbuf *out, double x, double y, int size, enum svg_anchor anchor,
    uint32_t colour, double most, const char *text)
{
	static const char *const anchors[] = {"start", "middle", "end"};
	bool whole;
	size_t length = room_for(text, size, most, &whole);
	if (length == 0)
		return;
	textbuf_printf(out,
	    "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"#%06x\">", x, y,
	    size, anchors[anchor], colour & 0xffffffu);
	put_escaped(out, text, length);
	textbuf_puts(out, whole ? "</text>\n" : "\xe2\x80\xa6</text>\n");
}
