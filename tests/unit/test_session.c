/*
 * Sessions and mirrors, joined by bytes (F6, F8, F11, F13, F14): what a client understands is what
 * the server had, whatever was thinned, collapsed, resized or described anew in between.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "model.h"
#include "pair.h"

static struct pair pair;
static struct gcs_model *model;
static struct wr w;

static void setup(void)
{
	kit_count_memory(0);
	model = kit_model();
	pair_init(&pair, model);
	wr_init(&w, 1 << 20);
}

static void teardown(void)
{
	wr_fini(&w);
	pair_fini(&pair);
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define SessionTest(name) Test(session, name, .init = setup, .fini = teardown)

static void command(void)
{
	pair_command(&pair, &w);
	w.length = 0;
}

static void expect_live(void)
{
	cr_assert_eq(pair.mirror.phase, MIRROR_LIVE, "%s", pair.mirror.error.text);
	cr_assert_eq(pair.session.phase, SESSION_READY, "%s", pair.session.why);
	cr_assert_eq(pair.session.out.status, GCS_OK);
}

SessionTest(a_bootstrap_describes_everything)
{
	gcs_model_remove_space(model, KIT_LIST, NULL);
	pair_greet(&pair, 0);
	expect_live();
	cr_assert_eq(pair.readies, 1);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
	cr_assert_eq(pair.mirror.keep_alive_ms, 1234);
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
		mirror_input(&pair.mirror, pair.session.out.data + i, 1);
	expect_live();
	cr_assert_null(kit_model_difference(model, pair.seen_model));
}

SessionTest(hello_may_ask_for_a_pause)
{
	pair_greet(&pair, GCS_HELLO_PAUSE | GCS_HELLO_EVERY);
	cr_assert_eq(pair.pauses, 1);
	expect_live();
}

SessionTest(a_refusal_is_told_with_its_reason)
{
	pair.refuse = true;
	pair_greet(&pair, 0);
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
	cr_assert_eq(pair.mirror.phase, MIRROR_ENDED);
	cr_assert_eq(pair.mirror.error.status, GCS_REFUSED);
	cr_assert_str_eq(pair.mirror.error.text, "not today");
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
	cr_assert_eq(pair.mirror.error.status, GCS_VERSION);
	cr_assert_not_null(strstr(pair.mirror.error.text, "99"));
	cr_assert_eq(pair.session.phase, SESSION_CLOSING);
}

SessionTest(goodbye_before_any_hello_comes_behind_a_preamble)
{
	session_input(&pair.session, "GCSP", 4);
	session_bye(&pair.session, BYE_SILENT, "too slow");
	pair_flow(&pair);
	cr_assert_eq(pair.mirror.error.status, GCS_TIMEOUT, "%s", pair.mirror.error.text);
	cr_assert_str_eq(pair.mirror.error.text, "too slow");
}

SessionTest(each_reason_for_goodbye_has_its_status)
{
	static const enum gcs_status meaning[BYE_REASON_COUNT] = {GCS_CLOSED, GCS_REFUSED,
	    GCS_DENIED, GCS_VERSION, GCS_MALFORMED, GCS_TIMEOUT, GCS_TIMEOUT};
	for (unsigned i = 0; i < BYE_REASON_COUNT; i++) {
		struct pair other;
		pair_init(&other, model);
		pair_greet(&other, 0);
		session_bye(&other.session, (enum bye_reason)i, i == 0 ? "" : "words");
		session_bye(&other.session, BYE_ENDED, "only the first counts");
		pair_flow(&other);
		cr_assert_eq(other.mirror.error.status, meaning[i]);
		cr_assert_gt(strlen(other.mirror.error.text), 4);
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
	cr_assert_eq(pair.mirror.error.status, GCS_VERSION);
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
		cr_assert_eq(other.mirror.phase, MIRROR_ENDED);
		cr_assert_eq(other.mirror.error.status, GCS_MALFORMED, "case %u", i);
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
	session_answer(&pair.session, &(struct answer_message){.words = "too early"});
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
	cr_assert_str_eq(pair.answer_words, "asked");
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
		cr_assert_eq(other.mirror.error.status, GCS_MALFORMED, "case %zu", i);
		cr_assert(other.queries == 0 && other.sets == 0 && other.answers == 0);
		pair_fini(&other);
	}
}

/* The server's side of a property test: a chain of snapshots, each built on the one before. */
static struct gcs_snapshot *next_snapshot(
    struct gcs_model *m, const struct gcs_snapshot *before, uint64_t *state, uint64_t sequence)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(m, before);
	struct gcs_occurrence o = {.sequence = sequence,
	    .event = kit_below(state, 8) == 0 ? GCS_NONE : kit_below(state, KIT_EVENTS),
	    .time_ns = sequence * 1000,
	    .wall_ns = -(int64_t)sequence,
	    .cost_ns = sequence * 10};
	cr_assert(gcs_snapshot_set_occurrence(s, &o));
	uint32_t changes = kit_below(state, 12);
	for (uint32_t i = 0; i < changes; i++)
		kit_change(s, state);
	snapshot_settle(s, before);
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	return s;
}

