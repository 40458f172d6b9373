/*
 * A view: what fills the middle of the window. Each view is one table in one file; adding one
 * touches no other view. A view sees the application's picture (snapshot, selection, colours) and
 * never a socket. All views are open as long as the application; one of them is shown.
 */
#ifndef GCSPY_CLIENT_VIEW_H
#define GCSPY_CLIENT_VIEW_H

#include "canvas.h"
#include "commands.h"
#include "export_text.h"

struct app;
struct gcs_snapshot;

/* Styles are the same for every program; choices belong to the spaces, streams and events of one. */
enum state_scope { STATE_STYLE, STATE_TARGET };

struct view {
	const char *name;               /* of the script step and --view */
	const char *title;              /* for people, and on its tab */
	enum command_id show;           /* the command that shows it; its first key is on the tab */
	void *(*open)(struct app *app); /* NULL without memory */
	void (*close)(void *self);
	/* Paints into r, which is the clip: everything, or only what changed since the last call.
	 */
	void (*draw)(void *self, struct app *app, struct cv_rect r, bool all);
	/* The event pass; app->ui.ev is the event. */
	void (*event)(void *self, struct app *app, struct cv_rect r);
	/* Runs a command that it knows; false passes it on to the application. */
	bool (*command)(void *self, struct app *app, enum command_id id, const char *argument);
	/* Brings a tile into sight and says where it is; false if the view does not show it. NULL for
	 * a view without tiles. */
	bool (*place)(
	    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r);
	void (*copy_text)(void *self, struct app *app, struct textbuf *out);
	/* What it has to say in the side panel: whether anything, the sections, the same as
	 * text. */
	bool (*has_side)(void *self, struct app *app);
	void (*side)(void *self, struct app *app, struct cv_rect *column);
	void (*side_text)(void *self, struct app *app, struct textbuf *out);
	/* The same as a vector picture (svg.h); NULL for a view without. False: there is nothing. */
	bool (*svg)(void *self, struct app *app, struct textbuf *out);
	/* Writes the commands that recreate what the user has chosen (view_state_put): all styles,
	 * always in the same order; of a target only what was chosen. */
	void (*state)(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
	/* Forgets what was chosen of a target; NULL for a view that has only styles. */
	void (*forget)(void *self, struct app *app);
	/* The spaces that are described are others; NULL for views that look when they paint. */
	void (*described)(void *self, struct app *app);
	bool of_snapshot; /* shows the snapshot, and is painted with each new one */
	/* Each snapshot that comes, whether shown or not; NULL for views that need only the newest. */
	void (*note)(void *self, struct app *app, const struct gcs_snapshot *snapshot);
	/* For views that ask the source themselves, else NULL. poll takes what has arrived, shown
	 * or not. tick does what is due by the clock while the view is shown; due_ms says when
	 * (UINT64_MAX: never). settled: what is shown is the answer to what was asked last. */
	void (*poll)(void *self, struct app *app);
	void (*tick)(void *self, struct app *app);
	uint64_t (*due_ms)(void *self, const struct app *app);
	bool (*settled)(void *self, struct app *app);
};

enum view_id {
	VIEW_HEAP,
	VIEW_SITES,
	VIEW_FLAME,
	VIEW_CALLS,
	VIEW_HISTORY,
	VIEW_CHARTS,
	VIEW_EVENTS,
	VIEW_COUNT
};

extern const struct view heap_view, sites_view, flame_view, calls_view, history_view, charts_view,
    events_view;

#endif
