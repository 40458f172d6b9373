/* The recorder (F21, Q3, Q4): nobody waits for its disk, losses are counted, and a failure is one
 * error. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>
#include <gcspy/recorder.h>
#include <gcspy/trace.h>

#include "kit.h"
#include "kit_profile.h"
#include "now.h"
#include "snapshot_internal.h"

/* The profiles are of the collection at this event. */
enum { MOST = 1000, JUDGED_EVENT = 300 };

static char path[100], copy[110];
static struct gcs_model *model;
static struct gcs_snapshot *made[MOST];
static uint32_t made_count;
static uint64_t state;
static struct gcs_error err;
static atomic_uint changes, failures;
static struct gcs_recorder *watched;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
	snprintf(path, sizeof path, "/tmp/gcspy-recorder-%ld-%u", (long)getpid(),
	    (unsigned)kit_below(&state, 1000000));
	snprintf(copy, sizeof copy, "%s.copy", path);
	model = kit_model();
	made_count = 0;
	watched = NULL;
	atomic_store(&changes, 0);
	atomic_store(&failures, 0);
}

static void teardown(void)
{
	for (uint32_t i = 0; i < made_count; i++)
		gcs_snapshot_unref(made[i]);
	gcs_model_unref(model);
	unlink(path);
	unlink(copy);
	kit_until(kit_live_blocks() == 0);
}

#define RecorderTest(name) Test(recorder, name, .init = setup, .fini = teardown)

static void changed(void *context)
{
	struct gcs_recorder_stats stats;
	(void)context;
	atomic_fetch_add(&changes, 1);
	if (watched == NULL)
		return;
	gcs_recorder_get_stats(watched, &stats);
	if (stats.error.status != GCS_OK)
		atomic_fetch_add(&failures, 1);
}

static struct gcs_recorder *start(const struct gcs_recorder_options *options)
{
	struct gcs_recorder *r = gcs_recorder_create(options, &err);
	cr_assert_not_null(r, "%s", err.text);
	return r;
}

/* The next snapshot of a random program, as a server would have made it. */
static struct gcs_snapshot *next(void)
{
	struct gcs_snapshot *last = made_count == 0 ? NULL : made[made_count - 1];
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	const struct gcs_occurrence o = {.sequence = made_count + 1,
	    .event = kit_below(&state, KIT_EVENTS),
	    .time_ns = 1000000000u + made_count * 1000000u,
	    .wall_ns = KIT_PROFILE_JUDGED + ((int64_t)made_count - JUDGED_EVENT) * 1000000};
	gcs_snapshot_set_occurrence(s, &o);
	kit_change(s, &state);
	snapshot_settle(s, last);
	cr_assert_lt(made_count, MOST);
	made[made_count++] = s;
	return s;
}

/* The same with values that no compression makes smaller than this. */
enum { LARGE_BYTES = 8000 };

static struct gcs_snapshot *next_large(void)
{
	enum { TILES = 4000 };
	struct gcs_snapshot *last = made_count == 0 ? NULL : made[made_count - 1];
	struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
	const struct gcs_occurrence o = {.sequence = made_count + 1, .event = KIT_TICK};
	gcs_snapshot_set_occurrence(s, &o);
	gcs_snapshot_resize(s, KIT_HEAP, TILES);
	int64_t *values = gcs_snapshot_write(s, KIT_HEAP, KIT_USED);
	for (uint32_t i = 0; i < TILES; i++)
		values[i] = kit_below(&state, 1000000);
	snapshot_settle(s, last);
	made[made_count++] = s;
	return s;
}

static void put_profile(struct gcs_recorder *r, enum gcs_profile_kind kind)
{
	struct gcs_profile *p = kit_profile(kind);
	void *bytes;
	size_t length;
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	cr_assert(gcs_recorder_put_profile(r, bytes, length));
	gcs_free(bytes);
	gcs_profile_free(p);
}

static struct gcs_trace *open_trace(const char *file, struct gcs_trace_info *info)
{
	struct gcs_trace *t = gcs_trace_open(file, &err);
	cr_assert_not_null(t, "%s", err.text);
	gcs_trace_get_info(t, info);
	return t;
}

/* Every event of the file is the one put in, with the gaps that it tells and no others. Returns how
 * many it says to be lost. */
