/*
 * The strip of events, of a recording and of a live program: lanes with names and counters, and time
 * that runs to the right; below them the heap in use and the pauses. strip.c is where things are,
 * strip_paint.c and strip_axis.c what is painted, panel_timeline.c what the pointer and the keys do.
 */
#ifndef GCSPY_CLIENT_STRIP_H
#define GCSPY_CLIENT_STRIP_H

#include "app.h"

struct strip {
	struct cv_rect ticks, graph, axis; /* graph and axis are empty without room */
	int lanes, lane_height;
	uint64_t from_ns, end_ns, span_ns; /* the part of time that it shows */
};

struct strip strip_lay_out(const struct app *app, struct cv_rect r);

/* The ticks and the graph: the whole of what can be clicked for a moment. */
struct cv_rect strip_field(const struct strip *s);

int strip_lane(const struct strip *s, uint32_t event);

/* Also far outside, for times that are not shown. */
int strip_x(const struct strip *s, uint64_t time_ns);
uint64_t strip_time(const struct strip *s, int x);

/* A hint that would sink into the ground is moved towards the text colour. */
uint32_t strip_colour(const struct theme *th, uint32_t colour);

/* strip_axis.c: the least step between round times that is not below that: 1, 2 or 5 of a power of
 * ten, above ten seconds parts of minutes, hours and days. */
uint64_t strip_step(uint64_t least_ns);

/* "0:05", "1:02:00", "0:00.25": a time that is a multiple of such a step; returns text. */
char *strip_put_tick(char *text, size_t size, uint64_t ns, uint64_t step_ns);

/* range: where something is said of the range, which no label touches. */
void strip_paint_axis(struct app *app, const struct strip *s, struct cv_rect range);

/* All but the ring. r: the panel. */
void strip_paint(struct app *app, const struct strip *s, struct cv_rect r);

#endif
