/*
 * What charts compute (V9, V10): values and percentiles, axes, bins, columns, correlation, areas of
 * treemaps, the order of a table; with values of any size.
 */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "charts.h"
#include "stats.h"
#include "tileinfo.h"
#include "ui_charts.h"

static struct chart_data data_of(const struct gcs_snapshot *s, uint32_t stream)
{
	struct chart_data d;
	cr_assert(chart_data_init(&d, s, 0, stream));
	return d;
}

static bool finite_axis(const struct axis *a)
{
	bool ok = isfinite(a->low) && isfinite(a->high) && a->low < a->high && a->count >= 0 &&
		  a->count <= AXIS_TICKS;
	for (int i = 0; i < a->count; i++)
		ok = ok && isfinite(a->tick[i]) && a->label[i][0] != 0;
	return ok;
}

Test(charts_data, what_is_used)
{
	struct gcs_snapshot *s = charted_snapshot(100, CHARTED_PLAIN, 1);
	struct chart_data d = data_of(s, CHARTED_COUNT);
	int64_t min = INT64_MAX, max = INT64_MIN, sum = 0;
	const int64_t *v = gcs_snapshot_values(s, 0, CHARTED_COUNT);
	for (uint32_t i = 0; i < 100; i++) {
		if (i % 50 > 45)
			continue;
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
		sum += v[i];
	}
	cr_assert(d.tiles == 100 && d.used == 92 && d.unused == 8);
	cr_assert(d.min == min && d.max == max && d.sum == (double)sum);
	cr_assert_not(chart_used(&d, 46));
	cr_assert_not(chart_data_init(&d, s, 0, 99), "no such stream");
	cr_assert_not(chart_data_init(&d, s, 9, 0), "no such space");
	cr_assert_not(chart_data_init(&d, NULL, 0, 0), "no picture");
	gcs_snapshot_unref(s);
	s = charted_snapshot(0, CHARTED_PLAIN, 1);
	cr_assert_not(chart_data_init(&d, s, 0, CHARTED_COUNT), "no tiles");
	gcs_snapshot_unref(s);
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* By nearest rank: the value at ceil(p * n), from 1, of the sorted ones. */
Test(charts_data, percentiles_are_exact)
{
	for (uint32_t tiles = 1; tiles < 400; tiles += tiles < 20 ? 1 : 37) {
		struct gcs_snapshot *s = charted_snapshot(tiles, CHARTED_EXTREME, tiles);
		for (uint32_t stream = 0; stream < CHARTED_KIND; stream++) {
			struct chart_data d = data_of(s, stream);
			int64_t sorted[400];
			uint32_t n = 0;
			for (uint32_t i = 0; i < tiles; i++) {
				if (chart_used(&d, i))
					sorted[n++] = d.values[i];
			}
			qsort(sorted, n, sizeof *sorted, by_number);
			struct chart_ranks r;
			cr_assert(chart_ranks(&d, &r));
			cr_assert_eq(r.median, sorted[(n * 50 + 99) / 100 - 1]);
			cr_assert_eq(r.p90, sorted[(n * 90 + 99) / 100 - 1]);
			cr_assert_eq(r.p99, sorted[(n * 99 + 99) / 100 - 1]);
		}
		gcs_snapshot_unref(s);
	}
	struct gcs_snapshot *s = charted_snapshot(30, CHARTED_UNUSED, 1);
	struct chart_data d = data_of(s, CHARTED_COUNT);
	struct chart_ranks r;
	cr_assert_not(chart_ranks(&d, &r), "of no values");
	gcs_snapshot_unref(s);
}

Test(charts_data, columns_keep_the_largest)
{
	struct gcs_snapshot *s = charted_snapshot(5003, CHARTED_PLAIN, 3);
	struct chart_data d = data_of(s, CHARTED_COUNT);
	static struct chart_column c[1000];
	chart_reduce(&d, false, 1000, c);
	for (uint32_t i = 0; i < d.tiles; i++) {
		const struct chart_column *of = &c[chart_column_of(d.tiles, 1000, i)];
		if (chart_used(&d, i))
			cr_assert(of->used > 0 && (double)d.values[i] <= of->high &&
				  (double)d.values[i] >= of->low);
	}
	uint32_t used = 0;
	for (uint32_t i = 0; i < 1000; i++) {
		used += c[i].used;
		cr_assert_eq(chart_column_of(d.tiles, 1000, c[i].at), i);
		if (c[i].used > 0)
			cr_assert_eq((double)d.values[c[i].at], c[i].high);
	}
	cr_assert_eq(used, d.used);
	gcs_snapshot_unref(s);
}

/* Other values in place of a stream's. */
static void put_values(struct chart_data *d, const int64_t *values)
{
	d->values = values;
	d->sum = 0;
	d->min = INT64_MAX;
	d->max = INT64_MIN;
	for (uint32_t i = 0; i < d->tiles; i++) {
		d->sum += (double)values[i];
		d->min = values[i] < d->min ? values[i] : d->min;
		d->max = values[i] > d->max ? values[i] : d->max;
	}
}

/* A line has the coefficient 1, one that falls -1, a single value none. */
Test(charts_data, correlation)
{
	static const int64_t a[] = {1, 2, 3, 4};
	static const int64_t most[] = {INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX};
	static const struct {
		int64_t y[4];
		double r;
		bool known;
	} cases[] = {
	    {{10, 20, 30, 40}, 1, true},
	    {{8, 6, 4, 2}, -1, true},
	    {{2, 1, 4, 3}, 0.6, true},
	    {{7, 7, 7, 7}, 0, false},
	};
	struct gcs_snapshot *s = charted_snapshot(4, CHARTED_PLAIN, 1);
	struct chart_data x = data_of(s, CHARTED_COUNT), y = x;
	double r;
	uint32_t n;
	put_values(&x, a);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		put_values(&y, cases[i].y);
		cr_assert_eq(chart_correlation(&x, &y, &r, &n), cases[i].known);
		cr_assert_float_eq(r, cases[i].r, 1e-12);
		cr_assert_eq(n, 4);
	}
	put_values(&x, most);
	put_values(&y, most);
	cr_assert(chart_correlation(&x, &y, &r, &n));
	cr_assert_float_eq(r, 1, 1e-9);
	gcs_snapshot_unref(s);
}

