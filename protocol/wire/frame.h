/*
 * Frames: the unit in which messages travel; docs/protocol.md, section 2. Pure functions on bytes.
 */
#ifndef GCSPY_WIRE_FRAME_H
#define GCSPY_WIRE_FRAME_H

#include <gcspy/wire.h>

#include "bytes.h"

/* Writes the preamble of 8 bytes. */
void frame_preamble(struct wr *w);

/* Checks 8 bytes of preamble: OK, FOREIGN (another protocol) or VERSION; `major` and `minor` are
 * those of the peer. */
enum gcs_status frame_check_preamble(const uint8_t *bytes, unsigned *major, unsigned *minor);

/* Starts a frame; returns where, for frame_end. */
size_t frame_begin(struct wr *w, enum gcs_wire_kind kind);

/* Completes the frame begun at `at`: its length, and its deflation if `deflate` is given and it
 * pays. */
struct deflater;
void frame_end(struct wr *w, size_t at, struct deflater *deflate);

/* A zlib stream that is set up at first use and used again for each frame. */
struct deflater *deflater_create(void);
void deflater_destroy(struct deflater *d);

struct frame {
	uint16_t kind;
	uint16_t flags;
	struct rd payload; /* in place, or in the inflater's buffer until the next frame */
	size_t bytes;      /* that the frame took */
};

struct inflater;
struct inflater *inflater_create(void);
void inflater_destroy(struct inflater *i);

/*
 * Takes the next frame off `bytes`. OK; TRUNCATED when more bytes are needed (frame->bytes then
 * says how many in all, or 0 when even that is unknown); any other status means that the connection
 * cannot go on. `max` bounds the payload, inflated or not.
 */
enum gcs_status frame_next(const uint8_t *bytes, size_t length, uint32_t max,
    struct inflater *inflate, struct frame *frame);

/* The name of a kind of message for people, or "?". */
const char *frame_kind_name(unsigned kind);

#endif
