#include "palette.h"

#include <math.h>
#include <string.h>

#include "canvas.h"
#include "theme.h"

#define ANCHORS 10

/* Ten equidistant anchors each, from low to high, linear in between. */
static const struct {
	const char *name;
	uint32_t anchor[ANCHORS];
} ramps[PALETTE_RAMPS] = {
    {"viridis", {0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58,
		    0xb5de2b, 0xfde725}},
    {"cividis", {0x00224e, 0x123570, 0x3b496c, 0x575d6d, 0x707173, 0x8a8678, 0xa59c74, 0xc3b369,
		    0xe1cc55, 0xfee838}},
    {"grey", {0x1c1c1c, 0x343434, 0x4c4c4c, 0x646464, 0x7c7c7c, 0x949494, 0xacacac, 0xc4c4c4,
		 0xdcdcdc, 0xf4f4f4}},
    /* The shades of 2002: white for little, the full colour for much. */
    {"classic", {0xf5f7ff, 0xdfe4fd, 0xc6cefa, 0xacb6f5, 0x929fee, 0x7a88e4, 0x6372d6, 0x4e5cc2,
		    0x3d48a8, 0x2e3788}},
};

static const struct {
	const char *name;
	uint32_t colour;
} hues[PALETTE_HUES] = {{"red", 0xe5484d}, {"orange", 0xe69f00}, {"yellow", 0xf0e442},
    {"lime", 0x9bd347}, {"green", 0x2fa84f}, {"teal", 0x009e8e}, {"cyan", 0x3fd0e0},
    {"sky", 0x56b4e9}, {"blue", 0x2f7fe0}, {"indigo", 0x5a5fd8}, {"violet", 0x9a5fd8},
    {"magenta", 0xd858c8}, {"pink", 0xf090b0}, {"brown", 0xa8703c}, {"white", 0xf4f4f4},
    {"silver", 0x9aa0a8}};

static int known(int ramp)
{
	return ramp >= 0 && ramp < PALETTE_RAMPS + PALETTE_HUES ? ramp : 0;
}

const char *palette_name(int ramp)
{
	ramp = known(ramp);
	return ramp < PALETTE_RAMPS ? ramps[ramp].name : hues[ramp - PALETTE_RAMPS].name;
}

static int find_ramp(const char *name, int count)
{
	for (int i = 0; i < count; i++) {
		if (strcmp(palette_name(i), name) == 0)
			return i;
	}
	return -1;
}

int palette_find(const char *name)
{
	return find_ramp(name, PALETTE_RAMPS);
}

int palette_find_any(const char *name)
{
	return find_ramp(name, PALETTE_RAMPS + PALETTE_HUES);
}

uint32_t palette_hue(int hue)
{
	return 0xff000000u | hues[hue >= 0 && hue < PALETTE_HUES ? hue : 0].colour;
}

static double linear(uint32_t channel)
{
	double v = (channel & 0xff) / 255.0;
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

double palette_luminance(uint32_t c)
{
	return 0.2126 * linear(c >> 16) + 0.7152 * linear(c >> 8) + 0.0722 * linear(c);
}

double palette_lightness(uint32_t c)
{
	double y = palette_luminance(c);
	return y > 0.008856 ? 116 * cbrt(y) - 16 : 903.3 * y;
}

/* The ramp's colour at position at of 0..4095. */
static uint32_t sample(int ramp, int at)
{
	if (ramp >= PALETTE_RAMPS) { /* from black over the hue to white */
		const uint32_t hue = palette_hue(ramp - PALETTE_RAMPS);
		return 0xff000000u | (at < 2730 ? cv_mix(0x000000, hue, at * 256 / 2730)
						: cv_mix(hue, 0xffffff, (at - 2730) * 256 / 1365));
	}
	int scaled = at * (ANCHORS - 1);
	int i = scaled / 4095;
	if (i >= ANCHORS - 1)
		return 0xff000000u | ramps[ramp].anchor[ANCHORS - 1];
	int part = (scaled - i * 4095) * 256 / 4095;
	return cv_mix(ramps[ramp].anchor[i], ramps[ramp].anchor[i + 1], part);
}

static bool visible(uint32_t colour, bool dark)
{
	double l = palette_lightness(colour);
	return dark ? l >= 25 : l <= 80;
}

void palette_ramp(int ramp, bool dark, uint32_t shade[PALETTE_SHADES])
{
	ramp = known(ramp);
	int low = 0;
	int high = 4095;
	while (low < high && !visible(sample(ramp, low), dark))
		low += 15;
	while (high > low && !visible(sample(ramp, high), dark))
		high -= 15;
	for (int i = 0; i < PALETTE_SHADES; i++)
		shade[i] = sample(ramp, low + (high - low) * i / (PALETTE_SHADES - 1));
}

void palette_change_ramp(const struct theme *th, uint32_t shade[PALETTE_SHADES])
{
	const uint32_t low = th->dark ? 0x56b4e9 : 0x0072b2, high = th->dark ? 0xf0a030 : 0xc04a00;
	const uint32_t middle = cv_mix(th->ground, th->text, 28);
	for (int i = 0; i < PALETTE_SHADES; i++) {
		const int d = i - 127;
		/* Even a small change has a visible colour. */
		const int part = 40 + (d > 0 ? d : -d) * 216 / 127;
		shade[i] =
		    d == 0 ? middle : cv_mix(middle, d > 0 ? high : low, part < 256 ? part : 256);
	}
}

uint32_t palette_enum_colour(uint32_t value)
{
	/* Found by a search near the colours of Okabe and Ito; tests/unit/test_cv_palette.c has the
	 * distances. */
	static const uint32_t chromatic[7] = {
	    0x9ec9ff, 0xe57d1a, 0x14f4a8, 0xf8dd00, 0x2e6ce3, 0xa9090c, 0x72408e};
	return 0xff000000u | chromatic[value % 7];
}

enum palette_pattern palette_enum_pattern(uint32_t value)
{
	return (enum palette_pattern)(value % 4);
}

uint32_t palette_change(double part)
{
	static const uint32_t middle = 0xfff4f4f4, less = 0xff4f9bd9, more = 0xffef8a2c;
	if (!(part > -1))
		part = -1;
	if (part > 1)
		part = 1;
	/* The square root makes small differences visible. */
	int step = (int)(sqrt(fabs(part)) * 256 + 0.5);
	return cv_mix(middle, part < 0 ? less : more, step);
}

uint32_t palette_change_ink(bool growth, bool dark)
{
	if (growth)
		return dark ? 0xfff0a04b : 0xff9c4a00;
	return dark ? 0xff86c1f2 : 0xff1f5fa8;
}
