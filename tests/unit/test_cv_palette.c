/*
 * Categories are told apart by everybody: the least distance between two colours, and of each from
 * the ground and the greys of all themes, as people with normal colour vision and those without one
 * of the three kinds of cones see them (V9). Distances are those of CIE L*a*b*, in which 2.3 is just
 * noticeable; the seven colours of Okabe and Ito have 16, and 4 from a middle grey.
 */
#include <criterion/criterion.h>
#include <math.h>

#include "canvas.h"
#include "palette.h"
#include "theme.h"

enum { COLOURS = 7, VISIONS = 4 };

/* Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB. */
static const double vision[VISIONS][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
	{-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
	{-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
	{0.004733, 0.691367, 0.303900}},
};
static const char *const vision_names[VISIONS] = {"normal", "protan", "deutan", "tritan"};

static double linear_of(uint32_t colour, int shift)
{
	const double v = (colour >> shift & 0xff) / 255.0;
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static double curve(double t)
{
	return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

/* L*, a* and b* as one sees the colour. */
static void seen(uint32_t colour, int kind, double lab[3])
{
	const double in[3] = {linear_of(colour, 16), linear_of(colour, 8), linear_of(colour, 0)};
	double out[3];
	for (int i = 0; i < 3; i++) {
		const double *m = vision[kind][i];
		out[i] = fmin(1, fmax(0, m[0] * in[0] + m[1] * in[1] + m[2] * in[2]));
	}
	const double x =
	    curve((0.4124564 * out[0] + 0.3575761 * out[1] + 0.1804375 * out[2]) / 0.95047);
	const double y = curve(0.2126729 * out[0] + 0.7151522 * out[1] + 0.0721750 * out[2]);
	const double z =
	    curve((0.0193339 * out[0] + 0.1191920 * out[1] + 0.9503041 * out[2]) / 1.08883);
	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double distance(uint32_t a, uint32_t b, int kind)
{
	double p[3], q[3];
	seen(a, kind, p);
	seen(b, kind, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
		    (p[2] - q[2]) * (p[2] - q[2]));
}

Test(palette, the_measure_is_right)
{
	cr_assert_float_eq(distance(0x000000, 0xffffff, 0), 100, 0.1);
	cr_assert_lt(distance(0xcc79a7, 0x8a8f98, 2), 5, "pink is grey to a deuteranope");
}

Test(palette, categories_differ_for_all_kinds_of_sight)
{
	for (uint32_t a = 0; a < COLOURS; a++)
		for (uint32_t b = 0; b < a; b++)
			for (int kind = 0; kind < VISIONS; kind++) {
				const double d =
				    distance(palette_enum_colour(a), palette_enum_colour(b), kind);
				cr_assert_geq(
				    d, 28, "%s: %u and %u: %.1f", vision_names[kind], a, b, d);
			}
}

Test(palette, categories_differ_from_grounds_and_greys_of_all_themes)
{
	for (int t = 0; t < THEMES; t++) {
		const struct theme *th = theme_at(t);
		const uint32_t greys[] = {th->ground, th->panel, th->unused, th->hollow};
		for (uint32_t a = 0; a < COLOURS; a++)
			for (size_t g = 0; g < sizeof greys / sizeof *greys; g++)
				for (int kind = 0; kind < VISIONS; kind++) {
					const double d =
					    distance(palette_enum_colour(a), greys[g], kind);
					cr_assert_geq(d, 16, "%s, %s: %u and grey %06x: %.1f",
					    th->name, vision_names[kind], a, greys[g], d);
				}
	}
}

/* Both halves of the ramp of differences, for all: less is not taken for more, nor either for none. */
Test(palette, differences_have_zero_in_the_middle)
{
	for (int t = 0; t < THEMES; t++) {
		uint32_t shade[PALETTE_SHADES];
		palette_change_ramp(theme_at(t), shade);
		for (int kind = 0; kind < VISIONS; kind++) {
			const double less = distance(shade[0], shade[127], kind),
				     more = distance(shade[PALETTE_SHADES - 1], shade[127], kind),
				     ends = distance(shade[0], shade[PALETTE_SHADES - 1], kind);
			cr_assert(less > 30 && more > 30 && ends > 45, "%s, %s: %.0f %.0f %.0f",
			    theme_at(t)->name, vision_names[kind], less, more, ends);
		}
	}
}
