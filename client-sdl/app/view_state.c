#define _XOPEN_SOURCE 700 /* realpath. NOLINT(bugprone-reserved-identifier) */
#include "view_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "view_options.h"

bool view_state_path(char *path, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n = -1;
	if (config != NULL && config[0] == '/')
		n = snprintf(path, size, "%s/gcspy/view.conf", config);
	else if (home != NULL && home[0] == '/')
		n = snprintf(path, size, "%s/.config/gcspy/view.conf", home);
	return n > 0 && (size_t)n < size;
}

static bool parse_window(const char *value, int *w, int *h)
{
	char rest;
	return value != NULL && sscanf(value, "%dx%d%c", w, h, &rest) == 2 && *w >= 320 &&
	       *h >= 240 && *w <= 16384 && *h <= 16384;
}

void view_state_arguments(const struct settings *settings, struct cli *cli)
{
	int w, h;
	if (!cli->size_given && parse_window(settings_get(settings, "window"), &w, &h)) {
		cli->width = w;
		cli->height = h;
	}
	const char *theme = settings_get(settings, "theme");
	if (!cli->theme_given && theme != NULL && theme_find(theme) >= 0)
		cli->theme = theme_find(theme);
}

/* The views without choices of their own for a server have no function to forget them. */
static bool has_choices(int owner)
{
	return owner == STATE_WINDOW || app_view_at((enum view_id)owner)->forget != NULL;
}

/* `now` takes the place of what was saved last. */
static void replace(char **last, char *now)
{
	if (now == NULL)
		return;
	free(*last);
	*last = now;
}

/* Of the startup commands, runs those that need a snapshot, or the others. */
static void run_startup(struct app *app, bool snapshot)
{
	const char *p = settings_get(&app->view_state.settings, "startup");
	char line[512], failed[200] = "";
	app->view_state.rest = false;
	while (p != NULL && *p != 0) {
		p += strspn(p, " ;");
		size_t n = strcspn(p, ";");
		snprintf(
		    line, sizeof line, "%.*s", (int)(n < sizeof line ? n : sizeof line - 1), p);
		p += n;
		size_t word = strcspn(line, " ");
		enum command_id id = command_find(line, word);
		if (line[0] == 0)
			continue;
		bool needs = id != COMMAND_COUNT && command_at(id)->when != WHEN_ANY;
		const char *argument = line + word + strspn(line + word, " ");
		app->view_state.rest = app->view_state.rest || (needs && !snapshot);
		if (needs == snapshot && (id == COMMAND_COUNT || !app_command(app, id, argument)))
			snprintf(failed, sizeof failed, "%.60s: %.120s", line,
			    id == COMMAND_COUNT ? "unknown command" : app->toast);
	}
	if (failed[0] != 0)
		app_toast(app, "Settings, startup: %s", failed);
}

static void measure(const struct app *app, int *width, int *height)
{
	const struct view_state *v = &app->view_state;
	const bool dense = v->pixels > 0 && v->points > 0 && v->pixels != v->points;
	*width = dense ? app->cv.w * v->points / v->pixels : app->cv.w;
	*height = dense ? app->cv.h * v->points / v->pixels : app->cv.h;
}

void view_state_begin(struct app *app, struct settings *settings, const struct cli *cli)
{
	struct view_state *v = &app->view_state;
	v->settings = *settings;
	settings_init(settings);
	v->points = cli != NULL ? cli->width : 0;
	v->pixels = app->cv.w;
	for (int i = 0; i < STATE_OWNERS; i++)
		view_state_restore_style(app, i, cli != NULL && cli->scale != 0);
	const char *view = settings_get(&v->settings, "view");
	for (int i = 0; view != NULL && i < VIEW_COUNT; i++) {
		if (strcmp(app_view_at((enum view_id)i)->name, view) == 0)
			app_set_view(app, (enum view_id)i);
	}
	for (int i = 0; i < STATE_OWNERS; i++) {
		replace(&v->style[i], view_state_of(app, i, STATE_STYLE));
		if (has_choices(i))
			replace(&v->choice[i], view_state_of(app, i, STATE_TARGET));
	}
	app_layout(app);
	run_startup(app, false);
	/* What these commands set in the window is theirs, and not saved. */
	replace(&v->style[STATE_WINDOW], view_state_of(app, STATE_WINDOW, STATE_STYLE));
	measure(app, &v->width, &v->height);
	v->view = (int)app->view_id;
	if (cli != NULL && cli->libraries[0] != 0) /* a change, and saved */
		profiles_set_libraries(&app->profiles.libraries, cli->libraries);
	v->begun = true;
	layouts_begin(app);
	view_state_touch(app);
}

