#include "export_png.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "whole_file.h"

#define PALETTE 256
#define HASH    1024u

/* The colours of a picture and the number of each, by hashing with linear probing. */
struct colours {
	uint32_t list[PALETTE];
	int count;
	uint32_t key[HASH];
	int16_t index[HASH]; /* -1: free */
};

static unsigned slot_of(const struct colours *c, uint32_t rgb)
{
	unsigned i = (rgb * 2654435761u) >> 22;
	while (c->index[i] >= 0 && c->key[i] != rgb)
		i = (i + 1) & (HASH - 1);
	return i;
}

/* False when there are more colours than a palette holds. */
static bool collect(struct colours *c, const uint32_t *px, size_t n)
{
	c->count = 0;
	memset(c->index, 0xff, sizeof c->index);
	for (size_t i = 0; i < n; i++) {
		uint32_t rgb = px[i] & 0xffffffu;
		unsigned at = slot_of(c, rgb);
		if (c->index[at] >= 0)
			continue;
		if (c->count == PALETTE)
			return false;
		c->key[at] = rgb;
		c->index[at] = (int16_t)c->count;
		c->list[c->count++] = rgb;
	}
	return true;
}

static void put_u32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 24);
	p[1] = (uint8_t)(v >> 16);
	p[2] = (uint8_t)(v >> 8);
	p[3] = (uint8_t)v;
}

static bool put_chunk(FILE *f, const char *type, const uint8_t *data, size_t n)
{
	uint8_t head[8], tail[4];
	put_u32(head, (uint32_t)n);
	memcpy(head + 4, type, 4);
	uLong crc = crc32(0, head + 4, 4);
	if (n > 0)
		crc = crc32(crc, data, (uInt)n);
	put_u32(tail, (uint32_t)crc);
	return fwrite(head, 1, 8, f) == 8 && fwrite(data, 1, n, f) == n &&
	       fwrite(tail, 1, 4, f) == 4;
}

/* One byte per pixel, rows unfiltered: best for few colours. */
static void fill_indexed(uint8_t *out, const struct colours *c, const uint32_t *px, int w, int h)
{
	for (int y = 0; y < h; y++) {
		*out++ = 0;
		for (int x = 0; x < w; x++)
			*out++ = (uint8_t)c->index[slot_of(c, *px++ & 0xffffffu)];
	}
}

/* Three bytes per pixel, each the difference from the pixel above (filter type 2). */
static void fill_rgb(uint8_t *out, const uint32_t *px, int w, int h)
{
	for (int y = 0; y < h; y++) {
		*out++ = 2;
		for (int x = 0; x < w; x++, px++) {
			uint32_t above = y > 0 ? *(px - w) : 0;
			*out++ = (uint8_t)((*px >> 16) - (above >> 16));
			*out++ = (uint8_t)((*px >> 8) - (above >> 8));
			*out++ = (uint8_t)(*px - above);
		}
	}
}

static bool put_picture(FILE *f, const uint32_t *px, int w, int h, struct colours *c)
{
	bool indexed = collect(c, px, (size_t)w * (size_t)h);
	size_t raw_size = (size_t)h * ((size_t)w * (indexed ? 1 : 3) + 1);
	uLongf size = compressBound((uLong)raw_size);
	uint8_t *raw = malloc(raw_size);
	uint8_t *packed = malloc(size);
	bool ok = raw != NULL && packed != NULL;
	if (ok) {
		if (indexed)
			fill_indexed(raw, c, px, w, h);
		else
			fill_rgb(raw, px, w, h);
		ok = compress2(packed, &size, raw, (uLong)raw_size, 6) == Z_OK;
	}
	uint8_t header[13] = {0};
	put_u32(header, (uint32_t)w);
	put_u32(header + 4, (uint32_t)h);
	header[8] = 8;
	header[9] = indexed ? 3 : 2;
	uint8_t palette[3 * PALETTE];
	for (int i = 0; i < c->count; i++) {
		palette[3 * i] = (uint8_t)(c->list[i] >> 16);
		palette[3 * i + 1] = (uint8_t)(c->list[i] >> 8);
		palette[3 * i + 2] = (uint8_t)c->list[i];
	}
	ok = ok && fwrite("\x89PNG\r\n\x1a\n", 1, 8, f) == 8;
	ok = ok && put_chunk(f, "IHDR", header, sizeof header);
	if (indexed)
		ok = ok && put_chunk(f, "PLTE", palette, (size_t)(3 * c->count));
	ok = ok && put_chunk(f, "IDAT", packed, size) && put_chunk(f, "IEND", header, 0);
	free(raw);
	free(packed);
	return ok;
}

enum gcs_status png_write(const char *path, const uint32_t *px, int w, int h, struct gcs_error *err)
{
	struct whole_file file;
	struct colours *c = malloc(sizeof *c);
	if (c == NULL)
		return gcs_fail(err, GCS_NOMEM, "picture %s: out of memory", path);
	FILE *f = whole_file_stream(&file, path, 0666);
	bool ok = f != NULL && put_picture(f, px, w, h, c);
	int why = errno;
	free(c);
	if (f != NULL && !whole_file_finish(&file, f, ok) && ok) {
		ok = false;
		why = errno;
	}
	return ok ? GCS_OK : gcs_fail(err, GCS_IO, "picture %s: %s", path, strerror(why));
}
