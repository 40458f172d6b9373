/*
 * What is kept on the disk of a live program (V8): tiers that thin, bounded files without names,
 * profiles, a folder that cannot be written, a disk that is full (Q3).
 */
#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include <gcspy/memory.h>
#include <gcspy/trace.h>

#include "ui_event_history.h"
#include "ui_profile.h"

static struct gcs_model *model;
static struct gcs_snapshot *last;
static struct event_history_store *h;

static void open_history(uint64_t bytes)
{
	struct gcs_error err;
	const struct event_history_store_options options = {.bytes = bytes};
	event_history_folder();
	model = world_model();
	h = event_history_store_open(&options, &err);
	cr_assert_not_null(h);
	event_history_ready(h);
}

static void close_history(void)
{
	event_history_store_close(h);
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	cr_assert_eq(event_history_in_folder(), 0u);
	event_history_remove_folder();
}

static void put(unsigned from, unsigned count)
{
	for (unsigned i = from; i < from + count; i++) {
		struct gcs_snapshot *s = world_snapshot(model, last, i);
		gcs_snapshot_unref(last);
		last = s;
		cr_assert(event_history_store_put(h, s, i));
		if (i % 16 == 15)
			event_history_drain(h);
	}
	event_history_drain(h);
}

/* The step of the event that is found, or -1. */
static long find(uint64_t time_ns, enum event_history_store_way way)
{
	struct gcs_snapshot *s = NULL;
	event_history_store_want(h, time_ns, way);
	for (int i = 0; i < 20000 && !event_history_store_take(h, &s); i++)
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	const long step = s != NULL ? (long)gcs_snapshot_occurrence(s)->sequence - 1 : -1;
	gcs_snapshot_unref(s);
	return step;
}

/* Until the newest event is in the file: it is written after a while. */
static void wait_for(unsigned step)
{
	for (int i = 0;
	     i < 2000 && find(event_history_step_ns(step), EVENT_HISTORY_STORE_BACK) != (long)step;
	     i++)
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	cr_assert_eq(find(event_history_step_ns(step), EVENT_HISTORY_STORE_BACK), (long)step);
}

Test(history, finds_every_event_both_ways, .fini = close_history)
{
	open_history(HISTORY_BYTES);
	put(0, 300);
	wait_for(299);
	for (unsigned i = 0; i < 300; i += 7) {
		cr_assert_eq(find(event_history_step_ns(i), EVENT_HISTORY_STORE_BACK), (long)i);
		cr_assert_eq(find(event_history_step_ns(i) + 5, EVENT_HISTORY_STORE_BACK), (long)i);
		cr_assert_eq(find(event_history_step_ns(i), EVENT_HISTORY_STORE_FORWARD), (long)i);
		if (i > 0)
			cr_assert_eq(
			    find(event_history_step_ns(i) - 5, EVENT_HISTORY_STORE_FORWARD),
			    (long)i);
	}
	cr_assert_eq(find(5, EVENT_HISTORY_STORE_BACK), 0, "before everything: the first");
	cr_assert_eq(
	    find(event_history_step_ns(300), EVENT_HISTORY_STORE_FORWARD), -1, "after everything");
	cr_assert_eq(event_history_in_folder(), 0u, "the files have no names");
}

/* The files cover the time from the oldest to the newest, each part once, and can be read. */
static void check_files(unsigned events, uint64_t bytes)
{
	struct event_history_file files[EVENT_HISTORY_FILES];
	const uint32_t n = event_history_store_files(h, files, EVENT_HISTORY_FILES);
	uint64_t size = 0;
	cr_assert_gt(n, 2u);
	cr_assert_eq(files[n - 1].stride, 1u);
	cr_assert_eq(files[n - 1].to_ns, event_history_step_ns(events - 1));
	for (uint32_t i = 0; i < n; i++) {
		struct gcs_trace_info info;
		struct stat st;
		struct gcs_error err = {.text = ""};
		struct gcs_trace *trace = gcs_trace_open(files[i].path, &err);
		cr_assert_not_null(trace, "%s", err.text);
		gcs_trace_get_info(trace, &info);
		cr_assert_eq(info.first_time_ns, files[i].from_ns);
		for (uint64_t k = 0; k + 1 < info.events; k++) {
			struct gcs_snapshot *s = gcs_trace_moment(trace, k, &err);
			const uint64_t step = gcs_snapshot_occurrence(s)->sequence - 1;
			cr_assert_eq(step % files[i].stride, 0u);
			gcs_snapshot_unref(s);
		}
		gcs_trace_close(trace);
		cr_assert_eq(stat(files[i].path, &st), 0);
		cr_assert_eq(st.st_nlink, 0u, "it has no name");
		size += (uint64_t)st.st_size;
		if (i > 0)
			cr_assert_lt(files[i - 1].to_ns, files[i].from_ns);
		if (i > 0)
			cr_assert_geq(files[i - 1].stride, files[i].stride);
	}
	cr_assert_leq(size, bytes, "%u bytes", (unsigned)size);
	cr_assert_leq(event_history_store_files(h, files, 2), 2u);
}

