#include "damage.h"

#include <limits.h>

struct cv_rect rect_make(int x, int y, int w, int h)
{
	return (struct cv_rect){x, y, w, h};
}

bool rect_empty(struct cv_rect r)
{
	return r.w <= 0 || r.h <= 0;
}

bool rect_has(struct cv_rect r, int x, int y)
{
	return x >= r.x && y >= r.y && x < r.x + r.w && y < r.y + r.h;
}

bool rect_meets(struct cv_rect a, struct cv_rect b)
{
	return !rect_empty(rect_and(a, b));
}

bool rect_same(struct cv_rect a, struct cv_rect b)
{
	return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

struct cv_rect rect_and(struct cv_rect a, struct cv_rect b)
{
	int x0 = max_int(a.x, b.x);
	int y0 = max_int(a.y, b.y);
	int x1 = min_int(a.x + a.w, b.x + b.w);
	int y1 = min_int(a.y + a.h, b.y + b.h);
	return rect_make(x0, y0, max_int(0, x1 - x0), max_int(0, y1 - y0));
}

struct cv_rect rect_or(struct cv_rect a, struct cv_rect b)
{
	if (rect_empty(a))
		return b;
	if (rect_empty(b))
		return a;
	int x0 = min_int(a.x, b.x);
	int y0 = min_int(a.y, b.y);
	int x1 = max_int(a.x + a.w, b.x + b.w);
	int y1 = max_int(a.y + a.h, b.y + b.h);
	return rect_make(x0, y0, x1 - x0, y1 - y0);
}

struct cv_rect rect_inset(struct cv_rect r, int d)
{
	return rect_make(r.x + d, r.y + d, max_int(0, r.w - 2 * d), max_int(0, r.h - 2 * d));
}

void damage_clear(struct damage *d)
{
	d->count = 0;
}

static long area(struct cv_rect r)
{
	return (long)r.w * r.h;
}

/* Pixels presented unnecessarily if a and b become one rectangle. */
static long waste(struct cv_rect a, struct cv_rect b)
{
	return area(rect_or(a, b)) - area(a) - area(b) + area(rect_and(a, b));
}

void damage_add(struct damage *d, struct cv_rect r)
{
	if (rect_empty(r))
		return;
	long least = LONG_MAX;
	int best = -1;
	for (int i = 0; i < d->count; i++) {
		long lost = waste(d->rect[i], r);
		if (lost < least) {
			least = lost;
			best = i;
		}
	}
	/* Up to 256 wasted pixels cost less than one more rectangle. */
	if (best >= 0 && (least <= 256 || d->count == DAMAGE_RECTS))
		d->rect[best] = rect_or(d->rect[best], r);
	else
		d->rect[d->count++] = r;
}
