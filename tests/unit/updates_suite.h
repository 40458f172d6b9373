/*
 * The stage of suites about counted events: a server with one space, whose tiles the test's threads
 * change in `truth`, and with updates of the events ALLOCATE and FREE, which the suite describes.
 * Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_UPDATES_SUITE_H
#define GCSPY_TESTS_UPDATES_SUITE_H

#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

#include "kit.h"

enum { ALLOCATE, FREE, UPDATE };
enum { TILES = 500, THREADS = 3 };

static struct gcs_server *server;
static struct gcs_tiles *tiles;
static struct gcs_updates *updates;
static struct gcs_error err;
static atomic_int_least64_t truth[TILES];
static _Atomic(void (*)(void)) while_reading; /* called once, as the next update is made */

static inline void read_truth(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	(void)stream;
	void (*const now)(void) = atomic_exchange(&while_reading, NULL);
	if (now != NULL)
		now();
	for (uint32_t i = 0; i < count; i++)
		values[i] = atomic_load_explicit(&truth[first + i], memory_order_relaxed);
}

static inline void make_target(
    const struct gcs_server_options *options, const struct gcs_event *events)
{
	static const struct gcs_stream streams[] = {{.name = "Used", .max = INT64_MAX}};
	static const struct gcs_space space = {
	    .name = "Heap", .group = GCS_NONE, .stream_count = 1, .streams = streams};
	const struct gcs_tiles_options heap = {
	    .streams = 1, .tiles = TILES, .lock_free = true, .read = read_truth};
	kit_count_memory(0);
	memset(truth, 0, sizeof truth);
	server = gcs_server_create(options, &err);
	tiles = gcs_tiles_create(&heap, &err);
	cr_assert(server != NULL && tiles != NULL, "%s", err.text);
	for (int i = 0; i < 2; i++)
		cr_assert_eq(gcs_server_add_event(server, &events[i], NULL, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_space(server, &space, NULL, &err), GCS_OK, "%s", err.text);
}

static inline struct gcs_updates *make_updates(
    uint32_t interval_ms, void (*fill)(void *context, struct gcs_snapshot *snapshot))
{
	static const uint32_t ids[] = {ALLOCATE, FREE};
	const struct gcs_updates_options options = {.event_count = 2,
	    .events = ids,
	    .tiles_count = 1,
	    .tiles = &tiles,
	    .interval_ms = interval_ms,
	    .fill = fill,
	    .context = truth};
	return gcs_updates_create(server, &options, &err);
}

/* Starts both; `address` is then the server's. */
static inline void start_target(char address[16])
{
	cr_assert_not_null(updates, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_OK, "%s", err.text);
	snprintf(address, 16, "%d", gcs_server_port(server));
}

static inline void drop_target(void)
{
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	gcs_tiles_destroy(tiles);
	cr_assert_eq(kit_live_blocks(), 0);
}

#endif
