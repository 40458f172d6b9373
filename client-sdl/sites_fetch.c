/* Asking the source for profiles, one question at a time; declared in sites_view.h. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sites_view.h"

bool sites_is_waiting(const struct sites_view *view, const struct app *app)
{
	/* A question to an earlier connection has gone with it. */
	return view->fetch.waiting != SITES_NOTHING && view->fetch.connection == app->connection;
}

bool sites_is_old(const struct sites_view *view, const struct app *app)
{
	const struct sites_data *data = &view->data[view->kind];
	/* Of the present while one looks back, or of another moment, until the answer is there. */
	if (app->past.back)
		return data->moment != app_profile_moment(app, (int)view->kind);
	return app->state != SOURCE_LIVE || view->data[view->kind].profile_of != app->connection;
}

static bool can_ask(const struct sites_view *view, const struct app *app)
{
	return app_can_ask(app) && app->view_id == VIEW_SITES && !sites_is_waiting(view, app);
}

/* The kind that is shown is asked for at once when this connection has not told it yet. */
static bool is_due(const struct sites_view *view, const struct app *app)
{
	const struct sites_data *data = &view->data[view->kind];
	if (view->fetch.wanted || !data->answered || data->connection != app->connection ||
	    data->moment != app_profile_moment(app, (int)view->kind))
		return true;
	return view->automatic && !app->past.back && app->now_ms >= view->fetch.due_ms;
}

uint64_t sites_fetch_due_ms(const struct sites_view *view, const struct app *app)
{
	if (!can_ask(view, app))
		return UINT64_MAX;
	if ((view->fetch.interval[0] != 0 && app->state == SOURCE_LIVE) || is_due(view, app))
		return app->now_ms;
	return view->automatic && !app->past.back ? view->fetch.due_ms : UINT64_MAX;
}

static enum gcs_status ask_setting(struct sites_view *view, struct app *app)
{
	struct sites_fetch *f = &view->fetch;
	enum gcs_status status =
	    app->source.ops->set(app->source.self, "interval", f->interval, &f->id);
	f->interval[0] = 0;
	if (status == GCS_OK)
		f->waiting = SITES_SETTING;
	else
		app_toast(app, "Not done: %s", gcs_status_text(status));
	return status;
}

/* What cannot be asked is as good as answered, so that it is not asked again and again. */
static void note_refusal(struct sites_view *view, struct app *app, enum gcs_status status)
{
	struct sites_data *data = &view->data[view->kind];
	/* Connected no more: the state of the connection will tell in a moment. */
	data->status = status == GCS_STATE ? GCS_CLOSED : status;
	data->words[0] = 0;
	data->answered = true;
	data->connection = app->connection;
	data->moment = view->fetch.moment;
	view->fetch.due_ms = app->now_ms + SITES_REFRESH_MS;
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
}

static enum gcs_status ask_profile(struct sites_view *view, struct app *app)
{
	struct sites_fetch *f = &view->fetch;
	bool there = view->kind == GCS_PROFILE_LIVE && view->where[0] != 0;
	f->wanted = false;
	f->kind = view->kind;
	snprintf(f->where, sizeof f->where, "%s", there ? view->where : "");
	const struct gcs_info parameters[] = {
	    {"kind", gcs_profile_kind_word(view->kind)}, {"where", f->where}};
	f->moment = app_profile_moment(app, (int)view->kind);
	enum gcs_status status = app_ask(app, "sites", there ? 2 : 1, parameters, &f->id);
	if (status == GCS_OK)
		f->waiting = SITES_PROFILE;
	else
		note_refusal(view, app, status);
	return status;
}

void sites_fetch_tick(struct sites_view *view, struct app *app)
{
	struct sites_fetch *f = &view->fetch;
	if (!can_ask(view, app))
		return;
	f->waiting = SITES_NOTHING;
	enum gcs_status status = GCS_OK;
	if (f->interval[0] != 0 && app->state == SOURCE_LIVE && app->source.ops->set != NULL)
		status = ask_setting(view, app);
	else if (is_due(view, app))
		status = ask_profile(view, app);
	else
		return;
	if (status == GCS_OK)
		f->connection = app->connection;
	app_dirty(app, PANEL_VIEW);
}

