/* The raster of a history graph, pixel by pixel. Declared in history_view.h. */
#include <stdlib.h>
#include <string.h>

#include "history_view.h"
#include "palette.h"
#include "tilecode.h"

/* Cells with frames, patterns or hatches, run by run of equal cells. Dimmed ones have none. */
static void paint_pictures(struct cv *cv, const struct hist_palette *palette,
    const struct hist_plan *p, uint32_t lane, const uint16_t *line, int y)
{
	const struct hist_block *b = &p->block[lane];
	int only = palette->only[lane];
	for (uint32_t i = 0; i < b->columns; i++) {
		unsigned code = line[i] & LOOK_MASK;
		if (!hist_has_pattern(p->detail, code) || (only >= 0 && (int)code != only))
			continue;
		uint32_t end = i + 1;
		bool runs = code == LOOK_UNUSED || p->detail == HIST_TEXTURES;
		while (runs && end < b->columns && line[end] == line[i])
			end++;
		struct cv_rect r = rect_make(
		    hist_column_x(b, i), y, hist_column_x(b, end) - hist_column_x(b, i), p->row_px);
		hist_paint_pattern(cv, palette, p->detail, r, code);
		i = end - 1;
	}
}

/* The column of each pixel of the block's width. */
static void map_columns(const struct hist_block *b, uint16_t *column_of)
{
	for (uint32_t i = 0; i < b->columns; i++) {
		int end = hist_column_x(b, i + 1) - b->x;
		for (int x = hist_column_x(b, i) - b->x; x < end; x++)
			column_of[x] = (uint16_t)i;
	}
}

static void paint_block(struct cv *cv, const struct hist_palette *palette,
    const struct hist_plan *p, uint32_t lane, const uint16_t *column_of, const uint16_t *line,
    int y)
{
	const struct hist_block *b = &p->block[lane];
	uint32_t *px = cv->px + (size_t)y * (size_t)cv->w + b->x;
	const uint32_t *colour = hist_palette_colours(palette, lane);
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
	for (int i = 1; i < p->row_px; i++)
		memcpy(px + (size_t)i * (size_t)cv->w, px, (size_t)b->w * sizeof *px);
	if (highest >= PALETTE_SHADES)
		paint_pictures(cv, palette, p, lane, line, y);
}

void hist_paint_raster(struct cv *cv, struct hist_shown *shown, const struct hist_palette *palette,
    const struct hist_graph *g, const struct hist_plan *plan, const struct hist_settings *set)
{
	struct cv_rect r = plan->raster;
	uint16_t *column_of = malloc(((size_t)r.w + 1) * sizeof *column_of);
	if (column_of == NULL || r.x < 0 || r.y < 0 || r.x + r.w > cv->w || r.y + r.h > cv->h) {
		free(column_of);
		return;
	}
	/* Background between the lanes. */
	for (uint32_t b = 0; b + 1 < plan->lanes; b++)
		cv_fill(cv,
		    rect_make(plan->block[b].x + plan->block[b].w, r.y,
			plan->block[b + 1].x - plan->block[b].x - plan->block[b].w, r.h),
		    palette->colour[LOOK_BACKGROUND]);
	for (uint32_t b = 0; b < plan->lanes; b++)
		map_columns(&plan->block[b], column_of + (plan->block[b].x - r.x));
	for (uint32_t i = 0; i < plan->page && i < plan->lines; i++) {
		const uint16_t *line = hist_shown_line(shown, g, plan, set, plan->top + i);
		int y = r.y + (int)i * plan->row_px;
		for (uint32_t b = 0; b < plan->lanes; b++)
			paint_block(cv, palette, plan, b, column_of + (plan->block[b].x - r.x),
			    line + plan->block[b].first, y);
	}
	free(column_of);
}
