/* The settings of history graphs: one table behind commands, side panel and texts. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "history_view.h"
#include "layout.h"

#define AT(member) offsetof(struct hist_settings, member)

const struct hist_setting hist_settings[] = {
    {"rows", "Rows to keep", SETTING_NUMBER, AT(rows), 10, HIST_ROWS, {0}},
    {"tile", "Tile size", SETTING_NUMBER, AT(tile), 1, 10, {0}},
    {"fill", "Fill the window", SETTING_SWITCH, AT(fill), 0, 0, {0}},
    {"reduce", "Combine by", SETTING_CHOICE, AT(reduce), 0, 1, {"largest", "mean"}},
    {"max", "Newest rows only", SETTING_SWITCH, AT(newest), 0, 0, {0}},
    {"follow", "Follow", SETTING_SWITCH, AT(follow), 0, 0, {0}},
    {"collect", "Collect", SETTING_SWITCH, AT(collect), 0, 0, {0}},
    {"smooth", "Smoothing", SETTING_CHOICE, AT(smooth), 0, 3, {"off", "3", "5", "9"}},
    {"edges", "Edges", SETTING_SWITCH, AT(edges), 0, 0, {0}},
    {"totals", "Totals", SETTING_SWITCH, AT(totals), 0, 0, {0}},
    {"pauses", "Pauses", SETTING_SWITCH, AT(pauses), 0, 0, {0}},
    {"event", "Lines at event", SETTING_TEXT, AT(event), 0, GCS_MAX_NAME + 1, {0}},
    {"separator", "Separator every", SETTING_NUMBER, AT(separator), 0, 1000000, {0}},
    {"legend", "Labels", SETTING_CHOICE, AT(legend), 0, 4,
	{"auto", "bytes", "address", "number", "off"}},
    {"factor", "Factor", SETTING_FACTOR, AT(factor), 0, 0, {0}},
    {"postfix", "Unit", SETTING_TEXT, AT(postfix), 0, 16, {0}},
    {"space_separators", "Space separators", SETTING_SWITCH, AT(space_separators), 0, 0, {0}},
    {"title", "Title", SETTING_SWITCH, AT(title), 0, 0, {0}},
    {"prefix", "Title prefix", SETTING_TEXT, AT(prefix), 0, 64, {0}},
    {"border", "Border", SETTING_NUMBER, AT(border), 0, 10, {0}},
    {"font", "Label size", SETTING_FONT, AT(font), HIST_FONT_LEAST, HIST_FONT_MOST, {0}},
    {"unused", "Unused", SETTING_COLOUR, AT(colour[HIST_COLOUR_UNUSED]), 0, 0, {0}},
    {"zero", "Zero", SETTING_COLOUR, AT(colour[HIST_COLOUR_ZERO]), 0, 0, {0}},
    {"low", "Low", SETTING_COLOUR, AT(colour[HIST_COLOUR_LOW]), 0, 0, {0}},
    {"high", "High", SETTING_COLOUR, AT(colour[HIST_COLOUR_HIGH]), 0, 0, {0}},
    {"background", "Background", SETTING_COLOUR, AT(colour[HIST_COLOUR_BACKGROUND]), 0, 0, {0}},
    {"separator_colour", "Separators", SETTING_COLOUR, AT(colour[HIST_COLOUR_SEPARATOR]), 0, 0,
	{0}},
    {"border_colour", "Border", SETTING_COLOUR, AT(colour[HIST_COLOUR_BORDER]), 0, 0, {0}},
    {"title_colour", "Title", SETTING_COLOUR, AT(colour[HIST_COLOUR_TITLE]), 0, 0, {0}},
};

#define COUNT ((uint32_t)(sizeof hist_settings / sizeof *hist_settings))

uint32_t hist_setting_count(void)
{
	return COUNT;
}

void hist_settings_init(struct hist_settings *set)
{
	*set = (struct hist_settings){.rows = 1000,
	    .tile = 2,
	    .border = 2,
	    .separator = HIST_SEPARATOR,
	    .font = HIST_FONT,
	    .follow = true,
	    .collect = true,
	    .fill = true,
	    .title = true,
	    .space_separators = true,
	    .totals = true,
	    .pauses = true,
	    .factor = 1};
	for (int i = 0; i < HIST_COLOURS; i++)
		set->colour[i] = HIST_OF_THEME;
}

int hist_window(const struct hist_settings *set)
{
	static const int lines[] = {1, 3, 5, 9};
	return lines[set->smooth & 3];
}

static void *place_of(struct hist_settings *set, const struct hist_setting *setting)
{
	return (char *)set + setting->offset;
}

char *hist_setting_text(
    const struct hist_settings *set, const struct hist_setting *setting, char *text, size_t size)
{
	const void *at = (const char *)set + setting->offset;
	switch (setting->kind) {
	case SETTING_NUMBER:
		snprintf(text, size, "%d", *(const int *)at);
		break;
	case SETTING_CHOICE:
		snprintf(text, size, "%s", setting->choices[*(const int *)at]);
		break;
	case SETTING_SWITCH:
		snprintf(text, size, "%s", *(const bool *)at ? "on" : "off");
		break;
	case SETTING_TEXT:
		snprintf(text, size, "%s", (const char *)at);
		break;
	case SETTING_FACTOR:
		snprintf(text, size, "%g", *(const double *)at);
		break;
	case SETTING_FONT:
		return hist_font_text(*(const int *)at, text, size);
	case SETTING_COLOUR:
		return hist_colour_text(*(const int *)at, text, size);
	}
	return text;
}

static bool set_number(struct app *app, const struct hist_setting *s, const char *value, int *at)
{
	char *end;
	long n = strtol(value, &end, 10);
	if (*value == 0 || *end != 0 || n < s->low || n > s->high) {
		app_toast(
		    app, "history %s=%.60s: expected %d to %d", s->key, value, s->low, s->high);
		return false;
	}
	*at = (int)n;
	return true;
}

static bool set_choice(struct app *app, const struct hist_setting *s, const char *value, int *at)
{
	char all[80] = "";
	for (int i = 0; i <= s->high; i++) {
		if (strcmp(value, s->choices[i]) == 0) {
			*at = i;
			return true;
		}
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%s%s", i > 0 ? ", " : "", s->choices[i]);
	}
	app_toast(app, "history %s=%.60s: expected %s", s->key, value, all);
	return false;
}

static bool set_switch(struct app *app, const struct hist_setting *s, const char *value, bool *at)
{
	bool on = strcmp(value, "on") == 0;
	if (!on && strcmp(value, "off") != 0) {
		app_toast(app, "history %s=%.60s: expected on or off", s->key, value);
		return false;
	}
	*at = on;
	return true;
}

static bool set_factor(struct app *app, const struct hist_setting *s, const char *value, double *at)
{
	char *end;
	double x = strtod(value, &end);
	if (*value == 0 || *end != 0 || !isfinite(x) || x <= 0 || x > 1e18) {
		app_toast(app, "history %s=%.60s: expected a number above 0", s->key, value);
		return false;
	}
	*at = x;
	return true;
}

static bool set_text(struct app *app, const struct hist_setting *s, const char *value, char *at)
{
	bool event = s->offset == AT(event);
	if (event && strcmp(value, "none") == 0)
		value = "";
	const struct gcs_model *model = app_model(app);
	if (event && *value != 0 && model != NULL && !app->view_state.running &&
	    gcs_model_find_event(model, value) == GCS_NONE) {
		app_toast(app, "No event named \"%.200s\"", value);
		return false;
	}
	if (strlen(value) >= (size_t)s->high) {
		app_toast(app, "history %s: limited to %d bytes", s->key, s->high - 1);
		return false;
	}
	snprintf(at, (size_t)s->high, "%s", value);
	return true;
}

static void limit_rows(struct hist_view *v, struct app *app)
{
	if (!hist_graph_limit(&v->graph, (uint32_t)v->set.rows, v->set.newest) ||
	    !hist_graph_limit(&v->tail, (uint32_t)v->set.rows, v->set.newest))
		app_toast(app, "Not enough memory for %d rows", v->set.rows);
	hist_want(v, app);
}

/* Updates the text fields. */
static void fill_fields(struct hist_view *v)
{
	char text[40];
	textfield_set(&v->prefix, v->set.prefix);
	textfield_set(&v->postfix, v->set.postfix);
	snprintf(text, sizeof text, "%g", v->set.factor);
	textfield_set(&v->factor, text);
	for (int i = 0; i < HIST_COLOURS; i++)
		textfield_set(&v->colour[i], hist_colour_text(v->set.colour[i], text, sizeof text));
}

