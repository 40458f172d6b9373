/* What the views have chosen and keep: looks as "VIEW.KEY = VALUE", choices of a server as a line of
 * the list "VIEW.target", choices of a space as one of "space". Declared in keep.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "words.h"

#define KEEP_KEY (2 * WORD_KEY)

/* As the views told it when they were asked last. */
struct keep_view {
	char *style, *choice;
};

static char *words_of(struct app *app, int view, enum keep_scope scope)
{
	struct textbuf out = {0};
	const struct view *v = app_view_at((enum view_id)view);
	v->keep(app->views[view], app, scope, &out);
	char *words = out.failed ? NULL : strdup(textbuf_text(&out));
	textbuf_fini(&out);
	return words;
}

static bool keeps(int view)
{
	return app_view_at((enum view_id)view)->keep != NULL;
}

static char *key_of(char *key, int view, const char *name)
{
	snprintf(key, KEEP_KEY, "%s.%s", app_view_at((enum view_id)view)->name, name);
	return key;
}

/* Says that something in the settings is passed over, with the last message as the reason. */
static void complain(struct app *app, const char *key, const char *word)
{
	char why[sizeof app->toast];
	snprintf(why, sizeof why, "%s", app->toast[0] != 0 ? app->toast : "not understood");
	app_toast(app, "Settings, %.60s: %.60s passed over: %s", key, word, why);
}

void keep_take_line(
    struct app *app, const char *key, const char *line, keep_taker *taker, void *context)
{
	char said[sizeof app->toast];
	char *words = strdup(line); /* what is taken may change the settings */
	struct word word;
	enum word_state state;
	bool told = false;
	snprintf(said, sizeof said, "%s", app->toast);
	for (const char *p = words != NULL ? words : "";
	     (state = words_next(&p, &word)) != WORD_END;) {
		app->toast[0] = 0;
		if (state == WORD_GOOD && taker(context, app, word.key, word.value))
			continue;
		if (!told) {
			complain(app, key, word.key);
			snprintf(said, sizeof said, "%s", app->toast);
		}
		told = true;
	}
	snprintf(app->toast, sizeof app->toast, "%s", said);
	free(words);
}

static bool take_style(void *context, struct app *app, const char *key, const char *value)
{
	const int view = *(int *)context;
	return app_view_at((enum view_id)view)
	    ->keep_take(app->views[view], app, KEEP_STYLE, key, value);
}

static bool take_target(void *context, struct app *app, const char *key, const char *value)
{
	const int view = *(int *)context;
	return app_view_at((enum view_id)view)
	    ->keep_take(app->views[view], app, KEEP_TARGET, key, value);
}

/* The looks of a view that the settings have, as one line. */
static void take_kept(struct app *app, int view, const char *style)
{
	char key[KEEP_KEY];
	struct word word;
	while (words_next(&style, &word) == WORD_GOOD) {
		const char *value = keep_get(app, key_of(key, view, word.key));
		struct textbuf line = {0};
		if (value != NULL &&
		    words_value(word.value, sizeof word.value, value, strlen(value)))
			words_put(&line, word.key, word.value);
		else if (value != NULL)
			textbuf_printf(&line, "%s=%%", word.key); /* damaged, and told as that */
		keep_take_line(app, key, textbuf_text(&line), take_style, &view);
		textbuf_fini(&line);
	}
}

void keep_views_begin(struct app *app)
{
	struct keep_view *views = app->keep.views = calloc(VIEW_COUNT, sizeof *views);
	for (int i = 0; views != NULL && i < VIEW_COUNT; i++) {
		if (!keeps(i))
			continue;
		char *style = words_of(app, i, KEEP_STYLE);
		take_kept(app, i, style != NULL ? style : "");
		free(style);
		views[i].style = words_of(app, i, KEEP_STYLE);
		views[i].choice = words_of(app, i, KEEP_TARGET);
	}
}

void keep_views_end(struct app *app)
{
	for (int i = 0; app->keep.views != NULL && i < VIEW_COUNT; i++) {
		free(app->keep.views[i].style);
		free(app->keep.views[i].choice);
	}
	free(app->keep.views);
	app->keep.views = NULL;
}

void keep_look(struct app *app)
{
	app->keep.look = app->layout_undo.look = true;
}

/* Both have the same keys in the same order; what differs is kept. */
static void note_style(struct app *app, int view, const char *before, const char *now)
{
	char key[KEEP_KEY];
	struct word old, word;
	while (words_next(&now, &word) == WORD_GOOD && words_next(&before, &old) == WORD_GOOD) {
		if (strcmp(old.value, word.value) == 0)
			continue;
		struct textbuf value = {0};
		words_put_escaped(&value, word.value);
		if (!value.failed)
			keep_put(app, key_of(key, view, word.key), textbuf_text(&value));
		textbuf_fini(&value);
	}
}

