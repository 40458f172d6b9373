/*
 * Shared by the files of the heap view: the list of groups and spaces with their positions, and the
 * tile maps. view_heap.c paints and handles events, heap_layout.c computes positions.
 */
#ifndef GCSPY_CLIENT_HEAP_VIEW_H
#define GCSPY_CLIENT_HEAP_VIEW_H

#include "app.h"
#include "heap_compare.h"
#include "heap_prefs.h"
#include "heap_site.h"
#include "heap_tile.h"
#include "related.h"
#include "tilemap.h"

enum heap_kind { HEAP_GROUP, HEAP_SPACE, HEAP_HIDDEN };

/* Wrapped: every space as wide as the window. Proportional: as wide as its share of the largest. */
enum heap_shape { HEAP_WRAPPED, HEAP_PROPORTIONAL, HEAP_SHAPES };

enum heap_field { FIELD_NONE, FIELD_EXPRESSION, FIELD_FIND };

/* A drag with the pointer. */
enum heap_drag { DRAG_NONE, DRAG_PAN, DRAG_MARK };

/* The point that stays under the pointer while the wheel zooms, in 1/1000 of a tile's pitch. */
struct heap_anchor {
	struct tile_ref at; /* space GCS_NONE: none yet */
	int x, y;           /* where the pointer was */
	int part_x, part_y;
};

/* The range being marked, on top of the earlier marks. */
struct heap_mark {
	uint32_t space; /* GCS_NONE: none */
	uint32_t from;
	enum marks_how how;
	bool numbers; /* by tile number, not by position on screen */
	struct tilemarks base;
};

/* One block of the list; y is from the top of the content, in pixels. */
struct heap_item {
	enum heap_kind kind;
	uint32_t id; /* of the group or space */
	int depth;
	int y, h;
	bool open;                /* a group as painted */
	bool folded;              /* a space of which only the title is shown */
	bool few;                 /* few tiles, shown larger than those of other spaces */
	bool rows;                /* each tile in a row of its own, with its name and value */
	int share;                /* share of the width in 1/1000, in a proportional layout */
	struct heap_prefs *prefs; /* of a space */
	struct tilemap map;
	struct related related; /* its tiles that overlap the selected one, as painted */
};

struct heap {
	struct heap_item *item;
	uint32_t count;
	int content, wide; /* total height and width */
	int wide_fit;      /* the width without the spaces whose tiles keep their size */
	int scroll, scroll_x;
	int pitch; /* user's tile pitch in pixels, 0: fit to the window */
	/* Wheel zoom: rows wrap as at this pitch; 0: rows rewrap. */
	int rows_of;
	int slack_x, slack_y; /* extra scroll range, so that tiles at the ends can be zoomed */
	int fitted;           /* the pitch in use */
	int base;             /* the pitch that would fit */
	uint64_t fitted_of; /* what it was chosen for, whatever the numbers of tiles; 0: nothing */
	enum heap_shape shape;
	struct heap_prefs **prefs;
	uint32_t prefs_count, prefs_room;
	uint32_t hidden; /* number of hidden spaces */
	uint32_t leaves,
	    stand_in; /* hiding counter; the space activated when the last one was hidden */
	bool recency, equal;
	struct tile_ref equal_of;          /* the tile with whose value others are outlined */
	struct gcs_snapshot *now, *before; /* the two newest snapshots; references */
	bool style_stale;                  /* a user setting changed */
	enum heap_field field_open;
	struct textfield field;
	enum heap_drag drag;
	int drag_x, drag_y;
	bool drag_still; /* not moved far enough to be more than a click */
	struct heap_anchor anchor;
	struct heap_mark mark;
	uint32_t show_space;       /* to scroll to, GCS_NONE: none */
	struct tile_ref pointed;   /* the hovered tile as painted */
	uint32_t bar;              /* the space under the pointer, with visible tools */
	bool bar_stale;            /* differs from the painted one */
	uint32_t ringed;           /* the group header widget painted with the focus ring */
	struct tile_ref fit;       /* the tile centred by the last command */
	struct cv_rect area;       /* of the last layout, without the scroll bar */
	struct tileset tileset[4]; /* for most spaces, those with few tiles; both for differences */
	struct heap_site site;     /* colours the maps instead of the streams */
	struct heap_compare compare;
	struct heap_tile tile; /* the call sites of the tile in focus */
	/* As last painted. */
	const struct gcs_snapshot *shown; /* only compared, never dereferenced */
	uint32_t active;
};

