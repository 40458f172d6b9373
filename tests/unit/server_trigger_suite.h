/*
 * The stage of suites of a server with triggers and clients: a plugin that answers at events, collections
 * with a pause. Included by one test file of a program.
 */
#ifndef GCSPY_TESTS_SERVER_TRIGGER_SUITE_H
#define GCSPY_TESTS_SERVER_TRIGGER_SUITE_H

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "server_internal.h"
#include "trigger_suite.h"

static struct gcs_server *server;
static struct gcs_error err;
static char address[16];
static struct gcs_space heap = {.name = "Heap", .kind = GCS_SPACE_ADDRESSES, .group = GCS_NONE};
static const struct gcs_stream streams[] = {{.name = "Used", .max = 9, .max_stream = GCS_NONE}};

/* The plugin's answer at an event, and what it is asked. */
static char asked[64];
static enum gcs_status plugin_status;
static size_t plugin_length;

static inline enum gcs_status answer_plugin(void *context, const struct gcs_ticket *ticket,
    const char *plugin, void *buffer, size_t *length)
{
	(void)context;
	snprintf(asked, sizeof asked, "%s %u %zu %d", plugin, ticket->event, *length,
	    ticket->sequence != 0);
	memset(buffer, 'x', 100);
	*length = plugin_length;
	return plugin_status;
}

static inline void setup(void)
{
	kit_count_memory(0);
	plugin_status = GCS_OK;
	plugin_length = 100;
	const struct gcs_server_options options = {
	    .name = "t", .plugin_at_event = answer_plugin, .keep_alive_ms = 60000};
	server = gcs_server_create(&options, &err);
	heap.stream_count = 1;
	heap.streams = streams;
	for (uint32_t i = 0; i < EVENTS; i++)
		cr_assert_eq(gcs_server_add_event(server, &gc_events[i], NULL, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_space(server, &heap, NULL, &err), GCS_OK, "%s", err.text);
	const struct gcs_plugin stack = {
	    .name = "stack", .title = "Stack", .kind = GCS_PLUGIN_TEXT};
	cr_assert_eq(gcs_server_add_plugin(server, &stack, NULL, &err), GCS_OK, "%s", err.text);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK, "%s", err.text);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
}

static inline void teardown(void)
{
	gcs_server_destroy(server);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define TriggerTest(name) Test(server_trigger, name, .init = setup, .fini = teardown, .timeout = 60)

static inline struct gcs_client *join(void)
{
	struct gcs_client *c =
	    gcs_client_open(&(struct gcs_client_options){.address = address, .name = "test"}, &err);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LIVE);
	return c;
}

static inline void expect_answer(
    struct gcs_client *c, uint32_t id, enum gcs_status status, const char *message)
{
	struct gcs_answer *a = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(a);
	cr_assert_eq(a->status, status, "%s: %s", gcs_status_name(a->status), a->message);
	cr_assert_str_eq(a->message, message);
	gcs_answer_free(a);
}

static inline void set_trigger(struct gcs_client *c, const struct gcs_trigger *t)
{
	uint32_t id;
	char message[100];
	cr_assert_eq(gcs_client_set_trigger(c, t, &id), GCS_OK);
	snprintf(message, sizeof message, "trigger \"%s\" is set", t->name);
	expect_answer(c, id, GCS_OK, message);
}

/* Waits until the server has carried out the client's commands. */
static inline void obeyed(struct gcs_client *c)
{
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "triggers", 0, NULL, &id), GCS_OK);
	gcs_answer_free(gcs_client_answer(c, id, 10000));
}

/* No client gets the event by its filter. */
static inline void filter_out(struct gcs_client *c)
{
	const struct gcs_filter off = {.period = 1};
	for (uint32_t i = 0; i < EVENTS; i++)
		gcs_client_set_filter(c, i, &off);
	obeyed(c);
}

/* A collection with this pause; its ticket. */
static inline struct gcs_ticket collection(int64_t pause)
{
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = pause};
	const struct gcs_values values = {.known = 1 << PAUSE, .numbers = numbers};
	struct gcs_ticket t;
	bool wanted = gcs_server_enter(server, FINISH, &t);
	if (gcs_server_triggered(server, FINISH))
		wanted = gcs_server_check(server, &t, &values);
	if (wanted) {
		struct gcs_snapshot *s = gcs_server_begin(server, &t);
		gcs_snapshot_set_number(s, PAUSE, pause);
		gcs_server_publish(server, &t, s);
	}
	gcs_server_leave(server, &t);
	return t;
}

/* The next snapshot, with this pause. */
static inline struct gcs_snapshot *next(struct gcs_client *c, int64_t pause)
{
	int64_t value = 0;
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	cr_assert(gcs_snapshot_number(s, PAUSE, &value));
	cr_assert_eq(value, pause);
	return s;
}

static const struct gcs_trigger slow = {.name = "slow", .condition = "Pause > 10"};

#endif
