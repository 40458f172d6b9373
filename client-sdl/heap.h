/*
 * The parts of the heap view that its files share: the list of groups and spaces with their places,
 * and the tile maps. view_heap.c paints and listens, heap_layout.c places.
 */
#ifndef GCSPY_CLIENT_HEAP_H
#define GCSPY_CLIENT_HEAP_H

#include "app.h"
#include "heap_site.h"
#include "related.h"
#include "tilemap.h"

enum heap_kind { HEAP_GROUP, HEAP_SPACE };

/* One block of the list; y is from the top of the content, in pixels. */
struct heap_item {
	enum heap_kind kind;
	uint32_t id; /* of the group or space */
	int depth;
	int y, h;
	bool few;           /* so few tiles that they are shown larger than those of the others */
	struct tilemap map; /* of a space */
	struct related related; /* its tiles that overlap the selected one; as painted */
};

struct heap {
	struct heap_item *item;
	uint32_t count;
	int content; /* height of it all */
	int scroll;
	int pitch;               /* chosen tile pitch in pixels, 0: fitted to the window */
	int fitted;              /* the pitch in use */
	struct cv_rect area;     /* of the last layout, without the scroll bar */
	struct tilelook look[2]; /* of most spaces, and of those with few tiles */
	const struct theme *look_theme;
	int look_ramp;
	struct heap_site site; /* colours the maps in place of the streams */
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
bool heap_layout_fits(const struct heap *heap, const struct app *app, struct cv_rect area);

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

/* The text about a space that stands in its title bar, right and left. */
void heap_title_text(const struct app *app, uint32_t space, char *left, size_t left_size,
    char *right, size_t right_size);

/* What is shown before there is a picture. */
void heap_empty(struct app *app, struct cv_rect r);
void heap_empty_text(const struct app *app, struct textbuf *out);

#endif
