/*
 * Rectangles, and the list of rectangles that changed since the last presentation.
 *
 * The list is short and bounded: when it is full, a new rectangle is merged into the one that grows
 * least, so that the union always covers everything that was added. No allocation.
 */
#ifndef GCSPY_CLIENT_DAMAGE_H
#define GCSPY_CLIENT_DAMAGE_H

#include <stdbool.h>

#define DAMAGE_RECTS 32

struct cv_rect {
	int x, y, w, h;
};

struct damage {
	struct cv_rect rect[DAMAGE_RECTS];
	int count;
};

void damage_clear(struct damage *d);
void damage_add(struct damage *d, struct cv_rect r);

struct cv_rect rect_make(int x, int y, int w, int h);
bool rect_empty(struct cv_rect r);
bool rect_has(struct cv_rect r, int x, int y);
bool rect_meets(struct cv_rect a, struct cv_rect b);
bool rect_same(struct cv_rect a, struct cv_rect b);
struct cv_rect rect_and(struct cv_rect a, struct cv_rect b);
struct cv_rect rect_or(struct cv_rect a, struct cv_rect b);

/* The rectangle without a border of d pixels on every side (a negative d grows it). */
struct cv_rect rect_inset(struct cv_rect r, int d);

#endif
