/*
 * The timeline, of a recording or a live program: lanes of events with names and counters, time
 * running to the right; below them the used heap and the pauses. timeline.c places things,
 * timeline_paint.c, timeline_graph.c and timeline_axis.c paint them, panel_timeline.c takes input.
 */
#ifndef GCSPY_CLIENT_TIMELINE_H
#define GCSPY_CLIENT_TIMELINE_H

#include "app.h"

struct timeline {
	struct cv_rect ticks, graph, axis; /* graph and axis are empty if there is no room */
	int lanes, lane_height;
	uint64_t from_ns, end_ns, span_ns; /* the time that is shown */
};

struct timeline timeline_lay_out(const struct app *app, struct cv_rect r);

/* The ticks and the graph: the whole area that selects a moment. */
struct cv_rect timeline_field(const struct timeline *s);

int timeline_lane(const struct timeline *s, uint32_t event);

/* Also far outside, for times that are not shown. */
int timeline_x(const struct timeline *s, uint64_t time_ns);
uint64_t timeline_time(const struct timeline *s, int x);

/* A hint colour too close to the background is moved towards the text colour. */
uint32_t timeline_colour(const struct theme *th, uint32_t colour);

/* timeline_axis.c: the smallest round step that is not below the argument: 1, 2 or 5 times
 * a power of ten; above ten seconds, parts of minutes, hours and days. */
uint64_t timeline_step(uint64_t least_ns);

/* "0:05", "1:02:00", "0:00.25": a multiple of such a step; returns text. */
char *timeline_put_tick(char *text, size_t size, uint64_t ns, uint64_t step_ns);

/* range: where the range is described, which no label touches. */
void timeline_paint_axis(struct app *app, const struct timeline *s, struct cv_rect range);

/* A column of pixels of the graph. */
struct timeline_column {
	int64_t least, most; /* bytes of the used heap; -1: unknown */
	int64_t pause_ns;    /* the longest that ends here; 0: none */
};

/*
 * timeline_graph.c: reduces the used heap to columns, and loses no minimum or maximum. The heap
 * grows in a straight line from what one collection leaves to what the next one finds, which is
 * known at the start of its pause; before the first known point, after the last, and while the
 * window was not connected it is unknown.
 * Column i shows the time after from + (i - 1) * d, up to and with from + i * d, where d is
 * (end - from) / (count - 1): the pixels of timeline_x.
 */
void timeline_reduce(const struct overview *o, uint64_t from_ns, uint64_t end_ns,
    struct timeline_column *column, uint32_t count);

/* Marks the times without a connection in a part of the field: nothing is known of them. */
void timeline_paint_gaps(struct app *app, const struct timeline *s, struct cv_rect field);

/* left: the left edge of the panel, where the labels are. */
void timeline_paint_graph(struct app *app, const struct timeline *s, int left);

/* What an event was, as a tooltip of lines with name and value; the size is that of ui->tip. */
void timeline_tip_text(
    const struct app *app, const struct event_header *m, char *text, size_t size);

/* The event nearest to a time, or NULL without events. */
const struct event_header *timeline_nearest(const struct app *app, uint64_t time_ns);

/* The event under the pointer as a tooltip shows it, or NULL. */
const struct event_header *timeline_pointed(const struct app *app);

/* time_menu.c: the context menu of the timeline; the entries about one event. */
void timeline_menu(struct app *app);
void timeline_event_menu(struct app *app, const struct event_header *m);

/* All but the ring. r: the panel. */
void timeline_paint(struct app *app, const struct timeline *s, struct cv_rect r);

#endif
