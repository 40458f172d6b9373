/* The raster of a history graph, pixel by pixel. Declared in history_view.h. */
#include <stdlib.h>
#include <string.h>

#include "history_view.h"
#include "palette.h"
#include "tilemap.h"

#define PATTERN_FROM 6 /* pixels, as in tile maps */

/* Blue for less, orange for more, the ground for no change. */
static uint32_t diverging(const struct theme *th, int i)
{
	uint32_t low = th->dark ? 0x56b4e9 : 0x0072b2, high = th->dark ? 0xf0a030 : 0xc04a00;
	uint32_t middle = cv_mix(th->ground, th->text, 28);
	int d = i - 127;
	if (d == 0)
		return middle;
	/* Small changes are told from none. */
	int part = 40 + (d > 0 ? d : -d) * 216 / 127;
	return cv_mix(middle, d > 0 ? high : low, part < 256 ? part : 256);
}

void hist_look_set(struct hist_look *look, const struct app *app, bool edges)
{
	const struct theme *th = app->ui.theme;
	if (look->theme == th && look->ramp == app->ramp && look->edges == edges)
		return;
	look->theme = th;
	look->ramp = app->ramp;
	look->edges = edges;
	palette_ramp(app->ramp, th->dark, look->colour);
	for (int i = 0; edges && i < PALETTE_SHADES; i++)
		look->colour[i] = diverging(th, i);
	look->colour[LOOK_ZERO] = cv_mix(th->hollow, th->ground, 120);
	look->colour[LOOK_UNUSED] = th->unused;
	look->colour[LOOK_BACKGROUND] = th->ground;
	look->colour[LOOK_OVER] = look->colour[PALETTE_SHADES - 1];
	for (uint32_t i = LOOK_ENUM; i < 1024; i++)
		look->colour[i] = palette_enum_colour(i - LOOK_ENUM);
	for (int i = 0; i < 1024; i++)
		look->colour[i] |= 0xff000000u;
}

/* Diagonals that run on from cell to cell. */
static void hatch(struct cv *cv, struct cv_rect r, uint32_t ink)
{
	r = rect_and(r, cv->clip);
	for (int y = r.y; y < r.y + r.h; y++) {
		uint32_t *px = cv->px + (size_t)y * (size_t)cv->w;
		for (int x = r.x + ((4 - ((r.x + y) & 3)) & 3); x < r.x + r.w; x += 4)
			px[x] = ink;
	}
}

/* True if the look has more than a colour at that size. */
static bool has_picture(unsigned look, int least)
{
	if (look < PALETTE_SHADES || look == LOOK_BACKGROUND)
		return false;
	return look == LOOK_UNUSED || least >= (look >= LOOK_ENUM ? PATTERN_FROM : HIST_FRAME_FROM);
}

static int least_px(const struct hist_block *b, int h)
{
	int w = b->w / (int)b->columns;
	return w < h ? w : h;
}

/* What has frames, patterns or hatches, run by run where the runs look like one. */
static void paint_pictures(struct cv *cv, const struct hist_look *look, const struct hist_block *b,
    const uint16_t *line, int y, int h)
{
	struct tilelook samples = {0};
	int least = least_px(b, h);
	samples.shade[PALETTE_SHADES - 1] = look->colour[PALETTE_SHADES - 1];
	for (uint32_t i = 0; i < b->columns; i++) {
		unsigned code = line[i];
		if (!has_picture(code, least))
			continue;
		uint32_t end = i + 1;
		while (code == LOOK_UNUSED && end < b->columns && line[end] == code)
			end++;
		struct cv_rect r = rect_make(
		    hist_column_x(b, i), y, hist_column_x(b, end) - hist_column_x(b, i), h);
		if (code == LOOK_UNUSED)
			hatch(cv, r, look->theme->unused_ink | 0xff000000u);
		else
			tilelook_sample(cv, &samples, look->theme, r, code);
		i = end - 1;
	}
}

/* For each pixel of the block's width its column. */
static void map_columns(const struct hist_block *b, uint16_t *column_of)
{
	for (uint32_t i = 0; i < b->columns; i++) {
		int end = hist_column_x(b, i + 1) - b->x;
		for (int x = hist_column_x(b, i) - b->x; x < end; x++)
			column_of[x] = (uint16_t)i;
	}
}

static void paint_block(struct cv *cv, const struct hist_look *look, const struct hist_block *b,
    const uint16_t *column_of, const uint16_t *line, int y, int h)
{
	uint32_t *px = cv->px + (size_t)y * (size_t)cv->w + b->x;
	const uint32_t *colour = look->colour;
	unsigned highest = 0;
	if (b->w == (int)b->columns) {
		for (int x = 0; x < b->w; x++)
			px[x] = colour[line[x] & LOOK_MASK];
	} else {
		for (int x = 0; x < b->w; x++)
			px[x] = colour[line[column_of[x]] & LOOK_MASK];
	}
	for (uint32_t i = 0; i < b->columns; i++)
		highest = line[i] > highest ? line[i] : highest;
	for (int i = 1; i < h; i++)
		memcpy(px + (size_t)i * (size_t)cv->w, px, (size_t)b->w * sizeof *px);
	if (highest >= PALETTE_SHADES)
		paint_pictures(cv, look, b, line, y, h);
}

void hist_paint_raster(struct cv *cv, struct hist_shown *shown, const struct hist_look *look,
    const struct hist_graph *g, const struct hist_plan *plan, const struct hist_settings *set)
{
	struct cv_rect r = plan->raster;
	uint16_t *column_of = malloc(((size_t)r.w + 1) * sizeof *column_of);
	if (column_of == NULL || r.x < 0 || r.y < 0 || r.x + r.w > cv->w || r.y + r.h > cv->h) {
		free(column_of);
		return;
	}
	/* Between the lanes there is ground. */
	for (uint32_t b = 0; b + 1 < plan->lanes; b++)
		cv_fill(cv,
		    rect_make(plan->block[b].x + plan->block[b].w, r.y,
			plan->block[b + 1].x - plan->block[b].x - plan->block[b].w, r.h),
		    look->colour[LOOK_BACKGROUND]);
	for (uint32_t b = 0; b < plan->lanes; b++)
		map_columns(&plan->block[b], column_of + (plan->block[b].x - r.x));
	for (uint32_t i = 0; i < plan->page && i < plan->lines; i++) {
		const uint16_t *line = hist_shown_line(shown, g, plan, set, plan->top + i);
		int y = r.y + (int)i * plan->row_px;
		for (uint32_t b = 0; b < plan->lanes; b++)
			paint_block(cv, look, &plan->block[b], column_of + (plan->block[b].x - r.x),
			    line + plan->block[b].first, y, plan->row_px);
	}
	free(column_of);
}
