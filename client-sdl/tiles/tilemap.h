/*
 * The tile map of one space: geometry, hit test, and painting in proportion to changes.
 *
 * A map stores the code (tilecode.h) of every painted tile. An update recomputes codes where the
 * new snapshot's columns differ from the last one's - consecutive snapshots say where, otherwise
 * the columns are compared - and repaints the tiles whose code changed. Tiles wrap into rows; a
 * cell is `pitch` pixels square and holds, on its left and top, the gap in which separators and
 * links are drawn. Coordinates are those of the canvas; the caller moves `x` and `y` when it
 * scrolls and then paints everything. Window thread only.
 *
 * A tile's place is its own number unless it is reordered. tilemap.c stores codes and finds
 * changes, tileset.c makes sprites, tilepaint.h turns a code into pixels, tilesplit.c shows several
 * streams in each tile, tileframe.c draws outlines.
 */
#ifndef GCSPY_CLIENT_TILEMAP_H
#define GCSPY_CLIENT_TILEMAP_H

#include "canvas.h"
#include "palette.h"
#include "theme.h"
#include "tilecode.h"
#include "tilemarks.h"
#include "tileorder.h"

#define TILE_PARTS      4  /* maximum streams shown in a tile */
#define TILE_SPLIT_FROM 6  /* minimum tile size in pixels for that */
#define TILEMAP_SPRITES 32 /* zero, unused, background, over, 28 enumeration values */

#define TILE_NAMES 28u /* categories with distinct appearances */

/* Colours that replace those of the theme; 0: not replaced. */
struct tilecolours {
	uint32_t change; /* 1: the ramp is that of differences */
	uint32_t selection, marker, active, separator, link;
	uint32_t name[TILE_NAMES]; /* of an enumeration */
};

/* How codes become pixels, shared by all maps of a window. A zeroed struct is empty. */
struct tileset {
	int pitch, gap, tile; /* pixels; pitch = gap + tile */
	uint32_t shade[256];
	uint32_t ground, separator, link;
	uint32_t selection, select_in, hover, related, marker;
	uint32_t active; /* of marks being made */
	const struct theme *theme;
	int ramp;
	struct tilecolours own;
	uint32_t *sprite; /* TILEMAP_SPRITES of tile * tile pixels */
	bool dim;         /* the snapshot is outdated: blend everything with the background */
};

/* Rebuilds the set if anything differs, and then sets *changed (may be NULL); false without memory
 * (nothing changes then). `own` may be NULL. */
bool tileset_set(struct tileset *set, const struct theme *theme, int ramp, int pitch, bool dim,
    const struct tilecolours *own, bool *changed);
void tileset_fini(struct tileset *set);

/* Paints a sample tile of any size, for legends. */
void tileset_sample(struct cv *cv, const struct tileset *set, const struct theme *theme,
    struct cv_rect r, unsigned code);

/* Paints an uncertain value: half of the tile, below its diagonal; a tile too small for that is
 * chequered. */
void tileset_uncertain(struct cv *cv, struct cv_rect r, uint32_t colour, uint32_t ground);

/* Everything besides a stream's values that determines how tiles are painted. */
struct tilestyle {
	struct tilereal real;          /* in place of the stream; values NULL: none */
	const struct tileorder *order; /* NULL: the server's order */
	const uint8_t *age;            /* tiles fade by age, NULL: they do not */
	uint32_t parts;                /* streams beside the first in each tile */
	uint32_t part[TILE_PARTS - 1];
};

struct tilemap {
	int x, y;              /* of the first cell */
	uint32_t columns;      /* cells to a row */
	int label;             /* pixels from x on that belong to the tile of a row; 0: its cells */
	uint32_t tiles;        /* as of the last layout */
	uint16_t *code;        /* painted codes by place, TILE_CODE_NONE: not painted */
	uint32_t capacity;     /* of code */
	struct tilecode shown; /* rule and columns of the last update */
	const struct gcs_snapshot *snapshot; /* a reference that keeps those columns alive */
	uint32_t space, stream;
	uint32_t selected, hovered; /* GCS_NONE: none */
	/* Set by the caller before painting. What they point to must live until they are set again.
	 * While there is a share, and once after, everything is repainted. */
	struct tileshare share; /* replaces the stream's values; values NULL: none */
	struct tilestyle style;
	bool shared;          /* the last update used a share */
	bool styled;          /* the last update had an order, fading or an expression */
	uint64_t order_shown; /* its generation, 0 without one */
	uint32_t parts;       /* additional streams shown in each tile */
	uint16_t *extra;      /* their codes, a column for each */
	uint32_t extra_capacity;
};

/* A zeroed struct is an empty map (set selected and hovered to GCS_NONE). */
void tilemap_fini(struct tilemap *map);

/* Sets tile count and columns; false without memory. Everything must be repainted afterwards. */
bool tilemap_layout(struct tilemap *map, uint32_t tiles, uint32_t columns);

/* Height in pixels of that many tiles. */
int tilemap_height(const struct tileset *set, uint32_t tiles, uint32_t columns);

/* Takes a snapshot and paints the differences, or everything inside the clip. Returns the number of
 * tiles painted. */
uint32_t tilemap_paint(struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, bool all);

/* Convert between a tile's number and its place; both below the tile count. */
uint32_t tilemap_place(const struct tilemap *map, uint32_t tile);
uint32_t tilemap_tile(const struct tilemap *map, uint32_t place);

/* The pixels of one of the parts, of `count`, into which a tile is split. */
struct cv_rect tilesplit_part(struct cv_rect r, uint32_t part, uint32_t count);

/* Style of an outline; colour is never the only cue. */
enum tile_edge { EDGE_LINE, EDGE_DASHES, EDGE_DOUBLE };

/* A sample of it around r, for a legend. */
void tile_edge_sample(
    struct cv *cv, struct cv_rect r, int thick, enum tile_edge edge, uint32_t colour);

/* Outlines a set of tiles. To remove the outline the caller repaints everything. */
void tilemap_outline(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    const struct tilemarks *marks, enum tile_edge edge, uint32_t colour);

/* Moves the marks of selection and pointer and repaints around the old and new tiles. */
void tilemap_mark(struct tilemap *map, struct cv *cv, const struct tileset *set, uint32_t selected,
    uint32_t hovered);

/* Frames tiles that are related to the selected one of another space, row by row; removed like an
 * outline. */
void tilemap_frame(const struct tilemap *map, struct cv *cv, const struct tileset *set,
    uint32_t first, uint32_t count);

/* The tile at a pixel, or GCS_NONE. Gaps belong to the tile on their right and below. */
uint32_t tilemap_at(const struct tilemap *map, const struct tileset *set, int x, int y);

/* The pixels of a tile without its gaps. */
struct cv_rect tilemap_rect(const struct tilemap *map, const struct tileset *set, uint32_t tile);

#endif
