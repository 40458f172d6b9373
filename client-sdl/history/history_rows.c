/* The rows of a history graph: a ring that is thinned when full. Declared in history_rows.h. */
#include <stdlib.h>
#include <string.h>

#include "history_rows.h"
#include "tilecode.h"

uint32_t hist_columns(uint32_t limit, uint32_t lanes)
{
	uint32_t columns = HIST_CELLS / (limit > 0 ? limit : 1);
	columns = columns < HIST_COLUMNS ? columns : HIST_COLUMNS;
	columns /= lanes > 0 ? lanes : 1;
	return columns > 16 ? columns : 16;
}

static struct hist_row *at(const struct hist_graph *g, uint32_t i)
{
	uint32_t slot = g->first + i;
	return &g->row[slot < g->limit ? slot : slot - g->limit];
}

const struct hist_row *hist_row_at(const struct hist_graph *g, uint32_t i)
{
	return at(g, i);
}

static void free_rows(struct hist_graph *g)
{
	for (uint32_t i = 0; i < g->count; i++)
		hist_row_free(at(g, i));
	g->first = g->count = 0;
}

void hist_graph_clear(struct hist_graph *g, const struct hist_lane *lanes, uint32_t count)
{
	free_rows(g);
	gcs_model_unref(g->model);
	g->model = NULL;
	if (count > 0)
		memcpy(g->lane, lanes, count * sizeof *lanes);
	for (uint32_t i = 0; i < count; i++) {
		g->lane[i].tiles = g->lane[i].shift = 0;
		g->lane[i].most = HIST_NONE;
	}
	g->lanes = count;
	g->stride = 1;
	g->events = g->given_up = g->gone = g->changed = g->base_ns = 0;
	g->most_pause = g->most_used = -1;
	g->epoch++;
}

void hist_graph_fini(struct hist_graph *g)
{
	free_rows(g);
	gcs_model_unref(g->model);
	free(g->row);
	memset(g, 0, sizeof *g);
}

void hist_graph_describe(struct hist_graph *g, const struct gcs_model *model)
{
	if (model == g->model)
		return;
	gcs_model_unref(g->model);
	g->model = gcs_model_ref((struct gcs_model *)(uintptr_t)model);
}

/* Joins two cells of a lane. */
static void halve_lane(struct hist_row *row, uint32_t lane)
{
	struct hist_row_lane *s = &row->lane[lane];
	struct hist_cell *cell = row->cell + s->first;
	for (uint32_t i = 0; i < s->columns; i += 2) {
		cell[i / 2] = cell[i];
		if (i + 1 < s->columns)
			hist_cell_join(&cell[i / 2], &cell[i + 1]);
	}
	s->columns = (s->columns + 1) / 2;
	s->shift++;
}

