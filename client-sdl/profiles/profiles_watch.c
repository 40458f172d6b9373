#include "profiles_watch.h"

#include "app.h"

/* The order of the first round: the most used kinds first. */
static const enum gcs_profile_kind turns[] = {
    GCS_PROFILE_LIVE, GCS_PROFILE_ALLOCATED, GCS_PROFILE_RECENT, GCS_PROFILE_FREQUENT};

enum { TURNS = sizeof turns / sizeof *turns };

/* True while a history or a recording keeps profiles. */
static bool is_wanted(const struct app *app)
{
	return app->event_history.history != NULL || app->record.recorder != NULL;
}

static bool can_ask(const struct app *app)
{
	return app->state == SOURCE_LIVE && app->source.ops->query != NULL && !app->replay.on &&
	       !app->source.ops->file && app->events > 0 && is_wanted(app) && profiles_may_ask(app);
}

/* True if the state belongs to another connection, or a recording has begun without a profile. */
static bool is_new(const struct app *app)
{
	const struct profiles_watch *w = &app->profiles.watch;
	return w->connection != app->connection ||
	       (app->record.recorder != NULL && w->recording != app->record.number);
}

/* When a kind is due, ignoring the others; UINT64_MAX: nothing new can be expected. */
static uint64_t due_of(const struct app *app, enum gcs_profile_kind kind)
{
	const struct profiles_watch *w = &app->profiles.watch;
	if (!w->kind[kind].asked)
		return 0;
	if (w->kind[kind].events == app->events || (w->off && kind != turns[0]))
		return UINT64_MAX;
	return w->kind[kind].ms + WATCH_AGAIN_MS;
}

/* The kind that is due first. */
static uint64_t find_due(const struct app *app, enum gcs_profile_kind *kind)
{
	uint64_t due = UINT64_MAX;
	for (int i = 0; i < TURNS; i++) {
		const uint64_t at = due_of(app, turns[i]);
		if (at < due)
			*kind = turns[i];
		due = at < due ? at : due;
	}
	return due;
}

uint64_t profiles_watch_due_ms(const struct app *app)
{
	const struct profiles_watch *w = &app->profiles.watch;
	enum gcs_profile_kind kind;
	if (!can_ask(app))
		return UINT64_MAX;
	if (is_new(app))
		return app->now_ms;
	const uint64_t due = w->none ? UINT64_MAX : find_due(app, &kind);
	return due < w->due_ms ? w->due_ms : due;
}

void profiles_watch_asked(struct app *app, enum gcs_profile_kind kind)
{
	struct profiles_watch *w = &app->profiles.watch;
	w->kind[kind].asked = true;
	w->kind[kind].ms = app->now_ms;
	w->kind[kind].events = app->events;
}

void profiles_watch_again(struct app *app)
{
	app->profiles.watch =
	    (struct profiles_watch){.connection = app->connection, .recording = app->record.number};
}

void profiles_watch_tick(struct app *app)
{
	struct profiles_watch *w = &app->profiles.watch;
	struct profiles_fetch *f = &app->profiles.fetch;
	enum gcs_profile_kind kind = turns[0];
	if (profiles_watch_due_ms(app) > app->now_ms)
		return;
	if (is_new(app))
		profiles_watch_again(app);
	find_due(app, &kind);
	const struct gcs_info parameter = {"kind", gcs_profile_kind_word(kind)};
	profiles_watch_asked(app, kind);
	w->asked_ms = app->now_ms;
	w->due_ms = app->now_ms + WATCH_GAP_MS;
	/* Query the live program even while the views look back. */
	if (app->source.ops->query(app->source.self, "sites", 1, &parameter, &f->id) != GCS_OK)
		return;
	f->waiting = PROFILES_WATCHED;
	f->kind = kind;
	f->connection = app->connection;
}

/* How long to wait before the next query. The first round, with which the history and a recording
 * begin, is limited only by its cost. */
static uint64_t gap(const struct app *app, size_t bytes)
{
	const struct profiles_watch *w = &app->profiles.watch;
	bool all = true;
	for (int i = 0; i < TURNS; i++)
		all = all && w->kind[i].asked;
	uint64_t ms = all ? WATCH_GAP_MS : 0;
	const uint64_t traffic = (uint64_t)bytes * 1000 / WATCH_BYTES;
	const uint64_t effort = (app->now_ms - w->asked_ms) * WATCH_EFFORT;
	ms = traffic > ms ? traffic : ms;
	ms = effort > ms ? effort : ms;
	return ms < WATCH_MOST_MS ? ms : WATCH_MOST_MS;
}

/* The second byte of a profile is its kind (docs/protocol.md, section 11). Profiles that are only
 * stored are not decoded. */
static bool is_profile(const struct gcs_answer *answer, enum gcs_profile_kind kind)
{
	const uint8_t *bytes = answer->bytes;
	return answer->status == GCS_OK && answer->length >= 2 && bytes[1] == (uint8_t)kind &&
	       answer->length <= PROFILES_MOST_BYTES;
}

void profiles_watch_take(
    struct app *app, const struct gcs_answer *answer, const struct event_history_times *times)
{
	struct profiles_watch *w = &app->profiles.watch;
	const enum gcs_profile_kind kind = app->profiles.fetch.kind;
	const bool kept = is_profile(answer, kind);
	w->none = answer->status == GCS_UNSUPPORTED;
	w->off = answer->status == GCS_STATE;
	w->due_ms = app->now_ms + (kept        ? gap(app, answer->length)
				      : w->off ? WATCH_OFF_MS
					       : WATCH_GAP_MS + gap(app, answer->length));
	for (int i = 0; w->off && i < TURNS; i++)
		w->kind[i].asked = true; /* the first answer decides when to query the others */
	if (kept)
		record_profile(app, times, answer->bytes, answer->length, true);
}
