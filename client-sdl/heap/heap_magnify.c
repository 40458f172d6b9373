#include "heap_magnify.h"

struct magnifier magnifier_make(
    struct cv_rect r, int cell_w, int cell_h, int gap, uint32_t tile, uint32_t tiles)
{
	int n = (r.w + gap) / (cell_w + gap);
	n = n < 1 ? 1 : n;
	n -= n % 2 == 0;
	const int used = n * (cell_w + gap) - gap;
	return (struct magnifier){.r = rect_make(r.x + (r.w - used) / 2, r.y, used, cell_h),
	    .cell_w = cell_w,
	    .cell_h = cell_h,
	    .gap = gap,
	    .cells = (uint32_t)n,
	    .tile = tile,
	    .tiles = tiles};
}

struct cv_rect magnifier_cell(const struct magnifier *m, uint32_t i)
{
	return rect_make(m->r.x + (int)i * (m->cell_w + m->gap), m->r.y, m->cell_w, m->cell_h);
}

uint32_t magnifier_tile(const struct magnifier *m, uint32_t i)
{
	const int64_t tile = (int64_t)m->tile - m->cells / 2 + i;
	return i < m->cells && tile >= 0 && tile < m->tiles ? (uint32_t)tile : UINT32_MAX;
}

uint32_t magnifier_at(const struct magnifier *m, int x, int y)
{
	if (!rect_has(m->r, x, y))
		return UINT32_MAX;
	return magnifier_tile(m, (uint32_t)((x - m->r.x) / (m->cell_w + m->gap)));
}
