/*
 * Profiles that the window asks for by itself, so that a moment and a part of time of a live
 * program have them though no view of call sites was open (S8, F22, V8): turns, bounds, silence
 * when there is nothing to ask, answers that nobody should trust.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "event_history_store.h"
#include "kit.h"
#include "ui_event_history.h"
#include "ui_profile.h"

static struct world w;
static atomic_bool disk_waits;

/* In the place of libc's: the history begins each of its files with a folder. */
char *mkdtemp(char *template)
{
	static atomic_uint count;
	char *digits = template + strlen(template) - 6;
	while (atomic_load(&disk_waits))
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	do
		snprintf(digits, 7, "%06u",
		    ((unsigned)getpid() + atomic_fetch_add(&count, 1)) % 1000000);
	while (mkdir(template, 0700) != 0 && errno == EEXIST);
	return template;
}

static void open_world(uint64_t bytes, unsigned events)
{
	event_history_folder();
	world_open(&w, 960, 720);
	w.app.event_history.history_bytes = bytes;
	world_live(&w, 0);
	event_history_events(&w, events);
}

static void close_world(void)
{
	world_close(&w);
	event_history_remove_folder();
}

static bool says(const char *what)
{
	return window_says(&w.app, what);
}

/* The query pending after that many milliseconds; "" if none. */
static const char *asks(unsigned ms)
{
	const unsigned before = w.source.queries;
	world_wait(&w, ms);
	cr_assert_leq(w.source.queries, before + 1, "one question at a time");
	if (w.source.queries == before)
		return "";
	cr_assert_str_eq(w.source.topic, "sites");
	return w.source.kind;
}

static void answer(unsigned round)
{
	enum gcs_profile_kind kind;
	cr_assert(w.source.pending);
	cr_assert(gcs_profile_find_kind(w.source.kind, &kind));
	world_answer(&w, GCS_OK, "", profile_shop(kind, round));
	cr_assert_not(w.source.pending, "it is taken");
}

/* All kinds, one after the other. */
static void answer_round(unsigned round, unsigned gap_ms)
{
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		cr_assert_str_neq(asks(gap_ms), "");
		answer(round);
	}
	event_history_drain(w.app.event_history.history);
}

/* Until the window says so; profiles are written, and read, after a while. */
static bool becomes(const char *what)
{
	bool found = false;
	for (int i = 0; i < 2000 && !found; i++) {
		app_tick(&w.app);
		app_poll(&w.app);
		app_frame(&w.app);
		found = strstr(window_text(&w.app), what) != NULL;
		nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
	}
	return found || says(what);
}

Test(watch, all_kinds_are_asked_for_in_turn, .fini = close_world)
{
	open_world(HISTORY_BYTES, 4);
	cr_assert_eq(w.app.view_id, VIEW_HEAP);
	cr_assert_str_eq(asks(0), "live");
	cr_assert_str_eq(asks(60000), "", "one question at a time");
	w.app.profiles.watch.asked_ms = w.app.now_ms; /* it came at once after all */
	answer(0);
	cr_assert_str_eq(asks(500), "allocated", "the first round is fast");
	answer(0);
	cr_assert_str_eq(asks(500), "recent");
	answer(0);
	cr_assert_str_eq(asks(500), "frequent");
	answer(0);
	/* Nothing has happened since: nothing is asked, and the window sleeps. */
	cr_assert_str_eq(asks(3600 * 1000), "");
	cr_assert_eq(profiles_watch_due_ms(&w.app), UINT64_MAX);
	/* Then one in three seconds. */
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(0), "live");
	answer(1);
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(WATCH_GAP_MS - 1), "");
	cr_assert_str_eq(asks(1), "allocated");
	answer(1);
	cr_assert_str_eq(asks(WATCH_GAP_MS), "recent");
	answer(1);
	cr_assert_str_eq(asks(WATCH_GAP_MS), "frequent");
	answer(1);
	cr_assert_str_eq(asks(WATCH_GAP_MS), "live", "an event came after the last one of these");
	answer(2);
	cr_assert_str_eq(asks(3600 * 1000), "");
	cr_assert_eq(w.source.queries, 9u);
}

