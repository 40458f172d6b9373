/*
 * What charts are drawn with: the canvas of the window, or a vector picture of the same. Rectangles
 * are pixels of the canvas in both; a vector picture has its own corner and is at scale 1.
 */
#ifndef GCSPY_CLIENT_CHARTS_PEN_H
#define GCSPY_CLIENT_CHARTS_PEN_H

#include "charts_axis.h"
#include "svg.h"
#include "ui.h"

struct pen {
	struct ui *ui;
	struct textbuf *svg; /* NULL: the canvas */
	int x, y;            /* corner of the vector picture */
};

/* tip: what browsers show in a vector picture, or NULL. */
void pen_fill(const struct pen *pen, struct cv_rect r, uint32_t colour, const char *tip);
void pen_frame(const struct pen *pen, struct cv_rect r, int thick, uint32_t colour);

/* The ground of what is unused: hatched on the canvas. */
void pen_hatch(const struct pen *pen, struct cv_rect r);

void pen_text(const struct pen *pen, enum font_face face, struct cv_rect r, enum text_align align,
    uint32_t colour, const char *text);

/* Words in lines of the small face from the top of r; returns the height used. With `paint` false it
 * only measures. */
int pen_paragraph(
    const struct pen *pen, struct cv_rect r, uint32_t colour, const char *text, bool paint);

/* The interruption of a line, so that its colour is not all that tells it. */
enum pen_dash { DASH_NONE, DASH_LONG, DASH_DOTS, DASH_MIXED, DASH_KINDS };

/* A line from left to right, smooth on the canvas. */
void pen_line(const struct pen *pen, double x1, double y1, double x2, double y2, uint32_t colour,
    enum pen_dash dash);

/* An area with axes, and what lies where in it. */
struct plot {
	struct cv_rect area; /* between the axes */
	struct axis x, y;
};

/* Takes room for the labels off r; both axes are set. */
void plot_lay_out(const struct pen *pen, struct plot *plot, struct cv_rect r);

/* Lines and labels of the axes; what is between them comes afterwards. */
void plot_paint(const struct pen *pen, const struct plot *plot);

double plot_x(const struct plot *plot, double value);
double plot_y(const struct plot *plot, double value);

/* A mark of the selected tile over the whole height. */
void plot_mark(const struct pen *pen, const struct plot *plot, int x, int w, uint32_t colour);

/* A name above a line at x, with its lower edge at y. */
void plot_label(const struct pen *pen, const struct plot *plot, int x, int y, uint32_t colour,
    const char *text);

#endif
