/* A cache of the codes of lines, smoothed or as edges. Declared in history_view.h. */
#include <stdlib.h>
#include <string.h>

#include "history_view.h"
#include "palette.h"
#include "tilecode.h"

#define NO_CHANGE 127u

void hist_shown_fini(struct hist_shown *s)
{
	free(s->raw);
	free(s->post);
	free(s->raw_of);
	free(s->post_of);
	memset(s, 0, sizeof *s);
}

static bool make_slots(struct hist_shown *s, uint32_t slots, uint32_t columns)
{
	size_t cells = (size_t)slots * columns;
	hist_shown_fini(s);
	s->raw = malloc(cells * sizeof *s->raw);
	s->post = malloc(cells * sizeof *s->post);
	s->raw_of = calloc(slots, sizeof *s->raw_of);
	s->post_of = calloc(slots, sizeof *s->post_of);
	s->slots = slots;
	s->columns = columns;
	if (s->raw != NULL && s->post != NULL && s->raw_of != NULL && s->post_of != NULL)
		return true;
	hist_shown_fini(s);
	return false;
}

static void clear_rows(struct hist_shown *s)
{
	memset(s->raw_of, 0, s->slots * sizeof *s->raw_of);
	memset(s->post_of, 0, s->slots * sizeof *s->post_of);
}

/* Discards lines from this one on; smoothing looks a few lines ahead. */
static void forget_from(struct hist_shown *s, uint64_t line)
{
	uint64_t ahead = line > 5 ? line - 5 : 0;
	for (uint32_t i = 0; i < s->slots; i++) {
		if (s->raw_of[i] > line)
			s->raw_of[i] = 0;
		if (s->post_of[i] > ahead)
			s->post_of[i] = 0;
	}
}

bool hist_shown_prepare(struct hist_shown *s, struct hist_graph *g, const struct hist_plan *plan,
    const struct hist_settings *set)
{
	uint32_t slots = plan->page + 16;
	if ((slots > s->slots || plan->columns != s->columns || s->raw == NULL) &&
	    !make_slots(s, slots, plan->columns))
		return false;
	bool same = s->epoch == g->epoch && s->group == plan->group && s->reduce == set->reduce &&
		    s->smooth == set->smooth && s->edges == set->edges &&
		    memcmp(s->block, plan->block, sizeof s->block) == 0;
	if (!same)
		clear_rows(s);
	else if (g->changed < g->gone + g->count)
		forget_from(s, g->changed / plan->group);
	g->changed = g->gone + g->count;
	s->epoch = g->epoch;
	s->group = plan->group;
	s->reduce = set->reduce;
	s->smooth = set->smooth;
	s->edges = set->edges;
	memcpy(s->block, plan->block, sizeof s->block);
	return true;
}

static void fill_raw(uint16_t *out, const struct hist_graph *g, const struct hist_plan *plan,
    enum hist_reduce by, uint64_t line)
{
	uint32_t from, to;
	hist_line_rows(plan, g, line, &from, &to);
	for (uint32_t lane = 0; lane < plan->lanes; lane++) {
		const struct hist_block *b = &plan->block[lane];
		uint16_t *look = out + b->first;
		const struct hist_row *row = from < to ? hist_row_at(g, from) : NULL;
		const struct hist_row_lane *part = row != NULL ? &row->lane[lane] : NULL;
		bool single = part != NULL && to == from + 1 && b->join == 1;
		for (uint32_t i = 0; i < b->columns; i++) {
			if (single && i < part->columns) {
				look[i] = hist_cell_code(&row->cell[part->first + i], by);
			} else if (single || row == NULL) {
				look[i] = LOOK_BACKGROUND;
			} else {
				struct hist_cell cell =
				    hist_gather(g, lane, from, to, i * b->join, b->join);
				look[i] = hist_cell_code(&cell, by);
			}
		}
	}
}

