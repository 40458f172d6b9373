#include "record.h"

#include <gcspy/format.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "app.h"
#include "record_history.h"

#define FINISH_MS 5000 /* maximum time for the disk to take the rest of the file */

struct record_end {
	pthread_t thread;
	struct gcs_recorder *recorder;
	struct record_history *history; /* written instead; NULL: none */
	char path[1024];
	uint64_t events;
	enum gcs_status status;
	struct gcs_error err;
	atomic_bool done;
	void (*wake)(void *context);
	void *context;
};

static void on_changed(void *context)
{
	struct app *app = context;
	if (app->wake != NULL)
		app->wake(app->wake_context);
}

static void put(struct app *app, const struct gcs_snapshot *snapshot)
{
	struct record *r = &app->record;
	uint64_t time_ns = gcs_snapshot_occurrence(snapshot)->time_ns;
	/* A trace goes forwards only: earlier events are in it already. */
	if (app->replay.on && time_ns <= r->last_time_ns)
		return;
	/* What the source's queue has dropped was before it. */
	const uint64_t overrun = app->source.ops->overrun(app->source.self);
	if (overrun > r->overrun)
		gcs_recorder_miss(r->recorder, overrun - r->overrun);
	r->overrun = overrun;
	r->last_time_ns = time_ns;
	r->put++;
	gcs_recorder_put(r->recorder, snapshot);
}

static bool start_recording(struct app *app, const char *path)
{
	struct record *r = &app->record;
	const struct gcs_recorder_options options = {
	    .trace = {.path = path, .number = true},
	    .finish_ms = FINISH_MS,
	    .changed = on_changed,
	    .context = app,
	};
	struct gcs_error err;
	struct gcs_recorder *recorder = gcs_recorder_create(&options, &err);
	if (recorder == NULL) {
		app_toast(app, "Cannot record: %s", err.text);
		return false;
	}
	*r = (struct record){.recorder = recorder,
	    .number = r->number + 1,
	    .begin_ms = app->now_ms,
	    .connection = app->connection,
	    .overrun = app->source.ops->overrun(app->source.self),
	    .end = r->end};
	/* Ensures that the file has a snapshot: the newest, even while an earlier one is shown. */
	if (app->snapshot != NULL)
		put(app, event_history_newest(app));
	app_toast(app, "Recording to %s", gcs_recorder_path(recorder));
	app_dirty(app, PANEL_FOOTER);
	return true;
}

static void put_profile(struct record *r, unsigned kind, const void *bytes, size_t length)
{
	free(r->profile[kind].bytes);
	r->profile[kind].bytes = NULL;
	gcs_recorder_put_profile(r->recorder, bytes, length);
}

/* Written when there is nothing newer. */
static void hold_profile(struct record *r, unsigned kind, const void *bytes, size_t length)
{
	void *copy = length <= RECORD_PROFILE_BYTES ? malloc(length) : NULL;
	if (copy != NULL)
		memcpy(copy, bytes, length);
	free(r->profile[kind].bytes);
	r->profile[kind].bytes = copy;
	r->profile[kind].length = length;
}

/* Many in a short recording; few enough in a long one to keep it small. */
static bool is_early(const struct app *app, unsigned kind)
{
	const struct record *r = &app->record;
	const uint64_t age = (app->now_ms - r->begin_ms) / 8;
	const uint64_t playback_rate = age < RECORD_PROFILE_LEAST_MS  ? RECORD_PROFILE_LEAST_MS
				       : age > RECORD_PROFILE_MOST_MS ? RECORD_PROFILE_MOST_MS
								      : age;
	return r->profile[kind].any && app->now_ms < r->profile[kind].put_ms + playback_rate;
}

void record_profile(struct app *app, const struct event_history_times *times, const void *bytes,
    size_t length, bool unasked)
{
	struct record *r = &app->record;
	event_history_profile(app, times, bytes, length);
	/* The second byte is the kind (docs/protocol.md, section 11). */
	const unsigned kind = length >= 2 ? ((const uint8_t *)bytes)[1] : GCS_PROFILE_KIND_COUNT;
	if (r->recorder == NULL || kind >= GCS_PROFILE_KIND_COUNT)
		return;
	if (unasked && is_early(app, kind)) {
		hold_profile(r, kind, bytes, length);
		return;
	}
	r->profile[kind].any = true;
	r->profile[kind].put_ms = app->now_ms;
	put_profile(r, kind, bytes, length);
}

