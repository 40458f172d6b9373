/*
 * Bytes that no server of 2002 should send (E2, Q2): the decoder ends with one line that says what
 * is wrong.
 */
#include <criterion/criterion.h>

#include <string.h>

#include "decoder_2002_suite.h"

#define BadTest(name) Test(decoder_2002_bad, name, .init = setup, .fini = teardown)

static void expect_refusal(enum gcs_status status, const char *words)
{
	feed(100000);
	cr_assert_eq(decoder.phase, DECODER_ENDED, "nothing is wrong with \"%s\"?", words);
	cr_assert_eq(decoder.error.status, status, "%s", decoder.error.text);
	cr_assert_not_null(strstr(decoder.error.text, words), "%s", decoder.error.text);
	finish();
	begin();
}

BadTest(something_else_is_foreign)
{
	wr_bytes(&w, "H", 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	wr_bytes(&w, "GCSP\1\0\0\0", 8);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	old_hello(&w, "GCspy667", 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	wr_bytes(&w, "\0\0\0\2xy", 6);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
	old_hello(&w, W2002_MAGIC, 2);
	expect_refusal(GCS_VERSION, "byte order");
	w2002_put_int(&w, 16777217 & 0xffff);
	w2002_put_int(&w, 16777217 & 0xffff);
	old_hello(&w, W2002_MAGIC, 1);
	expect_refusal(GCS_FOREIGN, "not a GCspy server of 2002");
}

/* A hello and an introduction of one space, then that frame. */
static void refuse_space(int16_t id, int32_t tiles, int16_t count, const struct old_stream *streams,
    enum gcs_status status, const char *words)
{
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 2, "", 1);
	for (unsigned i = 0; i < 2; i++) {
		size_t at = w2002_frame_begin(&w);
		old_space(&w, id, tiles < 4 ? tiles : 1, count, streams);
		w2002_frame_end(&w, at);
	}
	expect_refusal(status, words);
}

BadTest(bad_descriptions_end_with_a_clear_line)
{
	struct old_stream t = {.max = 5, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "space 0 twice");
	refuse_space(-1, 1, 1, &t, GCS_LIMIT, "id -1");
	refuse_space(128, 1, 1, &t, GCS_LIMIT, "id 128");
	refuse_space(0, -1, 1, &t, GCS_LIMIT, "-1 tiles");
	refuse_space(0, 1, -1, &t, GCS_LIMIT, "-1 streams");
	t.min = 6;
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "minimum above its maximum");
	t = (struct old_stream){.type = 3, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "type 3");
	t = (struct old_stream){.presentation = 6, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "presentation 6");
	t = (struct old_stream){.paint = 2, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "paint style 2");
	t = (struct old_stream){.id = 200, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_MALFORMED, "negative id");
	struct old_stream twice[] = {{.id = 1, .name = "S"}, {.id = 1, .name = "S"}};
	refuse_space(0, 1, 2, twice, GCS_MALFORMED, "stream 1");
	t = (struct old_stream){.enum_count = 200, .name = "S"};
	refuse_space(0, 1, 1, &t, GCS_LIMIT, "bad description");
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 129, "", 1);
	expect_refusal(GCS_LIMIT, "129 spaces");
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 1, "", -1);
	expect_refusal(GCS_LIMIT, "-1 events");
	old_hello(&w, W2002_MAGIC, 1);
	size_t at = w2002_frame_begin(&w);
	wr_bytes(&w, "\0\1no end", 8);
	w2002_frame_end(&w, at);
	expect_refusal(GCS_TRUNCATED, "bad description");
	old_hello(&w, W2002_MAGIC, 1);
	w2002_put_int(&w, 16777217);
	expect_refusal(GCS_LIMIT, "over the limit of 16777216 bytes");
	old_hello(&w, W2002_MAGIC, 1);
	w2002_put_int(&w, -5);
	expect_refusal(GCS_LIMIT, "over the limit");
}

BadTest(names_for_huge_spaces_must_be_there)
{
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 1, "", 1);
	size_t at = w2002_frame_begin(&w);
	old_space(&w, 0, 3, 1, old_streams);
	w2002_frame_end(&w, at);
	/* The number of tiles stands behind five texts. */
	static const char before[] = "32K blocks\n";
	uint8_t *found = NULL;
	for (size_t i = at; i < w.length - sizeof before; i++)
		if (memcmp(w.data + i, before, sizeof before) == 0)
			found = w.data + i + sizeof before;
	cr_assert_not_null(found);
	found[0] = 0x7f;
	expect_refusal(GCS_LIMIT, "without a name for each");
}

BadTest(bad_commands_end_with_a_clear_line)
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
	    {"\0\0\0\0\0", 5, GCS_MALFORMED, "end like commands"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		old_bootstrap(&w, 3);
		size_t at = w2002_frame_begin(&w);
		w2002_put_int(&w, W2002_COMMANDS);
		wr_bytes(&w, bad[i].bytes, bad[i].length);
		w2002_frame_end(&w, at);
		expect_refusal(bad[i].status, bad[i].words);
	}
	old_bootstrap(&w, 3);
	w2002_put_int(&w, 4);
	w2002_put_int(&w, 5);
	expect_refusal(GCS_MALFORMED, "begin like commands");
	old_bootstrap(&w, 3);
	old_space_command(&w, 3, 1, 1, old_streams);
	expect_refusal(GCS_MALFORMED, "space 3 after the bootstrap");
}

BadTest(too_many_tiles_for_all_spaces_are_refused)
{
	struct old_stream many[119];
	for (unsigned i = 0; i < 119; i++)
		many[i] = (struct old_stream){.id = (uint8_t)i, .max = 9, .name = "S"};
	old_hello(&w, W2002_MAGIC, 1);
	old_information(&w, 1, "", 1);
	size_t at = w2002_frame_begin(&w);
	old_space(&w, 0, 1 << 20, 119, many);
	w2002_frame_end(&w, at);
	expect_refusal(GCS_LIMIT, "too many for all spaces together");
}
