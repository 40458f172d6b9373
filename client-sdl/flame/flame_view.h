/*
 * The flame graph (S6, V9): what its files share. A frame's width is its part of the whole; the
 * window shows a part of the zoomed frame's extent. Keys identify frames in successive trees. The
 * window's thread.
 */
#ifndef GCSPY_CLIENT_FLAME_VIEW_H
#define GCSPY_CLIENT_FLAME_VIEW_H

#include "app.h"
#include "calltree_view.h"
#include "sites_view.h"

#define FLAME_STEPS  64 /* of zooming that can be undone */
#define FLAME_CRUMBS 12 /* most frames of the path shown */

enum flame_widget {
	FLAME_BUTTON = PROFILES_WIDGETS,
	FLAME_BUTTONS = CALLTREE_OWN_BUTTONS + CALLTREE_BUTTONS,
	FLAME_CRUMB = FLAME_BUTTON + FLAME_BUTTONS,
	FLAME_AREA = FLAME_CRUMB + FLAME_CRUMBS,
	FLAME_BAR
};

struct flame_zoom {
	uint64_t key;    /* of the frame; 0: the root */
	double from, to; /* part of its extent in sight; may exceed it */
};

/* Chains in place of the profile (flame_holders.c). */
struct flame_holders {
	bool on, pending;
	bool icicle_of_sites; /* when they are no longer shown */
	struct shared_profile *chains;
	uint32_t version;
	char title[400]; /* of the answer, cleaned */
};

struct flame_view {
	struct calltree_maker maker;
	struct flame_holders holders;
	uint32_t filter_version;
	enum gcs_measure measure;
	bool icicle, collapse;
	struct flame_zoom zoom;
	struct flame_zoom step[FLAME_STEPS]; /* earlier ones, the newest last */
	uint32_t steps;
	uint32_t focus; /* the zoomed frame in the present tree */
	uint64_t selected_key;
	uint32_t selected, hovered; /* GCS_NONE: none */
	bool *hit;                  /* by node; NULL while nothing is searched */
	uint32_t hits;
	double matched;
	int scroll;      /* pixels from the root's edge … */
	int row_height;  /* … with rows of this height */
	uint32_t hidden; /* frames too narrow when last painted */
	struct cv_rect area;
	/* Dragging. */
	bool dragged;
	int drag_x, drag_y, drag_scroll;
	struct flame_zoom drag_zoom;
};

/* flame_layout.c. The tree to be shown, or NULL. */
const struct calltree_part *flame_part(const struct flame_view *view);
void flame_sync(struct flame_view *view, struct app *app);
int flame_row_height(const struct app *app);

/* The part of the whole that is in sight, 0 to 1. */
void flame_sight(const struct flame_view *view, double *from, double *to);

/* The rectangle of a frame; w 0 if it is narrower than a pixel. */
struct cv_rect flame_rect(const struct flame_view *view, const struct app *app, uint32_t node);
uint32_t flame_at(const struct flame_view *view, const struct app *app, int x, int y);

/* Calls for the frames in sight, parents first; returns the number of frames too narrow to see. */
typedef void flame_each(void *context, uint32_t node, struct cv_rect r);
uint32_t flame_walk(
    const struct flame_view *view, const struct app *app, flame_each *each, void *context);

/* flame_move.c. flame_out undoes the last step of zooming; false without one. */
void flame_zoom_to(struct flame_view *view, struct app *app, uint32_t node);
bool flame_out(struct flame_view *view, struct app *app);
void flame_reset(struct flame_view *view, struct app *app);

/* Zooms in (factor < 1) or out around a column of pixels. */
void flame_zoom_at(struct flame_view *view, struct app *app, double factor, int x);
void flame_pan(struct flame_view *view, const struct flame_zoom *from, double part);
void flame_select(struct flame_view *view, struct app *app, uint32_t node);
/* The selected frame, or the one under the pointer; flame_place_of_sites: none in the graph of holders,
 * whose frames are no call sites. */
struct calltree_place flame_place_of_sites(const struct flame_view *view, bool selected);
struct calltree_place flame_place(const struct flame_view *view, bool selected);
bool flame_walk_keys(struct flame_view *view, struct app *app, enum command_id id);
/* Another scale of the window shows the same rows. */
void flame_rescale(struct flame_view *view, const struct app *app);
void flame_limit_scroll(struct flame_view *view, const struct app *app);

/* flame_paint.c */
uint32_t flame_colour(const struct flame_view *view, uint32_t node);
void flame_paint(struct flame_view *view, struct app *app);
/* What the colours of a difference mean; *count: how many there are. */
const struct flame_key *flame_changes(const struct flame_view *view, uint32_t *count);
void flame_legend_run(const struct flame_view *view, struct app *app, struct cv_rect *column);

/* flame_text.c */
void flame_match_text(
    const struct flame_view *view, const struct app *app, char *text, size_t size);
void flame_hidden_text(const struct flame_view *view, char *text, size_t size);
void flame_tip(const struct flame_view *view, uint32_t node, char *text, size_t size);
void flame_copy(struct flame_view *view, struct app *app, struct textbuf *out);

/* flame_holders.c. Whether the source may have chains; shows them, or call sites again. */
bool flame_may_hold(const struct app *app);
bool flame_hold(struct flame_view *view, struct app *app, const char *argument);
void flame_forget_holders(struct flame_view *view);

/* flame_svg.c */
bool flame_svg(struct flame_view *view, struct app *app, struct textbuf *out);

/* flame_commands.c */
bool flame_run_command(
    struct flame_view *view, struct app *app, enum command_id id, const char *argument);

/* The saved state, as in struct view. */
void flame_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);

/* What is shown in place of the graph; false: the graph is. */
bool flame_explain_empty(
    const struct flame_view *view, const struct app *app, struct profiles_empty *empty);

#endif
