#include "picture.h"

#include <string.h>

#include "png.h"

enum { LEAST_FRAME = 4 }; /* pixels */

/* On a canvas, which is opaque, the page's own colours are those of a theme. */
static const struct theme *theme(void)
{
	return theme_at(theme_find("dark"));
}

bool picture_open(struct picture *p, uint32_t width, uint32_t height)
{
	enum { PITCH = 14 };
	memset(p, 0, sizeof *p);
	return cv_init(&p->cv, (int)width, (int)height) &&
	       tileset_set(&p->look, theme(), palette_find("viridis"), PITCH, false, NULL, NULL);
}

void picture_tile(struct picture *p, struct cv_rect r, unsigned look)
{
	/* Smaller frames are denser than the values beside them. */
	if (look == LOOK_ZERO && (r.w < LEAST_FRAME || r.h < LEAST_FRAME))
		cv_fill(&p->cv, r, theme()->hollow);
	else
		tileset_sample(&p->cv, &p->look, theme(), r, look);
}

/* What the theme paints where there is no value lets the page through. */
static void clear_ground(struct cv *cv)
{
	const struct theme *th = theme();
	const struct {
		uint32_t painted, shown;
	} colours[] = {{th->ground, 0}, {th->unused, 0x30808894}, {th->unused_ink, 0x60808894},
	    {th->hollow, 0x90808894}, {cv_mix(th->hollow, th->ground, 120), 0x60808894}};
	size_t count = (size_t)cv->w * (size_t)cv->h;
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sizeof colours / sizeof *colours; k++)
			if (((cv->px[i] ^ colours[k].painted) & 0xffffff) == 0) {
				cv->px[i] = cv->px[i] == 0 ? 0 : colours[k].shown;
				break;
			}
}

static void put_base64(struct text *t, const uint8_t *bytes, size_t length)
{
	static const char letters[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < length; i += 3) {
		size_t left = length - i;
		uint32_t bits = (uint32_t)bytes[i] << 16 |
				(left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
				(left > 2 ? bytes[i + 2] : 0);
		char group[4];
		for (unsigned k = 0; k < 4; k++)
			group[k] = k > left ? '=' : letters[bits >> (18 - 6 * k) & 63];
		text_bytes(t, group, sizeof group);
	}
}

enum gcs_status picture_close(struct picture *p, struct text *t, struct gcs_error *err)
{
	struct wr png;
	wr_init(&png, SIZE_MAX);
	png.status = p->look.sprite == NULL ? GCS_NOMEM : GCS_OK;
	if (png.status == GCS_OK) {
		clear_ground(&p->cv);
		png_put(&png, p->cv.px, (uint32_t)p->cv.w, (uint32_t)p->cv.h, true);
	}
	enum gcs_status status = png.status;
	if (status == GCS_OK) {
		text_raw(t, "data:image/png;base64,");
		put_base64(t, png.data, png.length);
	} else {
		gcs_fail(err, status, "no memory for a picture");
	}
	wr_fini(&png);
	tileset_fini(&p->look);
	cv_fini(&p->cv);
	return status;
}
