/*
 * The dialect of 2002 of a session (E2): its greetings, commands, pauses and steps, byte by byte.
 * tests/wire has an independent client; test_compat_server.c is about the spaces and their values.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "pair_2002_suite.h"

#define OldTest(name) Test(session_2002, name, .init = setup_2002, .fini = teardown)

static void expect_out(const void *bytes, size_t length)
{
	cr_assert_eq(pair.session.out.length, length);
	cr_assert_arr_eq(pair.session.out.data, bytes, length);
	wr_consume(&pair.session.out, length);
}

OldTest(a_bootstrap_describes_all_spaces_in_order)
{
	greet();
	expect_live();
	cr_assert_eq(pair.readies, 1);
	cr_assert_eq(pair.pauses, 0);
	const struct gcs_model *seen = pair.seen_model;
	cr_assert_str_eq(seen->server_name, "Kit");
	cr_assert_eq(seen->event_count, KIT_EVENTS + 1);
	cr_assert_str_eq(seen->events[KIT_FULL].name, "Full");
	cr_assert_str_eq(seen->info[1].value, "1.2.3");
	cr_assert_eq(seen->space_count, KIT_SPACES);
	cr_assert(seen->spaces[KIT_HEAP].main && !seen->spaces[KIT_LIST].main);
	cr_assert_str_eq(seen->spaces[KIT_HEAP].tile_title, "Region");
	cr_assert_str_eq(seen->spaces[KIT_HEAP].unused_text, "uncommitted");
	/* Used and State, and the decoder's control stream: ranges are no data. */
	cr_assert_eq(seen->spaces[KIT_HEAP].stream_count, 3);
	const struct gcs_stream *state = &seen->spaces[KIT_HEAP].streams[1];
	cr_assert(state->presentation == GCS_ENUM && state->min == 0 && state->max == 3);
	/* A share of what may be negative is no percentage. */
	cr_assert_eq(seen->spaces[KIT_LIST].streams[1].maximum, GCS_MAX_OF_EVENT);
}

OldTest(hello_understands_single_bytes)
{
	for (size_t i = 0; i < sizeof hello; i++)
		session_input(&pair.session, hello + i, 1);
	for (size_t i = 0; i < pair.session.out.length; i++)
		decoder_input(&pair.decoder, pair.session.out.data + i, 1);
	expect_live();
	/* int 18, "GCspy666", int 1, "Kit" */
	static const uint8_t first[] = {
	    0, 0, 0, 17, 'G', 'C', 's', 'p', 'y', '6', '6', '6', 0, 0, 0, 0, 1, 'K', 'i', 't', 0};
	cr_assert_arr_eq(pair.session.out.data, first, sizeof first);
}

OldTest(hello_may_ask_for_a_pause)
{
	uint8_t pausing[sizeof hello];
	memcpy(pausing, hello, sizeof hello);
	pausing[sizeof hello - 1] = 1;
	session_input(&pair.session, pausing, sizeof pausing);
	cr_assert_eq(pair.pauses, 1);
}

OldTest(bad_hellos_are_turned_away_without_a_word)
{
	for (size_t at = 4; at < 17; at++) {
		struct pair other;
		uint8_t bad[sizeof hello];
		memcpy(bad, hello, sizeof hello);
		bad[at] ^= 1;
		pair_init(&other, model);
		session_input(&other.session, bad, sizeof bad);
		cr_assert_eq(other.session.phase, SESSION_CLOSING, "byte %zu", at);
		cr_assert_eq(other.session.out.length, 0);
		cr_assert_gt(strlen(other.session.why), 10);
		cr_assert_eq(other.readies, 0);
		pair_fini(&other);
	}
}

OldTest(who_is_not_admitted_is_turned_away)
{
	pair.refuse = true;
	greet();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_str_eq(pair.session.why, "not today");
	cr_assert_eq(pair.session.out.length, 0);
}

static void put_filters(int16_t count, int32_t delay, int32_t period)
{
	size_t at = w2002_command_begin(&w, W2002_EVENT_FILTERS);
	w2002_put_short(&w, count);
	for (int16_t i = 0; i < count; i++) {
		wr_u8(&w, i != 0);
		w2002_put_int(&w, delay);
		wr_u8(&w, i == 1);
		w2002_put_int(&w, period);
	}
	w2002_command_end(&w, at);
}

OldTest(commands_reach_the_host)
{
	greet();
	w2002_put_command(&w, W2002_PAUSE_REQ);
	w2002_put_command(&w, W2002_PLAY_ONE);
	w2002_put_command(&w, W2002_RESTART);
	put_filters(2, 10000, 1000);
	command();
	expect_live();
	cr_assert(pair.pauses == 1 && pair.steps == 1 && pair.resumes == 1 && pair.everyone);
	cr_assert(pair.session.restate, "what became of it is looked at");
	cr_assert(pair.filters == 2 && pair.event == 1);
	cr_assert(pair.filter.enabled && pair.filter.pause && pair.filter.delay_ms == 10000 &&
		  pair.filter.period == 1000);
	put_filters(KIT_EVENTS + 1, 0, 1); /* one more than there are events: that of a look */
	command();
	cr_assert_eq(pair.filters, 2 + KIT_EVENTS);
}

OldTest(several_commands_may_be_in_one_frame)
{
	greet();
	size_t at = w2002_command_begin(&w, W2002_PAUSE_REQ);
	wr_u8(&w, W2002_PLAY_ONE);
	wr_u8(&w, W2002_RESTART);
	w2002_command_end(&w, at);
	for (size_t i = 0; i < w.length; i++)
		session_input(&pair.session, w.data + i, 1);
	expect_live();
	cr_assert(pair.pauses == 1 && pair.steps == 1 && pair.resumes == 1);
}

