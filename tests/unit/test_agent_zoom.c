/*
 * Zooms on the synthetic VM: what a driver tells of a part of the heap, laid over blocks down to
 * 512 bytes (F16, F15, F5). A client asks for them, as it would the agent.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/client.h>

#include "agent_driver.h"
#include "heap_zoom.h"

static struct heap_zooms *zooms;
static struct gcs_client *client;
static struct gcs_error err;

static void on_zoom(void *context, const struct gcs_zoom *zoom)
{
	(void)context;
	heap_zooms_request(zooms, zoom);
}

static void on_unzoom(void *context, uint32_t space)
{
	(void)context;
	heap_zooms_end(zooms, space);
}

/* The driver's server has no clients: another one takes its place. */
static void serve(struct heap_limits limits)
{
	static char address[32];
	const struct gcs_server_options options = {
	    .name = "test", .zoom = on_zoom, .unzoom = on_unzoom};
	uint32_t group;
	open_driver(limits);
	gcs_server_destroy(server);
	server = gcs_server_create(&options, &err);
	zooms = heap_zooms_create(driver, heap, server);
	cr_assert(server != NULL && zooms != NULL);
	gcs_server_add_event(server, &(struct gcs_event){.name = "Event"}, NULL, NULL);
	gcs_server_add_group(
	    server, &(struct gcs_group){.name = "Heap", .parent = GCS_NONE}, &group, NULL);
	cr_assert_eq(driver->describe(heap, server, group, &err), GCS_OK);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	client = gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert(client != NULL && gcs_client_wait(client, 10000) == GCS_CLIENT_LIVE);
}

static void end(void)
{
	gcs_client_close(client);
	gcs_server_stop(server);
	heap_zooms_work(zooms);
	close_driver();
	heap_zooms_destroy(zooms);
}

/* All spaces and zooms, of what was captured into raw. */
static struct gcs_snapshot *map_all(const struct vm_tlab *tlabs, size_t count)
{
	struct heap_event event = {
	    .raw = raw, .tlabs = tlabs, .tlab_count = count, .server = server, .ticket = &ticket};
	struct gcs_snapshot *s = map(NULL, tlabs, count);
	cr_assert(heap_zooms_map(zooms, &event, s));
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	return s;
}

static struct gcs_answer *answered(uint32_t id)
{
	struct gcs_answer *a = NULL;
	for (unsigned i = 0; a == NULL && i < 1000; i++) {
		heap_zooms_work(zooms);
		a = gcs_client_answer(client, id, 10);
	}
	cr_assert_not_null(a);
	return a;
}

static uint32_t zoom(uint32_t space, uint64_t start, uint64_t stop, uint64_t block)
{
	uint32_t id;
	cr_assert_eq(gcs_client_zoom(client, space, start, stop, block, &id), GCS_OK);
	struct gcs_answer *a = answered(id);
	cr_assert_eq(a->status, GCS_OK, "%s", a->message);
	id = gcs_answer_space(a);
	gcs_answer_free(a);
	return id;
}

static void unzoom(uint32_t space)
{
	uint32_t id;
	cr_assert_eq(gcs_client_unzoom(client, space, &id), GCS_OK);
	struct gcs_answer *a = answered(id);
	cr_assert_eq(a->status, GCS_OK, "%s", a->message);
	gcs_answer_free(a);
	heap_zooms_work(zooms);
}

static const int64_t *column(const struct gcs_snapshot *s, uint32_t space, const char *stream)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t k = gcs_space_find_stream(&m->spaces[space], stream);
	cr_assert_neq(k, GCS_NONE, "%s", stream);
	return gcs_snapshot_values(s, space, k);
}

static int64_t sum(const struct gcs_snapshot *s, uint32_t space, const char *stream)
{
	int64_t total = 0;
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++)
		total += column(s, space, stream)[i];
	return total;
}

/* A zoom of each tile of a space has together what the tile has. */
static void check_space(uint32_t space, const struct vm_tlab *tlabs, size_t count)
{
	struct gcs_snapshot *s = map_all(tlabs, count);
	for (uint32_t i = 0; i < gcs_snapshot_tiles(s, space); i++) {
		uint64_t low = (uint64_t)column(s, space, "Start")[i];
		uint64_t high = (uint64_t)column(s, space, "End")[i];
		uint32_t finer = zoom(space, low, high, 512);
		struct gcs_snapshot *z = map_all(tlabs, count);
		cr_assert_eq(gcs_snapshot_tiles(z, finer), (high - low + 511) / 512);
		cr_assert_eq(sum(z, finer, "Used"), column(s, space, "Used")[i], "tile %u", i);
		cr_assert_eq(sum(z, finer, "TLABs"), column(s, space, "TLABs")[i], "tile %u", i);
		gcs_snapshot_unref(z);
		unzoom(finer);
	}
	gcs_snapshot_unref(s);
}

