/*
 * The decoder of servers of 2002 (E2): bytes as such servers send them, in any portions and both
 * usual orders. What no server should send is in test_decoder_2002_bad.c.
 */
#include <criterion/criterion.h>

#include "decoder_2002_suite.h"

#define ElderTest(name) Test(decoder_2002, name, .init = setup, .fini = teardown)

static void check_description(void)
{
	cr_assert_str_eq(model->server_name, "Old server");
	cr_assert_eq(model->info_count, 4);
	cr_assert_str_eq(model->info[0].key, "Collector");
	cr_assert_str_eq(model->info[0].value, "semispace");
	cr_assert_str_eq(model->info[1].value, "plain words");
	cr_assert_str_eq(model->info[2].key, "Listens");
	cr_assert_str_eq(model->info[2].value, "tcp:host:3000");
	cr_assert_str_eq(model->info[3].key, "12:30 started");
	cr_assert_str_eq(model->info[3].value, "12:30:11");
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
	cr_assert_str_eq(s->streams[0].suffix, " bytes");
	cr_assert_str_eq(s->block_info, "32K blocks");
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
		old_all(&w);
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
	old_bootstrap(&w, 2);
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

ElderTest(a_space_may_change_its_size)
{
	old_all(&w);
	old_space_command(&w, 0, 5, 6, old_streams);
	old_values(&w, 0, 0, 1, 5, 20);
	old_event(&w, 0);
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
	old_all(&w);
	old_values(&w, 0, 0, 1, 3, 50);
	old_space_command(&w, 0, 2, 2, old_streams + 1); /* other streams, with ids 1 and 2 */
	old_values(&w, 0, 2, 4, 2, 70000);
	old_event(&w, 1);
	feed(1);
	expect_live();
	cr_assert(snapshots == 2 && models == 1);
	cr_assert_eq(model->spaces[0].stream_count, 3);
	cr_assert_eq(gcs_snapshot_values(received, 0, 1)[1], 70001);
}

ElderTest(silence_of_a_stream_keeps_what_it_had)
{
	old_all(&w);
	old_values(&w, 0, 0, 1, 2, 8);
	old_event(&w, 0);
	feed(100);
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[1], 9);
	cr_assert_eq(gcs_snapshot_values(received, 0, 0)[2], 1);
	cr_assert_eq(gcs_snapshot_values(received, 0, 3)[2], 1);
	cr_assert_eq(received->occurrence.time_ns, 24000000);
	cr_assert_eq(received->occurrence.sequence, 2);
}

ElderTest(odd_descriptions_are_made_the_best_of)
{
	static const struct old_stream odd[] = {
	    {.id = 9, .presentation = W2002_ENUM, .max = 3, .name = "No names"},
	    {.id = 4,
		.presentation = W2002_ENUM,
		.enum_count = 2,
		.min = 5,
		.max = 99,
		.name = "Other range"},
	    {.id = 2, .presentation = W2002_PERCENT_VAR, .max_index = 77, .name = "Of nothing"},
	};
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 1, "", 0);
	size_t at = w2002_frame_begin(&w);
	old_space(&w, 17, 0, 3, odd);
	w2002_frame_end(&w, at);
	old_values(&w, 17, 9, 1, 0, 0);
	feed(50);
	expect_live();
	const struct gcs_space *s = &model->spaces[0];
	cr_assert_eq(s->streams[0].presentation, GCS_PLAIN);
	cr_assert(s->streams[1].min == 5 && s->streams[1].max == 6);
	cr_assert_eq(s->streams[2].maximum, GCS_MAX_FIXED);
}

ElderTest(more_streams_than_a_space_of_ours_has_are_left_out)
{
	struct old_stream many[128];
	for (unsigned i = 0; i < 128; i++)
		many[i] = (struct old_stream){.id = (uint8_t)i, .max = 9, .name = "S"};
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 1, "", 1);
	size_t at = w2002_frame_begin(&w);
	old_space(&w, 0, 1, 128, many);
	w2002_frame_end(&w, at);
	old_values(&w, 0, 127, 1, 1, 3);
	old_values(&w, 0, 118, 1, 1, 4);
	old_event(&w, 0);
	feed(1000);
	expect_live();
	cr_assert_eq(model->spaces[0].stream_count, GCS_MAX_STREAMS);
	cr_assert_eq(gcs_snapshot_values(received, 0, 118)[0], 4);
	cr_assert_eq(gcs_snapshot_values(received, 0, 119)[0], GCS_TILE_USED);
}

ElderTest(the_end_is_told)
{
	old_bootstrap(&w, 1);
	w2002_put_command(&w, W2002_SHUTDOWN);
	feed(3);
	cr_assert_eq(decoder.error.status, GCS_CLOSED);
	finish();
	begin();
	old_bootstrap(&w, 1);
	w2002_put_int(&w, 0);
	feed(1000);
	cr_assert_eq(decoder.error.status, GCS_CLOSED);
}

ElderTest(no_memory_leaves_no_harm)
{
	for (size_t allowed = 0; allowed < 3000; allowed++) {
		snapshots = 0;
		old_all(&w);
		old_space_command(&w, 0, 2, 2, old_streams + 1);
		old_event(&w, 0);
		kit_fail_after(allowed);
		feed(100000);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		if (!failed) {
			cr_assert_eq(snapshots, 2);
			return;
		}
		cr_assert(snapshots < 2 || decoder.phase == DECODER_LIVE);
		cr_assert(decoder.phase != DECODER_ENDED || decoder.error.text[0] != '\0');
		finish();
		begin();
	}
	cr_assert_fail("some allocation always failed");
}
