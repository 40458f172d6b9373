/*
 * Maps a tile's values to its appearance: a small number that determines how the tile is painted,
 * so that the test for a repaint is one comparison. Pure; reads a snapshot and owns nothing.
 */
#ifndef GCSPY_CLIENT_TILECODE_H
#define GCSPY_CLIENT_TILECODE_H

#include <gcspy/snapshot.h>

/* The appearance is in the low bits: a shade of the ramp (0 to PALETTE_SHADES - 1) or one of
 * these. */
#define LOOK_MASK       0x03ffu
#define LOOK_ZERO       256u /* an empty frame */
#define LOOK_UNUSED     257u /* hatched */
#define LOOK_BACKGROUND 258u /* nothing */
#define LOOK_OVER       259u /* at or above the maximum of an "n or more" stream: framed inside */
#define LOOK_ENUM       260u /* + index of the name */
#define LOOK_UNCERTAIN  516u /* + shade of a value below its error: half filled */

#define TILE_CODE_SEPARATOR 0x0400u /* a border before the tile */
#define TILE_CODE_LINKED    0x0800u /* linked with the tile before it */
#define TILE_CODE_STALE     0x2000u
#define TILE_CODE_FADE      0xd000u /* time since the last change: tilecode_fade */
#define TILE_CODE_NONE      0xffffu /* not painted yet */

struct tilecode {
	const int64_t *values; /* columns; the others may be NULL */
	const int64_t *control, *limits, *counted, *errors;
	uint32_t tiles;
	int64_t min, max, zero;
	enum gcs_presentation presentation;
	enum gcs_paint paint;
	uint32_t names;     /* of an enumeration */
	double per_shade;   /* shades per unit of value; 0 with limits */
	const double *real; /* values of an expression instead; NaN: none */
	double low;         /* the value of the lowest shade */
};

/* The values of the space's stream with that role, NULL if it has none. */
const int64_t *tilecode_column(
    const struct gcs_snapshot *snapshot, uint32_t space, enum gcs_role role);

/*
 * Streams that count objects have no value in a tile that has not been counted, although it is sent
 * as 0: the column of the enumeration "Counted" that precedes them (docs/collectors.md), 0 in such a
 * tile; NULL for other streams. The second one returns its number, or GCS_NONE. Estimates from
 * samples are their own such column: while all are 0, as while sampling is off, none is known.
 */
const int64_t *tilecode_counted(
    const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);
uint32_t tilecode_counted_by(const struct gcs_space *space, uint32_t stream);

/* False for such a stream if no tile has been counted. */
bool tilecode_any_counted(const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* gcs_format_summary, or a dash for a stream of which no tile has been counted. */
char *tilecode_summary(
    char *text, size_t size, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* True for a tile with values; `control` are the bits of all tiles, NULL: all are used. */
bool tilecode_used(const int64_t *control, uint32_t tile);

/* True for a tile with a value. */
static inline bool tilecode_has_value(const struct tilecode *tc, uint32_t tile)
{
	return tilecode_used(tc->control, tile) && (tc->counted == NULL || tc->counted[tile] != 0);
}

/* Prepares to colour a space by a stream; false if there is nothing to show. */
bool tilecode_init(
    struct tilecode *tc, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* Lets the looks tell an estimate below its error (gcs_uncertain). */
void tilecode_set_errors(
    struct tilecode *tc, const struct gcs_snapshot *snapshot, uint32_t space, uint32_t stream);

/* True for a stream of data to choose: errors are shown with the values that they belong to. */
bool tilecode_is_view(const struct gcs_space *space, uint32_t stream);

/* Values that replace a stream's: numbers from 0, painted as zero, to `most`. */
struct tileshare {
	const int64_t *values; /* one for each tile; outlives the tile code */
	int64_t most;
};

/* Uses these values instead; control bits stay. */
void tilecode_set_share(struct tilecode *tc, const struct tileshare *share);

/*
 * Values of an expression, or differences, coloured from low to high: one per tile; NaN, for no
 * value, is painted as unused, infinity as capped.
 */
struct tilereal {
	const double *values; /* outlives the tile code */
	double low, high;
};

void tilecode_set_real(struct tilecode *tc, const struct tilereal *real);

/* The bits of a fading of 0 (none) to 7, and back. */
static inline unsigned tilecode_fade(unsigned level)
{
	return (level & 1) << 12 | (level & 6) << 13;
}

static inline unsigned tilecode_fading(unsigned code)
{
	return (code >> 12 & 1) | (code >> 13 & 6);
}

/* True if equal values have equal codes under both. */
bool tilecode_same_rule(const struct tilecode *a, const struct tilecode *b);

/* Codes of the tiles first..first + count - 1. */
void tilecode_fill(const struct tilecode *tc, uint32_t first, uint32_t count, uint16_t *code);

#endif
