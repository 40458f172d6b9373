/*
 * The mirror of servers of 2002 (E2) and what a client says to them: bytes as such servers send
 * them, in any portions and both usual orders, and bytes that no server should send (Q2).
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "mirror_2002.h"
#include "speech.h"
#include "wire_2002.h"

static struct mirror mirror;
static struct wr w;
static struct gcs_model *model;
static struct gcs_snapshot *received;
static unsigned readies, models, snapshots, pauses, runs;

static void keep(struct gcs_model *m)
{
	gcs_model_unref(model);
	model = gcs_model_ref(m);
}

static void on_ready(void *context, struct gcs_model *m)
{
	(void)context;
	readies++;
	keep(m);
}

static void on_model(void *context, struct gcs_model *m)
{
	(void)context;
	models++;
	keep(m);
}

static void on_snapshot(void *context, struct gcs_snapshot *s)
{
	(void)context;
	snapshots++;
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	gcs_snapshot_unref(received);
	received = gcs_snapshot_ref(s);
}

static void on_state(void *context, const struct state_message *state)
{
	(void)context;
	pauses += state->run == GCS_PAUSED && state->own;
	runs += state->run == GCS_RUNNING;
}

static const struct mirror_events events = {
    .ready = on_ready, .model = on_model, .snapshot = on_snapshot, .state = on_state};

static void begin(void)
{
	mirror_init(&mirror, &events, NULL);
	mirror_choose(&mirror, &mirror_2002);
}

static void finish(void)
{
	mirror_fini(&mirror);
	gcs_model_unref(model);
	gcs_snapshot_unref(received);
	model = NULL;
	received = NULL;
}

static void setup(void)
{
	kit_count_memory(0);
	begin();
	wr_init(&w, 64 << 20);
}

static void teardown(void)
{
	wr_fini(&w);
	finish();
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ElderTest(name) Test(mirror_2002, name, .init = setup, .fini = teardown)

static void feed(size_t portion)
{
	for (size_t at = 0; at < w.length; at += portion)
		mirror_input(
		    &mirror, w.data + at, w.length - at < portion ? w.length - at : portion);
	w.length = 0;
}

static void expect_live(void)
{
	cr_assert_eq(mirror.phase, MIRROR_LIVE, "%s", mirror.error.text);
}

/* What servers say. */

static void say_hello(const char *magic, int32_t endianness)
{
	size_t at = w2002_frame_begin(&w);
	w2002_put_text(&w, magic, 100);
	w2002_put_int(&w, endianness);
	w2002_put_text(&w, "Old server", 100);
	w2002_frame_end(&w, at);
}

static void put_information(int16_t spaces, const char *info, int16_t event_count)
{
	static const char *const names[] = {"Start", "", "End"};
	size_t at = w2002_frame_begin(&w);
	w2002_put_short(&w, spaces);
	w2002_put_text(&w, info, 5000);
	w2002_put_short(&w, event_count);
	for (int16_t i = 0; i < event_count; i++)
		w2002_put_text(&w, names[i % 3], 100);
	w2002_frame_end(&w, at);
}

struct said {
	uint8_t id, type, presentation, paint, max_index, enum_count;
	int32_t min, max;
	const char *name;
};

static void put_stream_description(const struct said *t)
{
	wr_u8(&w, t->id);
	wr_u8(&w, t->type);
	w2002_put_text(&w, t->name, 1000);
	w2002_put_int(&w, t->min);
	w2002_put_int(&w, t->max);
	w2002_put_int(&w, 1);
	w2002_put_int(&w, 2);
	w2002_put_text(&w, "about ", 100);
	w2002_put_text(&w, " bytes", 100);
	wr_u8(&w, t->presentation);
	wr_u8(&w, t->paint);
	wr_u8(&w, t->max_index);
	wr_bytes(&w, "\x01\x02\x03", 3);
	wr_u8(&w, t->enum_count);
	for (uint8_t i = 0; i < t->enum_count; i++)
		w2002_put_text(&w, i == 1 ? "" : "DIRTY", 100);
}

