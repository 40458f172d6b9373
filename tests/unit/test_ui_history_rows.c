/* Reduced rows of history graphs (V8): what is joined is exact, and nothing is left out unsaid. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "palette.h"
#include "tilecode.h"
#include "ui_charts.h"
#include "ui_history.h"

static struct gcs_model *model;
static struct gcs_snapshot *last;
static struct hist_graph g;
static struct hist_maker maker;

static void open_graph(const struct hist_lane *lanes, uint32_t n, uint32_t limit, bool newest)
{
	model = field_model();
	cr_assert(hist_graph_limit(&g, limit, newest));
	hist_graph_clear(&g, lanes, n);
	hist_maker_init(&maker, lanes, n, hist_columns(limit, n));
}

static void open_field(const char *stream, uint32_t limit, bool newest)
{
	struct hist_lane lane = field_lane("Field", stream);
	open_graph(&lane, 1, limit, newest);
}

static void close_graph(void)
{
	hist_graph_fini(&g);
	hist_maker_fini(&maker);
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	last = NULL;
}

static void take(struct gcs_snapshot *s)
{
	struct hist_row row;
	gcs_snapshot_unref(last);
	last = s;
	cr_assert(hist_make(&maker, s, 1, &row));
	hist_graph_push(&g, &row);
	hist_graph_describe(&g, gcs_snapshot_model(s));
}

static void add(unsigned step, uint32_t tiles, int64_t (*value)(uint32_t, unsigned))
{
	take(field_snapshot(model, last, step, tiles, value));
}

static const struct hist_cell *cell_at(uint32_t row, uint32_t lane, uint32_t column)
{
	const struct hist_row *r = hist_row_at(&g, row);
	cr_assert_lt(column, r->lane[lane].columns);
	return &r->cell[r->lane[lane].first + column];
}

/* The largest and the mean of tiles first .. first + n - 1 over steps, the slow way. */
static void reckon(
    unsigned from, unsigned to, uint32_t first, uint32_t n, int64_t *most, double *sum)
{
	*most = INT64_MIN;
	*sum = 0;
	for (unsigned step = from; step < to; step++) {
		for (uint32_t i = first; i < first + n; i++) {
			int64_t v = field_noise(i, step);
			*most = v > *most ? v : *most;
			*sum += (double)v;
		}
	}
}

Test(history_rows, a_tile_to_a_column, .fini = close_graph)
{
	open_field("Value", 100, false);
	add(0, 50, field_noise);
	cr_assert_eq(g.count, 1);
	cr_assert_eq(hist_row_at(&g, 0)->lane[0].columns, 50);
	struct tilecode tc;
	cr_assert(tilecode_init(&tc, last, 0, FIELD_VALUE));
	for (uint32_t i = 0; i < 50; i++) {
		uint16_t code;
		tilecode_fill(&tc, i, 1, &code);
		cr_assert_eq(cell_at(0, 0, i)->most, field_noise(i, 0));
		cr_assert_eq(hist_cell_code(cell_at(0, 0, i), HIST_LARGEST), code & LOOK_MASK);
		cr_assert_eq(hist_cell_code(cell_at(0, 0, i), HIST_MEAN), code & LOOK_MASK);
	}
	cr_assert_eq(hist_row_at(&g, 0)->time_ns, field_time(0));
	cr_assert_eq(hist_row_at(&g, 0)->counter[0], 1);
	cr_assert_eq(hist_row_at(&g, 0)->pause_ns, 0);
}