/* The profile in an answer, or NULL with the reason in err. */
static struct gcs_profile *read_profile(
    const struct gcs_answer *answer, enum gcs_profile_kind kind, struct gcs_error *err)
{
	if (answer->length > SITES_MOST_BYTES) {
		gcs_fail(err, GCS_LIMIT, "a profile of %zu MiB is too large to be shown",
		    answer->length >> 20);
		return NULL;
	}
	struct gcs_profile *profile = gcs_profile_decode(answer->bytes, answer->length, err);
	if (profile == NULL || gcs_profile_head(profile)->kind == kind)
		return profile;
	gcs_fail(err, GCS_MALFORMED, "the server has answered with another kind of profile");
	gcs_profile_free(profile);
	return NULL;
}

/* Puts a profile, or none, in the place of what was known of the kind that was asked for. */
static void put_profile(struct sites_view *view, struct app *app, struct gcs_profile *profile)
{
	struct sites_data *data = &view->data[view->fetch.kind];
	struct gcs_profile *before = data->profile;
	data->profile = profile;
	data->profile_of = app->connection;
	if (view->fetch.kind == view->kind)
		sites_rebuild(view, app);
	gcs_profile_free(before);
}

static void take_profile(struct sites_view *view, struct app *app, const struct gcs_answer *answer)
{
	struct sites_data *data = &view->data[view->fetch.kind];
	struct gcs_error err = {.status = answer->status};
	struct gcs_profile *profile = NULL;
	if (answer->status == GCS_OK)
		profile = read_profile(answer, view->fetch.kind, &err);
	sites_put_name(data->words, sizeof data->words,
	    answer->status == GCS_OK && profile == NULL ? err.text : answer->words);
	data->status = err.status;
	data->answered = true;
	data->connection = app->connection;
	data->moment = view->fetch.moment;
	if (profile != NULL) {
		if (!app_asked_past(answer->id))
			record_profile(app, answer->bytes, answer->length);
		data->status = GCS_OK;
		put_profile(view, app, profile);
	} else if (data->profile_of != app->connection || app_asked_past(answer->id)) {
		/* What another program, or another moment, told is nothing to keep beside it. */
		put_profile(view, app, NULL);
	}
	view->stale = true;
	app_dirty(app, PANEL_VIEW);
	app_dirty(app, PANEL_SIDE);
}

static void take_setting(struct sites_view *view, struct app *app, const struct gcs_answer *answer)
{
	char words[256];
	sites_put_name(words, sizeof words, answer->words);
	if (answer->status == GCS_OK)
		app_toast(app, "%s", words[0] != 0 ? words : "Done");
	else
		app_toast(
		    app, "Not done: %s", words[0] != 0 ? words : gcs_status_text(answer->status));
	view->fetch.wanted = true;
}

static uint64_t clock_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static bool is_of_elsewhere(struct sites_view *view, enum sites_question question)
{
	struct sites_fetch *f = &view->fetch;
	bool other = question == SITES_PROFILE && f->kind == GCS_PROFILE_LIVE &&
		     strcmp(f->where, view->where) != 0;
	f->wanted = f->wanted || other;
	return other;
}

void sites_fetch_poll(struct sites_view *view, struct app *app)
{
	struct sites_fetch *f = &view->fetch;
	if (!sites_is_waiting(view, app))
		return;
	struct gcs_answer *answer = app_answer(app, f->id);
	if (answer == NULL)
		return;
	uint64_t start = clock_ms();
	enum sites_question question = f->waiting;
	f->waiting = SITES_NOTHING;
	/* An answer that the connection took along says no more than the state of it, and one about
	 * another place than the one that is shown by now says nothing. */
	if (answer->status == GCS_CLOSED || is_of_elsewhere(view, question))
		app_dirty(app, PANEL_VIEW);
	else if (question == SITES_SETTING)
		take_setting(view, app, answer);
	else
		take_profile(view, app, answer);
	gcs_answer_free(answer);
	/* Profiles that take long to read are asked for less often. */
	uint64_t cost = 20 * (clock_ms() - start);
	f->due_ms = app->now_ms + (cost > SITES_REFRESH_MS ? cost : SITES_REFRESH_MS);
}