static void send(const struct gcs_snapshot *s, uint64_t missed)
{
	session_snapshot(&pair.session, s, missed);
	cr_assert_eq(pair.session.out.status, GCS_OK, "%s", pair.session.why);
	pair_flow(&pair);
	expect_live();
}

SessionTest(occurrences_carry_their_times)
{
	uint64_t state = 3;
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = next_snapshot(model, NULL, &state, 10);
	struct gcs_snapshot *b = next_snapshot(model, a, &state, 15);
	send(a, 0);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->sequence == 10 && o->time_ns == 10000 && o->wall_ns == -10);
	cr_assert(o->elapsed_ns == 0 && o->compensation_ns == 0 && o->missed == 0);
	send(b, 4);
	o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->elapsed_ns == 5000 && o->compensation_ns == 50 && o->missed == 4);
	cr_assert_eq(o->cost_ns, 150);
	send(a, 5); /* a look from outside may be older */
	o = gcs_snapshot_occurrence(pair.received);
	cr_assert(o->elapsed_ns == 0 && o->compensation_ns == 0);
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
}

/* F11: what did not change is not sent. */
SessionTest(nothing_new_costs_next_to_nothing)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(a, KIT_HEAP, 10000);
	for (uint32_t i = 0; i < 10000; i++) {
		char name[16];
		snprintf(name, sizeof name, "r%u", i);
		gcs_snapshot_set_name(a, KIT_HEAP, i, name);
		gcs_snapshot_write(a, KIT_HEAP, KIT_USED)[i] = (int64_t)i * i % 977;
	}
	snapshot_settle(a, NULL);
	send(a, 0);
	struct gcs_snapshot *b = gcs_snapshot_begin(model, a);
	gcs_snapshot_write(b, KIT_HEAP, KIT_USED)[5000] = 1;
	snapshot_settle(b, a);
	session_snapshot(&pair.session, b, 0);
	cr_assert_lt(pair.session.out.length, 150);
	pair_flow(&pair);
	cr_assert_null(kit_difference(b, pair.received, UINT64_MAX));
	struct gcs_snapshot *c = gcs_snapshot_begin(model, b);
	cr_assert(gcs_snapshot_insert_tiles(c, KIT_HEAP, 3, 10)); /* F13 */
	snapshot_settle(c, b);
	session_snapshot(&pair.session, c, 0);
	cr_assert_lt(pair.session.out.length, 150, "inserted tiles are not a new space");
	pair_flow(&pair);
	cr_assert_null(kit_difference(c, pair.received, UINT64_MAX));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_snapshot_unref(c);
}

/* Resizes since a snapshot that this client got, in a space that it did not look at then. */
SessionTest(a_space_opened_again_has_its_own_past)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *a = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(a, KIT_LIST, 10);
	snapshot_settle(a, NULL);
	send(a, 0);
	put_collapse(&w, true, KIT_GROUP_OTHER, true);
	command();
	struct gcs_snapshot *b = gcs_snapshot_begin(model, a);
	gcs_snapshot_resize(b, KIT_LIST, 100);
	snapshot_settle(b, a);
	send(b, 0);
	cr_assert_eq(gcs_snapshot_tiles(pair.received, KIT_LIST), 10);
	cr_assert_not(gcs_snapshot_gathered(pair.received, KIT_LIST));
	put_collapse(&w, true, KIT_GROUP_OTHER, false);
	command();
	struct gcs_snapshot *c = gcs_snapshot_begin(model, b);
	gcs_snapshot_remove_tiles(c, KIT_LIST, 50, 5);
	gcs_snapshot_set_gathered(c, KIT_LIST, true);
	snapshot_settle(c, b);
	send(c, 0);
	cr_assert_null(kit_difference(c, pair.received, UINT64_MAX));
	cr_assert(gcs_snapshot_gathered(pair.received, KIT_LIST));
	gcs_snapshot_unref(a);
	gcs_snapshot_unref(b);
	gcs_snapshot_unref(c);
}