void hist_changed(struct hist_view *v, struct app *app, const struct hist_setting *setting)
{
	if (setting->offset == AT(rows) || setting->offset == AT(newest)) {
		limit_rows(v, app);
	} else if (setting->offset == AT(tile)) {
		v->row_px = 0;
		v->group = 1;
		v->fitted = false;
	}
	fill_fields(v);
	hist_dirty(app);
}

void hist_defaults(struct hist_view *v, struct app *app)
{
	struct hist_settings before = v->set;
	hist_settings_init(&v->set);
	v->row_px = 0;
	v->group = 1;
	v->fitted = false;
	if (before.rows != v->set.rows || before.newest != v->set.newest)
		limit_rows(v, app);
	fill_fields(v);
	hist_dirty(app);
	app_toast(app, "Settings of the history graph reset to their defaults");
}

/* "all", or two times in seconds, as on the axis: "1.5-3". */
static bool set_range(struct hist_view *v, struct app *app, const char *value)
{
	char *end, *last;
	double from = strtod(value, &end);
	double to = *end == '-' ? strtod(end + 1, &last) : 0;
	if (strcmp(value, "all") == 0) {
		event_history_choose_all(app);
		return true;
	}
	if (end == value || *end != '-' || last == end + 1 || *last != 0 || !(from >= 0) ||
	    !(to >= from) || to > 1e9) {
		app_toast(app, "history range=%.60s: expected FROM-TO in seconds, or all", value);
		return false;
	}
	event_history_choose(
	    app, v->origin_ns + (uint64_t)(from * 1e9), v->origin_ns + (uint64_t)(to * 1e9));
	return true;
}

