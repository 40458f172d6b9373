/* Each message as bytes and back (F6 to F16); every prefix of a message is refused (Q2). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "codec.h"
#include "kit.h"

static struct wr w;
static struct arena arena;
static struct gcs_model *model;

static void setup(void)
{
	kit_count_memory(0);
	wr_init(&w, 1 << 20);
	model = kit_model();
}

static void teardown(void)
{
	wr_fini(&w);
	arena_fini(&arena);
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define CodecTest(name) Test(codec, name, .init = setup, .fini = teardown)

/* The payload of the one frame that was put. */
static struct rd payload(enum gcs_wire_kind kind)
{
	struct frame f;
	cr_assert_eq(w.status, GCS_OK);
	cr_assert_eq(frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, NULL, &f), GCS_OK);
	cr_assert_eq(f.kind, kind);
	cr_assert_eq(f.bytes, w.length);
	return f.payload;
}

/* Runs the decoding for every proper prefix; each must fail, cleanly. */
#define PREFIXES_FAIL(decode)                                                                      \
	for (size_t cut = 0; cut + GCS_WIRE_HEADER < w.length; cut++) {                            \
		r = rd_over(w.data + GCS_WIRE_HEADER, cut);                                        \
		cr_assert_not(decode, "a prefix of %zu bytes", cut);                               \
		cr_assert_neq(r.status, GCS_OK);                                                   \
	}

CodecTest(welcome_and_bye)
{
	struct welcome out = {.name = "HotSpot", .keep_alive_ms = CODEC_MAX_INTERVAL_MS}, in;
	put_welcome(&w, &out);
	struct rd r = payload(GCS_WIRE_WELCOME);
	cr_assert(get_welcome(&r, &arena, &in));
	cr_assert_str_eq(in.name, "HotSpot");
	cr_assert_eq(in.keep_alive_ms, CODEC_MAX_INTERVAL_MS);
	PREFIXES_FAIL(get_welcome(&r, &arena, &in))
	for (unsigned i = 0; i < 256; i++) {
		enum bye_reason reason;
		const char *words;
		w.length = 0;
		put_bye(&w, (enum bye_reason)i, "so long");
		r = payload(GCS_WIRE_BYE);
		cr_assert(get_bye(&r, &arena, &reason, &words));
		cr_assert_eq(reason, i < BYE_REASON_COUNT ? i : BYE_ENDED, "a later reason");
		cr_assert_str_eq(words, "so long");
	}
}

CodecTest(hello)
{
	char token[CODEC_MAX_TOKEN + 2];
	memset(token, 't', sizeof token - 1);
	token[CODEC_MAX_TOKEN] = '\0';
	struct hello out = {.flags = UINT32_MAX, .name = "me", .token = token}, in;
	put_hello(&w, &out);
	struct rd r = payload(GCS_WIRE_HELLO);
	cr_assert(get_hello(&r, &arena, &in));
	cr_assert_eq(in.flags, UINT32_MAX);
	cr_assert_str_eq(in.name, "me");
	cr_assert_str_eq(in.token, token);
	PREFIXES_FAIL(get_hello(&r, &arena, &in))
	token[CODEC_MAX_TOKEN] = 't';
	token[CODEC_MAX_TOKEN + 1] = '\0';
	w.length = 0;
	put_hello(&w, &out);
	r = payload(GCS_WIRE_HELLO);
	cr_assert_not(get_hello(&r, &arena, &in));
	cr_assert_eq(r.status, GCS_LIMIT);
}

