/*
 * The colours of data: ramps for numbers, colour and pattern for the values of an enumeration.
 *
 * Ramps rise strictly in lightness. On a dark ground a ramp starts at L* 25 and on a light one it
 * ends at L* 80, so that both ends contrast with the ground; zero and unused have sprites of their
 * own. Enumerations use seven chromatic colours, which people with any colour vision tell from each
 * other, from the ground and from the greys of every theme, with four patterns, so that 28 values
 * are distinct and colour is never the only cue; a server's colour hints are not used for tiles,
 * because they need not be distinct.
 */
#ifndef GCSPY_CLIENT_PALETTE_H
#define GCSPY_CLIENT_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#define PALETTE_RAMPS  4
#define PALETTE_SHADES 254 /* shades of a ramp */

enum palette_pattern { PATTERN_SOLID, PATTERN_DOT, PATTERN_SLASH, PATTERN_BACKSLASH };

const char *palette_name(int ramp);

/* The index of a ramp by name, or -1. */
int palette_find(const char *name);

/* The sixteen colours that a user can choose. As ramps of a single hue they are numbered from
 * PALETTE_RAMPS; palette_name covers both. */
#define PALETTE_HUES 16
uint32_t palette_hue(int hue);

/* A ramp or a hue by name, or -1. */
int palette_find_any(const char *name);

/* Fills the shades of a ramp, lowest first, for a dark or a light ground. */
void palette_ramp(int ramp, bool dark, uint32_t shade[PALETTE_SHADES]);

/* Differences: blue for less, orange for more, and a faint grey in the middle for none. */
struct theme;
void palette_change_ramp(const struct theme *theme, uint32_t shade[PALETTE_SHADES]);

uint32_t palette_enum_colour(uint32_t value);
enum palette_pattern palette_enum_pattern(uint32_t value);

/* A difference as a background for black text: blue for -1 over white to orange for 1. */
uint32_t palette_change(double part);

/* Growth and shrinking as text on a dark or a light ground. */
uint32_t palette_change_ink(bool growth, bool dark);

/* Relative luminance of a colour, 0 to 1. */
double palette_luminance(uint32_t colour);

/* CIE lightness L* of a colour, 0 to 100. */
double palette_lightness(uint32_t colour);

#endif
