#include "script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"
#include "png.h"
#include "text_finder.h"

#define LONGEST (1 << 20) /* bytes of a script file */

enum result { DONE, WAITING, FAILED, UNKNOWN };

bool script_init(struct script *script, const char *file, const char *text, struct gcs_error *err)
{
	memset(script, 0, sizeof *script);
	script->file = file;
	script->text = malloc(strlen(text) + 1);
	if (script->text == NULL) {
		gcs_fail(err, GCS_NOMEM, "script %s: out of memory", file);
		return false;
	}
	strcpy(script->text, text);
	script->next = script->text;
	return true;
}

bool script_load(struct script *script, const char *file, struct gcs_error *err)
{
	memset(script, 0, sizeof *script);
	FILE *f = fopen(file, "r");
	char *text = malloc(LONGEST + 1);
	bool ok = f != NULL && text != NULL;
	if (f == NULL)
		gcs_fail(err, GCS_IO, "script %s: %s", file, strerror(errno));
	size_t n = ok ? fread(text, 1, LONGEST + 1, f) : 0;
	if (n > LONGEST) {
		gcs_fail(err, GCS_LIMIT, "script %s: longer than 1 MiB", file);
		ok = false;
	}
	if (ok) {
		text[n] = 0;
		ok = script_init(script, file, text, err);
	}
	if (f != NULL)
		fclose(f);
	free(text);
	return ok;
}

void script_fini(struct script *script)
{
	free(script->text);
	memset(script, 0, sizeof *script);
}

static enum result fail(struct script *script, const char *why)
{
	snprintf(script->failure, sizeof script->failure, "%s:%d: %.200s: %.200s", script->file,
	    script->line, script->step, why);
	return FAILED;
}

/* Waits that concern recordings: -1 for others, else whether it is met. */
static int wait_of_recording(const struct app *app, const char *arg)
{
	const struct replay *r = &app->replay;
	bool shown = r->on && app->snapshot != NULL &&
		     gcs_snapshot_occurrence(app->snapshot)->time_ns == r->at.time_ns;
	const struct event_history *p = &app->event_history;
	if (strcmp(arg, "back") == 0)
		return p->back && !p->waiting;
	if (strcmp(arg, "newest") == 0)
		return !p->back;
	if (strncmp(arg, "place ", 6) == 0 && arg[6] >= '0' && arg[6] <= '9' && !r->on) {
		const uint64_t wanted = strtoull(arg + 6, NULL, 10);
		/* Both differ where events have been missed. */
		return p->events > 0 && !p->waiting &&
		       (event_history_number(app) == wanted ||
			   (app->snapshot != NULL && event_history_shown_number(app) == wanted));
	}
	if (strncmp(arg, "place ", 6) == 0 && arg[6] >= '0' && arg[6] <= '9')
		return shown && r->at.place + 1 == strtoull(arg + 6, NULL, 10);
	if (strcmp(arg, "end") == 0)
		return shown && r->at.ended;
	if (strcmp(arg, "strip") == 0)
		return r->on && r->whole;
	if (strcmp(arg, "recorded") == 0)
		return app->record.recorder == NULL && app->record.end == NULL;
	return -1;
}

/* True if the text of the window, as `dump` writes it, contains the text. */
static bool says(struct app *app, const char *words)
{
	struct textbuf text = {0};
	bool found = dump_text(app, DUMP_ALL, &text) && strstr(textbuf_text(&text), words) != NULL;
	textbuf_fini(&text);
	return found;
}

static enum result wait_step(struct script *script, struct app *app, const char *arg)
{
	bool met;
	if (strcmp(arg, "live") == 0) {
		met = app->state == SOURCE_LIVE && app->snapshot != NULL &&
		      app->pending_connection.address[0] == 0;
	} else if (strcmp(arg, "lost") == 0) {
		met = app->state == SOURCE_LOST || app->pending_connection.why[0] != 0;
	} else if (strncmp(arg, "event ", 6) == 0 && arg[6] >= '0' && arg[6] <= '9') {
		met = app->events >= strtoull(arg + 6, NULL, 10);
	} else if (strncmp(arg, "more ", 5) == 0 && arg[5] >= '0' && arg[5] <= '9') {
		met = app->events - script->events >= strtoull(arg + 5, NULL, 10);
	} else if (strncmp(arg, "says ", 5) == 0 && arg[5] != 0) {
		met = says(app, arg + 5);
	} else if (strcmp(arg, "answer") == 0) {
		met = app->view->settled == NULL || app->view->settled(app->view_self, app);
	} else if (strcmp(arg, "zoom") == 0) {
		met = !tile_zoom_waits(app);
	} else if (wait_of_recording(app, arg) >= 0) {
		met = wait_of_recording(app, arg) > 0;
	} else {
		return fail(script, "expected event N, more N, live, lost, answer, zoom, "
				    "place N, end, back, newest, strip, recorded, says TEXT");
	}
	if (met)
		return DONE;
	if (app->now_ms >= script->until_ms)
		return fail(script, "timed out after 30 s");
	return WAITING;
}

