#include "theme.h"

#include <string.h>

#include "palette.h"

static const struct theme themes[THEMES] = {
    {
	.name = "dark",
	.title = "Dark",
	.dark = true,
	.ground = 0x16181d,
	.panel = 0x1f2229,
	.raised = 0x2a2e37,
	.hover = 0x363b46,
	.line = 0x343944,
	.text = 0xdfe3ea,
	.weak = 0x9ba4b3,
	.accent = 0x56b4e9,
	.on_accent = 0x0c1116,
	.selection = 0xffffff,
	.select_in = 0x101216,
	.related = 0xff6fd8,
	.good = 0x3fb98f,
	.warn = 0xe8a838,
	.bad = 0xf0755a,
	.hollow = 0x4d5564,
	.unused = 0x1e2128,
	.unused_ink = 0x383e49,
	.separator = 0xdfe3ea,
	.link = 0xffffff,
	.shade = 0x0a0b0e,
    },
    {
	.name = "light",
	.title = "Light",
	.dark = false,
	.ground = 0xf6f7f9,
	.panel = 0xffffff,
	.raised = 0xe9ecf0,
	.hover = 0xdce1e8,
	.line = 0xd0d5dd,
	.text = 0x1b1f27,
	.weak = 0x566072,
	.accent = 0x0069a8,
	.on_accent = 0xffffff,
	.selection = 0x101216,
	.select_in = 0xffffff,
	.related = 0xb8008f,
	.good = 0x00694d,
	.warn = 0x8f5600,
	.bad = 0xb23b12,
	.hollow = 0xa3acba,
	.unused = 0xeceef2,
	.unused_ink = 0xc3c9d3,
	.separator = 0x1b1f27,
	.link = 0x101216,
	.shade = 0x8a929e,
    },
    {
	.name = "contrast",
	.title = "High contrast",
	.dark = true,
	.ground = 0x000000,
	.panel = 0x000000,
	.raised = 0x1c1c1c,
	.hover = 0x3a3a3a,
	.line = 0xffffff,
	.text = 0xffffff,
	.weak = 0xe0e0e0,
	.accent = 0xffff00,
	.on_accent = 0x000000,
	.selection = 0xffff00,
	.select_in = 0x000000,
	.related = 0xff66ff,
	.good = 0x00ff9c,
	.warn = 0xffc040,
	.bad = 0xff8a70,
	.hollow = 0xa0a0a0,
	.unused = 0x000000,
	.unused_ink = 0x707070,
	.separator = 0xffffff,
	.link = 0xffffff,
	.shade = 0x000000,
    },
};

const struct theme *theme_at(int index)
{
	return &themes[index >= 0 && index < THEMES ? index : 0];
}

int theme_find(const char *name)
{
	for (int i = 0; i < THEMES; i++) {
		if (strcmp(themes[i].name, name) == 0)
			return i;
	}
	return -1;
}

double theme_contrast(uint32_t a, uint32_t b)
{
	double la = palette_luminance(a);
	double lb = palette_luminance(b);
	return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}