/* A zero that nobody counted is no value: not in figures, bins, correlations or texts. */
Test(charts_data, tiles_that_are_not_counted_have_no_value)
{
	struct gcs_snapshot *s = charted_counted(10, true);
	struct chart_data d = data_of(s, COUNTED_OBJECTS), used = data_of(s, COUNTED_USED);
	cr_assert(d.used == 6 && d.uncounted == 4 && d.unused == 0);
	cr_assert(d.min == 10 && d.max == 80, "without the zeros of others");
	cr_assert(used.used == 10 && used.uncounted == 0, "that is known without a walk");
	char text[100];
	cr_assert_str_eq(chart_tile_text(text, sizeof text, &d, 0), "\xe2\x80\x93");
	cr_assert_str_eq(chart_tile_text(text, sizeof text, &d, 8), "80");
	struct bins b;
	bins_fill(&b, &d, 10);
	cr_assert_eq(b.used, 6);
	double r;
	uint32_t n;
	cr_assert(chart_correlation(&used, &d, &r, &n));
	cr_assert_eq(n, 6, "only tiles that have both");
	cr_assert_float_eq(r, 1, 1e-9);
	struct chart_column c[10];
	chart_reduce(&d, false, 10, c);
	cr_assert(c[3].used == 0 && c[3].unused == 0 && c[4].used == 1);
	struct info_row rows[TILEINFO_ROWS];
	n = tileinfo_rows(s, 0, 3, rows);
	cr_assert_str_eq(rows[n - 1].label, "Objects");
	cr_assert_str_eq(rows[n - 1].value, "\xe2\x80\x93");
	gcs_snapshot_unref(s);
	s = charted_counted(10, false);
	d = data_of(s, COUNTED_OBJECTS);
	cr_assert(d.used == 0 && d.uncounted == 10);
	gcs_snapshot_unref(s);
}

