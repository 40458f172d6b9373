/* Trace files that were cut or damaged (Q2, Q4): what is whole stays readable, the rest is named. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "kit.h"
#include "kit_trace.h"

static struct kit_trace recorded;
static uint64_t state;
static struct gcs_error err;
static unsigned char *bytes;
static size_t length;

static void setup(void)
{
	kit_count_memory(0);
	state = kit_seed();
}

static void teardown(void)
{
	kit_trace_free(bytes);
	kit_trace_fini(&recorded);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define DamageTest(name) Test(trace_damage, name, .init = setup, .fini = teardown)

/* Every event that the trace gives is what was recorded; returns how many there are. */
static uint32_t check_what_is_there(struct gcs_trace *t)
{
	struct gcs_trace_info info;
	uint32_t good = 0;
	gcs_trace_get_info(t, &info);
	cr_assert_leq(info.events, recorded.count);
	for (uint32_t i = 0; i < info.events; i++) {
		struct gcs_snapshot *s = gcs_trace_at(t, i, &err);
		if (s == NULL) {
			cr_assert_eq(err.status, GCS_MALFORMED, "%s", err.text);
			cr_assert_not_null(strstr(err.text, "damaged at byte"), "%s", err.text);
			cr_assert_neq(gcs_trace_readable(t, i, 1), i, "it is known to be lost");
			continue;
		}
		gcs_snapshot_unref(s);
		const char *difference = kit_trace_difference(t, &recorded, i);
		cr_assert_null(difference, "event %u: %s", i, difference);
		good++;
	}
	return good;
}

DamageTest(cut_at_every_byte_it_opens_or_says_what_is_missing)
{
	kit_trace_record(&recorded, 24, 8, &state);
	bytes = kit_trace_bytes(recorded.path, &length);
	uint32_t most = 0;
	for (size_t cut = 0; cut < length; cut++) {
		kit_trace_put(recorded.path, bytes, cut);
		struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
		if (t == NULL) {
			cr_assert_not_null(strstr(err.text, recorded.path), "%s", err.text);
			cr_assert(err.status == GCS_TRUNCATED, "%zu: %s", cut, err.text);
			cr_assert_eq(most, 0, "what could be opened, can be with more bytes");
			continue;
		}
		struct gcs_trace_info info;
		gcs_trace_get_info(t, &info);
		cr_assert_not(info.complete);
		const uint32_t good = check_what_is_there(t);
		cr_assert_geq(good, most);
		cr_assert_eq(good, info.events);
		most = good;
		gcs_trace_close(t);
	}
	cr_assert_eq(most, 24);
}

DamageTest(any_damaged_byte_is_found_and_the_rest_stays_usable)
{
	enum { COUNT = 1300, ROUNDS = 150 };
	kit_trace_record(&recorded, COUNT, 0, &state);
	bytes = kit_trace_bytes(recorded.path, &length);
	unsigned found = 0;
	for (unsigned round = 0; round < ROUNDS; round++) {
		const size_t at = 64 + kit_below(&state, (uint32_t)length - 64);
		const unsigned char was = bytes[at];
		bytes[at] ^= (unsigned char)(1 + kit_below(&state, 255));
		kit_trace_put(recorded.path, bytes, length);
		bytes[at] = was;
		struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
		cr_assert_not_null(t, "byte %zu: %s", at, err.text);
		const uint32_t damage = gcs_trace_check(t);
		const uint32_t good = check_what_is_there(t);
		/* A byte of the index or of reserved room harms nothing: chunks are looked for. */
		cr_assert(good == COUNT || damage != 0);
		cr_assert_geq(good, COUNT - 512, "byte %zu: %u of %u", at, good, COUNT);
		for (uint32_t i = 0; i < damage; i++) {
			struct gcs_trace_damage d;
			cr_assert(gcs_trace_get_damage(t, i, &d));
			cr_assert_gt(strlen(d.message), 10);
			cr_assert_leq(d.offset, length);
		}
		found += damage != 0;
		gcs_trace_close(t);
	}
	cr_assert_gt(found, ROUNDS / 2);
}

DamageTest(holes_and_noise_never_do_worse_than_an_error)
{
	enum { COUNT = 600, ROUNDS = 60 };
	kit_trace_record(&recorded, COUNT, 100, &state);
	bytes = kit_trace_bytes(recorded.path, &length);
	unsigned char *other = kit_trace_bytes(recorded.path, &length);
	for (unsigned round = 0; round < ROUNDS; round++) {
		memcpy(other, bytes, length);
		const uint32_t size = 1 + kit_below(&state, (uint32_t)length / 4);
		const size_t at = kit_below(&state, (uint32_t)(length - size));
		switch (round % 3) {
		case 0:
			memset(other + at, 0, size);
			break;
		case 1:
			for (size_t i = 0; i < size; i++)
				other[at + i] = (unsigned char)kit_random(&state);
			break;
		default: /* bytes are missing */
			memmove(other + at, other + at + size, length - at - size);
			break;
		}
		kit_trace_put(recorded.path, other, round % 3 == 2 ? length - size : length);
		struct gcs_trace *t = gcs_trace_open(recorded.path, &err);
		if (t == NULL)
			continue;
		check_what_is_there(t);
		gcs_trace_check(t);
		gcs_trace_close(t);
	}
	kit_trace_free(other);
}
