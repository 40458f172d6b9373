/* Pictures compared with those in tests/golden/view; declared in ui_world.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "png.h"
#include "ui_world.h"

struct png {
	uint8_t *file;
	size_t size;
	int w, h, channels; /* 1: palette */
	uint32_t palette[256];
	uint8_t *packed;
	size_t packed_size;
};

static uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool load(struct png *png, const char *path)
{
	FILE *f = fopen(path, "rb");
	if (f == NULL)
		return false;
	png->file = malloc(1 << 24);
	png->packed = malloc(1 << 24);
	if (png->file != NULL && png->packed != NULL)
		png->size = fread(png->file, 1, 1 << 24, f);
	fclose(f);
	return png->size > 8 && memcmp(png->file, "\x89PNG\r\n\x1a\n", 8) == 0;
}

/* Walks the chunks, checking each one's CRC. */
static bool parse(struct png *png)
{
	size_t at = 8;
	while (at + 12 <= png->size) {
		size_t n = get_u32(png->file + at);
		const uint8_t *type = png->file + at + 4, *data = type + 4;
		if (n > png->size - at - 12 || crc32(0, type, (uInt)n + 4) != get_u32(data + n))
			return false;
		if (memcmp(type, "IHDR", 4) == 0 && n == 13) {
			png->w = (int)get_u32(data);
			png->h = (int)get_u32(data + 4);
			png->channels = data[9] == 3 ? 1 : data[9] == 2 ? 3 : 0;
		} else if (memcmp(type, "PLTE", 4) == 0) {
			for (size_t i = 0; i < n / 3 && i < 256; i++)
				png->palette[i] = 0xff000000u | get_u32(data + 3 * i) >> 8;
		} else if (memcmp(type, "IDAT", 4) == 0) {
			memcpy(png->packed + png->packed_size, data, n);
			png->packed_size += n;
		} else if (memcmp(type, "IEND", 4) == 0) {
			return png->channels != 0 && png->w > 0 && png->h > 0;
		}
		at += n + 12;
	}
	return false;
}

/* Undoes filter types 0 and 2, the only ones that our writer uses. */
static uint32_t *unpack(const struct png *png)
{
	size_t row = (size_t)png->w * (size_t)png->channels + 1;
	uLongf size = (uLongf)(row * (size_t)png->h);
	uint8_t *raw = malloc(size);
	uint32_t *px = malloc((size_t)png->w * (size_t)png->h * sizeof *px);
	if (raw == NULL || px == NULL ||
	    uncompress(raw, &size, png->packed, png->packed_size) != Z_OK ||
	    size != row * (size_t)png->h) {
		free(raw);
		free(px);
		return NULL;
	}
	for (size_t y = 0; y < (size_t)png->h; y++) {
		uint8_t *line = raw + y * row;
		for (size_t i = 1; line[0] == 2 && y > 0 && i < row; i++)
			line[i] = (uint8_t)(line[i] + *(line + i - row));
		for (size_t x = 0; x < (size_t)png->w; x++) {
			const uint8_t *p = line + 1 + x * (size_t)png->channels;
			px[y * (size_t)png->w + x] =
			    png->channels == 1
				? png->palette[*p]
				: 0xff000000u | (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
		}
	}
	free(raw);
	return px;
}

uint32_t *png_read(const char *path, int *width, int *height)
{
	struct png png = {0};
	uint32_t *px = NULL;
	if (load(&png, path) && parse(&png)) {
		px = unpack(&png);
		*width = png.w;
		*height = png.h;
	}
	free(png.file);
	free(png.packed);
	return px;
}

/* Actual pictures go where the test runs. */
static void golden_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s/tests/golden/view/%s.png", GCSPY_SOURCE_DIR, name);
}

static bool report(struct app *app, const char *name, const uint32_t *golden, bool comparable)
{
	char path[1024];
	snprintf(path, sizeof path, "%s-actual.png", name);
	png_write(path, app->cv.px, app->cv.w, app->cv.h, NULL);
	fprintf(stderr, "golden %s differs: see %s\n", name, path);
	if (!comparable)
		return false;
	size_t n = (size_t)app->cv.w * (size_t)app->cv.h;
	uint32_t *diff = malloc(n * sizeof *diff);
	for (size_t i = 0; diff != NULL && i < n; i++)
		diff[i] = golden[i] == app->cv.px[i] ? cv_mix(golden[i], 0xffffff, 200) : 0xff0000;
	snprintf(path, sizeof path, "%s-diff.png", name);
	if (diff != NULL)
		png_write(path, diff, app->cv.w, app->cv.h, NULL);
	free(diff);
	return false;
}

bool window_golden(struct app *app, const char *name)
{
	char path[1024];
	golden_path(path, sizeof path, name);
	app_frame(app);
	const char *update = getenv("GCSPY_UPDATE_GOLDEN");
	if (update != NULL && strcmp(update, "1") == 0) {
		struct gcs_error err = {.text = ""};
		bool ok = png_write(path, app->cv.px, app->cv.w, app->cv.h, &err) == GCS_OK;
		if (!ok)
			fprintf(stderr, "%s\n", err.text);
		return ok;
	}
	int width = 0, height = 0;
	uint32_t *golden = png_read(path, &width, &height);
	bool comparable = golden != NULL && width == app->cv.w && height == app->cv.h;
	size_t bytes = (size_t)app->cv.w * (size_t)app->cv.h * sizeof *golden;
	bool same = comparable && memcmp(golden, app->cv.px, bytes) == 0;
	if (!same)
		report(app, name, golden, comparable);
	free(golden);
	return same;
}

bool world_golden(struct world *w, const char *name)
{
	return window_golden(&w->app, name);
}

bool window_is_whole(struct app *app)
{
	app_frame(app);
	const int width = app->cv.w, height = app->cv.h;
	const size_t bytes = (size_t)width * (size_t)height * sizeof *app->cv.px;
	uint32_t *before = malloc(bytes);
	world_must(before != NULL, "memory for a picture");
	memcpy(before, app->cv.px, bytes);
	app_dirty_all(app);
	app_frame(app);
	bool same = true;
	for (int i = 0; same && i < width * height; i++) {
		same = before[i] == app->cv.px[i];
		if (!same)
			fprintf(stderr, "pixel %d, %d differs\n", i % width, i / width);
	}
	free(before);
	return same;
}
