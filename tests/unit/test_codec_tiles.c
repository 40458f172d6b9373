/* The tiles of a call site as bytes and back, and the numbers of call sites (S8, Q2). */
#include <criterion/criterion.h>
#include <string.h>

#include <gcspy/memory.h>

#include "kit.h"
#include "made_profiles.h"
#include "sites.h"
#include "site_tiles.h"

static struct gcs_error err;

static void setup(void)
{
	kit_count_memory(0);
}

static void teardown(void)
{
	kit_fail_after(SIZE_MAX);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define TilesTest(name) Test(codec_tiles, name, .init = setup, .fini = teardown)

enum { TILES = 3 };

static struct gcs_site_tile some[TILES] = {
    {.low = 0, .high = 4096, .bytes = 100, .variance = 0.25, .samples = 1, .type = "Eden"},
    {.low = 4096,
	.high = 8192,
	.bytes = 1e12,
	.variance = 1e22,
	.samples = 7,
	.approximate = 7,
	.type = "Old"},
    {.low = UINT64_MAX - 10, .high = UINT64_MAX, .samples = 2, .type = ""},
};

static const struct gcs_site_tiles plain = {
    .site = 0xfedcba987654,
    .as_of = "now; 10 of 12 watched samples have a position",
    .bytes = 2e12,
    .variance = 3e22,
    .samples = 12,
    .placed_bytes = 1e12,
    .placed_variance = 2e22,
    .placed = 10,
    .approximate = 7,
    .errors_known = true,
    .count = TILES,
    .tiles = some,
};

static void *encoded(const struct gcs_site_tiles *tiles, size_t *length)
{
	void *bytes = NULL;
	cr_assert_eq(gcs_site_tiles_encode(tiles, &bytes, length, &err), GCS_OK, "%s", err.text);
	return bytes;
}

TilesTest(what_is_written_is_read)
{
	size_t length = 0;
	void *bytes = encoded(&plain, &length);
	struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
	cr_assert_not_null(t, "%s", err.text);
	cr_assert(t->site == plain.site && t->samples == 12 && t->placed == 10);
	cr_assert(t->approximate == 7 && t->bytes == 2e12 && t->placed_bytes == 1e12);
	cr_assert(t->errors_known && t->variance == 3e22 && t->placed_variance == 2e22);
	cr_assert_str_eq(t->as_of, plain.as_of);
	cr_assert_eq(t->count, TILES);
	for (uint32_t i = 0; i < TILES; i++) {
		const struct gcs_site_tile *a = &some[i], *b = &t->tiles[i];
		cr_assert(a->low == b->low && a->high == b->high && a->bytes == b->bytes);
		cr_assert(a->samples == b->samples && a->approximate == b->approximate);
		cr_assert_str_eq(a->type, b->type);
		cr_assert_eq(a->variance, b->variance);
	}
	gcs_site_tiles_free(t);
	gcs_free(bytes);
	gcs_site_tiles_free(NULL);
}

/* After the last tile: a number, and variances of all, of what is placed, and of each tile. */
enum { SUPPLEMENT_BYTES = 1 + 8 * (2 + TILES) };

/* An older server ends before the errors; a later one may have another supplement. */
TilesTest(errors_may_be_missing)
{
	size_t length = 0;
	unsigned char *bytes = encoded(&plain, &length);
	struct gcs_site_tiles older = plain;
	for (int turn = 0; turn < 2; turn++) {
		struct gcs_site_tiles *t = gcs_site_tiles_decode(
		    bytes, turn == 0 ? length - SUPPLEMENT_BYTES : length, &err);
		cr_assert_not_null(t, "%s", err.text);
		cr_assert(!t->errors_known && t->variance == 0 && t->tiles[1].variance == 0);
		cr_assert_eq(t->tiles[1].bytes, 1e12);
		gcs_site_tiles_free(t);
		bytes[length - SUPPLEMENT_BYTES] = 2;
	}
	gcs_free(bytes);
	older.errors_known = false;
	const size_t whole = length;
	bytes = encoded(&older, &length);
	cr_assert_eq(length, whole - SUPPLEMENT_BYTES);
	gcs_free(bytes);
}

TilesTest(error_that_is_no_number_is_malformed)
{
	static const unsigned char not_a_number[8] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
	size_t length = 0;
	unsigned char *bytes = encoded(&plain, &length);
	memcpy(bytes + length - sizeof not_a_number, not_a_number, sizeof not_a_number);
	cr_assert_null(gcs_site_tiles_decode(bytes, length, &err));
	cr_assert_eq(err.status, GCS_MALFORMED);
	gcs_free(bytes);
}

TilesTest(no_prefix_and_no_changed_byte_does_harm)
{
	size_t length = 0;
	unsigned char *bytes = encoded(&plain, &length);
	for (size_t i = 0; i < length; i++) {
		if (i == length - SUPPLEMENT_BYTES)
			continue; /* as of an older server */
		cr_assert_null(
		    gcs_site_tiles_decode(bytes, i, &err), "%zu of %zu bytes", i, length);
	}
	for (size_t i = 0; i < length; i++)
		for (unsigned v = 0; v < 256; v++) {
			unsigned char kept = bytes[i];
			bytes[i] = (unsigned char)v;
			struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
			for (uint32_t k = 0; t != NULL && k < t->count; k++)
				cr_assert(t->tiles[k].low < t->tiles[k].high &&
					  t->tiles[k].samples <= t->placed &&
					  t->placed <= t->samples &&
					  (k == 0 || t->tiles[k - 1].low < t->tiles[k].low));
			gcs_site_tiles_free(t);
			bytes[i] = kept;
		}
	bytes[0] = 2;
	cr_assert_null(gcs_site_tiles_decode(bytes, length, &err));
	cr_assert_eq(err.status, GCS_VERSION);
	gcs_free(bytes);
}

TilesTest(every_failed_allocation_is_survived)
{
	size_t length = 0;
	void *bytes = encoded(&plain, &length);
	bool done = false;
	for (size_t n = 0; !done; n++) {
		kit_fail_after(n);
		struct gcs_site_tiles *t = gcs_site_tiles_decode(bytes, length, &err);
		done = t != NULL;
		cr_assert(done || err.status == GCS_NOMEM);
		gcs_site_tiles_free(t);
	}
	void *again = NULL;
	kit_fail_after(0);
	cr_assert_eq(gcs_site_tiles_encode(&plain, &again, &length, &err), GCS_NOMEM);
	kit_fail_after(SIZE_MAX);
	gcs_free(bytes);
}

/* Each entry has the number of the site that it belongs to, with runtime frames and without. */
TilesTest(entries_have_the_numbers_of_their_sites)
{
	struct gcs_profile *p = profiles_plain(GCS_PROFILE_LIVE);
	const uint32_t entries = gcs_profile_entry_count(p);
	uint64_t numbers[2][8];
	cr_assert_leq(entries, 8);
	for (int all = 0; all < 2; all++) {
		const struct gcs_site_filter filter = {.all_frames = all != 0};
		struct gcs_sites *s = gcs_sites_create(p, &filter, &err);
		cr_assert(gcs_profile_site_numbers(p, all != 0, numbers[all]));
		uint32_t found = 0;
		for (uint32_t i = 0; i < gcs_sites_count(s); i++) {
			const struct gcs_site *site = gcs_sites_at(s, i);
			double bytes = 0;
			for (uint32_t e = 0; e < entries; e++)
				if (numbers[all][e] == gcs_site_number(s, site)) {
					bytes += gcs_profile_entry(p, e)->bytes;
					found++;
				}
			cr_assert_float_eq(bytes, site->bytes, 1e-6);
		}
		cr_assert_eq(found, entries);
		gcs_sites_free(s);
	}
	cr_assert_neq(numbers[0][0], numbers[1][0], "Method.invoke is between its frames");
	kit_fail_after(0);
	cr_assert_not(gcs_profile_site_numbers(p, false, numbers[0]));
	kit_fail_after(SIZE_MAX);
	gcs_profile_free(p);
}

/* Where all is runtime frames the youngest frame stays, as in the table. */
TilesTest(runtime_frame_alone_has_the_number_of_its_youngest_frame)
{
	struct gcs_profile *p = profiles_empty(GCS_PROFILE_LIVE);
	uint32_t stack = profiles_call(p, GCS_NONE, "java.lang.invoke.A", "old", 1);
	stack = profiles_call(p, stack, "java.lang.invoke.B", "young", 2);
	uint64_t number = 0;
	cr_assert(profiles_sample(p, stack, "X", "t", 100, 0));
	struct gcs_sites *s = gcs_sites_create(p, NULL, &err);
	cr_assert(gcs_profile_site_numbers(p, false, &number));
	cr_assert_eq(number, gcs_site_number(s, gcs_sites_at(s, 0)));
	gcs_sites_free(s);
	gcs_profile_free(p);
}

TilesTest(digits)
{
	static const char *const bad[] = {"", "1", "0123456789a", "0123456789abc", "0x0123456789",
	    "0123456789ag", " 123456789ab", "-12345678901"};
	uint64_t number = 0;
	cr_assert(gcs_site_number_parse("0123456789aB", &number));
	cr_assert_eq(number, 0x0123456789ab);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_not(gcs_site_number_parse(bad[i], &number), "%s", bad[i]);
}
