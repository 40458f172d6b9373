/* The commands of the profiles that the views of call sites share; declared in profiles.h. */
#include <gcspy/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "sites_view.h"

void profiles_choose_kind(struct app *app, enum gcs_profile_kind kind)
{
	if (kind == app->profiles.kind)
		return;
	app->profiles.kind = kind;
	app->profiles.fetch.wanted = true;
	profiles_changed(app);
	/* The side panel is shown only with a profile. */
	app_layout(app);
	app_tick_view(app);
}

void profiles_turn_kind(struct app *app, int by)
{
	int kinds = GCS_PROFILE_KIND_COUNT;
	profiles_choose_kind(
	    app, (enum gcs_profile_kind)(((int)app->profiles.kind + kinds + by) % kinds));
}

void profiles_show_place(struct app *app, const char *where)
{
	struct profiles *p = &app->profiles;
	struct profiles_data *live = &p->data[GCS_PROFILE_LIVE];
	if (strcmp(p->where, where) != 0) {
		snprintf(p->where, sizeof p->where, "%s", where);
		/* The profile of another place must not be shown as this one's. */
		shared_profile_unref(live->profile);
		*live = (struct profiles_data){0};
	}
	p->kind = where[0] != 0 ? GCS_PROFILE_LIVE : p->kind;
	p->fetch.wanted = true;
	profiles_changed(app);
	if (!profiles_are_shown(app) || where[0] != 0)
		app_set_view(app, VIEW_SITES);
	app_layout(app);
	app_tick_view(app);
}

void profiles_set_filter(struct app *app, const char *text)
{
	struct profiles *p = &app->profiles;
	textfield_set(&p->field, text);
	sites_filter_fini(&p->filter);
	sites_filter_init(&p->filter, text);
	profiles_filtered(app);
}

/* Ages. */

void profiles_set_ages(struct app *app, uint32_t min_age, uint32_t below_age)
{
	app->profiles.min_age = min_age;
	app->profiles.below_age = below_age;
	profiles_changed(app);
}

char *profiles_put_ages(const struct app *app, char *text, size_t size)
{
	uint32_t low, below;
	profiles_ages(app, &low, &below);
	text[0] = 0;
	if (below == 0 && low > 0)
		snprintf(text, size, "%u collections or more", low);
	else if (below == low + 1)
		snprintf(text, size, "%u collections", low);
	else if (below > 0)
		snprintf(text, size, "%u to %u collections", low, below - 1);
	return text;
}

static bool has_ages(struct app *app)
{
	if (app->profiles.kind != GCS_PROFILE_ALLOCATED)
		return true;
	app_toast(app, "Allocation totals have no ages; K switches to live or garbage");
	return false;
}

bool profiles_next_ages(struct app *app)
{
	static const uint32_t bands[][2] = {{0, 0}, {0, 1}, {1, 4}, {4, 16}, {16, 0}};
	const size_t count = sizeof bands / sizeof *bands;
	size_t at = 0;
	if (!has_ages(app))
		return false;
	/* An object that survived no collection is garbage or new. */
	const bool live = app->profiles.kind == GCS_PROFILE_LIVE;
	while (at < count &&
	       (bands[at][0] != app->profiles.min_age || bands[at][1] != app->profiles.below_age))
		at++;
	at = at < count ? (at + 1) % count : 0;
	at += live && at == 1;
	profiles_set_ages(app, bands[at][0], bands[at][1]);
	char text[80];
	profiles_put_ages(app, text, sizeof text);
	app_toast(app, text[0] != 0 ? "Only objects aged %s" : "All ages%s", text);
	return true;
}

static bool command_ages(struct app *app, const char *argument)
{
	char from[24], to[24], rest;
	uint64_t low = 0, below = 0;
	if (argument == NULL)
		return profiles_next_ages(app);
	int n = sscanf(argument, "%23s %23s %c", from, to, &rest);
	bool all = n == 1 && strcmp(from, "all") == 0;
	bool ok = all || (n >= 1 && n <= 2 && gcs_parse_number(from, &low) &&
			     (n == 1 || gcs_parse_number(to, &below)));
	if (!ok || low > UINT32_MAX || below > UINT32_MAX || (below != 0 && below <= low)) {
		app_toast(app, "age_band: expected FROM and a larger TO in collections, or all");
		return false;
	}
	if (!has_ages(app))
		return false;
	profiles_set_ages(app, (uint32_t)low, (uint32_t)below);
	return true;
}

