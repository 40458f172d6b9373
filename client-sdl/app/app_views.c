/* The views: all are open, one is shown. Declared in app.h. */
#include "app.h"
#include "browser.h"
#include "events_view.h"
#include "leaks_view.h"
#include "plugins_view.h"
#include "triggers_view.h"

static const struct view *const all_views[VIEW_COUNT] = {
    [VIEW_OVERVIEW] = &overview_view,
    [VIEW_HEAP] = &heap_view,
    [VIEW_LEAKS] = &leaks_view,
    [VIEW_SITES] = &sites_view,
    [VIEW_FLAME] = &flame_view,
    [VIEW_CALLS] = &calls_view,
    [VIEW_HISTORY] = &history_view,
    [VIEW_CHARTS] = &charts_view,
    [VIEW_EVENTS] = &events_view,
    [VIEW_TRIGGERS] = &triggers_view,
    [VIEW_PLUGINS] = &plugins_view,
};

const struct view *app_view_at(enum view_id id)
{
	return all_views[id];
}

void app_swap_view(struct app *app, enum view_id id)
{
	app->view_id = id;
	app->view = all_views[id];
	app->view_self = app->views[id];
}

bool app_open_views(struct app *app, struct gcs_error *err)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		app->views[i] = all_views[i]->open(app);
		if (app->views[i] == NULL) {
			gcs_fail(err, GCS_NOMEM, "view %s: out of memory", all_views[i]->name);
			return false;
		}
	}
	app_swap_view(app, app->guided ? VIEW_OVERVIEW : VIEW_HEAP);
	return true;
}

void app_close_views(struct app *app)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (app->views[i] != NULL)
			all_views[i]->close(app->views[i]);
		app->views[i] = NULL;
	}
}

static void leave_pointed(struct app *app)
{
	app->hovered.space = GCS_NONE;
	app->ui.tip[0] = 0;
	app->ui.hot = app->ui.active = app->ui.focus = 0;
}

void app_show_start(struct app *app, bool on)
{
	if (on == app->at_start || (on && app->snapshot == NULL))
		return;
	app->at_start = on;
	if (on)
		app_end_retries(app);
	local_jvms_forget(&app->local_jvms);
	leave_pointed(app);
	app_layout(app);
}

bool app_is_at_start(const struct app *app)
{
	return app->at_start || app->snapshot == NULL;
}

void app_set_view(struct app *app, enum view_id id)
{
	app_show_start(app, false);
	if (id == app->view_id)
		return;
	leave_pointed(app);
	app->side_scroll = 0;
	app_swap_view(app, id);
	if (id == VIEW_HEAP)
		app_show_kept(app);
	app_layout(app);
	app_tick_view(app);
}

void app_poll_views(struct app *app)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (all_views[i]->poll != NULL)
			all_views[i]->poll(app->views[i], app);
	}
}

void app_note_views(struct app *app, const struct gcs_snapshot *snapshot)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (all_views[i]->note != NULL)
			all_views[i]->note(app->views[i], app, snapshot);
	}
}

void app_describe_views(struct app *app)
{
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (all_views[i]->described != NULL)
			all_views[i]->described(app->views[i], app);
	}
}

void app_tick_view(struct app *app)
{
	if (app->view->tick != NULL)
		app->view->tick(app->view_self, app);
}

uint64_t app_view_due_ms(const struct app *app)
{
	if (app->view->due_ms == NULL)
		return UINT64_MAX;
	return app->view->due_ms(app->view_self, app);
}

/* Shows another view and runs its command. */
static bool run_in(struct app *app, enum view_id view, enum command_id id, const char *argument)
{
	app_set_view(app, view);
	return app->view->command(app->view_self, app, id, argument);
}

bool app_view_command(struct app *app, enum command_id id, const char *argument)
{
	if (id == COMMAND_history && argument != NULL)
		return hist_command(app, id, argument);
	if (id == COMMAND_leaks && argument != NULL)
		return leaks_command(app, argument);
	for (int i = 0; i < VIEW_COUNT; i++) {
		if (all_views[i]->show == id) {
			app_set_view(app, (enum view_id)i);
			return true;
		}
	}
	if (events_has_command(id))
		return events_command(app, id, argument);
	if (triggers_have_command(id))
		return triggers_command(app, id, argument);
	if (id == COMMAND_ask)
		return plugins_ask_command(app, argument);
	if (layouts_have_command(id))
		return layouts_command(app, id, argument);
	if (id == COMMAND_go_back || id == COMMAND_go_forward)
		return nav_go(app, id == COMMAND_go_back ? -1 : 1);
	if (id == COMMAND_open)
		return browser_open(app, argument);
	if (id == COMMAND_compare_file)
		return browser_compare(app, argument);
	switch (id) {
	case COMMAND_layout:
	case COMMAND_pin:
	case COMMAND_hide:
	case COMMAND_fold:
	case COMMAND_show_hidden:
	case COMMAND_columns:
	case COMMAND_order:
	case COMMAND_split:
	case COMMAND_expression:
	case COMMAND_recency:
	case COMMAND_equal:
	case COMMAND_compare_tiles:
	case COMMAND_space_colours:
	case COMMAND_summary:
	case COMMAND_mark:
	case COMMAND_mark_add:
	case COMMAND_mark_remove:
	case COMMAND_clear_markers:
		if (app->view_id == VIEW_HEAP)
			return false;
		app_set_view(app, VIEW_HEAP);
		return app->view->command(app->view_self, app, id, argument);
	case COMMAND_history_settings:
	case COMMAND_history_go:
	case COMMAND_history_png:
		return hist_command(app, id, argument);
	case COMMAND_tile_sites:
	case COMMAND_site_tiles:
	case COMMAND_site_holders:
		return app_place_command(app, id, argument);
	case COMMAND_sites_kind:
	case COMMAND_sites_filter:
	case COMMAND_sites_sort:
	case COMMAND_sites_reverse:
	case COMMAND_sites_plumbing:
	case COMMAND_sites_new:
	case COMMAND_library:
	case COMMAND_sites_refresh:
	case COMMAND_sites_auto:
	case COMMAND_sites_sample:
	case COMMAND_sites_save:
	case COMMAND_age_band:
	case COMMAND_compare:
		/* The view is shown already and has rejected the command. */
		return !profiles_are_shown(app) && run_in(app, VIEW_SITES, id, argument);
	case COMMAND_chart:
	case COMMAND_chart_add:
	case COMMAND_chart_y:
		return app->view_id != VIEW_CHARTS && run_in(app, VIEW_CHARTS, id, argument);
	case COMMAND_flame_measure:
	case COMMAND_flame_way:
	case COMMAND_flame_holders:
	case COMMAND_collapse_recursion:
	case COMMAND_frame:
		return app->view_id != VIEW_FLAME && run_in(app, VIEW_FLAME, id, argument);
	case COMMAND_sites_group:
		return app->view_id != VIEW_SITES && app->view_id != VIEW_CALLS &&
		       run_in(app, VIEW_SITES, id, argument);
	default:
		return false;
	}
}
