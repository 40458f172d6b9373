/*
 * The protocol of GCspy's first release, of 2002: numbers, primitives and frames, for both ends.
 * docs/protocol-2002.md has the mapping to ours. Pure functions.
 *
 * Everything is big-endian. A frame is an int, the length of its payload, and the payload; after
 * the bootstrap each payload is a list of commands between two fixed numbers.
 */
#ifndef GCSPY_COMPAT2002_WIRE_2002_H
#define GCSPY_COMPAT2002_WIRE_2002_H

#include "arena.h"
#include "bytes.h"

/* Begins the hello of both sides; the client's has 14 bytes. */
#define W2002_MAGIC "GCspy666"

enum { W2002_ENDIANNESS = 1, W2002_COMMANDS = 666666, W2002_COMMANDS_END = -666 };

/* Ids of spaces, streams and events are signed bytes. */
enum { W2002_MAX_ID = 127, W2002_MAX_SPACES = W2002_MAX_ID + 1 };

/* The original client has a buffer of 4 MiB. */
enum { W2002_MAX_PAYLOAD = 4000000, W2002_MAX_TILES = 999900 };

enum w2002_command {
	W2002_END_STREAM,
	W2002_PAUSE_REQ,
	W2002_PAUSE,
	W2002_RESTART,
	W2002_PLAY_ONE,
	W2002_SHUTDOWN_REQ,
	W2002_SHUTDOWN,
	W2002_STREAM,
	W2002_EVENT,
	W2002_CONTROL,
	W2002_EVENT_FILTERS,
	W2002_EVENT_COUNT,
	W2002_SUMMARY,
	W2002_SPACE_INFO,
	W2002_SPACE
};

enum w2002_type { W2002_BYTE, W2002_SHORT, W2002_INT, W2002_TYPES };

enum w2002_presentation {
	W2002_PLAIN,
	W2002_PLUS,
	W2002_MAX_VAR, /* the maximum is the largest value of a used tile */
	W2002_PERCENT,
	W2002_PERCENT_VAR, /* of the tile's value in another stream */
	W2002_ENUM,
	W2002_PRESENTATIONS
};

enum w2002_paint { W2002_PAINT_PLAIN, W2002_PAINT_ZERO, W2002_PAINTS };

/* Bits of a control stream; ours have one more. */
enum { W2002_CONTROL_BITS = 31 };

/* Reading. All fail the reader as in bytes.h. */
int8_t w2002_get_byte(struct rd *r);
int16_t w2002_get_short(struct rd *r);
int32_t w2002_get_int(struct rd *r);

/* The text up to the next NUL, in the arena, truncated to `max` bytes between characters. "" on
 * failure. */
const char *w2002_get_text(struct rd *r, struct arena *a, size_t max);

/* Parses the next frame of `bytes`. OK; TRUNCATED if more bytes are needed; CLOSED for an empty frame,
 * by which a peer ends the connection; LIMIT for one longer than `max`. */
enum gcs_status w2002_next(
    const uint8_t *bytes, size_t length, uint32_t max, struct rd *payload, size_t *taken);

/* Writing. */
void w2002_put_short(struct wr *w, int16_t v);
void w2002_put_int(struct wr *w, int32_t v);
void w2002_put_text(struct wr *w, const char *text, size_t max); /* truncated as above */

/* Frames of the bootstrap. */
size_t w2002_frame_begin(struct wr *w);
void w2002_frame_end(struct wr *w, size_t at);

/* A frame with one command, as the original servers send them. */
size_t w2002_command_begin(struct wr *w, enum w2002_command command);
void w2002_command_end(struct wr *w, size_t at);
void w2002_put_command(struct wr *w, enum w2002_command command); /* one without fields */

/* The length of the longest prefix with at most `max` bytes that does not end within a UTF-8
 * character. */
size_t w2002_cut(const char *text, size_t length, size_t max);

/* The name of a command, or "?". */
const char *w2002_command_name(unsigned command);

#endif