void view_state_touch(struct app *app)
{
	app->view_state.touched = app->layouts.touched = true;
}

static void save_window(struct app *app)
{
	struct view_state *v = &app->view_state;
	char size[32];
	int width, height;
	measure(app, &width, &height);
	if (v->view != (int)app->view_id)
		settings_put(&v->settings, "view", app->view->name, app->now_ms);
	if (width != v->width || height != v->height) {
		snprintf(size, sizeof size, "%dx%d", width, height);
		settings_put(&v->settings, "window", size, app->now_ms);
	}
	v->view = (int)app->view_id;
	v->width = width;
	v->height = height;
}

static void put_item(struct app *app, const char *key, const char *item, const char *commands,
    uint32_t limit, const char *what)
{
	struct view_state *v = &app->view_state;
	if (*commands == 0) {
		settings_remove_item(&v->settings, key, item, app->now_ms);
	} else if (!settings_put_item(&v->settings, key, item, commands, limit, app->now_ms)) {
		if (!v->warned)
			app_toast(app, "The settings of %.100s are too long to save", what);
		v->warned = true;
	}
}

static void choice_key(char *key, size_t size, int owner)
{
	if (owner == STATE_WINDOW)
		snprintf(key, size, "collapsed");
	else
		snprintf(key, size, "%s.target", app_view_at((enum view_id)owner)->name);
}

static void save_choice(struct app *app, int owner)
{
	struct view_state *v = &app->view_state;
	char key[SETTINGS_KEY];
	char *choice = view_state_of(app, owner, STATE_TARGET);
	if (choice != NULL && v->choice[owner] != NULL && strcmp(choice, v->choice[owner]) != 0) {
		struct textbuf list = {0};
		choice_key(key, sizeof key, owner);
		view_state_list(&list, choice);
		put_item(app, key, v->target, textbuf_text(&list), STATE_SERVERS,
		    owner == STATE_WINDOW ? key : app_view_at((enum view_id)owner)->title);
		textbuf_fini(&list);
	}
	replace(&v->choice[owner], choice);
}

static void save_state(struct app *app)
{
	struct view_state *v = &app->view_state;
	if (!v->begun)
		return;
	save_window(app);
	if (!v->touched)
		return;
	v->touched = false;
	for (int i = 0; i < STATE_OWNERS; i++) {
		char *style = view_state_of(app, i, STATE_STYLE);
		if (style != NULL && v->style[i] != NULL)
			view_state_save_style(app, i, v->style[i], style);
		replace(&v->style[i], style);
		if (has_choices(i) && v->target[0] != 0 && app->snapshot != NULL)
			save_choice(app, i);
	}
}

void view_state_tick(struct app *app)
{
	struct view_state *v = &app->view_state;
	struct gcs_error err = {.status = GCS_OK};
	if (v->rest && app->snapshot != NULL && app->state == SOURCE_LIVE)
		run_startup(app, true);
	save_state(app);
	layouts_note(app);
	if (settings_tick(&v->settings, app->now_ms, &err))
		app_toast(app, "%s", err.text);
}

uint64_t view_state_due_ms(const struct app *app)
{
	const struct settings *s = &app->view_state.settings;
	if (s->writing)
		return app->now_ms + 50;
	return s->due_ms != 0 && s->path != NULL ? s->due_ms : UINT64_MAX;
}

void view_state_end(struct app *app)
{
	struct view_state *v = &app->view_state;
	struct gcs_error err = {.status = GCS_OK};
	save_state(app);
	for (int i = 0; i < STATE_OWNERS; i++) {
		free(v->style[i]);
		free(v->choice[i]);
		v->style[i] = v->choice[i] = NULL;
	}
	/* Without a window, messages go to the terminal. */
	if (!settings_close(&v->settings, &err) && !v->settings.failed)
		fprintf(stderr, "gcspy-view: %s\n", err.text);
	v->begun = false;
}

void view_state_connected(struct app *app)
{
	struct view_state *v = &app->view_state;
	char path[PATH_MAX];
	bool file = app->source.ops->file;
	if (!v->begun || v->connection == app->connection)
		return;
	v->connection = app->connection;
	const char *text = app->address;
	if (file && realpath(app->address, path) != NULL)
		text = path;
	settings_put_item(&v->settings, file ? "recent_file" : "recent_address", text, "",
	    STATE_RECENT, app->now_ms);
}