CodecTest(a_whole_description)
{
	uint32_t count, id;
	struct gcs_info *info;
	struct gcs_event *events;
	struct gcs_group *groups;
	struct gcs_space space;
	struct gcs_model *back = gcs_model_create("Kit");
	struct rd r;
	put_info(&w, model, NULL);
	r = payload(GCS_WIRE_INFO);
	cr_assert(get_info(&r, &arena, &count, &info));
	for (uint32_t i = 0; i < count; i++)
		gcs_model_set_info(back, info[i].key, info[i].value, NULL);
	PREFIXES_FAIL(get_info(&r, &arena, &count, &info))
	w.length = 0;
	put_events(&w, model, NULL);
	r = payload(GCS_WIRE_EVENTS);
	cr_assert(get_events(&r, &arena, &count, &events));
	for (uint32_t i = 0; i < count; i++)
		gcs_model_add_event(back, &events[i], NULL, NULL);
	PREFIXES_FAIL(get_events(&r, &arena, &count, &events))
	w.length = 0;
	put_groups(&w, model, NULL);
	r = payload(GCS_WIRE_GROUPS);
	cr_assert(get_groups(&r, &arena, &count, &groups));
	for (uint32_t i = 0; i < count; i++)
		gcs_model_add_group(back, &groups[i], NULL, NULL);
	PREFIXES_FAIL(get_groups(&r, &arena, &count, &groups))
	for (uint32_t i = 0; i < KIT_SPACES; i++) {
		w.length = 0;
		put_space(&w, i, &model->spaces[i], NULL);
		r = payload(GCS_WIRE_SPACE);
		cr_assert(get_space(&r, &arena, &id, &space));
		cr_assert_eq(id, i);
		cr_assert_eq(gcs_model_add_space(back, &space, NULL, NULL), GCS_OK);
		PREFIXES_FAIL(get_space(&r, &arena, &id, &space))
	}
	struct gcs_plugin *plugins;
	w.length = 0;
	put_plugins(&w, model, NULL);
	r = payload(GCS_WIRE_PLUGINS);
	cr_assert(get_plugins(&r, &arena, &count, &plugins));
	for (uint32_t i = 0; i < count; i++)
		cr_assert_eq(gcs_model_add_plugin(back, &plugins[i], NULL, NULL), GCS_OK);
	PREFIXES_FAIL(get_plugins(&r, &arena, &count, &plugins))
	cr_assert_null(kit_model_difference(model, back));
	gcs_model_unref(back);
}

/* A stream's error is after what earlier receivers read of its record, and only if there is one. */
CodecTest(an_error_stream)
{
	const struct gcs_stream streams[] = {
	    {.name = "Estimate", .description = "", .prefix = "", .suffix = "", .error_stream = 1},
	    {.name = "Error", .description = "", .prefix = "", .suffix = ""}};
	struct gcs_space space = kit_spaces[KIT_LIST], back;
	uint32_t id;
	space.streams = streams;
	space.stream_count = 2;
	space.default_stream = 0;
	put_space(&w, 0, &space, NULL);
	struct rd r = payload(GCS_WIRE_SPACE);
	cr_assert(get_space(&r, &arena, &id, &back));
	cr_assert_eq(back.streams[0].error_stream, 1u);
	cr_assert_eq(back.streams[1].error_stream, 0u);
	cr_assert_str_eq(back.streams[1].name, "Error");
	PREFIXES_FAIL(get_space(&r, &arena, &id, &back))
	const size_t with = w.length;
	space.streams = (const struct gcs_stream[]){streams[1], streams[1]};
	w.length = 0;
	put_space(&w, 0, &space, NULL);
	cr_assert_eq(w.length, with - strlen("Estimate") + strlen("Error") - 1);
}

CodecTest(limits_of_descriptions)
{
	uint32_t count, id;
	struct gcs_info *info;
	struct gcs_event *events;
	struct gcs_group *groups;
	struct gcs_space space;
	static const uint32_t over[] = {
	    GCS_MAX_INFO + 1, GCS_MAX_EVENTS + 1, GCS_MAX_GROUPS + 1, GCS_MAX_SPACES};
	for (unsigned i = 0; i < 4; i++) {
		w.length = 0;
		wr_varint(&w, over[i]);
		for (unsigned k = 0; k < 5000; k++)
			wr_u8(&w, 0);
		struct rd r = rd_over(w.data, w.length);
		cr_assert_not(i == 0   ? get_info(&r, &arena, &count, &info)
			      : i == 1 ? get_events(&r, &arena, &count, &events)
			      : i == 2 ? get_groups(&r, &arena, &count, &groups)
				       : get_space(&r, &arena, &id, &space));
		cr_assert_eq(r.status, GCS_LIMIT);
	}
	/* A short message cannot ask for a large table. */
	size_t before = kit_live_bytes();
	struct rd r = rd_over("\200\10", 2); /* 1,024 groups */
	cr_assert_not(get_groups(&r, &arena, &count, &groups));
	cr_assert_eq(r.status, GCS_TRUNCATED);
	cr_assert_eq(kit_live_bytes(), before);
	/* A group names no parent that comes after it. */
	w.length = 0;
	wr_varint(&w, 1);
	wr_u32(&w, 3);
	wr_text(&w, "G");
	wr_varint(&w, 1);
	r = rd_over(w.data, w.length);
	cr_assert_not(get_groups(&r, &arena, &count, &groups));
}

