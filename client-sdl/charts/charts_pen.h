/*
 * Drawing for charts, to the canvas of the window or to SVG. Rectangles are canvas pixels in both;
 * an SVG image has its own origin and is at scale 1.
 */
#ifndef GCSPY_CLIENT_CHARTS_PEN_H
#define GCSPY_CLIENT_CHARTS_PEN_H

#include "charts_axis.h"
#include "svg.h"
#include "ui.h"

struct pen {
	struct ui *ui;
	struct textbuf *svg; /* NULL: the canvas */
	int x, y;            /* origin of the SVG image */
};

/* tip: tooltip in an SVG image, or NULL. */
void pen_fill(const struct pen *pen, struct cv_rect r, uint32_t colour, const char *tip);
void pen_frame(const struct pen *pen, struct cv_rect r, int thick, uint32_t colour);

/* Background of unused areas, hatched on the canvas. */
void pen_hatch(const struct pen *pen, struct cv_rect r);

void pen_text(const struct pen *pen, enum font_face face, struct cv_rect r, enum text_align align,
    uint32_t colour, const char *text);

/* Wraps text in the small face from the top of r; returns the height used. With `paint` false it
 * only measures. */
int pen_paragraph(
    const struct pen *pen, struct cv_rect r, uint32_t colour, const char *text, bool paint);

/* Dash pattern of a line, so that colour is not the only cue. */
enum pen_dash { DASH_NONE, DASH_LONG, DASH_DOTS, DASH_MIXED, DASH_KINDS };

/* A line from left to right, antialiased on the canvas. */
void pen_line(const struct pen *pen, double x1, double y1, double x2, double y2, uint32_t colour,
    enum pen_dash dash);

/* An area with axes, and the mapping of values to pixels. */
struct plot {
	struct cv_rect area; /* between the axes */
	struct axis x, y;
};

/* Reserves room for the labels in r; both axes must be set. */
void plot_lay_out(const struct pen *pen, struct plot *plot, struct cv_rect r);

/* Paints lines and labels of the axes; call before painting the data. */
void plot_paint(const struct pen *pen, const struct plot *plot);

double plot_x(const struct plot *plot, double value);
double plot_y(const struct plot *plot, double value);

/* A mark of the selected tile over the whole height. */
void plot_mark(const struct pen *pen, const struct plot *plot, int x, int w, uint32_t colour);

/* A name above a line at x, with its lower edge at y. */
void plot_label(const struct pen *pen, const struct plot *plot, int x, int y, uint32_t colour,
    const char *text);

#endif
