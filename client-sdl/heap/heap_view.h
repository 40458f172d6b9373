/*
 * The parts of the heap view that its files share: the list of groups and spaces with their places,
 * and the tile maps. view_heap.c paints and listens, heap_layout.c places.
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

/* A drag with the pointer, from where it began. */
enum heap_drag { DRAG_NONE, DRAG_PAN, DRAG_MARK };

/* What stays under the pointer while the wheel zooms: a point of a tile, in 1/1000 of its pitch. */
struct heap_anchor {
	struct tile_ref at; /* space GCS_NONE: none yet */
	int x, y;           /* where the pointer was */
	int part_x, part_y;
};

/* The range of tiles that is being marked, over those that were marked before. */
struct heap_mark {
	uint32_t space; /* GCS_NONE: none */
	uint32_t from;
	enum marks_how how;
	bool numbers; /* by the tiles' numbers, not by what is seen */
	struct tilemarks base;
};

/* One block of the list; y is from the top of the content, in pixels. */
struct heap_item {
	enum heap_kind kind;
	uint32_t id; /* of the group or space */
	int depth;
	int y, h;
	bool open; /* a group as painted */
	bool few;  /* so few tiles that they are shown larger than those of the others */
	int share; /* of the width, in 1/1000, when that is proportional */
	struct heap_prefs *prefs; /* of a space */
	struct tilemap map;
	struct related related; /* its tiles that overlap the selected one; as painted */
};

struct heap {
	struct heap_item *item;
	uint32_t count;
	int content, wide; /* height and width of it all */
	int scroll, scroll_x;
	int pitch; /* chosen tile pitch in pixels, 0: fitted to the window */
	/* By the wheel: rows stay as they were at this pitch; 0: they wrap anew. */
	int rows_of;
	int slack_x, slack_y; /* of the content, so that what is at its end can be zoomed, too */
	int fitted;           /* the pitch in use */
	int base;             /* the one that would fit */
	enum heap_shape shape;
	struct heap_prefs **prefs;
	uint32_t prefs_count, prefs_room;
	uint32_t hidden;           /* spaces that are not in the list */
	uint32_t leaves, stand_in; /* spaces hidden so far, the active one since the last */
	bool recency, equal;
	struct tile_ref equal_of;          /* the tile whose equals are shown */
	struct gcs_snapshot *now, *before; /* the two newest pictures; references */
	bool style_stale;                  /* the user has chosen something else */
	enum heap_field field_open;
	struct textfield field;
	enum heap_drag drag;
	int drag_x, drag_y;
	bool drag_still; /* it has not moved far enough to be more than a click */
	struct heap_anchor anchor;
	struct heap_mark mark;
	uint32_t show_space;     /* to be brought into sight, GCS_NONE: none */
	struct tile_ref pointed; /* the hovered tile as painted */
	uint32_t bar;            /* the space under the pointer, whose tools are shown */
	bool bar_stale;          /* another one than painted */
	uint32_t ringed;     /* the widget of the group header painted with the keyboard's ring */
	struct tile_ref fit; /* the tile that the last command has centred */
	struct cv_rect area; /* of the last layout, without the scroll bar */
	struct tilelook
	    look[4]; /* of most spaces, of those with few tiles; the same of differences */
	const struct theme *look_theme;
	int look_ramp;
	struct heap_site site; /* colours the maps in place of the streams */
	struct heap_compare compare;
	struct heap_tile tile; /* the call sites of the tile that is looked at */
	/* What the last painting showed. */
	const struct gcs_snapshot *shown; /* only compared, never followed */
	uint32_t active;
};

/* Pixels at the given scale: title bar of a space, header of a group, space between blocks, side
 * margin. */
int heap_title_height(const struct app *app);
int heap_group_height(const struct app *app);
int heap_gap(const struct app *app);
int heap_margin(const struct app *app);

/* Places everything for the area; false without memory (the list is then empty). */
bool heap_layout(struct heap *heap, struct app *app, struct cv_rect area);

/* True when the list still fits the snapshot: same spaces, same tile counts. */
bool heap_layout_fits(struct heap *heap, const struct app *app, struct cv_rect area);

/* How an item's tiles look. */
const struct tilelook *heap_look(const struct heap *heap, const struct heap_item *item);

/* The pitch of the tiles of spaces with few tiles, for that of the others. */
int heap_few_pitch(const struct heap *heap, const struct app *app, int pitch);