CodecTest(a_whole_snapshot)
{
	struct gcs_snapshot *s = kit_snapshot(model);
	struct gcs_snapshot *back = gcs_snapshot_begin(model, NULL);
	struct gcs_occurrence o = {.sequence = UINT64_MAX,
	    .event = KIT_TICK,
	    .time_ns = UINT64_MAX,
	    .wall_ns = INT64_MIN,
	    .cost_ns = 1,
	    .elapsed_ns = 2,
	    .compensation_ns = 3,
	    .missed = 4};
	struct rd r;
	gcs_snapshot_set_number(s, KIT_COUNT_ATTRIBUTE, INT64_MIN);
	gcs_snapshot_set_text(s, KIT_WORDS_ATTRIBUTE, "why");
	put_begin(&w, s, &o);
	PREFIXES_FAIL(get_begin(&r, back))
	r = payload(GCS_WIRE_BEGIN);
	cr_assert(get_begin(&r, back));
	const struct gcs_occurrence *p = gcs_snapshot_occurrence(back);
	cr_assert(p->sequence == UINT64_MAX && p->event == KIT_TICK && p->time_ns == UINT64_MAX &&
		  p->wall_ns == INT64_MIN && p->cost_ns == 1 && p->elapsed_ns == 2 &&
		  p->compensation_ns == 3 && p->missed == 4);
	for (uint32_t i = 0; i < KIT_SPACES; i++) {
		uint32_t tiles = gcs_snapshot_tiles(s, i), count;
		w.length = 0;
		put_tiles(&w, i, 0, 0, tiles);
		r = payload(GCS_WIRE_TILES);
		cr_assert(get_tiles(&r, back));
		for (uint32_t k = 0; k < kit_spaces[i].stream_count; k++) {
			if (tiles != 0) {
				w.length = 0;
				put_stream(&w, i, k, gcs_snapshot_values(s, i, k), NULL, NULL,
				    tiles, NULL);
				r = payload(GCS_WIRE_STREAM);
				cr_assert(get_stream(&r, back, false));
			}
			struct column *sum = s->spaces[i].summaries[k];
			w.length = 0;
			put_summary(&w, i, k, sum);
			r = payload(GCS_WIRE_SUMMARY);
			cr_assert(get_summary(&r, back));
			(void)gcs_snapshot_summary(back, i, k, &count);
			cr_assert_eq(count, sum == NULL ? 0 : sum->count);
		}
		w.length = 0;
		put_names(&w, s, i, 0, tiles);
		PREFIXES_FAIL(get_names(&r, back))
		r = payload(GCS_WIRE_NAMES);
		cr_assert(get_names(&r, back));
		w.length = 0;
		put_space_info(&w, i, gcs_snapshot_space_info(s, i));
		r = payload(GCS_WIRE_SPACE_INFO);
		cr_assert(get_space_info(&r, back));
	}
	w.length = 0;
	put_counters(&w, s);
	r = payload(GCS_WIRE_COUNTERS);
	cr_assert(get_counters(&r, back));
	PREFIXES_FAIL(get_counters(&r, back))
	const uint32_t skipped[] = {KIT_LIST};
	w.length = 0;
	put_end(&w, UINT64_MAX, 1, skipped);
	r = payload(GCS_WIRE_END);
	cr_assert(get_end(&r, back));
	cr_assert(gcs_snapshot_gathered(back, KIT_HEAP));
	cr_assert_not(gcs_snapshot_gathered(back, KIT_LIST));
	PREFIXES_FAIL(get_end(&r, back))
	cr_assert_eq(gcs_snapshot_check(back, NULL), GCS_OK);
	const char *what = kit_difference(s, back, UINT64_MAX);
	cr_assert_null(what, "%s", what);
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(back);
}