static void widen(struct hist_graph *g, uint32_t lane, uint32_t shift)
{
	for (uint32_t i = 0; i < g->count; i++) {
		while (at(g, i)->lane[lane].shift < shift)
			halve_lane(at(g, i), lane);
	}
	g->lane[lane].shift = shift;
	g->epoch++;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* True if row b has more cells in a lane. */
static bool longer(const struct hist_graph *g, const struct hist_row *a, const struct hist_row *b)
{
	for (uint32_t i = 0; i < g->lanes; i++) {
		if (a->lane[i].columns < b->lane[i].columns)
			return true;
	}
	return false;
}

/* Makes room for the larger of both in each lane; false without memory (the row is unchanged). */
static bool make_room(struct hist_graph *g, struct hist_row *row, const struct hist_row *more)
{
	size_t cells = 0;
	uint32_t counters = row->counters > more->counters ? row->counters : more->counters;
	for (uint32_t i = 0; i < g->lanes; i++)
		cells += row->lane[i].columns > more->lane[i].columns ? row->lane[i].columns
								      : more->lane[i].columns;
	struct hist_cell *cell = malloc((cells + 1) * sizeof *cell + counters * sizeof(uint32_t));
	if (cell == NULL)
		return false;
	uint32_t *counter = (uint32_t *)(void *)(cell + cells + 1);
	memset(counter, 0, counters * sizeof *counter);
	memcpy(counter, row->counter, row->counters * sizeof *counter);
	uint32_t next = 0;
	for (uint32_t i = 0; i < g->lanes; i++) {
		struct hist_row_lane *s = &row->lane[i];
		uint32_t most =
		    s->columns > more->lane[i].columns ? s->columns : more->lane[i].columns;
		memcpy(cell + next, row->cell + s->first, s->columns * sizeof *cell);
		for (uint32_t j = s->columns; j < most; j++)
			hist_cell_clear(&cell[next + j]);
		s->first = next;
		s->columns = most;
		next += most;
	}
	free(row->cell);
	row->cell = cell;
	row->counter = counter;
	row->counters = counters;
	return true;
}

/* Adds a later row to a row and frees it. */
static void join_rows(struct hist_graph *g, struct hist_row *row, struct hist_row *more)
{
	if (longer(g, row, more) || row->counters < more->counters)
		make_room(g, row, more);
	for (uint32_t i = 0; i < g->lanes; i++) {
		struct hist_row_lane *a = &row->lane[i];
		const struct hist_row_lane *b = &more->lane[i];
		for (uint32_t j = 0; j < b->columns && j < a->columns; j++)
			hist_cell_join(&row->cell[a->first + j], &more->cell[b->first + j]);
		a->tiles = b->tiles > a->tiles ? b->tiles : a->tiles;
		a->total = a->has_total && b->has_total ? larger(a->total, b->total)
			   : a->has_total               ? a->total
							: b->total;
		a->has_total = a->has_total || b->has_total;
	}
	for (uint32_t i = 0; i < more->counters && i < row->counters; i++)
		row->counter[i] = more->counter[i];
	row->number = more->number;
	row->last_ns = more->last_ns;
	row->event = more->event;
	row->events += more->events;
	row->stride = more->stride > row->stride ? more->stride : row->stride;
	row->kinds |= more->kinds;
	row->pause_ns = larger(row->pause_ns, more->pause_ns);
	row->used = larger(row->used, more->used);
	hist_row_free(more);
}

/* Merges neighbouring rows. */
static void thin(struct hist_graph *g)
{
	g->stride *= 2;
	uint32_t n = 0;
	for (uint32_t i = 0; i < g->count; n++) {
		struct hist_row row = *at(g, i++);
		if (i < g->count && row.events + at(g, i)->events <= g->stride)
			join_rows(g, &row, at(g, i++));
		*at(g, n) = row;
	}
	for (uint32_t i = n; i < g->count; i++)
		*at(g, i) = (struct hist_row){0};
	g->count = n;
	g->gone = 0;
	g->changed = 0;
	g->epoch++;
}

static void drop_oldest(struct hist_graph *g)
{
	g->given_up += at(g, 0)->events;
	g->events -= at(g, 0)->events;
	hist_row_free(at(g, 0));
	g->first = g->first + 1 < g->limit ? g->first + 1 : 0;
	g->count--;
	g->gone++;
}

/* Limits the number of rows. */
static void shrink(struct hist_graph *g, uint32_t most)
{
	while (g->count > most) {
		if (g->newest)
			drop_oldest(g);
		else
			thin(g);
	}
}

bool hist_graph_limit(struct hist_graph *g, uint32_t limit, bool newest)
{
	g->newest = newest;
	if (limit == g->limit)
		return true;
	struct hist_row *row = calloc(limit, sizeof *row);
	if (row == NULL)
		return false;
	shrink(g, limit);
	for (uint32_t i = 0; i < g->count; i++)
		row[i] = *at(g, i);
	free(g->row);
	g->row = row;
	g->first = 0;
	g->limit = limit;
	return true;
}

/* Makes the row's cells as coarse as the graph's. */
static void fit(struct hist_graph *g, struct hist_row *row)
{
	uint32_t most = hist_columns(g->limit, g->lanes);
	for (uint32_t i = 0; i < g->lanes; i++) {
		struct hist_row_lane *s = &row->lane[i];
		while (s->shift < g->lane[i].shift || s->columns > most)
			halve_lane(row, i);
		if (s->shift > g->lane[i].shift)
			widen(g, i, s->shift);
		g->lane[i].tiles = s->tiles > g->lane[i].tiles ? s->tiles : g->lane[i].tiles;
		if (s->tiles > 0) {
			g->lane[i].base = s->base;
			g->lane[i].block_bytes = s->block_bytes;
		}
		if (s->has_total)
			g->lane[i].most = larger(g->lane[i].most, s->total);
	}
}

void hist_graph_push(struct hist_graph *g, struct hist_row *row)
{
	if (g->limit == 0) {
		hist_row_free(row);
		return;
	}
	fit(g, row);
	if (g->events == 0 && g->given_up == 0)
		g->base_ns = row->time_ns;
	g->events += row->events;
	g->stride = row->events > g->stride ? row->events : g->stride;
	g->most_pause = larger(g->most_pause, row->pause_ns);
	g->most_used = larger(g->most_used, row->used);
	uint64_t last = g->gone + g->count - (g->count > 0);
	struct hist_row *before = g->count > 0 ? at(g, g->count - 1) : NULL;
	if (before != NULL && before->events + row->events <= g->stride) {
		join_rows(g, before, row);
		g->changed = last < g->changed ? last : g->changed;
		return;
	}
	if (g->count == g->limit) {
		shrink(g, g->limit - 1);
		if (!g->newest) {
			/* The last row may have room now. */
			g->events -= row->events;
			hist_graph_push(g, row);
			return;
		}
	}
	uint64_t now = g->gone + g->count;
	g->changed = now < g->changed ? now : g->changed;
	g->count++;
	*at(g, g->count - 1) = *row;
	*row = (struct hist_row){0};
}

uint32_t hist_row_find(const struct hist_graph *g, uint64_t time_ns)
{
	uint32_t low = 0, high = g->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (at(g, middle)->time_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? low - 1 : 0;
}

struct hist_cell hist_gather(const struct hist_graph *g, uint32_t lane, uint32_t from, uint32_t to,
    uint32_t first, uint32_t count)
{
	struct hist_cell cell;
	bool any = false;
	hist_cell_clear(&cell);
	for (uint32_t i = from; i < to && i < g->count; i++) {
		const struct hist_row *row = at(g, i);
		const struct hist_row_lane *s = &row->lane[lane];
		for (uint32_t j = first; j < first + count && j < s->columns; j++) {
			if (any)
				hist_cell_join(&cell, &row->cell[s->first + j]);
			else
				cell = row->cell[s->first + j];
			any = true;
		}
	}
	return cell;
}
