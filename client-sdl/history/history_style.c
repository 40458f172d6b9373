/* The user's colours and font of history graphs. Declared in history_view.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history_view.h"

/* The sixteen colours of HTML 4. */
static const struct named {
	const char *name;
	int colour;
} named[] = {{"black", 0x000000}, {"silver", 0xc0c0c0}, {"gray", 0x808080}, {"white", 0xffffff},
    {"maroon", 0x800000}, {"red", 0xff0000}, {"purple", 0x800080}, {"fuchsia", 0xff00ff},
    {"green", 0x008000}, {"lime", 0x00ff00}, {"olive", 0x808000}, {"yellow", 0xffff00},
    {"navy", 0x000080}, {"blue", 0x0000ff}, {"teal", 0x008080}, {"aqua", 0x00ffff}};

#define NAMED ((int)(sizeof named / sizeof *named))

static const struct {
	const char *name;
	int size;
} fonts[] = {{"small", 9}, {"normal", HIST_FONT}, {"large", 15}};

#define FONTS (sizeof fonts / sizeof *fonts)

bool hist_colour_parse(const char *text, int *colour)
{
	if (strcmp(text, "theme") == 0) {
		*colour = HIST_OF_THEME;
		return true;
	}
	for (int i = 0; i < NAMED; i++) {
		if (strcmp(text, named[i].name) == 0) {
			*colour = named[i].colour;
			return true;
		}
	}
	if (text[0] != '#' || strlen(text) != 7)
		return false;
	for (int i = 1; i < 7; i++) {
		if (!isxdigit((unsigned char)text[i]))
			return false;
	}
	*colour = (int)strtol(text + 1, NULL, 16);
	return true;
}

static int colour_index(int colour)
{
	int i = 0;
	while (i < NAMED && named[i].colour != colour)
		i++;
	return i;
}

char *hist_colour_text(int colour, char *text, size_t size)
{
	int i = colour_index(colour);
	if (colour == HIST_OF_THEME)
		snprintf(text, size, "theme");
	else if (i < NAMED)
		snprintf(text, size, "%s", named[i].name);
	else
		snprintf(text, size, "#%06x", (unsigned)colour & 0xffffffu);
	return text;
}

/* The next named colour, cyclically, including the theme's. */
int hist_colour_next(int colour, int dir)
{
	int at = colour == HIST_OF_THEME ? NAMED : colour_index(colour) % NAMED;
	at = (at + NAMED + 1 + dir) % (NAMED + 1);
	return at == NAMED ? HIST_OF_THEME : named[at].colour;
}

bool hist_set_colour(struct app *app, const struct hist_setting *s, const char *value, int *at)
{
	char all[200] = "";
	if (hist_colour_parse(value, at))
		return true;
	for (int i = 0; i < NAMED; i++) {
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, ", %s", named[i].name);
	}
	app_toast(app, "history %s=%.40s: expected #rrggbb, theme%s", s->key, value, all);
	return false;
}

bool hist_set_font(struct app *app, const struct hist_setting *s, const char *value, int *at)
{
	for (size_t i = 0; i < FONTS; i++) {
		if (strcmp(value, fonts[i].name) == 0) {
			*at = fonts[i].size;
			return true;
		}
	}
	char *end;
	long n = strtol(value, &end, 10);
	if (*value == 0 || *end != 0 || n < s->low || n > s->high) {
		app_toast(app, "history %s=%.40s: expected small, normal, large, or %d to %d",
		    s->key, value, s->low, s->high);
		return false;
	}
	*at = (int)n;
	return true;
}

char *hist_font_text(int font, char *text, size_t size)
{
	snprintf(text, size, "%d", font);
	for (size_t i = 0; i < FONTS; i++) {
		if (fonts[i].size == font)
			snprintf(text, size, "%s", fonts[i].name);
	}
	return text;
}

void hist_fonts_prepare(struct hist_view *v, struct app *app)
{
	int scale = v->set.font == HIST_FONT ? 0 : app->ui.scale * v->set.font / HIST_FONT;
	if (v->fonts_scale == scale)
		return;
	if (v->fonts_scale != 0)
		fonts_fini(&v->fonts);
	v->fonts = (struct fonts){0};
	v->fonts_scale = scale;
	if (scale == 0 || app->make_fonts(&v->fonts, scale))
		return;
	v->fonts = (struct fonts){0};
	app_toast(app, "No font of that size");
}

struct font *hist_font(const struct hist_view *v, const struct app *app, enum font_face face)
{
	struct font *own = v->fonts_scale != 0 ? v->fonts.face[face] : NULL;
	return own != NULL ? own : app->ui.fonts->face[face];
}

int hist_label_px(const struct hist_view *v, const struct ui *ui, int n)
{
	return ui_px(ui, n * v->set.font / HIST_FONT);
}
