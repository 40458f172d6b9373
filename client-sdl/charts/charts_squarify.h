/*
 * Rectangles for a treemap, as close to squares as possible (Bruls, Huizing, van Wijk: Squarified
 * Treemaps, 2000). Pure and deterministic.
 */
#ifndef GCSPY_CLIENT_CHARTS_SQUARIFY_H
#define GCSPY_CLIENT_CHARTS_SQUARIFY_H

#include <stdint.h>

struct box {
	double x, y, w, h;
};

/* Fills `room` with a box for each weight, of an area in proportion to it. Weights are finite, not
 * negative, the largest first; one of 0 has an empty box. */
void squarify(const double *weight, uint32_t count, struct box room, struct box *box);

#endif