static void replace_model(struct gcs_model *changed)
{
	session_model(&pair.session, changed);
	gcs_model_unref(model);
	pair.model = model = changed;
	pair_flow(&pair);
	expect_live();
}

SessionTest(changes_of_the_description_are_told)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_set_info(m, "Version", "2", NULL);
	gcs_model_add_group(m, &(struct gcs_group){.name = "New", .parent = 2}, NULL, NULL);
	gcs_model_add_space(m, &kit_spaces[KIT_LIST], NULL, NULL);
	gcs_model_set_space(m, KIT_LIST, &kit_spaces[KIT_HEAP], NULL);
	gcs_model_remove_space(m, KIT_MATRIX, NULL);
	replace_model(m);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
	cr_assert_eq(pair.models, 1);
	replace_model(gcs_model_ref(model)); /* the same again is nothing new */
	cr_assert_eq(pair.models, 1);
}

/* What came and went between two descriptions must not confuse the client. */
SessionTest(a_space_that_came_and_went_is_gone)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_add_space(m, &kit_spaces[KIT_LIST], NULL, NULL);
	gcs_model_remove_space(m, KIT_SPACES, NULL);
	replace_model(m);
	cr_assert_null(kit_model_difference(model, pair.seen_model));
}

SessionTest(a_space_that_went_came_back_and_went_is_gone)
{
	pair_greet(&pair, 0);
	struct gcs_model *m = gcs_model_copy(model);
	gcs_model_remove_space(m, KIT_LIST, NULL);
	replace_model(m);
	m = gcs_model_copy(model);
	gcs_model_set_space(m, KIT_LIST, &kit_spaces[KIT_LIST], NULL);
	gcs_model_remove_space(m, KIT_LIST, NULL);
	replace_model(m);
	cr_assert(pair.seen_model->spaces[KIT_LIST].gone);
}

SessionTest(large_spaces_take_several_frames)
{
	pair_greet(&pair, 0);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint32_t tiles = 2 * CODEC_TILES_PER_FRAME + 1;
	gcs_snapshot_resize(s, KIT_MATRIX, tiles);
	uint64_t state = 5;
	int64_t *values = gcs_snapshot_write(s, KIT_MATRIX, 0);
	for (uint32_t i = 0; i < tiles; i++)
		values[i] = (int64_t)kit_random(&state);
	for (uint32_t i = 0; i < tiles; i++)
		gcs_snapshot_set_name(s, KIT_MATRIX, i, "n");
	snapshot_settle(s, NULL);
	send(s, 0);
	cr_assert_null(kit_difference(s, pair.received, UINT64_MAX));
	gcs_snapshot_unref(s);
}

/* Names of all tiles of a legal space may be larger than a frame. */
SessionTest(long_names_take_several_frames)
{
	char name[GCS_MAX_TEXT + 1];
	pair_greet(&pair, 0);
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	uint32_t tiles = GCS_WIRE_MAX_TO_CLIENT / GCS_MAX_TEXT + 10;
	gcs_snapshot_resize(s, KIT_MATRIX, tiles);
	memset(name, 'n', GCS_MAX_TEXT);
	name[GCS_MAX_TEXT] = '\0';
	for (uint32_t i = 0; i < tiles; i++)
		gcs_snapshot_set_name(s, KIT_MATRIX, i, name);
	snapshot_settle(s, NULL);
	send(s, 0);
	cr_assert_null(kit_difference(s, pair.received, UINT64_MAX));
	gcs_snapshot_unref(s);
}

static void change_model(uint64_t *state)
{
	struct gcs_model *m = gcs_model_copy(model);
	uint32_t space = kit_below(state, m->space_count);
	switch (kit_below(state, 5)) {
	case 0:
		(void)gcs_model_add_space(m, &kit_spaces[kit_below(state, 3)], NULL, NULL);
		break;
	case 1:
		(void)gcs_model_set_space(m, space, &kit_spaces[kit_below(state, 3)], NULL);
		break;
	case 2:
		(void)gcs_model_remove_space(m, space, NULL);
		break;
	case 3:
		(void)gcs_model_set_info(m, "Version", space == 0 ? "" : "other", NULL);
		break;
	default:
		(void)gcs_model_add_group(
		    m, &(struct gcs_group){.name = "More", .parent = GCS_NONE}, NULL, NULL);
		break;
	}
	gcs_model_unref(model);
	pair.model = model = m;
}

