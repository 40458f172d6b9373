/*
 * Zooms by one callback (F16): the library describes them like the space that they show, their values
 * are the target's, in an update or an event, ids are used again, and what no client shows is not read.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>
#include <gcspy/zoom.h>

#include "kit.h"

/* A heap of 16 blocks; an object of 100 bytes at every 300th byte. */
#define LOW   UINT64_C(0x10000)
#define BLOCK UINT64_C(4096)
enum { BLOCKS = 16, EVERY = 300, OBJECT = 100 };
enum { USED, STATE, START, END, STREAMS };

static const struct gcs_blocks whole = {.low = LOW, .high = LOW + BLOCKS * BLOCK, .block = BLOCK};
static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_tiles *tiles;
static struct gcs_client *client;
static struct gcs_error err;
static atomic_uint reads, wrong;

static void read_blocks(void *context, uint32_t space, uint32_t stream,
    const struct gcs_blocks *blocks, uint32_t count, int64_t *values)
{
	atomic_fetch_add(&reads, 1);
	if (context != &whole || space != 0 || stream > STATE || gcs_blocks_count(blocks) != count)
		atomic_fetch_add(&wrong, 1);
	for (uint64_t at = whole.low; stream == USED && at < whole.high; at += EVERY)
		gcs_blocks_add(blocks, values, at, at + OBJECT, 1);
	for (uint32_t i = 0; stream == STATE && i < count; i++)
		values[i] = values[i] == 2 ? i % 2 : 0; /* 2: the initial value */
}

static void read_tiles(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	static int64_t used[BLOCKS];
	memset(used, 0, sizeof used);
	for (uint64_t at = whole.low; at < whole.high; at += EVERY)
		gcs_blocks_add(&whole, used, at, at + OBJECT, 1);
	if (stream == USED)
		memcpy(values, used + first, count * sizeof *values);
	else if (stream == STATE)
		memset(values, 0, count * sizeof *values);
	else
		gcs_blocks_ranges(&whole, first, count, stream == START ? values : NULL,
		    stream == END ? values : NULL);
}

static void begin(void)
{
	static const char *const states[] = {"even", "odd", "new"};
	static const uint32_t ids[] = {0};
	const struct gcs_tiles_options heap = {
	    .streams = STREAMS, .tiles = BLOCKS, .read = read_tiles};
	char address[32];
	struct gcs_stream streams[STREAMS] = {
	    [USED] = gcs_stream_used("Used", "", BLOCK),
	    [STATE] = gcs_stream_enumeration("State", "", 3, states),
	    [START] = gcs_stream_range_start(),
	    [END] = gcs_stream_range_end(),
	};
	streams[STATE].initial = 2;
	const struct gcs_space space = {.name = "Heap",
	    .group = GCS_NONE,
	    .block_bytes = BLOCK,
	    .stream_count = STREAMS,
	    .streams = streams};
	const struct gcs_zoom_options zooms = {.read = read_blocks, .context = (void *)&whole};
	kit_count_memory(0);
	atomic_store(&reads, 0);
	tiles = gcs_tiles_create(&heap, &err);
	server = gcs_server_create(&(struct gcs_server_options){.name = "zooms"}, &err);
	cr_assert_eq(gcs_server_add_event(server, &(struct gcs_event){.name = "E"}, NULL, &err), 0);
	cr_assert_eq(gcs_server_add_space(server, &space, NULL, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_zooms_enable(server, &(struct gcs_zoom_options){0}, &err), GCS_ARGUMENT);
	cr_assert_eq(gcs_zooms_enable(server, &zooms, &err), GCS_OK);
	cr_assert_eq(gcs_zooms_enable(server, &zooms, &err), GCS_STATE);
	updates = gcs_updates_create(server,
	    &(struct gcs_updates_options){.event_count = 1,
		.events = ids,
		.tiles_count = 1,
		.tiles = &tiles,
		.interval_ms = GCS_MAX_UPDATE_MS},
	    &err);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_OK);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	client = gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert_eq(gcs_client_wait(client, 60000), GCS_CLIENT_LIVE);
	struct gcs_snapshot *s = gcs_client_next(client, 60000);
	cr_assert_not_null(s, "the state at once");
	gcs_snapshot_unref(s);
}

