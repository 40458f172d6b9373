#define _XOPEN_SOURCE 700 /* realpath. NOLINT(bugprone-reserved-identifier) */
#include "keep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "palette.h"
#include "view_options.h"

bool keep_path(char *path, size_t size)
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

void keep_arguments(const struct settings *settings, struct cli *cli)
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

static struct keep_state state_of(const struct app *app)
{
	const struct keep *k = &app->keep;
	struct keep_state s = {.theme = app->theme,
	    .ramp = app->ramp,
	    .scale = app->scale,
	    .side_width = app->side_width * 100 / app->scale,
	    .width = app->cv.w,
	    .height = app->cv.h,
	    .side_shown = app->side_shown,
	    .view = (int)app->view_id};
	if (k->pixels > 0 && k->points > 0 && k->pixels != k->points) {
		s.width = s.width * k->points / k->pixels;
		s.height = s.height * k->points / k->pixels;
	}
	return s;
}

static int view_named(const char *name)
{
	for (int i = 0; name != NULL && i < VIEW_COUNT; i++) {
		if (strcmp(app_view_at((enum view_id)i)->name, name) == 0)
			return i;
	}
	return -1;
}

/* One command as a script has it. */
static bool run_line(struct app *app, const char *line)
{
	size_t n = strcspn(line, " ");
	enum command_id id = command_find(line, n);
	line += n;
	line += strspn(line, " ");
	return id != COMMAND_COUNT && app_command(app, id, *line != 0 ? line : NULL);
}

/* Of the commands to begin with those that need a picture, or the others. */
static void run_startup(struct app *app, bool picture)
{
	const char *p = keep_get(app, "startup");
	char line[512], failed[200] = "";
	app->keep.rest = false;
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
		app->keep.rest = app->keep.rest || (needs && !picture);
		if (needs == picture && !run_line(app, line))
			snprintf(failed, sizeof failed, "%.60s: %.120s", line,
			    id == COMMAND_COUNT ? "there is no such command" : app->toast);
	}
	if (failed[0] != 0)
		app_toast(app, "Settings, startup: %s", failed);
}

void keep_begin(struct app *app, struct settings *settings, const struct cli *cli)
{
	struct keep *k = &app->keep;
	const struct settings *s = &k->settings;
	k->settings = *settings;
	settings_init(settings);
	k->points = cli != NULL ? cli->width : 0;
	k->pixels = app->cv.w;
	const char *ramp = settings_get(s, "colours");
	if (ramp != NULL && palette_find(ramp) >= 0)
		app->ramp = palette_find(ramp);
	if (cli == NULL || cli->scale == 0)
		app_set_scale(app, settings_number(s, "scale", 50, 300, app->scale));
	int width = settings_number(s, "side_width", 100, 4000, 0);
	if (width > 0)
		app->side_width = width * app->scale / 100;
	app->side_shown = settings_flag(s, "side_shown", app->side_shown);
	int view = view_named(settings_get(s, "view"));
	if (view >= 0)
		app_set_view(app, (enum view_id)view);
	keep_views_begin(app);
	app_layout(app);
	run_startup(app, false);
	k->state = state_of(app);
	k->begun = true;
	layout_undo_begin(app);
	keep_look(app);
}

const char *keep_get(const struct app *app, const char *key)
{
	return settings_get(&app->keep.settings, key);
}

bool keep_put(struct app *app, const char *key, const char *value)
{
	return settings_put(&app->keep.settings, key, value, app->now_ms);
}

static void put_number(struct app *app, const char *key, int value)
{
	char text[16];
	snprintf(text, sizeof text, "%d", value);
	keep_put(app, key, text);
}

static void note_changes(struct app *app)
{
	struct keep *k = &app->keep;
	struct keep_state now = state_of(app), *old = &k->state;
	char size[32];
	if (now.theme != old->theme)
		keep_put(app, "theme", theme_at(now.theme)->name);
	if (now.ramp != old->ramp)
		keep_put(app, "colours", palette_name(now.ramp));
	if (now.scale != old->scale)
		put_number(app, "scale", now.scale);
	if (now.side_width != old->side_width && now.scale == old->scale)
		put_number(app, "side_width", now.side_width);
	if (now.side_shown != old->side_shown)
		keep_put(app, "side_shown", now.side_shown ? "yes" : "no");
	if (now.view != old->view)
		keep_put(app, "view", app_view_at((enum view_id)now.view)->name);
	if (now.width != old->width || now.height != old->height) {
		snprintf(size, sizeof size, "%dx%d", now.width, now.height);
		keep_put(app, "window", size);
	}
	*old = now;
}

