/*
 * A view fills the middle of the window. Each view is one table in one file; adding one touches no
 * other view. A view sees the application's snapshot, selection and colours, and never a socket.
 * All views are open as long as the application; one of them is shown.
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
	const char *title;              /* for the user, and on its tab */
	const struct view *under;       /* under whose tab it is; NULL: its own */
	enum command_id show;           /* the command that shows it; its first key is on the tab */
	void *(*open)(struct app *app); /* NULL without memory */
	void (*close)(void *self);
	/* Paints into r, which is the clip: everything, or only what changed since the last
	 * call. */
	void (*draw)(void *self, struct app *app, struct cv_rect r, bool all);
	/* The event pass; app->ui.ev is the event. */
	void (*event)(void *self, struct app *app, struct cv_rect r);
	/* Runs a command that it knows; false passes it on to the application. */
	bool (*command)(void *self, struct app *app, enum command_id id, const char *argument);
	/* Scrolls a tile into sight and returns its rectangle; false if the view does not show
	 * it. NULL for a view without tiles. */
	bool (*place)(
	    void *self, struct app *app, uint32_t space, uint32_t tile, struct cv_rect *r);
	void (*copy_text)(void *self, struct app *app, struct textbuf *out);
	/* Its part of the side panel: whether it has one, the sections, and the same as text. */
	bool (*has_side)(void *self, struct app *app);
	/* Pixels at scale 1 that the view keeps while the side panel can still shrink; 0: half. */
	int least_width;
	void (*side)(void *self, struct app *app, struct cv_rect *column);
	void (*side_text)(void *self, struct app *app, struct textbuf *out);
	/* The same as a vector picture (svg.h); NULL if not supported. False: there is nothing
	 * to draw. */
	bool (*svg)(void *self, struct app *app, struct textbuf *out);
	/* Writes the commands that recreate what the user has chosen (view_state_put): all styles,
	 * always in the same order; of a target only what was chosen. */
	void (*state)(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
	/* Forgets what was chosen of a target; NULL for a view that has only styles. */
	void (*forget)(void *self, struct app *app);
	/* Other spaces are described now; NULL for views that check when they paint. */
	void (*described)(void *self, struct app *app);
	/* Selects what is under the pointer, if `pointed`, and starts its context menu (menu.h); NULL
	 * for a view without any. */
	void (*menu)(void *self, struct app *app, bool pointed);
	bool of_snapshot; /* shows the snapshot, and is painted with each new one */
	/* Called for each received snapshot, shown or not; NULL for views that need only the
	 * newest. */
	void (*note)(void *self, struct app *app, const struct gcs_snapshot *snapshot);
	/* For views that query the source, else NULL. poll takes what has arrived, shown or not.
	 * tick does what is due by the clock while the view is shown; due_ms says when
	 * (UINT64_MAX: never). settled: what is shown answers the latest query. */
	void (*poll)(void *self, struct app *app);
	void (*tick)(void *self, struct app *app);
	uint64_t (*due_ms)(void *self, const struct app *app);
	bool (*settled)(void *self, struct app *app);
};

enum view_id {
	VIEW_OVERVIEW,
	VIEW_HEAP,
	VIEW_LEAKS,
	VIEW_SITES,
	VIEW_FLAME,
	VIEW_CALLS,
	VIEW_HISTORY,
	VIEW_CHARTS,
	VIEW_EVENTS,
	VIEW_TRIGGERS,
	VIEW_PLUGINS,
	VIEW_COUNT
};

extern const struct view overview_view, leaks_view, heap_view, sites_view, flame_view, calls_view,
    history_view, charts_view, events_view, triggers_view, plugins_view;

#endif
