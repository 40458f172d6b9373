/* Readers and writers of bytes: round trips, limits, stickiness (Q2). */
#include <criterion/criterion.h>

#include <gcspy/memory.h>

#include "bytes.h"
#include "kit.h"

static const uint64_t edges[] = {0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT32_MAX,
    (uint64_t)UINT32_MAX + 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX - 1, UINT64_MAX};

Test(bytes, varints_come_back)
{
	for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
		struct wr w;
		wr_init(&w, 100);
		wr_varint(&w, edges[i]);
		wr_zigzag(&w, (int64_t)edges[i]);
		struct rd r = rd_over(w.data, w.length);
		cr_assert_eq(rd_varint(&r), edges[i]);
		cr_assert_eq(rd_zigzag(&r), (int64_t)edges[i]);
		cr_assert_eq(r.status, GCS_OK);
		cr_assert_eq(rd_left(&r), 0);
		wr_fini(&w);
	}
}

Test(bytes, varints_have_the_length_of_the_specification)
{
	static const struct {
		uint64_t value;
		size_t bytes;
	} table[] = {{0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {UINT32_MAX, 5},
	    {INT64_MAX, 9}, {UINT64_MAX, 10}};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct wr w;
		wr_init(&w, 100);
		wr_varint(&w, table[i].value);
		cr_assert_eq(w.length, table[i].bytes);
		wr_fini(&w);
	}
}

Test(bytes, zigzag_keeps_small_numbers_small)
{
	struct wr w;
	wr_init(&w, 100);
	wr_zigzag(&w, 0);
	wr_zigzag(&w, -1);
	wr_zigzag(&w, 1);
	wr_zigzag(&w, -64);
	const uint8_t expected[] = {0, 1, 2, 127};
	cr_assert_eq(w.length, sizeof expected);
	cr_assert_arr_eq(w.data, expected, sizeof expected);
	wr_fini(&w);
}

Test(bytes, a_varint_over_64_bits_is_malformed)
{
	const uint8_t eleven[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
	const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2};
	struct rd r = rd_over(eleven, sizeof eleven);
	cr_assert_eq(rd_varint(&r), 0);
	cr_assert_eq(r.status, GCS_MALFORMED);
	r = rd_over(too_big, sizeof too_big);
	cr_assert_eq(rd_varint(&r), 0);
	cr_assert_eq(r.status, GCS_MALFORMED);
}

Test(bytes, a_reader_never_passes_its_end)
{
	const uint8_t bytes[] = {0x80, 0x80, 0x80};
	for (size_t length = 0; length <= sizeof bytes; length++) {
		struct rd r = rd_over(bytes, length);
		cr_assert_eq(rd_varint(&r), 0);
		cr_assert_eq(r.status, GCS_TRUNCATED);
		r = rd_over(bytes, length);
		cr_assert_eq(rd_u32(&r), 0);
		cr_assert_eq(r.status, GCS_TRUNCATED);
		cr_assert_eq(rd_left(&r), 0);
	}
	struct rd r = rd_over(bytes, 1);
	cr_assert_eq(rd_u16(&r), 0);
	cr_assert_eq(r.status, GCS_TRUNCATED);
	r = rd_over(bytes, 3);
	cr_assert_null(rd_bytes(&r, SIZE_MAX));
	cr_assert_eq(r.status, GCS_TRUNCATED);
}

Test(bytes, the_first_failure_stays)
{
	const uint8_t bytes[] = {9, 1, 2, 3, 4, 5, 6, 7};
	struct rd r = rd_over(bytes, sizeof bytes);
	cr_assert_eq(rd_count(&r, 8), 0);
	cr_assert_eq(r.status, GCS_LIMIT);
	cr_assert_eq(rd_u8(&r), 0);
	cr_assert_eq(rd_u32(&r), 0);
	cr_assert_eq(rd_enum(&r, 3), 0);
	cr_assert_null(rd_bytes(&r, 0));
	rd_fail(&r, GCS_NOMEM);
	cr_assert_eq(r.status, GCS_LIMIT);
}

Test(bytes, nothing_can_be_read_of_nothing)
{
	struct rd r = rd_over(NULL, 0);
	cr_assert_eq(rd_left(&r), 0);
	(void)rd_bytes(&r, 0);
	cr_assert_eq(r.status, GCS_OK);
	cr_assert_eq(rd_u8(&r), 0);
	cr_assert_eq(r.status, GCS_TRUNCATED);
}

