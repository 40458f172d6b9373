/* Reads profiles from files on a thread: those to compare with, and those at both ends of a time
 * range (F22, S8). Declared in profiles.h. */
#include <gcspy/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "export.h"
#include "sites_view.h"
#include "thread.h"

/* How often, and after which times, a profile is looked for that is being written. */
enum { LATE_TRIES = 10, LATE_MS = 50 };

/* The request: the last profile of a kind in a file, or those at both ends. */
struct reading {
	struct work work;
	enum gcs_profile_kind kind;
	char path[EVENT_HISTORY_PATH];
	struct event_history_range range;
	struct event_history_file file[EVENT_HISTORY_FILES];
	uint32_t files;
	uint64_t start_ns; /* of the recording; times are relative to it */
	/* The result. */
	struct gcs_profile *profile[2]; /* at the first and at the second end */
	struct gcs_error err;           /* why it failed */
	char message[256];
};

static void drop(struct work *work)
{
	struct reading *r = (struct reading *)work;
	gcs_profile_free(r->profile[0]);
	gcs_profile_free(r->profile[1]);
	free(r);
}

/* The profile with that number, or NULL. */
static struct gcs_profile *profile_of(
    struct gcs_trace *trace, uint64_t number, struct gcs_trace_profile_info *info)
{
	if (number == UINT64_MAX || !gcs_trace_profile_info(trace, number, info))
		return NULL;
	return gcs_trace_profile(trace, number, NULL);
}

static struct gcs_profile *last_of_trace(const struct reading *r, struct gcs_error *err)
{
	struct gcs_trace_profile_info info;
	struct gcs_trace *trace = gcs_trace_open(r->path, err);
	if (trace == NULL)
		return NULL;
	uint64_t number = gcs_trace_profile_before(trace, r->kind, UINT64_MAX);
	struct gcs_profile *profile = profile_of(trace, number, &info);
	if (profile == NULL)
		gcs_fail(err, GCS_STATE, "%s: no %s call sites in this recording", r->path,
		    gcs_profile_kind_word(r->kind));
	gcs_trace_close(trace);
	return profile;
}

static void read_file(struct work *work)
{
	struct reading *r = (struct reading *)work;
	if (gcs_trace_is(r->path)) {
		r->profile[0] = last_of_trace(r, &r->err);
		return;
	}
	struct gcs_profile *profile = gcs_profile_load(r->path, &r->err);
	if (profile != NULL && gcs_profile_head(profile)->kind != r->kind) {
		gcs_fail(&r->err, GCS_ARGUMENT, "%s: contains %s call sites, not %s", r->path,
		    gcs_profile_kind_word(gcs_profile_head(profile)->kind),
		    gcs_profile_kind_word(r->kind));
		gcs_profile_free(profile);
		profile = NULL;
	}
	r->profile[0] = profile;
}

void profiles_compare_file(struct app *app, const char *path)
{
	struct reading *r = calloc(1, sizeof *r);
	if (r == NULL) {
		app_toast(app, "Not enough memory to compare");
		return;
	}
	r->work = (struct work){.run = read_file, .drop = drop};
	r->kind = app->profiles.kind;
	snprintf(r->path, sizeof r->path, "%s", path);
	app->profiles.reading = true;
	worker_give(&app->profiles.loader, &r->work);
}

void profiles_base_tick(struct app *app)
{
	struct profiles_base *base = &app->profiles.base;
	if (base->path[0] != 0 && base->asked != app->profiles.kind && !app->profiles.reading)
		profiles_compare_file(app, base->path);
}

/* Both ends. */

/* Opens a file of the history as far as it is written; new entries appear in it after a moment. */
static struct gcs_trace *open_file(const struct event_history_file *file, uint64_t time_ns)
{
	struct gcs_trace *trace = gcs_trace_open(file->path, NULL);
	for (int i = 0; i < LATE_TRIES && file->profiles > 0; i++) {
		struct gcs_trace_info info = {.profiles = 0};
		if (trace != NULL)
			gcs_trace_get_info(trace, &info);
		if (info.profiles >= file->profiles || info.last_time_ns > time_ns)
			break;
		gcs_trace_close(trace);
		thread_sleep_us(1000 * LATE_MS);
		trace = gcs_trace_open(file->path, NULL);
	}
	return trace;
}

