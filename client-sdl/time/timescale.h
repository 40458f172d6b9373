/*
 * The part of time that the timeline shows: all of it, or a part that the user chose; while the
 * newest moment is followed, the part that ends there. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_TIMESCALE_H
#define GCSPY_CLIENT_TIMESCALE_H

#include <stdbool.h>
#include <stdint.h>

struct app;

enum timeline_drag { TIMELINE_NO_DRAG, TIMELINE_SCRUBS, TIMELINE_CHOOSES, TIMELINE_PANS };

/* What the user does with the timeline. */
struct timeline_view {
	bool zoomed; /* otherwise all is shown */
	bool follow; /* the part ends at the newest moment */
	uint64_t from_ns, span_ns;
	enum timeline_drag drag;
	uint64_t drag_ns, drag_from_ns; /* where the drag started, and the part shown then */
	int drag_x;
	uint64_t click_ms; /* time and place of the last press */
	int click_x;
};

/* A number of nanoseconds within the range of the type. */
int64_t timescale_ns(double ns);

/* The time that a live timeline covers, given the time that has passed: the next of 1, 1.5, 2,
 * 3, 5, 7 and so on, at least 100 ms. */
uint64_t timescale_span(uint64_t all);

/* The ends of what is shown, at least 1 ns apart. */
void timescale_part(const struct app *app, uint64_t *from_ns, uint64_t *to_ns);

/* Shows `factor` times as much time; at_ns stays in place. */
void timescale_zoom(struct app *app, double factor, uint64_t at_ns);

/* Scrolls by a fraction of what is shown, to later times if positive. */
void timescale_pan(struct app *app, double part);

/* Shows the part that starts there, with the same length. */
void timescale_move(struct app *app, int64_t from_ns);

void timescale_fit(struct app *app);

/* Another moment is shown: scrolls so that it is visible. During play only if the previous one
 * was, so as not to disturb a user who looks elsewhere. */
void timescale_reveal(struct app *app, uint64_t before_ns, bool plays);

#endif