Test(history, is_thinned_and_bounded, .fini = close_history)
{
	open_history(1 << 20);
	put(0, 3000);
	wait_for(2999);
	check_files(3000, 1 << 20);
	struct event_history_file files[EVENT_HISTORY_FILES];
	const uint32_t n = event_history_store_files(h, files, EVENT_HISTORY_FILES);
	uint32_t checked = 0;
	for (uint32_t i = 0; i < n; i++) {
		const long step = find(files[i].from_ns, EVENT_HISTORY_STORE_BACK);
		cr_assert_eq(event_history_step_ns((unsigned)step), files[i].from_ns);
		const uint64_t inside = files[i].from_ns + UINT64_C(87000000) * 9;
		if (inside + UINT64_C(87000000) * files[i].stride > files[i].to_ns)
			continue; /* a file that has just begun, or ended soon */
		checked++;
		cr_assert_eq(find(inside, EVENT_HISTORY_STORE_BACK) % files[i].stride, 0);
		cr_assert_eq(find(inside, EVENT_HISTORY_STORE_FORWARD) % files[i].stride, 0);
		cr_assert_gt(find(inside, EVENT_HISTORY_STORE_FORWARD), step);
	}
	cr_assert_geq(checked, 2u);
	cr_assert_gt(files[0].stride, 1u, "the oldest has fewer events");
}

static struct gcs_answer *ask(enum gcs_profile_kind kind, unsigned step)
{
	struct gcs_answer *answer = NULL;
	cr_assert_eq(event_history_store_ask(h, kind, event_history_step_ns(step), 7), GCS_OK);
	for (int i = 0; i < 20000 && answer == NULL; i++) {
		answer = event_history_store_answer(h, 7);
		nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
	}
	cr_assert_not_null(answer);
	return answer;
}

static void put_profile(unsigned round)
{
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *p = profile_shop(GCS_PROFILE_LIVE, round);
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	cr_assert(event_history_store_put_profile(h, last, GCS_PROFILE_LIVE, bytes, length));
	gcs_free(bytes);
	gcs_profile_free(p);
}

static void check_profile(unsigned step, unsigned round)
{
	struct gcs_answer *answer = NULL;
	struct gcs_error err;
	void *bytes = NULL;
	size_t length = 0;
	struct gcs_profile *p = profile_shop(GCS_PROFILE_LIVE, round);
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	for (int i = 0; i < 100; i++) { /* until it is written */
		answer = ask(GCS_PROFILE_LIVE, step);
		if (answer->status == GCS_OK && answer->length == length &&
		    memcmp(answer->bytes, bytes, length) == 0)
			break;
		gcs_answer_free(answer);
		answer = NULL;
		nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
	}
	cr_assert_not_null(answer, "round %u at step %u", round, step);
	gcs_answer_free(answer);
	gcs_free(bytes);
	gcs_profile_free(p);
}

Test(history, has_profiles_as_of_a_moment, .fini = close_history)
{
	open_history(HISTORY_BYTES);
	put(0, 20);
	put_profile(0);
	put(20, 20);
	put_profile(1);
	put(40, 20);
	check_profile(59, 1);
	check_profile(39, 1);
	check_profile(38, 0);
	check_profile(19, 0);
	struct gcs_answer *answer = ask(GCS_PROFILE_LIVE, 18);
	cr_assert_eq(answer->status, GCS_UNSUPPORTED);
	cr_assert_not_null(
	    strstr(answer->message, "no profile of this kind"), "%s", answer->message);
	gcs_answer_free(answer);
	answer = ask(GCS_PROFILE_RECENT, 59);
	cr_assert_eq(answer->status, GCS_UNSUPPORTED, "of another kind");
	gcs_answer_free(answer);
	cr_assert_eq(find(event_history_step_ns(3), EVENT_HISTORY_STORE_BACK), 3,
	    "the events are there besides");
}

Test(history, says_why_it_keeps_nothing)
{
	struct gcs_error err;
	const struct event_history_store_options options = {.bytes = HISTORY_BYTES};
	struct event_history_file files[EVENT_HISTORY_FILES];
	cr_assert_eq(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
	model = world_model();
	h = event_history_store_open(&options, &err);
	event_history_ready(h);
	cr_assert(event_history_store_error(h, &err));
	cr_assert_not_null(strstr(err.text, "/nowhere/at/all: No such file"), "%s", err.text);
	put(0, 20);
	cr_assert_eq(event_history_store_files(h, files, EVENT_HISTORY_FILES), 0u);
	cr_assert_eq(find(event_history_step_ns(3), EVENT_HISTORY_STORE_BACK), -1);
	event_history_store_close(h);
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
}

/* No file may be larger than 40,000 bytes: as on a full disk, writing fails. */
Test(history, a_full_disk_leaves_what_was_written, .fini = close_history)
{
	struct gcs_error err = {.status = GCS_OK};
	const struct rlimit limit = {40000, 40000};
	signal(SIGXFSZ, SIG_IGN);
	open_history(HISTORY_BYTES);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	put(0, 16);
	cr_assert_eq(
	    find(event_history_step_ns(15), EVENT_HISTORY_STORE_BACK), 15, "these are written");
	unsigned step = 16;
	while (step < 20000 && !event_history_store_error(h, &err)) {
		put(step, 16);
		step += 16;
	}
	cr_assert_eq(err.status, GCS_IO, "%s", err.text);
	cr_assert_not_null(strstr(err.text, "File too large"), "%s", err.text);
	cr_assert_eq(find(event_history_step_ns(5), EVENT_HISTORY_STORE_BACK), 5);
	const long newest = find(event_history_step_ns(step), EVENT_HISTORY_STORE_BACK);
	cr_assert(newest > 5 && newest < (long)step, "%ld", newest);
}

/* A pending request, an answer nobody takes, and closing at once. */
Test(history, ends_at_any_time)
{
	for (int i = 0; i < 20; i++) {
		last = NULL;
		open_history(HISTORY_LEAST);
		put(0, 40);
		event_history_store_want(h, event_history_step_ns(3), EVENT_HISTORY_STORE_BACK);
		cr_assert_eq(
		    event_history_store_ask(h, GCS_PROFILE_LIVE, event_history_step_ns(3), 1),
		    GCS_OK);
		if (i % 2 == 0)
			event_history_store_end(h);
		close_history();
	}
}