/* The first profile of the kind in a trace. */
static uint64_t first_of(const struct gcs_trace *trace, enum gcs_profile_kind kind)
{
	struct gcs_trace_profile_info info;
	for (uint64_t i = 0; gcs_trace_profile_info(trace, i, &info); i++)
		if (info.kind == kind)
			return i;
	return UINT64_MAX;
}

/* The last profile at or before a time, from the newest file back; *when: the time of its event. */
static struct gcs_profile *find_before(const struct reading *r, uint64_t time_ns, uint64_t *when)
{
	struct gcs_profile *profile = NULL;
	struct gcs_trace_profile_info info;
	for (uint32_t i = r->files; profile == NULL && i-- > 0;) {
		struct gcs_trace *trace =
		    r->file[i].from_ns <= time_ns ? open_file(&r->file[i], time_ns) : NULL;
		if (trace == NULL)
			continue;
		/* A profile recorded before the first event has a place but no time. */
		uint64_t place = gcs_trace_find(trace, time_ns);
		profile = profile_of(trace, gcs_trace_profile_before(trace, r->kind, place), &info);
		*when = profile != NULL ? info.time_ns : 0;
		gcs_trace_close(trace);
	}
	return profile;
}

static struct gcs_profile *find_first(const struct reading *r, uint64_t *when)
{
	struct gcs_profile *profile = NULL;
	struct gcs_trace_profile_info info;
	for (uint32_t i = 0; profile == NULL && i < r->files; i++) {
		struct gcs_trace *trace = open_file(&r->file[i], 0);
		if (trace == NULL)
			continue;
		profile = profile_of(trace, first_of(trace, r->kind), &info);
		*when = profile != NULL ? info.time_ns : 0;
		gcs_trace_close(trace);
	}
	return profile;
}

static char *put_when(const struct reading *r, char *text, size_t size, uint64_t time_ns)
{
	return replay_put_time(text, size, time_ns > r->start_ns ? time_ns - r->start_ns : 0);
}

/* Describes both profiles, which may be older than the ends of the range. */
static void put_ends_text(struct reading *r, uint64_t from_ns, uint64_t to_ns, bool late)
{
	char from[32], to[32], first[32], last[32], note[120];
	put_when(r, from, sizeof from, r->range.from_ns);
	put_when(r, to, sizeof to, r->range.to_ns);
	put_when(r, first, sizeof first, from_ns);
	put_when(r, last, sizeof last, to_ns);
	if (late)
		snprintf(note, sizeof note, "no profile at %s, first one from %s", from, first);
	else if (from_ns == to_ns)
		snprintf(note, sizeof note, "no profile in between, both from %s", last);
	else
		snprintf(note, sizeof note, "profiles from %s and %s", first, last);
	if (r->kind == GCS_PROFILE_ALLOCATED)
		snprintf(r->message, sizeof r->message, "Allocated between %s and %s; %s",
		    late ? first : from, to, note);
	else
		snprintf(r->message, sizeof r->message, "%s at %s compared with %s; %s",
		    gcs_profile_kind_title(r->kind), to, late ? first : from, note);
}

static void read_ends(struct work *work)
{
	struct reading *r = (struct reading *)work;
	uint64_t from_ns = 0, to_ns = 0;
	r->profile[1] = find_before(r, r->range.to_ns, &to_ns);
	r->profile[0] = r->profile[1] != NULL ? find_before(r, r->range.from_ns, &from_ns) : NULL;
	bool late = r->profile[0] == NULL && r->profile[1] != NULL;
	if (late)
		r->profile[0] = find_first(r, &from_ns);
	if (r->profile[0] != NULL && r->profile[1] != NULL) {
		put_ends_text(r, from_ns, to_ns, late);
		return;
	}
	char from[32], to[32];
	snprintf(r->message, sizeof r->message,
	    "No call sites between %s and %s; showing the newest",
	    put_when(r, from, sizeof from, r->range.from_ns),
	    put_when(r, to, sizeof to, r->range.to_ns));
	gcs_profile_free(r->profile[1]);
	r->profile[1] = NULL;
}

