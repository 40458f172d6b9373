/* The commands of the view of call sites; declared in sites_view.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/sites.h>

#include "sites_view.h"

void sites_choose_kind(struct sites_view *view, struct app *app, enum gcs_profile_kind kind)
{
	if (kind == view->kind)
		return;
	view->kind = kind;
	view->fetch.wanted = true;
	view->table.scroll = 0;
	sites_rebuild(view, app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app_tick_view(app);
}

void sites_sample(struct sites_view *view, struct app *app, const char *interval)
{
	snprintf(view->fetch.interval, sizeof view->fetch.interval, "%s", interval);
	app_tick_view(app);
}

void sites_show_place(struct sites_view *view, struct app *app, const char *where)
{
	struct sites_data *live = &view->data[GCS_PROFILE_LIVE];
	if (strcmp(view->where, where) != 0) {
		struct gcs_profile *before = live->profile;
		snprintf(view->where, sizeof view->where, "%s", where);
		/* What was told of another place is nothing to show under the name of this one. */
		*live = (struct sites_data){0};
		view->table.scroll = 0;
		if (view->kind == GCS_PROFILE_LIVE)
			sites_rebuild(view, app);
		gcs_profile_free(before);
	}
	view->kind = where[0] != 0 ? GCS_PROFILE_LIVE : view->kind;
	view->fetch.wanted = true;
	sites_rebuild(view, app);
	app_set_view(app, VIEW_SITES);
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app_tick_view(app);
}

bool sites_selected_number(const struct sites_view *view, uint64_t *number, char *name, size_t size)
{
	const struct site *site = sites_selected(view);
	const struct gcs_profile *profile = view->index.profile;
	if (site == NULL || profile == NULL)
		return false;
	uint64_t *numbers = calloc((size_t)gcs_profile_entry_count(profile) + 1, sizeof *numbers);
	bool ok = numbers != NULL && gcs_profile_site_numbers(profile, view->plumbing, numbers);
	if (ok)
		*number = numbers[site->entry];
	free(numbers);
	char class_name[128], frame[160] = "";
	const struct gcs_frame *top = sites_top(&view->index, site);
	sites_put_simple(
	    class_name, sizeof class_name, gcs_profile_name(profile, site->class_name));
	if (top != NULL)
		sites_put_frame(frame, sizeof frame, top);
	snprintf(name, size, "%s%s%s", class_name, frame[0] != 0 ? " from " : "", frame);
	return ok;
}

static bool command_kind(struct sites_view *view, struct app *app, const char *argument)
{
	enum gcs_profile_kind kind =
	    (enum gcs_profile_kind)((view->kind + 1) % GCS_PROFILE_KIND_COUNT);
	if (argument != NULL && !gcs_profile_find_kind(argument, &kind)) {
		app_toast(app, "%s: live, recent, frequent and allocated are allowed", argument);
		return false;
	}
	sites_choose_kind(view, app, kind);
	return true;
}

static void set_filter(struct sites_view *view, struct app *app, const char *text)
{
	textfield_set(&view->field, text);
	sites_filter_fini(&view->filter);
	sites_filter_init(&view->filter, text);
	view->table.scroll = 0;
	sites_regroup(view, app);
	app_dirty(app, PANEL_VIEW);
}

