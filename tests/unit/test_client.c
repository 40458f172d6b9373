/* The client library: opening, losing, queues, commands (F8, F10, F12, Q3). */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "now.h"
#include "target_suite.h"

static struct gcs_error err;

#define ClientTest(name) Test(client, name, .init = setup, .fini = teardown, .timeout = 60)

Test(client_options, bad_ones_are_refused)
{
	char longer[400];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	const struct gcs_client_options bad[] = {
	    {.address = NULL},
	    {.address = "nonsense"},
	    {.address = "3000", .token = longer},
	    {.address = "3000", .name = longer},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		err.text[0] = '\0';
		cr_assert_null(gcs_client_open(&bad[i], &err), "case %zu", i);
		cr_assert_eq(err.status, GCS_ARGUMENT);
		cr_assert_gt(strlen(err.text), 10);
	}
	gcs_client_close(NULL);
}

Test(client_options, nobody_there_is_unreachable)
{
	int port = 0, listener = net_listen_tcp("127.0.0.1", 0, &port, &err);
	char address[32];
	net_close(listener);
	snprintf(address, sizeof address, "%d", port);
	struct gcs_client *c =
	    gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
	cr_assert_not_null(c);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LOST);
	gcs_client_error(c, &err);
	cr_assert_eq(err.status, GCS_UNREACHABLE, "%s", err.text);
	cr_assert_null(gcs_client_model(c));
	cr_assert_null(gcs_client_latest(c));
	cr_assert_null(gcs_client_next(c, 5000), "no waiting for what cannot come");
	cr_assert_eq(gcs_client_step(c), GCS_STATE);
	cr_assert_eq(gcs_client_ack(c, 1), GCS_STATE);
	cr_assert_eq(gcs_client_collapse_group(c, 0, true), GCS_STATE);
	gcs_client_close(c);
}

/* A scripted peer: accepts one connection and sends what the test says. */
static enum gcs_status against(const char *bytes, size_t length, bool then_close)
{
	int port = 0, listener = net_listen_tcp("127.0.0.1", 0, &port, &err), fd = -1;
	char address[32];
	snprintf(address, sizeof address, "%d", port);
	struct gcs_client *c = gcs_client_open(
	    &(struct gcs_client_options){.address = address, .connect_timeout_ms = 400}, &err);
	cr_assert_not_null(c);
	kit_until((fd = net_accept(listener)) >= 0);
	if (length != 0)
		cr_assert_eq(net_write(fd, bytes, length), (long)length);
	if (then_close) {
		char heard[600];
		kit_until(net_read(fd, heard, sizeof heard) > 0); /* its HELLO */
		net_close(fd);
	}
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LOST);
	gcs_client_error(c, &err);
	gcs_client_close(c);
	if (!then_close)
		net_close(fd);
	net_close(listener);
	return err.status;
}

Test(client_options, peers_that_are_no_servers_are_told_apart)
{
	cr_assert_eq(against("HTTP/1.0 400 Bad Request\r\n", 26, false), GCS_FOREIGN);
	cr_assert_eq(against("", 0, true), GCS_FOREIGN, "%s", err.text);
	cr_assert_eq(against("", 0, false), GCS_FOREIGN, "a silent one: %s", err.text);
	cr_assert_eq(against("GCSP\1\0\0\0\377\377\377\377\1\0\0\0", 16, false), GCS_LIMIT);
}

ClientTest(knows_the_servers_description)
{
	struct gcs_client *c = join(&(struct gcs_client_options){.name = "c"});
	struct gcs_model *m = gcs_client_model(c);
	cr_assert_str_eq(m->server_name, "Target");
	cr_assert_eq(m->space_count, KIT_SPACES);
	gcs_client_error(c, &err);
	cr_assert_eq(err.status, GCS_OK);
	cr_assert_gt(gcs_client_received(c), 100);
	cr_assert_eq(gcs_client_run_state(c, NULL, NULL), GCS_RUNNING);
	char words[8] = "x";
	cr_assert_eq(gcs_client_notice(c, words, sizeof words), 0);
	cr_assert_str_eq(words, "");
	gcs_client_close(c);
	cr_assert_eq(m->event_count, KIT_EVENTS, "a reference outlives the client");
	gcs_model_unref(m);
}

