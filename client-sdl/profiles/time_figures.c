#include "time_figures.h"

#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "hash.h"
#include "now.h"

enum { SLICE = 32, NS_PER_MS = 1000000 };

/* A request with its result; the result's sites borrow its texts. */
struct figures_job {
	struct work work;
	atomic_uint *newest;
	unsigned number;
	struct figures_subject of;
	struct event_history_file file[EVENT_HISTORY_FILES], profile_file[EVENT_HISTORY_FILES];
	uint32_t files, profile_files;
	/* Without files: the newest snapshots. */
	struct gcs_snapshot *recent[EVENT_HISTORY_RECENT];
	uint32_t recent_count;
	struct profiles_libraries libraries;
	bool partly; /* older events are kept only in part, and left out */
	/* The result. */
	struct gcs_stats *stats;
	bool spaceless;
	uint64_t took_ms;
	struct gcs_error err;
};

static void drop(struct work *work)
{
	struct figures_job *job = (struct figures_job *)work;
	gcs_stats_free(job->stats);
	for (uint32_t i = 0; i < job->recent_count; i++)
		gcs_snapshot_unref(job->recent[i]);
	free(job);
}

static bool cancelled(const struct figures_job *job)
{
	return atomic_load(job->newest) != job->number;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The places of a file's events within a time; false if there are none. */
static bool places_of(
    struct gcs_trace *trace, uint64_t from_ns, uint64_t to_ns, uint64_t *first, uint64_t *last)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	if (info.events == 0 || info.last_time_ns < from_ns)
		return false;
	*first = gcs_trace_find(trace, from_ns);
	*last = to_ns == UINT64_MAX ? info.events - 1 : gcs_trace_find(trace, to_ns);
	struct gcs_snapshot *s = gcs_trace_moment(trace, *first, NULL);
	const bool early = s != NULL && gcs_snapshot_occurrence(s)->time_ns < from_ns;
	gcs_snapshot_unref(s);
	*first += early;
	return *first <= *last && *last < info.events;
}

/* The part of the range that a file is used for; what the one before has is left out. */
static bool open_part(const struct figures_job *job, const struct event_history_file *file,
    uint64_t after_ns, struct gcs_trace **trace, uint64_t *first, uint64_t *last)
{
	const bool on = job->of.range.on;
	const uint64_t from = later(later(file->from_ns, after_ns), on ? job->of.range.from_ns : 0);
	const uint64_t to = on ? job->of.range.to_ns : UINT64_MAX;
	if (from > to)
		return false;
	*trace = gcs_trace_open(file->path, NULL);
	if (*trace != NULL && places_of(*trace, from, to, first, last))
		return true;
	gcs_trace_close(*trace);
	*trace = NULL;
	return false;
}

static bool add_events(struct figures_job *job, struct gcs_stats_builder *b,
    const struct event_history_file *file, uint64_t *after_ns)
{
	struct gcs_trace *trace;
	uint64_t first, last;
	if (!open_part(job, file, *after_ns, &trace, &first, &last))
		return true;
	bool ok = true;
	for (uint64_t at = first; ok && at <= last; at += SLICE) {
		const uint64_t end = at + SLICE - 1 < last ? at + SLICE - 1 : last;
		ok = !cancelled(job) &&
		     gcs_stats_add_trace(b, trace, at, end, !job->spaceless, &job->err) == GCS_OK;
	}
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	*after_ns = later(*after_ns, info.last_time_ns + 1);
	gcs_trace_close(trace);
	return ok;
}

static bool add_profiles(struct figures_job *job, struct gcs_stats_builder *b)
{
	uint64_t after_ns = 0;
	bool ok = true;
	for (uint32_t i = 0; ok && i < job->profile_files; i++) {
		struct gcs_trace *trace;
		uint64_t first, last;
		if (!open_part(job, &job->profile_file[i], after_ns, &trace, &first, &last))
			continue;
		struct gcs_trace_info info;
		gcs_trace_get_info(trace, &info);
		ok = !cancelled(job) && gcs_stats_add_trace_profiles(b, trace, first, last,
					    job->profile_files, &job->err) == GCS_OK;
		after_ns = later(after_ns, info.last_time_ns + 1);
		gcs_trace_close(trace);
	}
	return ok;
}

static bool add_recent(struct figures_job *job, struct gcs_stats_builder *b)
{
	const struct event_history_range *range = &job->of.range;
	bool ok = true;
	for (uint32_t i = 0; ok && i < job->recent_count; i++) {
		const uint64_t at = gcs_snapshot_occurrence(job->recent[i])->time_ns;
		if (!range->on || (at >= range->from_ns && at <= range->to_ns))
			ok = gcs_stats_add(b, job->recent[i], i) == GCS_OK;
	}
	return ok;
}