static void say_space(int16_t id, int32_t tiles, int16_t count, const struct said *streams)
{
	w2002_put_short(&w, id);
	w2002_put_text(&w, "Semispace", 100);
	w2002_put_text(&w, "MMTk", 100);
	w2002_put_text(&w, "Block ", 100);
	w2002_put_text(&w, "32K blocks", 100);
	w2002_put_int(&w, tiles);
	w2002_put_text(&w, "NOT USED", 100);
	wr_u8(&w, 1);
	w2002_put_short(&w, count);
	for (int16_t i = 0; i < count; i++)
		put_stream_description(&streams[i]);
	for (int32_t i = 0; i < tiles; i++)
		w2002_put_text(&w, i == 1 ? "   [0xa-0xb)" : "", 100);
}

static const struct said six[] = {
    {.id = 0, .type = W2002_BYTE, .presentation = W2002_PLAIN, .max = 100, .name = "Plain"},
    {.id = 1, .type = W2002_SHORT, .presentation = W2002_PLUS, .max = 100, .name = "Plus"},
    {.id = 2, .type = W2002_INT, .presentation = W2002_MAX_VAR, .max = 100, .name = "Var"},
    {.id = 3,
	.type = W2002_INT,
	.presentation = W2002_PERCENT,
	.paint = W2002_PAINT_ZERO,
	.max = 100,
	.name = "Percent"},
    {.id = 4,
	.type = W2002_INT,
	.presentation = W2002_PERCENT_VAR,
	.max_index = 2,
	.max = 100,
	.name = "Of var"},
    {.id = 5,
	.type = W2002_BYTE,
	.presentation = W2002_ENUM,
	.enum_count = 3,
	.max = 2,
	.name = ""},
};

static void put_bootstrap(int32_t tiles)
{
	say_hello(W2002_MAGIC, 1);
	put_information(1, "Collector: semispace\nplain words\n\nkey:\n", 3);
	size_t at = w2002_frame_begin(&w);
	say_space(0, tiles, 6, six);
	w2002_frame_end(&w, at);
}

static void put_values(uint8_t space, uint8_t stream, unsigned size, int32_t count, int32_t first)
{
	size_t at = w2002_command_begin(&w, W2002_STREAM);
	wr_u8(&w, space);
	wr_u8(&w, stream);
	w2002_put_int(&w, count);
	for (int32_t i = 0; i < count; i++) {
		if (size == 1)
			wr_u8(&w, (uint8_t)(first + i));
		else if (size == 2)
			w2002_put_short(&w, (int16_t)(first + i));
		else
			w2002_put_int(&w, first + i);
	}
	w2002_command_end(&w, at);
}

static void put_control(int32_t count, uint8_t bits)
{
	size_t at = w2002_command_begin(&w, W2002_CONTROL);
	wr_u8(&w, 0);
	w2002_put_int(&w, count);
	for (int32_t i = 0; i < count; i++)
		wr_u8(&w, bits);
	w2002_command_end(&w, at);
}

static void put_summary_of(uint8_t stream, int32_t count)
{
	size_t at = w2002_command_begin(&w, W2002_SUMMARY);
	wr_u8(&w, 0);
	wr_u8(&w, stream);
	w2002_put_int(&w, count);
	for (int32_t i = 0; i < count; i++)
		w2002_put_int(&w, 10 + i);
	w2002_command_end(&w, at);
}

static void put_event(uint8_t event)
{
	size_t at = w2002_command_begin(&w, W2002_EVENT_COUNT);
	w2002_put_int(&w, 3);
	for (int32_t i = 0; i < 3; i++)
		w2002_put_int(&w, 7 + i);
	w2002_command_end(&w, at);
	at = w2002_command_begin(&w, W2002_EVENT);
	wr_u8(&w, event);
	w2002_put_int(&w, 12);
	w2002_put_int(&w, 5);
	w2002_command_end(&w, at);
}

