/* Looking back at a live program: the profiles that were answered belong to their collections (V8, S3). */
#include <time.h>

#include "event_history_suite.h"
#include "ui_folder.h"
#include "ui_profile.h"
#include "ui_replay.h"

/* Until the window says so; profiles are written after a while. */
static bool becomes(const char *what)
{
	bool found = false;
	for (int i = 0; i < 20000 && !found; i++) {
		world_wait(&w, 1);
		found = strstr(window_text(&w.app), what) != NULL;
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	return found || says(what);
}

static void store_profile(const void *bytes, size_t length)
{
	const struct event_history_times times = event_history_times_of(bytes, length);
	event_history_profile(&w.app, &times, bytes, length);
}

/* The views that ask get the profile as of the moment. */
Test(event_history, call_sites_are_those_of_the_moment, .fini = close_world)
{
	open_world(HISTORY_BYTES, 20);
	/* What is asked without being shown is in test_ui_watch.c. */
	w.app.profiles.watch =
	    (struct profiles_watch){.connection = w.app.connection, .none = true};
	run("call_sites\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_LIVE, 0));
	event_history_events(&w, 20);
	run("sites_refresh\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_many(GCS_PROFILE_LIVE, 3));
	cr_assert_eq(w.source.queries, 2u);
	event_history_events(&w, 20);
	run("seek 30\n");
	cr_assert(becomes("HashMap$Node[]"));
	cr_assert_eq(w.source.queries, 2u, "the program was not asked");
	run("seek 5\n");
	cr_assert(becomes("No call sites saved up to this point"));
	key("L");
	world_wait(&w, 1);
	cr_assert_eq(w.source.queries, 3u, "the present is asked for again");
}

#define STARTED INT64_C(1795220000000000000)

/* Of the collection that ends with that event. */
static int64_t judged_at(unsigned step)
{
	return STARTED + (int64_t)event_history_step_ns(step) + 20000;
}

/* A view asks, and is answered long after the collection. */
static void answered(unsigned round, unsigned step)
{
	run("sites_refresh\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_shop_judged(GCS_PROFILE_LIVE, round, judged_at(step)));
}

static bool shows_profile_of(unsigned step)
{
	const struct gcs_profile *p = NULL;
	bool found = false;
	for (int i = 0; i < 20000 && !found; i++) {
		world_wait(&w, 1);
		p = profiles_profile(&w.app);
		found = p != NULL && gcs_profile_head(p)->judged.wall_ns == judged_at(step);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	return found;
}

/* Twenty events, and the call sites as of the eleventh. */
static void open_call_sites(void)
{
	open_world(HISTORY_BYTES, 0);
	w.wall_ns = STARTED;
	event_history_events(&w, 20);
	w.app.profiles.watch =
	    (struct profiles_watch){.connection = w.app.connection, .none = true};
	run("call_sites\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_shop_judged(GCS_PROFILE_LIVE, 0, judged_at(11)));
}

/* S3, V8: a profile is of its collection, whenever it arrived. */
Test(event_history, a_profile_has_the_time_of_its_collection, .fini = close_world)
{
	open_call_sites();
	event_history_events(&w, 20);
	answered(1, 25);
	answered(2, 25);
	answered(3, 37);
	cr_assert_eq(w.app.event_history.profiles, 3u, "two are of the same collection");
	run("seek 22\n");
	cr_assert(shows_profile_of(11));
	run("seek 27\n");
	cr_assert(shows_profile_of(25), "it had arrived with event 39");
	run("seek 36\n");
	cr_assert(shows_profile_of(25));
	run("seek 39\n");
	cr_assert(shows_profile_of(37));
	run("seek 5\n");
	cr_assert(becomes("No call sites saved up to this point"));
	key("L");
}

/* S6: the background fetches newer profiles than the view showed last; they stay after the end. */
Test(event_history, the_end_shows_the_newest_profile, .fini = close_world)
{
	open_call_sites();
	run("sites_kind recent\n");
	world_wait(&w, 10);
	world_answer(&w, GCS_OK, "", profile_shop(GCS_PROFILE_RECENT, 0));
	run("sites_kind live\n");
	run("compare\n");
	cr_assert(strstr(w.app.toast, "new profiles are compared") != NULL, "%s", w.app.toast);
	run("compare\n");
	run("heap_map\n");
	event_history_events(&w, 20);
	struct gcs_profile *newer = profile_shop_judged(GCS_PROFILE_LIVE, 3, judged_at(30));
	const int64_t taken = gcs_profile_head(newer)->wall_ns;
	void *bytes = NULL;
	size_t length = 0;
	cr_assert_eq(gcs_profile_encode(newer, &bytes, &length, NULL), GCS_OK);
	store_profile(bytes, length);
	gcs_free(bytes);
	gcs_profile_free(newer);
	event_history_drain(w.app.event_history.history);
	w.source.state = SOURCE_LOST;
	run("call_sites\n");
	for (int i = 0; i < 20000 && gcs_profile_head(profiles_profile(&w.app))->wall_ns < taken;
	     i++) {
		world_wait(&w, 10);
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	cr_assert_eq(gcs_profile_head(profiles_profile(&w.app))->wall_ns, taken);
	cr_assert(says("Not connected, showing the last data"));
	const unsigned before = w.source.queries;
	world_wait(&w, 2 * PROFILES_REFRESH_MS);
	cr_assert_eq(w.source.queries, before);
	run("compare\n");
	cr_assert_null(strstr(w.app.toast, "new profiles"), "%s", w.app.toast);
	run("compare\n");
	/* What the history has nothing newer of stays, too. */
	run("sites_kind recent\n");
	cr_assert(becomes("HashMap$Node[]"));
}

/* S3, F22: what the history of a lost program was asked ends with it. */
Test(event_history, a_recording_opened_after_a_loss_has_its_call_sites, .fini = close_world)
{
	static struct replay_world r;
	struct source source;
	struct gcs_error err;
	replay_record(&r, 12, 3, true);
	open_call_sites();
	event_history_drain(w.app.event_history.history);
	w.source.state = SOURCE_LOST;
	world_wait(&w, 0);
	world_key(&w, "Shift+F5");
	/* Until the file is read, what is shown is the lost program. */
	cr_assert(source_trace_open(&r.source, r.path, false, &source, &err), "%s", err.text);
	app_take_source(&w.app, &source, r.path);
	app_tick(&w.app);
	cr_assert(profiles_are_awaited(&w.app));
	cr_assert(app_asked_history(w.app.profiles.fetch.id));
	while (source.ops->state(source.self, &err) != SOURCE_LIVE)
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	cr_assert(becomes("HashMap$Node[]"));
	cr_assert(says("recording run.gcspy"));
	folder_close();
}

/* One that is older than the one before, as of another kind, has no earlier place than that. */
Test(event_history, profiles_are_in_the_order_of_their_events, .fini = close_world)
{
	const struct event_history *p = &w.app.event_history;
	open_world(HISTORY_BYTES, 0);
	w.wall_ns = STARTED;
	event_history_events(&w, 30);
	for (int i = 0; i < 2; i++) {
		const enum gcs_profile_kind kind = i == 0 ? GCS_PROFILE_LIVE : GCS_PROFILE_RECENT;
		struct gcs_profile *profile =
		    profile_shop_judged(kind, 0, judged_at(i == 0 ? 21 : 11));
		void *bytes = NULL;
		size_t length = 0;
		cr_assert_eq(gcs_profile_encode(profile, &bytes, &length, NULL), GCS_OK);
		store_profile(bytes, length);
		gcs_free(bytes);
		gcs_profile_free(profile);
		cr_assert_eq(p->profiles, (uint64_t)i + 1);
		cr_assert_eq(p->profile[i].time_ns, event_history_step_ns(21));
	}
}
