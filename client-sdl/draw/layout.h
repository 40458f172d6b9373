/*
 * Layout by cutting pieces off the edges of a rectangle. Pure arithmetic; a piece is never larger
 * than the rectangle.
 */
#ifndef GCSPY_CLIENT_LAYOUT_H
#define GCSPY_CLIENT_LAYOUT_H

#include "damage.h"

struct cv_rect cut_top(struct cv_rect *r, int h);
struct cv_rect cut_bottom(struct cv_rect *r, int h);
struct cv_rect cut_left(struct cv_rect *r, int w);
struct cv_rect cut_right(struct cv_rect *r, int w);

/* A rectangle of that size in the middle of r, shrunk to fit. */
struct cv_rect centred(struct cv_rect r, int w, int h);

/* Value limited to low..high; low wins when they cross. */
int clamp_int(int value, int low, int high);

#endif