static unsigned mods_of(const char *words)
{
	return (strstr(words, "shift") != NULL ? MOD_SHIFT : 0) |
	       (strstr(words, "ctrl") != NULL ? MOD_CTRL : 0) |
	       (strstr(words, "alt") != NULL ? MOD_ALT : 0);
}

/* The number of an optional button before the point, the left one by default. */
static int button_of(const char **arg)
{
	static const char *const names[] = {"left ", "middle ", "right "};
	for (int i = 0; i < 3; i++) {
		if (strncmp(*arg, names[i], strlen(names[i])) == 0) {
			*arg += strlen(names[i]);
			return i + 1;
		}
	}
	return 1;
}

/* Two points, and modifiers. */
static enum result drag_step(
    struct script *script, struct app *app, struct ui_event *ev, const char *arg)
{
	char mods[24] = "";
	int x, y;
	if (sscanf(arg, "%d %d %d %d %23s", &ev->x, &ev->y, &x, &y, mods) < 4)
		return fail(script, "expected [left|middle|right] X Y X Y");
	ev->mods = mods_of(mods);
	script->clicks++;
	app_frame(app);
	app_event(app, ev);
	ev->kind = EV_DOWN;
	app_event(app, ev);
	ev->kind = EV_MOVE;
	ev->x = x;
	ev->y = y;
	app_event(app, ev);
	ev->kind = EV_UP;
	app_event(app, ev);
	return DONE;
}

/* A point, or a text in quotation marks that is painted there; then modifiers. */
static enum result point_of(
    struct script *script, struct app *app, const char *arg, struct ui_event *ev)
{
	char text[256], mods[24] = "";
	if (*arg != '"') {
		if (sscanf(arg, "%d %d %23s", &ev->x, &ev->y, mods) < 2)
			return fail(script, "expected X Y or \"TEXT\"");
	} else {
		if (sscanf(arg, "\"%255[^\"]\" %23s", text, mods) < 1)
			return fail(script, "expected X Y or \"TEXT\"");
		if (!text_find(app, text, &ev->x, &ev->y))
			return app->now_ms < script->until_ms
				   ? WAITING
				   : fail(script, "no such text on the window for 30 s");
	}
	ev->mods = mods_of(mods);
	return DONE;
}

static enum result pointer_step(
    struct script *script, struct app *app, const char *verb, const char *arg)
{
	struct ui_event ev = {.kind = EV_MOVE, .button = button_of(&arg)};
	char mod[8] = "";
	if (strcmp(verb, "wheel") == 0) {
		if (sscanf(arg, "%d %d %d %7s", &ev.wheel, &ev.x, &ev.y, mod) < 3)
			return fail(script, "expected N X Y");
		ev.kind = EV_WHEEL;
		ev.mods = mods_of(mod);
		app_event(app, &ev);
		return DONE;
	}
	if (strcmp(verb, "drag") == 0)
		return drag_step(script, app, &ev, arg);
	const enum result pointed = point_of(script, app, arg, &ev);
	if (pointed != DONE)
		return pointed;
	app_frame(app);
	app_event(app, &ev);
	if (strcmp(verb, "click") == 0) {
		script->clicks++;
		ev.kind = EV_DOWN;
		app_event(app, &ev);
		ev.kind = EV_UP;
		app_event(app, &ev);
	}
	return DONE;
}

/* From here on a user with a pointer alone, who sees first what every user does. */
static enum result pointer_only_step(struct script *script, struct app *app, const char *arg)
{
	app->guided = true;
	app_set_view(app, VIEW_OVERVIEW);
	script->clicks = 0;
	script->clicks_most = atoi(arg);
	return script->clicks_most > 0 ? DONE : fail(script, "expected a number of clicks");
}

/* True unless the step is one that this user cannot take. */
static bool pointer_can(struct script *script, const char *verb)
{
	static const char *const free_steps[] = {
	    "wait", "sleep", "move", "wheel", "dump", "screenshot", "quit", "pointer"};
	if (script->clicks_most == 0)
		return true;
	for (size_t i = 0; i < sizeof free_steps / sizeof *free_steps; i++)
		if (strcmp(verb, free_steps[i]) == 0)
			return true;
	if (strcmp(verb, "click") != 0 && strcmp(verb, "drag") != 0) {
		fail(script, "not a step of a pointer");
		return false;
	}
	if (script->clicks == script->clicks_most)
		fail(script, "one click too many");
	return script->clicks < script->clicks_most;
}

static enum result hover_step(struct script *script, struct app *app, const char *arg)
{
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%s", arg);
	char *last = strrchr(name, ' ');
	if (last == NULL || app->snapshot == NULL)
		return fail(script, "expected SPACE TILE and a snapshot");
	*last = 0;
	uint32_t space = gcs_model_find_space(app_model(app), name);
	uint32_t tile = (uint32_t)strtoul(last + 1, NULL, 10);
	struct cv_rect r;
	if (app->view->place == NULL || !app->view->place(app->view_self, app, space, tile, &r))
		return fail(script, "tile not visible");
	struct ui_event ev = {.kind = EV_MOVE, .x = r.x + r.w / 2, .y = r.y + r.h / 2};
	app_event(app, &ev);
	return DONE;
}

