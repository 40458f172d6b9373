/* The callback `prepare` of updates (F12): what it resizes and touches is in the same update. */
#include <criterion/criterion.h>

#include <stdio.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

#include "kit.h"

static struct gcs_tiles *tiles;
static struct gcs_error err;
static uint32_t prepared;

static void prepare(void *context)
{
	cr_assert_eq(context, &prepared);
	prepared++;
	cr_assert(gcs_tiles_resize(tiles, prepared));
	gcs_tiles_touch(tiles, 0, 0, prepared);
}

static void read_tiles(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context;
	(void)stream;
	(void)first;
	for (uint32_t i = 0; i < count; i++)
		values[i] = prepared;
}

Test(update_prepare, what_it_touches_is_gathered_next)
{
	static const uint32_t ids[] = {0};
	static const struct gcs_stream streams[] = {{.name = "Used", .max = INT64_MAX}};
	static const struct gcs_space space = {
	    .name = "Heap", .group = GCS_NONE, .stream_count = 1, .streams = streams};
	kit_count_memory(0);
	struct gcs_server *server =
	    gcs_server_create(&(struct gcs_server_options){.name = "prepare"}, &err);
	tiles = gcs_tiles_create(
	    &(struct gcs_tiles_options){
		.streams = 1, .tiles = 1, .most = 1000000, .read = read_tiles},
	    &err);
	cr_assert(server != NULL && tiles != NULL, "%s", err.text);
	cr_assert_eq(gcs_server_add_event(server, &(struct gcs_event){.name = "E"}, NULL, &err),
	    GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_server_add_space(server, &space, NULL, &err), GCS_OK, "%s", err.text);
	const struct gcs_updates_options options = {.event_count = 1,
	    .events = ids,
	    .tiles_count = 1,
	    .tiles = &tiles,
	    .interval_ms = 5,
	    .prepare = prepare,
	    .context = &prepared};
	struct gcs_updates *updates = gcs_updates_create(server, &options, &err);
	cr_assert_not_null(updates, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_OK);
	char address[32];
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	struct gcs_client *client =
	    gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert_eq(gcs_client_wait(client, 60000), GCS_CLIENT_LIVE);
	for (int i = 0; i < 20; i++) {
		struct gcs_snapshot *s = gcs_client_next(client, 60000);
		cr_assert_not_null(s);
		const uint32_t count = gcs_snapshot_tiles(s, 0);
		cr_assert(count != 0 || gcs_snapshot_occurrence(s)->event == GCS_NONE);
		for (uint32_t t = 0; t < count; t++)
			cr_assert_eq(gcs_snapshot_values(s, 0, 0)[t], count);
		gcs_snapshot_unref(s);
	}
	gcs_client_close(client);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	gcs_tiles_destroy(tiles);
	cr_assert_eq(kit_live_blocks(), 0);
}