CodecTest(attributes_must_fit_their_event)
{
	struct gcs_snapshot *s = gcs_snapshot_begin(model, NULL);
	for (unsigned i = 0; i < 4; i++) {
		w.length = 0;
		for (unsigned k = 0; k < 8; k++)
			wr_varint(&w, k == 1 ? (i == 0 ? KIT_EVENTS + 1 : KIT_TICK + 1) : 0);
		wr_varint(&w, i == 1 ? 33 : 3);
		wr_u8(&w, i == 2 ? 2 : 0); /* a text for a number */
		wr_text(&w, "x");
		wr_u8(&w, i == 3 ? 3 : 0); /* an unknown kind of value */
		struct rd r = rd_over(w.data, w.length);
		cr_assert_not(get_begin(&r, s), "case %u", i);
		cr_assert_eq(r.status, i == 1 ? GCS_LIMIT : GCS_MALFORMED);
	}
	gcs_snapshot_unref(s);
}

CodecTest(state_and_notice)
{
	struct state_message out = {.run = GCS_PAUSING, .own = true, .others = 31}, in;
	const char *words;
	put_state(&w, &out);
	struct rd r = payload(GCS_WIRE_STATE);
	cr_assert(get_state(&r, &in));
	cr_assert(in.run == GCS_PAUSING && in.own && in.others == 31);
	PREFIXES_FAIL(get_state(&r, &in))
	r = rd_over("\3\0\0", 3);
	cr_assert_not(get_state(&r, &in));
	w.length = 0;
	put_notice(&w, "12 left out");
	r = payload(GCS_WIRE_NOTICE);
	cr_assert(get_notice(&r, &arena, &words));
	cr_assert_str_eq(words, "12 left out");
	PREFIXES_FAIL(get_notice(&r, &arena, &words))
}

CodecTest(commands)
{
	struct gcs_filter out = {true, CODEC_MAX_DELAY_MS, true, CODEC_MAX_PERIOD}, in;
	uint32_t event, interval, id;
	enum gcs_pace pace;
	bool group, collapsed;
	put_filter(&w, GCS_MAX_EVENTS - 1, &out);
	struct rd r = payload(GCS_WIRE_FILTER);
	cr_assert(get_filter(&r, &event, &in));
	cr_assert(event == GCS_MAX_EVENTS - 1 && in.enabled && in.pause &&
		  in.delay_ms == CODEC_MAX_DELAY_MS && in.period == CODEC_MAX_PERIOD);
	PREFIXES_FAIL(get_filter(&r, &event, &in))
	for (unsigned i = 0; i < GCS_PACE_COUNT; i++) {
		w.length = 0;
		put_pace(&w, (enum gcs_pace)i, CODEC_MAX_INTERVAL_MS);
		r = payload(GCS_WIRE_PACE);
		cr_assert(get_pace(&r, &pace, &interval));
		cr_assert(pace == i && interval == CODEC_MAX_INTERVAL_MS);
		PREFIXES_FAIL(get_pace(&r, &pace, &interval))
	}
	for (unsigned i = 0; i < 4; i++) {
		w.length = 0;
		put_collapse(&w, (i & 1) != 0, GCS_MAX_GROUPS - 1, (i & 2) != 0);
		r = payload(GCS_WIRE_COLLAPSE);
		cr_assert(get_collapse(&r, &group, &id, &collapsed));
		cr_assert(group == ((i & 1) != 0) && id == GCS_MAX_GROUPS - 1 &&
			  collapsed == ((i & 2) != 0));
		PREFIXES_FAIL(get_collapse(&r, &group, &id, &collapsed))
	}
}
