/* Reduces a snapshot to a row of a history graph. Declared in history_rows.h. */
#include <stdlib.h>
#include <string.h>

#include "history_rows.h"
#include "event_header.h"
#include "palette.h"
#include "tilecode.h"

#define CHUNK 2048u /* tiles decoded at a time */

/* Priority for "largest": zero, shades, "or more", names. */
static unsigned rank_of(unsigned look)
{
	if (look < PALETTE_SHADES)
		return look + 1;
	return look >= LOOK_OVER ? look - 4 : 0;
}

static uint16_t look_of_rank(unsigned rank)
{
	if (rank == 0)
		return LOOK_ZERO;
	return (uint16_t)(rank <= PALETTE_SHADES ? rank - 1 : rank + 4);
}

static bool is_empty(unsigned look)
{
	return look == LOOK_UNUSED || look == LOOK_BACKGROUND;
}

void hist_cell_clear(struct hist_cell *cell)
{
	*cell = (struct hist_cell){.code = LOOK_BACKGROUND};
}

static void join_names(struct hist_cell *cell, const struct hist_cell *more)
{
	if (cell->typical == more->typical) {
		cell->sum += more->sum;
	} else if (more->sum > cell->sum ||
		   (more->sum >= cell->sum && more->typical > cell->typical)) {
		cell->typical = more->typical;
		cell->sum = more->sum;
	}
}

static void join_numbers(struct hist_cell *cell, const struct hist_cell *more)
{
	const double all =
	    (double)cell->typical * cell->count + (double)more->typical * more->count;
	cell->typical = (uint32_t)(all / ((double)cell->count + more->count) + 0.5) & HIST_TYPICAL;
	cell->sum += more->sum;
}

void hist_cell_join(struct hist_cell *cell, const struct hist_cell *more)
{
	if (more->count == 0) {
		if (cell->count == 0 && more->code == LOOK_UNUSED)
			cell->code = LOOK_UNUSED;
		return;
	}
	if (cell->count == 0) {
		*cell = *more;
		return;
	}
	if (cell->code >= LOOK_ENUM || more->code >= LOOK_ENUM)
		join_names(cell, more);
	else
		join_numbers(cell, more);
	if (rank_of(more->code) > rank_of(cell->code))
		cell->code = more->code;
	cell->most = more->most > cell->most ? more->most : cell->most;
	const uint32_t room = UINT32_MAX - cell->count;
	cell->count += more->count < room ? more->count : room;
}

uint16_t hist_cell_code(const struct hist_cell *cell, enum hist_reduce by)
{
	/* The highest is zero: all are. */
	if (by == HIST_LARGEST || cell->count == 0 || cell->code == LOOK_ZERO)
		return (uint16_t)cell->code;
	if (cell->code >= LOOK_ENUM)
		return (uint16_t)cell->typical;
	const uint32_t shade = (cell->typical + HIST_SHADE / 2) / HIST_SHADE;
	return (uint16_t)(shade < PALETTE_SHADES ? shade : PALETTE_SHADES - 1);
}

int64_t hist_cell_value(const struct hist_cell *cell, enum hist_reduce by)
{
	if (by == HIST_LARGEST || cell->count == 0)
		return cell->most;
	double mean = cell->sum / cell->count;
	if (mean >= 9.2e18 || mean <= -9.2e18)
		return mean > 0 ? INT64_MAX : INT64_MIN;
	return (int64_t)(mean < 0 ? mean - 0.5 : mean + 0.5);
}

static struct hist_cell cell_of_numbers(const uint16_t *code, const int64_t *values, uint32_t n)
{
	struct hist_cell cell;
	hist_cell_clear(&cell);
	unsigned best = 0, shades = 0;
	uint32_t used = 0;
	int64_t most = INT64_MIN;
	double sum = 0;
	for (uint32_t i = 0; i < n; i++) {
		unsigned look = code[i] & LOOK_MASK;
		if (is_empty(look)) {
			if (look == LOOK_UNUSED)
				cell.code = LOOK_UNUSED;
			continue;
		}
		unsigned rank = rank_of(look);
		best = rank > best ? rank : best;
		shades += rank > 0 ? rank - 1 : 0;
		most = values[i] > most ? values[i] : most;
		sum += (double)values[i];
		used++;
	}
	if (used == 0)
		return cell;
	return (struct hist_cell){.most = most,
	    .sum = sum,
	    .count = used,
	    .code = look_of_rank(best) & LOOK_MASK,
	    .typical = (uint32_t)((uint64_t)shades * HIST_SHADE / used) & HIST_TYPICAL};
}

