/* Queries the source for profiles, one query at a time; declared in profiles.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app.h"
#include "calls.h"
#include "flame_view.h"
#include "heap_view.h"
#include "now.h"
#include "sites_view.h"

#define DECODED_AT_ONCE (256u << 10) /* bytes of an answer that need no thread */

bool profiles_are_awaited(const struct app *app)
{
	/* A query to an earlier connection was lost with it. */
	return app->profiles.fetch.waiting != PROFILES_NOTHING &&
	       app->profiles.fetch.connection == app->connection;
}

static void take_sampling(struct app *app, uint32_t tag, const struct gcs_answer *answer)
{
	char words[256];
	(void)tag;
	sites_put_name(words, sizeof words, requests_text(answer));
	app_toast(
	    app, answer->status == GCS_OK ? "Sampling: %s" : "Sampling is not changed: %s", words);
	app->profiles.fetch.wanted = true;
	profiles_watch_again(app);
	sampling_ask_again(app);
	app_dirty(app, PANEL_VIEW);
}

bool profiles_sample(struct app *app, const char *interval)
{
	const enum gcs_status status = requests_set(app, "interval", interval, take_sampling, 0);
	if (status != GCS_OK)
		app_toast(app, "Sampling is not changed: %s", gcs_status_text(status));
	return status == GCS_OK;
}

bool profiles_may_ask(const struct app *app)
{
	const struct heap *heap = app->views[VIEW_HEAP];
	bool site = heap->site.waiting && heap->site.connection == app->connection;
	bool tile = heap->tile.waiting && heap->tile.connection == app->connection;
	return !profiles_are_awaited(app) && !site_locations_are_awaited(app) && !site && !tile &&
	       !requests_are_pending(app, take_sampling);
}

bool profiles_are_old(const struct app *app)
{
	const enum gcs_profile_kind kind = app->profiles.kind;
	if (app->profiles.ends.to != NULL)
		return false; /* the profiles of a time range do not change */
	/* Until the answer arrives, a profile of another time than the shown one. */
	const bool other = app->profiles.data[kind].moment != app_profile_moment(app, (int)kind);
	if (app->event_history.back || (other && !replay_plays(app)))
		return other;
	return app->state != SOURCE_LIVE ||
	       app->profiles.data[app->profiles.kind].profile_of != app->connection;
}

static bool can_ask(const struct app *app)
{
	return app_can_ask(app) && profiles_are_shown(app) && profiles_may_ask(app);
}

/* What a thread makes of a large profile must be shown before the next one is due. */
static bool view_waits(const struct app *app)
{
	const struct sites_view *sites = app->views[VIEW_SITES];
	const struct calls_view *calls = app->views[VIEW_CALLS];
	const struct flame_view *flame = app->views[VIEW_FLAME];
	return app->view_id == VIEW_SITES   ? sites->waiting
	       : app->view_id == VIEW_CALLS ? calls->maker.waiting
	       : app->view_id == VIEW_FLAME ? flame->maker.waiting
					    : false;
}

/* A recording has one profile per moment; there is nothing newer to query. */
static bool asks_again(const struct app *app)
{
	return app->profiles.automatic && !view_waits(app) && !app_asks_history(app) &&
	       !app->source.ops->file;
}

/* Queries the shown kind at once if this connection has not answered it yet. */
static bool is_due(const struct app *app)
{
	const struct profiles_data *data = &app->profiles.data[app->profiles.kind];
	if (app->profiles.fetch.wanted || !data->answered || data->connection != app->connection)
		return true;
	const bool late = app->now_ms >= app->profiles.fetch.due_ms;
	/* The moment changes all the time during playback. */
	if (data->moment != app_profile_moment(app, (int)app->profiles.kind))
		return late || !app->replay.on || !replay_plays(app);
	return asks_again(app) && late;
}

uint64_t profiles_due_ms(const struct app *app)
{
	if (!can_ask(app))
		return UINT64_MAX;
	if (is_due(app))
		return app->now_ms;
	const bool plays = app->source.ops->file && replay_plays(app);
	return plays || asks_again(app) ? app->profiles.fetch.due_ms : UINT64_MAX;
}

/* A query that cannot be sent counts as answered, so that it is not retried endlessly. */
static void note_refusal(struct app *app, enum gcs_status status)
{
	struct profiles_data *data = &app->profiles.data[app->profiles.kind];
	/* The connection is lost; its state says so soon. */
	data->status = status == GCS_STATE ? GCS_CLOSED : status;
	data->message[0] = 0;
	data->answered = true;
	data->connection = app->connection;
	data->moment = app->profiles.fetch.moment;
	app->profiles.fetch.due_ms = app->now_ms + PROFILES_REFRESH_MS;
	profiles_changed(app);
	app_dirty(app, PANEL_VIEW);
}

enum gcs_status profiles_ask(
    struct app *app, enum gcs_profile_kind kind, const char *where, uint32_t *id)
{
	const struct gcs_info parameters[] = {
	    {"kind", gcs_profile_kind_word(kind)}, {"where", where}};
	return app_ask(app, "sites", where[0] != 0 ? 2 : 1, parameters, id);
}

