/* Named layouts: view, side panel, theme, ramp, scale and the looks of all views together. Declared in keep.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "palette.h"
#include "words.h"

bool keep_has_command(enum command_id id)
{
	return id == COMMAND_layout_save || id == COMMAND_layout_use ||
	       id == COMMAND_layout_forget || id == COMMAND_layout_undo;
}

void keep_layout_words(struct app *app, struct textbuf *out)
{
	textbuf_printf(out, "side=%s side_width=%d theme=%s colours=%s scale=%d",
	    app->side_shown ? "yes" : "no", app->side_width * 100 / app->scale,
	    theme_at(app->theme)->name, palette_name(app->ramp), app->scale);
	keep_styles(app, out);
}

static bool save(struct app *app, const char *name)
{
	struct textbuf more = {0};
	textbuf_printf(&more, "view=%s ", app->view->name);
	keep_layout_words(app, &more);
	bool ok = !more.failed && settings_put_item(&app->keep.settings, "layout", name,
				      textbuf_text(&more), KEEP_LAYOUTS, app->now_ms);
	textbuf_fini(&more);
	app_toast(app, ok ? "Kept the layout %s" : "The layout %s is too long to be kept", name);
	return ok;
}

/* One of the words of a layout; what it does not know, as from a later version, is passed over. */
static void use_word(struct app *app, const char *key, const char *value)
{
	if (strcmp(key, "view") == 0) {
		for (int i = 0; i < VIEW_COUNT; i++) {
			if (strcmp(app_view_at((enum view_id)i)->name, value) == 0)
				app_set_view(app, (enum view_id)i);
		}
	} else if (strcmp(key, "side") == 0) {
		app->side_shown = strcmp(value, "no") != 0;
	} else if (strcmp(key, "side_width") == 0 && atoi(value) >= 100 && atoi(value) <= 4000) {
		app->side_width = atoi(value) * app->scale / 100;
	} else if (strcmp(key, "theme") == 0 && theme_find(value) >= 0) {
		app->theme = theme_find(value);
		app->ui.theme = theme_at(app->theme);
	} else if (strcmp(key, "colours") == 0 && palette_find(value) >= 0) {
		app->ramp = palette_find(value);
	} else if (strcmp(key, "scale") == 0 && atoi(value) >= 50 && atoi(value) <= 300) {
		app_set_scale(app, atoi(value));
	} else {
		keep_take_style(app, key, value);
	}
}

void keep_use_layout(struct app *app, const char *words)
{
	struct word word;
	enum word_state state;
	while ((state = words_next(&words, &word)) != WORD_END) {
		if (state == WORD_GOOD)
			use_word(app, word.key, word.value);
	}
	app_layout(app);
}

/* Item number of that name, or -1; `known` tells the names that there are. */
static int find(
    struct app *app, const char *name, struct settings_item *items, char *known, size_t size)
{
	uint32_t n = settings_items(&app->keep.settings, "layout", items, KEEP_LAYOUTS);
	size_t used = 0;
	snprintf(known, size, "none");
	for (uint32_t i = 0; i < n; i++) {
		if (name != NULL && strlen(name) == items[i].text_length &&
		    memcmp(name, items[i].text, items[i].text_length) == 0)
			return (int)i;
		if (used + 40 < size)
			used += (size_t)snprintf(known + used, size - used, "%s%.*s",
			    used > 0 ? ", " : "",
			    (int)(items[i].text_length < 30 ? items[i].text_length : 30),
			    items[i].text);
	}
	return -1;
}

bool keep_command(struct app *app, enum command_id id, const char *name)
{
	struct settings_item items[KEEP_LAYOUTS];
	char known[200];
	if (id == COMMAND_layout_undo)
		return layout_undo_step(app);
	if (name == NULL || strlen(name) > 60) {
		app_toast(app, "A layout needs a name of at most 60 bytes");
		return false;
	}
	if (id == COMMAND_layout_save)
		return save(app, name);
	int i = find(app, name, items, known, sizeof known);
	if (i < 0) {
		app_toast(app, "No layout is called %s; there are: %s", name, known);
		return false;
	}
	if (id == COMMAND_layout_forget) {
		settings_remove_item(&app->keep.settings, "layout", name, app->now_ms);
		app_toast(app, "Forgot the layout %s", name);
		return true;
	}
	char more[SETTINGS_VALUE + 1];
	snprintf(more, sizeof more, "%s", items[i].more);
	keep_use_layout(app, more);
	return true;
}
