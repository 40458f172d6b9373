/* Who has which zoom, and what may be asked for (F16, Q3). */
#include <criterion/criterion.h>

#include <string.h>

#include "kit.h"
#include "zooms.h"

static struct zooms zooms;
static struct gcs_error err;
static struct gcs_model *model;
static struct gcs_snapshot *latest;

enum { PLACE, MAP, LIST };

static const struct gcs_stream streams[] = {
    {.name = "Value", .max = 1},
    {.name = "From", .role = GCS_ROLE_RANGE_START, .type = GCS_TYPE_I64, .max = INT64_MAX},
    {.name = "To", .role = GCS_ROLE_RANGE_END, .type = GCS_TYPE_I64, .max = INT64_MAX},
};

/* Tiles of 1 MiB from LOW on, the last in front of the others, as in two pieces. */
#define LOW   UINT64_C(0xffffff0000000000)
#define BLOCK (UINT64_C(1) << 20)

static void write_ranges(void)
{
	enum { TILES = 8 };
	cr_assert(gcs_snapshot_resize(latest, MAP, TILES));
	for (uint64_t i = 0; i < TILES; i++) {
		uint64_t low = LOW + (i + 1) % TILES * BLOCK;
		gcs_snapshot_write(latest, MAP, 1)[i] = (int64_t)low;
		gcs_snapshot_write(latest, MAP, 2)[i] = (int64_t)(low + BLOCK);
	}
}

static void setup(void)
{
	const struct gcs_space spaces[] = {
	    {.name = "None",
		.group = GCS_NONE,
		.block_bytes = 4096,
		.stream_count = 1,
		.streams = streams},
	    {.name = "Map",
		.group = GCS_NONE,
		.block_bytes = BLOCK,
		.stream_count = 3,
		.streams = streams},
	    {.name = "Threads",
		.kind = GCS_SPACE_LIST,
		.group = GCS_NONE,
		.stream_count = 3,
		.streams = streams},
	};
	kit_count_memory(0);
	memset(&zooms, 0, sizeof zooms);
	model = gcs_model_create("Zoomed");
	for (int i = 0; i < 3; i++)
		cr_assert_eq(
		    gcs_model_add_space(model, &spaces[i], NULL, &err), GCS_OK, "%s", err.text);
	latest = gcs_snapshot_begin(model, NULL);
	write_ranges();
}

static void teardown(void)
{
	gcs_snapshot_unref(latest);
	gcs_model_unref(model);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ZoomsTest(name) Test(zooms, name, .init = setup, .fini = teardown)

static enum gcs_status check(uint32_t space, uint64_t start, uint64_t end, uint64_t block)
{
	const struct zoom_message zoom = {
	    .id = 1, .space = space, .start = start, .end = end, .block = block};
	err.text[0] = '\0';
	enum gcs_status status = zooms_check(model, latest, &zoom, &err);
	cr_assert_eq(status == GCS_OK, err.text[0] == '\0', "a refusal says why");
	return status;
}

ZoomsTest(blocks_are_powers_of_two_up_to_those_of_the_space)
{
	for (uint64_t block = 16; block <= BLOCK; block *= 2)
		cr_assert_eq(check(MAP, LOW, LOW + 4096, block), GCS_OK);
	const uint64_t bad[] = {1, 8, 15, 511, 513, 768, 2 * BLOCK, UINT64_MAX, UINT64_C(1) << 63};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_eq(check(MAP, LOW, LOW + 4096, bad[i]), GCS_ARGUMENT);
	cr_assert(strstr(err.text, "1048576") != NULL && strstr(err.text, "\"Map\"") != NULL);
}

ZoomsTest(the_part_lies_within_the_space)
{
	const uint64_t high = LOW + 8 * BLOCK;
	cr_assert_eq(check(MAP, LOW, high, BLOCK), GCS_OK, "%s", err.text);
	cr_assert_eq(check(MAP, LOW + 8, LOW + 9, 512), GCS_OK, "in the middle of anything");
	cr_assert_eq(check(MAP, high - 1, high, 512), GCS_OK);
	const uint64_t bad[][2] = {{LOW, LOW}, {LOW + 1, LOW}, {LOW - 1, LOW + 1},
	    {high - 1, high + 1}, {0, 1}, {high, high + 512}, {UINT64_MAX, 0}, {0, 512}};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		cr_assert_eq(check(MAP, bad[i][0], bad[i][1], 4096), GCS_ARGUMENT, "%zu", i);
	cr_assert_eq(check(MAP, 0, UINT64_MAX, 512), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "tiles"));
}