static struct hist_cell cell_of_names(const uint16_t *code, const int64_t *values, uint32_t n)
{
	uint32_t seen[LOOK_MASK + 1 - LOOK_ZERO];
	struct hist_cell cell;
	hist_cell_clear(&cell);
	cell.most = INT64_MIN;
	unsigned best = 0;
	if (n > 1)
		memset(seen, 0, sizeof seen);
	for (uint32_t i = 0; i < n; i++) {
		unsigned look = code[i] & LOOK_MASK;
		if (is_empty(look)) {
			if (look == LOOK_UNUSED && cell.count == 0)
				cell.code = LOOK_UNUSED;
			continue;
		}
		unsigned rank = rank_of(look);
		best = rank > best ? rank : best;
		uint32_t times = n > 1 ? ++seen[look - LOOK_ZERO] : 1;
		if (cell.count == 0 || times > cell.sum ||
		    (times >= cell.sum && look > cell.typical)) {
			cell.typical = look & LOOK_MASK;
			cell.sum = times;
		}
		cell.most = values[i] > cell.most ? values[i] : cell.most;
		cell.count++;
	}
	if (cell.count > 0)
		cell.code = look_of_rank(best) & LOOK_MASK;
	return cell;
}

/* Without a stream, a tile is used or not. */
static void make_bare(uint16_t *code, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		unsigned look = code[i] & LOOK_MASK;
		code[i] = (uint16_t)(is_empty(look) ? look : HIST_USED);
	}
}

static void reduce(
    const struct tilecode *tc, bool bare, const struct hist_row_lane *part, struct hist_cell *cells)
{
	uint16_t code[CHUNK];
	bool names = tc->presentation == GCS_ENUM && !bare;
	for (uint32_t i = 0; i < part->columns; i++)
		hist_cell_clear(&cells[i]);
	for (uint32_t at = 0; at < tc->tiles; at += CHUNK) {
		uint32_t n = tc->tiles - at < CHUNK ? tc->tiles - at : CHUNK;
		tilecode_fill(tc, at, n, code);
		if (bare)
			make_bare(code, n);
		for (uint32_t i = 0; i < n;) {
			uint32_t column = (at + i) >> part->shift;
			uint64_t behind = ((uint64_t)(column + 1) << part->shift) - at;
			uint32_t end = behind < n ? (uint32_t)behind : n;
			const int64_t *values = tc->values + at + i;
			struct hist_cell cell = names ? cell_of_names(code + i, values, end - i)
						      : cell_of_numbers(code + i, values, end - i);
			if (cells[column].code == LOOK_BACKGROUND)
				cells[column] = cell;
			else
				hist_cell_join(&cells[column], &cell);
			i = end;
		}
	}
}

void hist_maker_init(
    struct hist_maker *maker, const struct hist_lane *lanes, uint32_t count, uint32_t columns)
{
	hist_maker_fini(maker);
	memcpy(maker->lane, lanes, count * sizeof *lanes);
	maker->lanes = count;
	maker->columns = columns;
}

void hist_maker_fini(struct hist_maker *maker)
{
	gcs_model_unref(maker->model);
	memset(maker, 0, sizeof *maker);
}

/* Maps the names of the lanes to ids in another model. */
static void resolve_streams(struct hist_maker *m, const struct gcs_model *model)
{
	gcs_model_unref(m->model);
	m->model = gcs_model_ref((struct gcs_model *)(uintptr_t)model);
	for (uint32_t i = 0; i < m->lanes; i++) {
		m->space[i] = gcs_model_find_space(model, m->lane[i].space);
		m->stream[i] = GCS_NONE;
		if (m->space[i] == GCS_NONE || model->spaces[m->space[i]].gone)
			continue;
		const struct gcs_space *s = &model->spaces[m->space[i]];
		m->stream[i] = m->lane[i].bare ? s->default_stream
					       : gcs_space_find_stream(s, m->lane[i].stream);
	}
}

