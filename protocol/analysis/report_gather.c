/* What the page is made of: the figures, and one pass more for charts and history. */
#include <string.h>

#include <gcspy/memory.h>

#include "report_look.h"
#include "report_page.h"
#include "trace_walk.h"

/* Some events are asked beforehand how many tiles the main space has. */
enum { PROBES = 16 };

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

static uint32_t probe_tiles(struct report *r, uint64_t first, uint64_t last)
{
	uint32_t most = 0;
	for (uint64_t i = 0; i <= PROBES; i++) {
		struct look_rule rule;
		uint64_t place = first + (last - first) / PROBES * i;
		struct gcs_snapshot *s = gcs_trace_at(r->trace, i == PROBES ? last : place, NULL);
		if (s != NULL && look_init(&rule, s, NULL) && rule.tiles > most)
			most = rule.tiles;
		gcs_snapshot_unref(s);
	}
	return most;
}

static enum gcs_status pass(struct report *r, uint64_t first, uint64_t last, struct gcs_error *err)
{
	struct trace_walk w;
	struct gcs_snapshot *s;
	trace_walk_begin(&w, r->trace, first, last, false);
	while ((s = trace_walk_next(&w, err)) != NULL) {
		bool good = report_series_add(&r->series, s, w.place) &&
			    history_add(&r->history, s, w.place);
		gcs_snapshot_unref(s);
		if (!good)
			return gcs_fail(err, GCS_NOMEM, "no memory for the report");
	}
	history_end(&r->history);
	r->unreadable = w.unreadable;
	return err->status;
}

enum gcs_status report_gather(struct report *r, struct gcs_error *err)
{
	uint64_t first = r->options->first, last = r->options->last;
	gcs_trace_get_info(r->trace, &r->info);
	r->model = gcs_trace_model(r->trace);
	r->stats = gcs_stats_of_trace(r->trace, first, last, err);
	if (r->stats == NULL)
		return err->status;
	last = last < r->info.events ? last : r->info.events - 1;
	report_series_init(&r->series, time_at(r->trace, first, 1), time_at(r->trace, last, -1));
	if (!history_init(&r->history, last - first + 1, probe_tiles(r, first, last)))
		return gcs_fail(err, GCS_NOMEM, "no memory for the report");
	enum gcs_status status = pass(r, first, last, err);
	r->highest_place = r->series.most_place;
	return status;
}

void report_drop(struct report *r)
{
	report_series_fini(&r->series);
	history_fini(&r->history);
	gcs_stats_free(r->stats);
	gcs_model_unref(r->model);
}