static enum gcs_status ask_profile(struct app *app)
{
	struct profiles_fetch *f = &app->profiles.fetch;
	bool there = app->profiles.kind == GCS_PROFILE_LIVE && app->profiles.where[0] != 0;
	f->wanted = false;
	f->kind = app->profiles.kind;
	snprintf(f->where, sizeof f->where, "%s", there ? app->profiles.where : "");
	f->moment = app_profile_moment(app, (int)f->kind);
	enum gcs_status status = profiles_ask(app, f->kind, f->where, &f->id);
	if (status == GCS_OK && !there && !app_asks_history(app))
		profiles_watch_asked(app, f->kind);
	if (status == GCS_OK)
		f->waiting = PROFILES_PROFILE;
	else
		note_refusal(app, status);
	return status;
}

void profiles_tick(struct app *app)
{
	struct profiles_fetch *f = &app->profiles.fetch;
	profiles_ends_tick(app);
	profiles_base_tick(app);
	if (!can_ask(app))
		return;
	f->waiting = PROFILES_NOTHING;
	if (!is_due(app))
		return;
	if (ask_profile(app) == GCS_OK)
		f->connection = app->connection;
	app_dirty(app, PANEL_VIEW);
}

/* The profile in an answer, or NULL with the reason in err. */
static struct gcs_profile *read_profile(
    const struct gcs_answer *answer, enum gcs_profile_kind kind, struct gcs_error *err)
{
	if (answer->length > PROFILES_MOST_BYTES) {
		gcs_fail(err, GCS_LIMIT, "a profile of %zu MiB is too large to show",
		    answer->length >> 20);
		return NULL;
	}
	struct gcs_profile *profile = gcs_profile_decode(answer->bytes, answer->length, err);
	if (profile == NULL || gcs_profile_head(profile)->kind == kind)
		return profile;
	gcs_fail(err, GCS_MALFORMED, "the server sent a different kind of profile");
	gcs_profile_free(profile);
	return NULL;
}

/* Replaces the profile of the queried kind; NULL: by none. */
static void put_profile(struct app *app, struct gcs_profile *profile)
{
	struct profiles_data *data = &app->profiles.data[app->profiles.fetch.kind];
	bool any = data->profile != NULL;
	shared_profile_unref(data->profile);
	data->profile = shared_profile_new(profile);
	data->profile_of = app->connection;
	profiles_changed(app);
	/* The side panel is shown only with a profile. */
	if (profiles_are_shown(app) && any != (data->profile != NULL))
		app_layout(app);
}

void profiles_forget(struct app *app)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		shared_profile_unref(app->profiles.data[i].profile);
		app->profiles.data[i] = (struct profiles_data){0};
	}
	app->profiles.where[0] = 0;
	profiles_set_tile(app, NULL);
	profiles_end_comparison(app);
	if (profiles_are_shown(app))
		app_layout(app);
}

/* An answer and its profile, or why it has none. */
struct decoding {
	struct work work;
	struct gcs_answer *answer; /* owned */
	enum profiles_question question;
	enum gcs_profile_kind kind;
	uint64_t connection, start_ms;
	struct gcs_profile *profile; /* not of what is only stored */
	struct event_history_times times;
	struct gcs_error err;
};

static void decode(struct work *work)
{
	struct decoding *d = (struct decoding *)work;
	d->err = (struct gcs_error){.status = d->answer->status};
	if (d->answer->status != GCS_OK)
		return;
	d->times = event_history_times_of(d->answer->bytes, d->answer->length);
	if (d->question == PROFILES_PROFILE)
		d->profile = read_profile(d->answer, d->kind, &d->err);
}

static void drop_decoding(struct work *work)
{
	struct decoding *d = (struct decoding *)work;
	gcs_answer_free(d->answer);
	gcs_profile_free(d->profile);
	free(d);
}

/* True for one from the files that is older than what a program gone had answered. */
static bool is_older(const struct profiles_data *data, const struct gcs_profile *profile)
{
	const struct gcs_profile *last = shared_profile_get(data->profile);
	return last != NULL && gcs_profile_head(profile)->wall_ns < gcs_profile_head(last)->wall_ns;
}