Test(history_rows, largest_and_mean_of_several_tiles_are_exact, .fini = close_graph)
{
	open_field("Value", 1000, false);
	add(3, 104399, field_noise);
	const struct hist_row_lane *s = &hist_row_at(&g, 0)->lane[0];
	uint32_t per = 1u << s->shift;
	cr_assert_eq(per, 64);
	cr_assert_leq(s->columns, HIST_COLUMNS);
	cr_assert_eq(s->columns, (104399 + per - 1) / per);
	for (uint32_t c = 0; c < s->columns; c++) {
		uint32_t n = c + 1 < s->columns ? per : 104399 - c * per;
		int64_t most;
		double sum;
		reckon(3, 4, c * per, n, &most, &sum);
		cr_assert_eq(cell_at(0, 0, c)->most, most);
		cr_assert_eq(cell_at(0, 0, c)->sum, sum);
		cr_assert_eq(cell_at(0, 0, c)->count, n);
		cr_assert_eq(
		    hist_cell_value(cell_at(0, 0, c), HIST_MEAN), (int64_t)(sum / n + 0.5));
	}
}

/* The single large value of a million is never skipped. */
static int64_t lonely(uint32_t tile, unsigned step)
{
	return tile == 77777 && step == 5 ? 1000 : 0;
}

Test(history_rows, one_of_many_stays_in_sight, .fini = close_graph)
{
	open_field("Value", 10, false);
	for (unsigned i = 0; i < 100; i++)
		add(i, 100000, lonely);
	bool found = false;
	for (uint32_t r = 0; r < g.count; r++) {
		const struct hist_row_lane *s = &hist_row_at(&g, r)->lane[0];
		for (uint32_t c = 0; c < s->columns; c++) {
			uint16_t look = hist_cell_code(cell_at(r, 0, c), HIST_LARGEST);
			cr_assert(look == LOOK_ZERO || look == PALETTE_SHADES - 1);
			found = found || (look != LOOK_ZERO && c == 77777u >> s->shift &&
					     cell_at(r, 0, c)->most == 1000);
		}
	}
	cr_assert(found);
}

Test(history_rows, thinning_joins_neighbours_exactly, .fini = close_graph)
{
	open_field("Value", 16, false);
	for (unsigned i = 0; i < 100; i++)
		add(i, 40, field_noise);
	cr_assert_eq(g.stride, 8);
	cr_assert_eq(g.events, 100);
	cr_assert_eq(g.given_up, 0);
	cr_assert_eq(g.count, 13);
	unsigned step = 0;
	for (uint32_t r = 0; r < g.count; r++) {
		const struct hist_row *row = hist_row_at(&g, r);
		unsigned end = step + (unsigned)row->events;
		cr_assert_eq(row->time_ns, field_time(step));
		cr_assert_eq(row->last_ns, field_time(end - 1));
		cr_assert_eq(row->number, end);
		for (uint32_t c = 0; c < 40; c++) {
			int64_t most;
			double sum;
			reckon(step, end, c, 1, &most, &sum);
			cr_assert_eq(cell_at(r, 0, c)->most, most);
			cr_assert_eq(cell_at(r, 0, c)->sum, sum);
		}
		step = end;
	}
	cr_assert_eq(step, 100);
	cr_assert_eq(hist_row_at(&g, 0)->pause_ns, 6000);
}

Test(history_rows, newest_only_gives_up_the_oldest_and_counts, .fini = close_graph)
{
	open_field("Value", 16, true);
	for (unsigned i = 0; i < 100; i++)
		add(i, 4, field_noise);
	cr_assert_eq(g.count, 16);
	cr_assert_eq(g.stride, 1);
	cr_assert_eq(g.given_up, 84);
	cr_assert_eq(g.gone, 84);
	for (uint32_t r = 0; r < 16; r++)
		cr_assert_eq(cell_at(r, 0, 1)->most, field_noise(1, 84 + r));
	cr_assert_eq(g.base_ns, field_time(0));
}

Test(history_rows, another_limit_keeps_what_fits, .fini = close_graph)
{
	open_field("Value", 100, false);
	for (unsigned i = 0; i < 100; i++)
		add(i, 4, field_noise);
	cr_assert(hist_graph_limit(&g, 30, false));
	cr_assert_eq(g.count, 25);
	cr_assert_eq(g.stride, 4);
	cr_assert_eq(g.events, 100);
	cr_assert(hist_graph_limit(&g, 20, true));
	cr_assert_eq(g.count, 20);
	cr_assert_eq(g.given_up, 20);
	cr_assert(hist_graph_limit(&g, 200, true));
	add(100, 4, field_noise);
	cr_assert_eq(g.events, 81);
}

