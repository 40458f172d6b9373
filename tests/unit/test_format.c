/* Values in words (F3, F4, V4): the same in every program. */
#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/format.h>

#include "kit.h"

static char text[200];

Test(format, numbers)
{
	static const struct {
		int64_t value;
		enum gcs_format format;
		const char *text;
	} table[] = {
	    {0, GCS_DECIMAL, "0"},
	    {999, GCS_DECIMAL, "999"},
	    {1000, GCS_DECIMAL, "1,000"},
	    {-1234567, GCS_DECIMAL, "-1,234,567"},
	    {INT64_MAX, GCS_DECIMAL, "9,223,372,036,854,775,807"},
	    {INT64_MIN, GCS_DECIMAL, "-9,223,372,036,854,775,808"},
	    {0, GCS_HEX, "0x0"},
	    {0x7f00, GCS_HEX, "0x7f00"},
	    {-1, GCS_HEX, "0xffffffffffffffff"},
	    {0, GCS_BYTES, "0 B"},
	    {1023, GCS_BYTES, "1,023 B"},
	    {1024, GCS_BYTES, "1 KiB"},
	    {1536, GCS_BYTES, "1.5 KiB"},
	    {13107200, GCS_BYTES, "12.5 MiB"},
	    {INT64_C(256) << 20, GCS_BYTES, "256 MiB"},
	    {-2048, GCS_BYTES, "-2 KiB"},
	    {INT64_MIN, GCS_BYTES, "-8 EiB"},
	    {0, GCS_NANOSECONDS, "0 ns"},
	    {999, GCS_NANOSECONDS, "999 ns"},
	    {3250000, GCS_NANOSECONDS, "3.25 ms"},
	    {1500, GCS_NANOSECONDS, "1.5 µs"},
	    {INT64_C(12345) * 1000000000, GCS_NANOSECONDS, "12,345 s"},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		cr_expect_str_eq(
		    gcs_format_number(text, sizeof text, table[i].value, table[i].format),
		    table[i].text);
}

Test(format, what_does_not_fit_is_cut)
{
	for (size_t size = 0; size < 12; size++) {
		memset(text, 'x', sizeof text);
		cr_assert_eq(gcs_format_number(text, size, 1234567, GCS_DECIMAL), text);
		cr_assert_eq(text[size], 'x', "nothing after the buffer");
		if (size != 0)
			cr_assert_eq(strlen(text), size - 1 < 9 ? size - 1 : 9);
	}
}

Test(format, sizes_are_read)
{
	static const struct {
		const char *text;
		uint64_t number; /* UINT64_MAX: refused */
		bool plain;
	} table[] = {
	    {"0", 0, true},
	    {"123", 123, true},
	    {"64k", 65536, false},
	    {"1G", 1 << 30, false},
	    {"8m", 8 << 20, false},
	    {"512KiB", 512 << 10, false},
	    {"3MiB", 3 << 20, false},
	    {"1GiB", 1 << 30, false},
	    {"1.5m", 3 << 19, false},
	    {"0.25KiB", 256, false},
	    {"1.001953125k", 1026, false},
	    {"0.999999999999k", 1023, false},
	    {"17179869183.5g", UINT64_MAX - ((uint64_t)1 << 29) + 1, false},
	    {"1.5", UINT64_MAX, false},
	    {"1.m", UINT64_MAX, false},
	    {".5m", UINT64_MAX, false},
	    {"1.5.5m", UINT64_MAX, false},
	    {"1Ki", UINT64_MAX, false},
	    {"1KB", UINT64_MAX, false},
	    {"1KiBs", UINT64_MAX, false},
	    {"1 k", UINT64_MAX, false},
	    {"", UINT64_MAX, false},
	    {"-1", UINT64_MAX, false},
	    {" 1", UINT64_MAX, false},
	    {"1kb", UINT64_MAX, false},
	    {"1t", UINT64_MAX, false},
	    {"17179869184g", UINT64_MAX, false},
	    {"99999999999999999999", UINT64_MAX, false},
	};
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		uint64_t number = UINT64_MAX;
		cr_expect_eq(gcs_parse_size(table[i].text, &number), table[i].number != UINT64_MAX);
		cr_expect_eq(number, table[i].number, "%s", table[i].text);
		number = UINT64_MAX;
		cr_expect_eq(gcs_parse_number(table[i].text, &number), table[i].plain);
	}
}

