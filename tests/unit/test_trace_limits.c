/*
 * What a small hostile trace file can request (Q2): with 100 MB of memory nothing fails for lack of
 * it, and nothing takes long, whatever the heads of the file promise.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "kit.h"
#include "kit_trace.h"
#include "trace_input.h"

enum { MEMORY = 100 << 20, LARGE = 40 << 20, MANY = 4000 };

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;
static struct wr file;

static void setup(void)
{
	kit_count_memory(MEMORY);
	state = kit_seed();
	wr_init(&file, 1 << 28);
}

static void teardown(void)
{
	wr_fini(&file);
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define LimitTest(name) Test(trace_limits, name, .init = setup, .fini = teardown, .timeout = 60)

/* Writes what was put together in the place of the recording, and opens it. */
static struct gcs_trace *open_file(void)
{
	cr_assert_eq(file.status, GCS_OK);
	kit_trace_put(recorded.path, file.data, file.length);
	return gcs_trace_open(recorded.path, &err);
}

/* The recording's file, without its index; its first chunk. */
static size_t begin_with(uint32_t count, struct trace_chunk *first)
{
	size_t length;
	kit_trace_record_killed(&recorded, count, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	wr_bytes(&file, bytes, length);
	kit_trace_free(bytes);
	cr_assert(trace_get_chunk(file.data + TRACE_FILE_HEAD, first));
	return length;
}

/* Replaces the head of the chunk at an offset. */
static void set_chunk(size_t offset, const struct trace_chunk *chunk)
{
	struct wr head;
	wr_init(&head, TRACE_CHUNK_HEAD);
	trace_put_chunk(&head, chunk);
	memcpy(file.data + offset, head.data, TRACE_CHUNK_HEAD);
	wr_fini(&head);
}

LimitTest(what_deflates_too_well_is_stored)
{
	uint8_t *document = calloc(1, LARGE);
	kit_trace_record(&recorded, 1, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path, .replace = true};
	struct gcs_trace_writer *w = gcs_trace_create(&o, &err);
	struct gcs_trace_written written;
	cr_assert_eq(gcs_trace_write(w, recorded.snapshots[0], &err), GCS_OK);
	cr_assert_eq(gcs_trace_write_profile(w, document, LARGE, &err), GCS_OK, "%s", err.text);
	gcs_trace_written(w, &written);
	cr_assert_gt(written.profile_bytes, LARGE);
	/* What comes behind it is deflated as before. */
	cr_assert_eq(gcs_trace_write_profile(w, document, LARGE / 2, &err), GCS_OK);
	gcs_trace_written(w, &written);
	cr_assert_lt(written.profile_bytes, LARGE + LARGE / 50);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);

	struct trace_input in;
	struct trace_chunk chunk;
	struct trace_part heads = {0}, body = {0};
	uint64_t offset = TRACE_FILE_HEAD;
	cr_assert(trace_input_open(&in, recorded.path, &err));
	cr_assert_eq(trace_read_chunk(&in, offset, &chunk), GCS_OK);
	offset += trace_chunk_bytes(&chunk);
	cr_assert_eq(trace_read_chunk(&in, offset, &chunk), GCS_OK);
	cr_assert_eq(trace_read_parts(&in, offset, &chunk, NULL, NULL, &heads, &body), GCS_OK);
	cr_assert_eq(body.length, LARGE);
	cr_assert_eq(memcmp(body.bytes, document, LARGE), 0);
	trace_part_fini(&heads);
	trace_part_fini(&body);
	trace_input_close(&in);
	free(document);
}

