/* Trace files written and read at any place (F21 to F23): what comes out is what went in. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "kit_profile.h"
#include "kit_trace.h"

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
}

static void teardown(void)
{
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define TraceTest(name) Test(trace, name, .init = setup, .fini = teardown)

static struct gcs_trace *open_recorded(void)
{
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	cr_assert_not_null(t, "%s", err.text);
	return t;
}

static void expect_equal(struct gcs_trace *t, uint32_t place)
{
	const char *difference = kit_trace_difference(t, &recorded, place);
	cr_assert_null(difference, "event %u: %s", place, difference);
}

TraceTest(forwards_backwards_and_anywhere)
{
	enum { COUNT = 1500 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	struct gcs_trace *t = open_recorded();
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	cr_assert_eq(info.events, COUNT);
	cr_assert(info.complete);
	cr_assert_eq(info.stray_bytes, 0);
	cr_assert_eq(info.first_time_ns, 1000000000);
	cr_assert_eq(info.last_time_ns, 1000000000 + (COUNT - 1) * 1000000u);
	for (uint32_t i = 0; i < COUNT; i++)
		expect_equal(t, i);
	for (uint32_t i = COUNT; i-- != 0;)
		expect_equal(t, i);
	for (uint32_t i = 0; i < 400; i++) {
		uint32_t at = kit_below(&state, COUNT);
		/* There, and some steps in either direction. */
		int step = (int)kit_below(&state, 3) - 1;
		for (uint32_t k = 0; k < 5 && at < COUNT; k++, at += (uint32_t)step)
			expect_equal(t, at);
	}
	cr_assert_eq(gcs_trace_check(t), 0);
	gcs_trace_close(t);
}

TraceTest(keeps_little_memory)
{
	enum { COUNT = 1200 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	const size_t before = kit_live_bytes();
	struct gcs_trace *t = open_recorded();
	for (uint32_t i = COUNT; i-- != 0;)
		gcs_snapshot_unref(gcs_trace_at(t, i, NULL));
	cr_assert_lt(kit_live_bytes() - before, 90u << 20);
	gcs_trace_close(t);
}

TraceTest(moments_are_the_occurrences_without_spaces)
{
	enum { COUNT = 700 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	struct gcs_trace *t = open_recorded();
	for (uint32_t n = 0; n < 2 * COUNT; n++) {
		const uint32_t i = n < COUNT ? n : kit_below(&state, COUNT);
		struct gcs_snapshot *s = gcs_trace_moment(t, i, &err);
		cr_assert_not_null(s, "%s", err.text);
		const struct gcs_snapshot *truth = recorded.snapshots[i];
		cr_assert_eq(
		    gcs_snapshot_occurrence(s)->event, gcs_snapshot_occurrence(truth)->event);
		cr_assert_eq(
		    gcs_snapshot_occurrence(s)->time_ns, gcs_snapshot_occurrence(truth)->time_ns);
		int64_t a = 0, b = 0;
		cr_assert_eq(gcs_snapshot_number(s, KIT_COUNT_ATTRIBUTE, &a),
		    gcs_snapshot_number(truth, KIT_COUNT_ATTRIBUTE, &b));
		cr_assert_eq(a, b);
		gcs_snapshot_unref(s);
	}
	gcs_trace_close(t);
}

TraceTest(finds_times)
{
	kit_trace_record(&recorded, 900, 0, &state);
	struct gcs_trace *t = open_recorded();
	cr_assert_eq(gcs_trace_find(t, 0), 0);
	cr_assert_eq(gcs_trace_find(t, 1000000000), 0);
	for (unsigned i = 0; i < 50; i++) {
		const uint32_t place = kit_below(&state, 900);
		const uint64_t time = 1000000000u + (uint64_t)place * 1000000u;
		cr_assert_eq(gcs_trace_find(t, time), place);
		cr_assert_eq(gcs_trace_find(t, time + 999999), place);
	}
	cr_assert_eq(gcs_trace_find(t, UINT64_MAX), 899);
	gcs_trace_close(t);
}

/* A live profile of a collection that ended at that wall time, made a second later. */
static void write_judged(struct gcs_trace_writer *w, uint64_t number, int64_t wall_ns)
{
	void *bytes;
	size_t length;
	const struct gcs_profile_head head = {.kind = GCS_PROFILE_LIVE,
	    .server = "",
	    .as_of = "",
	    .wall_ns = wall_ns + 1000000000,
	    .judged = {number, wall_ns, "Young"},
	    .judged_old.kind = ""};
	struct gcs_profile *p = gcs_profile_create(&head);
	cr_assert_eq(gcs_profile_encode(p, &bytes, &length, &err), GCS_OK);
	cr_assert_eq(gcs_trace_write_profile(w, bytes, length, &err), GCS_OK, "%s", err.text);
	gcs_free(bytes);
	gcs_profile_free(p);
}

/* F23: profiles arrive late, behind events that came after their collection. */
TraceTest(a_profile_is_at_its_collection)
{
	enum { COUNT = 700 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path, .replace = true};
	struct gcs_trace_writer *w = gcs_trace_create(&o, &err);
	const struct gcs_snapshot *const *s =
	    (const struct gcs_snapshot *const *)recorded.snapshots;
	const int64_t begin = gcs_snapshot_occurrence(s[0])->wall_ns, step = 1000000;
	for (uint32_t i = 0; i < COUNT; i++) {
		cr_assert_eq(gcs_trace_write(w, s[i], &err), GCS_OK, "%s", err.text);
		if (i == 3)
			write_judged(w, 1, begin - step);
		else if (i == 20)
			write_judged(w, 2, begin + 11 * step + step / 2);
		else if (i == 21)
			write_judged(w, 3, begin + 20 * step - 1000); /* clocks differ a little */
		else if (i == 30)
			write_judged(w, 0, begin + 30 * step + step / 2 - 1000000000);
		else if (i == COUNT - 1)
			write_judged(w, 4, begin + 100 * step); /* long ago */
	}
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	struct gcs_trace *t = open_recorded();
	static const uint64_t places[] = {0, 12, 21, 31, COUNT - 511};
	for (uint64_t i = 0; i < 5; i++) {
		struct gcs_trace_profile_info p;
		cr_assert(gcs_trace_profile_info(t, i, &p));
		cr_assert_eq(p.place, places[i], "%u: %u", (unsigned)i, (unsigned)p.place);
		cr_assert_eq(
		    p.time_ns, places[i] == 0 ? 0 : 1000000000 + (places[i] - 1) * (uint64_t)step);
	}
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, 10), 0);
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, 11), 1);
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, 19), 1);
	gcs_trace_close(t);
}

