#include "frame.h"

#include <string.h>

#include <gcspy/memory.h>

#include "zmemory.h"

/* Smaller frames are not deflated. */
enum { DEFLATE_FROM = 256 };

void frame_preamble(struct wr *w)
{
	wr_bytes(w, GCS_WIRE_MAGIC, 4);
	wr_u16(w, GCS_PROTOCOL_MAJOR);
	wr_u16(w, GCS_PROTOCOL_MINOR);
}

enum gcs_status frame_check_preamble(const uint8_t *bytes, unsigned *major, unsigned *minor)
{
	struct rd r = rd_over(bytes + 4, GCS_WIRE_PREAMBLE - 4);
	*major = rd_u16(&r);
	*minor = rd_u16(&r);
	if (memcmp(bytes, GCS_WIRE_MAGIC, 4) != 0)
		return GCS_FOREIGN;
	return *major == GCS_PROTOCOL_MAJOR ? GCS_OK : GCS_VERSION;
}

size_t frame_begin(struct wr *w, enum gcs_wire_kind kind)
{
	size_t at = w->length;
	wr_u32(w, 0);
	wr_u16(w, (uint16_t)kind);
	wr_u16(w, 0);
	return at;
}

struct deflater {
	z_stream z;
	uint8_t *buffer;
	size_t capacity;
};

struct deflater *deflater_create(void)
{
	struct deflater *d = gcs_zalloc(sizeof *d);
	if (d == NULL)
		return NULL;
	zmemory(&d->z);
	if (deflateInit(&d->z, Z_BEST_SPEED) != Z_OK) {
		gcs_free(d);
		return NULL;
	}
	return d;
}

void deflater_destroy(struct deflater *d)
{
	if (d == NULL)
		return;
	deflateEnd(&d->z);
	gcs_free(d->buffer);
	gcs_free(d);
}

/* Deflates into d->buffer; returns the size, or 0 if it fails or does not get smaller. */
static size_t deflate_into(struct deflater *d, const uint8_t *bytes, size_t length)
{
	if (d->capacity < length) {
		uint8_t *bigger = gcs_realloc(d->buffer, length);
		if (bigger == NULL)
			return 0;
		d->buffer = bigger;
		d->capacity = length;
	}
	deflateReset(&d->z);
	d->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
	d->z.avail_in = (uInt)length;
	d->z.next_out = d->buffer;
	d->z.avail_out = (uInt)(length - 8);
	if (deflate(&d->z, Z_FINISH) != Z_STREAM_END)
		return 0;
	return length - 8 - d->z.avail_out;
}

void frame_end(struct wr *w, size_t at, struct deflater *deflate)
{
	if (w->status != GCS_OK)
		return;
	size_t body = at + GCS_WIRE_HEADER;
	size_t length = w->length - body;
	if (length > GCS_WIRE_MAX_TO_CLIENT) {
		w->status = GCS_LIMIT;
		return;
	}
	if (deflate != NULL && length >= DEFLATE_FROM) {
		size_t small = deflate_into(deflate, w->data + body, length);
		if (small != 0) {
			w->length = body;
			wr_u32(w, (uint32_t)length);
			wr_bytes(w, deflate->buffer, small);
			wr_put_u16(w, at + 6, GCS_WIRE_DEFLATED);
			length = small + 4;
		}
	}
	wr_put_u32(w, at, (uint32_t)length);
}

struct inflater {
	z_stream z;
	uint8_t *buffer;
	size_t capacity;
};

struct inflater *inflater_create(void)
{
	struct inflater *i = gcs_zalloc(sizeof *i);
	if (i == NULL)
		return NULL;
	zmemory(&i->z);
	if (inflateInit(&i->z) != Z_OK) {
		gcs_free(i);
		return NULL;
	}
	return i;
}

void inflater_destroy(struct inflater *i)
{
	if (i == NULL)
		return;
	inflateEnd(&i->z);
	gcs_free(i->buffer);
	gcs_free(i);
}

static enum gcs_status inflate_frame(struct inflater *i, struct frame *frame, uint32_t max)
{
	uint32_t length = rd_u32(&frame->payload);
	if (frame->payload.status != GCS_OK)
		return GCS_MALFORMED;
	if (length > max)
		return GCS_LIMIT;
	if (i->capacity < length) {
		gcs_free(i->buffer);
		i->buffer = gcs_alloc(length);
		i->capacity = i->buffer == NULL ? 0 : length;
		if (i->buffer == NULL)
			return GCS_NOMEM;
	}
	uint8_t none;
	inflateReset(&i->z);
	i->z.next_in = (z_const Bytef *)(uintptr_t)frame->payload.at;
	i->z.avail_in = (uInt)rd_left(&frame->payload);
	i->z.next_out = length == 0 ? &none : i->buffer;
	i->z.avail_out = length;
	if (inflate(&i->z, Z_FINISH) != Z_STREAM_END || i->z.avail_out != 0 || i->z.avail_in != 0)
		return GCS_MALFORMED;
	frame->payload = rd_over(i->buffer, length);
	return GCS_OK;
}

enum gcs_status frame_next(const uint8_t *bytes, size_t length, uint32_t max,
    struct inflater *inflate, struct frame *frame)
{
	struct rd r = rd_over(bytes, length);
	*frame = (struct frame){0};
	if (length < GCS_WIRE_HEADER)
		return GCS_TRUNCATED;
	uint32_t payload = rd_u32(&r);
	frame->kind = rd_u16(&r);
	frame->flags = rd_u16(&r);
	if (payload > max)
		return GCS_LIMIT;
	frame->bytes = GCS_WIRE_HEADER + payload;
	if (rd_left(&r) < payload)
		return GCS_TRUNCATED;
	frame->payload = rd_over(r.at, payload);
	if ((frame->flags & GCS_WIRE_DEFLATED) == 0)
		return GCS_OK;
	return inflate == NULL ? GCS_MALFORMED : inflate_frame(inflate, frame, max);
}

const char *frame_kind_name(unsigned kind)
{
	switch (kind) {
#define X(name, number, sender)                                                                    \
	case number:                                                                               \
		return #name;
		GCS_WIRE_KINDS(X)
		GCS_WIRE_RESERVED(X)
#undef X
	default:
		return "?";
	}
}
