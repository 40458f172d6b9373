/* The recorder and its disk (Q3, Q4): nobody waits for a slow one, and a failure is one error. */
#include "recorder_suite.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "now.h"

#define DiskTest(name) Test(recorder_disk, name, .init = setup, .fini = teardown)

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

/* The recorder writes to the pipe, and waits for its reader. */
static bool is_full(void)
{
	const int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	struct pollfd full = {.fd = fd, .events = POLLOUT};
	const bool room = fd == -1 || poll(&full, 1, 0) != 0;
	close(fd);
	return !room;
}

DiskTest(nobody_waits_for_a_slow_disk)
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
	/* What the pipe let through before the gap, the gap, and what waited after it. */
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	pthread_join(thread, NULL);
	close(p.from);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(copy, &info);
	cr_assert_eq(info.events + stats.dropped, PUT);
	cr_assert_eq(expect_told(t, info.events), stats.dropped);
	gcs_trace_close(t);
}

DiskTest(the_queue_keeps_to_its_bytes)
{
	struct pump p = {.from = make_fifo()};
	struct gcs_recorder_options o = {
	    .trace = {.path = path, .replace = true, .flush_ms = 1}, .queue_bytes = 200000};
	struct gcs_recorder *r = start(&o);
	struct gcs_recorder_stats stats;
	for (uint32_t i = 0; i < 200; i++)
		gcs_recorder_put(r, next_large());
	kit_until(is_full());
	/* What it had taken meanwhile. */
	for (uint32_t i = 0; i < 20; i++)
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

DiskTest(a_disk_that_hangs_is_left_behind)
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

DiskTest(a_full_disk_ends_recording_and_what_is_there_is_readable)
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

DiskTest(at_its_limit_the_file_is_finished_at_once)
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

/* Nobody can read a file without a name: recording ends with a message and frees its space. */
DiskTest(a_file_that_is_removed_ends_recording)
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

/* Even if it happens after the last event. */
DiskTest(a_file_that_is_removed_at_the_end_is_an_error)
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
DiskTest(a_file_that_is_moved_is_written_on)
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
