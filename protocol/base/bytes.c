#include "bytes.h"

#include <string.h>

#include <gcspy/memory.h>

struct rd rd_over(const void *bytes, size_t length)
{
	const uint8_t *at = bytes;
	return (struct rd){.at = at, .end = at == NULL ? at : at + length, .status = GCS_OK};
}

size_t rd_left(const struct rd *r)
{
	return (size_t)(r->end - r->at);
}

void rd_fail(struct rd *r, enum gcs_status status)
{
	if (r->status == GCS_OK)
		r->status = status;
	r->at = r->end;
}

const uint8_t *rd_bytes(struct rd *r, size_t length)
{
	if (r->status != GCS_OK || rd_left(r) < length) {
		rd_fail(r, GCS_TRUNCATED);
		return NULL;
	}
	const uint8_t *bytes = r->at;
	r->at += length;
	return bytes;
}

uint8_t rd_u8(struct rd *r)
{
	const uint8_t *b = rd_bytes(r, 1);
	return b == NULL ? 0 : b[0];
}

uint16_t rd_u16(struct rd *r)
{
	const uint8_t *b = rd_bytes(r, 2);
	if (b == NULL)
		return 0;
	return (uint16_t)(b[0] | b[1] << 8);
}

uint32_t rd_u32(struct rd *r)
{
	const uint8_t *b = rd_bytes(r, 4);
	if (b == NULL)
		return 0;
	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

double rd_double(struct rd *r)
{
	uint64_t bits = rd_u32(r);
	bits |= (uint64_t)rd_u32(r) << 32;
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

uint64_t rd_varint(struct rd *r)
{
	uint64_t value = 0;
	if (r->status == GCS_OK && r->at != r->end && *r->at < 0x80)
		return *r->at++; /* as most are */
	for (unsigned shift = 0; shift < 64; shift += 7) {
		uint8_t byte = rd_u8(r);
		if (shift == 63 && byte > 1) {
			rd_fail(r, GCS_MALFORMED);
			return 0;
		}
		value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return r->status == GCS_OK ? value : 0;
	}
	rd_fail(r, GCS_MALFORMED);
	return 0;
}

int64_t rd_zigzag(struct rd *r)
{
	uint64_t v = rd_varint(r);
	return (int64_t)(v >> 1 ^ (~(v & 1) + 1));
}

uint32_t rd_count(struct rd *r, uint32_t max)
{
	uint64_t value = rd_varint(r);
	if (value > max) {
		rd_fail(r, GCS_LIMIT);
		return 0;
	}
	return (uint32_t)value;
}

uint8_t rd_enum(struct rd *r, uint32_t count)
{
	uint8_t value = rd_u8(r);
	if (value >= count) {
		rd_fail(r, GCS_MALFORMED);
		return 0;
	}
	return value;
}

const char *rd_text(struct rd *r, size_t max, size_t *length)
{
	*length = rd_count(r, (uint32_t)max);
	const uint8_t *bytes = rd_bytes(r, *length);
	if (bytes != NULL && memchr(bytes, 0, *length) != NULL) {
		rd_fail(r, GCS_MALFORMED);
		bytes = NULL;
	}
	if (bytes == NULL)
		*length = 0;
	return (const char *)bytes;
}

void wr_init(struct wr *w, size_t limit)
{
	*w = (struct wr){.limit = limit, .status = GCS_OK};
}

void wr_fini(struct wr *w)
{
	gcs_free(w->data);
	*w = (struct wr){.status = GCS_OK};
}

bool wr_reserve(struct wr *w, size_t count)
{
	if (w->status != GCS_OK)
		return false;
	if (count > w->limit - w->length) {
		w->status = GCS_LIMIT;
		return false;
	}
	if (w->capacity - w->length >= count)
		return true;
	size_t capacity = w->capacity == 0 ? 256 : w->capacity;
	while (capacity - w->length < count)
		capacity *= 2;
	uint8_t *data = gcs_realloc(w->data, capacity);
	if (data == NULL) {
		w->status = GCS_NOMEM;
		return false;
	}
	w->data = data;
	w->capacity = capacity;
	return true;
}

void wr_bytes(struct wr *w, const void *bytes, size_t length)
{
	if (length == 0 || !wr_reserve(w, length))
		return;
	memcpy(w->data + w->length, bytes, length);
	w->length += length;
}

void wr_u8(struct wr *w, uint8_t v)
{
	wr_bytes(w, &v, 1);
}

void wr_u16(struct wr *w, uint16_t v)
{
	uint8_t b[2] = {(uint8_t)v, (uint8_t)(v >> 8)};
	wr_bytes(w, b, sizeof b);
}

void wr_u32(struct wr *w, uint32_t v)
{
	uint8_t b[4] = {(uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24)};
	wr_bytes(w, b, sizeof b);
}

void wr_double(struct wr *w, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	wr_u32(w, (uint32_t)bits);
	wr_u32(w, (uint32_t)(bits >> 32));
}

void wr_varint(struct wr *w, uint64_t v)
{
	uint8_t b[10];
	size_t n = 0;
	while (v >= 0x80) {
		b[n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	b[n++] = (uint8_t)v;
	wr_bytes(w, b, n);
}

void wr_zigzag(struct wr *w, int64_t v)
{
	uint64_t u = (uint64_t)v;
	wr_varint(w, u << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

void wr_text(struct wr *w, const char *text)
{
	size_t length = text == NULL ? 0 : strlen(text);
	wr_varint(w, length);
	wr_bytes(w, text, length);
}

void wr_put_u32(struct wr *w, size_t at, uint32_t v)
{
	if (w->status != GCS_OK)
		return;
	for (unsigned i = 0; i < 4; i++)
		w->data[at + i] = (uint8_t)(v >> 8 * i);
}

void wr_put_u16(struct wr *w, size_t at, uint16_t v)
{
	if (w->status != GCS_OK)
		return;
	w->data[at] = (uint8_t)v;
	w->data[at + 1] = (uint8_t)(v >> 8);
}

void wr_consume(struct wr *w, size_t count)
{
	w->length -= count;
	if (count != 0 && w->length != 0)
		memmove(w->data, w->data + count, w->length);
}

bool wr_take(void *writer, const void *bytes, size_t length)
{
	struct wr *w = writer;
	wr_bytes(w, bytes, length);
	return w->status == GCS_OK;
}
