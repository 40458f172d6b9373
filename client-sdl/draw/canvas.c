#include "canvas.h"

#include <stdlib.h>
#include <string.h>

bool cv_init(struct cv *cv, int w, int h)
{
	memset(cv, 0, sizeof *cv);
	return cv_resize(cv, w, h);
}

void cv_fini(struct cv *cv)
{
	free(cv->px);
	memset(cv, 0, sizeof *cv);
}

bool cv_resize(struct cv *cv, int w, int h)
{
	if (w < 1 || h < 1 || w > 32767 || h > 32767)
		return false;
	uint32_t *px = calloc((size_t)w * (size_t)h, sizeof *px);
	if (px == NULL)
		return false;
	free(cv->px);
	cv->px = px;
	cv->w = w;
	cv->h = h;
	cv->depth = 0;
	cv->clip = rect_make(0, 0, w, h);
	damage_clear(&cv->damage);
	damage_add(&cv->damage, cv->clip);
	return true;
}

void cv_push_clip(struct cv *cv, struct cv_rect r)
{
	if (cv->depth >= CV_CLIP_DEPTH)
		abort(); /* A push without a pop is a programming error, never data. */
	cv->stack[cv->depth++] = cv->clip;
	cv->clip = rect_and(cv->clip, r);
}

void cv_pop_clip(struct cv *cv)
{
	if (cv->depth <= 0)
		abort();
	cv->clip = cv->stack[--cv->depth];
}

void cv_touch(struct cv *cv, struct cv_rect r)
{
	damage_add(&cv->damage, rect_and(r, cv->clip));
}

static uint32_t *row(const struct cv *cv, int x, int y)
{
	return cv->px + (size_t)y * (size_t)cv->w + (size_t)x;
}

/* Eight pixels at a time, which the compiler turns into a few wide stores: most painted areas are
 * large and plain. */
static void fill_run(uint32_t *p, int n, uint32_t colour)
{
	for (; n >= 8; n -= 8, p += 8)
		for (int i = 0; i < 8; i++)
			p[i] = colour;
	while (n-- > 0)
		*p++ = colour;
}

void cv_fill(struct cv *cv, struct cv_rect r, uint32_t colour)
{
	r = rect_and(r, cv->clip);
	colour |= 0xff000000u;
	for (int y = 0; y < r.h; y++)
		fill_run(row(cv, r.x, r.y + y), r.w, colour);
}

void cv_hline(struct cv *cv, int x, int y, int w, uint32_t colour)
{
	cv_fill(cv, rect_make(x, y, w, 1), colour);
}

void cv_vline(struct cv *cv, int x, int y, int h, uint32_t colour)
{
	cv_fill(cv, rect_make(x, y, 1, h), colour);
}

void cv_frame(struct cv *cv, struct cv_rect r, int thick, uint32_t colour)
{
	if (rect_empty(r))
		return;
	if (2 * thick >= r.w || 2 * thick >= r.h) {
		cv_fill(cv, r, colour);
		return;
	}
	cv_fill(cv, rect_make(r.x, r.y, r.w, thick), colour);
	cv_fill(cv, rect_make(r.x, r.y + r.h - thick, r.w, thick), colour);
	cv_fill(cv, rect_make(r.x, r.y + thick, thick, r.h - 2 * thick), colour);
	cv_fill(cv, rect_make(r.x + r.w - thick, r.y + thick, thick, r.h - 2 * thick), colour);
}

/* Two channels at a time; part runs from 0 to 256 so that both ends are exact. */
static uint32_t mix256(uint32_t a, uint32_t b, uint32_t part)
{
	uint32_t rb = (a & 0xff00ffu) * (256 - part) + (b & 0xff00ffu) * part;
	uint32_t g = (a & 0x00ff00u) * (256 - part) + (b & 0x00ff00u) * part;
	return 0xff000000u | ((rb >> 8) & 0xff00ffu) | ((g >> 8) & 0x00ff00u);
}

uint32_t cv_mix(uint32_t a, uint32_t b, int part)
{
	if (part < 0)
		part = 0;
	if (part > 256)
		part = 256;
	return mix256(a, b, (uint32_t)part);
}

static uint32_t cover_part(int cover)
{
	return (uint32_t)(cover + (cover >> 7));
}

void cv_blend(struct cv *cv, struct cv_rect r, uint32_t colour, int alpha)
{
	r = rect_and(r, cv->clip);
	uint32_t part = cover_part(alpha);
	for (int y = 0; y < r.h; y++) {
		uint32_t *p = row(cv, r.x, r.y + y);
		int x = 0;
		for (; x + 4 <= r.w; x += 4) /* unrolled as in fill_run */
			for (int i = 0; i < 4; i++)
				p[x + i] = mix256(p[x + i], colour, part);
		for (; x < r.w; x++)
			p[x] = mix256(p[x], colour, part);
	}
}

void cv_hatch(struct cv *cv, struct cv_rect r, int step, uint32_t colour)
{
	struct cv_rect v = rect_and(r, cv->clip);
	if (step < 2)
		step = 2;
	colour |= 0xff000000u;
	for (int y = v.y; y < v.y + v.h; y++) {
		uint32_t *p = row(cv, 0, y);
		int phase = (v.x - r.x + y - r.y) % step;
		for (int x = v.x + (step - phase) % step; x < v.x + v.w; x += step)
			p[x] = colour;
	}
}

