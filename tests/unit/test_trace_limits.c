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
#include "trace_index.h"
#include "trace_pack.h"
#include "trace_walk.h"

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

#define LimitTest(name) Test(trace_limits, name, .init = setup, .fini = teardown, .timeout = 300)

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
	/* What comes after it is deflated as before. */
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

/* All events from the first on as the commands walk over them; how many can be read. */
static uint32_t walk(struct gcs_trace *t, bool moments, uint64_t *unreadable)
{
	struct trace_walk w;
	struct gcs_snapshot *s;
	uint32_t read = 0;
	trace_walk_begin(&w, t, 0, UINT64_MAX, moments);
	for (; (s = trace_walk_next(&w, &err)) != NULL; read++)
		gcs_snapshot_unref(s);
	cr_assert_eq(err.status, GCS_OK, "%s", err.text);
	*unreadable = w.unreadable;
	return read;
}

/* Each of the promised events would be looked for, for an hour. */
LimitTest(a_walk_over_promised_events_ends)
{
	struct trace_chunk chunk;
	uint64_t unreadable;
	begin_with(1, &chunk);
	chunk.count = UINT32_MAX;
	set_chunk(TRACE_FILE_HEAD, &chunk);
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	cr_assert_eq(walk(t, true, &unreadable), 1);
	cr_assert_eq(unreadable, UINT32_MAX - 1u);
	gcs_trace_close(t);
	/* From behind, too: what is noted begins at the first event that is not there. */
	t = gcs_trace_open(recorded.path, &err);
	cr_assert_null(gcs_trace_moment(t, UINT32_MAX - 1u, &err));
	cr_assert_eq(err.status, GCS_MALFORMED);
	cr_assert_eq(gcs_trace_readable(t, UINT32_MAX - 1u, -1), 0);
	gcs_trace_close(t);
}

/* Adds an index of one segment, the chunk at the beginning. */
static void add_index(const struct trace_chunk *chunk)
{
	const size_t end = file.length;
	const struct trace_entry entry = {.kind = TRACE_KEY,
	    .offset = TRACE_FILE_HEAD,
	    .place = chunk->place,
	    .count = chunk->count,
	    .bytes = end - TRACE_FILE_HEAD};
	struct trace_chunk index = {.kind = TRACE_INDEX, .place = chunk->place + chunk->count};
	struct trace_packer packer;
	struct wr body, out, none = {0};
	wr_init(&body, 1000);
	wr_init(&out, 10000);
	wr_varint(&body, 1);
	trace_put_entry(&body, &entry, 0);
	wr_varint(&body, 0);
	cr_assert(trace_packer_init(&packer, 4));
	trace_pack_chunk(&packer, &out, &none, &body, &index);
	wr_bytes(&file, out.data, out.length);
	trace_put_end(&file, end);
	trace_packer_fini(&packer);
	wr_fini(&body);
	wr_fini(&out);
}

LimitTest(an_index_that_begins_late)
{
	const uint64_t far = UINT64_MAX / 2;
	struct trace_chunk chunk;
	struct gcs_trace_info info;
	uint64_t unreadable;
	begin_with(1, &chunk);
	chunk.place = far;
	set_chunk(TRACE_FILE_HEAD, &chunk);
	add_index(&chunk);
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	gcs_trace_get_info(t, &info);
	cr_assert(info.complete);
	for (int moments = 0; moments < 2; moments++) {
		cr_assert_eq(walk(t, moments != 0, &unreadable), 1);
		cr_assert_eq(unreadable, far);
	}
	gcs_trace_close(t);
}

/* Chunks of just what may be deflated without end, each a thousandth of that in the file. */
LimitTest(many_small_chunks_hold_little)
{
	enum { CHUNKS = 200 };
	uLongf stored = compressBound(TRACE_FREE_RAW);
	uint8_t *raw = calloc(1, TRACE_FREE_RAW), *deflated = malloc(stored);
	struct trace_chunk chunk;
	begin_with(1, &chunk);
	cr_assert_eq(compress2(deflated, &stored, raw, TRACE_FREE_RAW, 9), Z_OK);
	struct trace_chunk many = {.body_stored = (uint32_t)stored,
	    .body_raw = TRACE_FREE_RAW,
	    .check = trace_crc(0, deflated, stored)};
	for (uint64_t i = 0; i < CHUNKS; i++) {
		/* Half of them profiles, half of them segments. */
		many.kind = i % 2 == 0 ? TRACE_PROFILE : TRACE_KEY;
		many.place = 1 + i / 2;
		many.count = many.kind == TRACE_KEY;
		trace_put_chunk(&file, &many);
		wr_bytes(&file, deflated, stored);
	}
	free(raw);
	free(deflated);
	const uint64_t allowed = TRACE_FREE_RAW + TRACE_DENSITY * (uint64_t)file.length;
	struct gcs_trace *t = open_file();
	cr_assert_not_null(t, "%s", err.text);
	uint64_t inflated = CHUNKS;
	struct gcs_trace_damage d;
	gcs_trace_check(t);
	for (uint32_t i = 0; gcs_trace_get_damage(t, i, &d); i++)
		if (strcmp(d.message, TRACE_TOO_LARGE) == 0)
			inflated -= d.count == 0 ? 1 : d.count;
	cr_assert_gt(inflated, 0);
	cr_assert_leq(inflated * TRACE_FREE_RAW, allowed);
	cr_assert_lt(allowed, (uint64_t)CHUNKS / 10 * TRACE_FREE_RAW);
	/* What was within it stays so. */
	gcs_snapshot_unref(gcs_trace_at(t, 0, &err));
	cr_assert_eq(err.status, GCS_OK, "%s", err.text);
	gcs_trace_close(t);
}

/* Many profiles, each of which may be deflated: the writer keeps what readers demand. */
LimitTest(a_writer_stays_within_what_readers_demand)
{
	enum { PROFILES = 12, LENGTH = 8 << 20 };
	uint8_t *document = calloc(1, LENGTH);
	struct gcs_trace_info info;
	kit_trace_record(&recorded, 1, 0, &state);
	struct gcs_trace_options o = {.path = recorded.path, .replace = true};
	struct gcs_trace_writer *w = gcs_trace_create(&o, &err);
	cr_assert_eq(gcs_trace_write(w, recorded.snapshots[0], &err), GCS_OK);
	for (int i = 0; i < PROFILES; i++)
		cr_assert_eq(gcs_trace_write_profile(w, document, LENGTH, &err), GCS_OK);
	cr_assert_eq(gcs_trace_finish(w, &err), GCS_OK);
	free(document);
	struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
	gcs_trace_get_info(t, &info);
	cr_assert_lt(info.bytes, (uint64_t)LENGTH * PROFILES / 4, "most are deflated");
	struct gcs_trace_damage d;
	gcs_trace_check(t);
	for (uint32_t i = 0; gcs_trace_get_damage(t, i, &d); i++)
		cr_assert_str_neq(d.message, TRACE_TOO_LARGE);
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
