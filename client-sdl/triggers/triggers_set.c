#include "triggers_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "triggers_view.h"

const char *triggers_refusal(const struct app *app)
{
	if (app->state != SOURCE_LIVE)
		return "Not connected: triggers need a running program";
	if (app->source.ops->file || app->replay.on)
		return "A recording has no program to watch; below is what has fired";
	return app->source.ops->set_trigger == NULL ? "This server has no triggers" : NULL;
}

struct own_trigger *triggers_set_find(struct triggers_set *set, const char *name)
{
	for (uint32_t i = 0; i < set->count; i++)
		if (strcmp(set->at[i].name, name) == 0)
			return &set->at[i];
	return NULL;
}

static struct triggers_set *set_of(const struct app *app)
{
	struct triggers_view *view = app->views[VIEW_TRIGGERS];
	return &view->set;
}

/* Answers are about the trigger whose place is `tag`. */
static void take_trigger(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	struct triggers_set *set = set_of(app);
	struct triggers_view *view = app->views[VIEW_TRIGGERS];
	view->asked_ms = 0; /* the list is another one */
	app_dirty(app, PANEL_VIEW);
	if (answer->status == GCS_OK)
		return;
	app_toast(app, "Trigger: %.250s", requests_text(answer));
	if (tag >= set->count)
		return;
	set->at[tag].on = false;
	snprintf(set->at[tag].wrong, sizeof set->at[tag].wrong, "%.250s", requests_text(answer));
}

static bool send_trigger(struct triggers_set *set, struct app *app, struct own_trigger *t)
{
	const struct gcs_trigger trigger = {.name = t->name,
	    .condition = t->condition,
	    .actions = t->actions,
	    .nth = t->nth,
	    .most = t->most,
	    .plugin = t->plugin[0] != 0 ? t->plugin : NULL};
	t->wrong[0] = 0;
	const enum gcs_status status =
	    requests_trigger(app, &trigger, take_trigger, (uint32_t)(t - set->at));
	if (status != GCS_OK)
		app_toast(app, "Cannot set the trigger: %s", gcs_status_text(status));
	return status == GCS_OK;
}

void triggers_set_meet(struct triggers_set *set, struct app *app)
{
	if (set->sent_to == app->connection || triggers_refusal(app) != NULL)
		return;
	set->sent_to = app->connection;
	for (uint32_t i = 0; i < set->count; i++)
		if (set->at[i].on)
			send_trigger(set, app, &set->at[i]);
}

/* The last time that may be a fire of another condition under the name of this trigger, which was
 * `old`; 0: none. */
static uint64_t last_of_another(
    struct app *app, const struct own_trigger *old, const struct own_trigger *trigger)
{
	struct triggers_view *view = app->views[VIEW_TRIGGERS];
	const struct fired_trigger *told = fired_list_find(&view->told, trigger->name);
	const char *condition = old != NULL ? old->condition : told != NULL ? told->condition : "";
	view->fires.of = NULL; /* counted anew */
	if (strcmp(condition, trigger->condition) == 0)
		return old != NULL ? old->changed_ns : 0;
	return app->event_history.newest != NULL
		   ? gcs_snapshot_occurrence(app->event_history.newest)->time_ns
		   : 0;
}

bool triggers_set_put(struct triggers_set *set, struct app *app, const struct own_trigger *trigger)
{
	struct own_trigger *t = triggers_set_find(set, trigger->name);
	const char *why = triggers_refusal(app);
	if (why != NULL && trigger->on && !app->view_state.running) {
		app_toast(app, "%s", why);
		return false;
	}
	if (t == NULL && set->count == GCS_MAX_TRIGGERS) {
		app_toast(app, "At most %u triggers", GCS_MAX_TRIGGERS);
		return false;
	}
	const uint64_t changed_ns = last_of_another(app, t, trigger);
	if (t == NULL)
		t = &set->at[set->count++];
	*t = *trigger;
	t->changed_ns = changed_ns;
	if (app->view_state.running)
		t->on = false; /* one of an earlier run */
	app_dirty(app, PANEL_VIEW);
	return !t->on || send_trigger(set, app, t);
}

bool triggers_set_note(struct triggers_set *set, const struct gcs_snapshot *snapshot)
{
	const struct gcs_fired *f;
	bool any = false;
	for (uint32_t i = 0; (f = gcs_snapshot_fired(snapshot, i)) != NULL; i++) {
		struct own_trigger *own = triggers_set_find(set, f->trigger);
		if (own == NULL || !own->on || strcmp(f->condition, own->condition) == 0)
			continue;
		own->changed_ns = gcs_snapshot_occurrence(snapshot)->time_ns;
		any = true;
	}
	return any;
}

static bool send_removal(struct app *app, const char *name)
{
	const enum gcs_status status = requests_untrigger(app, name, take_trigger, GCS_NONE);
	if (status != GCS_OK)
		app_toast(app, "Cannot remove the trigger: %s", gcs_status_text(status));
	return status == GCS_OK;
}

bool triggers_set_switch(struct triggers_set *set, struct app *app, const char *name, bool on)
{
	struct own_trigger *t = triggers_set_find(set, name);
	const char *why = triggers_refusal(app);
	if (t == NULL || why != NULL) {
		app_toast(app, "%s", why != NULL ? why : "Set by another client");
		return false;
	}
	app_dirty(app, PANEL_VIEW);
	if (t->on == on)
		return true;
	t->on = on;
	return on ? send_trigger(set, app, t) : send_removal(app, name);
}