bool profiles_set_libraries(struct profiles_libraries *l, const char *text)
{
	int count = 0;
	*l = (struct profiles_libraries){.text = ""};
	bool ok = strlen(text) < sizeof l->text;
	snprintf(l->split, sizeof l->split, "%s", ok ? text : "");
	for (char *word = strtok(l->split, " "); word != NULL && ok; word = strtok(NULL, " ")) {
		ok = count < PROFILES_LIBRARIES;
		l->prefix[ok ? count++ : 0] = word;
	}
	if (ok)
		snprintf(l->text, sizeof l->text, "%s", text);
	else
		*l = (struct profiles_libraries){.text = ""};
	return ok;
}

static bool command_library(struct app *app, const char *argument)
{
	struct profiles_libraries tried;
	const bool none = argument == NULL || strcmp(argument, "none") == 0;
	const char *text = none ? "" : argument;
	if (!profiles_set_libraries(&tried, text)) {
		app_toast(app, "library: expected at most %d beginnings of class names",
		    PROFILES_LIBRARIES);
		return false;
	}
	profiles_set_libraries(&app->profiles.libraries, text);
	profiles_changed(app);
	app_toast(app, "Libraries beside the JDK: %s", none ? "none" : text);
	return true;
}

/* Comparison. */

bool profiles_mark(struct app *app)
{
	struct profiles_base *base = &app->profiles.base;
	struct shared_profile *now = app->profiles.data[app->profiles.kind].profile;
	if (now == NULL) {
		app_toast(app, "No profile to compare with yet");
		return false;
	}
	shared_profile_ref(now);
	profiles_end_comparison(app);
	base->profile = now;
	snprintf(base->name, sizeof base->name, "mark A");
	profiles_changed(app);
	app_toast(app, "Mark A set: %s are compared with it; Ctrl+D ends",
	    app->state == SOURCE_LIVE && !app->replay.on ? "new profiles"
							 : "profiles of other moments");
	return true;
}

void profiles_end_comparison(struct app *app)
{
	shared_profile_unref(app->profiles.base.profile);
	app->profiles.base = (struct profiles_base){0};
	profiles_changed(app);
}

static bool command_compare(struct app *app, const char *argument)
{
	if (argument != NULL && strcmp(argument, "mark") != 0) {
		profiles_compare_file(app, argument);
		profiles_read_poll(app);
		return true;
	}
	if (argument != NULL || app->profiles.base.profile == NULL)
		return profiles_mark(app);
	profiles_end_comparison(app);
	app_toast(app, "Comparison ended");
	return true;
}

bool profiles_go_back(struct app *app)
{
	struct profiles *p = &app->profiles;
	if (p->field.text[0] != 0) {
		profiles_set_filter(app, "");
		app_toast(app, "Filter cleared");
	} else if (p->where[0] != 0) {
		profiles_show_place(app, "");
		app_toast(app, "Objects everywhere in the heap again");
	} else if (p->base.profile != NULL) {
		profiles_end_comparison(app);
		app_toast(app, "Comparison ended");
	} else {
		return false;
	}
	return true;
}

bool profiles_leave(struct app *app)
{
	if (app->modal != MODAL_NONE || app->ui.focus != 0)
		return false;
	if (!profiles_go_back(app)) {
		app_set_view(app, VIEW_HEAP);
		app_toast(app, "Back to the heap map");
	}
	return true;
}

static bool command_kind(struct app *app, const char *argument)
{
	enum gcs_profile_kind kind;
	if (argument == NULL) {
		profiles_turn_kind(app, 1);
		return true;
	}
	if (!gcs_profile_find_kind(argument, &kind)) {
		app_toast(app, "%s: expected live, recent, frequent or allocated", argument);
		return false;
	}
	profiles_choose_kind(app, kind);
	return true;
}

