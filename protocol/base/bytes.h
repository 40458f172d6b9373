/*
 * A reader and a growing writer of bytes: little-endian, with the varints of docs/protocol.md,
 * section 3.
 *
 * Errors are sticky. After a failure, such as the end of the bytes, a reader returns zeros, so that a
 * decoder reads all fields and checks once. A writer likewise keeps the status of running out of
 * memory or over its limit.
 */
#ifndef GCSPY_BASE_BYTES_H
#define GCSPY_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gcspy/status.h>

struct rd {
	const uint8_t *at;
	const uint8_t *end;
	enum gcs_status status;
};

struct rd rd_over(const void *bytes, size_t length);
uint8_t rd_u8(struct rd *r);
uint16_t rd_u16(struct rd *r);
uint32_t rd_u32(struct rd *r);
uint64_t rd_varint(struct rd *r);
int64_t rd_zigzag(struct rd *r);
double rd_double(struct rd *r); /* any bits, so it may be no number */

/* A varint up to `max`; LIMIT otherwise. */
uint32_t rd_count(struct rd *r, uint32_t max);

/* A u8 below `count`; MALFORMED otherwise. */
uint8_t rd_enum(struct rd *r, uint32_t count);

/* A text of at most `max` bytes without NUL bytes, in place and not terminated. */
const char *rd_text(struct rd *r, size_t max, size_t *length);

/* The next `length` bytes in place, or NULL. */
const uint8_t *rd_bytes(struct rd *r, size_t length);

size_t rd_left(const struct rd *r);

/* Fails the reader, unless it has failed before. */
void rd_fail(struct rd *r, enum gcs_status status);

struct wr {
	uint8_t *data;
	size_t length;
	size_t capacity;
	size_t limit; /* maximum length */
	enum gcs_status status;
};

void wr_init(struct wr *w, size_t limit);
void wr_fini(struct wr *w);
void wr_u8(struct wr *w, uint8_t v);
void wr_u16(struct wr *w, uint16_t v);
void wr_u32(struct wr *w, uint32_t v);
void wr_varint(struct wr *w, uint64_t v);
void wr_zigzag(struct wr *w, int64_t v);
void wr_double(struct wr *w, double v);       /* IEEE 754 binary64 */
void wr_text(struct wr *w, const char *text); /* NULL writes "" */
void wr_bytes(struct wr *w, const void *bytes, size_t length);
void wr_put_u32(struct wr *w, size_t at, uint32_t v); /* overwrites */
void wr_put_u16(struct wr *w, size_t at, uint16_t v);

/* Removes the first `count` bytes. */
void wr_consume(struct wr *w, size_t count);

/* The function of a sink (sink.h) whose context is a writer. */
bool wr_take(void *writer, const void *bytes, size_t length);

/* Reserves room for `count` more bytes; false, with a sticky status, on failure. */
bool wr_reserve(struct wr *w, size_t count);

#endif
