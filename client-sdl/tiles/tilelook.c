/* The pictures of tiles: shades, frames, hatches and patterns. Declared in tilemap.h. */
#include <stdlib.h>
#include <string.h>

#include "tilemap.h"

#define FAINT_BELOW  8 /* pixels */
#define PATTERN_FROM 6 /* pixels: smaller tiles have no room for a pattern */

static int gap_of(int pitch)
{
	if (pitch <= 2)
		return 0;
	return pitch >= 18 ? 2 : 1;
}

static void paint_pattern(
    struct cv *cv, struct cv_rect r, enum palette_pattern pattern, uint32_t ink)
{
	int n = r.w < r.h ? r.w : r.h;
	int thick = n >= 20 ? 2 : 1;
	switch (pattern) {
	case PATTERN_SOLID:
		break;
	case PATTERN_DOT:
		n = n / 3 > 2 ? n / 3 : 2;
		cv_fill(cv, rect_make(r.x + (r.w - n) / 2, r.y + (r.h - n) / 2, n, n), ink);
		break;
	case PATTERN_SLASH:
		for (int i = 1; i < n - thick; i++)
			cv_fill(cv, rect_make(r.x + i, r.y + n - 1 - i, thick, 1), ink);
		break;
	case PATTERN_BACKSLASH:
		for (int i = 1; i < n - thick; i++)
			cv_fill(cv, rect_make(r.x + i, r.y + i, thick, 1), ink);
		break;
	}
}

static void paint_over(struct cv *cv, struct cv_rect r, uint32_t top, uint32_t ground)
{
	cv_fill(cv, r, top);
	if (r.w >= 5)
		cv_frame(cv, rect_inset(r, r.w >= 10 ? 2 : 1), 1, ground);
	else
		cv_fill(cv, rect_make(r.x + r.w / 2, r.y + r.h / 2, 1, 1), ground);
}

static void paint_look(struct cv *cv, struct cv_rect r, const struct theme *theme,
    const struct tilelook *of, unsigned look)
{
	const uint32_t *shade = of->shade;
	switch (look) {
	case LOOK_ZERO:
		/* Frames of small tiles stand so close that they would outshine the values. */
		cv_frame(cv, r, 1,
		    r.w < FAINT_BELOW ? cv_mix(theme->hollow, theme->ground, 120) : theme->hollow);
		if (r.w > 2)
			cv_fill(cv, rect_inset(r, 1), theme->ground);
		return;
	case LOOK_UNUSED:
		cv_fill(cv, r, theme->unused);
		cv_hatch(cv, r, r.w >= 12 ? 4 : 3, theme->unused_ink);
		return;
	case LOOK_BACKGROUND:
		cv_fill(cv, r, theme->ground);
		return;
	case LOOK_OVER:
		paint_over(cv, r, shade[PALETTE_SHADES - 1], theme->ground);
		return;
	default:
		break;
	}
	if (look < PALETTE_SHADES) {
		cv_fill(cv, r, shade[look]);
		return;
	}
	uint32_t value = look - LOOK_ENUM;
	uint32_t colour = of->name[value % TILE_NAMES];
	colour = colour != 0 ? colour : palette_enum_colour(value);
	cv_fill(cv, r, colour);
	if (r.w >= PATTERN_FROM)
		paint_pattern(cv, r, palette_enum_pattern(value), cv_mix(colour, 0x0c0e12, 150));
}

void tilelook_sample(struct cv *cv, const struct tilelook *look, const struct theme *theme,
    struct cv_rect r, unsigned code)
{
	paint_look(cv, r, theme, look, code & LOOK_MASK);
}

static uint32_t *make_sprites(const struct tilelook *look, const struct theme *theme)
{
	size_t area = (size_t)look->tile * (size_t)look->tile;
	uint32_t *sprites = malloc(TILEMAP_SPRITES * area * sizeof *sprites);
	struct cv cv = {0};
	if (sprites == NULL || !cv_init(&cv, look->tile, look->tile)) {
		free(sprites);
		return NULL;
	}
	for (unsigned i = 0; i < TILEMAP_SPRITES; i++) {
		paint_look(
		    &cv, rect_make(0, 0, look->tile, look->tile), theme, look, LOOK_ZERO + i);
		if (look->dim)
			cv_blend(&cv, rect_make(0, 0, cv.w, cv.h), theme->ground, i == 2 ? 0 : 140);
		cv_save(&cv, rect_make(0, 0, cv.w, cv.h), sprites + i * area);
	}
	cv_fini(&cv);
	return sprites;
}

static uint32_t either(uint32_t own, uint32_t of_theme)
{
	return own != 0 ? own : of_theme;
}

bool tilelook_set_own(struct tilelook *look, const struct theme *theme, int ramp, int pitch,
    bool dim, const struct tilecolours *own)
{
	static const struct tilecolours none;
	own = own != NULL ? own : &none;
	struct tilelook next = {.pitch = pitch, .gap = gap_of(pitch), .dim = dim};
	next.tile = pitch - next.gap;
	palette_ramp(ramp, theme->dark, next.shade);
	if (own->change)
		palette_change_ramp(theme, next.shade);
	memcpy(next.name, own->name, sizeof next.name);
	next.sprite = make_sprites(&next, theme);
	if (next.sprite == NULL)
		return false;
	if (dim) {
		for (int i = 0; i < PALETTE_SHADES; i++)
			next.shade[i] = cv_mix(next.shade[i], theme->ground, 140);
	}
	next.ground = theme->ground;
	next.separator = either(own->separator, theme->separator);
	next.link = either(own->link, theme->link);
	next.selection = either(own->selection, theme->selection);
	next.select_in = theme->select_in;
	next.hover = theme->accent;
	next.related = theme->related;
	next.marker = either(own->marker, theme->warn);
	next.active = either(own->active, theme->accent);
	next.theme = theme;
	free(look->sprite);
	*look = next;
	return true;
}

bool tilelook_set(struct tilelook *look, const struct theme *theme, int ramp, int pitch, bool dim)
{
	return tilelook_set_own(look, theme, ramp, pitch, dim, NULL);
}

void tilelook_fini(struct tilelook *look)
{
	free(look->sprite);
	memset(look, 0, sizeof *look);
}
