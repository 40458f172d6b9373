#include "report_png.h"

#include <string.h>
#include <zlib.h>

#include <gcspy/memory.h>

#include "report_look.h"

/* Bytes for base64, three at a time. */
struct base64 {
	struct text *text;
	uint8_t left[3];
	unsigned count;
};

static void put_group(struct base64 *b)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = (uint32_t)b->left[0] << 16 | (uint32_t)b->left[1] << 8 | b->left[2];
	char group[4];
	for (unsigned i = 0; i < 4; i++)
		group[i] = i > b->count ? '=' : letters[bits >> (18 - 6 * i) & 63];
	text_bytes(b->text, group, 4);
	memset(b->left, 0, sizeof b->left);
	b->count = 0;
}

static void put_bytes(struct base64 *b, const uint8_t *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		b->left[b->count++] = bytes[i];
		if (b->count == 3)
			put_group(b);
	}
}

static void put_u32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void put_chunk(struct base64 *b, const char *type, const uint8_t *data, size_t length)
{
	uint8_t head[8], tail[4];
	put_u32(head, (uint32_t)length);
	memcpy(head + 4, type, 4);
	uLong crc = crc32(0, head + 4, 4);
	if (length != 0)
		crc = crc32(crc, data, (uInt)length);
	put_u32(tail, (uint32_t)crc);
	put_bytes(b, head, sizeof head);
	put_bytes(b, data, length);
	put_bytes(b, tail, sizeof tail);
}

static void put_palette(struct base64 *b)
{
	uint8_t colours[3 * LOOK_COUNT], alphas[LOOK_COUNT];
	for (unsigned i = 0; i < LOOK_COUNT; i++) {
		uint32_t colour = look_colour(i);
		alphas[i] = (uint8_t)(colour >> 24);
		for (unsigned k = 0; k < 3; k++)
			colours[3 * i + k] = (uint8_t)(colour >> (16 - 8 * k));
	}
	put_chunk(b, "PLTE", colours, sizeof colours);
	put_chunk(b, "tRNS", alphas, sizeof alphas);
}

enum gcs_status png_uri(
    struct text *t, const uint8_t *pixels, uint32_t width, uint32_t height, struct gcs_error *err)
{
	static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
	struct base64 b = {.text = t};
	size_t stride = (size_t)width + 1, raw_size = stride * height;
	uLongf size = compressBound((uLong)raw_size);
	uint8_t *raw = gcs_alloc(raw_size), *packed = gcs_alloc(size);
	uint8_t header[13] = {[8] = 8, [9] = 3};
	enum gcs_status status = GCS_OK;
	put_u32(header, width);
	put_u32(header + 4, height);
	for (uint32_t y = 0; raw != NULL && y < height; y++) {
		raw[y * stride] = 0;
		memcpy(raw + y * stride + 1, pixels + (size_t)y * width, width);
	}
	if (raw == NULL || packed == NULL ||
	    compress2(packed, &size, raw, (uLong)raw_size, 9) != Z_OK)
		status = gcs_fail(err, GCS_NOMEM, "no memory for a picture");
	if (status == GCS_OK) {
		text_raw(t, "data:image/png;base64,");
		put_bytes(&b, signature, sizeof signature);
		put_chunk(&b, "IHDR", header, sizeof header);
		put_palette(&b);
		put_chunk(&b, "IDAT", packed, size);
		put_chunk(&b, "IEND", NULL, 0);
		if (b.count != 0)
			put_group(&b);
	}
	gcs_free(raw);
	gcs_free(packed);
	return status;
}