/* A whole bootstrap and event. */
static void put_all(void)
{
	put_bootstrap(3);
	for (uint8_t i = 0; i < 6; i++) {
		put_values(0, i, six[i].type == W2002_INT ? 4 : six[i].type + 1u, 3, -1);
		put_summary_of(i, i == 5 ? 3 : i >= 3 ? 2 : 1);
	}
	put_control(3, GCS_TILE_UNUSED | GCS_TILE_LINK);
	size_t at = w2002_command_begin(&w, W2002_SPACE_INFO);
	wr_u8(&w, 0);
	w2002_put_text(&w, "half full", 100);
	w2002_command_end(&w, at);
	put_event(2);
}

static void check_description(void)
{
	cr_assert_str_eq(model->server_name, "Old server");
	cr_assert_eq(model->info_count, 2);
	cr_assert_str_eq(model->info[0].key, "Collector");
	cr_assert_str_eq(model->info[0].value, "semispace");
	cr_assert_str_eq(model->info[1].value, "plain words");
	cr_assert_eq(model->event_count, 3);
	cr_assert_str_eq(model->events[1].name, "Event 1");
	const struct gcs_space *s = &model->spaces[0];
	cr_assert_str_eq(s->tile_title, "Block");
	cr_assert_str_eq(s->description, "Driver: MMTk");
	cr_assert_eq(s->stream_count, 7);
	cr_assert(s->main && s->streams[6].role == GCS_ROLE_CONTROL);
	cr_assert_eq(s->streams[1].presentation, GCS_PLUS);
	cr_assert_eq(s->streams[2].maximum, GCS_MAX_OF_EVENT);
	cr_assert(
	    s->streams[3].presentation == GCS_PERCENT && s->streams[3].paint == GCS_PAINT_ZERO);
	cr_assert(s->streams[4].maximum == GCS_MAX_OF_STREAM && s->streams[4].max_stream == 2);
	cr_assert(s->streams[5].presentation == GCS_ENUM);
	cr_assert_str_eq(s->streams[5].name, "Stream 5");
	cr_assert_str_eq(s->streams[5].enum_names[1], "Value 1");
	cr_assert_str_eq(s->streams[0].prefix, "about ");
	cr_assert(s->streams[0].zero == 1 && s->streams[0].initial == 2);
	cr_assert_eq(s->streams[0].colour, 0x010203);
}

static void check_state(void)
{
	for (uint32_t i = 0; i < 6; i++) {
		const int64_t *values = gcs_snapshot_values(received, 0, i);
		cr_assert(values[0] == -1 && values[1] == 0 && values[2] == 1);
		uint32_t count;
		const int64_t *sum = gcs_snapshot_summary(received, 0, i, &count);
		cr_assert_eq(count, i == 5 ? 3 : i >= 3 ? 2 : 1);
		cr_assert_eq(sum[count - 1], 9 + count);
	}
	cr_assert_eq(gcs_snapshot_values(received, 0, 6)[2], GCS_TILE_UNUSED | GCS_TILE_LINK);
	cr_assert_str_eq(gcs_snapshot_name(received, 0, 1), "[0xa-0xb)");
	cr_assert_str_eq(gcs_snapshot_name(received, 0, 2), "");
	cr_assert_str_eq(gcs_snapshot_space_info(received, 0), "half full");
	cr_assert_eq(received->occurrence.event, 2);
	cr_assert_eq(received->occurrence.elapsed_ns, 12000000);
	cr_assert_eq(received->occurrence.compensation_ns, 5000000);
	cr_assert_eq(gcs_snapshot_counter(received, 2), 9);
	cr_assert(gcs_snapshot_gathered(received, 0));
}

ElderTest(everything_is_understood_in_any_portions)
{
	for (size_t portion = 1; portion < 200; portion = portion * 3 / 2 + 1) {
		readies = snapshots = 0;
		put_all();
		feed(portion);
		expect_live();
		cr_assert(readies == 1 && snapshots == 1 && runs != 0);
		check_description();
		check_state();
		finish();
		begin();
	}
}

