/* What history graphs keep: settings that are looks, and by server what is shown. Declared in
 * history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"
#include "words.h"

/* A graph that stands still would be taken for a broken one in another window, and an event is the
 * server's. */
static bool is_look(const struct hist_setting *s)
{
	return strcmp(s->key, "follow") != 0 && strcmp(s->key, "collect") != 0 &&
	       strcmp(s->key, "event") != 0;
}

void hist_keep(void *self, struct app *app, enum keep_scope scope, struct textbuf *out)
{
	const struct hist_view *v = self;
	char text[GCS_MAX_NAME + 1];
	(void)app;
	for (uint32_t i = 0; scope == KEEP_STYLE && i < hist_setting_count(); i++) {
		const struct hist_setting *s = &hist_settings[i];
		if (is_look(s))
			words_put(out, s->key, hist_setting_text(&v->set, s, text, sizeof text));
	}
	if (scope == KEEP_STYLE)
		return;
	for (uint32_t i = 0; i < v->choice.spaces; i++)
		words_put(out, "space", v->choice.space[i]);
	if (v->choice.bare)
		words_put_flag(out, "bare", true);
	for (uint32_t i = 0; i < v->choice.streams; i++)
		words_put(out, "stream", v->choice.stream[i]);
	if (v->set.event[0] != 0)
		words_put(out, "event", v->set.event);
}

static bool take_look(struct hist_view *v, struct app *app, const char *key, const char *value)
{
	char argument[GCS_MAX_NAME + 64];
	for (uint32_t i = 0; i < hist_setting_count(); i++) {
		const struct hist_setting *s = &hist_settings[i];
		if (strcmp(s->key, key) == 0 && is_look(s))
			return (size_t)snprintf(argument, sizeof argument, "%s=%s", key, value) <
				   sizeof argument &&
			       hist_set(v, app, argument);
	}
	return false;
}

/* Names that the server does not know now may come back with its next run. */
static bool take_name(char (*names)[GCS_MAX_NAME + 1], uint32_t *count, const char *value)
{
	if (*count == HIST_CHOICES || *value == 0 || strlen(value) > GCS_MAX_NAME)
		return false;
	snprintf(names[(*count)++], sizeof *names, "%s", value);
	return true;
}

static bool take_choice(struct hist_view *v, const char *key, const char *value)
{
	if (strcmp(key, "space") == 0)
		return take_name(v->choice.space, &v->choice.spaces, value);
	if (strcmp(key, "stream") == 0)
		return take_name(v->choice.stream, &v->choice.streams, value);
	if (strcmp(key, "bare") == 0)
		return words_flag(value, &v->choice.bare);
	if (strcmp(key, "event") != 0 || strlen(value) > GCS_MAX_NAME)
		return false;
	snprintf(v->set.event, sizeof v->set.event, "%s", value);
	return true;
}

bool hist_keep_take(
    void *self, struct app *app, enum keep_scope scope, const char *key, const char *value)
{
	struct hist_view *v = self;
	if (scope == KEEP_STYLE)
		return take_look(v, app, key, value);
	if (key == NULL) {
		v->choice = (struct hist_choice){0};
		v->set.event[0] = 0;
	} else if (!take_choice(v, key, value)) {
		return false;
	}
	hist_restart(v, app);
	return true;
}
