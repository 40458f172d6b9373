/* What the page is made of: the figures, and another pass for charts and history. */
#include <string.h>

#include <gcspy/memory.h>

#include "report_page.h"
#include "trace_walk.h"

/* The main space of a model, or GCS_NONE. */
static uint32_t main_space_of(const struct gcs_model *m)
{
	uint32_t best = GCS_NONE;
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *s = &m->spaces[i];
		if (s->gone || s->default_stream >= s->stream_count)
			continue;
		if (s->main)
			return i;
		if (best == GCS_NONE ||
		    (s->kind == GCS_SPACE_ADDRESSES && m->spaces[best].kind != GCS_SPACE_ADDRESSES))
			best = i;
	}
	return best;
}

uint32_t report_summed(const struct gcs_space *space)
{
	for (uint32_t i = 0; i <= space->stream_count; i++) {
		uint32_t id = i == 0 ? space->default_stream : i - 1;
		enum gcs_summary_kind kind = space->streams[id].summary;
		if (kind == GCS_SUMMARY_TOTAL || kind == GCS_SUMMARY_SHARE)
			return id;
	}
	return GCS_NONE;
}

struct hist_lane report_lane(const struct gcs_space *space)
{
	struct hist_lane lane = {.most = HIST_NONE};
	memcpy(lane.space, space->name, strlen(space->name) + 1);
	const char *stream = space->streams[space->default_stream].name;
	memcpy(lane.stream, stream, strlen(stream) + 1);
	return lane;
}

enum hist_reduce report_reduce(const struct gcs_space *space)
{
	bool names = space->streams[space->default_stream].presentation == GCS_ENUM;
	return names ? HIST_MEAN : HIST_LARGEST;
}

/* The clock at the first readable event from `place` on, or back from it; 0 without one. */
static uint64_t time_at(struct gcs_trace *trace, uint64_t place, int step)
{
	struct gcs_error err;
	while ((place = gcs_trace_readable(trace, place, step)) != UINT64_MAX) {
		struct gcs_snapshot *s = gcs_trace_moment(trace, place, &err);
		if (s != NULL) {
			uint64_t ns = gcs_snapshot_occurrence(s)->time_ns;
			gcs_snapshot_unref(s);
			return ns;
		}
		if (err.status != GCS_MALFORMED || (place == 0 && step < 0))
			break;
		place = step < 0 ? place - 1 : place + 1;
	}
	return 0;
}

static void note_row(struct history_row *row, const struct gcs_snapshot *s, uint32_t space)
{
	uint32_t stream = report_summed(&gcs_snapshot_model(s)->spaces[space]), count = 0;
	const int64_t *total =
	    stream == GCS_NONE ? NULL : gcs_snapshot_summary(s, space, stream, &count);
	if (total != NULL && count != 0 && (double)total[0] > row->total)
		row->total = (double)total[0];
	const char *kind = trace_walk_kind(s, NULL);
	row->full = row->full || (kind != NULL && strncmp(kind, "Full", 4) == 0);
}

/* Adds an event to the history of the space that was the main one first; false without memory. */
static bool add_history(
    struct report *r, struct hist_maker *maker, const struct gcs_snapshot *s, uint64_t place)
{
	struct hist_graph *g = &r->history;
	const struct gcs_model *model = gcs_snapshot_model(s);
	struct hist_row row;
	if (g->model == NULL) {
		uint32_t main_space = main_space_of(model);
		if (main_space == GCS_NONE)
			return true;
		struct hist_lane lane = report_lane(&model->spaces[main_space]);
		hist_maker_init(maker, &lane, 1, HISTORY_COLUMNS);
		hist_graph_clear(g, &lane, 1);
		hist_graph_describe(g, model);
		g->stride = r->per_row;
	}
	uint32_t space = gcs_model_find_space(model, maker->lane[0].space);
	if (space == GCS_NONE || model->spaces[space].gone)
		return true;
	if (!hist_make(maker, s, 1, &row))
		return false;
	uint32_t before = g->count;
	hist_graph_push(g, &row);
	struct history_row *told = &r->rows[g->count - 1];
	if (g->count != before)
		*told = (struct history_row){.place = place, .total = -1};
	note_row(told, s, space);
	return true;
}

static enum gcs_status pass(struct report *r, uint64_t first, uint64_t last, struct gcs_error *err)
{
	struct trace_walk w;
	struct hist_maker maker = {0};
	struct gcs_snapshot *s;
	bool good = true;
	trace_walk_begin(&w, r->trace, first, last, false);
	while (good && (s = trace_walk_next(&w, err)) != NULL) {
		good =
		    report_series_add(&r->series, s, w.place) && add_history(r, &maker, s, w.place);
		gcs_snapshot_unref(s);
	}
	hist_maker_fini(&maker);
	r->unreadable = w.unreadable;
	return good ? err->status : gcs_fail(err, GCS_NOMEM, "no memory for the report");
}

enum gcs_status report_gather(struct report *r, struct gcs_error *err)
{
	uint64_t first = r->options->first, last = r->options->last;
	gcs_trace_get_info(r->trace, &r->info);
	r->stats = gcs_stats_of_trace(r->trace, first, last, r->options->libraries, err);
	if (r->stats == NULL)
		return err->status;
	last = last < r->info.events ? last : r->info.events - 1;
	report_series_init(&r->series, time_at(r->trace, first, 1), time_at(r->trace, last, -1));
	r->per_row = (last - first) / HISTORY_ROWS + 1;
	r->rows = gcs_zalloc(HISTORY_ROWS * sizeof *r->rows);
	if (r->rows == NULL || !hist_graph_limit(&r->history, HISTORY_ROWS, false))
		return gcs_fail(err, GCS_NOMEM, "no memory for the report");
	return pass(r, first, last, err);
}

void report_drop(struct report *r)
{
	report_series_fini(&r->series);
	hist_graph_fini(&r->history);
	gcs_free(r->rows);
	gcs_stats_free(r->stats);
}