/* Pixels at scale 1: title bar of a space, header of a group, space between blocks, side margin. */
enum { HEAP_TITLE = 26, HEAP_HEADER = 30, HEAP_GAP = 12, HEAP_MARGIN = 12, HEAP_FOLDED_GAP = 2 };

/* Computes all positions for the area; false without memory (the list is then empty). */
bool heap_layout(struct heap *heap, struct app *app, struct cv_rect area);

/* True when the list still fits the snapshot: same spaces, same tile counts. */
bool heap_layout_fits(struct heap *heap, const struct app *app, struct cv_rect area);

/* The appearance of an item's tiles. */
const struct tileset *heap_tileset(const struct heap *heap, const struct heap_item *item);

/* The pitch of spaces with few tiles, given that of the others. */
int heap_few_pitch(const struct heap *heap, const struct app *app, int pitch);

/* The item of a space, or NULL. */
struct heap_item *heap_find(struct heap *heap, uint32_t space);

/* The next larger (dir 1) or smaller (dir -1) pitch. */
int heap_next_pitch(int pitch, int dir);

/* Positions the maps for the current scroll offset. */
void heap_place(struct heap *heap, const struct app *app);

void heap_clear(struct heap *heap);

/* Ends the colouring by a call site, and says so. */
void heap_leave_site(struct heap *heap, struct app *app);

/* heap_menu.c: as in struct view. */
void heap_menu(void *self, struct app *app, bool pointed);

/* Selection by arrow keys; false if the command is none of them. */
bool heap_walk(struct heap *heap, struct app *app, enum command_id id);

/* Scrolls so that the tile is inside the area. */
void heap_reveal(struct heap *heap, struct app *app, uint32_t space, uint32_t tile);

/* heap_style.c: updates the spaces' styles; true if everything must be repainted. */
bool heap_style_refresh(struct heap *heap, struct app *app);
void heap_drop_snapshots(struct heap *heap);

/* A setting changed: rebuilds styles and repaints everything. */
void heap_restyle(struct heap *heap, struct app *app);

/* The rule by which a space's tiles are coloured; false if there is nothing to show. */
bool heap_rule(
    const struct heap_prefs *prefs, const struct app *app, uint32_t space, struct tilecode *rule);

/* Formats a tile's value of the expression that colours its space; false without one. */
bool heap_text_value(
    struct heap *heap, const struct app *app, struct tile_ref at, char *text, size_t size);

/* heap_state.c: saved state, as in struct view; the names of shapes and orders. */
extern const char *const heap_shapes[HEAP_SHAPES];
extern const char *const heap_orders[ORDER_KINDS];
void heap_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
void heap_forget(void *self, struct app *app);
void heap_described(void *self, struct app *app);

/* heap_zoom.c: sets the pitch, keeping the row of the tile at x, y in place; rows rewrap. */
void heap_zoom(struct heap *heap, struct app *app, int pitch, int x, int y);

/* One notch of the wheel over tiles: rows keep their tiles, and the tile that was first under the
 * pointer stays there until the pointer moves. False if there is no tile at x, y. */
bool heap_zoom_wheel(struct heap *heap, struct app *app, int dir, int x, int y);
bool heap_zoom_command(struct heap *heap, struct app *app, enum command_id id);

/* Scrolls by pixels, within the content. */
void heap_scroll_by(struct heap *heap, struct app *app, int x, int y);

/* heap_groups.c: the header of a group, expanded and collapsed by keys and pointer; both passes. */
void heap_group_run(struct heap *heap, struct app *app, struct heap_item *item, bool all);
bool heap_open_groups(struct heap *heap, struct app *app, const char *argument);

/* heap_fold.c: true if only the title is shown; if the user chose otherwise than the default. */
bool heap_folded(const struct heap_prefs *prefs, const struct app *app, uint32_t space);
bool heap_fold_chosen(const struct heap_prefs *prefs, const struct app *app, uint32_t space);