/* Who does not fetch loses the oldest, counted; the newest stays readable. */
ClientTest(a_full_queue_loses_the_oldest)
{
	struct gcs_client *c = join(&(struct gcs_client_options){.name = "q", .queue_limit = 4});
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	for (unsigned i = 0; i < 10; i++) {
		target_event(&target, KIT_TICK, 0);
		struct gcs_snapshot *s = NULL;
		kit_until((gcs_snapshot_unref(s), s = gcs_client_latest(c)) != NULL &&
			  gcs_snapshot_counter(s, KIT_TICK) == i + 1);
		gcs_snapshot_unref(s);
	}
	cr_assert_eq(gcs_client_overrun(c), 0, "they are before the next one");
	for (uint64_t i = 7; i <= 10; i++) {
		struct gcs_snapshot *s = gcs_client_next(c, 0);
		cr_assert_not_null(s);
		cr_assert_eq(gcs_snapshot_counter(s, KIT_TICK), i);
		cr_assert_eq(gcs_client_overrun(c), 6);
		gcs_snapshot_unref(s);
	}
	cr_assert_null(gcs_client_next(c, 0));
	cr_assert_null(gcs_client_next(c, 10));
	gcs_client_close(c);
}

ClientTest(knows_the_end_of_the_program_from_that_of_the_server)
{
	struct gcs_client *c = join(&(struct gcs_client_options){.name = "k"});
	gcs_server_stop_at_exit(target.server);
	kit_until(gcs_client_state(c) == GCS_CLIENT_LOST);
	gcs_client_error(c, &err);
	cr_assert_eq(err.status, GCS_ENDED, "%s", err.text);
	gcs_client_close(c);
}

ClientTest(keeps_what_it_has_when_the_server_ends)
{
	struct gcs_client *c = join(&(struct gcs_client_options){.name = "k"});
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	target_event(&target, KIT_TICK, 9);
	struct gcs_snapshot *s = NULL;
	kit_until((s = gcs_client_latest(c)) != NULL);
	gcs_server_stop(target.server);
	kit_until(gcs_client_state(c) == GCS_CLIENT_LOST);
	gcs_client_error(c, &err);
	cr_assert_eq(err.status, GCS_CLOSED, "%s", err.text);
	struct gcs_snapshot *next = gcs_client_next(c, 100);
	cr_assert_eq(next, s, "what was queued is still fetched");
	cr_assert_null(gcs_client_next(c, 5000));
	cr_assert_eq(gcs_snapshot_tiles(s, KIT_HEAP), 9);
	gcs_snapshot_unref(s);
	gcs_snapshot_unref(next);
	gcs_client_close(c);
}

ClientTest(commands_have_limits)
{
	struct gcs_client *c = join(&(struct gcs_client_options){.name = "l"});
	struct gcs_filter f = {.enabled = true, .period = 1};
	cr_assert_eq(gcs_client_set_filter(c, KIT_EVENTS, &f), GCS_ARGUMENT);
	f.period = 0;
	cr_assert_eq(gcs_client_set_filter(c, 0, &f), GCS_ARGUMENT);
	f.period = 1000001;
	cr_assert_eq(gcs_client_set_filter(c, 0, &f), GCS_ARGUMENT);
	f = (struct gcs_filter){.period = 1, .delay_ms = 10001};
	cr_assert_eq(gcs_client_set_filter(c, 0, &f), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_COUNT, 1), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_INTERVAL, 3600001), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_state(c), GCS_CLIENT_LIVE);
	gcs_client_close(c);
}

static void on_change(void *context)
{
	atomic_fetch_add((atomic_uint *)context, 1);
}

ClientTest(tells_of_each_change)
{
	atomic_uint changes = 0;
	struct gcs_client *c = join(
	    &(struct gcs_client_options){.name = "t", .changed = on_change, .context = &changes});
	kit_until(atomic_load(&changes) != 0);
	unsigned before = atomic_load(&changes);
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	target_event(&target, KIT_TICK, 0);
	kit_until(atomic_load(&changes) > before);
	before = atomic_load(&changes);
	gcs_server_set_info(target.server, "a", "b", NULL);
	kit_until(atomic_load(&changes) > before);
	struct gcs_model *m = NULL;
	kit_until((gcs_model_unref(m), m = gcs_client_model(c))->info_count == 1);
	gcs_model_unref(m);
	gcs_client_close(c);
}

/* Closing does not wait for an answer that never comes. */
ClientTest(closing_while_connecting_is_quick)
{
	int port = 0, listener = net_listen_tcp("127.0.0.1", 0, &port, &err);
	char address[32];
	snprintf(address, sizeof address, "%d", port);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t begin = now_ns();
		struct gcs_client *c =
		    gcs_client_open(&(struct gcs_client_options){.address = address}, &err);
		kit_sleep_ms(i % 3);
		gcs_client_close(c);
		cr_assert_lt(now_ns() - begin, UINT64_C(2000000000));
	}
	net_close(listener);
}
