#include "layouts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"

void layouts_put(struct app *app, struct textbuf *out)
{
	for (int i = STATE_WINDOW; i >= 0; i--) {
		char *state = view_state_of(app, i, STATE_STYLE);
		if (state == NULL)
			out->failed = true;
		else if (i != STATE_WINDOW && *state != 0)
			textbuf_printf(
			    out, "; %s", command_at(app_view_at((enum view_id)i)->show)->name);
		view_state_list(out, state != NULL ? state : "");
		free(state);
	}
}

/* The present layout, the caller's; NULL without memory. */
static char *present(struct app *app)
{
	struct textbuf script = {0};
	layouts_put(app, &script);
	char *copy = script.failed ? NULL : strdup(textbuf_text(&script));
	textbuf_fini(&script);
	return copy;
}

void layouts_fini(struct app *app)
{
	struct layouts *l = &app->layouts;
	for (uint32_t i = 0; i < l->count; i++)
		free(l->script[i]);
	free(l->now);
	*l = (struct layouts){0};
}

void layouts_begin(struct app *app)
{
	layouts_fini(app);
	app->layouts.now = present(app);
}

static void push(struct layouts *l, char *script)
{
	if (l->count == LAYOUTS_UNDO) {
		free(l->script[0]);
		memmove(l->script, l->script + 1, (LAYOUTS_UNDO - 1) * sizeof *l->script);
		l->count--;
	}
	l->script[l->count++] = script;
}

void layouts_note(struct app *app)
{
	struct layouts *l = &app->layouts;
	if (!l->touched || app->ui.active != 0)
		return;
	l->touched = false;
	char *now = present(app);
	if (now == NULL || (l->now != NULL && strcmp(now, l->now) == 0)) {
		free(now);
		return;
	}
	if (l->now != NULL)
		push(l, l->now);
	l->now = now;
}

static bool undo_layout(struct app *app)
{
	struct layouts *l = &app->layouts;
	layouts_note(app);
	if (l->count == 0) {
		app_toast(app, "No earlier layout");
		return false;
	}
	char *script = l->script[--l->count];
	view_state_run(app, STATE_WINDOW, "layout", script);
	app_layout(app);
	free(script);
	free(l->now);
	l->now = present(app);
	app_toast(app, "Previous layout restored; %u more", l->count);
	return true;
}

static bool save_layout(struct app *app, const char *name)
{
	struct textbuf script = {0};
	layouts_put(app, &script);
	textbuf_printf(&script, "; %s", command_at(app->view->show)->name);
	bool ok = !script.failed && settings_put_item(&app->view_state.settings, "layout", name,
					textbuf_text(&script), LAYOUTS_NAMED, app->now_ms);
	textbuf_fini(&script);
	app_toast(app, ok ? "Saved layout %s" : "Layout %s is too long to save", name);
	return ok;
}

static bool use_layout(struct app *app, const char *name, const struct settings_item *item)
{
	char key[100];
	snprintf(key, sizeof key, "layout %s", name);
	int view = view_state_run(app, STATE_WINDOW, key, item->more);
	if (view != STATE_WINDOW)
		app_set_view(app, (enum view_id)view);
	app_layout(app);
	return true;
}

/* The number of the layout of that name, or -1; `known` gets all names. */
static int find_layout(
    struct app *app, const char *name, struct settings_item *items, char *known, size_t size)
{
	uint32_t n = settings_items(&app->view_state.settings, "layout", items, LAYOUTS_NAMED);
	size_t used = 0;
	snprintf(known, size, "none");
	for (uint32_t i = 0; i < n; i++) {
		if (strlen(name) == items[i].text_length &&
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

bool layouts_have_command(enum command_id id)
{
	return id == COMMAND_layout_save || id == COMMAND_layout_use ||
	       id == COMMAND_layout_forget || id == COMMAND_layout_undo;
}

bool layouts_command(struct app *app, enum command_id id, const char *name)
{
	struct settings_item items[LAYOUTS_NAMED];
	char known[200];
	if (id == COMMAND_layout_undo)
		return undo_layout(app);
	if (name == NULL || strlen(name) > 60) {
		app_toast(app, "Layout names are limited to 60 bytes");
		return false;
	}
	if (id == COMMAND_layout_save)
		return save_layout(app, name);
	int i = find_layout(app, name, items, known, sizeof known);
	if (i < 0) {
		app_toast(app, "No layout named %s; available: %s", name, known);
		return false;
	}
	if (id == COMMAND_layout_use)
		return use_layout(app, name, &items[i]);
	settings_remove_item(&app->view_state.settings, "layout", name, app->now_ms);
	app_toast(app, "Deleted layout %s", name);
	return true;
}