/* The item of a space, or NULL. */
struct heap_item *heap_find(struct heap *heap, uint32_t space);

/* The next larger (dir 1) or smaller (dir -1) pitch. */
int heap_next_pitch(int pitch, int dir);

/* Places the maps for the present scroll position. */
void heap_place(struct heap *heap, const struct app *app);

void heap_clear(struct heap *heap);

/* Selection by arrow keys; false if the command is none of them. */
bool heap_walk(struct heap *heap, struct app *app, enum command_id id);

/* Scrolls so that the tile is inside the area. */
void heap_reveal(struct heap *heap, struct app *app, uint32_t space, uint32_t tile);

/* heap_style.c: brings the spaces' styles up to date; true when all must be painted. */
bool heap_style_refresh(struct heap *heap, struct app *app);
void heap_drop_pictures(struct heap *heap);

/* A choice has changed: styles are made and all is painted anew. */
void heap_restyle(struct heap *heap, struct app *app);

/* The rule by which a space's tiles are coloured; false if there is nothing to show. */
bool heap_rule(
    const struct heap_prefs *prefs, const struct app *app, uint32_t space, struct tilecode *rule);

/* A tile's value by the expression that colours its space, in words; false if none does. */
bool heap_text_value(
    struct heap *heap, const struct app *app, struct tile_ref at, char *text, size_t size);

/* The control bits of a space's tiles, NULL if all are used. */
const int64_t *heap_control(const struct app *app, uint32_t space);

/* heap_keep.c: what is kept, as struct view has it; the names of shapes and orders. */
extern const char *const heap_shapes[HEAP_SHAPES];
extern const char *const heap_orders[ORDER_KINDS];
void heap_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out);
void heap_forget(void *self, struct app *app);
void heap_described(void *self, struct app *app);

/* heap_zoom.c: the pitch, with the row of the tile at x, y staying there; rows wrap anew. */
void heap_zoom(struct heap *heap, struct app *app, int pitch, int x, int y);

/* One notch of the wheel over tiles: rows keep their tiles, and the tile that was first under the
 * pointer stays there until the pointer moves. False if there is no tile at x, y. */
bool heap_zoom_wheel(struct heap *heap, struct app *app, int dir, int x, int y);
bool heap_zoom_command(struct heap *heap, struct app *app, enum command_id id);

/* Scrolls by pixels, as far as there is something. */
void heap_scroll_by(struct heap *heap, struct app *app, int x, int y);

/* heap_groups.c: the header of a group, which keys and pointer open and collapse; both passes. */
void heap_group_run(struct heap *heap, struct app *app, struct heap_item *item, bool all);
bool heap_open_groups(struct heap *heap, struct app *app);

/* heap_mouse.c: the event pass; a command from within it. */
void heap_run(struct app *app, enum command_id id);
void heap_pointer(struct heap *heap, struct app *app, struct cv_rect r);
struct heap_item *heap_item_at(struct heap *heap, const struct app *app, int x, int y);
struct cv_rect heap_item_rect(
    const struct heap *heap, const struct app *app, const struct heap_item *item);

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

/* heap_choices.c: what a user chooses for spaces; false if the command is none of them, and in
 * *ok whether it could be done. */
bool heap_choice_command(
    struct heap *heap, struct app *app, enum command_id id, const char *argument, bool *ok);

/* heap_find.c */
bool heap_find_text(struct heap *heap, struct app *app, const char *text);

/* heap_field.c: the field at the top of the side panel. */
void heap_field_open(struct heap *heap, struct app *app, enum heap_field field);
bool heap_field_close(struct heap *heap, struct app *app);
void heap_field_run(struct heap *heap, struct app *app, struct cv_rect *column);

/* Colours the active space by an expression, or by streams again for "". */
bool heap_set_text(struct heap *heap, struct app *app, const char *text);

/* The refresh of layout and styles before something is placed; false without memory. */
bool heap_refresh(struct heap *heap, struct app *app, struct cv_rect area, bool *all);

/* The text about a space that stands in its title bar, right and left. */
void heap_title_text(const struct app *app, uint32_t space, char *left, size_t left_size,
    char *right, size_t right_size);

/* What is shown before there is a picture. */
void heap_empty(struct app *app, struct cv_rect r);
void heap_empty_text(const struct app *app, struct textbuf *out);

#endif