bool hist_set(struct hist_view *v, struct app *app, const char *argument)
{
	char key[32];
	size_t n = strcspn(argument, "=+-");
	char op = argument[n];
	const char *value = argument + n + (op == '=' ? 1 : 2);
	bool ok = true;
	if (strcmp(argument, "defaults") == 0) {
		hist_defaults(v, app);
		return true;
	}
	if (op == 0 || n >= sizeof key || (op != '=' && argument[n + 1] != '=')) {
		app_toast(app, "history %.60s: expected KEY=VALUE or defaults", argument);
		return false;
	}
	snprintf(key, sizeof key, "%.*s", (int)n, argument);
	if (hist_choose(v, app, key, op, value, &ok))
		return ok;
	if (strcmp(key, "range") == 0 && op == '=')
		return set_range(v, app, value);
	if (strcmp(key, "only") == 0 && op == '=')
		return hist_set_only(v, app, value);
	for (uint32_t i = 0; op == '=' && i < COUNT; i++) {
		const struct hist_setting *s = &hist_settings[i];
		void *at = place_of(&v->set, s);
		if (strcmp(s->key, key) != 0)
			continue;
		ok = s->kind == SETTING_NUMBER   ? set_number(app, s, value, at)
		     : s->kind == SETTING_CHOICE ? set_choice(app, s, value, at)
		     : s->kind == SETTING_SWITCH ? set_switch(app, s, value, at)
		     : s->kind == SETTING_FACTOR ? set_factor(app, s, value, at)
		     : s->kind == SETTING_FONT   ? hist_set_font(app, s, value, at)
		     : s->kind == SETTING_COLOUR ? hist_set_colour(app, s, value, at)
						 : set_text(app, s, value, at);
		if (ok)
			hist_changed(v, app, s);
		return ok;
	}
	app_toast(app, "history %.60s: unknown setting; Shift+H lists them", key);
	return false;
}

