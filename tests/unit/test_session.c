/*
 * Sessions and decoders, joined by bytes (F6, F8): greetings, commands, questions and goodbyes, in
 * any portions, and what no client should say (Q2).
 */
#include <criterion/criterion.h>

#include <string.h>

#include "pair_suite.h"

#define SessionTest(name) Test(session, name, .init = setup, .fini = teardown)

SessionTest(a_bootstrap_describes_everything)
{
	gcs_model_remove_space(model, KIT_LIST, NULL);
	pair_greet(&pair, 0);
	expect_live();
	cr_assert_eq(pair.readies, 1);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
	cr_assert_eq(pair.decoder.keep_alive_ms, 1234);
	cr_assert_eq(pair.pauses, 0);
}

SessionTest(a_bootstrap_understands_single_bytes)
{
	struct hello hello = {.name = "", .token = ""};
	frame_preamble(&w);
	put_hello(&w, &hello);
	for (size_t i = 0; i < w.length; i++)
		session_input(&pair.session, w.data + i, 1);
	for (size_t i = 0; i < pair.session.out.length; i++)
		decoder_input(&pair.decoder, pair.session.out.data + i, 1);
	expect_live();
	cr_assert_null(kit_model_difference(model, pair.seen_model));
}

SessionTest(hello_may_ask_for_a_pause)
{
	pair_greet(&pair, GCS_HELLO_PAUSE | GCS_HELLO_EVERY);
	cr_assert_eq(pair.pauses, 1);
	expect_live();
}

SessionTest(hello_may_ask_for_no_tiles)
{
	pair_greet(&pair, GCS_HELLO_NO_TILES);
	for (uint32_t i = 0; i < KIT_SPACES; i++)
		cr_assert(session_hides(&pair.session, model, i));
	put_collapse(&w, false, KIT_LIST, false);
	command();
	cr_assert_not(session_hides(&pair.session, model, KIT_LIST));
	expect_live();
}

SessionTest(a_refusal_is_told_with_its_reason)
{
	pair.refuse = true;
	pair_greet(&pair, 0);
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_eq(pair.decoder.phase, DECODER_ENDED);
	cr_assert_eq(pair.decoder.error.status, GCS_REJECTED);
	cr_assert_str_eq(pair.decoder.error.text, "not today");
	cr_assert_eq(pair.readies, 0);
}

SessionTest(foreigners_are_turned_away_without_a_word)
{
	static const char *const words[] = {"GET / HTTP/1.1\r\n\r\n", "GCSX....", "\26\3\1\2"};
	for (size_t i = 0; i < 3; i++) {
		struct pair other;
		pair_init(&other, model);
		session_input(&other.session, words[i], 3);
		cr_assert_eq(other.session.phase, SESSION_OPENING);
		session_input(&other.session, words[i] + 3, strlen(words[i]) - 3);
		cr_assert_eq(other.session.phase, SESSION_CLOSING);
		cr_assert_eq(other.session.out.length, 0);
		cr_assert_gt(strlen(other.session.why), 5);
		pair_fini(&other);
	}
}

SessionTest(another_major_version_is_told_so)
{
	session_input(&pair.session, "GCSP\x63\0\0\0", 8);
	pair_flow(&pair);
	cr_assert_eq(pair.decoder.error.status, GCS_VERSION);
	cr_assert_not_null(strstr(pair.decoder.error.text, "99"));
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
}

SessionTest(goodbye_before_any_hello_comes_behind_a_preamble)
{
	session_input(&pair.session, "GCSP", 4);
	session_bye(&pair.session, BYE_SILENT, "too slow");
	pair_flow(&pair);
	cr_assert_eq(pair.decoder.error.status, GCS_TIMEOUT, "%s", pair.decoder.error.text);
	cr_assert_str_eq(pair.decoder.error.text, "too slow");
}

SessionTest(each_reason_for_goodbye_has_its_status)
{
	static const enum gcs_status meaning[BYE_REASON_COUNT] = {GCS_CLOSED, GCS_REJECTED,
	    GCS_DENIED, GCS_VERSION, GCS_MALFORMED, GCS_TIMEOUT, GCS_TIMEOUT, GCS_REJECTED,
	    GCS_ENDED};
	for (unsigned i = 0; i < BYE_REASON_COUNT; i++) {
		struct pair other;
		pair_init(&other, model);
		pair_greet(&other, 0);
		session_bye(&other.session, (enum bye_reason)i, i == 0 ? "" : "words");
		session_bye(&other.session, BYE_ENDED, "only the first counts");
		pair_flow(&other);
		cr_assert_eq(other.decoder.error.status, meaning[i]);
		cr_assert_gt(strlen(other.decoder.error.text), 4);
		pair_fini(&other);
	}
}

