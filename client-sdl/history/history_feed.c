/* Where the rows of a history graph come from: received snapshots, and files. Declared in
 * history_view.h. */
#include <stdio.h>
#include <string.h>

#include "history_view.h"

#define AT_ONCE 256 /* rows taken from the reader at a time */

/* True for a recording: all events are in its file. */
static bool of_file(const struct app *app)
{
	return app->source.ops != NULL && app->source.ops->file;
}

/* The lanes for the first snapshot after a change of the selection; false without a snapshot. */
static bool resolve(struct hist_view *v, const struct gcs_model *model)
{
	struct hist_lane lanes[HIST_LANES];
	if (v->resolved)
		return true;
	uint32_t n = hist_resolve(&v->choice, model, lanes);
	hist_graph_clear(&v->graph, lanes, n);
	hist_graph_clear(&v->tail, lanes, n);
	hist_maker_init(&v->maker, lanes, n, hist_columns((uint32_t)v->set.rows, n));
	hist_graph_describe(&v->graph, model);
	snprintf(v->server, sizeof v->server, "%s", model->server_name);
	v->resolved = n > 0;
	v->wanted = true;
	return v->resolved;
}

static void add(struct hist_view *v, struct app *app, const struct gcs_snapshot *s)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	struct hist_graph *g = v->reading ? &v->tail : &v->graph;
	struct hist_row row;
	if (o->event == GCS_NONE ||
	    (g->count > 0 && o->time_ns <= hist_row_at(g, g->count - 1)->last_ns))
		return;
	if (!hist_make(&v->maker, s, 1, &row)) {
		app_toast(app, "Not enough memory for the history");
		return;
	}
	hist_graph_push(g, &row);
	hist_graph_describe(&v->graph, gcs_snapshot_model(s));
	if (app->view_id == VIEW_HISTORY)
		app_dirty(app, PANEL_VIEW);
}

static void forget(struct hist_view *v, struct app *app)
{
	hist_reader_stop(v->reader);
	v->resolved = v->reading = false;
	v->has_cursor = false;
	v->pending.space = GCS_NONE;
	v->top = 0;
	hist_graph_clear(&v->graph, NULL, 0);
	hist_graph_clear(&v->tail, NULL, 0);
	hist_dirty(app);
}

void hist_restart(struct hist_view *v, struct app *app)
{
	forget(v, app);
	if (app->snapshot != NULL && resolve(v, app_model(app)) && !of_file(app) && v->set.collect)
		add(v, app, app->snapshot);
	app_tick_view(app);
}

/* Starts over for another program or file; continues after a lost connection. */
static void meet_program(struct hist_view *v, struct app *app)
{
	if (v->program == app->program)
		return;
	v->program = app->program;
	forget(v, app);
}

void hist_note(void *self, struct app *app, const struct gcs_snapshot *s)
{
	struct hist_view *v = self;
	const struct gcs_model *model = gcs_snapshot_model(s);
	meet_program(v, app);
	if (app->view_id == VIEW_HISTORY)
		app_dirty(app, PANEL_VIEW);
	if (model != v->graph.model)
		app_dirty(app, PANEL_SIDE);
	const struct hist_graph *g = v->tail.count > 0 ? &v->tail : &v->graph;
	/* A clock that runs backwards belongs to another server, unless a recording is played. */
	bool back = g->count > 0 && !app->replay.on &&
		    gcs_snapshot_occurrence(s)->time_ns < hist_row_at(g, g->count - 1)->time_ns;
	if (v->resolved && (back || strcmp(v->server, model->server_name) != 0)) {
		v->resolved = false;
		hist_reader_stop(v->reader);
		v->reading = false;
	}
	if (!resolve(v, model) || of_file(app) || !v->set.collect)
		return;
	add(v, app, s);
}

void hist_want(struct hist_view *v, struct app *app)
{
	/* Merged rows of a live program stay merged. */
	if (!of_file(app))
		return;
	v->wanted = true;
	app_tick_view(app);
}