/* The next event's name, cyclically, including none. */
static void turn_event(struct hist_view *v, const struct app *app, int dir)
{
	const struct gcs_model *model = app_model(app);
	if (model == NULL)
		return;
	int n = (int)model->event_count + 1;
	uint32_t now = gcs_model_find_event(model, v->set.event);
	int at = now == GCS_NONE ? 0 : (int)now + 1;
	at = (at + n + dir) % n;
	snprintf(v->set.event, sizeof v->set.event, "%s", at > 0 ? model->events[at - 1].name : "");
}

/* Steps grow with the number. */
static int next_number(int value, const struct hist_setting *s, int dir)
{
	int step = 1;
	while (s->high > 100 && step * 10 <= (dir > 0 ? value : value - 1))
		step *= 10;
	return clamp_int((value / step + dir) * step, s->low, s->high);
}

void hist_step(struct hist_view *v, struct app *app, const struct hist_setting *s, int dir)
{
	void *at = place_of(&v->set, s);
	if (s->kind == SETTING_NUMBER || s->kind == SETTING_FONT)
		*(int *)at = next_number(*(int *)at, s, dir);
	else if (s->kind == SETTING_CHOICE)
		*(int *)at = (*(int *)at + s->high + 1 + dir) % (s->high + 1);
	else if (s->kind == SETTING_SWITCH)
		*(bool *)at = !*(bool *)at;
	else if (s->kind == SETTING_COLOUR)
		*(int *)at = hist_colour_next(*(int *)at, dir);
	else if (s->offset == AT(event))
		turn_event(v, app, dir);
	hist_changed(v, app, s);
}

static void put_setting(
    struct textbuf *out, const char *key, const char *name, const char *sign, const char *value)
{
	char argument[2 * GCS_MAX_NAME];
	snprintf(argument, sizeof argument, "%s%s%s", name, sign, value);
	view_state_put(out, key, COMMAND_history, argument);
}

/* Not saved: a paused graph would look broken in another window, and an event belongs to a
 * server. */
void hist_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct hist_view *v = self;
	const struct hist_choice *c = &v->choice;
	char text[GCS_MAX_NAME + 1];
	(void)app;
	for (uint32_t i = 0; scope == STATE_STYLE && i < COUNT; i++) {
		const struct hist_setting *s = &hist_settings[i];
		if (s->offset != AT(follow) && s->offset != AT(collect) && s->offset != AT(event))
			put_setting(out, s->key, s->key, "=",
			    hist_setting_text(&v->set, s, text, sizeof text));
	}
	if (scope == STATE_STYLE)
		return;
	for (uint32_t i = 0; i < c->spaces; i++)
		put_setting(out, "", "space", i == 0 ? "=" : "+=", c->space[i]);
	if (c->bare)
		put_setting(out, "", "stream", "=", "none");
	for (uint32_t i = 0; i < c->streams; i++)
		put_setting(out, "", "stream", i == 0 ? "=" : "+=", c->stream[i]);
	if (v->set.event[0] != 0)
		put_setting(out, "", "event", "=", v->set.event);
}

void hist_forget(void *self, struct app *app)
{
	struct hist_view *v = self;
	v->choice = (struct hist_choice){0};
	v->set.event[0] = 0;
	hist_restart(v, app);
}