SessionTest(commands_reach_the_host)
{
	struct gcs_filter f = {
	    .enabled = true, .delay_ms = 10000, .pause = true, .period = 1000000};
	pair_greet(&pair, 0);
	put_empty(&w, GCS_WIRE_PAUSE);
	put_number(&w, GCS_WIRE_RESUME, 1);
	put_empty(&w, GCS_WIRE_STEP);
	put_filter(&w, KIT_FULL, &f);
	put_pace(&w, GCS_PACE_INTERVAL, 3600000);
	put_number(&w, GCS_WIRE_ACK, UINT64_MAX);
	put_collapse(&w, true, KIT_GROUP_TOP, true);
	put_collapse(&w, false, KIT_LIST, true);
	put_collapse(&w, false, KIT_LIST, false);
	put_number(&w, GCS_WIRE_PING, 77);
	command();
	expect_live();
	cr_assert_eq(pair.pauses, 1);
	cr_assert(pair.resumes == 1 && pair.everyone);
	cr_assert_eq(pair.steps, 1);
	cr_assert(pair.filters == 1 && pair.event == KIT_FULL);
	cr_assert(pair.filter.enabled && pair.filter.pause && pair.filter.delay_ms == 10000 &&
		  pair.filter.period == 1000000);
	cr_assert(pair.pace == GCS_PACE_INTERVAL && pair.interval_ms == 3600000);
	cr_assert_eq(pair.acked, UINT64_MAX);
	cr_assert_eq(pair.collapses, 3);
	cr_assert(session_hides(&pair.session, model, KIT_HEAP), "a group above it is closed");
	cr_assert_not(session_hides(&pair.session, model, KIT_LIST));
	cr_assert_not(session_hides(&pair.session, model, KIT_MATRIX));
	cr_assert_not(session_hides(&pair.session, model, 99));
	put_empty(&w, GCS_WIRE_CLOSE);
	put_empty(&w, GCS_WIRE_STEP);
	command();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_eq(pair.steps, 1, "nothing is heard after CLOSE");
}

SessionTest(unknown_messages_are_skipped_unless_they_must_not_be)
{
	pair_greet(&pair, 0);
	size_t at = frame_begin(&w, (enum gcs_wire_kind)4711);
	wr_text(&w, "from the future");
	frame_end(&w, at, NULL);
	put_empty(&w, GCS_WIRE_STEP);
	command();
	cr_assert_eq(pair.steps, 1);
	expect_live();
	put_empty(&w, (enum gcs_wire_kind)4711);
	wr_put_u16(&w, 6, GCS_WIRE_MUST);
	command();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	pair_flow(&pair);
	cr_assert_eq(pair.decoder.error.status, GCS_VERSION);
}

SessionTest(bad_commands_end_the_session)
{
	struct gcs_filter f = {.period = 1};
	for (unsigned i = 0; i < 10; i++) {
		struct pair other;
		pair_init(&other, model);
		if (i != 9)
			pair_greet(&other, 0);
		else
			session_input(&other.session, "GCSP\1\0\0\0", 8);
		switch (i) {
		case 0:
			put_filter(&w, KIT_EVENTS, &f); /* no such event */
			break;
		case 1:
			put_empty(&w, GCS_WIRE_FILTER); /* without fields */
			break;
		case 2:
			f.period = 0;
			put_filter(&w, 0, &f);
			break;
		case 3:
			f = (struct gcs_filter){.period = 1, .delay_ms = 10001};
			put_filter(&w, 0, &f);
			break;
		case 4:
			put_pace(&w, GCS_PACE_COUNT, 0);
			break;
		case 5:
			put_pace(&w, GCS_PACE_INTERVAL, 3600001);
			break;
		case 6:
			put_collapse(&w, true, GCS_MAX_GROUPS, true);
			break;
		case 7:
			wr_u32(&w, GCS_WIRE_MAX_TO_SERVER + 1); /* a frame over the limit */
			wr_u32(&w, GCS_WIRE_ACK);
			break;
		case 8:
			put_number(&w, GCS_WIRE_ACK, 1);
			wr_put_u16(&w, 6, GCS_WIRE_DEFLATED); /* servers inflate nothing */
			break;
		default:
			put_empty(&w, GCS_WIRE_PAUSE); /* before HELLO */
			break;
		}
		pair_command(&other, &w);
		w.length = 0;
		cr_assert_eq(other.session.phase, SESSION_CLOSING, "case %u", i);
		pair_flow(&other);
		cr_assert_eq(other.decoder.phase, DECODER_ENDED);
		cr_assert_eq(other.decoder.error.status, GCS_MALFORMED, "case %u", i);
		cr_assert(other.filters + other.paces + other.acks + other.collapses == 0);
		pair_fini(&other);
	}
}