/* Of categories a column has the most common one; they have no coefficient. */
Test(charts_data, categories_are_not_numbers)
{
	struct gcs_snapshot *s = charted_snapshot(5003, CHARTED_PLAIN, 7);
	struct chart_data d = data_of(s, CHARTED_KIND), count = data_of(s, CHARTED_COUNT);
	static struct chart_column c[700];
	chart_reduce(&d, false, 700, c);
	for (uint32_t i = 0; i < 700; i++) {
		uint32_t seen[3] = {0}, first = chart_first_tile(d.tiles, 700, i);
		uint32_t behind = chart_first_tile(d.tiles, 700, i + 1);
		for (uint32_t t = first; t < behind; t++)
			seen[d.values[t]] += chart_used(&d, t);
		if (c[i].used == 0)
			continue;
		cr_assert(c[i].at >= first && c[i].at < behind && chart_used(&d, c[i].at));
		for (int k = 0; k < 3; k++)
			cr_assert_leq(seen[k], seen[d.values[c[i].at]], "column %u", i);
	}
	double r;
	uint32_t n;
	cr_assert_not(chart_correlation(&d, &count, &r, &n));
	cr_assert_not(chart_correlation(&count, &d, &r, &n));
	gcs_snapshot_unref(s);
}

Test(charts_axis, steps_are_readable)
{
	cr_assert_eq(axis_step(100, 10, false), 10);
	cr_assert_eq(axis_step(101, 10, false), 20);
	cr_assert_eq(axis_step(1000, 3, false), 500);
	cr_assert_eq(axis_step(3, 10, false), 1, "tiles have whole values");
	cr_assert_eq(axis_step(1048576, 4, true), 262144);
	cr_assert_eq(axis_step(1048577, 4, true), 524288);
	cr_assert_eq(axis_step(0, 4, true), 1);
}

Test(charts_axis, labels_have_units)
{
	struct gcs_snapshot *s = charted_snapshot(10, CHARTED_PLAIN, 1);
	const struct gcs_stream *st = gcs_snapshot_model(s)->spaces[0].streams;
	struct axis a;
	axis_of_values(&a, &st[CHARTED_USED], 0, 1048576, 4, true);
	cr_assert_eq(a.count, 5);
	cr_assert_str_eq(a.label[0], "0 B");
	cr_assert_str_eq(a.label[1], "256 KiB");
	cr_assert_str_eq(a.label[4], "1 MiB");
	axis_of_shares(&a, 80);
	cr_assert_str_eq(a.label[0], "0 %");
	cr_assert_str_eq(a.label[1], "50 %");
	cr_assert_str_eq(a.label[2], "100 %");
	cr_assert_eq(a.count, 3);
	axis_of_values(&a, &st[CHARTED_KIND], 0, 2, 12, false);
	cr_assert_eq(a.count, 3);
	cr_assert_str_eq(a.label[2], "Large");
	axis_of_tiles(&a, 100000, 10);
	cr_assert_str_eq(a.label[1], "10,000");
	cr_assert_lt(a.tick[a.count - 1], 100000);
	gcs_snapshot_unref(s);
}

Test(charts_axis, any_range_is_an_axis)
{
	struct gcs_snapshot *s = charted_snapshot(10, CHARTED_PLAIN, 1);
	const struct gcs_stream *st = gcs_snapshot_model(s)->spaces[0].streams;
	static const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1000, -1, 0, 1, 7, INT64_MAX};
	struct axis a;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		for (size_t k = i; k < sizeof ends / sizeof *ends; k++) {
			for (uint32_t stream = 0; stream < CHARTED_CONTROL; stream++) {
				for (int most = 1; most < 30; most += 7) {
					axis_of_values(&a, &st[stream], (double)ends[i],
					    (double)ends[k], most, k % 2 == 0);
					cr_assert(finite_axis(&a));
					double at = axis_place(&a, (double)ends[k]);
					cr_assert(at >= 0 && at <= 1);
				}
			}
		}
		axis_of_counts(&a, (double)ends[i], 4);
		cr_assert(finite_axis(&a));
		axis_of_shares(&a, (double)ends[i]);
		cr_assert(finite_axis(&a));
	}
	gcs_snapshot_unref(s);
}

