/* The client's decoder against a server that breaks the rules (Q2): an error, never anything else.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "pair_suite.h"

#define MirrorTest(name) Test(decoder, name, .init = setup, .fini = teardown)

static void say(void)
{
	decoder_input(&pair.decoder, w.data, w.length);
	w.length = 0;
}

static void expect_end(enum gcs_status status)
{
	cr_assert_eq(pair.decoder.phase, DECODER_ENDED);
	cr_assert_eq(pair.decoder.error.status, status, "%s: %s",
	    gcs_status_name(pair.decoder.error.status), pair.decoder.error.text);
	cr_assert_gt(strlen(pair.decoder.error.text), 10);
	/* Whatever comes afterwards is not heard. */
	unsigned snapshots = pair.snapshots;
	put_notice(&w, "late");
	say();
	cr_assert_str_eq(pair.notice, "");
	cr_assert_eq(pair.snapshots, snapshots);
}

static void begin(void)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	put_begin(&w, s, gcs_snapshot_occurrence(s));
	gcs_snapshot_unref(s);
}

MirrorTest(knows_a_foreign_peer_by_its_first_byte)
{
	decoder_input(&pair.decoder, "H", 1);
	expect_end(GCS_FOREIGN);
}

MirrorTest(waits_for_a_whole_preamble)
{
	decoder_input(&pair.decoder, "GCSP\1\0\0", 7);
	cr_assert_eq(pair.decoder.phase, DECODER_PREAMBLE);
	decoder_input(&pair.decoder, "", 1);
	cr_assert_eq(pair.decoder.phase, DECODER_WELCOME);
}

MirrorTest(hears_goodbye_before_any_welcome)
{
	frame_preamble(&w);
	put_bye(&w, BYE_TOKEN, "the token is wrong");
	say();
	expect_end(GCS_DENIED);
}

MirrorTest(messages_out_of_their_order_are_refused)
{
	enum { CASES = 12 };
	for (unsigned i = 0; i < CASES; i++) {
		pair_fini(&pair);
		pair_init(&pair, model);
		if (i < 5)
			frame_preamble(&w);
		else
			pair_greet(&pair, 0);
		switch (i) {
		case 0:
			put_empty(&w, GCS_WIRE_READY);
			break;
		case 1:
			put_groups(&w, model, NULL);
			break;
		case 2:
			begin();
			break;
		case 3:
			put_state(&w, &(struct state_message){.run = GCS_RUNNING});
			break;
		case 4:
			put_tiles(&w, 0, 0, 0, 1);
			break;
		case 5:
			put_welcome(&w, &(struct welcome){.name = "again"});
			break;
		case 6:
			put_empty(&w, GCS_WIRE_READY);
			break;
		case 7:
			put_tiles(&w, 0, 0, 0, 1); /* outside of a snapshot */
			break;
		case 8:
			put_end(&w, 1, 0, NULL);
			break;
		case 9:
			begin();
			begin();
			break;
		case 10:
			begin();
			put_space(&w, 0, &kit_spaces[0], NULL); /* inside of one */
			break;
		default:
			put_events(&w, model, NULL); /* events are described once */
			break;
		}
		say();
		expect_end(i == CASES - 1 ? GCS_MALFORMED : GCS_STATE);
		cr_assert_eq(pair.snapshots, 0);
	}
}