static enum result key_step(struct script *script, struct app *app, const char *arg)
{
	struct keystroke stroke;
	if (!key_parse(arg, strlen(arg), &stroke))
		return fail(script, "unknown key");
	app_frame(app);
	struct ui_event ev = key_event(stroke);
	app_event(app, &ev);
	return DONE;
}

static enum result type_step(struct app *app, const char *arg)
{
	struct ui_event ev = {.kind = EV_TEXT, .x = -1, .y = -1};
	snprintf(ev.text, sizeof ev.text, "%s", arg);
	app_frame(app);
	app_event(app, &ev);
	return DONE;
}

static enum result sleep_step(struct script *script, struct app *app, const char *arg)
{
	uint64_t ms = strtoull(arg, NULL, 10);
	uint64_t start = script->until_ms - SCRIPT_WAIT_MS;
	if (ms == 0 || ms > SCRIPT_WAIT_MS)
		return fail(script, "expected 1 to 30000 milliseconds");
	return app->now_ms >= start + ms ? DONE : WAITING;
}

static enum result command_step(
    struct script *script, struct app *app, const char *verb, const char *arg)
{
	enum command_id id = command_find(verb, strlen(verb));
	if (id == COMMAND_COUNT)
		return UNKNOWN;
	if (app_command(app, id, *arg != 0 ? arg : NULL))
		return DONE;
	return fail(script, app->toast[0] != 0 ? app->toast : "not possible at this point");
}

static enum result run_step(
    struct script *script, struct app *app, const char *verb, const char *arg)
{
	if (!pointer_can(script, verb))
		return FAILED;
	if (strcmp(verb, "pointer") == 0)
		return pointer_only_step(script, app, arg);
	if (strcmp(verb, "wait") == 0)
		return wait_step(script, app, arg);
	if (strcmp(verb, "sleep") == 0)
		return sleep_step(script, app, arg);
	if (strcmp(verb, "key") == 0)
		return key_step(script, app, arg);
	if (strcmp(verb, "type") == 0)
		return type_step(app, arg);
	if (strcmp(verb, "move") == 0 || strcmp(verb, "click") == 0 || strcmp(verb, "wheel") == 0 ||
	    strcmp(verb, "drag") == 0)
		return pointer_step(script, app, verb, arg);
	if (strcmp(verb, "hover") == 0)
		return hover_step(script, app, arg);
	if (strcmp(verb, "size") == 0) {
		int w, h;
		if (sscanf(arg, "%dx%d", &w, &h) != 2 || w < 200 || h < 150)
			return fail(script, "expected WxH of at least 200x150");
		app_resize(app, w, h);
		return DONE;
	}
	if (strcmp(verb, "drop") == 0) {
		bool ok =
		    app->drop != NULL ? app->drop(app->wake_context, arg) : app_drop(app, arg);
		return ok ? DONE : fail(script, app->toast);
	}
	if (strcmp(verb, "screenshot") == 0) {
		struct gcs_error err;
		app_frame(app);
		if (png_write(arg, app->cv.px, app->cv.w, app->cv.h, &err) != GCS_OK)
			return fail(script, err.text);
		return DONE;
	}
	return command_step(script, app, verb, arg);
}

/* Takes the next line with a step; false at the end. */
static bool next_line(struct script *script)
{
	while (script->next != NULL) {
		char *line = script->next;
		script->next = strchr(line, '\n');
		if (script->next != NULL)
			*script->next++ = 0;
		script->line++;
		line += strspn(line, " \t");
		size_t n = strlen(line);
		while (n > 0 && (line[n - 1] == '\r' || line[n - 1] == ' '))
			line[--n] = 0;
		if (n > 0 && *line != '#') {
			snprintf(script->step, sizeof script->step, "%s", line);
			return true;
		}
	}
	return false;
}

enum script_state script_run(struct script *script, struct app *app)
{
	while (!app->quit) {
		if (script->step[0] == 0) {
			if (!next_line(script))
				return SCRIPT_DONE;
			script->until_ms = app->now_ms + SCRIPT_WAIT_MS;
			script->events = app->events;
		}
		char verb[64];
		size_t n = strcspn(script->step, " \t");
		snprintf(verb, sizeof verb, "%.*s", (int)n, script->step);
		const char *arg = script->step + n + strspn(script->step + n, " \t");
		switch (run_step(script, app, verb, arg)) {
		case DONE:
			script->step[0] = 0;
			break;
		case WAITING:
			return SCRIPT_RUNNING;
		case UNKNOWN:
			fail(script, "unknown step");
			return SCRIPT_FAILED;
		case FAILED:
			return SCRIPT_FAILED;
		}
	}
	return SCRIPT_DONE;
}

int script_wait_ms(const struct script *script, const struct app *app)
{
	if (script->step[0] == 0)
		return -1;
	uint64_t due = script->until_ms;
	if (strncmp(script->step, "sleep ", 6) == 0)
		due = due - SCRIPT_WAIT_MS + strtoull(script->step + 6, NULL, 10);
	return due > app->now_ms ? (int)(due - app->now_ms) : 0;
}
