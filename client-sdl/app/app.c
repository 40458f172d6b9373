/* The snapshot that is shown, and what is chosen in it. */
#include "app.h"
#include "browser.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

bool app_init(struct app *app, const struct app_options *options, struct gcs_error *err)
{
	memset(app, 0, sizeof *app);
	app->make_fonts = options->make_fonts;
	app->opener = options->opener;
	app->theme = options->theme;
	app->scale = app->first_scale = options->scale;
	app->now_ms = options->now_ms;
	app->active_space = GCS_NONE;
	app->selected.space = app->hovered.space = GCS_NONE;
	app->auto_retry = true;
	app->side_shown = true;
	app->ui.cv = &app->cv;
	app->ui.fonts = &app->fonts;
	app->ui.theme = theme_at(app->theme);
	app->ui.scale = app->scale;
	app->ui.mouse_x = app->ui.mouse_y = -1;
	app->ui.clipboard = options->clipboard;
	app->wake = options->wake;
	app->wake_context = options->wake_context;
	app->drop = options->drop;
	app->agent_path = options->agent_path;
	app->sample_path = options->sample_path;
	app->tool_path = options->tool_path;
	app->guided = options->guided;
	app->event_history.history_bytes = options->history_bytes;
	app->event_history.speed = 1;
	if (!cv_init(&app->cv, options->width, options->height)) {
		gcs_fail(err, GCS_ARGUMENT, "cannot create a window of %d x %d pixels",
		    options->width, options->height);
		return false;
	}
	if (!app->make_fonts(&app->fonts, app->scale)) {
		gcs_fail(err, GCS_UNSUPPORTED,
		    "font: no DejaVu Sans found (install fonts-dejavu-core, or use --font block)");
		goto fail;
	}
	profiles_init(app);
	time_figures_init(app);
	if (!app_open_views(app, err))
		goto fail;
	app->side_width = ui_px(&app->ui, 300);
	app_layout(app);
	layouts_begin(app);
	return true;
fail:
	app_fini(app);
	return false;
}

void app_fini(struct app *app)
{
	view_state_end(app);
	layouts_fini(app);
	browser_free(app->browser);
	local_jvms_fini(app);
	record_fini(app);
	pending_connection_end(app);
	if (app->source.ops != NULL)
		app->source.ops->close(app->source.self);
	app_close_views(app);
	time_figures_fini(app);
	event_history_fini(app);
	profiles_fini(app);
	gcs_snapshot_unref(app->snapshot);
	overview_fini(&app->replay.overview);
	free(app->stream_of);
	free(app->group_closed);
	layer_fini(&app->layer_modal);
	layer_fini(&app->layer_tip);
	layer_fini(&app->layer_toast);
	layer_fini(&app->layer_stats);
	fonts_fini(&app->fonts);
	cv_fini(&app->cv);
	memset(app, 0, sizeof *app);
}

const struct gcs_model *app_model(const struct app *app)
{
	return app->snapshot != NULL ? gcs_snapshot_model(app->snapshot) : NULL;
}

const struct gcs_space *app_space(const struct app *app, uint32_t space)
{
	const struct gcs_model *model = app_model(app);
	return model != NULL && space < model->space_count ? &model->spaces[space] : NULL;
}

bool app_shows(const struct app *app, uint32_t space)
{
	const struct gcs_space *s = app_space(app, space);
	return s != NULL && !s->gone && !tile_zoom_hides(app, space);
}

bool app_is_old(const struct app *app)
{
	return app->state != SOURCE_LIVE;
}

