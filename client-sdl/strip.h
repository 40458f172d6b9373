/*
 * What the strips of events share: lanes with names and counters, and time that runs to the right
 * (panel_timeline.c for a live program, panel_recording.c for a recording).
 */
#ifndef GCSPY_CLIENT_STRIP_H
#define GCSPY_CLIENT_STRIP_H

#include "app.h"

struct strip {
	struct cv_rect ticks;
	int lanes, lane_height;
	uint64_t end_ns, span_ns; /* the newest time that it shows, and how much before */
};

struct strip strip_lay_out(
    const struct app *app, struct cv_rect r, uint64_t end_ns, uint64_t span_ns);
int strip_lane(const struct strip *s, uint32_t event);
int strip_x(const struct strip *s, uint64_t time_ns);

/* A hint that would sink into the ground is moved towards the text colour. */
uint32_t strip_colour(const struct theme *th, uint32_t colour);

/* Names and counters of the lanes, in what is left of the strip in r. */
void strip_labels(struct app *app, const struct strip *s, struct cv_rect r);

#endif