ElderTest(several_commands_may_be_in_one_frame)
{
	put_bootstrap(2);
	size_t at = w2002_command_begin(&w, W2002_CONTROL);
	wr_bytes(&w, "\0\0\0\0\2\1\4", 7);
	wr_bytes(&w, "\x0b\0\0\0\1\0\0\0\2", 9);    /* EVENT_COUNT 2 */
	wr_bytes(&w, "\x08\0\0\0\0\1\0\0\0\2", 10); /* EVENT */
	wr_u8(&w, W2002_PAUSE);
	w2002_command_end(&w, at);
	feed(SIZE_MAX / 2);
	expect_live();
	cr_assert(snapshots == 1 && pauses == 1);
	cr_assert_eq(gcs_snapshot_values(received, 0, 6)[1], GCS_TILE_UNUSED);
	cr_assert_eq(gcs_snapshot_counter(received, 0), 2);
	/* Nothing was said of the stream: its default, and not gathered. */
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[1], 2);
	cr_assert_not(gcs_snapshot_gathered(received, 0));
}

static void put_space_command(int16_t id, int32_t tiles, int16_t count, const struct said *streams)
{
	size_t at = w2002_command_begin(&w, W2002_SPACE);
	say_space(id, tiles, count, streams);
	w2002_command_end(&w, at);
}

ElderTest(a_space_may_change_its_size)
{
	put_all();
	put_space_command(0, 5, 6, six);
	put_values(0, 0, 1, 5, 20);
	put_event(0);
	feed(7);
	expect_live();
	cr_assert(snapshots == 2 && models == 0, "the description is the same");
	cr_assert_eq(gcs_snapshot_tiles(received, 0), 5);
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[4], 24);
	cr_assert_eq(gcs_snapshot_values(received, 0, 1)[0], 2, "the default after SPACE");
	cr_assert_eq(gcs_snapshot_values(received, 0, 6)[0], GCS_TILE_USED);
}

ElderTest(a_space_may_be_described_anew_within_an_event)
{
	put_all();
	put_values(0, 0, 1, 3, 50);
	put_space_command(0, 2, 2, six + 1); /* other streams, with ids 1 and 2 */
	put_values(0, 2, 4, 2, 70000);
	put_event(1);
	feed(1);
	expect_live();
	cr_assert(snapshots == 2 && models == 1);
	cr_assert_eq(model->spaces[0].stream_count, 3);
	cr_assert_eq(gcs_snapshot_values(received, 0, 1)[1], 70001);
}

ElderTest(silence_of_a_stream_keeps_what_it_had)
{
	put_all();
	put_values(0, 0, 1, 2, 8);
	put_event(0);
	feed(100);
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[1], 9);
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[2], 1);
	cr_assert_eq(gcs_snapshot_values(received, 0, 3)[2], 1);
	cr_assert_eq(received->occurrence.time_ns, 24000000);
	cr_assert_eq(received->occurrence.sequence, 2);
}

ElderTest(odd_descriptions_are_made_the_best_of)
{
	static const struct said odd[] = {
	    {.id = 9, .presentation = W2002_ENUM, .max = 3, .name = "No names"},
	    {.id = 4,
		.presentation = W2002_ENUM,
		.enum_count = 2,
		.min = 5,
		.max = 99,
		.name = "Other range"},
	    {.id = 2, .presentation = W2002_PERCENT_VAR, .max_index = 77, .name = "Of nothing"},
	};
	say_hello(W2002_MAGIC, 1);
	put_information(1, "", 0);
	size_t at = w2002_frame_begin(&w);
	say_space(17, 0, 3, odd);
	w2002_frame_end(&w, at);
	put_values(17, 9, 1, 0, 0);
	feed(50);
	expect_live();
	const struct gcs_space *s = &model->spaces[0];
	cr_assert_eq(s->streams[0].presentation, GCS_PLAIN);
	cr_assert(s->streams[1].min == 5 && s->streams[1].max == 6);
	cr_assert_eq(s->streams[2].maximum, GCS_MAX_FIXED);
}