Test(watch, costs_little, .fini = close_world)
{
	open_world(HISTORY_BYTES, 4);
	struct profiles_watch *watch = &w.app.profiles.watch;
	answer_round(0, 500);
	event_history_events(&w, 1);
	/* One that took 200 ms: one percent of the time. */
	cr_assert_str_eq(asks(WATCH_AGAIN_MS), "live");
	w.app.now_ms += 200;
	answer(1);
	cr_assert_eq(profiles_watch_due_ms(&w.app), w.app.now_ms + 20000);
	cr_assert_str_eq(asks(20000), "allocated");
	/* A large one: 256 KiB a second. */
	struct gcs_profile *many = profile_many(GCS_PROFILE_ALLOCATED, 20000);
	void *bytes = NULL;
	size_t length = 0;
	cr_assert_eq(gcs_profile_encode(many, &bytes, &length, NULL), GCS_OK);
	cr_assert_gt(length, 4 * WATCH_BYTES);
	world_answer_bytes(&w, GCS_OK, "", bytes, length);
	/* A thread reads it. */
	for (int i = 0; i < 20000 && w.app.profiles.fetch.waiting != PROFILES_NOTHING; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
		world_wait(&w, 0);
	}
	cr_assert_eq(watch->due_ms, w.app.now_ms + length * 1000 / WATCH_BYTES);
	gcs_free(bytes);
	gcs_profile_free(many);
	/* One that nearly never came: some minutes. */
	cr_assert_str_eq(asks(60000), "recent");
	w.app.now_ms += 3600 * 1000;
	answer(1);
	cr_assert_eq(watch->due_ms, w.app.now_ms + WATCH_MOST_MS);
}

Test(watch, a_program_that_does_not_sample_is_left_alone, .fini = close_world)
{
	open_world(HISTORY_BYTES, 4);
	cr_assert_str_eq(asks(0), "live");
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	for (int i = 0; i < 50; i++) {
		event_history_events(&w, 1);
		cr_assert_str_eq(asks(1000), "");
	}
	cr_assert_str_eq(asks(WATCH_OFF_MS), "live", "the first of a minute");
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	/* Whoever turns it on here is not kept waiting. */
	cr_assert(world_run(&w, "call_sites\n"));
	world_answer(&w, GCS_STATE, "sampling is off", NULL);
	cr_assert(world_run(&w, "sites_sample 64k\nheap_map\n") || true);
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.interval, "64k");
	world_answer(&w, GCS_OK, "done", NULL);
	cr_assert(world_run(&w, "heap_map\n"));
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(0), "live");
	answer(0);
	cr_assert_str_eq(asks(500), "allocated");
	/* And one that has none is asked once. */
	world_answer(&w, GCS_UNSUPPORTED, "what is that?", NULL);
	event_history_events(&w, 5);
	cr_assert_str_eq(asks(3600 * 1000), "");
	w.app.source.ops->close(w.app.source.self);
	cr_assert(app_connect(&w.app, "127.0.0.1:3000"));
	w.source.state = SOURCE_LIVE;
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(0), "live", "another connection");
}

Test(watch, asks_for_those_who_keep_it_only)
{
	char folder[] = "/tmp/gcspy-test-watch-XXXXXX", path[128], step[160];
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/run.gcspy", folder);
	snprintf(step, sizeof step, "record %s\n", path);
	world_open(&w, 960, 720);
	world_live(&w, 4); /* without a history */
	cr_assert_str_eq(asks(60000), "");
	cr_assert(world_run(&w, step));
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		cr_assert_str_neq(asks(500), "");
		answer(0);
	}
	/* The file has the first ones, and those that came last. */
	for (unsigned round = 1; round < 30; round++) {
		event_history_events(&w, 1);
		for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
			cr_assert_str_neq(asks(i == 0 ? WATCH_AGAIN_MS : WATCH_GAP_MS), "");
			answer(round);
		}
	}
	cr_assert(world_run(&w, "record\n"));
	record_fini(&w.app);
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(60000), "", "nobody keeps it any more");
	struct gcs_trace *trace = gcs_trace_open(path, NULL);
	struct gcs_trace_profile_info p;
	unsigned count[GCS_PROFILE_KIND_COUNT] = {0};
	cr_assert_not_null(trace);
	for (uint64_t i = 0; gcs_trace_profile_info(trace, i, &p); i++)
		count[p.kind]++;
	for (int i = 0; i < GCS_PROFILE_KIND_COUNT; i++)
		cr_assert(count[i] >= 15 && count[i] < 25, "%s: %u of 30",
		    gcs_profile_kind_word((enum gcs_profile_kind)i), count[i]);
	/* The newest of each kind end the file. */
	cr_assert(gcs_trace_profile_info(
	    trace, gcs_trace_profile_before(trace, GCS_PROFILE_LIVE, UINT64_MAX), &p));
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	cr_assert_eq(p.place, info.events);
	gcs_trace_close(trace);
	unlink(path);
	rmdir(folder);
	world_close(&w);
}

