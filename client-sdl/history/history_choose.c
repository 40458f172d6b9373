/* The spaces and streams that a history graph shows. Declared in history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"

static void add_lane(
    struct hist_lane *lanes, uint32_t *n, const struct gcs_space *s, const char *stream, bool bare)
{
	if (*n == HIST_LANES)
		return;
	struct hist_lane *lane = &lanes[(*n)++];
	memset(lane, 0, sizeof *lane);
	snprintf(lane->space, sizeof lane->space, "%s", s->name);
	snprintf(lane->stream, sizeof lane->stream, "%s", stream);
	lane->bare = bare;
}

/* Adds a space with the selected streams that it has, or with its default one. */
static void add_space(
    const struct hist_choice *c, const struct gcs_space *s, struct hist_lane *lanes, uint32_t *n)
{
	uint32_t before = *n;
	if (s->stream_count == 0)
		return;
	if (c->bare) {
		add_lane(lanes, n, s, "", true);
		return;
	}
	for (uint32_t i = 0; i < c->streams; i++) {
		if (gcs_space_find_stream(s, c->stream[i]) != GCS_NONE)
			add_lane(lanes, n, s, c->stream[i], false);
	}
	if (*n == before)
		add_lane(lanes, n, s, s->streams[s->default_stream].name, false);
}

static const struct gcs_space *main_space(const struct gcs_model *model)
{
	const struct gcs_space *first = NULL;
	for (uint32_t i = model->space_count; i-- > 0;) {
		const struct gcs_space *s = &model->spaces[i];
		if (!s->gone && s->stream_count > 0 && (first == NULL || !first->main || s->main))
			first = s;
	}
	return first;
}

uint32_t hist_resolve(
    const struct hist_choice *c, const struct gcs_model *model, struct hist_lane *lanes)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->spaces; i++) {
		uint32_t id = gcs_model_find_space(model, c->space[i]);
		if (id != GCS_NONE)
			add_space(c, &model->spaces[id], lanes, &n);
	}
	/* The selection may come from another run, and may not exist in this one. */
	const struct gcs_space *s = n == 0 ? main_space(model) : NULL;
	if (s != NULL)
		add_space(c, s, lanes, &n);
	return n;
}

/* Replaces, adds to or takes from a list of names. */
static bool edit(
    struct app *app, char (*names)[GCS_MAX_NAME + 1], uint32_t *count, char op, const char *value)
{
	uint32_t at = 0;
	while (at < *count && strcmp(names[at], value) != 0)
		at++;
	if (op == '-') {
		if (at == *count) {
			app_toast(app, "%.200s is not in the graph", value);
			return false;
		}
		for (; at + 1 < *count; at++)
			memcpy(names[at], names[at + 1], sizeof *names);
		--*count;
		return true;
	}
	if (op == '=')
		at = *count = 0;
	if (at < *count)
		return true;
	if (*count == HIST_CHOICES) {
		app_toast(app, "A graph is limited to %d spaces and %d streams", HIST_CHOICES,
		    HIST_CHOICES);
		return false;
	}
	if (*value != 0)
		snprintf(names[(*count)++], sizeof *names, "%s", value);
	return true;
}

/* Turns the implicit selection into a list that can be extended. */
static void spell_out(struct hist_view *v, bool spaces)
{
	struct hist_choice *c = &v->choice;
	for (uint32_t i = 0; i < v->graph.lanes; i++) {
		const struct hist_lane *lane = &v->graph.lane[i];
		if (spaces && c->spaces == 0)
			snprintf(c->space[c->spaces++], sizeof c->space[0], "%s", lane->space);
		else if (!spaces && c->streams == 0 && !c->bare)
			snprintf(c->stream[c->streams++], sizeof c->stream[0], "%s", lane->stream);
	}
}

/* True if a space of the graph has the stream. */
static bool has_stream(const struct hist_view *v, const struct gcs_model *model, const char *name)
{
	struct hist_lane lanes[HIST_LANES];
	uint32_t n = hist_resolve(&v->choice, model, lanes);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = gcs_model_find_space(model, lanes[i].space);
		if (gcs_space_find_stream(&model->spaces[id], name) != GCS_NONE)
			return true;
	}
	return false;
}

static bool choose_space(struct hist_view *v, struct app *app, char op, const char *value)
{
	const struct gcs_model *model = app_model(app);
	if (op != '-' && *value != 0 && model != NULL && !app->view_state.running &&
	    gcs_model_find_space(model, value) == GCS_NONE) {
		app_toast(app, "No space named \"%.200s\"", value);
		return false;
	}
	if (op != '=')
		spell_out(v, true);
	return edit(app, v->choice.space, &v->choice.spaces, op, value);
}

static bool choose_stream(struct hist_view *v, struct app *app, char op, const char *value)
{
	const struct gcs_model *model = app_model(app);
	bool none = strcmp(value, "none") == 0;
	if (none && op == '=') {
		v->choice.bare = true;
		v->choice.streams = 0;
		return true;
	}
	if (op != '-' && *value != 0 && model != NULL && !app->view_state.running &&
	    !has_stream(v, model, value)) {
		app_toast(app, "The spaces of the graph have no stream \"%.200s\"", value);
		return false;
	}
	if (op != '=')
		spell_out(v, false);
	v->choice.bare = false;
	return edit(app, v->choice.stream, &v->choice.streams, op, value);
}

bool hist_choose(
    struct hist_view *v, struct app *app, const char *key, char op, const char *value, bool *ok)
{
	bool space = strcmp(key, "space") == 0;
	if (!space && strcmp(key, "stream") != 0)
		return false;
	*ok = strlen(value) <= GCS_MAX_NAME &&
	      (space ? choose_space(v, app, op, value) : choose_stream(v, app, op, value));
	if (*ok)
		hist_restart(v, app);
	return true;
}

void hist_turn_space(struct hist_view *v, struct app *app, int dir)
{
	const struct gcs_model *model = app_model(app);
	if (model == NULL || v->graph.lanes == 0 || model->space_count == 0)
		return;
	uint32_t n = model->space_count;
	uint32_t at = gcs_model_find_space(model, v->graph.lane[0].space);
	at = at == GCS_NONE ? 0 : at;
	for (uint32_t i = 0; i < n; i++) {
		at = (at + n + (uint32_t)dir) % n;
		if (!model->spaces[at].gone && model->spaces[at].stream_count > 0)
			break;
	}
	v->choice = (struct hist_choice){.spaces = 1};
	snprintf(v->choice.space[0], sizeof v->choice.space[0], "%s", model->spaces[at].name);
	hist_restart(v, app);
}

void hist_turn_stream(struct hist_view *v, struct app *app, int dir)
{
	const struct gcs_space *s = v->graph.lanes > 0 ? hist_space(v, 0) : NULL;
	if (s == NULL || s->stream_count == 0)
		return;
	uint32_t n = s->stream_count;
	uint32_t at = gcs_space_find_stream(s, v->graph.lane[0].stream);
	at = at == GCS_NONE ? s->default_stream : at;
	for (uint32_t i = 0; i < n; i++) {
		at = (at + n + (uint32_t)dir) % n;
		if (s->streams[at].role == GCS_ROLE_DATA)
			break;
	}
	v->choice.bare = false;
	v->choice.streams = 1;
	snprintf(v->choice.stream[0], sizeof v->choice.stream[0], "%s", s->streams[at].name);
	hist_restart(v, app);
}
