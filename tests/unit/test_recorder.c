/* The recorder (F21, Q3): what is put in is in the file, losses are counted, any thread may put. */
#include "recorder_suite.h"

#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "now.h"

#define RecorderTest(name) Test(recorder, name, .init = setup, .fini = teardown)

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

RecorderTest(what_was_lost_is_told_where_it_was_lost)
{
	enum { BEFORE = 100 };
	struct gcs_recorder_options o = {.trace.path = path};
	struct gcs_recorder *r = start(&o);
	for (int i = 0; i < BEFORE; i++)
		gcs_recorder_put(r, next());
	next();
	next();
	gcs_recorder_miss(r, 2); /* while most of them wait */
	gcs_recorder_put(r, next());
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert_eq(info.events, BEFORE + 1);
	cr_assert_eq(expect_told(t, BEFORE + 1), 2);
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

RecorderTest(one_recorder_writes_a_file)
{
	struct gcs_recorder_options o = {.trace = {.path = path, .replace = true}};
	struct gcs_recorder *r = start(&o);
	gcs_recorder_put(r, next());
	cr_assert_null(gcs_recorder_create(&o, &err));
	cr_assert_eq(err.status, GCS_STATE);
	cr_assert_not_null(
	    strstr(err.text, "another recorder is writing this file"), "%s", err.text);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	struct gcs_trace_info info;
	struct gcs_trace *t = open_trace(path, &info);
	cr_assert_eq(info.events, 1);
	gcs_trace_close(t);
	r = start(&o);
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
}