/* Events are counted before any is read, to decide whether with their spaces. */
static void count_events(struct figures_job *job)
{
	uint64_t after_ns = 0, count = 0, first, last;
	struct gcs_trace *trace;
	for (uint32_t i = 0; i < job->files; i++) {
		if (!open_part(job, &job->file[i], after_ns, &trace, &first, &last))
			continue;
		count += last - first + 1;
		gcs_trace_close(trace);
	}
	job->spaceless = count > TIME_FIGURES_WHOLE;
}

static void run(struct work *work)
{
	struct figures_job *job = (struct figures_job *)work;
	const uint64_t start = now_ns();
	struct gcs_stats_builder *b = gcs_stats_begin();
	if (b == NULL) {
		gcs_fail(&job->err, GCS_NOMEM, "no memory for the figures");
		return;
	}
	if (job->files == 0 && job->recent_count == 0) {
		gcs_stats_drop(b);
		gcs_fail(&job->err, GCS_STATE, "nothing of the history is kept in this window");
		return;
	}
	gcs_stats_skip_streams(b);
	gcs_stats_set_libraries(b, job->libraries.prefix);
	gcs_stats_list_survivors(b, job->of.by);
	count_events(job);
	uint64_t after_ns = 0;
	bool ok = add_recent(job, b);
	for (uint32_t i = 0; ok && i < job->files; i++)
		ok = add_events(job, b, &job->file[i], &after_ns);
	ok = ok && add_profiles(job, b);
	if (!job->of.range.on)
		gcs_stats_to_the_end(b);
	if (!ok)
		gcs_stats_drop(b);
	else if ((job->stats = gcs_stats_finish(b)) == NULL)
		gcs_fail(&job->err, GCS_NOMEM, "no memory for the figures");
	job->took_ms = (now_ns() - start) / NS_PER_MS;
}

static uint32_t hash_libraries(const struct app *app)
{
	return (uint32_t)hash_text(HASH_BEGIN, app->profiles.libraries.text);
}

static struct figures_subject subject_of(const struct app *app)
{
	const struct event_history *p = &app->event_history;
	const bool replay = app->replay.on;
	return (struct figures_subject){.program = app->program,
	    .connection = replay ? app->connection : 0,
	    .events = replay ? app->replay.at.events : p->events,
	    .profiles = replay ? 0 : p->profiles,
	    .range = app->range,
	    .by = app->figures.by,
	    .libraries = hash_libraries(app)};
}

static bool same_subject(const struct figures_subject *a, const struct figures_subject *b)
{
	return a->program == b->program && a->connection == b->connection && a->by == b->by &&
	       a->libraries == b->libraries && a->range.on == b->range.on &&
	       (!a->range.on ||
		   (a->range.from_ns == b->range.from_ns && a->range.to_ns == b->range.to_ns));
}

/* The subject is the same, and so is what it holds. */
static bool is_current(const struct figures_subject *a, const struct figures_subject *b)
{
	return same_subject(a, b) && a->events == b->events && a->profiles == b->profiles;
}

static void copy_libraries(struct profiles_libraries *to, const struct profiles_libraries *from)
{
	*to = *from;
	for (int i = 0; i <= PROFILES_LIBRARIES && from->prefix[i] != NULL; i++)
		to->prefix[i] = to->split + (from->prefix[i] - from->split);
}

/* Files in which one of several events is kept would make pauses and rates wrong. */
static void choose_files(struct app *app, struct figures_job *job)
{
	struct event_history_file all[EVENT_HISTORY_FILES];
	const uint32_t n = event_history_files(app, all, EVENT_HISTORY_FILES);
	for (uint32_t i = 0; i < n; i++) {
		if (all[i].stride == 1)
			job->file[job->files++] = all[i];
		else
			job->partly = true;
	}
	job->profile_files =
	    event_history_profile_files(app, job->profile_file, EVENT_HISTORY_FILES);
	const struct event_history *p = &app->event_history;
	if (job->files > 0 || app->replay.on)
		return;
	for (uint32_t i = 0; i < p->recent_count; i++)
		job->recent[job->recent_count++] =
		    gcs_snapshot_ref(p->recent[(p->recent_first + i) % EVENT_HISTORY_RECENT]);
	job->partly = p->recent_count < p->events;
}

static void ask(struct app *app, const struct figures_subject *subject)
{
	struct time_figures *f = &app->figures;
	struct figures_job *job = calloc(1, sizeof *job);
	if (job == NULL)
		return;
	job->work = (struct work){.run = run, .drop = drop};
	job->newest = &f->newest;
	job->number = atomic_fetch_add(&f->newest, 1) + 1;
	job->of = f->asked = *subject;
	copy_libraries(&job->libraries, &app->profiles.libraries);
	choose_files(app, job);
	f->reading = true;
	worker_give(&f->worker, &job->work);
}

void time_figures_init(struct app *app)
{
	struct time_figures *f = &app->figures;
	f->by = GCS_SITES_BY_FRAME;
	f->worker.wake = app->wake;
	f->worker.wake_context = app->wake_context;
	atomic_init(&f->newest, 0);
}

