/* From values to pixels: the theme's or the user's colours, dimming, patterns. Declared in
 * history_view.h. */
#include <string.h>

#include "history_view.h"
#include "palette.h"
#include "tilecode.h"
#include "tilemap.h"

#define DIM  208 /* of 256, towards the background */
#define STEP 6   /* pixels between the strokes of a pattern */

/* Blue for less, orange for more, the background for no change. */
static uint32_t diverging(const struct theme *th, int i, uint32_t low, uint32_t high)
{
	uint32_t middle = cv_mix(th->ground, th->text, 28);
	int d = i - 127;
	if (d == 0)
		return middle;
	/* Small changes differ visibly from none. */
	int part = 40 + (d > 0 ? d : -d) * 216 / 127;
	return cv_mix(middle, d > 0 ? high : low, part < 256 ? part : 256);
}

static void set_theme(struct hist_palette *palette, const struct theme *th)
{
	struct theme *own = &palette->theme;
	*own = *th;
	const struct {
		enum hist_colour colour;
		uint32_t *at;
	} places[] = {{HIST_COLOUR_UNUSED, &own->unused}, {HIST_COLOUR_ZERO, &own->hollow},
	    {HIST_COLOUR_BACKGROUND, &own->ground}, {HIST_COLOUR_SEPARATOR, &own->separator},
	    {HIST_COLOUR_BORDER, &own->line}, {HIST_COLOUR_TITLE, &own->text}};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		if (palette->own[places[i].colour] != HIST_OF_THEME)
			*places[i].at = (uint32_t)palette->own[places[i].colour];
	}
	if (palette->own[HIST_COLOUR_UNUSED] != HIST_OF_THEME)
		own->unused_ink = cv_mix(
		    own->unused, palette_lightness(own->unused) < 50 ? 0xffffff : 0x000000, 60);
}

/* From the low to the high colour; the ramp provides one that is not set. */
static void set_ramp(struct hist_palette *palette, const struct theme *th)
{
	palette_ramp(palette->ramp, th->dark, palette->colour);
	int low = palette->own[HIST_COLOUR_LOW], high = palette->own[HIST_COLOUR_HIGH];
	uint32_t less = th->dark ? 0x56b4e9 : 0x0072b2, more = th->dark ? 0xf0a030 : 0xc04a00;
	uint32_t first = low != HIST_OF_THEME ? (uint32_t)low : palette->colour[0];
	uint32_t last =
	    high != HIST_OF_THEME ? (uint32_t)high : palette->colour[PALETTE_SHADES - 1];
	less = low != HIST_OF_THEME ? first : less;
	more = high != HIST_OF_THEME ? last : more;
	bool own = low != HIST_OF_THEME || high != HIST_OF_THEME;
	for (int i = 0; i < PALETTE_SHADES && (palette->edges || own); i++)
		palette->colour[i] = palette->edges
					 ? diverging(&palette->theme, i, less, more)
					 : cv_mix(first, last, i * 256 / (PALETTE_SHADES - 1));
}

static void dim(struct hist_palette *palette, uint32_t lane)
{
	uint32_t *out = palette->dimmed[lane];
	for (int i = 0; i < 1024; i++)
		out[i] = cv_mix(palette->colour[i], palette->theme.ground, DIM) | 0xff000000u;
	if (palette->only[lane] < HIST_NO_CODE)
		out[palette->only[lane]] = palette->colour[palette->only[lane]];
}

void hist_palette_set(struct hist_view *v, const struct app *app)
{
	struct hist_palette *palette = &v->palette;
	const struct theme *th = app->ui.theme;
	bool same = palette->of == th && palette->ramp == app->ramp &&
		    palette->edges == v->set.edges &&
		    memcmp(palette->own, v->set.colour, sizeof palette->own) == 0;
	if (!same) {
		palette->of = th;
		palette->ramp = app->ramp;
		palette->edges = v->set.edges;
		memcpy(palette->own, v->set.colour, sizeof palette->own);
		set_theme(palette, th);
		set_ramp(palette, th);
		palette->colour[LOOK_ZERO] = palette->own[HIST_COLOUR_ZERO] != HIST_OF_THEME
						 ? palette->theme.hollow
						 : cv_mix(th->hollow, palette->theme.ground, 120);
		palette->colour[LOOK_UNUSED] = palette->theme.unused;
		palette->colour[LOOK_BACKGROUND] = palette->theme.ground;
		palette->colour[LOOK_OVER] = palette->colour[PALETTE_SHADES - 1];
		for (uint32_t i = LOOK_ENUM; i < 1024; i++)
			palette->colour[i] = palette_enum_colour(i - LOOK_ENUM);
		for (int i = 0; i < 1024; i++)
			palette->colour[i] |= 0xff000000u;
	}
	for (uint32_t i = 0; i < HIST_LANES; i++) {
		palette->only[i] = i < v->graph.lanes ? hist_only_code(v, i) : -1;
		if (palette->only[i] >= 0)
			dim(palette, i);
	}
}

const uint32_t *hist_palette_colours(const struct hist_palette *palette, uint32_t lane)
{
	return palette->only[lane] >= 0 ? palette->dimmed[lane] : palette->colour;
}

/* Diagonals that continue across cells; `up`: from left to right. */
static void strokes(struct cv *cv, struct cv_rect r, int step, bool up, uint32_t ink)
{
	r = rect_and(r, cv->clip);
	for (int y = r.y; y < r.y + r.h; y++) {
		uint32_t *px = cv->px + (size_t)y * (size_t)cv->w;
		int phase = up ? (r.x + y) % step : ((r.x - y) % step + step) % step;
		for (int x = r.x + (step - phase) % step; x < r.x + r.w; x += step)
			px[x] = ink;
	}
}

static void dots(struct cv *cv, struct cv_rect r, int step, uint32_t ink)
{
	r = rect_and(r, cv->clip);
	for (int y = r.y; y < r.y + r.h; y++) {
		uint32_t *px = cv->px + (size_t)y * (size_t)cv->w;
		for (int x = r.x; y % 4 < 2 && x < r.x + r.w; x++) {
			if (x % step < 2)
				px[x] = ink;
		}
	}
}

bool hist_has_pattern(enum hist_detail detail, unsigned code)
{
	if (code == LOOK_UNUSED)
		return true;
	if (code < PALETTE_SHADES || code == LOOK_BACKGROUND || detail == HIST_PLAIN)
		return false;
	if (code >= LOOK_ENUM)
		return palette_enum_pattern(code - LOOK_ENUM) != PATTERN_SOLID;
	return detail == HIST_PICTURES;
}

void hist_paint_pattern(struct cv *cv, const struct hist_palette *palette, enum hist_detail detail,
    struct cv_rect r, unsigned code)
{
	if (code == LOOK_UNUSED) {
		strokes(cv, r, 4, true, palette->theme.unused_ink | 0xff000000u);
		return;
	}
	if (detail == HIST_PICTURES) {
		static struct tileset samples; /* of which the highest shade is used */
		samples.shade[PALETTE_SHADES - 1] = palette->colour[PALETTE_SHADES - 1];
		tileset_sample(cv, &samples, &palette->theme, r, code);
		return;
	}
	enum palette_pattern pattern = palette_enum_pattern(code - LOOK_ENUM);
	uint32_t ink = cv_mix(palette->colour[code], 0x0c0e12, 150) | 0xff000000u;
	if (pattern == PATTERN_DOT)
		dots(cv, r, STEP, ink);
	else
		strokes(cv, r, STEP, pattern == PATTERN_SLASH, ink);
}