/* The profile is the caller's no more. */
static void take_profile(struct app *app, const struct decoding *d)
{
	const struct gcs_answer *answer = d->answer;
	struct gcs_profile *profile = d->profile;
	struct gcs_error err = d->err;
	struct profiles_data *data = &app->profiles.data[app->profiles.fetch.kind];
	const bool past = app_asked_history(answer->id);
	if (profile != NULL && app->profiles.fetch.where[0] != 0 && profiles_are_whole(app))
		profile = profiles_of_place(app, profile, app->profiles.fetch.where, &err);
	sites_put_name(data->message, sizeof data->message,
	    answer->status == GCS_OK && profile == NULL ? err.text : answer->message);
	data->status = err.status;
	data->answered = true;
	data->connection = app->connection;
	data->moment = app->profiles.fetch.moment;
	if (profile != NULL) {
		/* A profile of a place is not one of the whole program. */
		if (!past && app->profiles.fetch.where[0] == 0)
			record_profile(app, &d->times, answer->bytes, answer->length, false);
		data->status = GCS_OK;
		if (past && !app->event_history.back && is_older(data, profile))
			gcs_profile_free(profile);
		else
			put_profile(app, profile);
	} else if (past ? app->event_history.back
			: data->profile_of != app->connection || app->source.ops->file ||
			      answer->status == GCS_STATE) {
		/* Drop the profile of another program or moment, and the last one when sampling is
		 * off. */
		put_profile(app, NULL);
	}
	profiles_changed(app);
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static bool is_of_elsewhere(struct app *app, enum profiles_question question)
{
	struct profiles_fetch *f = &app->profiles.fetch;
	bool other = question == PROFILES_PROFILE && f->kind == GCS_PROFILE_LIVE &&
		     strcmp(f->where, app->profiles.where) != 0;
	f->wanted = f->wanted || other;
	return other;
}

/* Profiles that take long to read are queried less often. */
static void wait_for_next(struct app *app, uint64_t start)
{
	uint64_t cost = 20 * (now_ms() - start);
	app->profiles.fetch.due_ms =
	    app->now_ms + (cost > PROFILES_REFRESH_MS ? cost : PROFILES_REFRESH_MS);
}

static void take_decoded(struct app *app, struct decoding *d)
{
	struct profiles_fetch *f = &app->profiles.fetch;
	const bool mine = profiles_are_awaited(app) && f->waiting == d->question &&
			  f->id == d->answer->id && f->connection == d->connection;
	if (mine)
		f->waiting = PROFILES_NOTHING;
	if (mine && d->question == PROFILES_WATCHED) {
		profiles_watch_take(app, d->answer, &d->times);
	} else if (mine) {
		if (is_of_elsewhere(app, PROFILES_PROFILE)) {
			app_dirty(app, PANEL_VIEW);
		} else {
			take_profile(app, d);
			d->profile = NULL;
		}
		wait_for_next(app, d->start_ms);
	}
	drop_decoding(&d->work);
}

/* Large ones on a thread; the query is pending until then. */
static void begin_decoding(struct app *app, struct gcs_answer *answer)
{
	const struct profiles_fetch *f = &app->profiles.fetch;
	struct decoding *d = calloc(1, sizeof *d);
	if (d == NULL) {
		app->profiles.fetch.waiting = PROFILES_NOTHING;
		gcs_answer_free(answer);
		return;
	}
	d->work = (struct work){.run = decode, .drop = drop_decoding};
	d->answer = answer;
	d->question = f->waiting;
	d->kind = f->kind;
	d->connection = f->connection;
	d->start_ms = now_ms();
	if (answer->length >= DECODED_AT_ONCE && answer->length <= PROFILES_MOST_BYTES) {
		worker_give(&app->profiles.decoder, &d->work);
		return;
	}
	decode(&d->work);
	take_decoded(app, d);
}

void profiles_poll(struct app *app)
{
	struct profiles_fetch *f = &app->profiles.fetch;
	profiles_read_poll(app);
	site_locations_poll(app);
	struct decoding *decoded = (struct decoding *)worker_take(&app->profiles.decoder);
	if (decoded != NULL)
		take_decoded(app, decoded);
	struct gcs_answer *answer = profiles_are_awaited(app) ? app_answer(app, f->id) : NULL;
	if (answer == NULL)
		return;
	uint64_t start = now_ms();
	enum profiles_question question = f->waiting;
	if (answer->status != GCS_CLOSED &&
	    (question == PROFILES_WATCHED ||
		(question == PROFILES_PROFILE && !is_of_elsewhere(app, question)))) {
		begin_decoding(app, answer);
		return;
	}
	/* Ignore an answer that was lost with the connection, and one about a place that is no
	 * longer shown. */
	f->waiting = PROFILES_NOTHING;
	app_dirty(app, PANEL_VIEW);
	gcs_answer_free(answer);
	if (question != PROFILES_WATCHED)
		wait_for_next(app, start);
}

bool profiles_settled(struct app *app)
{
	const struct profiles *p = &app->profiles;
	const struct profiles_data *data = &p->data[p->kind];
	/* During playback moments pass faster than answers arrive. */
	bool told = data->answered && data->connection == app->connection &&
		    (!app_can_ask(app) || replay_plays(app) ||
			data->moment == app_profile_moment(app, (int)p->kind));
	bool ends = app->range.on ? profiles_ends_are_asked(app) : !p->ends.asked.on;
	return told && ends && !p->fetch.wanted && !requests_are_pending(app, take_sampling) &&
	       !profiles_are_awaited(app) && !collect_is_awaited(app) && !p->reading &&
	       !p->ends.reading;
}

void profiles_view_tick(void *self, struct app *app)
{
	(void)self;
	profiles_tick(app);
	site_locations_tick(app);
}

uint64_t profiles_view_due_ms(void *self, const struct app *app)
{
	(void)self;
	const uint64_t profile = profiles_due_ms(app), site_locations = site_locations_due_ms(app);
	return site_locations < profile ? site_locations : profile;
}
