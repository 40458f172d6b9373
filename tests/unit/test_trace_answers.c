/* Answers of plugins in trace files: what is written is read back, finished, cut or damaged (F18, F21). */
#include "recorder_suite.h"

#include <string.h>

#include <gcspy/plugin.h>

#define AnswerTest(name) Test(trace_answers, name, .init = setup, .fini = teardown)

static struct gcs_trace_answer answer_of(const char *plugin, const char *body)
{
	return (struct gcs_trace_answer){.plugin = plugin,
	    .message = "pauses=3",
	    .wall_ns = 12345,
	    .bytes = body,
	    .length = strlen(body)};
}

static void put_answer(struct gcs_trace_writer *w, const char *plugin, const char *body)
{
	const struct gcs_trace_answer a = answer_of(plugin, body);
	cr_assert_eq(gcs_trace_write_answer(w, &a, &err), GCS_OK, "%s", err.text);
}

/* Three answers behind 2, 5 and 5 of 8 events. */
static struct gcs_trace_writer *write_some(void)
{
	struct gcs_trace_writer *w =
	    gcs_trace_create(&(struct gcs_trace_options){.path = path}, &err);
	cr_assert_not_null(w, "%s", err.text);
	for (uint64_t i = 0; i < 8; i++) {
		if (i == 2)
			put_answer(w, "paths", "the first");
		if (i == 5) {
			put_answer(w, "histogram", "counts");
			put_answer(w, "paths", "");
		}
		cr_assert_eq(gcs_trace_write(w, next(), &err), GCS_OK, "%s", err.text);
	}
	return w;
}

static void expect_answer(
    struct gcs_trace *t, uint64_t number, const char *plugin, const char *body, uint64_t at)
{
	uint64_t place = 0;
	struct gcs_trace_answer *a = gcs_trace_get_answer(t, number, &place, &err);
	cr_assert_not_null(a, "%s", err.text);
	cr_expect_str_eq(a->plugin, plugin);
	cr_expect_str_eq(a->message, "pauses=3");
	cr_expect_eq(a->wall_ns, 12345);
	cr_expect_eq(a->length, strlen(body));
	cr_expect(a->length == 0 || memcmp(a->bytes, body, a->length) == 0);
	cr_expect_eq(place, at);
	gcs_plugin_free(a);
}

static void expect_all(bool complete)
{
	struct gcs_trace_info info;
	struct gcs_trace *t = gcs_trace_open(path, &err);
	cr_assert_not_null(t, "%s", err.text);
	gcs_trace_get_info(t, &info);
	cr_assert_eq(info.complete, complete);
	cr_assert_eq(info.answers, 3);
	cr_assert_eq(info.events, 8);
	expect_answer(t, 0, "paths", "the first", 2);
	expect_answer(t, 1, "histogram", "counts", 5);
	expect_answer(t, 2, "paths", "", 5);
	cr_assert_eq(gcs_trace_answer_before(t, "paths", 1), 0);
	cr_assert_eq(gcs_trace_answer_before(t, "paths", 0), UINT64_MAX);
	cr_assert_eq(gcs_trace_answer_before(t, "paths", 3), 0);
	cr_assert_eq(gcs_trace_answer_before(t, "paths", 7), 2);
	cr_assert_eq(gcs_trace_answer_before(t, "histogram", UINT64_MAX), 1);
	cr_assert_eq(gcs_trace_answer_before(t, "backtrace", 7), UINT64_MAX);
	cr_assert_null(gcs_trace_get_answer(t, 3, NULL, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_eq(gcs_trace_check(t), 0);
	gcs_trace_close(t);
}

AnswerTest(a_finished_file_lists_them)
{
	cr_assert_eq(gcs_trace_finish(write_some(), &err), GCS_OK, "%s", err.text);
	expect_all(true);
}

AnswerTest(a_file_without_an_index_has_them)
{
	cr_assert_eq(gcs_trace_finish(write_some(), &err), GCS_OK);
	struct gcs_trace *t = gcs_trace_open(path, &err);
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	gcs_trace_close(t);
	cr_assert_eq(truncate(path, (off_t)info.bytes - 30), 0);
	expect_all(false);
}

/* The chunk of the first answer begins after those of two events; a byte of its body is changed. */
AnswerTest(damage_costs_only_the_answer)
{
	cr_assert_eq(gcs_trace_finish(write_some(), &err), GCS_OK);
	FILE *file = fopen(path, "r+b");
	unsigned char bytes[100000];
	const size_t length = fread(bytes, 1, sizeof bytes, file);
	size_t at = 0;
	while (at < length && !(memcmp(bytes + at, "GCSk\5", 5) == 0))
		at++;
	cr_assert_lt(at, length);
	cr_assert_eq(fseek(file, (long)at + 66, SEEK_SET), 0);
	cr_assert_neq(fputc(bytes[at + 66] ^ 0x20, file), EOF);
	fclose(file);
	struct gcs_trace *t = gcs_trace_open(path, &err);
	cr_assert_not_null(t, "%s", err.text);
	cr_assert_null(gcs_trace_get_answer(t, 0, NULL, &err));
	cr_assert_eq(err.status, GCS_MALFORMED);
	expect_answer(t, 1, "histogram", "counts", 5);
	cr_assert_eq(gcs_trace_answer_before(t, "paths", 3), UINT64_MAX);
	cr_assert_eq(gcs_trace_check(t), 1);
	struct gcs_trace_damage damage;
	cr_assert(gcs_trace_get_damage(t, 0, &damage));
	cr_assert_eq(damage.count, 0, "no event is lost");
	gcs_trace_close(t);
}

AnswerTest(what_is_no_answer_is_refused)
{
	struct gcs_trace_writer *w = write_some();
	struct gcs_trace_answer a = answer_of("", "body");
	cr_assert_eq(gcs_trace_write_answer(w, &a, &err), GCS_ARGUMENT);
	a = answer_of("paths", "body");
	a.reserved[0] = 1;
	cr_assert_eq(gcs_trace_write_answer(w, &a, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	expect_all(true);
}

/* Behind the events that were queued before it, as a copy. */
AnswerTest(a_recorder_takes_them)
{
	struct gcs_recorder *r = start(&(struct gcs_recorder_options){.trace = {.path = path}});
	char body[] = "counts";
	const struct gcs_trace_answer a = answer_of("histogram", body);
	for (uint64_t i = 0; i < 6; i++) {
		cr_assert(gcs_recorder_put(r, next()));
		if (i == 3)
			cr_assert(gcs_recorder_put_answer(r, &a));
	}
	body[0] = 'x';
	struct gcs_trace_answer bad = a;
	bad.plugin = "";
	cr_assert_not(gcs_recorder_put_answer(r, &bad));
	cr_assert_eq(gcs_recorder_finish(r, &err), GCS_OK, "%s", err.text);
	struct gcs_trace *t = gcs_trace_open(path, &err);
	expect_answer(t, 0, "histogram", "counts", 4);
	gcs_trace_close(t);
}