ElderTest(more_streams_than_a_space_of_ours_has_are_left_out)
{
	struct said many[128];
	for (unsigned i = 0; i < 128; i++)
		many[i] = (struct said){.id = (uint8_t)i, .max = 9, .name = "S"};
	say_hello(W2002_MAGIC, 1);
	put_information(1, "", 1);
	size_t at = w2002_frame_begin(&w);
	say_space(0, 1, 128, many);
	w2002_frame_end(&w, at);
	put_values(0, 127, 1, 1, 3);
	put_values(0, 118, 1, 1, 4);
	put_event(0);
	feed(1000);
	expect_live();
	cr_assert_eq(model->spaces[0].stream_count, GCS_MAX_STREAMS);
	cr_assert_eq(gcs_snapshot_values(received, 0, 118)[0], 4);
	cr_assert_eq(gcs_snapshot_values(received, 0, 119)[0], GCS_TILE_USED);
}

ElderTest(the_end_is_told)
{
	put_bootstrap(1);
	w2002_put_command(&w, W2002_SHUTDOWN);
	feed(3);
	cr_assert_eq(mirror.error.status, GCS_CLOSED);
	finish();
	begin();
	put_bootstrap(1);
	w2002_put_int(&w, 0);
	feed(1000);
	cr_assert_eq(mirror.error.status, GCS_CLOSED);
}

static void expect_refusal(enum gcs_status status, const char *words)
{
	feed(100000);
	cr_assert_eq(mirror.phase, MIRROR_ENDED, "nothing is wrong with \"%s\"?", words);
	cr_assert_eq(mirror.error.status, status, "%s", mirror.error.text);
	cr_assert_not_null(strstr(mirror.error.text, words), "%s", mirror.error.text);
	finish();
	begin();
}

