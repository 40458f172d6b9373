#include "protobuf.h"

#include <string.h>

enum { VARINT = 0, EIGHT_BYTES = 1, BYTES = 2 };

static void put_key(struct wr *w, uint32_t field, unsigned type)
{
	wr_varint(w, (uint64_t)field << 3 | type);
}

void pb_varint(struct wr *w, uint32_t field, uint64_t value)
{
	put_key(w, field, VARINT);
	wr_varint(w, value);
}

void pb_packed_fixed(struct wr *w, uint64_t value)
{
	wr_u32(w, (uint32_t)value);
	wr_u32(w, (uint32_t)(value >> 32));
}

void pb_fixed(struct wr *w, uint32_t field, uint64_t value)
{
	put_key(w, field, EIGHT_BYTES);
	pb_packed_fixed(w, value);
}

void pb_double(struct wr *w, uint32_t field, double value)
{
	put_key(w, field, EIGHT_BYTES);
	wr_double(w, value);
}

static void put_bytes(struct wr *w, uint32_t field, const void *bytes, size_t length)
{
	put_key(w, field, BYTES);
	wr_varint(w, length);
	wr_bytes(w, bytes, length);
}

void pb_text(struct wr *w, uint32_t field, const char *text)
{
	put_bytes(w, field, text, strlen(text));
}

void pb_sint(struct wr *w, uint32_t field, int64_t value)
{
	put_key(w, field, VARINT);
	wr_zigzag(w, value);
}

static void take_message(struct wr *outer, struct wr *message)
{
	if (outer->status == GCS_OK)
		outer->status = message->status;
	message->length = 0;
}

void pb_message(struct wr *outer, uint32_t field, struct wr *message)
{
	put_bytes(outer, field, message->data, message->length);
	take_message(outer, message);
}

void pb_delimited(struct wr *stream, struct wr *message)
{
	wr_varint(stream, message->length);
	wr_bytes(stream, message->data, message->length);
	take_message(stream, message);
}