static void forget_ends(struct app *app)
{
	struct profiles_ends *e = &app->profiles.ends;
	shared_profile_unref(e->from);
	shared_profile_unref(e->to);
	*e = (struct profiles_ends){0};
	profiles_changed(app);
}

bool profiles_ends_are_asked(const struct app *app)
{
	const struct profiles_ends *e = &app->profiles.ends;
	return e->asked.on && e->asked.from_ns == app->range.from_ns &&
	       e->asked.to_ns == app->range.to_ns && e->kind == app->profiles.kind &&
	       e->connection == app->connection;
}

/* Requests the profiles at both ends; the previous ones are shown until they arrive. */
static void ask_ends(struct app *app, uint64_t moment)
{
	struct profiles_ends *e = &app->profiles.ends;
	uint64_t newest_ns;
	struct reading *r = calloc(1, sizeof *r);
	e->moment = moment;
	if (r == NULL)
		return;
	r->files = event_history_profile_files(app, r->file, EVENT_HISTORY_FILES);
	if (r->files == 0) {
		snprintf(e->message, sizeof e->message, "No call sites in the selected range");
		free(r);
		return;
	}
	r->work = (struct work){.run = read_ends, .drop = drop};
	r->kind = e->kind;
	r->range = app->range;
	event_history_span(app, &r->start_ns, &newest_ns);
	e->reading = true;
	worker_give(&app->profiles.reader, &r->work);
}

void profiles_ends_tick(struct app *app)
{
	struct profiles_ends *e = &app->profiles.ends;
	if (!app->range.on) {
		if (e->asked.on)
			forget_ends(app);
		return;
	}
	/* A profile that arrives later may still belong to the selected range. */
	const uint64_t moment =
	    event_history_profile_at(app, (int)app->profiles.kind, app->range.to_ns);
	if (profiles_ends_are_asked(app) && (e->moment == moment || e->reading))
		return;
	if (!profiles_ends_are_asked(app)) {
		forget_ends(app);
		e->asked = app->range;
		e->kind = app->profiles.kind;
		e->connection = app->connection;
	}
	ask_ends(app, moment);
}

static void take_ends(struct app *app, struct reading *r)
{
	struct profiles_ends *e = &app->profiles.ends;
	if (!profiles_ends_are_asked(app) || r->kind != e->kind ||
	    r->range.from_ns != e->asked.from_ns || r->range.to_ns != e->asked.to_ns)
		return;
	e->reading = false;
	shared_profile_unref(e->from);
	shared_profile_unref(e->to);
	e->from = shared_profile_new(r->profile[0]);
	e->to = shared_profile_new(r->profile[1]);
	r->profile[0] = r->profile[1] = NULL;
	snprintf(e->message, sizeof e->message, "%s", r->message);
	profiles_changed(app);
	if (profiles_are_shown(app))
		app_layout(app);
}

static void take_file(struct app *app, struct reading *r)
{
	struct profiles_base *base = &app->profiles.base;
	app->profiles.reading = false;
	if (strcmp(base->path, r->path) == 0)
		base->asked = r->kind;
	if (r->profile[0] == NULL) {
		app_toast(app, "%s", r->err.text);
		return;
	}
	shared_profile_unref(base->profile);
	base->asked = r->kind;
	memcpy(base->path, r->path, sizeof base->path);
	base->profile = shared_profile_new(r->profile[0]);
	r->profile[0] = NULL;
	const char *slash = strrchr(r->path, '/');
	sites_put_name(base->name, sizeof base->name, slash != NULL ? slash + 1 : r->path);
	profiles_changed(app);
}

void profiles_read_poll(struct app *app)
{
	struct work *ends = worker_take(&app->profiles.reader);
	struct work *file = worker_take(&app->profiles.loader);
	if (ends != NULL) {
		take_ends(app, (struct reading *)ends);
		drop(ends);
	}
	if (file != NULL) {
		take_file(app, (struct reading *)file);
		drop(file);
	}
}
