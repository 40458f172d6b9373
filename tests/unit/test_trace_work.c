/*
 * What a small hostile trace file makes a reader do (Q2), in values that are written, copied or
 * moved: a chunk that inflates to no more than any file may can describe millions of them with each
 * of its bytes.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "codec.h"
#include "kit.h"
#include "kit_trace.h"
#include "trace_cursor.h"
#include "trace_pack.h"

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;
static struct wr file;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
	wr_init(&file, 1 << 26);
}

static void teardown(void)
{
	wr_fini(&file);
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define WorkTest(name) Test(trace_work, name, .init = setup, .fini = teardown)

/* The file of a recording of one event; its only chunk. */
static void begin(struct trace_chunk *first)
{
	size_t length;
	kit_trace_record_killed(&recorded, 1, &state);
	unsigned char *bytes = kit_trace_bytes(recorded.path, &length);
	wr_bytes(&file, bytes, length);
	kit_trace_free(bytes);
	cr_assert(trace_get_chunk(file.data + TRACE_FILE_HEAD, first));
}

/* What an attack repeats in the last event of a chunk, to make the decoder work on a whole space. */
enum attack { RUNS, COLUMNS, TILES, ATTACKS };
enum { WIDE = 65536, REPEATED = 200000 };

static void put_values(struct wr *w, enum gcs_wire_kind kind, uint32_t stream, uint32_t count)
{
	const size_t at = frame_begin(w, kind);
	wr_varint(w, KIT_HEAP);
	wr_varint(w, stream);
	wr_varint(w, 0); /* the first tile */
	wr_varint(w, count);
	wr_varint(w, (uint64_t)count << 1); /* a run of ones */
	wr_zigzag(w, 1);
	frame_end(w, at, NULL);
}

static void put_attack(struct wr *w, enum attack attack)
{
	switch (attack) {
	case RUNS:
		put_values(w, GCS_WIRE_STREAM, KIT_USED, WIDE);
		break;
	case COLUMNS:
		put_values(w, GCS_WIRE_INCR_STREAM, KIT_USED, 1);
		put_values(w, GCS_WIRE_INCR_STREAM, KIT_STATE, 1);
		break;
	default:
		put_tiles(w, KIT_HEAP, 0, 1, 1);
	}
}

/* The recording's first chunk again, with the attack in front of the END of its only event. */
static size_t add_attack(enum attack attack, uint32_t repeated)
{
	struct trace_chunk chunk;
	struct trace_part heads = {0}, body = {0};
	struct trace_packer packer;
	struct trace_input in;
	struct frame frame;
	struct wr raw[2], out;
	begin(&chunk);
	cr_assert(trace_input_open(&in, recorded.path, &err));
	cr_assert_eq(
	    trace_read_parts(&in, TRACE_FILE_HEAD, &chunk, NULL, NULL, &heads, &body), GCS_OK);
	size_t end = 0;
	while (
	    frame_next(body.bytes + end, body.length - end, UINT32_MAX, NULL, &frame) == GCS_OK &&
	    frame.kind != GCS_WIRE_END)
		end += frame.bytes;
	wr_init(&raw[0], 1 << 24);
	wr_init(&raw[1], TRACE_FREE_RAW);
	wr_init(&out, 1 << 26);
	wr_bytes(&raw[0], heads.bytes, heads.length);
	wr_bytes(&raw[1], body.bytes, end);
	put_tiles(&raw[1], KIT_HEAP, 0, 0, WIDE);
	const size_t there = raw[1].length;
	for (uint32_t i = 0; i < repeated; i++)
		put_attack(&raw[1], attack);
	wr_bytes(&raw[1], body.bytes + end, body.length - end);
	cr_assert(trace_packer_init(&packer, 9));
	trace_pack_chunk(&packer, &out, &raw[0], &raw[1], &chunk);
	cr_assert_eq(raw[1].status, GCS_OK);
	file.length = TRACE_FILE_HEAD;
	wr_bytes(&file, out.data, out.length);
	trace_packer_fini(&packer);
	trace_part_fini(&heads);
	trace_part_fini(&body);
	trace_input_close(&in);
	wr_fini(&raw[0]);
	wr_fini(&raw[1]);
	wr_fini(&out);
	return there;
}

/* How much of the attack's bytes a reader decodes. False if it refuses the event. */
static bool decodes(size_t from, uint64_t *bytes)
{
	struct trace_input in;
	struct trace_index index;
	struct cursor cursor;
	kit_trace_put(recorded.path, file.data, file.length);
	cr_assert(trace_input_open(&in, recorded.path, &err));
	cr_assert_eq(trace_index_load(&index, &in), GCS_OK);
	cursor_init(&cursor, &in, &index);
	struct gcs_snapshot *s = cursor_at(&cursor, 0, &err);
	const bool whole = s != NULL;
	gcs_snapshot_unref(s);
	if (!whole) {
		cr_assert_eq(err.status, GCS_MALFORMED);
		cr_assert_not_null(strstr(err.text, TRACE_TOO_MUCH), "%s", err.text);
		/* It is not tried again. */
		cr_assert_null(cursor_at(&cursor, 0, &err));
	}
	*bytes = cursor.body_at - from;
	cursor_fini(&cursor);
	trace_index_fini(&index);
	trace_input_close(&in);
	return whole;
}

/* A chunk of less than what may inflate without end, of messages that describe whole spaces. */
static void attack_with(enum attack attack)
{
	uint64_t bytes;
	struct wr one;
	wr_init(&one, 1000);
	put_attack(&one, attack);
	const size_t from = add_attack(attack, REPEATED);
	cr_assert_lt(file.length, 1 << 20, "%zu", file.length);
	const uint64_t allowed = TRACE_FREE_VALUES + TRACE_VALUES * (uint64_t)file.length;
	cr_assert_gt((uint64_t)REPEATED * WIDE, 5 * allowed, "%zu", file.length);
	cr_assert_not(decodes(from, &bytes));
	cr_assert_gt(bytes, 0);
	cr_assert_leq(bytes / one.length * WIDE, allowed);
	/* A few of them are no attack. */
	file.length = 0;
	kit_trace_fini(&recorded);
	add_attack(attack, 20);
	cr_assert(decodes(from, &bytes), "%s", err.text);
	wr_fini(&one);
}

WorkTest(runs_describe_no_more_than_the_file_may)
{
	attack_with(RUNS);
}

WorkTest(columns_are_copied_no_more_than_the_file_may)
{
	attack_with(COLUMNS);
}

WorkTest(tiles_move_no_more_than_the_file_may)
{
	attack_with(TILES);
}

/* An event is counted once, however often it is read; what is recorded is far from the limit. */
WorkTest(reading_again_costs_nothing)
{
	struct trace_input in;
	struct trace_index index;
	struct cursor cursor;
	kit_trace_record(&recorded, 600, 0, &state);
	cr_assert(trace_input_open(&in, recorded.path, &err));
	cr_assert_eq(trace_index_load(&index, &in), GCS_OK);
	const uint64_t all = index.values_left;
	cursor_init(&cursor, &in, &index);
	for (uint64_t i = 0; i < 600; i++)
		gcs_snapshot_unref(cursor_at(&cursor, i, &err));
	const uint64_t once = index.values_left;
	cr_assert_lt(once, all);
	cr_assert_lt((all - once) * 100, all);
	for (uint64_t i = 600; i-- != 0;)
		gcs_snapshot_unref(cursor_at(&cursor, i, &err));
	cr_assert_eq(index.values_left, once);
	cursor_fini(&cursor);
	trace_index_fini(&index);
	trace_input_close(&in);
}