SessionTest(the_largest_command_fits)
{
	pair_greet(&pair, 0);
	size_t at = frame_begin(&w, (enum gcs_wire_kind)4711);
	for (unsigned i = 0; i < GCS_WIRE_MAX_TO_SERVER; i++)
		wr_u8(&w, 0);
	frame_end(&w, at, NULL);
	put_empty(&w, GCS_WIRE_STEP);
	command();
	expect_live();
	cr_assert_eq(pair.steps, 1);
	cr_assert_leq(pair.session.in.length, pair.session.in.limit);
}

SessionTest(state_and_notices_arrive)
{
	struct state_message state = {.run = GCS_PAUSED, .own = true, .others = 31};
	session_state(&pair.session, &state);
	session_notice(&pair.session, "too early");
	cr_assert_eq(pair.session.out.length, 0, "nothing before READY");
	pair_greet(&pair, 0);
	session_state(&pair.session, &state);
	session_notice(&pair.session, "12 left out");
	pair_flow(&pair);
	expect_live();
	cr_assert(pair.state.run == GCS_PAUSED && pair.state.own && pair.state.others == 31);
	cr_assert_str_eq(pair.notice, "12 left out");
}

SessionTest(questions_reach_the_host_and_answers_the_client)
{
	const struct gcs_info parameters[] = {{"depth", "3"}, {"kind", "live"}};
	const struct query_message query = {
	    .id = 4711, .topic = "sites", .count = 2, .parameters = parameters};
	session_answer(&pair.session, &(struct answer_message){.message = "too early"});
	cr_assert_eq(pair.session.out.length, 0, "nothing before READY");
	pair_greet(&pair, 0);
	put_query(&w, &query);
	command();
	pair_flow(&pair);
	expect_live();
	cr_assert(pair.queries == 1 && pair.parameters == 2 && pair.sets == 0);
	cr_assert_str_eq(pair.topic, "sites");
	cr_assert_str_eq(pair.key, "kind");
	cr_assert_str_eq(pair.value, "live");
	cr_assert(pair.answers == 1 && pair.answer.id == 4711 && pair.answer.last);
	cr_assert_str_eq(pair.answer_text, "asked");
	cr_assert_str_eq(pair.answer_bytes, "sites");
	/* F16 */
	put_zoom(&w, &(struct zoom_message){.id = 5, .space = 2, .start = 7, .end = 9, .block = 1});
	command();
	pair_flow(&pair);
	cr_assert(pair.zooms == 1 && pair.zoom.id == 5 && pair.zoom.space == 2 &&
		  pair.zoom.start == 7 && pair.zoom.end == 9 && pair.zoom.block == 1);
	cr_assert(pair.answers == 2 && pair.answer.id == 5);
	put_set(&w, &(struct set_message){.id = 0, .key = "interval", .value = "64k"});
	command();
	pair_flow(&pair);
	expect_live();
	cr_assert(pair.queries == 1 && pair.sets == 1 && pair.answers == 3);
	cr_assert_str_eq(pair.key, "interval");
	cr_assert(pair.answer.id == 0 && pair.answer.status == GCS_OK);
	cr_assert_str_eq(pair.answer_bytes, "64k");
}

SessionTest(bad_questions_end_the_session)
{
	static const struct {
		enum gcs_wire_kind kind;
		const char *payload;
	} bad[] = {
	    {GCS_WIRE_QUERY, ""},
	    {GCS_WIRE_QUERY, "\1"},
	    {GCS_WIRE_QUERY, "\1\1t"},
	    {GCS_WIRE_QUERY, "\1\1t\101"},
	    {GCS_WIRE_QUERY, "\1\1t\1\1k"},
	    {GCS_WIRE_QUERY, "\1\1t\1\1k\2v"},
	    {GCS_WIRE_QUERY, "\377\377\377\377\020\1t\1\1k\1v"},
	    {GCS_WIRE_SET, ""},
	    {GCS_WIRE_SET, "\1"},
	    {GCS_WIRE_SET, "\1\1k"},
	    {GCS_WIRE_SET, "\1\1k\2v"},
	    {GCS_WIRE_SET, "\377\377\377\377\020\1k\1v"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct pair other;
		pair_init(&other, model);
		pair_greet(&other, 0);
		size_t at = frame_begin(&w, bad[i].kind);
		wr_bytes(&w, bad[i].payload, strlen(bad[i].payload));
		frame_end(&w, at, NULL);
		pair_command(&other, &w);
		w.length = 0;
		pair_flow(&other);
		cr_assert_eq(other.session.phase, SESSION_CLOSING, "case %zu", i);
		cr_assert_eq(other.decoder.error.status, GCS_MALFORMED, "case %zu", i);
		cr_assert(other.queries == 0 && other.sets == 0 && other.answers == 0);
		pair_fini(&other);
	}
}
