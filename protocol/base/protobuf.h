/*
 * Writes messages of protocol buffers (protobuf.dev, "Encoding"): a message is a sequence of fields, each a
 * key (number times 8 plus wire type) and a varint, eight bytes, or a length and bytes. Errors stick to the
 * writer.
 */
#ifndef GCSPY_BASE_PROTOBUF_H
#define GCSPY_BASE_PROTOBUF_H

#include "bytes.h"

void pb_varint(struct wr *w, uint32_t field, uint64_t value);
void pb_sint(struct wr *w, uint32_t field, int64_t value);   /* sint32, sint64 */
void pb_fixed(struct wr *w, uint32_t field, uint64_t value); /* fixed64, sfixed64 */
void pb_double(struct wr *w, uint32_t field, double value);
void pb_text(struct wr *w, uint32_t field, const char *text); /* of our own, or clean */

/* Adds a finished message, or packed values, as a field of the outer one, and empties it for the next. */
void pb_message(struct wr *outer, uint32_t field, struct wr *message);

/* Adds one to a stream of messages, each after its length, and empties it. */
void pb_delimited(struct wr *stream, struct wr *message);

/* The eight bytes of a fixed64, as a packed field has them. */
void pb_packed_fixed(struct wr *w, uint64_t value);

#endif
