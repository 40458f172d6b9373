#include "agent_driver.h"

#include <criterion/criterion.h>

#include <gcspy/memory.h>

struct gcs_server *server;
struct vm *vm;
const struct heap_driver *driver;
void *heap;
uint64_t raw[4096], before[4096];

void open_driver(struct heap_limits limits)
{
	struct gcs_error err = {0};
	struct gcs_server_options options = {.name = "test", .port = 0};
	char why[256];
	vm = world_open();
	server = gcs_server_create(&options, &err);
	cr_assert_not_null(server, "%s", err.text);
	gcs_server_add_event(server, &(struct gcs_event){.name = "Event"}, NULL, NULL);
	driver = heap_choose(vm, why, sizeof why);
	cr_assert_not_null(driver, "%s", why);
	heap = driver->open(vm, &limits, &err);
	cr_assert_not_null(heap);
	uint32_t group;
	gcs_server_add_group(
	    server, &(struct gcs_group){.name = "Heap", .parent = GCS_NONE}, &group, NULL);
	cr_assert_eq(driver->describe(heap, server, group, &err), GCS_OK, "%s", err.text);
	cr_assert_leq(driver->raw_bytes(heap), sizeof raw);
}

void close_driver(void)
{
	gcs_free(heap);
	gcs_server_destroy(server);
	vm_close(vm);
}

const struct gcs_ticket ticket = {.event = 0, .audience = 1, .sequence = 1};

struct gcs_snapshot *map_into(
    struct gcs_snapshot *s, const void *from, const struct vm_tlab *tlabs, size_t count)
{
	struct gcs_error err = {0};
	struct heap_event event = {.raw = raw,
	    .before = from,
	    .tlabs = tlabs,
	    .tlab_count = count,
	    .server = server,
	    .ticket = &ticket};
	cr_assert(driver->map(heap, &event, s));
	cr_assert_eq(gcs_snapshot_check(s, &err), GCS_OK, "%s", err.text);
	return s;
}

struct gcs_snapshot *map(const void *from, const struct vm_tlab *tlabs, size_t count)
{
	return map_into(gcs_server_begin(server, &ticket), from, tlabs, count);
}

int64_t value(
    const struct gcs_snapshot *s, const char *space_name, const char *stream_name, uint32_t tile)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t space = gcs_model_find_space(m, space_name);
	cr_assert_neq(space, GCS_NONE, "%s", space_name);
	uint32_t stream = gcs_space_find_stream(&m->spaces[space], stream_name);
	cr_assert_neq(stream, GCS_NONE, "%s", stream_name);
	cr_assert_lt(tile, gcs_snapshot_tiles(s, space));
	return gcs_snapshot_values(s, space, stream)[tile];
}

int64_t summary(
    const struct gcs_snapshot *s, const char *space_name, const char *stream_name, uint32_t index)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t space = gcs_model_find_space(m, space_name), count;
	uint32_t stream = gcs_space_find_stream(&m->spaces[space], stream_name);
	const int64_t *values = gcs_snapshot_summary(s, space, stream, &count);
	cr_assert_lt(index, count, "%s of %s", stream_name, space_name);
	return values[index];
}

bool has_stream(const struct gcs_snapshot *s, const char *space_name, const char *stream_name)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	return gcs_space_find_stream(
		   &m->spaces[gcs_model_find_space(m, space_name)], stream_name) != GCS_NONE;
}