Test(history_rows, a_growing_space_gets_columns_and_then_joins_them, .fini = close_graph)
{
	open_field("Value", 1000, false);
	add(0, 10, field_noise);
	add(1, 2000, field_noise);
	cr_assert_eq(g.lane[0].shift, 0);
	cr_assert_eq(hist_row_at(&g, 0)->lane[0].columns, 10);
	add(2, 9000, field_noise);
	cr_assert_eq(g.lane[0].shift, 3);
	cr_assert_eq(g.lane[0].tiles, 9000);
	for (uint32_t r = 0; r < 3; r++) {
		static const uint32_t tiles[] = {10, 2000, 9000};
		cr_assert_eq(hist_row_at(&g, r)->lane[0].columns, (tiles[r] + 7) / 8);
		for (uint32_t c = 0; c < (tiles[r] + 7) / 8; c++) {
			uint32_t n = c * 8 + 8 <= tiles[r] ? 8 : tiles[r] - c * 8;
			int64_t most;
			double sum;
			reckon(r, r + 1, c * 8, n, &most, &sum);
			cr_assert_eq(cell_at(r, 0, c)->most, most);
			cr_assert_eq(cell_at(r, 0, c)->sum, sum);
		}
	}
}

Test(history_rows, a_space_shrinks_is_withdrawn_and_comes_back, .fini = close_graph)
{
	struct gcs_error err;
	open_field("Value", 100, false);
	add(0, 30, field_noise);
	add(1, 7, field_noise);
	add(2, 0, field_noise);
	struct gcs_model *without = gcs_model_copy(model);
	cr_assert_eq(gcs_model_remove_space(without, 0, &err), GCS_OK);
	struct gcs_model *with = model;
	model = without;
	add(3, 0, field_noise);
	model = with;
	gcs_model_unref(without);
	add(4, 12, field_noise);
	static const uint32_t tiles[] = {30, 7, 0, 0, 12};
	cr_assert_eq(g.count, 5);
	for (uint32_t r = 0; r < 5; r++) {
		cr_assert_eq(hist_row_at(&g, r)->lane[0].tiles, tiles[r]);
		cr_assert_eq(hist_row_at(&g, r)->lane[0].columns, tiles[r]);
		struct hist_cell cell = hist_gather(&g, 0, r, r + 1, 0, 30);
		cr_assert_eq(cell.count, tiles[r]);
	}
	cr_assert_eq(hist_gather(&g, 0, 3, 4, 0, 1).code, LOOK_BACKGROUND);
}

/* Rows of different sizes in one: what only one of them has is kept. */
Test(history_rows, thinning_rows_of_different_sizes, .fini = close_graph)
{
	open_field("Value", 10, false);
	for (unsigned i = 0; i < 20; i++)
		add(i, i % 2 == 0 ? 5 : 9, field_noise);
	cr_assert_eq(g.stride, 2);
	for (uint32_t r = 0; r < g.count; r++) {
		cr_assert_eq(hist_row_at(&g, r)->lane[0].columns, 9);
		cr_assert_eq(cell_at(r, 0, 8)->most, field_noise(8, 2 * r + 1));
		cr_assert_eq(cell_at(r, 0, 2)->count, 2);
	}
}

