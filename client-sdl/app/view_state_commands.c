/* States as commands: writing, reading and running them. Declared in view_state.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "palette.h"

#define STATE_KEY  (2 * SETTINGS_KEY)
#define STATE_LINE (SETTINGS_VALUE + SETTINGS_KEY)

void view_state_escape(struct textbuf *out, const char *text, const char *special)
{
	for (; *text != 0; text++) {
		const unsigned char c = (unsigned char)*text;
		const bool plain = c >= ' ' && c != 127 && strchr(special, c) == NULL;
		if (plain)
			textbuf_bytes(out, text, 1);
		else
			textbuf_printf(out, "%%%02x", c);
	}
}

static int digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c != 0 ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;
	return at != NULL ? (int)(at - digits) : -1;
}

/* Undoes the above; false for what it cannot have written. */
static bool unescape(char *line, size_t size, const char *text, size_t n)
{
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (c == '%') {
			int high = i + 2 < n ? digit(text[i + 1]) : -1;
			int low = i + 2 < n ? digit(text[i + 2]) : -1;
			if (high < 0 || low < 0 || high + low == 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		}
		if (used + 1 >= size)
			return false;
		line[used++] = c;
	}
	line[used] = 0;
	return true;
}

void view_state_put(
    struct textbuf *out, const char *key, enum command_id command, const char *argument)
{
	textbuf_printf(out, "%s\t%s ", key, command_at(command)->name);
	view_state_escape(out, argument, ";%");
	textbuf_puts(out, "\n");
}

void view_state_put_flag(struct textbuf *out, const char *key, enum command_id command, bool on)
{
	view_state_put(out, key, command, on ? "on" : "off");
}

static void window_state(const struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct gcs_model *model = app_model(app);
	char number[16];
	if (scope == STATE_TARGET) {
		for (uint32_t i = 0; model != NULL && i < app->group_count; i++) {
			if (app->group_closed[i])
				view_state_put(
				    out, "", COMMAND_toggle_group, model->groups[i].name);
		}
		return;
	}
	view_state_put(out, "theme", COMMAND_theme, theme_at(app->theme)->name);
	view_state_put(out, "colours", COMMAND_colours, palette_name(app->ramp));
	snprintf(number, sizeof number, "%d", app->scale);
	view_state_put(out, "scale", COMMAND_scale_reset, number);
	snprintf(number, sizeof number, "%d", app->side_width * 100 / app->scale);
	view_state_put(out, "side_width", COMMAND_side_wider, number);
	view_state_put(out, "side_shown", COMMAND_side_panel, app->side_shown ? "yes" : "no");
}

char *view_state_of(struct app *app, int owner, enum state_scope scope)
{
	struct textbuf out = {0};
	if (owner == STATE_WINDOW)
		window_state(app, scope, &out);
	else
		app_view_at((enum view_id)owner)->state(app->views[owner], app, scope, &out);
	char *state = out.failed ? NULL : strdup(textbuf_text(&out));
	textbuf_fini(&out);
	return state;
}

/* A line of a state, taken apart. */
struct line {
	char key[STATE_KEY], command[STATE_LINE];
	char *value; /* in `command`: the argument; behind "KEY=" if it begins so */
};

static bool next_line(const char **state, struct line *line)
{
	size_t key = strcspn(*state, "\t"), n = strcspn(*state, "\n");
	if (n == 0 || key >= n || n - key >= STATE_LINE || key >= STATE_KEY)
		return false;
	snprintf(line->key, sizeof line->key, "%.*s", (int)key, *state);
	snprintf(line->command, sizeof line->command, "%.*s", (int)(n - key - 1), *state + key + 1);
	line->value = line->command + strcspn(line->command, " ") + 1;
	if (key > 0 && strncmp(line->value, line->key, key) == 0 && line->value[key] == '=')
		line->value += key + 1;
	*state += n + 1;
	return true;
}

void view_state_list(struct textbuf *out, const char *state)
{
	struct line line;
	while (next_line(&state, &line)) {
		textbuf_puts(out, out->length > 0 ? "; " : "");
		textbuf_puts(out, line.command);
	}
}

/* Of the settings file, not of the command. */
static void add_owner(struct line *line, int owner)
{
	char key[STATE_KEY];
	memcpy(key, line->key, sizeof key);
	if (owner != STATE_WINDOW)
		snprintf(line->key, sizeof line->key, "%s.%.*s",
		    app_view_at((enum view_id)owner)->name, (int)SETTINGS_KEY, key);
}

void view_state_save_style(struct app *app, int owner, const char *before, const char *now)
{
	struct line old, line;
	while (next_line(&before, &old) && next_line(&now, &line)) {
		if (strcmp(old.command, line.command) == 0)
			continue;
		add_owner(&line, owner);
		settings_put(&app->view_state.settings, line.key, line.value, app->now_ms);
	}
}