static uint64_t expect_told(struct gcs_trace *t, uint64_t events)
{
	uint64_t missed = 0;
	for (uint64_t i = 0; i < events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		cr_assert_not_null(s, "%s", err.text);
		const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
		missed = o->missed;
		cr_assert_eq(o->sequence, i + 1 + missed, "event %u", (unsigned)i);
		cr_assert_null(kit_difference(s, made[o->sequence - 1], UINT64_MAX));
		gcs_snapshot_unref(s);
	}
	return missed;
}

RecorderTest(what_is_put_in_is_in_the_file)
{
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 3600000}, .queue_limit = MOST};
	struct gcs_recorder *r = start(&o);
	cr_assert_str_eq(gcs_recorder_path(r), path);
	for (uint32_t i = 0; i < 600; i++) {
		gcs_recorder_put(r, next());
		/* Before the event of their collection, and long after it. The second one is as of
		 * the same collection, and adds nothing. */
		for (int twice = 0; i % 150 == 75 && twice < 2; twice++)
			put_profile(r, (enum gcs_profile_kind)(i / 150));
	}
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert(info.complete);
	cr_assert_eq(info.events, 600);
	cr_assert_eq(info.profiles, 4);
	cr_assert_eq(expect_told(t, 600), 0);
	for (uint32_t i = 0; i < 4; i++) {
		struct gcs_trace_profile_info p;
		cr_assert(gcs_trace_profile_info(t, i, &p));
		cr_assert_eq(p.place, JUDGED_EVENT + 1, "%u", (unsigned)p.place);
		cr_assert_eq(p.kind, (enum gcs_profile_kind)i);
	}
	gcs_trace_close(t);
}

RecorderTest(a_single_event_is_in_the_file_soon)
{
	struct gcs_recorder_options o = {.trace.path = path, .changed = changed};
	struct gcs_recorder *r = start(&o);
	const uint64_t begin = now_ns();
	gcs_recorder_put(r, next());
	kit_until(atomic_load(&changes) != 0);
	cr_assert_lt(now_ns() - begin, 2500000000u);
	struct gcs_trace_info info;
	gcs_trace_close(open_trace(path, &info));
	cr_assert_not(info.complete);
	cr_assert_eq(info.events, 1);
	struct gcs_recorder_stats stats;
	gcs_recorder_get_stats(r, &stats);
	cr_assert_eq(stats.events, 1);
	cr_assert_eq(stats.bytes, info.bytes);
	cr_assert_gt(stats.raw_bytes, 0);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
}

/* A pipe that somebody has open and does not read from. */
static int make_fifo(void)
{
	cr_assert_eq(mkfifo(path, 0600), 0);
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	cr_assert_neq(fd, -1);
	return fd;
}

struct pump {
	int from;
	bool keep;
};

/* Copies what comes out of the pipe to a file, until its writer has gone. */
static void *pump(void *context)
{
	const struct pump *p = context;
	static char bytes[65536];
	const int to =
	    open(p->keep ? copy : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t n;
	fcntl(p->from, F_SETFL, 0);
	while ((n = read(p->from, bytes, sizeof bytes)) > 0)
		if (write(to, bytes, (size_t)n) != n)
			break;
	close(to);
	return NULL;
}

RecorderTest(nobody_waits_for_a_slow_disk)
{
	enum { PUT = 300, QUEUE = 8 };
	struct pump p = {.from = make_fifo(), .keep = true};
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .replace = true, .flush_ms = 1}, .queue_limit = QUEUE};
	struct gcs_recorder *r = start(&o);
	struct gcs_recorder_stats stats;
	uint64_t longest = 0;
	for (uint32_t i = 0; i < PUT; i++) {
		struct gcs_snapshot *s = next_large();
		const uint64_t begin = now_ns();
		gcs_recorder_put(r, s);
		const uint64_t took = now_ns() - begin;
		longest = took > longest ? took : longest;
	}
	cr_assert_lt(longest, 500000000u);
	gcs_recorder_get_stats(r, &stats);
	cr_assert_eq(stats.waiting, QUEUE);
	cr_assert_gt(stats.dropped, 100);
	cr_assert_eq(stats.error.status, GCS_OK);
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, pump, &p), 0);
	/* What the pipe let through before the gap, the gap, and what waited behind it. */
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	pthread_join(thread, NULL);
	close(p.from);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(copy, &info);
	cr_assert_eq(info.events + stats.dropped, PUT);
	cr_assert_eq(expect_told(t, info.events), stats.dropped);
	gcs_trace_close(t);
}