Test(history_rows, joined_spaces_have_one_axis, .fini = close_graph)
{
	struct hist_lane lanes[] = {field_lane("Field", "Value"), field_lane("Other", "Value"),
	    field_lane("Field", "Kind"), field_lane("Nowhere", "Value")};
	open_graph(lanes, 4, 100, false);
	add(0, 20, field_noise);
	add(1, 25, field_noise);
	const struct hist_row *row = hist_row_at(&g, 1);
	cr_assert_eq(row->lane[0].columns, 25);
	cr_assert_eq(row->lane[1].columns, 3);
	cr_assert_eq(row->lane[2].columns, 25);
	cr_assert_eq(row->lane[3].columns, 0);
	cr_assert_eq(cell_at(1, 1, 2)->most, field_noise(2, 1));
	cr_assert_eq(hist_cell_code(cell_at(1, 2, 4), HIST_LARGEST),
	    LOOK_ENUM + (unsigned)(field_noise(4, 1) % 4));
	cr_assert(row->lane[1].has_total);
	cr_assert_eq(row->lane[1].total, field_noise(0, 1) + field_noise(1, 1) + field_noise(2, 1));
	cr_assert_not(row->lane[2].has_total);
	cr_assert_eq(g.lane[2].most, HIST_NONE);
}

static int64_t kinds(uint32_t tile, unsigned step)
{
	static const int64_t of[] = {1, 1, 1, 2, 2, 3, 0, 0};
	(void)step;
	return of[tile % 8];
}

/* Of names the largest is the last one, the mean the commonest. */
Test(history_rows, names, .fini = close_graph)
{
	open_field("Kind", 1000, false);
	add(0, 2048 * 8, kinds);
	cr_assert_eq(g.lane[0].shift, 3);
	cr_assert_eq(hist_cell_code(cell_at(0, 0, 5), HIST_LARGEST), LOOK_ENUM + 3);
	cr_assert_eq(hist_cell_code(cell_at(0, 0, 5), HIST_MEAN), LOOK_ENUM + 1);
	cr_assert_eq(cell_at(0, 0, 5)->count, 8);
}

/* Seven of 1 and one of 2; then three and five. */
static int64_t kinds_by_cell(uint32_t tile, unsigned step)
{
	(void)step;
	return tile % 8 < (tile / 8 % 2 == 0 ? 7 : 3) ? 1 : 2;
}

/* No cell counts the names of the one before it. */
Test(history_rows, names_of_each_cell, .fini = close_graph)
{
	open_field("Kind", 1000, false);
	add(0, 2048 * 8, kinds_by_cell);
	for (uint32_t i = 0; i < 9; i++)
		cr_assert_eq(
		    hist_cell_code(cell_at(0, 0, i), HIST_MEAN), LOOK_ENUM + 1 + i % 2, "%u", i);
}

/* Of two names that are equally common the later one is shown, whichever of the tiles comes first. */
Test(history_rows, names_as_common_as_each_other)
{
	const struct hist_cell early = {
	    .count = 3, .sum = 2, .code = LOOK_ENUM + 1, .typical = LOOK_ENUM + 1};
	const struct hist_cell late = {
	    .count = 3, .sum = 2, .code = LOOK_ENUM + 2, .typical = LOOK_ENUM + 2};
	for (int swapped = 0; swapped < 2; swapped++) {
		struct hist_cell cell = swapped ? late : early;
		hist_cell_join(&cell, swapped ? &early : &late);
		cr_assert_eq(hist_cell_code(&cell, HIST_MEAN), LOOK_ENUM + 2, "%d", swapped);
		cr_assert_eq(hist_cell_code(&cell, HIST_LARGEST), LOOK_ENUM + 2, "%d", swapped);
		cr_assert_eq(cell.count, 6);
	}
}

/* The mean of many cells is not the one of the first few: it has room for small parts of a shade. */
Test(history_rows, mean_of_many_cells)
{
	enum { CELLS = 4000 };
	const struct hist_cell low = {.count = 1, .code = 10, .typical = 10 * HIST_SHADE};
	const struct hist_cell high = {.count = 1, .code = 20, .typical = 20 * HIST_SHADE};
	struct hist_cell cell = low;
	for (uint32_t i = 1; i < CELLS; i++)
		hist_cell_join(&cell, i < CELLS / 2 ? &low : &high);
	cr_assert_eq(hist_cell_code(&cell, HIST_MEAN), 15);
	cr_assert_eq(hist_cell_code(&cell, HIST_LARGEST), 20);
	cr_assert_leq(sizeof cell, 24);
}