static struct gcs_model *model;
static struct gcs_snapshot *snap;

static void setup(void)
{
	struct gcs_occurrence o = {.event = KIT_TICK};
	model = kit_model();
	snap = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_set_occurrence(snap, &o);
	gcs_snapshot_resize(snap, KIT_HEAP, 3);
	gcs_snapshot_resize(snap, KIT_LIST, 3);
}

static void teardown(void)
{
	gcs_snapshot_unref(snap);
	gcs_model_unref(model);
}

static const char *tile(uint32_t space, uint32_t stream, int64_t value)
{
	gcs_snapshot_write(snap, space, stream)[1] = value;
	return gcs_format_tile(text, sizeof text, snap, space, stream, 1);
}

Test(format, tiles_follow_their_presentation, .init = setup, .fini = teardown)
{
	cr_assert_str_eq(tile(KIT_HEAP, KIT_USED, 1024), "1 KiB (25 %)");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_USED, 4096), "4 KiB (100 %)");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_USED, 0), "0 B (0 %)");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_USED, 41), "41 B (1.0 %)");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_STATE, 1), "Free");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_STATE, 4), "Humongous");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_STATE, 5), "5", "a value without a name");
	cr_assert_str_eq(tile(KIT_HEAP, KIT_STATE, INT64_MIN), "-9,223,372,036,854,775,808");
	cr_assert_str_eq(tile(KIT_LIST, 0, 63), "63");
	cr_assert_str_eq(tile(KIT_LIST, 0, 64), "64 or more");
	cr_assert_str_eq(tile(KIT_LIST, 1, 32), "32 (50 %)", "of another stream");
	gcs_snapshot_write(snap, KIT_LIST, 0)[1] = 0;
	cr_assert_str_eq(tile(KIT_LIST, 1, 32), "32", "of nothing there is no share");
	cr_assert_str_eq(gcs_format_tile(text, sizeof text, snap, KIT_HEAP, KIT_USED, 3), "-");
	cr_assert_str_eq(gcs_format_tile(text, sizeof text, snap, KIT_HEAP, 99, 0), "-");
	cr_assert_str_eq(gcs_format_tile(text, sizeof text, snap, 99, 0, 0), "-");
	cr_assert_str_eq(gcs_format_tile(text, sizeof text, snap, KIT_MATRIX, 0, 0), "-");
}

/* An estimate has its error after it, and one below its error is uncertain. */
Test(format, estimates_have_errors)
{
	static const struct {
		int64_t value, error;
		const char *text;
	} table[] = {
	    {1258291, 1572864, "1.2 MiB \xc2\xb1 1.5 MiB (95 %): uncertain"},
	    {-1258291, 1572864, "-1.2 MiB \xc2\xb1 1.5 MiB (95 %): uncertain"},
	    {1 << 20, 1 << 20, "1 MiB \xc2\xb1 1 MiB (95 %)"},
	    {1 << 20, 1024, "1 MiB \xc2\xb1 1 KiB (95 %)"},
	    {0, 16, "0 B \xc2\xb1 16 B (95 %): uncertain"},
	    {1 << 20, 0, "1 MiB"},
	    {0, 0, "0 B"},
	};
	const struct gcs_stream streams[] = {{.name = "Estimate",
						 .format = GCS_BYTES,
						 .summary = GCS_SUMMARY_TOTAL,
						 .error_stream = 1},
	    {.name = "Error", .format = GCS_BYTES, .summary = GCS_SUMMARY_TOTAL}};
	const struct gcs_space space = {
	    .name = "Space", .group = GCS_NONE, .stream_count = 2, .streams = streams};
	struct gcs_error err = {.text = ""};
	model = gcs_model_create("estimates");
	cr_assert_eq(gcs_model_add_space(model, &space, NULL, &err), GCS_OK, "%s", err.text);
	snap = gcs_snapshot_begin(model, NULL);
	gcs_snapshot_resize(snap, 0, 3);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		gcs_snapshot_write(snap, 0, 1)[1] = table[i].error;
		gcs_snapshot_set_summary(snap, 0, 0, 1, &table[i].value);
		gcs_snapshot_set_summary(snap, 0, 1, 1, &table[i].error);
		cr_assert_str_eq(tile(0, 0, table[i].value), table[i].text);
		cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, 0, 0), table[i].text);
	}
	cr_assert_str_eq(tile(0, 1, 3), "3 B", "an error has none");
	teardown();
}