/* Writes the profile that was held back, so that the file ends with the newest. */
static void put_last_profiles(struct record *r)
{
	for (unsigned i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		if (r->profile[i].bytes != NULL) {
			void *bytes = r->profile[i].bytes;
			r->profile[i].bytes = NULL;
			put_profile(r, i, bytes, r->profile[i].length);
			free(bytes);
		}
}

static void *finish(void *context)
{
	struct record_end *end = context;
	if (end->history != NULL)
		end->status = record_history_write(end->history, &end->events, &end->err);
	else
		end->status = gcs_recorder_finish(end->recorder, &end->err);
	atomic_store(&end->done, true);
	if (end->wake != NULL)
		end->wake(end->context);
	return NULL;
}

static void tell_end(struct app *app, const struct record_end *end)
{
	if (end->status != GCS_OK) {
		app_toast(app, "%.300s: recording failed: %.200s", end->path, end->err.text);
		return;
	}
	char folder[PATH_MAX];
	const bool named = end->path[0] == '/' || getcwd(folder, sizeof folder) == NULL;
	app_toast(app, "Recorded %" PRIu64 " event%s in %.200s%s%.200s", end->events,
	    end->events == 1 ? "" : "s", named ? "" : folder, named ? "" : "/", end->path);
}

static void take_end(struct app *app)
{
	struct record_end *end = app->record.end;
	app->record.end = NULL;
	pthread_join(end->thread, NULL);
	tell_end(app, end);
	record_history_free(end->history);
	free(end);
	app_dirty(app, PANEL_FOOTER);
}

/* Runs the end on a thread; without one, at once. */
static void begin_end(struct app *app, struct record_end *end, const char *path)
{
	struct record *r = &app->record;
	end->wake = app->wake;
	end->context = app->wake_context;
	snprintf(end->path, sizeof end->path, "%s", path);
	atomic_init(&end->done, false);
	r->end = end;
	app_dirty(app, PANEL_FOOTER);
	if (pthread_create(&end->thread, NULL, finish, end) == 0)
		return;
	finish(end);
	r->end = NULL;
	tell_end(app, end);
	record_history_free(end->history);
	free(end);
}

static bool stop(struct app *app)
{
	struct record *r = &app->record;
	if (r->end != NULL)
		take_end(app); /* a second stop: the first has had its time */
	put_last_profiles(r);
	struct record_end *end = calloc(1, sizeof *end);
	struct gcs_recorder *recorder = r->recorder;
	r->recorder = NULL;
	app_dirty(app, PANEL_FOOTER);
	if (end == NULL) {
		gcs_recorder_finish(recorder, NULL);
		return true;
	}
	end->recorder = recorder;
	gcs_recorder_get_stats(recorder, &r->stats);
	end->events = r->put - r->stats.dropped;
	begin_end(app, end, gcs_recorder_path(recorder));
	return true;
}

bool record_can_save(const struct app *app)
{
	return (app->state == SOURCE_LOST || app->state == SOURCE_NONE) && !app->replay.on &&
	       app->event_history.events > 0;
}

static bool save(struct app *app, const char *path)
{
	struct gcs_error err;
	if (app->record.end != NULL) {
		app_toast(app, "%.300s is being written", app->record.end->path);
		return false;
	}
	struct record_end *end = calloc(1, sizeof *end);
	struct record_history *history =
	    end != NULL ? record_history_create(app, path, &err) : NULL;
	if (history == NULL) {
		app_toast(app, "Cannot save: %s", end != NULL ? err.text : "out of memory");
		free(end);
		return false;
	}
	end->history = history;
	begin_end(app, end, record_history_path(history));
	return true;
}

bool record_toggle(struct app *app, const char *path)
{
	char name[64];
	if (app->record.recorder != NULL)
		return stop(app);
	if (path == NULL) {
		time_t now = time(NULL);
		struct tm local;
		localtime_r(&now, &local);
		strftime(name, sizeof name, "gcspy-%Y%m%d-%H%M%S.gcspy", &local);
		path = name;
	}
	if (record_can_save(app))
		return save(app, path);
	if (app->state == SOURCE_LIVE)
		return start_recording(app, path);
	app_toast(app, "Not connected");
	return false;
}

void record_fini(struct app *app)
{
	if (app->record.recorder != NULL)
		stop(app);
	if (app->record.end == NULL)
		return;
	record_history_stop(app->record.end->history);
	take_end(app);
}

void record_snapshot(struct app *app, const struct gcs_snapshot *snapshot)
{
	if (app->record.recorder != NULL)
		put(app, snapshot);
}

static bool same_stats(const struct gcs_recorder_stats *a, const struct gcs_recorder_stats *b)
{
	return a->events == b->events && a->bytes == b->bytes && a->dropped == b->dropped;
}

void record_poll(struct app *app)
{
	struct record *r = &app->record;
	if (r->end != NULL && atomic_load(&r->end->done))
		take_end(app);
	if (r->recorder == NULL)
		return;
	struct gcs_recorder_stats stats;
	gcs_recorder_get_stats(r->recorder, &stats);
	if (!same_stats(&stats, &r->stats))
		app_dirty(app, PANEL_FOOTER);
	r->stats = stats;
	if (stats.error.status != GCS_OK || r->connection != app->connection ||
	    app->state == SOURCE_LOST || app->state == SOURCE_NONE)
		stop(app);
}

void record_text(const struct app *app, char *text, size_t size)
{
	const struct gcs_recorder_stats *s = &app->record.stats;
	char bytes[64], lost[64] = "";
	*text = 0;
	if (app->record.end != NULL && app->record.end->history != NULL)
		snprintf(text, size, "Saving %.100s \xe2\x80\xa6", app->record.end->path);
	if (app->record.recorder == NULL)
		return;
	gcs_format_number(bytes, sizeof bytes, (int64_t)s->bytes, GCS_BYTES);
	if (s->dropped > 0)
		snprintf(lost, sizeof lost, ", %" PRIu64 " lost", s->dropped);
	snprintf(text, size, "Recording %" PRIu64 " event%s, %s%s", s->events,
	    s->events == 1 ? "" : "s", bytes, lost);
}