static const uint16_t *raw_line(struct hist_shown *s, const struct hist_graph *g,
    const struct hist_plan *plan, const struct hist_settings *set, uint64_t line)
{
	uint32_t slot = (uint32_t)(line % s->slots);
	uint16_t *out = s->raw + (size_t)slot * s->columns;
	if (s->raw_of[slot] != line + 1) {
		fill_raw(out, g, plan, (enum hist_reduce)set->reduce, line);
		s->raw_of[slot] = line + 1;
	}
	return out;
}

/* The shade of a number, or -1. */
static int shade_of(unsigned look)
{
	if (look < PALETTE_SHADES)
		return (int)look;
	return look == LOOK_ZERO ? 0 : look == LOOK_OVER ? PALETTE_SHADES - 1 : -1;
}

/* The mean over the neighbouring lines, where the line itself has a number. */
static void smooth_line(uint16_t *out, struct hist_shown *s, const struct hist_graph *g,
    const struct hist_plan *plan, const struct hist_settings *set, uint64_t line)
{
	int window = hist_window(set), half = window / 2;
	const uint16_t *around[9];
	int n = 0, centre = 0;
	for (int d = -half; d <= half; d++) {
		if ((d < 0 && line < plan->first + (uint64_t)-d) ||
		    line + (uint64_t)d >= plan->first + plan->lines)
			continue;
		centre = d == 0 ? n : centre;
		around[n++] = raw_line(s, g, plan, set, line + (uint64_t)d);
	}
	const uint16_t *middle = around[centre];
	if (window == 1) {
		memcpy(out, middle, s->columns * sizeof *out);
		return;
	}
	for (uint32_t i = 0; i < s->columns; i++) {
		int sum = 0, count = 0;
		bool zero = true;
		for (int k = 0; k < n; k++) {
			int shade = shade_of(around[k][i]);
			if (shade < 0)
				continue;
			zero = zero && around[k][i] == LOOK_ZERO;
			sum += shade;
			count++;
		}
		if (shade_of(middle[i]) < 0)
			out[i] = middle[i];
		else
			out[i] =
			    (uint16_t)(zero ? LOOK_ZERO : (unsigned)((sum + count / 2) / count));
	}
}

/* A shade of the diverging palette for a change from the line before. */
static uint16_t edge(unsigned before, unsigned now)
{
	int a = shade_of(before), b = shade_of(now);
	bool was = before != LOOK_UNUSED && before != LOOK_BACKGROUND;
	bool is = now != LOOK_UNUSED && now != LOOK_BACKGROUND;
	if (!was && !is)
		return (uint16_t)now;
	if (was != is)
		return is ? PALETTE_SHADES - 1 : 0;
	if (a >= 0 && b >= 0) {
		int d = b - a;
		/* The smallest change is visible, too. */
		d = d / 2 + (d % 2 > 0) - (d % 2 < 0);
		return (uint16_t)((int)NO_CHANGE + (d > 126 ? 126 : d < -127 ? -127 : d));
	}
	return before == now ? NO_CHANGE : PALETTE_SHADES - 1;
}

const uint16_t *hist_shown_line(struct hist_shown *s, const struct hist_graph *g,
    const struct hist_plan *plan, const struct hist_settings *set, uint64_t line)
{
	if (hist_window(set) == 1 && !set->edges)
		return raw_line(s, g, plan, set, line);
	uint32_t slot = (uint32_t)(line % s->slots);
	uint16_t *out = s->post + (size_t)slot * s->columns;
	if (s->post_of[slot] == line + 1)
		return out;
	smooth_line(out, s, g, plan, set, line);
	if (set->edges) {
		uint16_t *before = malloc(s->columns * sizeof *before);
		if (before != NULL && line > plan->first)
			smooth_line(before, s, g, plan, set, line - 1);
		else if (before != NULL)
			memcpy(before, out, s->columns * sizeof *before);
		for (uint32_t i = 0; before != NULL && i < s->columns; i++)
			out[i] = edge(before[i], out[i]);
		free(before);
	}
	s->post_of[slot] = line + 1;
	return out;
}