static void check_bins(const struct chart_data *d, int wanted)
{
	struct bins b;
	bins_fill(&b, d, wanted);
	cr_assert(b.count > 0 && b.count <= BINS_MOST && isfinite(b.first) && b.step >= 1);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < b.count; i++)
		sum += b.tiles[i];
	cr_assert_eq(sum, d->used);
	cr_assert_eq(b.used, d->used);
	for (uint32_t i = 0; i < d->tiles; i++) {
		if (chart_used(d, i))
			cr_assert_gt(b.tiles[bins_of(&b, (double)d->values[i])], 0);
	}
}

Test(charts_bins, every_tile_is_in_one)
{
	for (int how = CHARTED_PLAIN; how <= CHARTED_STRANGE; how++) {
		struct gcs_snapshot *s = charted_snapshot(777, (enum charted)how, 2);
		for (uint32_t stream = 0; stream < CHARTED_CONTROL; stream++) {
			struct chart_data d = data_of(s, stream);
			for (int wanted = 1; wanted < 200; wanted += 23)
				check_bins(&d, wanted);
		}
		gcs_snapshot_unref(s);
	}
}

Test(charts_bins, bounds_and_names)
{
	struct gcs_snapshot *s = charted_snapshot(12, CHARTED_PLAIN, 1);
	struct chart_data d = data_of(s, CHARTED_COUNT);
	int64_t v[12] = {0, 9, 10, 19, 20, 20, 29, 55, 99, 100, 3, 3};
	char text[300];
	d.values = v;
	d.min = 0;
	d.max = 100;
	struct bins b;
	bins_fill(&b, &d, 10);
	cr_assert(b.step == 10 && b.count == 11 && b.first == 0);
	cr_assert(b.tiles[0] == 4 && b.tiles[1] == 2 && b.tiles[2] == 3 && b.tiles[10] == 1);
	cr_assert_str_eq(bins_text(text, sizeof text, &b, &d, 1), "10 objects to 20 objects");
	cr_assert_eq(bins_tile(&b, &d, 2, GCS_NONE, 1), 4);
	cr_assert_eq(bins_tile(&b, &d, 2, 4, 1), 5);
	cr_assert_eq(bins_tile(&b, &d, 2, 6, 1), 4, "round and round");
	cr_assert_eq(bins_tile(&b, &d, 2, 4, -1), 6);
	cr_assert_eq(bins_tile(&b, &d, 2, GCS_NONE, -1), 6);
	cr_assert_eq(bins_tile(&b, &d, 4, GCS_NONE, 1), GCS_NONE, "an empty bin");
	cr_assert_eq(bins_rank(&b, &d, 2, 5), 2);
	cr_assert_eq(bins_rank(&b, &d, 2, 0), 0);
	struct chart_data kind = data_of(s, CHARTED_KIND);
	int64_t k[12] = {0, 1, 2, 1, 7, -3, 0, 0, 0, 0, 0, 0};
	kind.values = k;
	bins_fill(&b, &kind, 10);
	cr_assert(b.count == 4 && b.tiles[1] == 2 && b.tiles[2] == 1 && b.tiles[3] == 2);
	cr_assert_str_eq(bins_text(text, sizeof text, &b, &kind, 2), "Large");
	cr_assert_str_eq(bins_text(text, sizeof text, &b, &kind, 3), "unnamed values");
	k[4] = k[5] = 0;
	bins_fill(&b, &kind, 10);
	cr_assert_eq(b.count, 3, "no bar for what is not there");
	gcs_snapshot_unref(s);
}

static bool overlap(const struct box *a, const struct box *b)
{
	const double slack = 1e-6;
	return a->x + slack < b->x + b->w && b->x + slack < a->x + a->w &&
	       a->y + slack < b->y + b->h && b->y + slack < a->y + a->h;
}

