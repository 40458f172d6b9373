/* Runs the commands of commands.h that are not a view's. */
#include "app.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "browser.h"
#include "layout.h"
#include "palette.h"
#include "tilecode.h"

void app_toast(struct app *app, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	vsnprintf(app->toast, sizeof app->toast, format, ap);
	va_end(ap);
	app->toast_until_ms = app->now_ms + TOAST_MS;
	app_dirty(app, PANEL_MODAL);
}

void app_open_modal(struct app *app, enum modal modal)
{
	app->modal = modal;
	app->modal_row = 0;
	app->modal_scroll = 0;
	app->ui.tip[0] = 0;
	app->ui.hot = app->ui.active = 0;
	app->ui.focus = UI_ID(PANEL_MODAL, 1);
	textfield_set(&app->field, modal == MODAL_CONNECT ? app->address : "");
	app_dirty(app, PANEL_MODAL);
}

void app_close_modal(struct app *app)
{
	app->modal = MODAL_NONE;
	app->modal_at = rect_make(0, 0, 0, 0);
	app->ui.focus = 0;
	app->ui.hot = app->ui.active = 0;
	app_dirty(app, PANEL_MODAL);
}

static bool done(struct app *app, enum gcs_status status)
{
	if (status != GCS_OK)
		app_toast(app, "Failed: %s", gcs_status_text(status));
	return status == GCS_OK;
}

static bool run_program_command(struct app *app, enum command_id id, const char *arg)
{
	const struct source_ops *ops = app->source.ops;
	void *self = app->source.self;
	switch (id) {
	case COMMAND_pause_resume:
		return done(app, app->run == GCS_RUNNING ? ops->pause(self) : ops->resume(self));
	case COMMAND_step:
		return done(app, ops->step(self));
	case COMMAND_collect:
		return collect_command(app, arg);
	case COMMAND_count_objects:
		return counting_command(app, arg);
	case COMMAND_connect:
		if (arg != NULL)
			return app_connect(app, arg);
		app_open_modal(app, MODAL_CONNECT);
		browser_begin(app, false);
		return true;
	case COMMAND_open_sample:
		if (app->sample_path != NULL) {
			app_set_view(app, VIEW_OVERVIEW);
			app->guided = true;
			return app_connect(app, app->sample_path);
		}
		app_toast(app, "The sample recording, leak.gcspy, is not installed");
		return false;
	case COMMAND_start:
		app_show_start(app, true);
		return true;
	case COMMAND_disconnect:
		if (pending_connection_end(app))
			return true;
		if (app->source.ops == NULL) {
			app_toast(app, "Not connected");
			return false;
		}
		const bool back = app->from_start && app->source.ops->file;
		app_disconnect(app);
		app_show_start(app, back);
		return true;
	case COMMAND_reconnect:
		if (app->address[0] == 0) {
			app_open_modal(app, MODAL_CONNECT);
			browser_begin(app, false);
			return true;
		}
		if (app->pending_connection.address[0] != 0) {
			char address[sizeof app->pending_connection.address];
			memcpy(address, app->pending_connection.address, sizeof address);
			return app_connect(app, address);
		}
		app->give_up_ms = app->now_ms + RETRY_MOST_MS;
		app->reconnects = true;
		if (app_connect(app, app->address))
			return true;
		app->reconnects = false;
		if (app->why.text[0] != 0)
			app_toast(app, "%s", app->why.text);
		return false;
	case COMMAND_auto_retry:
		app->auto_retry = !app->auto_retry;
		app->give_up_ms = app->now_ms + RETRY_MOST_MS;
		if (app->state == SOURCE_LOST)
			app_retry_later(app);
		app_toast(app, "Automatic reconnect is %s",
		    app->auto_retry ? "on" : "off; F5 reconnects");
		return true;
	default:
		return false;
	}
}

/* The next data stream in a direction, cyclically. */
static bool turn_stream(struct app *app, int dir)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	if (s == NULL || s->stream_count == 0)
		return false;
	uint32_t n = s->stream_count;
	uint32_t at = app->stream_of[app->active_space];
	for (uint32_t i = 0; i < n; i++) {
		at = (at + n + (uint32_t)dir) % n;
		if (tilecode_is_view(s, at))
			break;
	}
	app_set_stream(app, app->active_space, at);
	return true;
}

static bool named_stream(struct app *app, const char *name)
{
	const struct gcs_space *s = app_space(app, app->active_space);
	uint32_t id = s != NULL && name != NULL ? gcs_space_find_stream(s, name) : GCS_NONE;
	if (id == GCS_NONE) {
		app_toast(app, "This space has no stream \"%s\"", name != NULL ? name : "");
		return app->view_state.running;
	}
	app_set_stream(app, app->active_space, id);
	return true;
}

