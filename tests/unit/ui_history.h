/*
 * Rows for tests of history graphs: a made-up space whose size and values a test chooses, and trace
 * files of it.
 */
#ifndef GCSPY_TESTS_UI_HISTORY_H
#define GCSPY_TESTS_UI_HISTORY_H

#include "history_view.h"
#include "ui_world.h"

enum { FIELD_VALUE, FIELD_KIND, FIELD_CONTROL };

/* "Field" with the streams "Value" (0 to 1000, 0 is zero) and "Kind" (A to D), and "Other" with
 * "Value"; event "Tick". */
struct gcs_model *field_model(void);

/* The state at an event: `tiles` tiles in "Field", of which the i-th has value(i, step), and three in
 * "Other". Number and time come of the step. */
struct gcs_snapshot *field_snapshot(struct gcs_model *model, const struct gcs_snapshot *previous,
    unsigned step, uint32_t tiles, int64_t (*value)(uint32_t tile, unsigned step));

uint64_t field_time(unsigned step);

/* A value that has no pattern, 0 to 1000. */
int64_t field_noise(uint32_t tile, unsigned step);

/* A lane of "Field" by that stream; "" for none. */
struct hist_lane field_lane(const char *space, const char *stream);

/* Writes a trace of the steps first .. first + count - 1, one of `stride` of them; unfinished without
 * `finish`, but flushed. */
void field_record(
    const char *path, unsigned first, unsigned count, unsigned stride, uint32_t tiles, bool finish);

/* The same by an application: the next event of a field of `tiles` tiles is received and painted. */
void field_event(struct world *w, uint32_t tiles, int64_t (*value)(uint32_t tile, unsigned step));

/* The view of an application; what it says as text; a script's step that is refused with words. */
struct hist_view *history_of(const struct app *app);
bool history_says(struct app *app, const char *what);
bool history_refuses(struct world *w, const char *step, const char *words);

/* The middle of a control in the side panel, as painted last; false if it is not there. */
bool history_spot(const struct app *app, uint32_t id, int *x, int *y);

#endif