/* Starts reading the history, if there is any. Snapshots that arrive meanwhile go to `tail`. */
static void start(struct hist_view *v, struct app *app)
{
	static struct hist_job job; /* large; only one thread gets here */
	memset(&job, 0, sizeof job);
	job.files = event_history_files(app, job.file, EVENT_HISTORY_FILES);
	v->wanted = false;
	if (job.files == 0 || v->graph.lanes == 0)
		return;
	memcpy(job.lane, v->graph.lane, sizeof job.lane);
	job.lanes = v->graph.lanes;
	for (uint32_t i = 0; i < job.lanes; i++)
		job.lane[i].shift = 0;
	job.limit = (uint32_t)v->set.rows;
	job.newest = v->set.newest;
	job.until_ns = UINT64_MAX;
	job.recording = of_file(app);
	struct hist_graph *now = v->reading ? &v->tail : &v->graph;
	if (!of_file(app) && now->count > 0) {
		/* Received events are not read again. */
		if (!v->reading) {
			struct hist_graph swap = v->tail;
			v->tail = v->graph;
			v->graph = swap;
			hist_graph_describe(&v->graph, v->tail.model);
		}
		job.until_ns = hist_row_at(&v->tail, 0)->time_ns;
	}
	hist_graph_clear(&v->graph, job.lane, job.lanes);
	hist_graph_describe(&v->graph, app_model(app));
	v->reading = hist_reader_start(v->reader, &job);
	if (!v->reading)
		app_toast(app, "Cannot start a thread to read the history");
}

/* Appends the rows that arrived while the history was read. */
static void join_tail(struct hist_view *v)
{
	struct hist_graph *tail = &v->tail;
	for (uint32_t i = 0; i < tail->count; i++) {
		struct hist_row *row = (struct hist_row *)(uintptr_t)hist_row_at(tail, i);
		const struct hist_row *last =
		    v->graph.count > 0 ? hist_row_at(&v->graph, v->graph.count - 1) : NULL;
		if (last == NULL || row->last_ns > last->last_ns)
			hist_graph_push(&v->graph, row);
		else
			hist_row_free(row);
	}
	tail->count = 0;
	hist_graph_clear(tail, v->graph.lane, v->graph.lanes);
}

static void take_rows(struct hist_view *v, struct app *app)
{
	struct hist_row row;
	struct gcs_model *model;
	int n = 0;
	while (n < AT_ONCE && hist_reader_next(v->reader, &row, &model)) {
		hist_graph_push(&v->graph, &row);
		if (model != NULL)
			hist_graph_describe(&v->graph, model);
		gcs_model_unref(model);
		n++;
	}
	const struct hist_progress before = v->progress;
	hist_reader_progress(v->reader, &v->progress);
	if (n == AT_ONCE && app->wake != NULL)
		app->wake(app->wake_context);
	if (!v->progress.running) {
		v->graph.given_up += v->progress.left_out;
		v->reading = false;
		join_tail(v);
	}
	/* Progress is shown in whole percent. */
	if (n == 0 && v->reading && (int)(before.part * 100) == (int)(v->progress.part * 100) &&
	    before.unreadable == v->progress.unreadable)
		return;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

/* Selects the requested tile once its event is shown. */
static void select_pending(struct hist_view *v, struct app *app)
{
	struct tile_ref want = v->pending;
	if (want.space == GCS_NONE || app->snapshot == NULL)
		return;
	if (app->replay.on && gcs_snapshot_occurrence(app->snapshot)->time_ns != v->pending_ns)
		return;
	v->pending.space = GCS_NONE;
	if (app_shows(app, want.space) && want.tile < gcs_snapshot_tiles(app->snapshot, want.space))
		app_select(app, want.space, want.tile);
}

void hist_feed(void *self, struct app *app)
{
	struct hist_view *v = self;
	meet_program(v, app);
	if (v->wanted && v->resolved && app->view_id == VIEW_HISTORY && app->source.ops != NULL)
		start(v, app);
	if (v->reading)
		take_rows(v, app);
	select_pending(v, app);
	v->origin_ns = app->replay.on ? app->replay.at.first_time_ns : v->graph.base_ns;
}

bool hist_settled(void *self, struct app *app)
{
	struct hist_view *v = self;
	(void)app;
	return v->resolved && !v->wanted && !v->reading && v->pending.space == GCS_NONE;
}