void time_figures_fini(struct app *app)
{
	struct time_figures *f = &app->figures;
	atomic_fetch_add(&f->newest, 1);
	worker_fini(&f->worker);
	if (f->done != NULL)
		drop(&f->done->work);
	f->done = NULL;
}

/* False just after connecting: the first snapshot is not of an event. */
static bool has_events(const struct app *app)
{
	return app->replay.on || app->event_history.events > 0;
}

/* Changes of a recording, of the range and the like are followed at once, new events from time to
 * time. */
void time_figures_tick(void *self, struct app *app)
{
	struct time_figures *f = &app->figures;
	const struct figures_subject now = subject_of(app);
	(void)self;
	if (app->snapshot == NULL || !has_events(app) || (app->replay.on && !app->replay.whole) ||
	    is_current(&f->asked, &now))
		return;
	if (f->asked.program != 0 && same_subject(&f->asked, &now) &&
	    (f->reading || app->now_ms < f->due_ms))
		return;
	ask(app, &now);
}

uint64_t time_figures_due_ms(void *self, const struct app *app)
{
	const struct time_figures *f = &app->figures;
	const struct figures_subject now = subject_of(app);
	(void)self;
	if (app->snapshot == NULL || !has_events(app) || f->reading || is_current(&f->asked, &now))
		return UINT64_MAX;
	return f->due_ms;
}

bool time_figures_settled(void *self, struct app *app)
{
	const struct figures_subject now = subject_of(app);
	(void)self;
	time_figures_tick(NULL, app);
	return app->snapshot != NULL && !app->figures.reading &&
	       (!has_events(app) || is_current(&app->figures.asked, &now));
}

static bool shows_figures(const struct app *app)
{
	return app->view_id == VIEW_OVERVIEW || app->view_id == VIEW_LEAKS;
}

void time_figures_poll(struct app *app)
{
	struct time_figures *f = &app->figures;
	struct figures_job *job = (struct figures_job *)worker_take(&f->worker);
	if (job == NULL)
		return;
	if (cancelled(job)) {
		drop(&job->work);
		return;
	}
	if (f->done != NULL)
		drop(&f->done->work);
	f->done = job;
	f->reading = false;
	f->version++;
	const uint64_t pause = job->took_ms * TIME_FIGURES_SHARE;
	f->due_ms =
	    app->now_ms + (pause > TIME_FIGURES_REFRESH_MS ? pause : TIME_FIGURES_REFRESH_MS);
	if (shows_figures(app)) {
		app_dirty(app, PANEL_VIEW);
		app_dirty(app, PANEL_SIDE);
		app->view_all = true;
	}
}

/* The newest result, if it is about what is shown now. */
static const struct figures_job *shown_job(const struct app *app)
{
	const struct figures_subject now = subject_of(app);
	const struct figures_job *job = app->figures.done;
	return job != NULL && same_subject(&job->of, &now) ? job : NULL;
}

/* The snapshot of a connection has the counters of what happened before. */
const char *time_figures_no_event(const struct app *app)
{
	const struct gcs_model *model = app_model(app);
	bool any = false;
	if (has_events(app))
		return NULL;
	for (uint32_t i = 0; app->snapshot != NULL && model != NULL && i < model->event_count;
	     i++) {
		const bool some = gcs_snapshot_counter(app->snapshot, i) > 0;
		if (some && strncmp(model->events[i].name, "GC", 2) == 0)
			return "no collection since this window connected";
		any = any || some;
	}
	return any ? "no event since this window connected" : "waiting for the first collection";
}

const struct gcs_stats *time_figures(const struct app *app, const char **why)
{
	const struct figures_job *job = shown_job(app);
	const char *none = time_figures_no_event(app);
	*why = job == NULL          ? none != NULL ? none : "reading the history \xe2\x80\xa6"
	       : job->stats == NULL ? job->err.text
				    : "";
	return job != NULL ? job->stats : NULL;
}

const char *time_figures_remark(const struct app *app)
{
	const struct figures_job *job = shown_job(app);
	return job != NULL && job->partly
		   ? "Older events are kept only in part; the figures are of the newest"
		   : "";
}

const char *time_figures_spaceless(const struct app *app)
{
	const struct figures_job *job = shown_job(app);
	return job != NULL && job->spaceless
		   ? "more than 4,000 events, which are read without spaces: select a shorter time"
		   : "";
}

void time_figures_join(struct app *app, enum gcs_sites_by by)
{
	app->figures.by = by;
	time_figures_tick(NULL, app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
	app->view_all = true;
}

char *time_figures_reason(char *text, size_t size, const char *reason)
{
	const char *command = strstr(reason, "; gcspy ");
	snprintf(text, size, "%.*s",
	    (int)(command != NULL ? command - reason : (long)strlen(reason)), reason);
	return text;
}