void keep_tick(struct app *app)
{
	struct keep *k = &app->keep;
	struct gcs_error err = {.status = GCS_OK};
	if (k->rest && app->snapshot != NULL && app->state == SOURCE_LIVE)
		run_startup(app, true);
	if (k->begun) {
		note_changes(app);
		keep_views_note(app);
	}
	layout_undo_note(app);
	if (settings_tick(&k->settings, app->now_ms, &err))
		app_toast(app, "%s", err.text);
}

uint64_t keep_due_ms(const struct app *app)
{
	const struct settings *s = &app->keep.settings;
	if (s->writing)
		return app->now_ms + 50;
	return s->due_ms != 0 && s->path != NULL ? s->due_ms : UINT64_MAX;
}

void keep_end(struct app *app)
{
	struct keep *k = &app->keep;
	struct gcs_error err = {.status = GCS_OK};
	if (k->begun) {
		note_changes(app);
		keep_views_note(app);
	}
	keep_views_end(app);
	/* Without a window there is nobody to tell but the terminal. */
	if (!settings_close(&k->settings, &err) && !k->settings.failed)
		fprintf(stderr, "gcspy-view: %s\n", err.text);
	k->begun = false;
}

void keep_connected(struct app *app)
{
	char path[PATH_MAX];
	bool file = app->source.ops->file;
	if (!app->keep.begun || app->keep.connection == app->connection)
		return;
	app->keep.connection = app->connection;
	const char *text = app->address;
	if (file && realpath(app->address, path) != NULL)
		text = path;
	settings_put_item(&app->keep.settings, file ? "recent_file" : "recent_address", text, "",
	    KEEP_RECENT, app->now_ms);
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

static bool has_name(const char *list, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = list; *p != 0;) {
		size_t m = strcspn(p, "\t");
		if (m == n && memcmp(p, name, n) == 0)
			return true;
		p += m;
		p += *p == '\t';
	}
	return false;
}

void keep_server(struct app *app)
{
	struct keep *k = &app->keep;
	const struct gcs_model *model = app_model(app);
	struct settings_item items[KEEP_SERVERS];
	char name[GCS_MAX_NAME + 1], groups[SETTINGS_VALUE] = "";
	if (!k->begun)
		return;
	server_key(model, name, sizeof name);
	keep_target(app, name);
	uint32_t n = settings_items(&k->settings, "collapsed", items, KEEP_SERVERS);
	for (uint32_t i = 0; i < n; i++) {
		if (items[i].text_length == strlen(name) &&
		    memcmp(items[i].text, name, items[i].text_length) == 0)
			snprintf(groups, sizeof groups, "%s", items[i].more);
	}
	for (uint32_t i = 0; i < model->group_count && i < app->group_count; i++) {
		if (app->group_closed[i] != has_name(groups, model->groups[i].name) &&
		    groups[0] != 0)
			app_toggle_group(app, i);
	}
}

void keep_groups(struct app *app)
{
	const struct gcs_model *model = app_model(app);
	char name[GCS_MAX_NAME + 1], groups[SETTINGS_VALUE - GCS_MAX_NAME - 64] = "";
	size_t used = 0;
	if (!app->keep.begun || model == NULL)
		return;
	server_key(model, name, sizeof name);
	for (uint32_t i = 0; i < model->group_count && i < app->group_count; i++) {
		const char *group = model->groups[i].name;
		/* Tabulators divide the names. */
		if (!app->group_closed[i] || strchr(group, '\t') != NULL ||
		    used + strlen(group) + 2 > sizeof groups)
			continue;
		used += (size_t)snprintf(
		    groups + used, sizeof groups - used, "%s%s", used > 0 ? "\t" : "", group);
	}
	if (groups[0] != 0)
		settings_put_item(
		    &app->keep.settings, "collapsed", name, groups, KEEP_SERVERS, app->now_ms);
	else
		settings_remove_item(&app->keep.settings, "collapsed", name, app->now_ms);
}

void keep_before(struct app *app, const struct gcs_model *next)
{
	char name[GCS_MAX_NAME + 1];
	if (!app->keep.begun || app_model(app) == next ||
	    strcmp(app->server, next->server_name) == 0)
		return;
	server_key(next, name, sizeof name);
	if (strcmp(name, app->keep.target) != 0)
		keep_views_note(app);
}