/* The total shown by a line chart. */
static void take_total(
    const struct gcs_snapshot *s, uint32_t space, uint32_t stream, struct hist_row_lane *part)
{
	const struct gcs_stream *st = &gcs_snapshot_model(s)->spaces[space].streams[stream];
	uint32_t count = 0;
	if ((st->summary != GCS_SUMMARY_TOTAL && st->summary != GCS_SUMMARY_SHARE) ||
	    st->presentation == GCS_ENUM)
		return;
	if (!tilecode_any_counted(s, space, stream))
		return;
	const int64_t *values = gcs_snapshot_summary(s, space, stream, &count);
	part->has_total = values != NULL && count > 0;
	part->total = part->has_total ? values[0] : 0;
}

/* Sizes of a lane's part; false if the space has nothing to show at this event. */
static bool measure(struct hist_maker *m, const struct gcs_snapshot *s, uint32_t lane,
    struct hist_row_lane *part, struct tilecode *tc)
{
	uint32_t space = m->space[lane], stream = m->stream[lane];
	struct hist_lane *l = &m->lane[lane];
	part->shift = l->shift;
	if (stream == GCS_NONE || !tilecode_init(tc, s, space, stream))
		return false;
	while (((uint64_t)m->columns << l->shift) < tc->tiles)
		l->shift++;
	part->shift = l->shift;
	part->tiles = tc->tiles;
	part->columns = (uint32_t)(((uint64_t)tc->tiles + (1u << l->shift) - 1) >> l->shift);
	if (!l->bare)
		take_total(s, space, stream, part);
	const struct gcs_space *sp = &gcs_snapshot_model(s)->spaces[space];
	uint32_t role = gcs_space_role(sp, GCS_ROLE_RANGE_START);
	const int64_t *starts = role != GCS_NONE ? gcs_snapshot_values(s, space, role) : NULL;
	part->base = starts != NULL ? (uint64_t)starts[0] : 0;
	part->block_bytes = sp->block_bytes;
	return true;
}

bool hist_make(
    struct hist_maker *m, const struct gcs_snapshot *s, uint32_t stride, struct hist_row *row)
{
	const struct gcs_model *model = gcs_snapshot_model(s);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	struct tilecode tc[HIST_LANES];
	bool any[HIST_LANES];
	if (model != m->model)
		resolve_streams(m, model);
	struct event_header header = event_header_of(s);
	*row = (struct hist_row){.number = o->sequence,
	    .time_ns = o->time_ns,
	    .last_ns = o->time_ns,
	    .events = 1,
	    .stride = stride,
	    .event = o->event,
	    .kinds = o->event < 64 ? UINT64_C(1) << o->event : 0,
	    .pause_ns = header.pause_ns,
	    .used = header.used_bytes,
	    .counters = model->event_count};
	size_t cells = 0;
	for (uint32_t i = 0; i < m->lanes; i++) {
		any[i] = measure(m, s, i, &row->lane[i], &tc[i]);
		row->lane[i].first = (uint32_t)cells;
		cells += row->lane[i].columns;
	}
	row->cell = malloc((cells + 1) * sizeof *row->cell + row->counters * sizeof(uint32_t));
	if (row->cell == NULL)
		return false;
	row->counter = (uint32_t *)(void *)(row->cell + cells + 1);
	for (uint32_t i = 0; i < row->counters; i++)
		row->counter[i] = (uint32_t)gcs_snapshot_counter(s, i);
	for (uint32_t i = 0; i < m->lanes; i++) {
		if (any[i])
			reduce(
			    &tc[i], m->lane[i].bare, &row->lane[i], row->cell + row->lane[i].first);
	}
	return true;
}

void hist_row_free(struct hist_row *row)
{
	free(row->cell);
	memset(row, 0, sizeof *row);
}