/*
 * Coverage (0..255) of the pixel (x, y) of a quarter disc whose centre is (radius, radius):
 * 4 x 4 samples. Exact arithmetic in eighths of a pixel, so that every machine draws the same.
 */
static int corner_cover(int x, int y, int radius)
{
	int inside = 0;
	int limit = 8 * radius * 8 * radius;
	for (int sy = 0; sy < 4; sy++) {
		for (int sx = 0; sx < 4; sx++) {
			int dx = 8 * (radius - x) - (2 * sx + 1);
			int dy = 8 * (radius - y) - (2 * sy + 1);
			inside += dx * dx + dy * dy <= limit;
		}
	}
	return inside * 255 / 16;
}

static void blend_pixel(struct cv *cv, int x, int y, uint32_t colour, int cover)
{
	if (cover <= 0 || !rect_has(cv->clip, x, y))
		return;
	uint32_t *p = row(cv, x, y);
	*p = mix256(*p, colour, cover_part(cover));
}

static void four_corners(struct cv *cv, struct cv_rect r, int x, int y, uint32_t colour, int cover)
{
	blend_pixel(cv, r.x + x, r.y + y, colour, cover);
	blend_pixel(cv, r.x + r.w - 1 - x, r.y + y, colour, cover);
	blend_pixel(cv, r.x + x, r.y + r.h - 1 - y, colour, cover);
	blend_pixel(cv, r.x + r.w - 1 - x, r.y + r.h - 1 - y, colour, cover);
}

static int fit_radius(struct cv_rect r, int radius)
{
	int half = (r.w < r.h ? r.w : r.h) / 2;
	return radius < half ? radius : half;
}

void cv_round(struct cv *cv, struct cv_rect r, int radius, uint32_t colour)
{
	if (rect_empty(r))
		return;
	radius = fit_radius(r, radius);
	cv_fill(cv, rect_make(r.x, r.y + radius, r.w, r.h - 2 * radius), colour);
	cv_fill(cv, rect_make(r.x + radius, r.y, r.w - 2 * radius, radius), colour);
	cv_fill(cv, rect_make(r.x + radius, r.y + r.h - radius, r.w - 2 * radius, radius), colour);
	for (int y = 0; y < radius; y++) {
		for (int x = 0; x < radius; x++)
			four_corners(cv, r, x, y, colour, corner_cover(x, y, radius));
	}
}

void cv_round_frame(struct cv *cv, struct cv_rect r, int radius, int thick, uint32_t colour)
{
	if (rect_empty(r))
		return;
	radius = fit_radius(r, radius);
	int in = radius - thick;
	cv_fill(cv, rect_make(r.x + radius, r.y, r.w - 2 * radius, thick), colour);
	cv_fill(cv, rect_make(r.x + radius, r.y + r.h - thick, r.w - 2 * radius, thick), colour);
	cv_fill(cv, rect_make(r.x, r.y + radius, thick, r.h - 2 * radius), colour);
	cv_fill(cv, rect_make(r.x + r.w - thick, r.y + radius, thick, r.h - 2 * radius), colour);
	for (int y = 0; y < radius; y++) {
		for (int x = 0; x < radius; x++) {
			int hole = in > 0 && x >= thick && y >= thick
				       ? corner_cover(x - thick, y - thick, in)
				       : 0;
			four_corners(cv, r, x, y, colour, corner_cover(x, y, radius) - hole);
		}
	}
}

void cv_arrow(struct cv *cv, struct cv_rect r, int dir, uint32_t colour)
{
	/* The height shrinks linearly from the base to the tip. */
	for (int y = 0; y < r.h; y++) {
		int from_edge = 2 * y + 1 < r.h ? 2 * y + 1 : 2 * (r.h - y) - 1;
		int reach = r.w * 255 * from_edge / (r.h > 0 ? r.h : 1);
		for (int x = 0; x < r.w; x++) {
			int cover = reach - x * 255;
			int px = dir >= 0 ? r.x + x : r.x + r.w - 1 - x;
			blend_pixel(cv, px, r.y + y, colour, cover > 255 ? 255 : cover);
		}
	}
}

void cv_coverage(
    struct cv *cv, int x, int y, const uint8_t *cover, int pitch, int w, int h, uint32_t colour)
{
	struct cv_rect v = rect_and(rect_make(x, y, w, h), cv->clip);
	colour |= 0xff000000u;
	for (int j = v.y; j < v.y + v.h; j++) {
		uint32_t *p = row(cv, 0, j);
		const uint8_t *c = cover + (size_t)(j - y) * (size_t)pitch;
		for (int i = v.x; i < v.x + v.w; i++) {
			int a = c[i - x];
			if (a == 255)
				p[i] = colour;
			else if (a != 0)
				p[i] = mix256(p[i], colour, cover_part(a));
		}
	}
}

void cv_save(const struct cv *cv, struct cv_rect r, uint32_t *store)
{
	for (int y = 0; y < r.h; y++)
		memcpy(store + (size_t)y * (size_t)r.w, row(cv, r.x, r.y + y),
		    (size_t)r.w * sizeof *store);
}

void cv_restore(struct cv *cv, struct cv_rect r, const uint32_t *store)
{
	for (int y = 0; y < r.h; y++)
		memcpy(row(cv, r.x, r.y + y), store + (size_t)y * (size_t)r.w,
		    (size_t)r.w * sizeof *store);
}