static void end(void)
{
	gcs_client_close(client);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	gcs_tiles_destroy(tiles);
	cr_assert_eq(atomic_load(&wrong), 0);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ZoomTest(name) Test(zoom_spaces, name, .init = begin, .fini = end)

/* The new space, or GCS_NONE with the status. */
static uint32_t zoom_into(uint32_t space, uint64_t start, uint64_t to, uint64_t block)
{
	uint32_t id;
	cr_assert_eq(gcs_client_zoom(client, space, start, to, block, &id), GCS_OK);
	struct gcs_answer *a = gcs_client_answer(client, id, 60000);
	cr_assert_not_null(a);
	const uint32_t made = gcs_answer_space(a);
	gcs_answer_free(a);
	return made;
}

/* The first snapshot that has tiles of the zoom from `start` on; before it, the id may be another's. */
static struct gcs_snapshot *tiles_of(uint32_t space, uint64_t start)
{
	for (;;) {
		struct gcs_snapshot *s = gcs_client_next(client, 60000);
		cr_assert_not_null(s);
		const int64_t *starts = gcs_snapshot_values(s, space, START);
		if (starts != NULL && (uint64_t)starts[0] == start)
			return s;
		gcs_snapshot_unref(s);
	}
}

static void release(uint32_t space)
{
	uint32_t id;
	cr_assert_eq(gcs_client_unzoom(client, space, &id), GCS_OK);
	struct gcs_answer *a = gcs_client_answer(client, id, 60000);
	cr_assert(a != NULL && a->status == GCS_OK);
	gcs_answer_free(a);
}

/* Every value of the zoom is what a byte-by-byte count gives. */
static void expect_zoom(uint32_t space, uint64_t start, uint64_t to, uint64_t block)
{
	struct gcs_snapshot *s = tiles_of(space, start);
	const struct gcs_space *d = &gcs_snapshot_model(s)->spaces[space];
	const uint32_t count = (uint32_t)((to - start + block - 1) / block);
	uint32_t length;
	int64_t total = 0;
	cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	cr_assert_eq(gcs_snapshot_tiles(s, space), count);
	cr_assert_eq(d->block_bytes, block);
	cr_assert_eq(d->stream_count, STREAMS);
	cr_assert_eq(d->streams[USED].max, (int64_t)block);
	cr_assert_eq(strncmp(d->name, "Heap 0x", 7), 0, "%s", d->name);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t first = start + i * block;
		const uint64_t behind = first + block < to ? first + block : to;
		int64_t used = 0;
		for (uint64_t a = first; a < behind; a++)
			used += (a - LOW) % EVERY < OBJECT;
		total += used;
		cr_assert_eq(gcs_snapshot_values(s, space, USED)[i], used);
		cr_assert_eq(gcs_snapshot_values(s, space, STATE)[i], i % 2);
		cr_assert_eq((uint64_t)gcs_snapshot_values(s, space, START)[i], first);
		cr_assert_eq((uint64_t)gcs_snapshot_values(s, space, END)[i], behind);
	}
	const int64_t *share = gcs_snapshot_summary(s, space, USED, &length);
	const int64_t *counts = gcs_snapshot_summary(s, space, STATE, &length);
	cr_assert(share != NULL && share[0] == total && share[1] == (int64_t)(to - start));
	cr_assert(counts != NULL && counts[0] == (count + 1) / 2 && counts[1] == count / 2);
	gcs_snapshot_unref(s);
}

ZoomTest(a_zoom_is_described_and_filled)
{
	const uint64_t start = LOW + 2 * BLOCK, to = LOW + 3 * BLOCK;
	const uint32_t zoom = zoom_into(0, start, to, 512);
	cr_assert_neq(zoom, GCS_NONE);
	expect_zoom(zoom, start, to, 512);
	/* A zoom of the zoom shows the same memory, under the heap's name, the last block cut. */
	const uint32_t inner = zoom_into(zoom, start + 512, start + 2000, 512);
	cr_assert_neq(inner, GCS_NONE);
	expect_zoom(inner, start + 512, start + 2000, 512);
	cr_assert_eq(zoom_into(0, LOW - 1, LOW + BLOCK, 512), GCS_NONE, "outside");
}

ZoomTest(ids_are_used_again)
{
	const uint32_t first = zoom_into(0, LOW, LOW + BLOCK, 1024);
	for (uint64_t i = 0; i < 40; i++) {
		release(first);
		const uint64_t start = LOW + i % BLOCKS * BLOCK;
		cr_assert_eq(zoom_into(0, start, start + BLOCK, 1024), first);
		expect_zoom(first, start, start + BLOCK, 1024);
	}
	for (uint32_t i = 1; i < GCS_MAX_ZOOMS_EACH; i++)
		cr_assert_neq(zoom_into(0, LOW, LOW + BLOCK, 512), GCS_NONE);
	cr_assert_eq(zoom_into(0, LOW, LOW + BLOCK, 512), GCS_NONE, "too many");
}

/* F14: a zoom without a client is not read. */
ZoomTest(a_released_zoom_costs_nothing)
{
	struct gcs_event_counter *counter = gcs_event_counter_create(updates);
	const uint32_t zoom = zoom_into(0, LOW, LOW + BLOCK, 512);
	expect_zoom(zoom, LOW, LOW + BLOCK, 512);
	release(zoom);
	atomic_store(&reads, 0);
	cr_assert(gcs_updates_set_interval(updates, 1));
	for (int i = 0; i < 5; i++) {
		gcs_count_event(counter, 0, NULL);
		struct gcs_snapshot *s = gcs_client_next(client, 60000);
		cr_assert_not_null(s);
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(atomic_load(&reads), 0);
	gcs_event_counter_destroy(counter);
}
