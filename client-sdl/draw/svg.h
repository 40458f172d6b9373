/*
 * Vector graphics: rectangles, lines and texts as SVG 1.1. Lengths are pixels at scale 1; colours
 * are 0xRRGGBB. Texts may contain anything: they are escaped.
 */
#ifndef GCSPY_CLIENT_SVG_H
#define GCSPY_CLIENT_SVG_H

#include <stdint.h>

#include "export_text.h"

enum svg_anchor { SVG_LEFT, SVG_CENTRE, SVG_RIGHT };

/* Begins a picture with a background and a title; svg_end ends it. */
void svg_begin(struct textbuf *out, int width, int height, uint32_t ground, const char *title);
void svg_end(struct textbuf *out);

/* `tip` is a tooltip, or NULL. */
void svg_rect(
    struct textbuf *out, double x, double y, double w, double h, uint32_t colour, const char *tip);
void svg_line(
    struct textbuf *out, double x1, double y1, double x2, double y2, double width, uint32_t colour);

/* y is the baseline. A text wider than `most` pixels (0: no limit) is cut. */
void svg_text(struct textbuf *out, double x, double y, int size, enum svg_anchor anchor,
    uint32_t colour, double most, const char *text);

#endif
