/*
 * From a tile's value to one of few colours, for pictures of the heap: the rules are those of the
 * visualiser's tile maps, the colours those of its default palette.
 */
#ifndef GCSPY_ANALYSIS_REPORT_LOOK_H
#define GCSPY_ANALYSIS_REPORT_LOOK_H

#include <gcspy/snapshot.h>

/* Looks are numbers of colours in a picture's palette. */
enum {
	LOOK_NOTHING, /* no tile */
	LOOK_UNUSED,
	LOOK_ZERO,
	LOOK_SHADES, /* first of the shades of a number, from low to high */
	SHADES = 48,
	LOOK_NAMES = LOOK_SHADES + SHADES, /* first of the colours of an enumeration */
	NAME_COLOURS = 14,
	LOOK_COUNT = LOOK_NAMES + NAME_COLOURS
};

/* 0xAARRGGBB; 0 alpha is transparent. */
uint32_t look_colour(unsigned look);

/* How a stream is shown at an event. */
struct look_rule {
	const struct gcs_space *space;
	const struct gcs_stream *stream;
	const int64_t *values, *control, *limits;
	uint32_t space_id, stream_id, tiles;
	double low, range; /* of the numbers */
};

/*
 * The main space by its default stream; `name` is the space's name, or NULL to choose it. False
 * when there is none. Borrows from the snapshot.
 */
bool look_init(struct look_rule *rule, const struct gcs_snapshot *snapshot, const char *name);

uint8_t look_at(const struct look_rule *rule, uint32_t tile);

/* True if the look is that of one of the enumeration's names. */
bool look_is_name(const struct look_rule *rule);

#endif
