/* Frames: preambles, headers, deflation, limits (Q2). */
#include <criterion/criterion.h>

#include <string.h>

#include "frame.h"
#include "kit.h"

static struct wr w;
static struct deflater *deflater;
static struct inflater *inflater;

static void setup(void)
{
	kit_count_memory(0);
	wr_init(&w, 64 << 20);
	deflater = deflater_create();
	inflater = inflater_create();
}

static void teardown(void)
{
	wr_fini(&w);
	deflater_destroy(deflater);
	inflater_destroy(inflater);
	deflater_destroy(NULL);
	inflater_destroy(NULL);
	cr_assert_eq(kit_live_blocks(), 0, "zlib's memory is the library's as well");
}

#define FrameTest(name) Test(frame, name, .init = setup, .fini = teardown)

FrameTest(preambles_are_checked)
{
	unsigned major, minor;
	frame_preamble(&w);
	cr_assert_eq(w.length, GCS_WIRE_PREAMBLE);
	cr_assert_eq(frame_check_preamble(w.data, &major, &minor), GCS_OK);
	cr_assert(major == GCS_PROTOCOL_MAJOR && minor == GCS_PROTOCOL_MINOR);
	w.data[6] = 77; /* a newer minor version is welcome */
	cr_assert_eq(frame_check_preamble(w.data, &major, &minor), GCS_OK);
	cr_assert_eq(minor, 77);
	w.data[4] ^= 2;
	cr_assert_eq(frame_check_preamble(w.data, &major, &minor), GCS_VERSION);
	w.data[0] = 'g';
	cr_assert_eq(frame_check_preamble(w.data, &major, &minor), GCS_FOREIGN);
}

static size_t put_filled(size_t length, bool random, struct deflater *d)
{
	uint64_t state = 1;
	size_t at = frame_begin(&w, GCS_WIRE_STREAM);
	for (size_t i = 0; i < length; i++)
		wr_u8(&w, random ? (uint8_t)kit_random(&state) : (uint8_t)(i / 100));
	frame_end(&w, at, d);
	return at;
}

FrameTest(a_frame_comes_back_from_any_prefix)
{
	struct frame f;
	put_filled(300, false, NULL);
	for (size_t length = 0; length < w.length; length++) {
		cr_assert_eq(frame_next(w.data, length, 1000, inflater, &f), GCS_TRUNCATED);
		cr_assert_eq(f.bytes, length < GCS_WIRE_HEADER ? 0 : 308);
	}
	cr_assert_eq(frame_next(w.data, w.length, 1000, inflater, &f), GCS_OK);
	cr_assert(f.kind == GCS_WIRE_STREAM && f.flags == 0 && f.bytes == 308);
	cr_assert_eq(rd_left(&f.payload), 300);
	cr_assert_eq(frame_next(w.data, w.length, 300, inflater, &f), GCS_OK);
	cr_assert_eq(frame_next(w.data, w.length, 299, inflater, &f), GCS_LIMIT);
}

FrameTest(deflated_frames_come_back)
{
	struct frame f;
	for (size_t length = 200; length < 200000; length = length * 3 / 2) {
		w.length = 0;
		put_filled(length, false, deflater);
		if (length >= 256)
			cr_assert_lt(w.length, length / 2 + GCS_WIRE_HEADER);
		cr_assert_eq(
		    frame_next(w.data, w.length, GCS_WIRE_MAX_TO_CLIENT, inflater, &f), GCS_OK);
		cr_assert_eq(f.bytes, w.length);
		cr_assert_eq(rd_left(&f.payload), length);
		for (size_t i = 0; i < length; i++)
			cr_assert_eq(f.payload.at[i], (uint8_t)(i / 100));
	}
}

FrameTest(what_does_not_get_smaller_is_sent_as_it_is)
{
	struct frame f;
	put_filled(5000, true, deflater);
	cr_assert_eq(w.length, 5008);
	cr_assert_eq(frame_next(w.data, w.length, 5000, NULL, &f), GCS_OK);
	cr_assert_eq(f.flags, 0);
}

FrameTest(bad_deflation_is_malformed_and_bombs_meet_the_limit)
{
	struct frame f;
	put_filled(100000, false, deflater);
	cr_assert_eq(frame_next(w.data, w.length, 200000, NULL, &f), GCS_MALFORMED);
	cr_assert_eq(frame_next(w.data, w.length, 99999, inflater, &f), GCS_LIMIT);
	wr_put_u32(&w, GCS_WIRE_HEADER, 99999); /* says less than there is */
	cr_assert_eq(frame_next(w.data, w.length, 200000, inflater, &f), GCS_MALFORMED);
	wr_put_u32(&w, GCS_WIRE_HEADER, 100001); /* says more */
	cr_assert_eq(frame_next(w.data, w.length, 200000, inflater, &f), GCS_MALFORMED);
	wr_put_u32(&w, GCS_WIRE_HEADER, 100000);
	cr_assert_eq(frame_next(w.data, w.length, 200000, inflater, &f), GCS_OK);
	wr_u8(&w, 0); /* a byte after the stream */
	wr_put_u32(&w, 0, (uint32_t)(w.length - GCS_WIRE_HEADER));
	cr_assert_eq(frame_next(w.data, w.length, 200000, inflater, &f), GCS_MALFORMED);
	w.data[GCS_WIRE_HEADER + 6] ^= 0xff;
	cr_assert_eq(frame_next(w.data, w.length, 200000, inflater, &f), GCS_MALFORMED);
	w.length = 0;
	size_t at = frame_begin(&w, GCS_WIRE_STREAM);
	wr_u16(&w, 0); /* shorter than its own length field */
	frame_end(&w, at, NULL);
	wr_put_u16(&w, at + 6, GCS_WIRE_DEFLATED);
	cr_assert_eq(frame_next(w.data, w.length, 1000, inflater, &f), GCS_MALFORMED);
}

FrameTest(a_payload_over_the_limit_is_not_made)
{
	struct wr big;
	wr_init(&big, (size_t)GCS_WIRE_MAX_TO_CLIENT + 100);
	size_t at = frame_begin(&big, GCS_WIRE_STREAM);
	cr_assert(wr_reserve(&big, GCS_WIRE_MAX_TO_CLIENT + 1));
	memset(big.data + big.length, 1, GCS_WIRE_MAX_TO_CLIENT + 1);
	big.length += GCS_WIRE_MAX_TO_CLIENT;
	frame_end(&big, at, NULL);
	cr_assert_eq(big.status, GCS_OK);
	big.length++;
	frame_end(&big, at, NULL);
	cr_assert_eq(big.status, GCS_LIMIT);
	wr_fini(&big);
}

Test(frame_memory, without_memory_nothing_is_lost)
{
	kit_count_memory(0);
	for (size_t allowed = 0; allowed < 100; allowed++) {
		struct frame f;
		wr_init(&w, 1 << 20);
		kit_fail_after(allowed);
		deflater = deflater_create();
		inflater = inflater_create();
		put_filled(3000, false, deflater);
		enum gcs_status status = GCS_NOMEM;
		if (w.status == GCS_OK)
			status = frame_next(w.data, w.length, 3000, inflater, &f);
		bool failed = kit_has_failed();
		kit_fail_after(SIZE_MAX);
		cr_assert(failed || status == GCS_OK);
		cr_assert(status != GCS_OK || rd_left(&f.payload) == 3000);
		teardown();
		if (!failed)
			return;
	}
	cr_assert_fail("some allocation always failed");
}
