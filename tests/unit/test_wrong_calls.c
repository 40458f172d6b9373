/* Descriptions and arrays that are missing are refused with a line (status.h), and nothing crashes. */
#include <criterion/criterion.h>

#include <string.h>

#include <gcspy/blocks.h>
#include <gcspy/memory.h>
#include <gcspy/plugin.h>
#include <gcspy/tiles.h>
#include <gcspy/trace.h>
#include <gcspy/updates.h>
#include <gcspy/zoom.h>

#include "target_suite.h"

static struct gcs_error err;

static void refused(bool failed, const char *what)
{
	cr_assert(failed, "%s", what);
	cr_assert_eq(err.status, GCS_ARGUMENT, "%s", what);
	cr_assert(strstr(err.text, "NULL") != NULL || strstr(err.text, "missing") != NULL, "%s: %s",
	    what, err.text);
	err = (struct gcs_error){.status = GCS_OK};
}

#define REFUSED(call)  refused((call) == GCS_ARGUMENT, #call)
#define NOT_MADE(call) refused((call) == NULL, #call)

Test(wrong_calls, nothing_is_made_of_nothing)
{
	NOT_MADE(gcs_server_create(NULL, &err));
	NOT_MADE(gcs_client_open(NULL, &err));
	NOT_MADE(gcs_tiles_create(NULL, &err));
	NOT_MADE(gcs_recorder_create(NULL, &err));
	NOT_MADE(gcs_trace_create(NULL, &err));
	NOT_MADE(gcs_trace_open(NULL, &err));
	gcs_set_allocator(NULL);
	void *block = gcs_alloc(1);
	cr_assert_not_null(block);
	gcs_free(block);
}

Test(wrong_calls, descriptions)
{
	static const struct gcs_plugin plugin = {.name = "p", .title = "P", .parameter_count = 1};
	static const struct gcs_event event = {.name = "e", .attribute_count = 1};
	static const struct gcs_space space = {.name = "s", .group = GCS_NONE, .stream_count = 1};
	static const struct gcs_attribute choice = {
	    .name = "a", .kind = GCS_ATTRIBUTE_ENUM, .enum_count = 2};
	static const struct gcs_attribute parameter = {.name = "a", .parameter_count = 1};
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "s", .port = -1}, &err);
	cr_assert_not_null(s);
	REFUSED(gcs_server_add_event(s, NULL, NULL, &err));
	REFUSED(gcs_server_add_event(s, &event, NULL, &err));
	REFUSED(gcs_server_add_event(s,
	    &(struct gcs_event){.name = "e", .attribute_count = 1, .attributes = &choice}, NULL,
	    &err));
	REFUSED(gcs_server_add_event(s,
	    &(struct gcs_event){.name = "e", .attribute_count = 1, .attributes = &parameter}, NULL,
	    &err));
	REFUSED(gcs_server_add_group(s, NULL, NULL, &err));
	REFUSED(gcs_server_add_space(s, NULL, NULL, &err));
	cr_assert_eq(gcs_server_add_space(s, &space, NULL, &err), GCS_ARGUMENT);
	REFUSED(gcs_server_add_plugin(s, NULL, NULL, &err));
	REFUSED(gcs_server_add_plugin(s, &plugin, NULL, &err));
	REFUSED(gcs_server_set_trigger(s, NULL, &err));
	REFUSED(gcs_server_remove_trigger(s, NULL, &err));
	REFUSED(gcs_server_record(s, NULL, &err));
	REFUSED(gcs_zooms_enable(s, NULL, &err));
	NOT_MADE(gcs_updates_create(s, NULL, &err));
	NOT_MADE(gcs_updates_create(s, &(struct gcs_updates_options){.event_count = 1}, &err));
	const uint32_t id = 0;
	NOT_MADE(gcs_updates_create(s,
	    &(struct gcs_updates_options){.event_count = 1, .events = &id, .tiles_count = 1},
	    &err));
	gcs_server_destroy(s);
	gcs_server_stop(NULL);
	gcs_server_stop_at_exit(NULL);
	gcs_server_destroy(NULL);
}

Test(wrong_calls, answers)
{
	static const struct gcs_column column = {.name = "c"};
	void *bytes;
	size_t length;
	REFUSED(gcs_table_encode(NULL, &bytes, &length, &err));
	REFUSED(gcs_table_encode(
	    &(struct gcs_table){.title = "", .column_count = 1}, &bytes, &length, &err));
	REFUSED(gcs_table_encode(
	    &(struct gcs_table){.title = "", .column_count = 1, .columns = &column, .row_count = 1},
	    &bytes, &length, &err));
	REFUSED(gcs_memory_encode(NULL, &bytes, &length, &err));
	REFUSED(gcs_memory_encode(
	    &(struct gcs_memory){.title = "", .length = 1}, &bytes, &length, &err));
	REFUSED(gcs_memory_encode(
	    &(struct gcs_memory){.title = "", .mark_count = 1}, &bytes, &length, &err));
	cr_assert_eq(gcs_blocks_count(&(struct gcs_blocks){.high = 10}), 0);
}

Test(wrong_calls, of_what_runs, .init = setup, .fini = teardown, .timeout = 60)
{
	struct gcs_client *c = join(&plain);
	uint32_t id;
	cr_assert_eq(gcs_client_set_trigger(c, NULL, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_query(c, NULL, 0, NULL, &id), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_query(c, "t", 2, NULL, &id), GCS_ARGUMENT);
	cr_assert_eq(
	    gcs_client_query(c, "t", 1, &(struct gcs_info){.key = "k"}, &id), GCS_ARGUMENT);
	gcs_server_answer(target.server, 1, GCS_OK, NULL, NULL, 5);
	struct gcs_ticket ticket;
	const uint64_t missed = target_stats(&target).missed;
	gcs_server_enter(target.server, KIT_TICK, &ticket);
	gcs_server_publish(target.server, &ticket, NULL);
	gcs_server_leave(target.server, &ticket);
	cr_assert_eq(target_stats(&target).missed, missed + 1);
	ticket = (struct gcs_ticket){.event = GCS_NONE};
	struct gcs_snapshot *s = gcs_server_begin(target.server, &ticket);
	cr_assert_not(gcs_snapshot_set_summary(s, KIT_HEAP, 0, 1, NULL));
	cr_assert_not(gcs_snapshot_set_summary(s, KIT_HEAP, 0, 2, NULL));
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

Test(wrong_calls, updates_start_after_the_server)
{
	static const struct gcs_event event = {.name = "e"};
	uint32_t id;
	struct gcs_server *s =
	    gcs_server_create(&(struct gcs_server_options){.name = "s", .port = -1}, &err);
	cr_assert_eq(gcs_server_add_event(s, &event, &id, &err), GCS_OK);
	struct gcs_updates *u = gcs_updates_create(
	    s, &(struct gcs_updates_options){.event_count = 1, .events = &id}, &err);
	cr_assert_not_null(u, "%s", err.text);
	cr_assert_eq(gcs_updates_start(u, &err), GCS_STATE);
	cr_assert_eq(gcs_server_start(s, &err), GCS_OK);
	cr_assert_eq(gcs_updates_start(u, &err), GCS_OK);
	gcs_updates_destroy(u);
	gcs_server_destroy(s);
}
