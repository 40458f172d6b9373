/* Sprites of tiles: shades, frames, hatches and patterns. Declared in tilemap.h. */
#include <stdlib.h>
#include <string.h>

#include "tilemap.h"

#define FAINT_BELOW  8 /* pixels */
#define PATTERN_FROM 6 /* pixels */
#define HALF_FROM    4 /* pixels */

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

void tileset_uncertain(struct cv *cv, struct cv_rect r, uint32_t colour, uint32_t ground)
{
	cv_fill(cv, r, ground);
	for (int y = 0; y < r.h && r.w >= HALF_FROM; y++)
		cv_fill(cv, rect_make(r.x, r.y + y, (y + 1) * r.w / r.h, 1), colour);
	for (int i = 0; i < r.w * r.h && r.w < HALF_FROM; i++)
		if ((i % r.w + i / r.w) % 2 == 0)
			cv_fill(cv, rect_make(r.x + i % r.w, r.y + i / r.w, 1, 1), colour);
	if (r.w >= PATTERN_FROM)
		cv_frame(cv, r, 1, colour);
}

void tileset_sample(struct cv *cv, const struct tileset *set, const struct theme *theme,
    struct cv_rect r, unsigned code)
{
	const unsigned look = code & LOOK_MASK;
	switch (look) {
	case LOOK_ZERO:
		/* Frames of small tiles are faint: there are so many that they would dominate. */
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
		paint_over(cv, r, set->shade[PALETTE_SHADES - 1], theme->ground);
		return;
	default:
		break;
	}
	if (look < PALETTE_SHADES) {
		cv_fill(cv, r, set->shade[look]);
		return;
	}
	if (look >= LOOK_UNCERTAIN) {
		tileset_uncertain(cv, r, set->shade[look - LOOK_UNCERTAIN], theme->ground);
		return;
	}
	uint32_t value = look - LOOK_ENUM;
	uint32_t colour = set->own.name[value % TILE_NAMES];
	colour = colour != 0 ? colour : palette_enum_colour(value);
	cv_fill(cv, r, colour);
	if (r.w >= PATTERN_FROM)
		paint_pattern(cv, r, palette_enum_pattern(value), cv_mix(colour, 0x0c0e12, 150));
}

static uint32_t *make_sprites(const struct tileset *set, const struct theme *theme)
{
	size_t area = (size_t)set->tile * (size_t)set->tile;
	uint32_t *sprites = malloc(TILEMAP_SPRITES * area * sizeof *sprites);
	struct cv cv = {0};
	if (sprites == NULL || !cv_init(&cv, set->tile, set->tile)) {
		free(sprites);
		return NULL;
	}
	for (unsigned i = 0; i < TILEMAP_SPRITES; i++) {
		const struct cv_rect all = rect_make(0, 0, cv.w, cv.h);
		tileset_sample(&cv, set, theme, all, LOOK_ZERO + i);
		if (set->dim && LOOK_ZERO + i != LOOK_BACKGROUND)
			cv_blend(&cv, all, theme->ground, 140);
		cv_save(&cv, all, sprites + i * area);
	}
	cv_fini(&cv);
	return sprites;
}

static uint32_t either(uint32_t own, uint32_t of_theme)
{
	return own != 0 ? own : of_theme;
}

bool tileset_set(struct tileset *set, const struct theme *theme, int ramp, int pitch, bool dim,
    const struct tilecolours *own, bool *changed)
{
	static const struct tilecolours none;
	own = own != NULL ? own : &none;
	if (set->sprite != NULL && set->theme == theme && set->ramp == ramp &&
	    set->pitch == pitch && set->dim == dim && memcmp(&set->own, own, sizeof *own) == 0)
		return true;
	struct tileset next = {.theme = theme,
	    .ramp = ramp,
	    .pitch = pitch,
	    .gap = gap_of(pitch),
	    .dim = dim,
	    .own = *own};
	next.tile = pitch - next.gap;
	palette_ramp(ramp, theme->dark, next.shade);
	if (own->change)
		palette_change_ramp(theme, next.shade);
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
	free(set->sprite);
	*set = next;
	if (changed != NULL)
		*changed = true;
	return true;
}

void tileset_fini(struct tileset *set)
{
	free(set->sprite);
	memset(set, 0, sizeof *set);
}