static bool command_filter(struct app *app, const char *argument)
{
	if (argument != NULL) {
		profiles_set_filter(app, argument);
		return true;
	}
	if (profiles_profile(app) == NULL) {
		app_toast(app, "No call sites to filter yet");
		return false;
	}
	app->profiles.field.cursor = strlen(app->profiles.field.text);
	app->profiles.field.anchor = 0;
	app->ui.focus = UI_ID(PANEL_VIEW, PROFILES_FILTER);
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool command_save(struct app *app, const char *argument)
{
	const struct gcs_profile *profile = profiles_profile(app);
	if (profile == NULL) {
		app_toast(app, "No profile to save yet");
		return false;
	}
	char name[64];
	sites_save_name(profile, name, sizeof name);
	const char *path = argument != NULL ? argument : name;
	struct gcs_error err;
	if (!sites_save(profile, app->profiles.runtime_frame, path, &err)) {
		app_toast(app, "%s", err.text);
		return false;
	}
	app_toast(app, "Saved %s", path);
	return true;
}

static bool command_ask(struct app *app, const char *interval)
{
	if (app->state != SOURCE_LIVE || app->source.ops->query == NULL) {
		app_toast(app,
		    app->state != SOURCE_LIVE ? "Not connected" : "This source has no call sites");
		return false;
	}
	if (interval != NULL && app->source.ops->file) {
		app_toast(app, "Sampling cannot be changed in a recording");
		return false;
	}
	if (interval != NULL)
		return profiles_sample(app, interval);
	app->profiles.fetch.wanted = true;
	app_tick_view(app);
	return true;
}

bool profiles_run_command(struct app *app, int command, const char *argument)
{
	switch (command) {
	case COMMAND_sites_kind:
		return command_kind(app, argument);
	case COMMAND_sites_filter:
	case COMMAND_find:
		return command_filter(app, argument);
	case COMMAND_sites_plumbing:
		if (!view_state_switch(
			app, COMMAND_sites_plumbing, argument, &app->profiles.runtime_frame))
			return false;
		profiles_changed(app);
		app_toast(
		    app, "Runtime frames are %s", app->profiles.runtime_frame ? "shown" : "hidden");
		return true;
	case COMMAND_sites_new:
		if (!view_state_switch(app, COMMAND_sites_new, argument, &app->profiles.with_new))
			return false;
		profiles_changed(app);
		app_toast(app, "Objects that no collection has judged are %s",
		    app->profiles.with_new ? "shown in a column" : "hidden");
		return true;
	case COMMAND_sites_refresh:
		if (app->source.ops != NULL && app->source.ops->file) {
			app_toast(app, PROFILES_OF_RECORDING);
			return false;
		}
		return command_ask(app, NULL);
	case COMMAND_sites_auto:
		if (app->source.ops != NULL && app->source.ops->file) {
			app_toast(app, PROFILES_OF_RECORDING);
			return false;
		}
		app->profiles.automatic = !app->profiles.automatic;
		app_dirty(app, PANEL_VIEW);
		app_toast(app, "Call sites are refreshed %s",
		    app->profiles.automatic ? "every 3 s" : "only on request");
		return true;
	case COMMAND_sites_sample:
		return command_ask(app, argument != NULL ? argument : PROFILES_INTERVAL);
	case COMMAND_sites_save:
		return command_save(app, argument);
	case COMMAND_age_band:
		return command_ages(app, argument);
	case COMMAND_library:
		return command_library(app, argument);
	case COMMAND_compare:
		return command_compare(app, argument);
	default:
		return false;
	}
}

bool profiles_sort(struct app *app, struct table *table, const struct table_column *columns,
    int count, int share, const char *name)
{
	char known[200] = "";
	int column = (table->sort + 1) % count;
	while (name == NULL && (column == share || columns[column].rank == TABLE_HIDDEN))
		column = (column + 1) % count;
	for (int i = 0; name != NULL && i < count; i++) {
		column = i;
		if (strcmp(columns[i].name, name) == 0)
			break;
		const size_t used = strlen(known);
		snprintf(
		    known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", columns[i].name);
		if (i + 1 == count) {
			app_toast(app, "No column named %s; available: %s", name, known);
			return false;
		}
	}
	table->sort = column;
	table->falling = !columns[column].rising;
	return true;
}

static const char *const orders[] = {"rising", "falling"};

bool profiles_reverse(struct app *app, struct table *table, const char *order)
{
	int choice = table->falling;
	if (!view_state_choice(app, COMMAND_sites_reverse, order, orders, &choice))
		return false;
	table->falling = choice == 1;
	return true;
}

void profiles_sort_state(
    const struct table *table, const struct table_column *columns, struct textbuf *out)
{
	view_state_put(
	    out, "sort", COMMAND_sites_sort, table->sort >= 0 ? columns[table->sort].name : "none");
	view_state_put(out, "order", COMMAND_sites_reverse, orders[table->falling]);
}