/* Of which no view of call sites was ever open before. */
Test(watch, a_moment_has_call_sites, .fini = close_world)
{
	open_world(HISTORY_BYTES, 20);
	answer_round(0, 500);
	event_history_events(&w, 20);
	answer_round(3, WATCH_AGAIN_MS);
	event_history_events(&w, 20);
	const unsigned queries = w.source.queries;
	cr_assert(world_run(&w, "seek 30\n"));
	event_history_settle(&w);
	cr_assert(world_run(&w, "flame_graph\n"));
	cr_assert(becomes("Samples\t5,722"));
	cr_assert(world_run(&w, "seek 50\n"));
	event_history_settle(&w);
	cr_assert(becomes("Samples\t6,292"));
	static const char *const kinds[] = {"recent", "frequent", "allocated"};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		char step[80];
		snprintf(step, sizeof step, "call_sites\nsites_kind %s\n", kinds[i]);
		cr_assert(world_run(&w, step));
		cr_assert_eq(w.app.profiles.kind, i + 1);
		cr_assert(becomes("Samples\t6,292"), "%s", kinds[i]);
	}
	cr_assert_eq(w.source.queries, queries, "the program was not asked");
	/* It does while looking back, for unknown data. */
	event_history_events(&w, 1);
	cr_assert_str_eq(asks(WATCH_AGAIN_MS), "live");
}

Test(watch, a_range_has_the_difference_of_its_ends, .fini = close_world)
{
	open_world(HISTORY_BYTES, 20);
	answer_round(0, 500);
	event_history_events(&w, 20);
	answer_round(3, WATCH_AGAIN_MS);
	event_history_events(&w, 20);
	const unsigned queries = w.source.queries;
	event_history_choose(&w.app, event_history_step_ns(25), event_history_step_ns(45));
	cr_assert(world_run(&w, "flame_graph\n"));
	cr_assert(becomes(
	    "Live at 0:03.915 compared with 0:02.175; profiles from 0:01.653 and 0:03.393"));
	cr_assert_not_null(profiles_before(&w.app));
	cr_assert_neq(profiles_before(&w.app), profiles_shown(&w.app));
	cr_assert(world_run(&w, "sites_kind allocated\ncall_tables\n"));
	cr_assert(becomes("Allocated between 0:02.175 and 0:03.915"));
	/* Both ends have the same profile: a message says so. */
	event_history_choose(&w.app, event_history_step_ns(25), event_history_step_ns(30));
	cr_assert(becomes("no profile in between, both from 0:01.653"));
	event_history_choose(&w.app, event_history_step_ns(2), event_history_step_ns(30));
	cr_assert(becomes("no profile at 0:00.174, first one from 0:01.653"));
	event_history_choose(&w.app, event_history_step_ns(2), event_history_step_ns(5));
	cr_assert(becomes("No call sites between"));
	(void)queries;
	/* What comes while a range up to now is chosen belongs to it. */
	event_history_choose(&w.app, event_history_step_ns(25), event_history_step_ns(59));
	cr_assert(becomes("profiles from 0:01.653 and 0:03.393"));
	for (int i = 0; i < 8 && w.app.profiles.ends.moment < 10; i++) {
		if (w.source.pending)
			answer(5);
		world_wait(&w, WATCH_AGAIN_MS);
	}
	cr_assert(becomes("profiles from 0:01.653 and 0:05.133"));
}

/* On a busy machine the program answers before the history has its files, and the next profile of the
 * kind comes seconds later. */