TraceTest(profiles_have_their_place)
{
	kit_trace_record(&recorded, 600, 60, &state);
	struct gcs_trace *t = open_recorded();
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	cr_assert_eq(info.profiles, 10);
	for (uint32_t i = 0; i < 10; i++) {
		struct gcs_trace_profile_info p;
		cr_assert(gcs_trace_profile_info(t, i, &p));
		cr_assert_eq(p.place, i * 60 + 1);
		cr_assert_eq(p.time_ns, 1000000000u + i * 60000000u);
		const enum gcs_profile_kind kind =
		    (enum gcs_profile_kind)(i % GCS_PROFILE_KIND_COUNT);
		cr_assert_eq(p.kind, kind);
		struct gcs_profile *truth = kit_profile(kind);
		struct gcs_profile *profile = gcs_trace_profile(t, i, &err);
		cr_assert_not_null(profile, "%s", err.text);
		cr_assert_null(kit_profile_difference(profile, truth));
		gcs_profile_free(profile);
		gcs_profile_free(truth);
	}
	cr_assert_not(gcs_trace_profile_info(t, 10, &(struct gcs_trace_profile_info){0}));
	cr_assert_null(gcs_trace_profile(t, 10, &err));
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, 0), 0);
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, 599), 8);
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_RECENT, 59), UINT64_MAX);
	for (uint32_t i = 0; i < 600; i++)
		expect_equal(t, i);
	gcs_trace_close(t);
}

TraceTest(a_killed_writers_file_is_read_without_an_index)
{
	kit_trace_record_killed(&recorded, 800, &state);
	struct gcs_trace *t = open_recorded();
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	cr_assert_not(info.complete);
	cr_assert_eq(info.events, 800);
	for (uint32_t i = 0; i < 800; i++)
		expect_equal(t, i);
	gcs_trace_close(t);
}