ElderTest(something_else_is_foreign)
{
	wr_bytes(&w, "H", 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	wr_bytes(&w, "GCSP\1\0\0\0", 8);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	say_hello("GCspy667", 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	wr_bytes(&w, "\0\0\0\2xy", 6);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	say_hello(W2002_MAGIC, 2);
	expect_refusal(GCS_VERSION, "order of bytes");
	w2002_put_int(&w, 16777217 & 0xffff);
	w2002_put_int(&w, 16777217 & 0xffff);
	say_hello(W2002_MAGIC, 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
}

/* A hello and an introduction of one space, then that frame. */
static void refuse_space(int16_t id, int32_t tiles, int16_t count, const struct said *streams,
    enum gcs_status status, const char *words)
{
	say_hello(W2002_MAGIC, 1);
	put_information(2, "", 1);
	for (unsigned i = 0; i < 2; i++) {
		size_t at = w2002_frame_begin(&w);
		say_space(id, tiles < 4 ? tiles : 1, count, streams);
		w2002_frame_end(&w, at);
	}
	expect_refusal(status, words);
}

ElderTest(bad_descriptions_end_with_a_clear_line)
{
	struct said t = {.max = 5, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "space 0 twice");
	refuse_space(-1, 1, 1, &t, GCS_LIMIT, "id -1");
	refuse_space(128, 1, 1, &t, GCS_LIMIT, "id 128");
	refuse_space(0, -1, 1, &t, GCS_LIMIT, "-1 tiles");
	refuse_space(0, 1, -1, &t, GCS_LIMIT, "-1 streams");
	t.min = 6;
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "minimum above its maximum");
	t = (struct said){.type = 3, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "type 3");
	t = (struct said){.presentation = 6, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "presentation 6");
	t = (struct said){.paint = 2, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "paint style 2");
	t = (struct said){.id = 200, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "negative id");
	struct said twice[] = {{.id = 1, .name = "S"}, {.id = 1, .name = "S"}};
	refuse_space(0, 1, 2, twice, GCS_MALFORMED, "stream 1");
	t = (struct said){.enum_count = 200, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_LIMIT, "bad description");
	say_hello(W2002_MAGIC, 1);
	put_information(129, "", 1);
	expect_refusal(GCS_LIMIT, "129 spaces");
	say_hello(W2002_MAGIC, 1);
	put_information(1, "", -1);
	expect_refusal(GCS_LIMIT, "-1 events");
	say_hello(W2002_MAGIC, 1);
	size_t at = w2002_frame_begin(&w);
	wr_bytes(&w, "\0\1no end", 8);
	w2002_frame_end(&w, at);
	expect_refusal(GCS_TRUNCATED, "bad description");
	say_hello(W2002_MAGIC, 1);
	w2002_put_int(&w, 16777217);
	expect_refusal(GCS_LIMIT, "over the limit of 16777216 bytes");
	say_hello(W2002_MAGIC, 1);
	w2002_put_int(&w, -5);
	expect_refusal(GCS_LIMIT, "over the limit");
}

ElderTest(names_for_huge_spaces_must_be_there)
{
	say_hello(W2002_MAGIC, 1);
	put_information(1, "", 1);
	size_t at = w2002_frame_begin(&w);
	say_space(0, 3, 1, six);
	w2002_frame_end(&w, at);
	/* The number of tiles stands behind five texts. */
	static const char before[] = "32K blocks";
	uint8_t *found = NULL;
	for (size_t i = at; i < w.length - sizeof before; i++)
		if (memcmp(w.data + i, before, sizeof before) == 0)
			found = w.data + i + sizeof before;
	cr_assert_not_null(found);
	found[0] = 0x7f;
	expect_refusal(GCS_LIMIT, "not a name for each");
}

ElderTest(bad_commands_end_with_a_clear_line)
{
	static const struct {
		const char *bytes;
		size_t length;
		enum gcs_status status;
		const char *words;
	} bad[] = {
	    {"\7\1\0\0\0\0\0", 7, GCS_MALFORMED, "space 1"},
	    {"\7\xff\0\0\0\0\0", 7, GCS_MALFORMED, "space -1"},
	    {"\7\0\6\0\0\0\0", 7, GCS_MALFORMED, "stream 6"},
	    {"\7\0\xff\0\0\0\0", 7, GCS_MALFORMED, "stream -1"},
	    {"\7\0\0\0\0\0\4\1\1\1\1", 11, GCS_LIMIT, "4 values"},
	    {"\7\0\0\xff\xff\xff\xff", 7, GCS_LIMIT, "-1 values"},
	    {"\7\0\3\0\0\0\3\1\1\1", 10, GCS_LIMIT, "3 values"},
	    {"\7\0", 2, GCS_TRUNCATED, "STREAM"},
	    {"\x09\0\0\0\0\4\1\1\1\1", 10, GCS_LIMIT, "4 values"},
	    {"\x0c\0\0\0\0\0\x80", 7, GCS_LIMIT, "128 values"},
	    {"\x0c\0\6\0\0\0\1\0\0\0\1", 11, GCS_MALFORMED, "stream 6"},
	    {"\x0b\0\0\0\x81", 5, GCS_LIMIT, "129 values"},
	    {"\x0d\0open end", 10, GCS_TRUNCATED, "SPACE_INFO"},
	    {"\x08\3\0\0\0\0\0\0\0\0", 10, GCS_MALFORMED, "event 3"},
	    {"\x08\xff\0\0\0\0\0\0\0\0", 10, GCS_MALFORMED, "event -1"},
	    {"\x0e\0\1", 3, GCS_TRUNCATED, "SPACE"},
	    {"\1", 1, GCS_MALFORMED, "command 1"},
	    {"\x0f", 1, GCS_MALFORMED, "command 15"},
	    {"\0\0\0\0\0", 5, GCS_MALFORMED, "end as commands do"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		put_bootstrap(3);
		size_t at = w2002_frame_begin(&w);
		w2002_put_int(&w, W2002_COMMANDS);
		wr_bytes(&w, bad[i].bytes, bad[i].length);
		w2002_frame_end(&w, at);
		expect_refusal(bad[i].status, bad[i].words);
	}
	put_bootstrap(3);
	w2002_put_int(&w, 4);
	w2002_put_int(&w, 5);
	expect_refusal(GCS_MALFORMED, "begin as commands do");
	put_bootstrap(3);
	put_space_command(3, 1, 1, six);
	expect_refusal(GCS_MALFORMED, "space 3 after the bootstrap");
}

ElderTest(too_many_tiles_for_all_spaces_are_refused)
{
	struct said many[119];
	for (unsigned i = 0; i < 119; i++)
		many[i] = (struct said){.id = (uint8_t)i, .max = 9, .name = "S"};
	say_hello(W2002_MAGIC, 1);
	put_information(1, "", 1);
	size_t at = w2002_frame_begin(&w);
	say_space(0, 1 << 20, 119, many);
	w2002_frame_end(&w, at);
	expect_refusal(GCS_LIMIT, "too many for all spaces together");
}

ElderTest(no_memory_leaves_no_harm)
{
	for (size_t allowed = 0; allowed < 3000; allowed++) {
		snapshots = 0;
		put_all();
		put_space_command(0, 2, 2, six + 1);
		put_event(0);
		kit_fail_after(allowed);
		feed(100000);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		if (!failed) {
			cr_assert_eq(snapshots, 2);
			return;
		}
		cr_assert(snapshots < 2 || mirror.phase == MIRROR_LIVE);
		cr_assert(mirror.phase != MIRROR_ENDED || mirror.error.text[0] != '\0');
		finish();
		begin();
	}
	cr_assert_fail("some allocation always failed");
}

static void expect_words(const void *bytes, size_t length)
{
	cr_assert_eq(w.length, length);
	cr_assert_arr_eq(w.data, bytes, length);
	w.length = 0;
}

#define FRAME_OF(command) "\0\0\0\x0a\0\x0a\x2c\x2a" command "\0\xff\xff\xfd\x66"

ElderTest(a_client_speaks_as_that_of_2002)
{
	const struct speech *s = &speech_2002;
	struct gcs_filter filters[2] = {
	    {.enabled = true, .period = 1000}, {.delay_ms = 258, .pause = true, .period = 1}};
	s->hello(&w, &(struct hello){.name = "ignored", .token = ""});
	expect_words("\0\0\0\x0eGCspy666\0\0\0\0\1\0", 18);
	s->hello(&w, &(struct hello){.flags = GCS_HELLO_PAUSE, .name = "", .token = ""});
	expect_words("\0\0\0\x0eGCspy666\0\0\0\0\1\1", 18);
	s->pause(&w);
	expect_words(FRAME_OF("\1"), 14);
	s->resume(&w, true);
	expect_words(FRAME_OF("\3"), 14);
	s->step(&w);
	expect_words(FRAME_OF("\4"), 14);
	s->leave(&w);
	expect_words(FRAME_OF("\5"), 14);
	s->filter(&w, 1, 2, filters);
	expect_words("\0\0\0\x20\0\x0a\x2c\x2a\x0a\0\2"
		     "\1\0\0\0\0\0\0\0\3\xe8"
		     "\0\0\0\1\2\1\0\0\0\1"
		     "\0\xff\xff\xfd\x66",
	    36);
}

ElderTest(what_a_server_does_is_believed_from_what_is_seen)
{
	struct belief b = {0};
	bool play;
	cr_assert_eq(belief_event(&b, GCS_RUNNING), GCS_RUNNING);
	cr_assert_eq(belief_pause(&b), GCS_PAUSING);
	cr_assert_eq(belief_event(&b, GCS_PAUSING), GCS_PAUSING);
	cr_assert_eq(belief_paused(&b), GCS_PAUSED);
	cr_assert_eq(belief_step(&b, &play), GCS_PAUSING);
	cr_assert(play);
	cr_assert_eq(belief_step(&b, &play), GCS_PAUSING);
	cr_assert_eq(belief_event(&b, GCS_PAUSING), GCS_PAUSING);
	cr_assert_eq(belief_event(&b, GCS_PAUSING), GCS_PAUSED);
	cr_assert_eq(belief_pause(&b), GCS_PAUSED, "it stands already");
	cr_assert_eq(belief_event(&b, GCS_PAUSED), GCS_RUNNING, "it went on by itself");
	cr_assert_eq(belief_step(&b, &play), GCS_PAUSING);
	cr_assert_not(play, "a step of a running program is a pause");
	cr_assert_eq(belief_paused(&b), GCS_PAUSED);
	cr_assert_eq(belief_resume(&b), GCS_RUNNING);
	cr_assert_eq(belief_event(&b, GCS_RUNNING), GCS_RUNNING);
}