Test(watch, profiles_that_come_before_the_files_are_kept, .fini = close_world)
{
	event_history_folder();
	atomic_store(&disk_waits, true);
	world_open(&w, 960, 720);
	w.app.event_history.history_bytes = HISTORY_BYTES;
	world_live(&w, 10);
	cr_assert_str_eq(asks(0), "live");
	answer(0);
	cr_assert_str_eq(asks(500), "allocated");
	answer(0);
	world_event(&w);
	cr_assert_str_eq(asks(WATCH_AGAIN_MS), "recent");
	answer(0);
	while (strcmp(asks(WATCH_AGAIN_MS), "live") != 0)
		answer(1);
	answer(1);
	cr_assert_not(event_history_store_is_ready(w.app.event_history.history));
	cr_assert_eq(w.app.event_history.profiles, 0u);
	atomic_store(&disk_waits, false);
	event_history_ready(w.app.event_history.history);
	app_poll(&w.app);
	cr_assert_eq(w.app.event_history.profiles, 4u, "the last of each kind");
	event_history_events(&w, 20);
	answer_round(3, WATCH_AGAIN_MS);
	event_history_events(&w, 20);
	event_history_choose(&w.app, event_history_step_ns(11), event_history_step_ns(45));
	cr_assert(world_run(&w, "flame_graph\n"));
	cr_assert(becomes("profiles from 0:00.870 and 0:02.610"));
	cr_assert(world_run(&w, "sites_kind allocated\n"));
	cr_assert(becomes("profiles from 0:00.783 and 0:02.610"), "it is of the event before it");
}

Test(watch, answers_that_are_no_profiles_are_not_kept, .fini = close_world)
{
	open_world(HISTORY_BYTES, 20);
	static const char *const bad[] = {"", "\1", "\1\1xxxxxxxxxxxxxx", "\1\377", "\0\0\0\0"};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		cr_assert_str_neq(asks(WATCH_MOST_MS), "", "%zu", i);
		const bool live = strcmp(w.source.kind, "live") == 0;
		world_answer_bytes(&w, GCS_OK, "", bad[i], i == 4 ? 4 : strlen(bad[i]));
		cr_assert(live || i > 0);
		event_history_events(&w, 1);
	}
	cr_assert_leq(w.app.event_history.profiles, 2u);
	cr_assert(world_run(&w, "seek 10\ncall_sites\n"));
	event_history_settle(&w);
	cr_assert(becomes("No call sites"));
}

/* Objects of one tile are not those of the program. */
Test(watch, profiles_of_a_place_are_not_kept, .fini = close_world)
{
	open_world(HISTORY_BYTES, 20);
	answer_round(0, 500);
	const uint64_t kept = w.app.event_history.profiles;
	cr_assert(world_run(&w, "tile_sites range=0x1000-0x2000\n"));
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.where, "range=0x1000-0x2000");
	answer(1);
	cr_assert_eq(w.app.event_history.profiles, kept);
	cr_assert(world_run(&w, "key Escape\n"));
	world_wait(&w, 0);
	cr_assert_str_eq(w.source.where, "");
	answer(1);
	cr_assert_eq(w.app.event_history.profiles, kept + 1);
	/* A view that asks asks for the watch as well. */
	event_history_events(&w, 1);
	for (int i = 0; i < 4; i++) {
		const char *kind = asks(PROFILES_REFRESH_MS);
		cr_assert_str_neq(kind, "");
		answer(2);
	}
	cr_assert_leq(w.source.queries, 4u + 2u + 4u);
}

/* Older ones become fewer: of each kind every 8th. Both can be read. */
Test(watch, older_profiles_are_thinned)
{
	event_history_folder();
	world_open(&w, 960, 720);
	w.app.event_history.history_bytes = 3 << 20;
	world_live(&w, 0);
	event_history_events(&w, 1);
	struct event_history_store *h = w.app.event_history.history;
	for (unsigned i = 0; i < 400; i++) {
		struct gcs_profile *p = profile_shop((enum gcs_profile_kind)(i % 4), i % 8);
		void *bytes = NULL;
		size_t length = 0;
		cr_assert_eq(gcs_profile_encode(p, &bytes, &length, NULL), GCS_OK);
		event_history_events(&w, 1);
		const struct event_history_times times = event_history_times_of(bytes, length);
		record_profile(&w.app, &times, bytes, length, true);
		event_history_drain(h);
		gcs_free(bytes);
		gcs_profile_free(p);
	}
	struct event_history_file files[EVENT_HISTORY_FILES];
	const uint32_t n = event_history_profile_files(&w.app, files, EVENT_HISTORY_FILES);
	cr_assert_gt(n, 2u, "%u", n);
	cr_assert_eq(files[n - 1].stride, 1u);
	cr_assert_eq(files[0].stride, 8u);
	cr_assert_leq(files[0].from_ns, event_history_step_ns(1),
	    "from the first one on: %u files, %ju", n, (uintmax_t)files[0].from_ns);
	cr_assert(world_run(&w, "seek 12\nflame_graph\n"));
	event_history_settle(&w);
	cr_assert(becomes("As of\t"));
	world_close(&w);
	event_history_remove_folder();
}