RecorderTest(the_queue_keeps_to_its_bytes)
{
	struct pump p = {.from = make_fifo()};
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .replace = true, .flush_ms = 1}, .queue_bytes = 200000};
	struct gcs_recorder *r = start(&o);
	struct gcs_recorder_stats stats;
	for (uint32_t i = 0; i < 200; i++)
		gcs_recorder_put(r, next_large());
	gcs_recorder_get_stats(r, &stats);
	cr_assert_gt(stats.waiting, 1);
	cr_assert_leq(stats.waiting * 32000, 200000);
	/* A profile does not push out events. */
	static uint8_t bytes[200000] = {1, GCS_PROFILE_LIVE};
	cr_assert_not(gcs_recorder_put_profile(r, bytes, sizeof bytes));
	cr_assert_not(gcs_recorder_put_profile(r, "\1\77", 2), "no kind");
	gcs_recorder_get_stats(r, &stats);
	cr_assert_eq(stats.dropped_profiles, 1);
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, pump, &p), 0);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	pthread_join(thread, NULL);
	close(p.from);
}

RecorderTest(a_disk_that_hangs_is_left_behind)
{
	struct pump p = {.from = make_fifo()};
	struct gcs_recorder_options o = {.trace = {.path = path, .replace = true, .flush_ms = 1},
	    .finish_ms = 50,
	    .changed = changed};
	struct gcs_recorder *r = start(&o);
	for (uint32_t i = 0; i < 100; i++)
		gcs_recorder_put(r, next_large());
	const uint64_t begin = now_ns();
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_TIMEOUT);
	cr_assert_lt(now_ns() - begin, 5000000000u);
	cr_assert_not_null(strstr(err.text, path), "%s", err.text);
	const unsigned told = atomic_load(&changes);
	/* It comes back later, frees all (see teardown) and tells nobody. */
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, pump, &p), 0);
	pthread_join(thread, NULL);
	cr_assert_eq(atomic_load(&changes), told);
	close(p.from);
}

/* Puts until recording has failed, and some more. */
static void put_until_failure(struct gcs_recorder *r)
{
	struct gcs_recorder_stats stats = {.error.status = GCS_OK};
	for (uint32_t i = 0; i < 10000 && stats.error.status == GCS_OK; i++) {
		gcs_recorder_put(r, next_large());
		/* The first one alone: all that wait at a flush are written as one, which may be too much
		 * for the file. */
		do {
			kit_sleep_ms(1);
			gcs_recorder_get_stats(r, &stats);
		} while (stats.bytes < LARGE_BYTES && stats.error.status == GCS_OK);
	}
	cr_assert_neq(stats.error.status, GCS_OK);
	kit_until(atomic_load(&failures) != 0);
	const uint32_t events = (uint32_t)stats.events;
	for (uint32_t i = 0; i < 20; i++)
		gcs_recorder_put(r, next_large());
	cr_assert_not(gcs_recorder_put_profile(r, "\1\1", 2));
	kit_sleep_ms(20);
	gcs_recorder_get_stats(r, &stats);
	cr_assert_eq(stats.events, events);
	cr_assert_eq(stats.waiting, 0);
	cr_assert_eq(atomic_load(&failures), 1, "told once");
}

RecorderTest(a_full_disk_ends_recording_and_what_is_there_is_readable)
{
	struct rlimit before, small;
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){.rlim_cur = 100000, .rlim_max = before.rlim_max};
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 1}, .changed = changed};
	struct gcs_recorder *r = watched = start(&o);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
	put_until_failure(r);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_IO);
	setrlimit(RLIMIT_FSIZE, &before);
	cr_assert_not_null(strstr(err.text, "File too large"), "%s", err.text);
	cr_assert_not_null(strstr(err.text, path), "%s", err.text);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert_gt(info.events, 0);
	cr_assert_eq(info.stray_bytes, 0);
	cr_assert_eq(gcs_trace_check(t), 0);
	gcs_trace_close(t);
}

RecorderTest(at_its_limit_the_file_is_finished_at_once)
{
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 1, .max_bytes = 100000}, .changed = changed};
	struct gcs_recorder *r = watched = start(&o);
	put_until_failure(r);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert(info.complete);
	cr_assert_leq(info.bytes, 100000);
	cr_assert_gt(info.events, 0);
	expect_told(t, info.events);
	gcs_trace_close(t);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_LIMIT);
}

RecorderTest(what_was_lost_before_is_told_too)
{
	struct gcs_recorder_options o = {.trace.path = path};
	struct gcs_recorder *r = start(&o);
	gcs_recorder_put(r, next());
	struct gcs_recorder_stats stats;
	do
		gcs_recorder_get_stats(r, &stats);
	while (stats.events == 0);
	next();
	next();
	gcs_recorder_miss(r, 2);
	gcs_recorder_put(r, next());
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert_eq(info.events, 2);
	cr_assert_eq(expect_told(t, 2), 2);
	gcs_trace_close(t);
}