static bool command_filter(struct sites_view *view, struct app *app, const char *argument)
{
	if (argument != NULL) {
		set_filter(view, app, argument);
		return true;
	}
	if (view->data[view->kind].profile == NULL) {
		app_toast(app, "There are no call sites to filter yet");
		return false;
	}
	view->field.cursor = strlen(view->field.text);
	view->field.anchor = 0;
	app->ui.focus = UI_ID(PANEL_VIEW, SITES_FILTER);
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool command_sort(struct sites_view *view, struct app *app, const char *argument)
{
	int column = (view->table.sort + 1) % SITES_COLUMNS;
	/* By share is by bytes. */
	if (argument == NULL && column == SITES_SHARE)
		column++;
	for (int i = 0; argument != NULL && i <= SITES_COLUMNS; i++) {
		if (i == SITES_COLUMNS) {
			app_toast(app, "There is no column %s", argument);
			return false;
		}
		if (strcmp(sites_columns[i].name, argument) == 0) {
			column = i;
			break;
		}
	}
	view->table.sort = column;
	view->table.falling = !sites_columns[column].rising;
	sites_sort_by(view, app);
	app_dirty(app, PANEL_VIEW);
	return true;
}

static bool command_save(struct sites_view *view, struct app *app, const char *argument)
{
	const struct gcs_profile *profile = view->data[view->kind].profile;
	if (profile == NULL) {
		app_toast(app, "There is no profile to save yet");
		return false;
	}
	char name[64];
	sites_save_name(profile, name, sizeof name);
	const char *path = argument != NULL ? argument : name;
	struct gcs_error err;
	if (!sites_save(profile, view->plumbing, path, &err)) {
		app_toast(app, "%s", err.text);
		return false;
	}
	app_toast(app, "Saved %s", path);
	return true;
}

static bool command_ask(struct sites_view *view, struct app *app, const char *interval)
{
	if (app->state != SOURCE_LIVE || app->source.ops->query == NULL) {
		app_toast(app,
		    app->state != SOURCE_LIVE ? "Not connected" : "This source has no call sites");
		return false;
	}
	if (interval != NULL) {
		sites_sample(view, app, interval);
	} else {
		view->fetch.wanted = true;
		app_tick_view(app);
	}
	return true;
}

static bool run_sites_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument)
{
	switch (id) {
	case COMMAND_sites_kind:
		return command_kind(view, app, argument);
	case COMMAND_sites_filter:
	case COMMAND_find:
		return command_filter(view, app, argument);
	case COMMAND_sites_sort:
		return command_sort(view, app, argument);
	case COMMAND_sites_reverse:
		view->table.falling = !view->table.falling;
		sites_sort_by(view, app);
		return true;
	case COMMAND_sites_plumbing:
		view->plumbing = !view->plumbing;
		sites_rebuild(view, app);
		app_toast(app, "Plumbing frames are %s", view->plumbing ? "shown" : "hidden");
		return true;
	case COMMAND_sites_refresh:
		return command_ask(view, app, NULL);
	case COMMAND_sites_auto:
		view->automatic = !view->automatic;
		app_dirty(app, PANEL_VIEW);
		app_toast(app, "Call sites are asked for %s",
		    view->automatic ? "every few seconds" : "only on request");
		return true;
	case COMMAND_sites_sample:
		return command_ask(view, app, argument != NULL ? argument : SITES_INTERVAL);
	case COMMAND_sites_save:
		return command_save(view, app, argument);
	default:
		return false;
	}
}

static bool move_row(struct sites_view *view, struct app *app, int64_t by)
{
	if (!sites_has_table(view, app))
		return true;
	if (table_move(&app->ui, view->table_at, &view->table, view->sites.count, by))
		sites_note_selection(view, app);
	app_dirty(app, PANEL_VIEW);
	return true;
}

/* The keys that move among tiles move among rows here; left and right are the tabs. */
static bool run_movement(struct sites_view *view, struct app *app, enum command_id id)
{
	int page = table_page(&app->ui, view->table_at);
	int kinds = GCS_PROFILE_KIND_COUNT;
	switch (id) {
	case COMMAND_tile_up:
		return move_row(view, app, -1);
	case COMMAND_tile_down:
		return move_row(view, app, 1);
	case COMMAND_scroll_up:
		return move_row(view, app, -page);
	case COMMAND_scroll_down:
		return move_row(view, app, page);
	case COMMAND_tile_first:
		return move_row(view, app, -(int64_t)UINT32_MAX);
	case COMMAND_tile_last:
		return move_row(view, app, (int64_t)UINT32_MAX);
	case COMMAND_tile_left:
	case COMMAND_tile_right:
		sites_choose_kind(view, app,
		    (enum gcs_profile_kind)(
			((int)view->kind + kinds + (id == COMMAND_tile_left ? -1 : 1)) % kinds));
		return true;
	case COMMAND_reveal:
		table_reveal(&app->ui, view->table_at, &view->table, view->sites.count);
		app_dirty(app, PANEL_VIEW);
		return true;
	default:
		return false;
	}
}

/* What has a meaning only among tiles must not change them unseen. */
static bool is_for_tiles(enum command_id id)
{
	return id == COMMAND_stream_next || id == COMMAND_stream_prev || id == COMMAND_space_next ||
	       id == COMMAND_space_prev || id == COMMAND_toggle_group || id == COMMAND_zoom_in ||
	       id == COMMAND_zoom_out || id == COMMAND_zoom_fit;
}

static bool go_back(struct sites_view *view, struct app *app)
{
	if (app->modal != MODAL_NONE || app->ui.focus != 0)
		return false;
	if (view->field.text[0] != 0)
		set_filter(view, app, "");
	else if (view->where[0] != 0)
		sites_show_place(view, app, "");
	else
		app_set_view(app, VIEW_HEAP);
	return true;
}

bool sites_run_command(
    struct sites_view *view, struct app *app, enum command_id id, const char *argument)
{
	app_frame(app); /* The layout is that of the present state from here on. */
	if (id == COMMAND_back)
		return go_back(view, app);
	if (argument == NULL && is_for_tiles(id)) {
		app_toast(app, "That is for the heap map; 1 shows it");
		return true;
	}
	return run_movement(view, app, id) || run_sites_command(view, app, id, argument);
}
