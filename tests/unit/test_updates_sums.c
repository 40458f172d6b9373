/* What a target counts by itself (gcs_count_sums) arrives in `prepare`'s update, and `each` says when it
 * may not: with triggers, in lock-step, while a client holds the program (F12, F17). */
#include <criterion/criterion.h>

#include <stdatomic.h>
#include <stdio.h>

#include <gcspy/client.h>
#include <gcspy/updates.h>

#include "kit.h"

enum { ALLOCATE, OTHER, UPDATE };
enum { PER_SECOND, SUM, LEAST };

static const struct gcs_attribute attributes[] = {{.name = "size", .format = GCS_BYTES}};
static const struct gcs_event events[] = {
    {.name = "Allocate", .attribute_count = 1, .attributes = attributes},
    {.name = "Other", .attribute_count = 1, .attributes = attributes}};

static struct gcs_server *server;
static struct gcs_updates *updates;
static struct gcs_event_counter *sums;
static struct gcs_client *client;
static struct gcs_error err;
static atomic_bool each, counted;

static void note_each(void *context, bool value)
{
	cr_assert_eq(context, &each);
	atomic_store(&each, value);
}

/* Once: 1,000 events of 24,000 bytes together, and one that is counted by itself. */
static void prepare(void *context)
{
	cr_assert_eq(context, &each);
	if (!gcs_server_wants(server, UPDATE) || atomic_exchange(&counted, true))
		return;
	gcs_count_sums(sums, ALLOCATE, 1000, (const int64_t[]){24000});
	gcs_count_sums(sums, 1, 1000, NULL); /* no such event */
	gcs_count_event(sums, ALLOCATE, (const int64_t[]){7});
}

static void begin(void)
{
	static const uint32_t ids[] = {ALLOCATE};
	char address[16];
	kit_count_memory(0);
	atomic_store(&counted, false);
	server = gcs_server_create(&(struct gcs_server_options){.name = "t"}, &err);
	cr_assert_eq(gcs_server_add_event(server, &events[0], NULL, &err), GCS_OK);
	cr_assert_eq(gcs_server_add_event(server, &events[1], NULL, &err), GCS_OK);
	const struct gcs_updates_options options = {.event_count = 1,
	    .events = ids,
	    .interval_ms = 1,
	    .prepare = prepare,
	    .each = note_each,
	    .context = &each};
	updates = gcs_updates_create(server, &options, &err);
	cr_assert_not_null(updates, "%s", err.text);
	sums = gcs_event_counter_create(updates);
	cr_assert_eq(gcs_server_start(server, &err), GCS_OK);
	cr_assert_eq(gcs_updates_start(updates, &err), GCS_OK);
	snprintf(address, sizeof address, "%d", gcs_server_port(server));
	client = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .queue_limit = 100000}, &err);
	cr_assert_eq(gcs_client_wait(client, 10000), GCS_CLIENT_LIVE);
}

static void end(void)
{
	gcs_client_close(client);
	gcs_event_counter_destroy(sums);
	gcs_updates_destroy(updates);
	gcs_server_destroy(server);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define SumsTest(name) Test(updates_sums, name, .init = begin, .fini = end, .timeout = 60)

SumsTest(sums_are_in_the_update_that_asked_for_them)
{
	int64_t sum = 0, value, least = 0;
	uint64_t count = 0;
	while (sum == 0) { /* the answer to a state request has counts alone */
		struct gcs_snapshot *s = gcs_client_next(client, 10000);
		cr_assert_not_null(s);
		count = gcs_snapshot_counter(s, ALLOCATE);
		if (gcs_snapshot_number(s, SUM, &value))
			sum += value;
		if (gcs_snapshot_number(s, LEAST, &value))
			least = value;
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(count, 1001);
	cr_assert_eq(sum, 24007);
	cr_assert_eq(least, 7, "sums have no least value");
}

static enum gcs_status set_trigger(const char *condition)
{
	const struct gcs_trigger t = {.name = "t", .condition = condition};
	return gcs_server_set_trigger(server, &t, &err);
}

SumsTest(each_event_counts_while_triggers_are_set)
{
	cr_assert_not(atomic_load(&each));
	cr_assert_eq(set_trigger("event = Other and size > 5"), GCS_OK, "%s", err.text);
	cr_assert_not(atomic_load(&each), "that event is not counted");
	cr_assert_eq(set_trigger("event = Allocate and size > 5"), GCS_OK, "%s", err.text);
	cr_assert(atomic_load(&each));
	cr_assert_eq(gcs_server_remove_trigger(server, "t", &err), GCS_OK);
	cr_assert_not(atomic_load(&each));
}

SumsTest(each_event_counts_in_lock_step)
{
	gcs_updates_set_interval(updates, 0);
	cr_assert(atomic_load(&each));
	gcs_updates_set_interval(updates, 5);
	cr_assert_not(atomic_load(&each));
}

/* Often, because a pause may come at any moment of an update. */
SumsTest(each_event_counts_while_a_client_holds_the_program)
{
	for (int i = 0; i < 200; i++) {
		cr_assert_eq(gcs_client_pause(client), GCS_OK);
		kit_until(atomic_load(&each));
		cr_assert_eq(gcs_client_resume(client, false), GCS_OK);
		kit_until(!atomic_load(&each));
	}
}
