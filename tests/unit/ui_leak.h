/*
 * The sample recording of a leak in a window that a user looks at, and a pointer that finds controls
 * by their numbers: what a person does who sees them.
 */
#ifndef GCSPY_TESTS_UI_LEAK_H
#define GCSPY_TESTS_UI_LEAK_H

#include "overview_view.h"
#include "leaks_view.h"
#include "ui_replay.h"

#define LEAK_PATH GCSPY_SOURCE_DIR "/docs/leak.gcspy"

struct leak_world {
	struct replay_world replay;
	unsigned clicks;
	uint32_t wanted; /* a control that is looked for, and where it was found */
	struct cv_rect found;
};

/* The start screen; leak_open also opens the sample by a click, and waits for its figures. */
void leak_begin(struct leak_world *w, int width, int height);
void leak_open(struct leak_world *w, int width, int height);
void leak_close(struct leak_world *w);

/* Waits for what a thread computes. */
void leak_settle(struct leak_world *w);

/* The same in any window, without a user's guide. */
void figures_wait(struct app *app);

/* The place of a control; the test ends if it is not in sight. */
struct cv_rect leak_place(struct leak_world *w, uint32_t id);

/* A click in its middle, which counts. */
void leak_click(struct leak_world *w, uint32_t id);
void leak_click_at(struct leak_world *w, int x, int y);
void leak_pointer(struct leak_world *w, enum ui_event_kind kind, int x, int y);

/* The button "Open a sample" of the start screen. */
enum { LEAK_SAMPLE_BUTTON = PANEL_VIEW << 16 | 904 };

#endif