/* Another description: choices and selection that still make sense are kept. */
static void adopt_model(struct app *app, const struct gcs_model *old, const struct gcs_model *model)
{
	uint32_t *streams = calloc(model->space_count + 1, sizeof *streams);
	bool *closed = calloc(model->group_count + 1, sizeof *closed);
	if (streams == NULL || closed == NULL) {
		free(streams);
		free(closed);
		app->space_count = 0;
		app->group_count = 0;
		return;
	}
	for (uint32_t i = 0; i < model->space_count; i++) {
		const struct gcs_space *s = &model->spaces[i];
		streams[i] = s->default_stream;
		if (old == NULL || i >= app->space_count)
			continue;
		const struct gcs_space *before = &old->spaces[i];
		uint32_t chosen = app->stream_of[i];
		if (strcmp(before->name, s->name) == 0 && chosen < before->stream_count) {
			uint32_t same = gcs_space_find_stream(s, before->streams[chosen].name);
			streams[i] = same != GCS_NONE ? same : s->default_stream;
		}
	}
	/* The groups of another server are different ones. */
	for (uint32_t i = 0; old != NULL && i < model->group_count && i < app->group_count; i++)
		closed[i] =
		    app->group_closed[i] && strcmp(old->groups[i].name, model->groups[i].name) == 0;
	free(app->stream_of);
	free(app->group_closed);
	app->stream_of = streams;
	app->group_closed = closed;
	app->space_count = model->space_count;
	app->group_count = model->group_count;
}

/* Ensures that the active space exists: otherwise the main one, otherwise the first. */
void app_settle(struct app *app)
{
	const struct gcs_model *model = app_model(app);
	if (app_shows(app, app->active_space))
		return;
	app->active_space = GCS_NONE;
	for (uint32_t i = model->space_count; i-- > 0;) {
		if (app_shows(app, i))
			app->active_space = i;
	}
	for (uint32_t i = 0; i < model->space_count; i++) {
		if (app_shows(app, i) && model->spaces[i].main) {
			app->active_space = i;
			break;
		}
	}
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static void settle_ref(const struct gcs_snapshot *snapshot, struct tile_ref *ref)
{
	if (ref->space == GCS_NONE)
		return;
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	if (ref->space >= model->space_count || model->spaces[ref->space].gone ||
	    ref->tile >= gcs_snapshot_tiles(snapshot, ref->space))
		ref->space = GCS_NONE;
}

/* Names the server if it differs from the previous one: the snapshots may look alike. */
static void meet(struct app *app, const struct gcs_model *model, bool first)
{
	snprintf(app->server, sizeof app->server, "%s", model->server_name);
	if (!first && app->pictured != app->connection)
		app_toast(app, "%s %.200s",
		    app->source.ops != NULL && app->source.ops->file ? "Opened a recording of"
								     : "Connected to",
		    model->server_name);
	view_state_server(app);
}

/* Asks what is under the pointer for its tooltip again, as if the pointer had moved there now. */
static void renew_tip(struct app *app)
{
	struct ui *ui = &app->ui;
	if (app->hovered.space != GCS_NONE || ui->tip[0] != 0 || app->modal == MODAL_INFO)
		app_dirty(app, PANEL_MODAL);
	if (app->hovered.space != GCS_NONE || ui->tip[0] == 0)
		return;
	if (app->modal == MODAL_NONE && ui->active == 0 &&
	    rect_has(ui->tip_at, ui->mouse_x, ui->mouse_y))
		app_event(
		    app, &(struct ui_event){.kind = EV_MOVE, .x = ui->mouse_x, .y = ui->mouse_y});
	else
		ui->tip[0] = 0;
}

void app_show(struct app *app, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *old = app_model(app);
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	const bool described = old != model;
	view_state_before(app, model);
	if (described)
		adopt_model(app, old, model);
	if (old == NULL || strcmp(old->server_name, model->server_name) != 0)
		app->active_space = GCS_NONE;
	struct gcs_snapshot *next = gcs_snapshot_ref(snapshot);
	app->stats.skipped += app->stats.pending;
	app->stats.pending = true;
	bool first = app->snapshot == NULL;
	gcs_snapshot_unref(app->snapshot);
	app->snapshot = next;
	if (old == NULL || strcmp(app->server, model->server_name) != 0)
		meet(app, model, old == NULL);
	app->pictured = app->connection;
	if (app->greeted != app->connection && app->source.ops != NULL)
		app_greet(app);
	if (described)
		app_describe_views(app);
	app_settle(app);
	settle_ref(snapshot, &app->selected);
	settle_ref(snapshot, &app->hovered);
	tile_zoom_shown(app);
	if (first)
		app_layout(app);
	app_dirty(app, PANEL_HEADER);
	app_dirty(app, PANEL_TIMELINE);
	if (app->view->of_snapshot) {
		app_dirty(app, PANEL_VIEW);
		app_dirty(app, PANEL_SIDE);
	}
	renew_tip(app);
}

/* The first snapshot of a connection tells whether it shows another program than the one before. */
static void meet_program(struct app *app, const struct gcs_snapshot *snapshot)
{
	if (app->met == app->connection)
		return;
	app->met = app->connection;
	if (!event_history_meet(app, snapshot))
		return;
	app->program++;
	profiles_forget(app);
	app->selected.space = app->hovered.space = GCS_NONE;
}

static void note_event(struct app *app, const struct gcs_snapshot *snapshot)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	meet_program(app, snapshot);
	app->stats.snapshots++;
	record_snapshot(app, snapshot);
	app_note_views(app, snapshot);
	if (app->replay.on)
		replay_note(app, snapshot);
	if (o->event == GCS_NONE)
		return;
	app->events++;
	app->heard_ms = app->now_ms;
	event_history_note(app, snapshot);
}