static void check_world(struct heap_limits limits)
{
	serve(limits);
	driver->capture(heap, raw);
	struct gcs_snapshot *s = map_all(NULL, 0);
	const uint32_t spaces = gcs_snapshot_model(s)->space_count;
	struct heap_totals totals;
	driver->totals(heap, raw, &totals);
	cr_assert_gt(totals.used, 0, "there is something to see");
	const uint64_t low = (uint64_t)column(s, spaces - 1, "Start")[0];
	const struct vm_tlab tlabs[] = {{.thread = 1, .start = low + 100, .hard_end = low + 5000},
	    {.thread = 2, .start = low + 6000, .hard_end = low + 8100}, {.thread = 3}};
	gcs_server_publish(server, &ticket, s);
	for (uint32_t space = 0; space < spaces; space++)
		check_space(space, tlabs, 3);
	end();
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_generations)
{
	world_build_serial();
	check_world((struct heap_limits){.block_bytes = 2048, .max_tiles = 8192});
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_g1)
{
	world_build_g1();
	check_world((struct heap_limits){.max_tiles = 8192});
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_tiles_of_several_regions)
{
	world_build_g1();
	check_world((struct heap_limits){.max_tiles = 3});
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_zgc)
{
	world_build_z(25);
	check_world((struct heap_limits){.max_tiles = 8192});
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_shenandoah)
{
	world_build_shenandoah(25);
	check_world((struct heap_limits){.max_tiles = 8192});
}

Test(agent_zoom, a_tile_has_what_its_parts_have_in_epsilon)
{
	world_build_epsilon();
	check_world((struct heap_limits){.block_bytes = 65536, .max_tiles = 8192});
}

/* Opens, captures and publishes, so that the server knows what may be asked for. */
static void begin(void)
{
	serve((struct heap_limits){.max_tiles = 8192});
	driver->capture(heap, raw);
	gcs_server_publish(server, &ticket, map_all(NULL, 0));
}

static const char *name_of(uint32_t space)
{
	static char name[256];
	struct gcs_model *m = gcs_client_model(client);
	snprintf(name, sizeof name, "%s", m->spaces[space].name);
	cr_assert_eq(m->spaces[space].group, m->spaces[0].group);
	gcs_model_unref(m);
	return name;
}

/* Regions 3 old, 4 and 5 humongous, 6 archive, 7 never committed. */
Test(agent_zoom, types_links_and_separators_of_g1)
{
	enum { OLD = 3, HUMONGOUS = 4, FREE = 0 };
	const uint64_t start = HEAP + 3 * GRAIN + GRAIN / 2, stop = HEAP + 8 * GRAIN - 5;
	const uint32_t block = GRAIN / 4, tiles = 18;
	world_build_g1();
	begin();
	uint32_t z = zoom(0, start, stop, block);
	cr_assert_str_eq(name_of(z), "G1 regions 0x40380000-0x407ffffb at 256 KiB");
	struct gcs_snapshot *s = map_all(NULL, 0);
	cr_assert_eq(gcs_snapshot_tiles(s, z), tiles);
	const int64_t *type = column(s, z, "Type"), *control = column(s, z, "Control");
	cr_assert(type[0] == OLD && type[1] == OLD && type[2] == HUMONGOUS && type[9] == HUMONGOUS);
	cr_assert(type[14] == FREE && type[17] == FREE);
	cr_assert_eq(control[0], GCS_TILE_USED, "no border before the first tile");
	cr_assert_eq(control[2], GCS_TILE_USED | GCS_TILE_SEPARATOR | GCS_TILE_LINK);
	for (uint32_t i = 3; i < 9; i++)
		cr_assert_eq(control[i], GCS_TILE_USED | GCS_TILE_LINK, "one object: %u", i);
	cr_assert_eq(control[9], GCS_TILE_USED, "its end");
	cr_assert_eq(control[10], GCS_TILE_USED | GCS_TILE_SEPARATOR);
	cr_assert_eq(control[14], GCS_TILE_UNUSED | GCS_TILE_SEPARATOR);
	cr_assert_eq(control[15], GCS_TILE_UNUSED);
	cr_assert_eq(column(s, z, "Start")[17], (int64_t)(start + 17 * block));
	cr_assert_eq(column(s, z, "End")[17], (int64_t)stop, "the last tile is cut");
	const int64_t used = WORLD_REGION[3].used;
	cr_assert_eq(column(s, z, "Used")[0] + column(s, z, "Used")[1],
	    used > GRAIN / 2 ? used - GRAIN / 2 : 0);
	uint32_t count;
	const int64_t *types = gcs_snapshot_summary(s, z, 2, &count);
	cr_assert_eq(count, 7);
	cr_assert(types[OLD] == 2 && types[HUMONGOUS] == 8 && types[FREE] == 4);
	const int64_t *share = gcs_snapshot_summary(s, z, 0, &count);
	cr_assert(share[0] == sum(s, z, "Used") && share[1] == 3 * GRAIN + GRAIN / 2);
	cr_assert(gcs_snapshot_gathered(s, z));
	gcs_snapshot_unref(s);
	end();
}