static bool named_space(struct app *app, const char *name, uint32_t *id)
{
	*id = name != NULL ? gcs_model_find_space(app_model(app), name) : GCS_NONE;
	if (*id == GCS_NONE || app_space(app, *id)->gone) {
		app_toast(app, "No space named \"%s\"", name != NULL ? name : "");
		return false;
	}
	return true;
}

/* "SPACE TILE": the tile is the last word, so that names may have spaces. */
static bool select_by_name(struct app *app, const char *arg)
{
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%s", arg != NULL ? arg : "");
	char *last = strrchr(name, ' ');
	char *end = NULL;
	unsigned long tile = last != NULL ? strtoul(last + 1, &end, 10) : 0;
	if (last == NULL || last[1] < '0' || last[1] > '9' || *end != 0) {
		app_toast(app, "select: expected a space name and a tile number");
		return false;
	}
	*last = 0;
	uint32_t space;
	if (!named_space(app, name, &space))
		return false;
	if (tile >= gcs_snapshot_tiles(app->snapshot, space)) {
		app_toast(app, "%s has no tile %lu", name, tile);
		return false;
	}
	app_select(app, space, (uint32_t)tile);
	return true;
}

static bool toggle_group(struct app *app, const char *name)
{
	const struct gcs_model *model = app_model(app);
	const struct gcs_space *s = app_space(app, app->active_space);
	uint32_t group = s != NULL && !app->view_state.running ? s->group : GCS_NONE;
	for (uint32_t i = 0; name != NULL && i < model->group_count; i++) {
		if (strcmp(model->groups[i].name, name) == 0)
			group = i;
	}
	if (group == GCS_NONE) {
		app_toast(app, "The active space is in no group");
		return app->view_state.running;
	}
	app_toggle_group(app, group);
	return true;
}

static bool run_space_command(struct app *app, enum command_id id, const char *arg)
{
	uint32_t space;
	switch (id) {
	case COMMAND_stream_next:
		return turn_stream(app, 1);
	case COMMAND_stream_prev:
		return turn_stream(app, -1);
	case COMMAND_stream:
		return named_stream(app, arg);
	case COMMAND_space:
		if (!named_space(app, arg, &space))
			return app->view_state.running;
		app_activate(app, space);
		return true;
	case COMMAND_toggle_group:
		return toggle_group(app, arg);
	case COMMAND_select:
		return select_by_name(app, arg);
	case COMMAND_look_closer:
		return tile_zoom_in(app);
	case COMMAND_look_back:
		return tile_zoom_out(app);
	default:
		return false;
	}
}

static int named(const char *arg, int now, int count, int (*find)(const char *name))
{
	return arg != NULL ? find(arg) : (now + 1) % count;
}

static bool set_colours(struct app *app, enum command_id id, const char *arg)
{
	int theme = app->theme;
	int ramp = app->ramp;
	if (id == COMMAND_theme)
		theme = named(arg, theme, THEMES, theme_find);
	else
		ramp = named(arg, ramp, PALETTE_RAMPS, palette_find);
	if (theme < 0 || ramp < 0) {
		char names[200] = "";
		const int n = id == COMMAND_theme ? THEMES : PALETTE_RAMPS;
		for (int i = 0; i < n; i++) {
			const size_t used = strlen(names);
			snprintf(names + used, sizeof names - used, "%s%s",
			    i == 0      ? ""
			    : i + 1 < n ? ", "
					: " or ",
			    id == COMMAND_theme ? theme_at(i)->name : palette_name(i));
		}
		app_toast(app, "%s %.80s: expected %s", command_at(id)->name, arg, names);
		return false;
	}
	app->theme = theme;
	app->ramp = ramp;
	app->ui.theme = theme_at(theme);
	app_dirty_all(app);
	if (arg == NULL)
		app_toast(
		    app, "%s", id == COMMAND_theme ? app->ui.theme->title : palette_name(ramp));
	return true;
}

static bool go_back(struct app *app)
{
	if (app->modal != MODAL_NONE) {
		app_close_modal(app);
	} else if (app->at_start) {
		app_show_start(app, false);
	} else if (app->ui.focus != 0) {
		app_dirty(app, (enum panel_id)(app->ui.focus >> 16));
		app->ui.focus = 0;
	} else if (app->selected.space != GCS_NONE) {
		app_select(app, GCS_NONE, 0);
		app_toast(app, "Tile deselected");
	} else if (!event_history_leave(app)) {
		app_toast(app, "Nothing to close");
		return false;
	}
	return true;
}

static bool set_scale(struct app *app, int scale)
{
	if (app_set_scale(app, scale))
		return true;
	app_toast(app, "No font available at a scale of %d %%", scale);
	return false;
}

static void move_focus(struct app *app, int dir)
{
	bool modal = app->modal != MODAL_NONE;
	uint32_t before = app->ui.focus;
	ui_focus_move(&app->ui, dir, modal ? PANEL_MODAL : 0, modal ? PANEL_MODAL : PANEL_FOOTER);
	app_dirty(app, (enum panel_id)(before >> 16));
	app_dirty(app, (enum panel_id)(app->ui.focus >> 16));
}