MirrorTest(bad_contents_are_refused)
{
	enum { CASES = 16 };
	int64_t values[4] = {1, 2, 3, 4};
	struct gcs_space space = kit_spaces[KIT_LIST];
	for (unsigned i = 0; i < CASES; i++) {
		enum gcs_status status = GCS_MALFORMED;
		pair_fini(&pair);
		pair_init(&pair, model);
		pair_greet(&pair, 0);
		if (i > 4)
			begin();
		switch (i) {
		case 0:
			put_empty(&w, GCS_WIRE_SPACE_GONE); /* without the id */
			status = GCS_TRUNCATED;
			break;
		case 1:
			put_number(&w, GCS_WIRE_SPACE_GONE, KIT_SPACES);
			status = GCS_ARGUMENT;
			break;
		case 2:
			put_space(&w, KIT_SPACES + 1, &kit_spaces[0], NULL); /* leaves a gap */
			status = GCS_ARGUMENT;
			break;
		case 3:
			space.group = 99;
			put_space(&w, KIT_LIST, &space, NULL);
			status = GCS_ARGUMENT;
			break;
		case 4:
			put_number(&w, GCS_WIRE_GROUPS, 0); /* fewer than there are */
			break;
		case 5:
			put_tiles(&w, KIT_HEAP, 1, 0, 1);
			break;
		case 6:
			put_tiles(&w, KIT_HEAP, 0, 1, 0);
			break;
		case 7:
			put_tiles(&w, GCS_MAX_SPACES, 0, 0, 1);
			status = GCS_LIMIT;
			break;
		case 8:
			put_tiles(&w, KIT_HEAP, 0, 0, GCS_MAX_TILES + 1);
			status = GCS_LIMIT;
			break;
		case 9:
			put_stream(
			    &w, KIT_HEAP, KIT_USED, values, NULL, NULL, 4, NULL); /* no tiles */
			break;
		case 10:
			put_tiles(&w, KIT_HEAP, 0, 0, 3);
			put_stream(&w, KIT_HEAP, KIT_USED, values, NULL, NULL, 4, NULL);
			break;
		case 11:
			put_tiles(&w, KIT_HEAP, 0, 0, 4);
			put_stream(&w, KIT_HEAP, KIT_STREAMS, values, NULL, NULL, 4, NULL);
			break;
		case 12: {
			size_t at = frame_begin(&w, GCS_WIRE_NAMES);
			wr_varint(&w, KIT_HEAP);
			wr_varint(&w, 0);
			wr_varint(&w, 1);
			frame_end(&w, at, NULL);
			break;
		}
		case 13: {
			size_t at = frame_begin(&w, GCS_WIRE_SUMMARY);
			wr_varint(&w, KIT_HEAP);
			wr_varint(&w, KIT_USED);
			wr_varint(&w, 1);
			wr_zigzag(&w, 5);
			frame_end(&w, at, NULL);
			break;
		}
		case 14:
			put_end(&w, 4711, 0, NULL); /* of another snapshot */
			break;
		default:
			put_number(&w, GCS_WIRE_COUNTERS, KIT_EVENTS + 1);
			status = GCS_LIMIT;
			break;
		}
		say();
		cr_assert_eq(
		    pair.decoder.error.status, status, "case %u: %s", i, pair.decoder.error.text);
		expect_end(status);
	}
}

MirrorTest(unknown_messages_are_skipped_unless_they_must_not_be)
{
	pair_greet(&pair, 0);
#define X(name, number, sender) put_number(&w, (enum gcs_wire_kind)number, 9);
	GCS_WIRE_RESERVED(X)
#undef X
	put_number(&w, GCS_WIRE_PONG, 5);
	put_notice(&w, "heard");
	say();
	cr_assert_str_eq(pair.notice, "heard");
	put_empty(&w, (enum gcs_wire_kind)4711);
	wr_put_u16(&w, 6, GCS_WIRE_MUST);
	say();
	cr_assert_eq(pair.decoder.error.status, GCS_VERSION);
}

/* A later minor version puts fields after those that are known. */
MirrorTest(fields_behind_the_known_ones_are_ignored)
{
	pair_greet(&pair, 0);
	size_t at = frame_begin(&w, GCS_WIRE_NOTICE);
	wr_text(&w, "words");
	wr_text(&w, "and more");
	frame_end(&w, at, NULL);
	at = frame_begin(&w, GCS_WIRE_GROUPS);
	wr_varint(&w, 4);
	for (unsigned i = 0; i < 4; i++) {
		wr_u32(&w, 5);
		wr_text(&w, "G");
		wr_varint(&w, 0);
		wr_u16(&w, 0xffff); /* of the record */
	}
	frame_end(&w, at, NULL);
	say();
	cr_assert_eq(pair.decoder.phase, DECODER_LIVE, "%s", pair.decoder.error.text);
	cr_assert_str_eq(pair.notice, "words");
	cr_assert_eq(pair.seen_model->group_count, 4);
	cr_assert_str_eq(pair.seen_model->groups[3].name, "G");
}