ZoomsTest(tiles_are_bounded)
{
	const uint64_t bytes = GCS_MAX_ZOOM_TILES * UINT64_C(512);
	cr_assert_eq(check(MAP, LOW, LOW + bytes, 512), GCS_OK);
	cr_assert_eq(check(MAP, LOW, LOW + bytes + 1, 512), GCS_ARGUMENT);
	cr_assert_eq(check(MAP, LOW, LOW + bytes + 1, 1024), GCS_ARGUMENT, "it has %llu bytes",
	    (unsigned long long)bytes);
}

ZoomsTest(spaces_that_cannot_be_zoomed_into)
{
	cr_assert_eq(check(LIST, LOW, LOW + 512, 512), GCS_ARGUMENT);
	cr_assert_not_null(strstr(err.text, "\"Threads\""));
	cr_assert_eq(check(3, LOW, LOW + 512, 512), GCS_ARGUMENT);
	cr_assert_eq(check(UINT32_MAX, LOW, LOW + 512, 512), GCS_ARGUMENT);
	cr_assert_eq(check(PLACE, 0, 512, 512), GCS_STATE, "it shows no addresses");
	cr_assert(gcs_snapshot_resize(latest, MAP, 0));
	cr_assert_eq(check(MAP, LOW, LOW + 512, 512), GCS_STATE);
	gcs_snapshot_unref(latest);
	latest = NULL;
	cr_assert_eq(check(MAP, LOW, LOW + 512, 512), GCS_OK, "before anything is known");
	cr_assert_eq(gcs_model_remove_space(model, MAP, &err), GCS_OK);
	cr_assert_eq(check(MAP, LOW, LOW + 512, 512), GCS_ARGUMENT);
}

ZoomsTest(places_are_bounded)
{
	uint64_t ticket = 0;
	for (uint32_t peer = 0; peer < 3; peer++)
		for (uint32_t i = 0; i < GCS_MAX_ZOOMS_EACH; i++)
			cr_assert_eq(zooms_ask(&zooms, peer, ++ticket, &err), GCS_OK);
	cr_assert_eq(zooms_ask(&zooms, 1, 100, &err), GCS_LIMIT, "also what is not made counts");
	cr_assert(zooms_made(&zooms, 1, 7));
	cr_assert_eq(zooms_ask(&zooms, 0, 100, &err), GCS_LIMIT);
	for (; ticket < GCS_MAX_ZOOMS; ticket++)
		cr_assert_eq(zooms_ask(&zooms, 3 + (uint32_t)ticket, ticket + 1, &err), GCS_OK);
	cr_assert_eq(zooms_ask(&zooms, 99, 101, &err), GCS_LIMIT);
	cr_assert_not_null(strstr(err.text, "32"));
	cr_assert_eq(zooms_release(&zooms, 0, 7, &err), GCS_OK);
	cr_assert_eq(zooms_ask(&zooms, 99, 102, &err), GCS_OK);
	zooms_reject(&zooms, 102);
	zooms_reject(&zooms, 102);
	zooms_reject(&zooms, 0);
	cr_assert_eq(zooms_ask(&zooms, 99, 103, &err), GCS_OK);
}

ZoomsTest(only_its_client_releases_a_zoom)
{
	cr_assert_eq(zooms_ask(&zooms, 4, 1, &err), GCS_OK);
	cr_assert_eq(zooms_release(&zooms, 4, GCS_NONE, &err), GCS_OK,
	    "as a number it cannot come from a client");
	cr_assert_eq(zooms_ask(&zooms, 4, 1, &err), GCS_OK);
	cr_assert(zooms_made(&zooms, 1, 12));
	cr_assert_not(zooms_made(&zooms, 1, 13), "once");
	cr_assert_eq(zooms_release(&zooms, 5, 12, &err), GCS_STATE);
	cr_assert_eq(zooms_release(&zooms, 4, 13, &err), GCS_ARGUMENT);
	cr_assert_eq(zooms_release(&zooms, 4, 12, &err), GCS_OK);
	cr_assert_eq(zooms_release(&zooms, 4, 12, &err), GCS_ARGUMENT);
}

ZoomsTest(who_leaves_gives_all_back)
{
	for (uint64_t ticket = 1; ticket <= 4; ticket++)
		cr_assert_eq(zooms_ask(&zooms, ticket == 4 ? 9 : 8, ticket, &err), GCS_OK);
	cr_assert(
	    zooms_made(&zooms, 1, 21) && zooms_made(&zooms, 3, 23) && zooms_made(&zooms, 4, 24));
	uint32_t seen = 0, space;
	while ((space = zooms_leave(&zooms, 8)) != GCS_NONE)
		seen += space;
	cr_assert_eq(seen, 21 + 23);
	cr_assert_not(zooms_made(&zooms, 2, 22), "nobody waits for it any more");
	cr_assert_eq(zooms_leave(&zooms, 8), GCS_NONE);
	cr_assert_eq(zooms_leave(&zooms, 9), 24);
}
