/*
 * The used heap and the pauses on the timeline, reduced to columns of pixels (V3): against the
 * minimum and the maximum of each column found point by point.
 */
#include <criterion/criterion.h>
#include <inttypes.h>

#include "kit.h"
#include "overview_view.h"

enum { EVENTS = 60, COLUMNS = 40, FROM = 1000000 };

struct truth_point {
	int64_t time; /* after FROM */
	int64_t used;
};

struct truth {
	struct truth_point point[2 * EVENTS];
	int count;
};

static void put(struct truth *t, int64_t time, int64_t used)
{
	if (t->count > 0 && t->point[t->count - 1].time > time)
		time = t->point[t->count - 1].time;
	t->point[t->count++] = (struct truth_point){time, used};
}

static struct truth points_of(const struct overview *o)
{
	struct truth t = {.count = 0};
	for (uint32_t i = 0; i < o->count; i++) {
		const struct event_header *m = &o->at[i];
		const int64_t time = (int64_t)m->time_ns - FROM;
		if (m->before_bytes >= 0)
			put(&t, time - (m->pause_ns > 0 ? m->pause_ns : 0), m->before_bytes);
		if (m->used_bytes >= 0)
			put(&t, time, m->used_bytes);
	}
	return t;
}

/* On the line between points i and i + 1. */
static double on_line(const struct truth *t, int i, int64_t time)
{
	const struct truth_point *a = &t->point[i], *b = &t->point[i + 1];
	return (double)a->used +
	       (double)(b->used - a->used) * (double)(time - a->time) / (double)(b->time - a->time);
}

static void widen(struct timeline_column *c, double used)
{
	const int64_t value = (int64_t)(used + 0.5);
	c->least = c->least < 0 || value < c->least ? value : c->least;
	c->most = value > c->most ? value : c->most;
}

static struct timeline_column truth_of(
    const struct truth *t, const struct overview *o, int64_t left, int64_t right)
{
	struct timeline_column c = {.least = -1, .most = -1};
	for (int i = 0; i < t->count; i++) {
		const int64_t at = t->point[i].time;
		if (at > left && at <= right)
			widen(&c, (double)t->point[i].used);
		if (i + 1 == t->count)
			continue;
		const int64_t next = t->point[i + 1].time;
		if (at <= left && next > left)
			widen(&c, on_line(t, i, left));
		if (at < right && next >= right)
			widen(&c, on_line(t, i, right));
	}
	for (uint32_t i = 0; i < o->count; i++) {
		const int64_t at = (int64_t)o->at[i].time_ns - FROM;
		if (at > left && at <= right && o->at[i].pause_ns > c.pause_ns)
			c.pause_ns = o->at[i].pause_ns;
	}
	return c;
}

static bool is_near(int64_t a, int64_t b)
{
	return a - b <= 1 && b - a <= 1 && (a < 0) == (b < 0);
}

static int64_t perhaps(uint64_t *state, uint64_t below)
{
	return kit_random(state) % 3 == 0 ? -1 : (int64_t)(kit_random(state) % below);
}

static struct overview overview_with(const struct event_header *headers, uint32_t count)
{
	struct overview o = {0};
	for (uint32_t i = 0; i < count; i++) {
		struct event_header m = headers[i];
		m.sequence = i;
		overview_add(&o, &m);
	}
	return o;
}

Test(timeline_graph, keeps_each_columns_minimum_and_maximum)
{
	uint64_t state = 20021104;
	for (int run = 0; run < 20000; run++) {
		struct event_header header[EVENTS];
		const uint32_t columns = 2 + (uint32_t)(kit_random(&state) % (COLUMNS - 1));
		const int64_t step = 1 + (int64_t)(kit_random(&state) % 1000);
		const int64_t span = step * (columns - 1);
		const uint32_t count = (uint32_t)(kit_random(&state) % EVENTS);
		uint64_t time = FROM - (uint64_t)(2 * span);
		for (uint32_t i = 0; i < count; i++) {
			time += kit_random(&state) % ((uint64_t)(6 * span) / count + 1);
			header[i] = (struct event_header){.time_ns = time,
			    .used_bytes = perhaps(&state, 1u << 20),
			    .before_bytes = perhaps(&state, 1u << 20),
			    .pause_ns = perhaps(&state, (uint64_t)span / 4 + 1)};
		}
		struct overview o = overview_with(header, count);
		struct truth truth = points_of(&o);
		struct timeline_column column[COLUMNS];
		timeline_reduce(&o, FROM, FROM + (uint64_t)span, column, columns);
		for (uint32_t i = 0; i < columns; i++) {
			const struct timeline_column t =
			    truth_of(&truth, &o, ((int64_t)i - 1) * step, (int64_t)i * step);
			cr_assert(is_near(column[i].least, t.least) &&
				      is_near(column[i].most, t.most) &&
				      column[i].pause_ns == t.pause_ns,
			    "run %d, column %u of %u: %" PRId64 " to %" PRId64 ", pause %" PRId64
			    "; the truth is %" PRId64 " to %" PRId64 ", %" PRId64,
			    run, i, columns, column[i].least, column[i].most, column[i].pause_ns,
			    t.least, t.most, t.pause_ns);
		}
		overview_fini(&o);
	}
}