static void *put_some(void *context)
{
	struct gcs_recorder *r = context;
	struct gcs_recorder_stats stats;
	for (uint32_t i = 0; i < 200; i++) {
		gcs_recorder_put(r, made[0]);
		gcs_recorder_miss(r, 1);
		gcs_recorder_get_stats(r, &stats);
	}
	return NULL;
}

RecorderTest(any_thread_may_put)
{
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 1}, .queue_limit = MOST, .changed = changed};
	struct gcs_recorder *r = watched = start(&o);
	next();
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, put_some, r), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert_eq(info.events, 800);
	gcs_trace_close(t);
}

/* Nobody can read a file without a name: recording ends with a message and frees its space. */
RecorderTest(a_file_that_is_removed_ends_recording)
{
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 1}, .changed = changed};
	struct gcs_recorder *r = watched = start(&o);
	cr_assert(gcs_recorder_put(r, next()));
	kit_until(atomic_load(&changes) != 0);
	unlink(path);
	kit_until(!gcs_recorder_put(r, next()) || (kit_sleep_ms(5), false));
	kit_until(atomic_load(&failures) == 1);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_IO);
	cr_assert_not_null(strstr(err.text, "has been removed"), "%s", err.text);
	cr_assert_not_null(strstr(err.text, path), "%s", err.text);
	cr_assert_neq(access(path, F_OK), 0);
}

/* Even if it happens behind the last event. */
RecorderTest(a_file_that_is_removed_at_the_end_is_an_error)
{
	struct gcs_recorder_options o = {.trace = {.path = path, .flush_ms = 60000}};
	struct gcs_recorder *r = start(&o);
	cr_assert(gcs_recorder_put(r, next()));
	unlink(path);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_IO);
	cr_assert_not_null(strstr(err.text, "has been removed"), "%s", err.text);
}

static bool is_moved(struct gcs_recorder *r)
{
	struct gcs_recorder_stats stats;
	gcs_recorder_get_stats(r, &stats);
	return stats.moved;
}

/* It has a name elsewhere, and is written on; what took its place is left alone. */
RecorderTest(a_file_that_is_moved_is_written_on)
{
	static const char precious[] = "precious";
	char text[sizeof precious] = "";
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .flush_ms = 1}, .changed = changed};
	struct gcs_recorder *r = watched = start(&o);
	cr_assert(gcs_recorder_put(r, next()));
	kit_until(atomic_load(&changes) != 0);
	cr_assert_not(is_moved(r));
	cr_assert_eq(rename(path, copy), 0);
	cr_assert(gcs_recorder_put(r, next()));
	kit_until(is_moved(r));
	FILE *other = fopen(path, "w");
	fputs(precious, other);
	fclose(other);
	cr_assert(gcs_recorder_put(r, next()));
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(copy, &info);
	cr_assert_eq(info.events, 3);
	gcs_trace_close(t);
	other = fopen(path, "r");
	cr_assert_not_null(fgets(text, sizeof text, other));
	fclose(other);
	cr_assert_str_eq(text, precious);
	cr_assert_eq(atomic_load(&failures), 0);
}

RecorderTest(what_cannot_be_made_is_one_error)
{
	struct gcs_recorder_options o = {.trace.path = path};
	struct gcs_recorder *r = start(&o);
	cr_assert_null(gcs_recorder_create(&o, &err), "it is there already");
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
	unlink(path);
	o.trace.path = "/nonexistent/x.gcspy";
	cr_assert_null(gcs_recorder_create(&o, &err));
	cr_assert_not_null(strstr(err.text, "/nonexistent/x.gcspy"), "%s", err.text);
	cr_assert_eq(gcs_recorder_finish(NULL, &err), GCS_OK);
	o.trace.path = path;
	for (size_t n = 0; n < 60; n++) {
		kit_fail_after(n);
		r = gcs_recorder_create(&o, &err);
		if (r == NULL)
			cr_assert_eq(err.status, GCS_NOMEM, "%s", err.text);
		if (r == NULL)
			cr_assert_neq(access(path, F_OK), 0, "no file is left behind");
		kit_fail_after(SIZE_MAX);
		gcs_recorder_finish(r, NULL);
		unlink(path);
	}
}