static struct gcs_snapshot *next_snapshot(struct app *app)
{
	struct gcs_snapshot *first = app->pending_connection.first;
	app->pending_connection.first = NULL;
	return first != NULL ? first : app->source.ops->next(app->source.self);
}

static void poll_snapshots(struct app *app)
{
	struct gcs_snapshot *newest = NULL;
	struct gcs_snapshot *s;
	while ((s = next_snapshot(app)) != NULL) {
		note_event(app, s);
		if (newest != NULL)
			app->stats.skipped++;
		gcs_snapshot_unref(newest);
		newest = s;
	}
	if (newest != NULL)
		event_history_picture(app, newest);
	gcs_snapshot_unref(newest);
}

void app_poll(struct app *app)
{
	record_poll(app);
	browser_poll(app);
	local_jvms_poll(app);
	pending_connection_poll(app);
	if (app->source.ops != NULL)
		replay_poll(app);
	event_history_poll(app);
	time_figures_poll(app);
	if (app->source.ops == NULL)
		return;
	poll_snapshots(app);
	app_poll_state(app);
	app_guide(app);
	tile_zoom_poll(app);
	app_poll_views(app);
	collect_poll(app);
	requests_poll(app);
	char text[256];
	uint32_t n = app->source.ops->notice(app->source.self, text, sizeof text);
	if (n != 0 && n != app->notice) {
		app->notice = n;
		app_toast(app, "%s%s", app->source.ops->file ? "" : "Server: ", text);
	}
}

void app_select(struct app *app, uint32_t space, uint32_t tile)
{
	app->selected = (struct tile_ref){space, tile};
	if (space != GCS_NONE)
		app_activate(app, space);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void app_activate(struct app *app, uint32_t space)
{
	if (space == app->active_space)
		return;
	app->active_space = space;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

void app_set_stream(struct app *app, uint32_t space, uint32_t stream)
{
	const struct gcs_space *s = app_space(app, space);
	if (s == NULL || space >= app->space_count || stream >= s->stream_count)
		return;
	app->stream_of[space] = stream;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

bool app_group_open(const struct app *app, uint32_t group)
{
	const struct gcs_model *model = app_model(app);
	while (model != NULL && group < model->group_count) {
		if (group < app->group_count && app->group_closed[group])
			return false;
		group = model->groups[group].parent;
	}
	return true;
}

void app_toggle_group(struct app *app, uint32_t group)
{
	if (group >= app->group_count)
		return;
	app->group_closed[group] = !app->group_closed[group];
	if (app->source.ops != NULL)
		app->source.ops->collapse(app->source.self, group, app->group_closed[group]);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}