Test(format, tiles_have_names, .init = setup, .fini = teardown)
{
	cr_assert_str_eq(gcs_format_tile_name(text, sizeof text, snap, KIT_HEAP, 1), "Region 1");
	gcs_snapshot_write(snap, KIT_HEAP, KIT_START)[1] = 0x1000;
	gcs_snapshot_write(snap, KIT_HEAP, KIT_END)[1] = 0x2000;
	cr_assert_str_eq(
	    gcs_format_tile_name(text, sizeof text, snap, KIT_HEAP, 1), "0x1000-0x2000");
	gcs_snapshot_set_name(snap, KIT_HEAP, 1, "main");
	cr_assert_str_eq(gcs_format_tile_name(text, sizeof text, snap, KIT_HEAP, 1), "main");
	cr_assert_str_eq(gcs_format_tile_name(text, sizeof text, snap, KIT_LIST, 2), "Tile 2");
	cr_assert_str_eq(gcs_format_tile_name(text, sizeof text, snap, 99, 0), "");
}

Test(format, summaries, .init = setup, .fini = teardown)
{
	const int64_t share[] = {1024, 4096}, counts[] = {12, 4, 0, 1000}, total[] = {77};
	cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, KIT_HEAP, KIT_USED), "");
	gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_USED, 2, share);
	gcs_snapshot_set_summary(snap, KIT_HEAP, KIT_STATE, 4, counts);
	gcs_snapshot_set_summary(snap, KIT_LIST, 0, 1, total);
	cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, KIT_HEAP, KIT_USED),
	    "1 KiB of 4 KiB (25 %)");
	cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, KIT_HEAP, KIT_STATE),
	    "Free 12, Eden 4, Humongous 1,000");
	cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, KIT_LIST, 0), "77");
	cr_assert_str_eq(gcs_format_summary(text, sizeof text, snap, KIT_LIST, 9), "");
}

Test(format, attributes, .init = setup, .fini = teardown)
{
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 0), "-");
	gcs_snapshot_set_number(snap, KIT_COUNT_ATTRIBUTE, 2048);
	gcs_snapshot_set_number(snap, KIT_CAUSE_ATTRIBUTE, 1);
	gcs_snapshot_set_text(snap, KIT_WORDS_ATTRIBUTE, "so it is");
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 0), "2 KiB");
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 1), "System.gc()");
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 2), "so it is");
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 3), "-");
	gcs_snapshot_set_number(snap, KIT_CAUSE_ATTRIBUTE, -1);
	cr_assert_str_eq(gcs_format_attribute(text, sizeof text, snap, 1), "-1");
}

Test(format, counts_have_64_bits)
{
	char words[40];
	cr_assert_str_eq(gcs_format_count(words, sizeof words, 0), "0");
	cr_assert_str_eq(gcs_format_count(words, sizeof words, 1234), "1,234");
	cr_assert_str_eq(
	    gcs_format_count(words, sizeof words, (uint64_t)1 << 63), "9,223,372,036,854,775,808");
	cr_assert_str_eq(
	    gcs_format_count(words, sizeof words, UINT64_MAX), "18,446,744,073,709,551,615");
	cr_assert_str_eq(gcs_format_number(words, sizeof words, INT64_MIN, GCS_DECIMAL),
	    "-9,223,372,036,854,775,808");
}
