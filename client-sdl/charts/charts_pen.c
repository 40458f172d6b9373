#include "charts_pen.h"

#include <math.h>
#include <string.h>

#include "layout.h"

/* From canvas pixels to SVG units. */
static double svg_x(const struct pen *pen, double x)
{
	return (x - pen->x) * 100.0 / pen->ui->scale;
}

static double svg_y(const struct pen *pen, double y)
{
	return (y - pen->y) * 100.0 / pen->ui->scale;
}

static double svg_size(const struct pen *pen, double n)
{
	return n * 100.0 / pen->ui->scale;
}

void pen_fill(const struct pen *pen, struct cv_rect r, uint32_t colour, const char *tip)
{
	if (rect_empty(r))
		return;
	if (pen->svg == NULL)
		cv_fill(pen->ui->cv, r, colour);
	else
		svg_rect(pen->svg, svg_x(pen, r.x), svg_y(pen, r.y), svg_size(pen, r.w),
		    svg_size(pen, r.h), colour, tip);
}

void pen_frame(const struct pen *pen, struct cv_rect r, int thick, uint32_t colour)
{
	if (2 * thick >= r.w || 2 * thick >= r.h) {
		pen_fill(pen, r, colour, NULL);
		return;
	}
	pen_fill(pen, rect_make(r.x, r.y, r.w, thick), colour, NULL);
	pen_fill(pen, rect_make(r.x, r.y + r.h - thick, r.w, thick), colour, NULL);
	pen_fill(pen, rect_make(r.x, r.y + thick, thick, r.h - 2 * thick), colour, NULL);
	pen_fill(
	    pen, rect_make(r.x + r.w - thick, r.y + thick, thick, r.h - 2 * thick), colour, NULL);
}

void pen_hatch(const struct pen *pen, struct cv_rect r)
{
	const struct theme *th = pen->ui->theme;
	pen_fill(pen, r, th->unused, NULL);
	if (pen->svg == NULL)
		cv_hatch(pen->ui->cv, r, ui_px(pen->ui, 4), th->unused_ink);
}

void pen_text(const struct pen *pen, enum font_face face, struct cv_rect r, enum text_align align,
    uint32_t colour, const char *text)
{
	if (pen->svg == NULL) {
		text_in(pen->ui->cv, pen->ui->fonts->face[face], r, align, colour, text);
		return;
	}
	static const enum svg_anchor anchors[] = {SVG_LEFT, SVG_CENTRE, SVG_RIGHT};
	int size = face == FONT_SMALL ? 11 : 13;
	double x = align == TEXT_LEFT ? r.x : align == TEXT_RIGHT ? r.x + r.w : r.x + r.w / 2.0;
	svg_text(pen->svg, svg_x(pen, x), svg_y(pen, r.y + r.h / 2.0) + size * 0.36, size,
	    anchors[align], colour, svg_size(pen, r.w), text);
}

int pen_paragraph(
    const struct pen *pen, struct cv_rect r, uint32_t colour, const char *text, bool paint)
{
	struct font *font = pen->ui->fonts->face[FONT_SMALL];
	int line = font_height(font) + ui_px(pen->ui, 2), used = 0;
	char part[512];
	while (text != NULL && *text != 0) {
		const char *next;
		size_t n = text_break(font, text, r.w, &next);
		n = n < sizeof part - 1 ? n : sizeof part - 1;
		memcpy(part, text, n);
		part[n] = 0;
		if (paint)
			pen_text(pen, FONT_SMALL, rect_make(r.x, r.y + used, r.w, line), TEXT_LEFT,
			    colour, part);
		used += line;
		text = next;
	}
	return used;
}

/* Whether a dashed line covers a pixel. */
static bool is_on(enum pen_dash dash, int x, int unit)
{
	static const struct {
		const char *pattern; /* a character per unit; # is painted */
		int length;
	} kinds[DASH_KINDS] = {
	    [DASH_NONE] = {"#", 1},
	    [DASH_LONG] = {"######..", 8},
	    [DASH_DOTS] = {"#.", 2},
	    [DASH_MIXED] = {"#####..#..", 10},
	};
	return kinds[dash].pattern[x / unit % kinds[dash].length] == '#';
}

/* Paints a part of a pixel column, antialiased at both ends. */
static void span(struct cv *cv, int x, double from, double to, uint32_t colour)
{
	int first = (int)floor(from), last = (int)floor(to);
	if (first == last) {
		cv_blend(cv, rect_make(x, first, 1, 1), colour, (int)((to - from) * 255));
		return;
	}
	cv_blend(cv, rect_make(x, first, 1, 1), colour, (int)((first + 1 - from) * 255));
	cv_fill(cv, rect_make(x, first + 1, 1, last - first - 1), colour);
	cv_blend(cv, rect_make(x, last, 1, 1), colour, (int)((to - last) * 255));
}

void pen_line(const struct pen *pen, double x1, double y1, double x2, double y2, uint32_t colour,
    enum pen_dash dash)
{
	double thick = 1.6 * pen->ui->scale / 100.0;
	int unit = ui_px(pen->ui, dash == DASH_DOTS ? 3 : 2);
	if (pen->svg != NULL) {
		svg_line(pen->svg, svg_x(pen, x1), svg_y(pen, y1), svg_x(pen, x2), svg_y(pen, y2),
		    1.6, colour);
		return;
	}
	int first = (int)floor(x1), behind = (int)ceil(x2);
	behind = behind > first ? behind : first + 1;
	double slope = x2 > x1 ? (y2 - y1) / (x2 - x1) : 0;
	/* Equally thick at any slope, without extending past the ends. */
	double half = thick / 2 * sqrt(1 + slope * slope);
	double top = (y1 < y2 ? y1 : y2) - thick / 2, bottom = (y1 < y2 ? y2 : y1) + thick / 2;
	for (int x = first; x < behind; x++) {
		double from = x > x1 ? y1 + (x - x1) * slope : y1;
		double to = x + 1 < x2 ? y1 + (x + 1 - x1) * slope : y2;
		double low = (from < to ? from : to) - half, high = (from < to ? to : from) + half;
		low = low > top ? low : top;
		high = high < bottom ? high : bottom;
		if (dash == DASH_NONE || (slope > -1 && slope < 1)) {
			if (is_on(dash, x, unit))
				span(pen->ui->cv, x, low, high, colour);
			continue;
		}
		for (int y = (int)low; y < high; y++) {
			if (is_on(dash, y, unit))
				cv_blend(pen->ui->cv, rect_make(x, y, 1, 1), colour, 220);
		}
	}
}