static const uint8_t shutdown_frame[] = {
    0, 0, 0, 10, 0, 0x0a, 0x2c, 0x2a, 6, 0, 0xff, 0xff, 0xfd, 0x66};

OldTest(a_request_to_shut_down_is_answered_at_once)
{
	greet();
	w2002_put_command(&w, W2002_SHUTDOWN_REQ);
	w2002_put_command(&w, W2002_PAUSE_REQ);
	command();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_eq(pair.pauses, 0, "nothing is heard afterwards");
	cr_assert_not(pair.session.blamed);
	expect_out(shutdown_frame, sizeof shutdown_frame);
}

static void expect_blame(const char *words)
{
	command();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING, "for \"%s\"", words);
	cr_assert(pair.session.blamed);
	cr_assert_not_null(strstr(pair.session.why, words), "%s", pair.session.why);
	expect_out(shutdown_frame, sizeof shutdown_frame);
	renew();
	greet();
}

OldTest(bad_commands_end_the_session)
{
	greet();
	w2002_put_command(&w, W2002_STREAM);
	expect_blame("command 7");
	w2002_put_command(&w, (enum w2002_command)255);
	expect_blame("command 255");
	put_filters(1, -1, 1);
	expect_blame("EVENT_FILTERS");
	put_filters(1, 10001, 1);
	expect_blame("EVENT_FILTERS");
	put_filters(1, 0, 0);
	expect_blame("EVENT_FILTERS");
	put_filters(KIT_EVENTS + 2, 0, 1);
	expect_blame("EVENT_FILTERS");
	put_filters(-1, 0, 1);
	expect_blame("EVENT_FILTERS");
	size_t at = w2002_command_begin(&w, W2002_EVENT_FILTERS);
	w2002_put_short(&w, 3);
	w2002_command_end(&w, at);
	expect_blame("EVENT_FILTERS");
	w2002_put_int(&w, 4);
	w2002_put_int(&w, W2002_COMMANDS + 1);
	expect_blame("begin");
	at = w2002_frame_begin(&w);
	w2002_put_int(&w, W2002_COMMANDS);
	w2002_frame_end(&w, at);
	expect_blame("end");
	at = w2002_command_begin(&w, W2002_PAUSE_REQ);
	wr_u8(&w, 0);
	w2002_put_int(&w, W2002_COMMANDS_END);
	wr_u8(&w, 0);
	w2002_frame_end(&w, at);
	expect_blame("end");
	w2002_put_int(&w, 65537);
	expect_blame("limit");
	w2002_put_int(&w, -1);
	expect_blame("limit");
}

OldTest(bad_filters_change_nothing)
{
	greet();
	size_t at = w2002_command_begin(&w, W2002_EVENT_FILTERS);
	w2002_put_short(&w, 2);
	for (int32_t period = 1; period >= 0; period--) {
		wr_u8(&w, 1);
		w2002_put_int(&w, 0);
		wr_u8(&w, 0);
		w2002_put_int(&w, period);
	}
	w2002_command_end(&w, at);
	command();
	cr_assert_eq(pair.filters, 0);
}

OldTest(an_empty_frame_is_a_goodbye)
{
	greet();
	w2002_put_int(&w, 0);
	command();
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_not(pair.session.blamed);
}

static void tell(enum gcs_run_state run)
{
	session_state(&pair.session, &(struct state_message){.run = run});
}

OldTest(pause_is_told_once_and_not_after_a_step)
{
	static const uint8_t pause[] = {
	    0, 0, 0, 10, 0, 0x0a, 0x2c, 0x2a, 2, 0, 0xff, 0xff, 0xfd, 0x66};
	greet();
	tell(GCS_RUNNING);
	tell(GCS_PAUSING);
	expect_out("", 0);
	tell(GCS_PAUSED);
	expect_out(pause, sizeof pause);
	tell(GCS_PAUSING); /* a step */
	tell(GCS_PAUSED);
	expect_out("", 0);
	tell(GCS_RUNNING);
	tell(GCS_PAUSED);
	expect_out(pause, sizeof pause);
	w2002_put_command(&w, W2002_RESTART);
	command();
	cr_assert(pair.session.restate, "it may stand again before it was seen to run");
	tell(GCS_PAUSED);
	expect_out(pause, sizeof pause);
}

OldTest(each_step_is_one_event_however_early_it_is_asked_for)
{
	greet();
	struct gcs_snapshot *s = kit_snapshot(model);
	tell(GCS_PAUSED);
	for (unsigned i = 0; i < 3; i++)
		w2002_put_command(&w, W2002_PLAY_ONE);
	command();
	cr_assert_eq(pair.steps, 0);
	tell(GCS_PAUSED);
	tell(GCS_PAUSED);
	cr_assert_eq(pair.steps, 1, "the first one is under way");
	session_snapshot(&pair.session, s, 0);
	cr_assert_eq(pair.steps, 1);
	tell(GCS_PAUSED); /* it left, came to its event and stands, all unseen */
	cr_assert_eq(pair.steps, 2);
	tell(GCS_PAUSING);
	tell(GCS_PAUSED);
	cr_assert_eq(pair.steps, 3);
	session_snapshot(&pair.session, s, 0);
	tell(GCS_PAUSED);
	cr_assert_eq(pair.steps, 3);
	w2002_put_command(&w, W2002_PLAY_ONE);
	w2002_put_command(&w, W2002_RESTART);
	command();
	tell(GCS_PAUSED);
	cr_assert_eq(pair.steps, 3, "none is left behind");
	gcs_snapshot_unref(s);
}