LimitTest(a_small_part_holds_little)
{
	uLongf stored = compressBound(LARGE);
	uint8_t *raw = calloc(1, LARGE), *deflated = malloc(stored);
	struct trace_chunk chunk;
	begin_with(3, &chunk);
	cr_assert_eq(compress2(deflated, &stored, raw, LARGE, 9), Z_OK);
	struct trace_chunk profile = {.kind = TRACE_PROFILE,
	    .place = 3,
	    .body_stored = (uint32_t)stored,
	    .body_raw = LARGE,
	    .check = trace_crc(0, deflated, stored)};
	cr_assert_lt(stored, 100000);
	cr_assert_not(trace_is_dense(profile.body_stored, profile.body_raw));
	trace_put_chunk(&file, &profile);
	wr_bytes(&file, deflated, stored);
	free(raw);
	free(deflated);
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	const size_t before = kit_live_bytes();
	cr_assert_null(gcs_trace_profile(t, 0, &err));
	cr_assert_eq(err.status, GCS_MALFORMED, "%s", err.text);
	cr_assert_eq(gcs_trace_check(t), 1);
	cr_assert_lt(kit_live_bytes(), before + (1 << 20));
	gcs_trace_close(t);
}

LimitTest(places_near_the_last_number)
{
	const uint64_t far = UINT64_MAX - 20;
	struct trace_chunk chunk;
	const size_t length = begin_with(3, &chunk);
	for (size_t at = TRACE_FILE_HEAD; at < length; at += (size_t)trace_chunk_bytes(&chunk)) {
		cr_assert(trace_get_chunk(file.data + at, &chunk));
		chunk.place += far;
		set_chunk(at, &chunk);
	}
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	struct gcs_trace_info info;
	gcs_trace_get_info(t, &info);
	cr_assert_eq(info.events, far + 3);
	cr_assert_eq(gcs_trace_readable(t, 0, 1), far);
	cr_assert_eq(gcs_trace_readable(t, UINT64_MAX, -1), UINT64_MAX);
	for (uint64_t i = 0; i < 3; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, far + i, &err);
		cr_assert_not_null(s, "%s", err.text);
		cr_assert_eq(gcs_snapshot_occurrence(s)->sequence, i * 2 + 1);
		gcs_snapshot_unref(s);
	}
	cr_assert_null(gcs_trace_at(t, 5, &err));
	cr_assert_eq(err.status, GCS_MALFORMED);
	cr_assert_eq(gcs_trace_check(t), 1);
	cr_assert_eq(gcs_trace_find(t, UINT64_MAX), far + 2);
	cr_assert_eq(gcs_trace_profile_before(t, GCS_PROFILE_LIVE, UINT64_MAX), UINT64_MAX);
	gcs_trace_close(t);
}

LimitTest(a_chunk_that_promises_more_events_than_it_has)
{
	struct trace_chunk chunk;
	begin_with(1, &chunk);
	chunk.count = UINT32_MAX;
	set_chunk(TRACE_FILE_HEAD, &chunk);
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	cr_assert_eq(gcs_trace_check(t), 1);
	cr_assert_eq(gcs_trace_readable(t, 0, 1), 0);
	cr_assert_eq(gcs_trace_readable(t, 1, 1), UINT64_MAX);
	cr_assert_eq(gcs_trace_find(t, UINT64_MAX), 0);
	gcs_trace_close(t);
}

LimitTest(thousands_of_holes)
{
	struct trace_chunk chunk;
	const size_t length = begin_with(1, &chunk);
	uint8_t *copy = malloc(length);
	memcpy(copy, file.data, length);
	for (uint32_t i = 1; i < MANY; i++) {
		const size_t at = file.length;
		wr_bytes(&file, copy + TRACE_FILE_HEAD, length - TRACE_FILE_HEAD);
		chunk.place = 2 * i;
		set_chunk(at, &chunk);
		/* Some bytes of nothing, which lose nothing more. */
		wr_bytes(&file, "GCSkGCSk", i % 9);
	}
	free(copy);
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	const uint32_t damage = gcs_trace_check(t);
	cr_assert_gt(damage, 1000);
	cr_assert_leq(damage, 1024);
	uint32_t good = 0;
	for (uint64_t place = 0; (place = gcs_trace_readable(t, place, 1)) != UINT64_MAX; place++) {
		struct gcs_snapshot *s = gcs_trace_at(t, place, &err);
		cr_assert_not_null(s, "%s", err.text);
		gcs_snapshot_unref(s);
		good++;
	}
	cr_assert_gt(good, 500);
	gcs_trace_close(t);
}
