/*
 * Clients and a server that speak the protocol of 2002 over sockets (E2), among others that do not.
 */
#include <criterion/criterion.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "kit_server.h"
#include "net.h"

static struct target target;
static atomic_bool over;
static pthread_t program;

/* The program: events until the test is over. */
static void *run_program(void *context)
{
	(void)context;
	while (!atomic_load(&over)) {
		target_event(&target, KIT_TICK, 0);
		target_event(&target, KIT_FULL, 0);
		kit_sleep_ms(2);
	}
	return NULL;
}

static void setup(void)
{
	kit_count_memory(0);
	atomic_store(&over, false);
	cr_assert(target_init(&target, &(struct gcs_server_options){0}), "%s", target.err.text);
	cr_assert_eq(pthread_create(&program, NULL, run_program, NULL), 0);
}

static void teardown(void)
{
	atomic_store(&over, true);
	pthread_join(program, NULL);
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define OldTest(name) Test(client_2002, name, .init = setup, .fini = teardown, .timeout = 60)

static struct gcs_client *attach(bool pause)
{
	char address[64];
	snprintf(address, sizeof address, "2002:%s", target.address);
	struct gcs_client_options options = {.address = address, .pause_at_start = pause};
	struct gcs_client *c = gcs_client_open(&options, &target.err);
	cr_assert_not_null(c, "%s", target.err.text);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LIVE);
	cr_assert(gcs_client_of_2002(c));
	return c;
}

/* Takes the next snapshot at an event. */
static uint32_t next_event(struct gcs_client *c)
{
	uint32_t event = GCS_NONE;
	while (event == GCS_NONE) {
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		event = gcs_snapshot_occurrence(s)->event;
		gcs_snapshot_unref(s);
		event = event < KIT_EVENTS ? event : GCS_NONE;
	}
	return event;
}

static void drain(struct gcs_client *c)
{
	struct gcs_snapshot *s;
	while ((s = gcs_client_next(c, 0)) != NULL)
		gcs_snapshot_unref(s);
}

static bool is(struct gcs_client *c, enum gcs_run_state state)
{
	return gcs_client_run_state(c, NULL, NULL) == state;
}

OldTest(pause_step_and_resume)
{
	struct gcs_client *c = attach(false);
	next_event(c);
	cr_assert_eq(gcs_client_pause(c), GCS_OK);
	kit_until(is(c, GCS_PAUSED));
	bool own = false;
	gcs_client_run_state(c, &own, NULL);
	cr_assert(own);
	drain(c);
	for (unsigned i = 0; i < 20; i++) {
		cr_assert_eq(gcs_client_step(c), GCS_OK);
		next_event(c);
		kit_until(is(c, GCS_PAUSED));
		cr_assert_null(gcs_client_next(c, 5), "one event for a step");
	}
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK);
	cr_assert(is(c, GCS_RUNNING));
	for (unsigned i = 0; i < 5; i++)
		next_event(c);
	cr_assert_eq(gcs_client_step(c), GCS_OK, "of a running program: a pause");
	kit_until(is(c, GCS_PAUSED));
	gcs_client_close(c);
	kit_until(target_stats(&target).clients == 0);
}

OldTest(pause_at_start)
{
	struct gcs_client *c = attach(true);
	kit_until(is(c, GCS_PAUSED));
	gcs_client_close(c);
	c = attach(false);
	next_event(c);
	gcs_client_close(c);
}

OldTest(filters)
{
	struct gcs_client *c = attach(false);
	struct gcs_filter none = {.enabled = false, .period = 1};
	struct gcs_filter third = {.enabled = true, .period = 3};
	cr_assert_eq(gcs_client_set_filter(c, KIT_TICK, &none), GCS_OK);
	cr_assert_eq(gcs_client_set_filter(c, KIT_FULL, &third), GCS_OK);
	cr_assert_eq(gcs_client_set_filter(c, KIT_EVENTS + 1, &third), GCS_ARGUMENT);
	/* Until only such events come. */
	for (unsigned filtered = 0; filtered < 5;) {
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		filtered = gcs_snapshot_occurrence(s)->event == KIT_FULL &&
				   gcs_snapshot_counter(s, KIT_FULL) % 3 == 0
			       ? filtered + 1
			       : 0;
		gcs_snapshot_unref(s);
	}
	for (unsigned i = 0; i < 10; i++) {
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_eq(gcs_snapshot_occurrence(s)->event, KIT_FULL);
		cr_assert_eq(gcs_snapshot_counter(s, KIT_FULL) % 3, 0);
		gcs_snapshot_unref(s);
	}
	gcs_client_close(c);
}

OldTest(what_that_protocol_lacks_is_unsupported)
{
	struct gcs_client *c = attach(false);
	uint32_t id;
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_INTERVAL, 5), GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_ack(c, 1), GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_collapse_space(c, 0, true), GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_collapse_group(c, 0, true), GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_query(c, "sites", 0, NULL, &id), GCS_UNSUPPORTED);
	cr_assert_eq(gcs_client_set(c, "interval", "1", &id), GCS_UNSUPPORTED);
	gcs_client_close(c);
}

OldTest(options_are_checked)
{
	struct gcs_error err;
	struct gcs_client_options options = {.address = "2002:", .of_2002 = true};
	cr_assert_null(gcs_client_open(&options, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	options.address = target.address;
	options.token = "secret";
	cr_assert_null(gcs_client_open(&options, &err));
	cr_assert_not_null(strstr(err.text, "not use a token"));
	options.token = "";
	struct gcs_client *c = gcs_client_open(&options, &err);
	cr_assert_eq(gcs_client_wait(c, 10000), GCS_CLIENT_LIVE, "the option alone");
	gcs_client_close(c);
}

OldTest(old_and_new_clients_at_once)
{
	struct gcs_client *clients[6];
	for (unsigned i = 0; i < 6; i++)
		clients[i] = i % 2 == 0 ? attach(false)
					: target_client(&target, &(struct gcs_client_options){0});
	for (unsigned round = 0; round < 10; round++)
		for (unsigned i = 0; i < 6; i++)
			next_event(clients[i]);
	gcs_client_pause(clients[1]);
	for (unsigned i = 0; i < 6; i++)
		kit_until(is(clients[i], GCS_PAUSED));
	gcs_client_resume(clients[0], false);
	for (unsigned i = 0; i < 6; i++) {
		drain(clients[i]);
		next_event(clients[i]);
	}
	/* The others come to believe it with the first event that they did not ask for. */
	for (unsigned i = 0; i < 6; i++)
		kit_until(is(clients[i], GCS_RUNNING));
	for (unsigned i = 0; i < 6; i++)
		gcs_client_close(clients[i]);
}

static int option(int fd, int level, int name)
{
	int value = -1;
	socklen_t length = sizeof value;
	cr_assert_eq(getsockopt(fd, level, name, &value, &length), 0);
	return value;
}

Test(client_2002, the_system_watches_who_says_nothing)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	net_keep_alive(fd, 10000);
	cr_assert_eq(option(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
	cr_assert_eq(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 10);
	cr_assert_eq(option(fd, IPPROTO_TCP, TCP_KEEPINTVL), 3);
	cr_assert_eq(option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 30000);
	net_keep_alive(fd, 1);
	cr_assert_eq(option(fd, IPPROTO_TCP, TCP_KEEPIDLE), 1);
	net_close(fd);
}