/* True if it was folded. */
bool heap_unfold(struct heap *heap, struct app *app, uint32_t space);
bool heap_fold_command(struct heap *heap, struct app *app, const char *argument);

/* The figure of a folded space: what its stream adds up to, else the number of tiles. */
void heap_fold_text(const struct app *app, uint32_t space, char *text, size_t size);

/* The mark cut off the title's left end; all of the title of a folded space. Both passes. */
void heap_fold_run(
    struct heap *heap, struct app *app, const struct heap_item *item, struct cv_rect *title);

/* While painting: true if the title's focus ring appears or goes; keeps its mark in the tab order
 * where the title is not painted. */
bool heap_fold_rings(struct heap *heap, struct app *app, const struct heap_item *item);
void heap_fold_place(struct heap *heap, struct app *app, const struct heap_item *item);

/* heap_mouse.c: the event pass; a command from within it. */
void heap_run(struct app *app, enum command_id id);
void heap_pointer(struct heap *heap, struct app *app, struct cv_rect r);
struct heap_item *heap_item_at(struct heap *heap, const struct app *app, int x, int y);
struct cv_rect heap_item_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item);

/* heap_paint.c: a space, all of it or what changed; the line that lists hidden spaces, cut at the
 * right. */
void heap_paint_space(struct heap *heap, struct app *app, struct heap_item *item, bool all);
void heap_paint_hidden(struct heap *heap, struct app *app, const struct heap_item *item);

/* heap_fixed.c: the pitch in pixels of a space whose tiles keep their size, 0 for others; sets it.
 */
enum { HEAP_PITCH_LEAST = 2, HEAP_PITCH_MOST = 64 };
int heap_fixed_pitch(const struct app *app, const struct heap_prefs *p);
void heap_fix(const struct app *app, struct heap_prefs *p, int pitch);
bool heap_fixed_tilesets(const struct heap *heap, const struct app *app, struct heap_prefs *p,
    const struct tilecolours *change, bool *all);
bool heap_fixed_command(struct heap *heap, struct app *app, const char *argument);

/* heap_rows.c: true if the space's tiles have rows of their own at a pitch; paints these beside the
 * tiles. */
bool heap_rows_fit(const struct heap *heap, const struct app *app, uint32_t space, int pitch);
void heap_rows_paint(struct heap *heap, struct app *app, struct heap_item *item);
void heap_rows_text(
    struct heap *heap, const struct app *app, const struct heap_item *item, struct textbuf *out);

/* heap_bar.c: the tools in a space's title, cut off the title's right end; both passes. */
struct cv_rect heap_title_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item);
void heap_bar_run(
    struct heap *heap, struct app *app, const struct heap_item *item, struct cv_rect *title);

/* heap_marks.c: marking a range; `to` is its other end. */
bool heap_mark_begin(
    struct heap *heap, struct app *app, uint32_t space, uint32_t tile, enum marks_how how);
void heap_mark_to(struct heap *heap, struct app *app, uint32_t tile);
bool heap_mark_command(
    struct heap *heap, struct app *app, enum command_id id, const char *argument);

/* heap_choices.c: commands for settings of spaces; false for other commands; *ok: whether it
 * succeeded. */
bool heap_choice_command(
    struct heap *heap, struct app *app, enum command_id id, const char *argument, bool *ok);

/* heap_find.c */
bool heap_find_text(struct heap *heap, struct app *app, const char *text);

/* heap_field.c: the field at the top of the side panel. */
void heap_field_open(struct heap *heap, struct app *app, enum heap_field field);
bool heap_field_close(struct heap *heap, struct app *app);
void heap_field_run(struct heap *heap, struct app *app, struct cv_rect *column);

/* Colours the active space by an expression; "" returns to streams. */
bool heap_set_text(struct heap *heap, struct app *app, const char *text);

/* Updates layout and styles before positions are used; false without memory. */
bool heap_refresh(struct heap *heap, struct app *app, struct cv_rect area, bool *all);

/* The text in a space's title bar, left and right. */
void heap_title_text(const struct app *app, uint32_t space, char *left, size_t left_size,
    char *right, size_t right_size);

#endif
