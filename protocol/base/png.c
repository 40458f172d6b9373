#include "png.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <gcspy/memory.h>

#include "hash.h"
#include "whole_file.h"

enum { PALETTE = 256 };

struct colours {
	uint32_t list[PALETTE];
	uint32_t count;
	struct hash_table index; /* by colour */
	bool failed;             /* no memory */
};

/* False when there are more colours than a palette holds. */
static bool collect(struct colours *c, const uint32_t *px, size_t n, uint32_t opaque)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t colour = px[i] | opaque;
		if ((i > 0 && px[i] == px[i - 1]) || hash_get(&c->index, colour) != HASH_NONE)
			continue;
		if (c->count == PALETTE)
			return false;
		c->failed = c->failed || !hash_put(&c->index, colour, c->count);
		c->list[c->count++] = colour;
	}
	return true;
}

static void put_u32(uint8_t *p, uint32_t v)
{
	for (unsigned i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static void put_chunk(struct wr *out, const char *type, const uint8_t *data, size_t n)
{
	uint8_t head[8], tail[4];
	put_u32(head, (uint32_t)n);
	memcpy(head + 4, type, 4);
	uLong crc = crc32(0, head + 4, 4);
	if (n > 0)
		crc = crc32(crc, data, (uInt)n);
	put_u32(tail, (uint32_t)crc);
	wr_bytes(out, head, sizeof head);
	wr_bytes(out, data, n);
	wr_bytes(out, tail, sizeof tail);
}

static void put_palette(struct wr *out, const struct colours *c, bool alpha)
{
	uint8_t rgb[3 * PALETTE], alphas[PALETTE];
	for (uint32_t i = 0; i < c->count; i++) {
		alphas[i] = (uint8_t)(c->list[i] >> 24);
		for (unsigned k = 0; k < 3; k++)
			rgb[3 * i + k] = (uint8_t)(c->list[i] >> (16 - 8 * k));
	}
	put_chunk(out, "PLTE", rgb, 3 * c->count);
	if (alpha)
		put_chunk(out, "tRNS", alphas, c->count);
}

/* Rows of palette indices, unfiltered: best for few colours. */
static void fill_indexed(
    uint8_t *raw, const struct colours *c, const uint32_t *px, uint32_t w, uint32_t h, bool alpha)
{
	uint32_t opaque = alpha ? 0 : 0xff000000u;
	for (uint32_t y = 0; y < h; y++) {
		*raw++ = 0;
		for (uint32_t x = 0; x < w; x++, px++, raw++)
			*raw = x > 0 && *px == *(px - 1)
				   ? raw[-1]
				   : (uint8_t)hash_get(&c->index, *px | opaque);
	}
}

/* Rows of RGB or RGBA, each channel the difference from the pixel above (filter type 2). */
static void fill_channels(uint8_t *raw, const uint32_t *px, uint32_t w, uint32_t h, bool alpha)
{
	static const unsigned shifts[] = {16, 8, 0, 24};
	for (uint32_t y = 0; y < h; y++) {
		*raw++ = 2;
		for (uint32_t x = 0; x < w; x++, px++) {
			uint32_t above = y > 0 ? *(px - w) : 0;
			for (unsigned k = 0; k < (alpha ? 4 : 3); k++)
				*raw++ = (uint8_t)((*px >> shifts[k]) - (above >> shifts[k]));
		}
	}
}

static void put_pixels(struct wr *out, const struct colours *c, bool indexed, const uint32_t *px,
    uint32_t w, uint32_t h, bool alpha)
{
	size_t raw_size = h * ((size_t)w * (indexed ? 1 : alpha ? 4 : 3) + 1);
	uLongf size = compressBound((uLong)raw_size);
	uint8_t *raw = gcs_alloc(raw_size), *packed = gcs_alloc(size);
	if (raw != NULL && indexed)
		fill_indexed(raw, c, px, w, h, alpha);
	else if (raw != NULL)
		fill_channels(raw, px, w, h, alpha);
	if (raw != NULL && packed != NULL &&
	    compress2(packed, &size, raw, (uLong)raw_size, 6) == Z_OK)
		put_chunk(out, "IDAT", packed, size);
	else
		out->status = GCS_NOMEM;
	gcs_free(raw);
	gcs_free(packed);
}

void png_put(struct wr *out, const uint32_t *px, uint32_t w, uint32_t h, bool alpha)
{
	struct colours c = {.count = 0};
	bool indexed = collect(&c, px, (size_t)w * h, alpha ? 0 : 0xff000000u);
	uint8_t header[13] = {[8] = 8, [9] = indexed ? 3 : alpha ? 6 : 2};
	put_u32(header, w);
	put_u32(header + 4, h);
	wr_bytes(out, "\x89PNG\r\n\x1a\n", 8);
	put_chunk(out, "IHDR", header, sizeof header);
	if (indexed)
		put_palette(out, &c, alpha);
	put_pixels(out, &c, indexed, px, w, h, alpha);
	put_chunk(out, "IEND", header, 0);
	if (c.failed)
		out->status = GCS_NOMEM;
	hash_fini(&c.index);
}

enum gcs_status png_write(const char *path, const uint32_t *px, int w, int h, struct gcs_error *err)
{
	struct whole_file file;
	struct wr bytes;
	wr_init(&bytes, SIZE_MAX);
	png_put(&bytes, px, (uint32_t)w, (uint32_t)h, false);
	if (bytes.status != GCS_OK) {
		wr_fini(&bytes);
		return gcs_fail(err, GCS_NOMEM, "image %s: out of memory", path);
	}
	FILE *f = whole_file_stream(&file, path, 0666);
	bool ok = f != NULL && fwrite(bytes.data, 1, bytes.length, f) == bytes.length;
	int why = errno;
	if (f != NULL && !whole_file_finish(&file, f, ok) && ok) {
		ok = false;
		why = errno;
	}
	wr_fini(&bytes);
	return ok ? GCS_OK : gcs_fail(err, GCS_IO, "image %s: %s", path, strerror(why));
}