static void check_boxes(const double *weight, uint32_t n, struct box room)
{
	static struct box box[300], again[300];
	double all = 0, area = 0;
	squarify(weight, n, room, box);
	squarify(weight, n, room, again);
	cr_assert_eq(memcmp(box, again, n * sizeof *box), 0, "the same again");
	for (uint32_t i = 0; i < n; i++)
		all += weight[i];
	for (uint32_t i = 0; i < n; i++) {
		cr_assert(
		    isfinite(box[i].w) && isfinite(box[i].h) && box[i].w >= 0 && box[i].h >= 0);
		cr_assert(box[i].x >= room.x - 1e-6 && box[i].y >= room.y - 1e-6);
		cr_assert(box[i].x + box[i].w <= room.x + room.w + 1e-6);
		cr_assert(box[i].y + box[i].h <= room.y + room.h + 1e-6);
		double wanted = weight[i] / all * room.w * room.h;
		cr_assert_lt(fabs(box[i].w * box[i].h - wanted), 1e-6 * room.w * room.h);
		area += box[i].w * box[i].h;
		for (uint32_t k = 0; k < i; k++)
			cr_assert_not(overlap(&box[i], &box[k]));
	}
	cr_assert_float_eq(area, room.w * room.h, 1e-6 * room.w * room.h);
}

Test(charts_treemap, areas_add_up_and_do_not_overlap)
{
	double weight[300];
	for (uint32_t i = 0; i < 300; i++)
		weight[i] = 1e19 / (1 + i * i);
	for (uint32_t n = 1; n <= 300; n += n < 12 ? 1 : 41)
		check_boxes(weight, n, (struct box){10, 20, 640, 400});
	check_boxes(weight, 50, (struct box){0, 0, 3, 900});
	/* The example of the paper: 6 by 4. The first two share a column. */
	static const double paper[] = {6, 6, 4, 3, 2, 2, 1};
	struct box box[7];
	check_boxes(paper, 7, (struct box){0, 0, 6, 4});
	squarify(paper, 7, (struct box){0, 0, 6, 4}, box);
	cr_assert(box[0].w == 3 && box[0].h == 2 && box[1].y == 2 && box[1].h == 2);
	cr_assert(box[2].x == 3 && fabs(box[2].w - 12.0 / 7) < 1e-9);
}

Test(charts_treemap, nothing_has_no_area)
{
	static const double none[] = {0, 0, 0}, some[] = {5, 0, 0};
	struct box box[3];
	squarify(none, 3, (struct box){0, 0, 10, 10}, box);
	for (int i = 0; i < 3; i++)
		cr_assert(box[i].w == 0 && box[i].h == 0);
	squarify(some, 3, (struct box){0, 0, 10, 10}, box);
	cr_assert(box[0].w * box[0].h == 100 && box[1].w == 0);
	squarify(some, 3, (struct box){0, 0, 0, 10}, box);
	cr_assert_eq(box[0].w, 0);
}

Test(charts_table, sorting)
{
	for (int falling = 0; falling < 2; falling++) {
		struct gcs_snapshot *s = charted_snapshot(1000, CHARTED_EXTREME, 4);
		for (uint32_t stream = 0; stream < CHARTED_CONTROL; stream++) {
			struct chart_data d = data_of(s, stream);
			static uint32_t order[1000];
			for (uint32_t i = 0; i < 1000; i++)
				order[i] = i;
			cr_assert(charts_sort(&d, order, 1000, falling));
			for (uint32_t i = 1; i < 1000; i++) {
				uint32_t a = order[i - 1], b = order[i];
				if (!chart_used(&d, b) || !chart_used(&d, a)) {
					cr_assert(
					    !chart_used(&d, b), "those without a value are last");
					cr_assert(chart_used(&d, a) || a < b);
					continue;
				}
				int64_t x = d.values[a], y = d.values[b];
				cr_assert(x == y ? a < b : falling ? x > y : x < y);
			}
		}
		gcs_snapshot_unref(s);
	}
}