Test(bytes, counts_and_enumerations_have_limits)
{
	const uint8_t bytes[] = {8, 2, 3, 0x80, 0x80, 0x80, 0x80, 0x10};
	struct rd r = rd_over(bytes, sizeof bytes);
	cr_assert_eq(rd_count(&r, 8), 8);
	cr_assert_eq(rd_enum(&r, 3), 2);
	cr_assert_eq(rd_enum(&r, 3), 0);
	cr_assert_eq(r.status, GCS_MALFORMED);
	r = rd_over(bytes + 3, 5); /* 2^32 */
	cr_assert_eq(rd_count(&r, UINT32_MAX), 0);
	cr_assert_eq(r.status, GCS_LIMIT);
}

Test(bytes, texts_are_measured_and_hold_no_nul)
{
	struct wr w;
	wr_init(&w, 100);
	wr_text(&w, "Eden");
	wr_text(&w, NULL);
	wr_text(&w, "");
	struct rd r = rd_over(w.data, w.length);
	size_t length;
	const char *text = rd_text(&r, 4, &length);
	cr_assert_eq(length, 4);
	cr_assert_arr_eq(text, "Eden", 4);
	(void)rd_text(&r, 4, &length);
	cr_assert_eq(length, 0);
	(void)rd_text(&r, 4, &length);
	cr_assert_eq(length, 0);
	cr_assert_eq(r.status, GCS_OK);
	r = rd_over(w.data, w.length);
	cr_assert_null(rd_text(&r, 3, &length));
	cr_assert_eq(r.status, GCS_LIMIT);
	cr_assert_eq(length, 0);
	r = rd_over("\3a\0b", 4);
	cr_assert_null(rd_text(&r, 9, &length));
	cr_assert_eq(r.status, GCS_MALFORMED);
	cr_assert_eq(length, 0);
	r = rd_over("\5abc", 4);
	cr_assert_null(rd_text(&r, 9, &length));
	cr_assert_eq(r.status, GCS_TRUNCATED);
	wr_fini(&w);
}

Test(bytes, a_writer_keeps_its_limit)
{
	struct wr w;
	wr_init(&w, 10);
	wr_u32(&w, 0x04030201);
	wr_u16(&w, 0x0605);
	wr_bytes(&w, "\7\10\11\12", 4);
	cr_assert_eq(w.status, GCS_OK);
	cr_assert_eq(w.length, 10);
	const uint8_t expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	cr_assert_arr_eq(w.data, expected, 10);
	wr_u8(&w, 11);
	cr_assert_eq(w.status, GCS_LIMIT);
	cr_assert_eq(w.length, 10);
	cr_assert_not(wr_reserve(&w, 0), "the status is sticky");
	wr_put_u32(&w, 8, 1); /* must not write after the end */
	wr_put_u16(&w, 9, 1);
	cr_assert_arr_eq(w.data, expected, 10);
	wr_fini(&w);
}

Test(bytes, a_writer_can_be_corrected_and_consumed)
{
	struct wr w;
	wr_init(&w, 1000);
	for (unsigned i = 0; i < 1000; i++)
		wr_u8(&w, (uint8_t)i);
	wr_put_u32(&w, 4, 0x44332211);
	wr_put_u16(&w, 998, 0xbeef);
	cr_assert_eq(w.data[4], 0x11);
	cr_assert_eq(w.data[7], 0x44);
	cr_assert_eq(w.data[999], 0xbe);
	wr_consume(&w, 4);
	cr_assert_eq(w.length, 996);
	cr_assert_eq(w.data[0], 0x11);
	wr_consume(&w, 0);
	wr_consume(&w, 996);
	cr_assert_eq(w.length, 0);
	wr_u8(&w, 1);
	cr_assert_eq(w.status, GCS_OK);
	wr_fini(&w);
}

Test(bytes, a_writer_without_memory_says_so_and_leaks_nothing)
{
	kit_count_memory(0);
	kit_fail_after(1);
	struct wr w;
	wr_init(&w, 100000);
	for (unsigned i = 0; i < 1000; i++)
		wr_u32(&w, i);
	cr_assert_eq(w.status, GCS_NOMEM);
	cr_assert_leq(w.length, w.capacity);
	kit_fail_after(SIZE_MAX);
	wr_u8(&w, 1);
	cr_assert_eq(w.status, GCS_NOMEM);
	wr_fini(&w);
	cr_assert_eq(kit_live_blocks(), 0);
	cr_assert_eq(w.status, GCS_OK);
	wr_fini(&w);
}
