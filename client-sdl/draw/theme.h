/*
 * The colours of the user interface. A theme is a constant table; switching is replacing a pointer
 * and painting anew. Colours of data are in palette.h.
 */
#ifndef GCSPY_CLIENT_THEME_H
#define GCSPY_CLIENT_THEME_H

#include <stdbool.h>
#include <stdint.h>

struct theme {
	const char *name;
	const char *title;
	bool dark;
	uint32_t ground;    /* behind the tile maps */
	uint32_t panel;     /* side panel, bars */
	uint32_t raised;    /* buttons, title bars, fields */
	uint32_t hover;     /* the same under the pointer */
	uint32_t line;      /* borders between panels */
	uint32_t text;      /* main text */
	uint32_t weak;      /* labels and hints; at least 4.5:1 on panel and raised */
	uint32_t accent;    /* focus, active space, chosen stream */
	uint32_t on_accent; /* text on accent */
	uint32_t selection; /* double frame around the selected tile: outer */
	uint32_t select_in; /* and inner */
	uint32_t related;   /* frame around tiles that represent the same memory */
	uint32_t good, warn, bad;
	uint32_t hollow; /* frame of a tile whose value is zero */
	uint32_t unused; /* ground and lines of an unused tile */
	uint32_t unused_ink;
	uint32_t separator, link;
	uint32_t shade; /* blended over the window under a dialog */
};

#define THEMES 3

const struct theme *theme_at(int index);

/* The index of a theme by name, or -1. */
int theme_find(const char *name);

/* Contrast ratio of two colours after WCAG 2 (1.0 to 21.0), for tests and for text on data. */
double theme_contrast(uint32_t a, uint32_t b);

#endif