Test(history_rows, unused_tiles_and_no_stream, .fini = close_graph)
{
	open_field("", 1000, false);
	struct gcs_snapshot *s = field_snapshot(model, NULL, 0, 4096, field_noise);
	int64_t *bits = gcs_snapshot_write(s, 0, FIELD_CONTROL);
	for (uint32_t i = 100; i < 4096; i++)
		bits[i] = i < 200 ? GCS_TILE_UNUSED : i < 300 ? GCS_TILE_BACKGROUND : GCS_TILE_USED;
	take(s);
	cr_assert_eq(g.lane[0].shift, 1);
	cr_assert_eq(cell_at(0, 0, 3)->code, HIST_USED);
	cr_assert_eq(cell_at(0, 0, 60)->code, LOOK_UNUSED);
	cr_assert_eq(cell_at(0, 0, 60)->count, 0);
	cr_assert_eq(cell_at(0, 0, 120)->code, LOOK_BACKGROUND);
	cr_assert_eq(cell_at(0, 0, 200)->code, HIST_USED);
}

static int64_t extreme(uint32_t tile, unsigned step)
{
	(void)step;
	return tile % 2 == 0 ? INT64_MAX : INT64_MIN;
}

/* A hostile server's numbers overflow nothing. */
Test(history_rows, extreme_values, .fini = close_graph)
{
	open_field("Value", 10, false);
	for (unsigned i = 0; i < 40; i++) {
		struct gcs_snapshot *s = field_snapshot(model, last, i, 64, field_noise);
		int64_t *values = gcs_snapshot_write(s, 0, FIELD_VALUE);
		for (uint32_t t = 0; t < 64; t++)
			values[t] = extreme(t, i);
		take(s);
	}
	cr_assert_eq(cell_at(0, 0, 0)->most, INT64_MAX);
	cr_assert_eq(hist_cell_value(cell_at(0, 0, 0), HIST_MEAN), INT64_MAX);
	cr_assert_eq(hist_cell_value(cell_at(0, 0, 1), HIST_MEAN), INT64_MIN);
}

Test(history_rows, memory_is_bounded)
{
	for (uint32_t rows = 10; rows <= HIST_ROWS; rows += 333) {
		for (uint32_t lanes = 1; lanes <= HIST_LANES; lanes++) {
			uint64_t cells = (uint64_t)hist_columns(rows, lanes) * lanes * rows;
			cr_assert_leq(cells, (uint64_t)HIST_CELLS);
			cr_assert_geq(hist_columns(rows, lanes), 16);
			cr_assert_leq(hist_columns(rows, lanes) * lanes, HIST_COLUMNS);
		}
	}
}

Test(history_rows, a_row_by_its_time, .fini = close_graph)
{
	open_field("Value", 100, false);
	for (unsigned i = 0; i < 10; i++)
		add(i, 4, field_noise);
	cr_assert_eq(hist_row_find(&g, 0), 0);
	cr_assert_eq(hist_row_find(&g, field_time(4)), 4);
	cr_assert_eq(hist_row_find(&g, field_time(5) - 1), 4);
	cr_assert_eq(hist_row_find(&g, UINT64_MAX), 9);
}

/* A tile that no heap walk has counted has no value, and a space without any has no total. */
Test(history_rows, tiles_that_are_not_counted, .fini = close_graph)
{
	struct hist_lane lane = field_lane("Charted", "Objects");
	open_graph(&lane, 1, 100, false);
	take(charted_counted(9, false));
	cr_assert_not(hist_row_at(&g, 0)->lane[0].has_total);
	cr_assert_eq(cell_at(0, 0, 4)->count, 0);
	struct hist_row row;
	struct gcs_snapshot *s = charted_counted(9, true);
	cr_assert(hist_make(&maker, s, 1, &row));
	cr_assert(row.lane[0].has_total && row.lane[0].total == 270);
	cr_assert_eq(row.cell[3].count, 0);
	cr_assert(row.cell[4].count == 1 && row.cell[4].most == 40);
	hist_row_free(&row);
	gcs_snapshot_unref(s);
}