/* A hostile file must not write files or end the program. */
static bool is_of_state(enum command_id id)
{
	static const enum command_id all[] = {COMMAND_theme, COMMAND_colours, COMMAND_scale_reset,
	    COMMAND_side_wider, COMMAND_side_panel, COMMAND_toggle_group, COMMAND_layout,
	    COMMAND_recency, COMMAND_pin, COMMAND_hide, COMMAND_fold, COMMAND_columns,
	    COMMAND_tile_size, COMMAND_order, COMMAND_stream, COMMAND_split, COMMAND_expression,
	    COMMAND_space, COMMAND_history, COMMAND_sites_sort, COMMAND_sites_reverse,
	    COMMAND_sites_plumbing, COMMAND_sites_new, COMMAND_library, COMMAND_flame_measure,
	    COMMAND_flame_way, COMMAND_collapse_recursion, COMMAND_sites_group, COMMAND_chart,
	    COMMAND_chart_add, COMMAND_chart_y, COMMAND_trigger};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if (all[i] == id)
			return true;
	}
	return false;
}

/* As a script does, in a view that need not be shown. */
static bool run_one(struct app *app, int owner, const char *text, size_t length)
{
	char line[STATE_LINE];
	if (!unescape(line, sizeof line, text, length))
		return false;
	size_t n = strcspn(line, " ");
	enum command_id id = command_find(line, n);
	if (line[n] == 0 || line[n + 1] == 0 || !is_of_state(id))
		return false;
	const enum view_id shown = app->view_id;
	if (owner != STATE_WINDOW)
		app_swap_view(app, (enum view_id)owner);
	app->view_state.running = true;
	bool ok = app_command(app, id, line + n + 1);
	app->view_state.running = false;
	app_swap_view(app, shown);
	return ok;
}

static int view_shown_by(const char *text, size_t n)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		const char *name = command_at(app_view_at((enum view_id)i)->show)->name;
		if (strlen(name) == n && memcmp(name, text, n) == 0)
			return i;
	}
	return -1;
}

/* Says once that something in the settings is passed over; other messages stay as they were. */
struct complaint {
	char before[sizeof(((struct app *)0)->toast)];
	bool told;
};

static void try_one(struct app *app, struct complaint *complaint, int owner, const char *key,
    const char *text, size_t n)
{
	char why[sizeof app->toast];
	app->toast[0] = 0;
	if (run_one(app, owner, text, n) || complaint->told)
		return;
	complaint->told = true;
	snprintf(why, sizeof why, "%s", app->toast[0] != 0 ? app->toast : "not understood");
	app_toast(app, "Settings, %.60s: ignored %.*s: %s", key, n < 60 ? (int)n : 60, text, why);
	memcpy(complaint->before, app->toast, sizeof complaint->before);
}

static void begin_complaint(const struct app *app, struct complaint *complaint)
{
	memcpy(complaint->before, app->toast, sizeof complaint->before);
	complaint->told = false;
}

static void end_complaint(struct app *app, const struct complaint *complaint)
{
	memcpy(app->toast, complaint->before, sizeof app->toast);
}

void view_state_restore_style(struct app *app, int owner, bool scaled)
{
	char *state = view_state_of(app, owner, STATE_STYLE);
	struct line line;
	for (const char *at = state != NULL ? state : ""; next_line(&at, &line);) {
		struct complaint complaint;
		size_t used = (size_t)(line.value - line.command);
		add_owner(&line, owner);
		const char *value = settings_get(&app->view_state.settings, line.key);
		if (value == NULL || strcmp(line.key, "theme") == 0 ||
		    (scaled && strcmp(line.key, "scale") == 0))
			continue;
		snprintf(line.value, sizeof line.command - used, "%s", value);
		begin_complaint(app, &complaint);
		try_one(app, &complaint, owner, line.key, line.command, strlen(line.command));
		end_complaint(app, &complaint);
	}
	free(state);
}

int view_state_run(struct app *app, int owner, const char *key, const char *list)
{
	struct complaint complaint;
	char *copy = strdup(list); /* a command may change the settings */
	begin_complaint(app, &complaint);
	for (char *at = copy; at != NULL && *at != 0;) {
		at += strspn(at, " ;");
		size_t n = strcspn(at, ";");
		int view = view_shown_by(at, n);
		if (view >= 0)
			owner = view;
		else if (n > 0)
			try_one(app, &complaint, owner, key, at, n);
		at += n;
	}
	end_complaint(app, &complaint);
	free(copy);
	return owner;
}

bool view_state_choice(struct app *app, enum command_id id, const char *argument,
    const char *const names[2], int *choice)
{
	int found = *choice == 0;
	if (argument != NULL && strcmp(argument, names[found]) != 0)
		found = !found;
	if (argument == NULL || strcmp(argument, names[found]) == 0) {
		*choice = found;
		return true;
	}
	app_toast(
	    app, "%s %.60s: expected %s or %s", command_at(id)->name, argument, names[0], names[1]);
	return false;
}

bool view_state_switch(struct app *app, enum command_id id, const char *argument, bool *on)
{
	static const char *const names[] = {"off", "on"};
	int choice = *on;
	/* As in the settings of earlier versions. */
	if (argument != NULL && strcmp(argument, "yes") == 0)
		argument = "on";
	else if (argument != NULL && strcmp(argument, "no") == 0)
		argument = "off";
	if (!view_state_choice(app, id, argument, names, &choice))
		return false;
	*on = choice == 1;
	return true;
}
