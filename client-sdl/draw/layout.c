#include "layout.h"

int clamp_int(int value, int low, int high)
{
	if (value > high)
		value = high;
	return value < low ? low : value;
}

struct cv_rect cut_top(struct cv_rect *r, int h)
{
	h = clamp_int(h, 0, r->h);
	struct cv_rect piece = rect_make(r->x, r->y, r->w, h);
	r->y += h;
	r->h -= h;
	return piece;
}

struct cv_rect cut_bottom(struct cv_rect *r, int h)
{
	h = clamp_int(h, 0, r->h);
	r->h -= h;
	return rect_make(r->x, r->y + r->h, r->w, h);
}

struct cv_rect cut_left(struct cv_rect *r, int w)
{
	w = clamp_int(w, 0, r->w);
	struct cv_rect piece = rect_make(r->x, r->y, w, r->h);
	r->x += w;
	r->w -= w;
	return piece;
}

struct cv_rect cut_right(struct cv_rect *r, int w)
{
	w = clamp_int(w, 0, r->w);
	r->w -= w;
	return rect_make(r->x + r->w, r->y, w, r->h);
}

struct cv_rect centred(struct cv_rect r, int w, int h)
{
	w = clamp_int(w, 0, r.w);
	h = clamp_int(h, 0, r.h);
	return rect_make(r.x + (r.w - w) / 2, r.y + (r.h - h) / 2, w, h);
}