Test(agent_zoom, zooms_of_zooms_and_their_ends)
{
	world_build_g1();
	begin();
	uint32_t outer = zoom(0, HEAP + GRAIN, HEAP + 2 * GRAIN, 65536);
	gcs_server_publish(server, &ticket, map_all(NULL, 0));
	uint32_t inner = zoom(outer, HEAP + GRAIN + 65536, HEAP + GRAIN + 131072, 4096);
	cr_assert_str_eq(name_of(inner), "G1 regions 0x40110000-0x40120000 at 4 KiB");
	struct gcs_snapshot *s = map_all(NULL, 0);
	cr_assert_eq(sum(s, inner, "Used"), column(s, outer, "Used")[1]);
	gcs_snapshot_unref(s);
	unzoom(outer);
	s = map_all(NULL, 0);
	cr_assert(gcs_snapshot_model(s)->spaces[outer].gone);
	cr_assert_not(gcs_snapshot_model(s)->spaces[inner].gone);
	cr_assert_eq(gcs_snapshot_tiles(s, inner), 16);
	gcs_snapshot_unref(s);
	cr_assert_eq(zoom(0, HEAP, HEAP + 4096, 512), outer, "its id serves again");
	end();
}

/* Thirty rounds need no more than one id, and a client that leaves takes its zooms along. */
Test(agent_zoom, ids_do_not_run_out)
{
	world_build_serial();
	begin();
	struct gcs_snapshot *s = map_all(NULL, 0);
	const uint64_t low = (uint64_t)column(s, 0, "Start")[0];
	const uint32_t spaces = gcs_snapshot_model(s)->space_count;
	gcs_snapshot_unref(s);
	for (unsigned i = 0; i < 30; i++) {
		cr_assert_eq(zoom(0, low, low + 4096, 512), spaces);
		unzoom(spaces);
	}
	(void)zoom(0, low, low + 4096, 512);
	gcs_client_close(client);
	client = NULL;
	s = map_all(NULL, 0);
	for (unsigned i = 0; !gcs_snapshot_model(s)->spaces[spaces].gone; i++) {
		cr_assert_lt(i, 1000, "the zoom outlives its client");
		gcs_snapshot_unref(s);
		nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
		heap_zooms_work(zooms);
		s = map_all(NULL, 0);
	}
	gcs_snapshot_unref(s);
	end();
}

/* A capture of a pause's start has no pages: the zoom stays as it was. */
Test(agent_zoom, captures_without_a_heap)
{
	world_build_z(17);
	begin();
	struct gcs_snapshot *s = map_all(NULL, 0);
	const uint64_t low = (uint64_t)column(s, 0, "Start")[0];
	gcs_snapshot_unref(s);
	uint32_t z = zoom(0, low, low + GRANULE, 65536);
	driver->capture_start(heap, raw);
	s = map_all(NULL, 0);
	cr_assert_not(gcs_snapshot_gathered(s, z));
	cr_assert_eq(gcs_snapshot_tiles(s, z), 0);
	gcs_snapshot_unref(s);
	driver->capture(heap, raw);
	s = map_all(NULL, 0);
	cr_assert(gcs_snapshot_gathered(s, z));
	cr_assert_eq(gcs_snapshot_tiles(s, z), GRANULE / 65536);
	gcs_snapshot_unref(s);
	end();
}