static bool is_marked(const uint64_t *changed, uint32_t tile)
{
	uint32_t bit = tile / GCS_CHANGED_TILES;
	return (changed[bit / 64] >> bit % 64 & 1) != 0;
}

/* What the client is told of changes misses none and names only blocks with one; counts the columns
 * that it is told of. */
static unsigned check_changed(const struct gcs_snapshot *now, const struct gcs_snapshot *before)
{
	unsigned known = 0;
	for (uint32_t space = 0; space < gcs_snapshot_model(now)->space_count; space++) {
		uint32_t tiles = gcs_snapshot_tiles(now, space);
		for (uint32_t k = 0; k < gcs_snapshot_model(now)->spaces[space].stream_count; k++) {
			const uint64_t *changed = gcs_snapshot_changed(now, before, space, k);
			const int64_t *a = gcs_snapshot_values(now, space, k);
			const int64_t *b = gcs_snapshot_values(before, space, k);
			if (changed == NULL)
				continue;
			known++;
			cr_assert_eq(gcs_snapshot_tiles(before, space), tiles);
			for (uint32_t i = 0; i < tiles; i += GCS_CHANGED_TILES) {
				uint32_t n =
				    tiles - i < GCS_CHANGED_TILES ? tiles - i : GCS_CHANGED_TILES;
				bool same = memcmp(a + i, b + i, n * sizeof *a) == 0;
				cr_assert_eq(is_marked(changed, i), !same,
				    "space %u, stream %u, tile %u", space, k, i);
			}
		}
	}
	return known;
}

/* Streams of which the last snapshot that was received may be compared with some earlier one. */
static unsigned changes_known;

/* One random life of a connection; the server's truth is compared at every snapshot that is sent.
 */
static void one_life(uint64_t *state)
{
	bool closed[KIT_SPACES] = {false};
	struct gcs_snapshot *last = NULL, *before = NULL, *older = NULL;
	pair.random = kit_below(state, 2) == 0 ? 0 : kit_random(state) | 1;
	pair_greet(&pair, kit_below(state, 2) == 0 ? GCS_HELLO_COMPRESS : 0);
	expect_live();
	for (uint64_t sequence = 1; sequence < 60; sequence++) {
		if (kit_below(state, 12) == 0 && model->space_count < 20)
			change_model(state);
		struct gcs_snapshot *s = next_snapshot(model, last, state, sequence);
		gcs_snapshot_unref(last);
		last = s;
		if (kit_below(state, 6) == 0) {
			uint32_t space = kit_below(state, KIT_SPACES);
			closed[space] = !closed[space];
			put_collapse(&w, false, space, closed[space]);
			command();
		}
		if (kit_below(state, 3) == 0) /* thinned: this client does not get it */
			continue;
		session_model(&pair.session, model);
		if (kit_below(state, 4) == 0) {
			gcs_snapshot_unref(older);
			older = gcs_snapshot_ref(before);
		}
		gcs_snapshot_unref(before);
		before = gcs_snapshot_ref(pair.received);
		send(s, sequence);
		if (before != NULL)
			changes_known += check_changed(pair.received, before);
		if (older != NULL)
			check_changed(pair.received, older);
		uint64_t open = UINT64_MAX;
		for (uint32_t i = 0; i < KIT_SPACES; i++) {
			if (closed[i])
				open &= ~(UINT64_C(1) << i);
			else
				cr_assert_eq(gcs_snapshot_gathered(pair.received, i),
				    gcs_snapshot_gathered(s, i));
		}
		const char *what = kit_difference(s, pair.received, open);
		cr_assert_null(what, "%s at %llu", what, (unsigned long long)sequence);
		cr_assert_null(kit_model_difference(model, pair.seen_model));
		cr_assert_eq(gcs_snapshot_check(pair.received, NULL), GCS_OK);
	}
	gcs_snapshot_unref(last);
	gcs_snapshot_unref(before);
	gcs_snapshot_unref(older);
}

Test(session_property, incremental_equals_full)
{
	uint64_t state = kit_seed();
	for (unsigned life = 0; life < 150; life++) {
		setup();
		one_life(&state);
		teardown();
	}
	cr_assert_gt(changes_known, 1000, "a client knows where most columns changed");
}