static bool change_side(struct app *app, enum command_id id, const char *arg)
{
	int page = app->rect[PANEL_SIDE].h;
	int most = app->side_content > page ? app->side_content - page : 0;
	int step = page / 2;
	if (app->rect[PANEL_SIDE].w > 0 &&
	    (id == COMMAND_side_wider || id == COMMAND_side_narrower))
		app->side_width = app->rect[PANEL_SIDE].w; /* from what is seen */
	switch (id) {
	case COMMAND_side_panel:
		if (!view_state_switch(app, id, arg, &app->side_shown))
			return false;
		break;
	case COMMAND_side_wider:
		if (arg != NULL && (atoi(arg) < 100 || atoi(arg) > 4000))
			return false;
		app->side_width = arg != NULL ? atoi(arg) * app->scale / 100
					      : app->side_width + ui_px(&app->ui, 40);
		break;
	case COMMAND_side_narrower:
		app->side_width -= ui_px(&app->ui, 40);
		break;
	default:
		step = id == COMMAND_side_up ? -step : step;
		app->side_scroll = clamp_int(app->side_scroll + step, 0, most);
		app_dirty(app, PANEL_SIDE);
		return true;
	}
	app_layout(app);
	return true;
}

static bool run_window_command(struct app *app, enum command_id id, const char *arg)
{
	switch (id) {
	case COMMAND_side_panel:
	case COMMAND_side_up:
	case COMMAND_side_down:
	case COMMAND_side_wider:
	case COMMAND_side_narrower:
		return change_side(app, id, arg);
	case COMMAND_general_info:
		app_open_modal(app, MODAL_INFO);
		return true;
	case COMMAND_settings:
		app_open_modal(app, MODAL_SETTINGS);
		return true;
	case COMMAND_context_menu:
		return menu_open_context(app, false);
	case COMMAND_help:
		app_open_modal(app, MODAL_HELP);
		return true;
	case COMMAND_command_palette:
		app_open_modal(app, MODAL_PALETTE);
		return true;
	case COMMAND_theme:
	case COMMAND_colours:
		return set_colours(app, id, arg);
	case COMMAND_scale_up:
		return set_scale(app, app->scale + 25);
	case COMMAND_scale_down:
		return set_scale(app, app->scale - 25);
	case COMMAND_scale_reset:
		if (arg != NULL && (atoi(arg) < 50 || atoi(arg) > 300))
			return false;
		return set_scale(app, arg != NULL ? atoi(arg) : app->first_scale);
	case COMMAND_frame_overlay:
		app->stats_shown = !app->stats_shown;
		app_dirty(app, PANEL_MODAL);
		return true;
	case COMMAND_next_focus:
	case COMMAND_prev_focus:
		move_focus(app, id == COMMAND_next_focus ? 1 : -1);
		return true;
	case COMMAND_back:
		return go_back(app);
	case COMMAND_quit:
		app->quit = true;
		return true;
	default:
		return false;
	}
}

static bool possible(struct app *app, enum command_when when)
{
	switch (when) {
	case WHEN_ANY:
		return true;
	case WHEN_DATA:
		if (app->snapshot == NULL)
			app_toast(app, "No snapshot yet");
		return app->snapshot != NULL;
	case WHEN_LIVE:
		if (app->state != SOURCE_LIVE)
			app_toast(app, "Not connected");
		return app->state == SOURCE_LIVE;
	case WHEN_IDLE:
		if (app->pending_connection.address[0] != 0)
			return true;
		if (app->state == SOURCE_LIVE || app->state == SOURCE_CONNECTING)
			app_toast(app, "Already connected");
		return app->state != SOURCE_LIVE && app->state != SOURCE_CONNECTING;
	}
	return false;
}

bool app_command(struct app *app, enum command_id id, const char *argument)
{
	if (argument != NULL && *argument == 0)
		argument = NULL;
	if (!app->view_state.running) {
		layouts_note(app); /* each command is a step of its own */
		view_state_touch(app);
	}
	/* A saved width does not need what it is beside. */
	const bool restores = app->view_state.running && id == COMMAND_side_wider;
	if (app->at_start && command_at(id)->when == WHEN_DATA && !restores)
		app_show_start(app, false);
	if (!app->at_start && app->view->command(app->view_self, app, id, argument))
		return true;
	bool done;
	if (event_history_command(app, id, argument, &done))
		return done;
	if (!restores && !possible(app, command_at(id)->when))
		return false;
	if (app_view_command(app, id, argument) || replay_command(app, id, argument))
		return true;
	if (id == COMMAND_record)
		return record_toggle(app, argument);
	if (id == COMMAND_copy || id == COMMAND_export_png || id == COMMAND_export_svg ||
	    id == COMMAND_dump)
		return app_output_command(app, id, argument);
	return run_program_command(app, id, argument) || run_space_command(app, id, argument) ||
	       run_window_command(app, id, argument);
}
