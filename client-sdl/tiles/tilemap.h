/*
 * The tile map of one space: geometry, hit test, and painting that costs what changed.
 *
 * A map remembers the code (tilecode.h) of every tile that it painted. An update recomputes codes
 * where the new snapshot's columns differ from the last one's - the snapshot tells where, if it
 * came next, else the columns are compared - and repaints the tiles whose code is another one. Tiles wrap into rows; a cell is `pitch` pixels square and holds, on
 * its left and top, the gap in which separators and links are drawn. Coordinates are those of the
 * canvas; the caller moves `x` and `y` when it scrolls and then paints everything. Belongs to the
 * window's thread.
 *
 * A tile stands at a place: its own number, unless an order says otherwise. tilemap.c keeps codes
 * and finds what changed, tilepaint.h makes pixels of a code, tilesplit.c shows several streams in
 * each tile, tileframe.c draws what is around tiles.
 */
#ifndef GCSPY_CLIENT_TILEMAP_H
#define GCSPY_CLIENT_TILEMAP_H

#include "canvas.h"
#include "palette.h"
#include "theme.h"
#include "tilecode.h"
#include "tilemarks.h"
#include "tileorder.h"

#define TILE_PARTS      4  /* streams that a tile can show at once */
#define TILE_SPLIT_FROM 6  /* pixels of a tile from which on it does */
#define TILEMAP_SPRITES 32 /* zero, unused, background, over, 28 enumeration values */

#define TILE_NAMES 28u /* values of an enumeration that look different */

/* What a user, or what is shown, puts in the place of a theme's colours; 0: nothing. */
struct tilecolours {
	bool change; /* the ramp is that of differences */
	uint32_t selection, marker, active, separator, link;
	uint32_t name[TILE_NAMES]; /* of an enumeration */
};

/* How codes become pixels, shared by all maps of a window. */
struct tilelook {
	int pitch, gap, tile; /* pixels; pitch = gap + tile */
	uint32_t shade[256];
	uint32_t ground, separator, link;
	uint32_t selection, select_in, hover, related, marker;
	uint32_t active;           /* of marks while they are made */
	uint32_t name[TILE_NAMES]; /* of an enumeration, 0: that of the palette */
	const struct theme *theme;
	uint32_t *sprite; /* TILEMAP_SPRITES pictures of tile * tile pixels */
	bool dim;         /* the picture is old: everything half-way to the ground */
};

/* Rebuilds the look; false without memory (the look is then as before). */
bool tilelook_set(struct tilelook *look, const struct theme *theme, int ramp, int pitch, bool dim);

/* The same with other colours; NULL: with none. */
bool tilelook_set_own(struct tilelook *look, const struct theme *theme, int ramp, int pitch,
    bool dim, const struct tilecolours *own);
void tilelook_fini(struct tilelook *look);

/* Paints one tile of that look as a sample, for legends; any size. */
void tilelook_sample(struct cv *cv, const struct tilelook *look, const struct theme *theme,
    struct cv_rect r, unsigned code);

/* What else than a stream's values decides how tiles are painted. */
struct tilestyle {
	struct tilereal real;          /* in place of the stream; values NULL: none */
	const struct tileorder *order; /* NULL: in the server's */
	const uint8_t *age;            /* by which tiles fade, NULL: they do not */
	uint32_t parts;                /* streams beside the first in each tile */
	uint32_t part[TILE_PARTS - 1];
};

struct tilemap {
	int x, y;              /* of the first cell */
	uint32_t columns;      /* cells to a row */
	uint32_t tiles;        /* as of the last layout */
	uint16_t *code;        /* what is painted, by place, TILE_CODE_NONE where nothing is */
	uint32_t capacity;     /* of code */
	struct tilecode shown; /* rule and columns of the last update */
	const struct gcs_snapshot *snapshot; /* keeps those columns alive; a reference */
	uint32_t space, stream;
	uint32_t selected, hovered; /* GCS_NONE: no such tile */
	struct tileshare share;     /* values NULL: none */
	bool shared;                /* the last update was coloured by one */
	struct tilestyle style;
	bool styled;          /* the last update had an order, a fading or an expression */
	uint64_t order_shown; /* its generation, 0 without one */
	uint32_t parts;       /* streams beside the first that the tiles show */
	uint16_t *extra;      /* their codes, a column for each */
	uint32_t extra_capacity;
};

/* A zeroed struct is an empty map (select and hover must be set to GCS_NONE). */
void tilemap_fini(struct tilemap *map);

/* Sets tile count and width; false without memory. Everything must be painted afterwards. */
bool tilemap_layout(struct tilemap *map, uint32_t tiles, uint32_t columns);

/* Height in pixels of that many tiles. */
int tilemap_height(const struct tilelook *look, uint32_t tiles, uint32_t columns);

/* Takes over a snapshot and paints what differs, or all that is inside the clip. Returns tiles
 * painted. */
uint32_t tilemap_paint(struct tilemap *map, struct cv *cv, const struct tilelook *look,
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream, bool all);

/* What colours the tiles in place of the stream, from the next painting on; NULL: nothing. The
 * values must live until the next call; each painting with some, and the first one after them,
 * paints all. */
void tilemap_set_share(struct tilemap *map, const struct tileshare *share);

/* The style from the next painting on; NULL: a stream and nothing else. What it points to must live
 * until the next call. */
void tilemap_set_style(struct tilemap *map, const struct tilestyle *style);

/* Between the place where a tile stands and its number; both below the tiles' count. */
uint32_t tilemap_place(const struct tilemap *map, uint32_t tile);
uint32_t tilemap_tile(const struct tilemap *map, uint32_t place);

/* The pixels of one of the parts, of `count`, into which a tile is split. */
struct cv_rect tilesplit_part(struct cv_rect r, uint32_t part, uint32_t count);

/* How an outline looks, for colour is never the only cue. */
enum tile_edge { EDGE_LINE, EDGE_DASHES, EDGE_DOUBLE };

/* A sample of it around r, for a legend. */
void tile_edge_sample(
    struct cv *cv, struct cv_rect r, int thick, enum tile_edge edge, uint32_t colour);

/* Outlines a set of tiles; as with tilemap_frame the caller paints everything to take it away. */
void tilemap_outline(const struct tilemap *map, struct cv *cv, const struct tilelook *look,
    const struct tilemarks *marks, enum tile_edge edge, uint32_t colour);

/* Moves the marks of selection and pointer and repaints around the old and new tiles. */
void tilemap_mark(struct tilemap *map, struct cv *cv, const struct tilelook *look,
    uint32_t selected, uint32_t hovered);

/* Frames tiles that are related to the selected one of another space, row by row. To take frames
 * away again the caller paints everything. */
void tilemap_frame(const struct tilemap *map, struct cv *cv, const struct tilelook *look,
    uint32_t first, uint32_t count);

/* The tile at a pixel, or GCS_NONE. Gaps belong to the tile on their right and below. */
uint32_t tilemap_at(const struct tilemap *map, const struct tilelook *look, int x, int y);

/* The pixels of a tile without its gaps. */
struct cv_rect tilemap_rect(const struct tilemap *map, const struct tilelook *look, uint32_t tile);

#endif