static void tell_too_long(struct app *app, const char *what)
{
	if (!app->keep.told)
		app_toast(app, "What is chosen in %.100s is too long to be kept", what);
	app->keep.told = true;
}

static void put_line(struct app *app, const char *key, const char *item, const char *words,
    uint32_t limit, const char *what)
{
	struct settings *s = &app->keep.settings;
	if (*words == 0)
		settings_remove_item(s, key, item, app->now_ms);
	else if (!settings_put_item(s, key, item, words, limit, app->now_ms))
		tell_too_long(app, what);
}

/* `now` becomes what was told last. */
static void replace(char **last, char *now)
{
	if (now == NULL)
		return;
	free(*last);
	*last = now;
}

static void note_view(struct app *app, int view)
{
	char key[KEEP_KEY];
	struct keep_view *v = &app->keep.views[view];
	char *style = words_of(app, view, KEEP_STYLE);
	if (style != NULL && v->style != NULL && strcmp(style, v->style) != 0)
		note_style(app, view, v->style, style);
	replace(&v->style, style);
	if (app->keep.target[0] == 0 || app->snapshot == NULL)
		return;
	char *choice = words_of(app, view, KEEP_TARGET);
	if (choice != NULL && v->choice != NULL && strcmp(choice, v->choice) != 0)
		put_line(app, key_of(key, view, "target"), app->keep.target, choice, KEEP_SERVERS,
		    app_view_at((enum view_id)view)->title);
	replace(&v->choice, choice);
}

void keep_views_note(struct app *app)
{
	if (!app->keep.look || app->keep.views == NULL)
		return;
	app->keep.look = false;
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (keeps(i))
			note_view(app, i);
	}
}

/* The item of a list with that text; NULL: there is none. */
static const char *find(const struct app *app, const char *key, const char *text, uint32_t most)
{
	struct settings_item items[KEEP_SPACES];
	uint32_t n = settings_items(&app->keep.settings, key, items, most);
	for (uint32_t i = 0; i < n; i++) {
		if (items[i].text_length == strlen(text) &&
		    memcmp(items[i].text, text, items[i].text_length) == 0)
			return items[i].more;
	}
	return NULL;
}

static void take_choice(struct app *app, int view)
{
	char key[KEEP_KEY];
	const char *line = find(app, key_of(key, view, "target"), app->keep.target, KEEP_SERVERS);
	keep_take_line(app, key, line != NULL ? line : "", take_target, &view);
}

void keep_target(struct app *app, const char *target)
{
	struct keep *k = &app->keep;
	if (k->views == NULL || strcmp(k->target, target) == 0)
		return;
	bool first = k->target[0] == 0;
	snprintf(k->target, sizeof k->target, "%s", target);
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (!keeps(i))
			continue;
		/* What was chosen before there was a picture, by commands to begin with, goes first. */
		char *chosen = first ? words_of(app, i, KEEP_TARGET) : NULL;
		if (!first)
			take_target(&i, app, NULL, NULL);
		if (chosen == NULL || *chosen == 0)
			take_choice(app, i);
		free(chosen);
		replace(&k->views[i].choice, words_of(app, i, KEEP_TARGET));
	}
}

void keep_styles(struct app *app, struct textbuf *out)
{
	char key[KEEP_KEY];
	struct word word;
	for (int i = 0; i < VIEW_COUNT; i++) {
		char *style = keeps(i) ? words_of(app, i, KEEP_STYLE) : NULL;
		for (const char *p = style != NULL ? style : "";
		     words_next(&p, &word) == WORD_GOOD;)
			words_put(out, key_of(key, i, word.key), word.value);
		free(style);
	}
}

bool keep_take_style(struct app *app, const char *key, const char *value)
{
	size_t n = strcspn(key, ".");
	for (int i = 0; key[n] == '.' && i < VIEW_COUNT; i++) {
		const char *name = app_view_at((enum view_id)i)->name;
		if (keeps(i) && strlen(name) == n && strncmp(name, key, n) == 0)
			return take_style(&i, app, key + n + 1, value);
	}
	return false;
}

/* "SERVER/SPACE" as the list of spaces has it. */
static void space_item(const struct app *app, const char *space, struct textbuf *item)
{
	words_put_escaped(item, app->keep.target);
	textbuf_puts(item, "/");
	words_put_escaped(item, space);
}

const char *keep_space(const struct app *app, const char *space)
{
	struct textbuf item = {0};
	if (app->keep.target[0] == 0)
		return "";
	space_item(app, space, &item);
	const char *words =
	    item.failed ? NULL : find(app, "space", textbuf_text(&item), KEEP_SPACES);
	textbuf_fini(&item);
	return words != NULL ? words : "";
}

void keep_put_space(struct app *app, const char *space, const char *words)
{
	struct textbuf item = {0};
	if (app->keep.target[0] == 0)
		return;
	space_item(app, space, &item);
	if (!item.failed)
		put_line(app, "space", textbuf_text(&item), words, KEEP_SPACES, space);
	textbuf_fini(&item);
}
