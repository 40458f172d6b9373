/* Frames, which contain the messages (docs/protocol.md, section 2). Pure functions. */
#ifndef GCSPY_WIRE_FRAME_H
#define GCSPY_WIRE_FRAME_H

#include <gcspy/wire.h>

#include "bytes.h"

/* Writes the preamble of 8 bytes. */
void frame_preamble(struct wr *w);

/* Checks 8 bytes of preamble: OK, FOREIGN (another protocol) or VERSION. `major` and `minor` receive
 * the peer's version. */
enum gcs_status frame_check_preamble(const uint8_t *bytes, unsigned *major, unsigned *minor);

/* Begins a frame; returns its start, for frame_end. */
size_t frame_begin(struct wr *w, enum gcs_wire_kind kind);

/* Completes the frame that starts at `at`: sets its length, and deflates it if `deflate` is not NULL and
 * the frame gets smaller. */
struct deflater;
void frame_end(struct wr *w, size_t at, struct deflater *deflate);

/* A zlib stream for all frames of a connection. */
struct deflater *deflater_create(void);
void deflater_destroy(struct deflater *d);

struct frame {
	uint16_t kind;
	uint16_t flags;
	struct rd payload; /* in place, or in the inflater's buffer until the next frame */
	size_t bytes;      /* of the whole frame */
};

struct inflater;
struct inflater *inflater_create(void);
void inflater_destroy(struct inflater *i);

/*
 * Parses the next frame of `bytes`. OK; TRUNCATED if more bytes are needed (frame->bytes is then the
 * total size, or 0 if not known yet); any other status is fatal for the connection. `max` limits the
 * payload, deflated and inflated.
 */
enum gcs_status frame_next(const uint8_t *bytes, size_t length, uint32_t max,
    struct inflater *inflate, struct frame *frame);

/* The name of a message kind, or "?". */
const char *frame_kind_name(unsigned kind);

#endif