bool triggers_set_remove(struct triggers_set *set, struct app *app, const char *name)
{
	struct own_trigger *t = triggers_set_find(set, name);
	const bool sent = t == NULL || t->on;
	if (t != NULL) {
		memmove(t, t + 1, (size_t)(set->at + set->count - (t + 1)) * sizeof *t);
		set->count--;
	}
	app_dirty(app, PANEL_VIEW);
	return !sent || triggers_refusal(app) != NULL || send_removal(app, name);
}

/* The first free "trigger N". */
static void name_trigger(const struct triggers_set *set, char *name, size_t size)
{
	for (unsigned i = 1;; i++) {
		snprintf(name, size, "trigger-%u", i);
		if (triggers_set_find((struct triggers_set *)(uintptr_t)set, name) == NULL)
			return;
	}
}

static bool parse_actions(const char *value, uint32_t *actions)
{
	static const char *const words[] = {"pause", "record", "keep"};
	*actions = 0;
	while (*value != 0) {
		const size_t n = strcspn(value, ",");
		uint32_t bit = 0;
		for (uint32_t i = 0; i < 3; i++)
			if (strlen(words[i]) == n && memcmp(words[i], value, n) == 0)
				bit = 1u << i;
		if (bit == 0)
			return false;
		*actions |= bit;
		value += n + (value[n] == ',');
	}
	return true;
}

static bool parse_count(const char *value, uint64_t *count)
{
	char *end;
	*count = strtoull(value, &end, 10);
	return *value >= '0' && *value <= '9' && *end == 0;
}

static bool parse_word(struct own_trigger *t, const char *word, const char *value)
{
	if (strcmp(word, "name") == 0 && *value != 0 && strlen(value) < sizeof t->name)
		snprintf(t->name, sizeof t->name, "%s", value);
	else if (strcmp(word, "plugin") == 0 && strlen(value) < sizeof t->plugin)
		snprintf(t->plugin, sizeof t->plugin, "%s", value);
	else if (strcmp(word, "do") == 0)
		return parse_actions(value, &t->actions);
	else if (strcmp(word, "nth") == 0)
		return parse_count(value, &t->nth);
	else if (strcmp(word, "most") == 0)
		return parse_count(value, &t->most);
	else if (strcmp(word, "on") == 0)
		t->on = strcmp(value, "no") != 0;
	else
		return false;
	return true;
}

bool triggers_set_parse(const struct triggers_set *set, const char *text, struct own_trigger *t,
    char *wrong, size_t size)
{
	*t = (struct own_trigger){.nth = 1, .on = true};
	name_trigger(set, t->name, sizeof t->name);
	while (*(text += strspn(text, " ")) != 0 && strncmp(text, "when=", 5) != 0) {
		const size_t n = strcspn(text, " ");
		char word[128], *value;
		snprintf(word, sizeof word, "%.*s", (int)(n < 127 ? n : 127), text);
		value = strchr(word, '=');
		if (value != NULL)
			*value++ = 0;
		if (value == NULL || !parse_word(t, word, value)) {
			snprintf(wrong, size,
			    "trigger: %.60s: expected name=, do=pause,record,keep, nth=, most=, "
			    "plugin= and when=CONDITION",
			    word);
			return false;
		}
		text += n;
	}
	text += *text != 0 ? 5 : 0;
	if (*text == 0 || strlen(text) >= sizeof t->condition) {
		snprintf(wrong, size, "trigger: expected when=CONDITION of at most %zu bytes",
		    sizeof t->condition - 1);
		return false;
	}
	snprintf(t->condition, sizeof t->condition, "%s", text);
	return true;
}

void triggers_set_write(const struct own_trigger *t, char *text, size_t size)
{
	char actions[40] = "";
	static const char *const words[] = {"pause", "record", "keep"};
	for (uint32_t i = 0; i < 3; i++) {
		const size_t n = strlen(actions);
		if (t->actions & 1u << i)
			snprintf(
			    actions + n, sizeof actions - n, "%s%s", n > 0 ? "," : "", words[i]);
	}
	snprintf(text, size, "name=%s%s%s nth=%" PRIu64 " most=%" PRIu64 "%s%s on=%s when=%s",
	    t->name, actions[0] != 0 ? " do=" : "", actions, t->nth, t->most,
	    t->plugin[0] != 0 ? " plugin=" : "", t->plugin, t->on ? "yes" : "no", t->condition);
}

static const char *ordinal(uint64_t n)
{
	const uint64_t tens = n % 100;
	if (tens >= 11 && tens <= 13)
		return "th";
	return n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
}

void triggers_then_text(
    uint32_t actions, uint64_t nth, uint64_t most, const char *plugin, char *text, size_t size)
{
	*text = 0;
	if (actions & GCS_TRIGGER_PAUSE)
		append_clause(text, size, "pause");
	if (actions & GCS_TRIGGER_RECORD)
		append_clause(text, size, "save a recording");
	if (plugin != NULL && plugin[0] != 0)
		append_clause(text, size, "ask %.60s", plugin);
	if (text[0] == 0)
		append_clause(text, size, "mark the event");
	if (nth > 1)
		append_clause(text, size, "every %" PRIu64 "%s time", nth, ordinal(nth));
	if (most > 0)
		append_clause(text, size, "at most %" PRIu64 " time%s", most, most == 1 ? "" : "s");
	if (actions & GCS_TRIGGER_KEEP)
		append_clause(text, size, "kept");
}

void triggers_state(void *self, struct app *app, enum state_scope scope, struct textbuf *out)
{
	const struct triggers_view *view = self;
	char text[600];
	(void)app;
	for (uint32_t i = 0; scope == STATE_TARGET && i < view->set.count; i++) {
		triggers_set_write(&view->set.at[i], text, sizeof text);
		view_state_put(out, "", COMMAND_trigger, text);
	}
}