/* Three collections, ten columns apart: the heap rises from 20 to 100 and falls in the pause. */
Test(timeline_graph, is_a_saw_tooth)
{
	struct event_header header[3];
	struct timeline_column column[31];
	for (uint32_t i = 0; i < 3; i++)
		header[i] = (struct event_header){.time_ns = FROM + 1000 * (i + 1),
		    .pause_ns = 50,
		    .before_bytes = 100,
		    .used_bytes = 20};
	struct overview o = overview_with(header, 3);
	timeline_reduce(&o, FROM, FROM + 3000, column, 31);
	cr_assert_eq(column[9].most, -1, "unknown before the first collection");
	cr_assert_eq(column[10].least, 20);
	cr_assert_eq(column[10].most, 100);
	cr_assert_eq(column[10].pause_ns, 50);
	for (uint32_t i = 11; i < 20; i++) {
		cr_assert_lt(column[i].least, column[i].most, "column %u rises", i);
		cr_assert_gt(column[i].most, column[i - 1].least);
		cr_assert_eq(column[i].pause_ns, 0);
	}
	cr_assert_eq(column[15].most, 20 + (int64_t)(80 * 500 / 950.0 + 0.5));
	cr_assert_eq(column[30].least, 20);
	cr_assert_eq(column[30].most, 100);
	overview_fini(&o);
}

/* Nothing is known of the time without a connection, neither used bytes nor what was allocated. */
Test(timeline_graph, has_a_gap_without_a_connection)
{
	struct event_header header[4];
	struct timeline_column column[41];
	double rate[41];
	for (uint32_t i = 0; i < 4; i++)
		header[i] = (struct event_header){.time_ns = FROM + 1000 * (i + 1),
		    .before_bytes = -1,
		    .used_bytes = 20 * (i + 1),
		    .after_gap = i == 2};
	struct overview o = overview_with(header, 4);
	timeline_reduce(&o, FROM, FROM + 4000, column, 41);
	cr_assert_geq(column[15].most, 0);
	for (uint32_t i = 21; i < 30; i++)
		cr_assert_eq(column[i].most, -1, "column %u", i);
	cr_assert_eq(column[30].most, 60);
	cr_assert_geq(column[35].most, 60);
	const struct timeline s = {
	    .ticks = {0, 0, 44, 10}, .from_ns = FROM, .end_ns = FROM + 4000, .span_ns = 4000};
	overview_allocation(&o, &s, rate, 41);
	cr_assert_gt(rate[15], 0);
	cr_assert_lt(rate[25], 0);
	cr_assert_gt(rate[35], 0);
	overview_fini(&o);
}

/* Whichever of two neighbours is dropped, the gap before them stays. */
Test(timeline_graph, a_gap_outlives_thinning)
{
	for (uint32_t at = 1000; at < 1002; at++) {
		struct overview o = {.newest_whole = true};
		uint32_t gaps = 0;
		for (uint32_t i = 0; i < OVERVIEW_LIMIT + 1; i++)
			overview_add(&o, &(struct event_header){.time_ns = i + 1,
					     .sequence = i,
					     .used_bytes = 1,
					     .after_gap = i == at});
		for (uint32_t i = 0; i < o.count; i++) {
			gaps += o.at[i].after_gap;
			cr_assert(!o.at[i].after_gap || o.at[i].time_ns - 1 >= at - 1);
			cr_assert(!o.at[i].after_gap || o.at[i].time_ns - 1 <= at + 1);
		}
		cr_assert_lt(o.count, OVERVIEW_LIMIT, "thinned");
		cr_assert_eq(gaps, 1u);
		overview_fini(&o);
	}
}

/* Nothing is divided by zero, and wrong clocks do no harm. */
Test(timeline_graph, strange_times)
{
	struct event_header header[] = {{.time_ns = 0, .used_bytes = INT64_MAX, .pause_ns = -1},
	    {.time_ns = UINT64_MAX, .before_bytes = INT64_MAX, .pause_ns = INT64_MAX}};
	struct overview o = overview_with(header, 2);
	struct timeline_column column[8];
	timeline_reduce(&o, 0, UINT64_MAX, column, 8);
	timeline_reduce(&o, 0, UINT64_MAX, column, 2);
	timeline_reduce(&o, 5, 5, column, 8);
	cr_assert_eq(column[7].most, -1);
	timeline_reduce(&o, UINT64_MAX - 1, UINT64_MAX, column, 8);
	timeline_reduce(&o, 0, 1, column, 1);
	cr_assert_eq(column[0].most, -1);
	timeline_reduce(&(struct overview){0}, 0, 100, column, 8);
	cr_assert_eq(column[0].pause_ns, 0);
	overview_fini(&o);
}