TraceTest(what_is_recorded_again_is_equal)
{
	kit_trace_record(&recorded, 700, 0, &state);
	struct gcs_trace *t = open_recorded();
	char path[160];
	snprintf(path, sizeof path, "%s.again", recorded.path);
	struct gcs_trace_writer *w =
	    gcs_trace_create(&(struct gcs_trace_options){.path = path}, &err);
	cr_assert_not_null(w, "%s", err.text);
	for (uint32_t i = 0; i < 700; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		cr_assert_eq(gcs_trace_write(w, s, &err), GCS_OK, "%s", err.text);
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	gcs_trace_close(t);
	t = gcs_trace_open(path, &err);
	cr_assert_not_null(t, "%s", err.text);
	for (uint32_t i = 0; i < 700; i++)
		expect_equal(t, i);
	gcs_trace_close(t);
	unlink(path);
}

TraceTest(no_file_is_overwritten_unless_asked)
{
	kit_trace_record(&recorded, 10, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path};
	cr_assert_null(gcs_trace_create(&o, &err));
	cr_assert_not_null(strstr(err.text, recorded.path));
	o.number = true;
	struct gcs_trace_writer *w = gcs_trace_create(&o, &err);
	char path[160];
	snprintf(path, sizeof path, "%s.1", recorded.path);
	cr_assert_str_eq(gcs_trace_writer_path(w), path);
	struct stat st;
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	unlink(path);
	struct gcs_trace *t = open_recorded();
	expect_equal(t, 9);
	gcs_trace_close(t);
	o = (struct gcs_trace_options){.path = recorded.path, .replace = true};
	w = gcs_trace_create(&o, &err);
	cr_assert_not_null(w, "%s", err.text);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	cr_assert_null(gcs_trace_open(recorded.path, &err));
	cr_assert_not_null(strstr(err.text, "no whole event"), "%s", err.text);
}

TraceTest(what_is_no_trace_is_refused_in_one_line)
{
	kit_trace_record(&recorded, 5, 0, &state);
	cr_assert_null(gcs_trace_open("/nonexistent/run.gcspy", &err));
	cr_assert_not_null(strstr(err.text, "/nonexistent/run.gcspy"));
	cr_assert_null(gcs_trace_open("/tmp", &err));
	cr_assert_not_null(strstr(err.text, "not a regular file"));
	size_t length;
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	bytes[0] = 'X';
	kit_trace_put(recorded.path, bytes, length);
	cr_assert_null(gcs_trace_open(recorded.path, &err));
	cr_assert_eq(err.status, GCS_FOREIGN);
	cr_assert_not(gcs_trace_is(recorded.path));
	kit_trace_free(bytes);
	cr_assert_null(gcs_trace_create(&(struct gcs_trace_options){.path = ""}, &err));
	cr_assert_null(
	    gcs_trace_create(&(struct gcs_trace_options){.path = "/tmp/x", .level = 10}, &err));
	cr_assert_null(
	    gcs_trace_create(&(struct gcs_trace_options){.path = "/nonexistent/run.gcspy"}, &err));
}

/* Writes snapshots until it fails, and finishes; the first error is in err. */
static uint32_t write_until_it_fails(const struct gcs_trace_options *o)
{
	struct gcs_trace_writer *w = gcs_trace_create(o, &err);
	cr_assert_not_null(w, "%s", err.text);
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *last = NULL;
	uint32_t written = 0;
	for (uint32_t i = 0; i < 100000; i++) {
		struct gcs_snapshot *s = gcs_snapshot_begin(model, last);
		kit_change(s, &state);
		gcs_snapshot_unref(last);
		last = s;
		if (gcs_trace_write(w, s, &err) != GCS_OK ||
		    gcs_trace_flush(w, true, &err) != GCS_OK)
			break;
		written++;
	}
	gcs_snapshot_unref(last);
	gcs_model_unref(model);
	struct gcs_error again;
	cr_assert_eq(gcs_trace_flush(w, true, &again), err.status);
	cr_assert_eq(gcs_trace_finish(w, &again), err.status);
	cr_assert_str_eq(again.text, err.text);
	return written;
}

TraceTest(a_limit_of_bytes_is_kept_and_the_file_is_whole)
{
	kit_trace_record(&recorded, 1, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path, .replace = true, .max_bytes = 50000};
	const uint32_t written = write_until_it_fails(&o);
	cr_assert_eq(err.status, GCS_LIMIT);
	cr_assert_not_null(strstr(err.text, "50000"), "%s", err.text);
	struct gcs_trace *t = open_recorded();
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	cr_assert(info.complete);
	cr_assert_leq(info.bytes, 50000);
	cr_assert_eq(info.events, written);
	cr_assert_eq(gcs_trace_check(t), 0);
	gcs_trace_close(t);
}

TraceTest(a_full_disk_is_one_error)
{
	kit_trace_record(&recorded, 1, 0, &state);
	struct gcs_trace_options o = {.path = "/dev/full", .replace = true};
	cr_assert_null(gcs_trace_create(&o, &err));
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_not_null(strstr(err.text, "No space"), "%s", err.text);
}

TraceTest(other_events_are_refused)
{
	kit_trace_record(&recorded, 1, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path, .replace = true};
	struct gcs_trace_writer *w = gcs_trace_create(&o, &err);
	struct gcs_model *model = kit_model();
	struct gcs_snapshot *s = kit_snapshot(model);
	cr_assert_eq(gcs_trace_write(w, s, &err), GCS_OK);
	struct gcs_model *other = gcs_model_create("other");
	struct gcs_snapshot *foreign = gcs_snapshot_begin(other, NULL);
	cr_assert_eq(gcs_trace_write(w, foreign, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_trace_write(w, s, &err), GCS_OK, "it goes on");
	cr_assert_eq(gcs_trace_write_profile(w, "", 0, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(foreign);
	gcs_model_unref(model);
	gcs_model_unref(other);
}

TraceTest(running_out_of_memory_is_an_error_and_no_more)
{
	enum { COUNT = 40 };
	kit_trace_record(&recorded, COUNT, 10, &state);
	for (size_t n = 0; n < 2000; n += 1 + n / 16) {
		kit_fail_after(n);
		struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
		for (uint32_t i = 0; t != NULL && i < COUNT; i++) {
			struct gcs_snapshot *s = gcs_trace_at(t, i * 7 % COUNT, &err);
			if (s == NULL)
				cr_assert_eq(err.status, GCS_NOMEM, "%s", err.text);
			gcs_snapshot_unref(s);
		}
		if (t != NULL)
			gcs_profile_free(gcs_trace_profile(t, 1, NULL));
		kit_fail_after(SIZE_MAX);
		/* Nothing is taken for damage. */
		if (t != NULL)
			for (uint32_t i = 0; i < COUNT; i++)
				expect_equal(t, i);
		gcs_trace_close(t);
	}
}