/* A server that describes itself without end must not take memory without end. */
MirrorTest(a_bootstrap_that_repeats_itself_is_refused)
{
	frame_preamble(&w);
	put_welcome(&w, &(struct welcome){.name = "Endless", .keep_alive_ms = 1});
	put_groups(&w, model, NULL);
	say();
	for (unsigned i = 0; i < 1000 && pair.decoder.phase != DECODER_ENDED; i++) {
		put_space(&w, 0, &kit_spaces[KIT_HEAP], NULL);
		put_info(&w, model, NULL);
		say();
	}
	cr_assert_lt(kit_peak_bytes(), 400000);
	expect_end(GCS_MALFORMED);
}

MirrorTest(a_frame_over_the_limit_ends_it_at_its_header)
{
	pair_greet(&pair, 0);
	wr_u32(&w, GCS_WIRE_MAX_TO_CLIENT + 1);
	wr_u32(&w, GCS_WIRE_NOTICE);
	say();
	expect_end(GCS_LIMIT);
}

MirrorTest(every_failed_allocation_is_survived)
{
	for (size_t allowed = 0; allowed < 3000; allowed++) {
		pair_fini(&pair);
		pair_init(&pair, model);
		struct gcs_snapshot *s = kit_snapshot(model);
		kit_fail_after(allowed);
		pair_greet(&pair, GCS_HELLO_COMPRESS);
		session_snapshot(&pair.session, s, 0);
		pair_flow(&pair);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		const char *what = kit_difference(s, pair.received, UINT64_MAX);
		gcs_snapshot_unref(s);
		if (!failed) {
			cr_assert_null(what, "%s", what);
			return;
		}
	}
	cr_assert_fail("some allocation always failed");
}

/* ANSWER may stand anywhere after the bootstrap, also inside a snapshot. */
MirrorTest(answers_stand_anywhere_behind_the_bootstrap)
{
	struct answer_message answer = {.id = 9, .status = GCS_STATE, .total = 5, .message = "why"};
	answer.length = 3;
	answer.bytes = (const uint8_t *)"abc";
	pair_greet(&pair, 0);
	begin();
	put_answer(&w, &answer, NULL);
	put_tiles(&w, KIT_HEAP, 0, 0, 3);
	put_answer(&w, &answer, NULL);
	put_end(&w, 0, 0, NULL);
	say();
	cr_assert_eq(pair.decoder.phase, DECODER_LIVE, "%s", pair.decoder.error.text);
	cr_assert(pair.answers == 2 && pair.snapshots == 1);
	cr_assert(pair.answer.id == 9 && pair.answer.status == GCS_STATE && !pair.answer.last &&
		  pair.answer.total == 5 && pair.answer.length == 3);
	cr_assert_str_eq(pair.answer_text, "why");
	cr_assert_str_eq(pair.answer_bytes, "abc");
}

MirrorTest(no_answer_before_the_end_of_the_bootstrap)
{
	frame_preamble(&w);
	put_welcome(&w, &(struct welcome){.name = "early", .keep_alive_ms = 1000});
	put_answer(&w, &(struct answer_message){.last = true, .message = ""}, NULL);
	say();
	expect_end(GCS_STATE);
	cr_assert_eq(pair.answers, 0);
}

MirrorTest(a_bad_answer_ends_the_connection)
{
	static const uint8_t body[CODEC_ANSWER_PER_FRAME + 1];
	pair_greet(&pair, 0);
	put_answer(&w,
	    &(struct answer_message){
		.message = "", .total = GCS_MAX_ANSWER, .length = sizeof body, .bytes = body},
	    NULL);
	say();
	expect_end(GCS_LIMIT);
	cr_assert_eq(pair.answers, 0);
}