/* The server's name without what differs in each run: the number of its process. */
static void server_key(const struct gcs_model *model, char *name, size_t size)
{
	snprintf(name, size, "%.200s", model->server_name);
	static const char *const before[] = {", process ", ", pid "};
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		char *at = strstr(name, before[i]);
		if (at != NULL)
			*at = 0;
	}
}

void view_state_before(struct app *app, const struct gcs_model *next)
{
	char name[GCS_MAX_NAME + 1];
	if (!app->view_state.begun || app_model(app) == next ||
	    strcmp(app->server, next->server_name) == 0)
		return;
	server_key(next, name, sizeof name);
	if (strcmp(name, app->view_state.target) != 0)
		save_state(app);
}

/* The commands of an item of a list; NULL: there is none. */
static const char *find_item(
    const struct app *app, const char *key, const char *item, uint32_t most)
{
	struct settings_item items[STATE_SPACES];
	uint32_t n = settings_items(&app->view_state.settings, key, items, most);
	for (uint32_t i = 0; i < n; i++) {
		if (items[i].text_length == strlen(item) &&
		    memcmp(items[i].text, item, items[i].text_length) == 0)
			return items[i].more;
	}
	return NULL;
}

static void forget_choice(struct app *app, int owner)
{
	if (owner != STATE_WINDOW) {
		app_view_at((enum view_id)owner)->forget(app->views[owner], app);
		return;
	}
	for (uint32_t i = 0; i < app->group_count; i++) {
		if (app->group_closed[i])
			app_toggle_group(app, i);
	}
}

/* Commands of a choice may change a style (a stream is added to the line chart, which is shown)
 * and the active space; only the heap map means to. */
static void restore_choice(struct app *app, int owner)
{
	char key[SETTINGS_KEY];
	choice_key(key, sizeof key, owner);
	const char *commands = find_item(app, key, app->view_state.target, STATE_SERVERS);
	if (commands == NULL)
		return;
	const uint32_t active = app->active_space;
	char *style = view_state_of(app, owner, STATE_STYLE);
	struct textbuf list = {0};
	view_state_list(&list, style != NULL ? style : "");
	view_state_run(app, owner, key, commands);
	view_state_run(app, owner, key, textbuf_text(&list));
	if (owner != VIEW_HEAP && owner != STATE_WINDOW)
		app->active_space = active;
	textbuf_fini(&list);
	free(style);
}

void view_state_server(struct app *app)
{
	struct view_state *v = &app->view_state;
	char target[GCS_MAX_NAME + 1];
	server_key(app_model(app), target, sizeof target);
	if (!v->begun || strcmp(v->target, target) == 0)
		return;
	bool first = v->target[0] == 0;
	snprintf(v->target, sizeof v->target, "%s", target);
	for (int i = 0; i < STATE_OWNERS; i++) {
		if (!has_choices(i))
			continue;
		/* Choices made before the first snapshot, by startup commands, go first. */
		char *chosen = first ? view_state_of(app, i, STATE_TARGET) : NULL;
		if (!first)
			forget_choice(app, i);
		if (chosen == NULL || *chosen == 0)
			restore_choice(app, i);
		free(chosen);
		replace(&v->choice[i], view_state_of(app, i, STATE_TARGET));
	}
}

/* "SERVER/SPACE" as the list of spaces has it. */
static void space_item(const struct app *app, const char *space, struct textbuf *item)
{
	view_state_escape(item, app->view_state.target, " /%");
	textbuf_puts(item, "/");
	view_state_escape(item, space, " /%");
}

const char *view_state_space(const struct app *app, const char *space)
{
	struct textbuf item = {0};
	if (app->view_state.target[0] == 0)
		return "";
	space_item(app, space, &item);
	const char *commands =
	    item.failed ? NULL : find_item(app, "space", textbuf_text(&item), STATE_SPACES);
	textbuf_fini(&item);
	return commands != NULL ? commands : "";
}

void view_state_put_space(struct app *app, const char *space, const char *commands)
{
	struct textbuf item = {0};
	if (app->view_state.target[0] == 0)
		return;
	space_item(app, space, &item);
	if (!item.failed)
		put_item(app, "space", textbuf_text(&item), commands, STATE_SPACES, space);
	textbuf_fini(&item);
}
