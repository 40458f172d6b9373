/* Connections before their hello is complete: they take nothing from clients. */
#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>

#include "target_suite.h"

#define PendingTest(name) Test(server_pending, name, .init = setup, .fini = teardown, .timeout = 60)

static int connect_only(void)
{
	struct net_address address;
	cr_assert(net_parse(target.address, &address, &target.err));
	int fd = net_connect(&address, 5000, -1, &target.err);
	cr_assert_neq(fd, -1, "%s", target.err.text);
	return fd;
}

static const struct gcs_client_options resumes = {.name = "resume", .resume_only = true};

PendingTest(forty_silent_connections_keep_nobody_out)
{
	enum { SILENT = 40 };
	int fds[SILENT];
	struct gcs_client *first = join(&plain);
	for (unsigned i = 0; i < SILENT; i++)
		fds[i] = connect_only();
	struct gcs_client *second = join(&plain);
	kit_until(wants(KIT_TICK, 3));
	target_event(&target, KIT_TICK, 0);
	(void)next_sequence(first);
	(void)next_sequence(second);
	gcs_client_close(join(&resumes));
	cr_assert_eq(gcs_client_state(first), GCS_CLIENT_LIVE);
	cr_assert_eq(target_stats(&target).clients, 2);
	for (unsigned i = 0; i < SILENT; i++)
		net_close(fds[i]);
	gcs_client_close(first);
	gcs_client_close(second);
	kit_until(target_stats(&target).clients_rejected == SILENT);
}

/* The oldest connection makes way, with a word if it speaks our protocol. */
PendingTest(the_oldest_connection_makes_way)
{
	enum { MORE = 31 }; /* as many as are pending, with the first one */
	int fds[MORE], first = connect_only();
	cr_assert_eq(net_write(first, "GCSP\1\0\3\0", 8), 8);
	for (unsigned i = 0; i < MORE; i++)
		fds[i] = connect_only();
	gcs_client_close(join(&resumes));
	char bytes[200];
	long got = 0, n = 0;
	kit_until((n = net_read(first, bytes + got, sizeof bytes - (size_t)got)) < 0 ||
		  (got += n, false));
	cr_assert(got > 8 && memcmp(bytes, "GCSP", 4) == 0, "%ld bytes", got);
	bytes[got < 200 ? got : 199] = '\0';
	cr_assert_eq(bytes[12], GCS_WIRE_BYE);
	for (unsigned i = 0; i < MORE; i++) {
		cr_assert_not(closed_by_server(fds[i]), "only the first one made way, not %u", i);
		net_close(fds[i]);
	}
	net_close(first);
}

static atomic_bool over;
static atomic_uint made;

/* Connects again and again and says half of a hello. */
static void *flood(void *argument)
{
	enum { AT_ONCE = 100 };
	int fds[AT_ONCE];
	struct net_address address;
	(void)argument;
	if (!net_parse(target.address, &address, NULL))
		return NULL;
	for (unsigned i = 0; i < AT_ONCE; i++)
		fds[i] = -1;
	for (unsigned i = 0; !atomic_load(&over); i = (i + 1) % AT_ONCE) {
		net_close(fds[i]);
		fds[i] = net_connect(&address, 1000, -1, NULL);
		if (fds[i] != -1)
			(void)net_write(
			    fds[i], i % 2 == 0 ? "GCSP\1\0\3\0\7" : "GC", i % 2 == 0 ? 9 : 2);
		atomic_fetch_add(&made, fds[i] != -1);
	}
	for (unsigned i = 0; i < AT_ONCE; i++)
		net_close(fds[i]);
	return NULL;
}

/* All of one user, so that none has a right before others; test_server_users.c has those of two. */
PendingTest(a_flood_of_connections_disturbs_no_client)
{
	enum { EVENTS = 30 };
	pthread_t thread;
	struct gcs_client *first = join(&plain);
	kit_until(wants(KIT_TICK, 1));
	atomic_store(&over, false);
	atomic_store(&made, 0);
	cr_assert_eq(pthread_create(&thread, NULL, flood, NULL), 0);
	kit_until(atomic_load(&made) > 200);
	for (unsigned i = 0; i < EVENTS; i++) {
		target_event(&target, KIT_TICK, 0);
		(void)next_sequence(first);
		kit_sleep_ms(5);
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	cr_assert_eq(gcs_client_state(first), GCS_CLIENT_LIVE);
	gcs_client_close(first);
	kit_until(target_stats(&target).clients == 0);
	cr_assert_gt(target_stats(&target).clients_rejected, 100);
	/* A line for each of them would be a flood as well. */
	cr_assert_lt(atomic_load(&target.lines), target_stats(&target).clients_rejected / 2);
}

/* Holds of clients of all places, ended by one for which there is none. */
Test(server_pending, resuming_needs_no_place, .timeout = 60)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){.max_clients = 2}));
	struct gcs_client *a = join(&plain), *b = join(&plain);
	cr_assert_null(target_client(&target, &plain));
	cr_assert_eq(target.err.status, GCS_REJECTED);
	cr_assert_eq(gcs_client_pause(a), GCS_OK);
	cr_assert_eq(gcs_client_pause(b), GCS_OK);
	uint32_t others = 0;
	kit_until((gcs_client_run_state(a, NULL, &others), others == 1));
	kit_until((gcs_client_run_state(b, NULL, &others), others == 1));
	unsigned looks = atomic_load(&target.looks);

	struct gcs_client *c = join(&resumes);
	kit_until((gcs_client_run_state(c, NULL, &others), others == 2));
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK); /* it holds nothing: nothing happens */
	cr_assert_eq(gcs_client_resume(c, true), GCS_OK);
	kit_until(gcs_client_run_state(a, NULL, NULL) == GCS_RUNNING);
	kit_until(gcs_client_run_state(b, NULL, NULL) == GCS_RUNNING);
	target_event(&target, KIT_TICK, 0);
	(void)next_sequence(a);
	cr_assert_null(gcs_client_latest(c), "it gets no snapshots");
	cr_assert_eq(target_stats(&target).clients, 2);
	cr_assert_eq(target_stats(&target).clients_ever, 2);
	cr_assert_eq(atomic_load(&target.looks), looks);
	gcs_client_close(c);
	gcs_client_close(a);
	gcs_client_close(b);
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

PendingTest(one_that_only_resumes_commands_nothing_else)
{
	struct gcs_client *c = join(&resumes);
	struct gcs_filter f = {.enabled = true, .period = 2, .pause = true};
	uint32_t id;
	cr_assert_eq(atomic_load(&target.comings), 0, "nothing is gathered for it");
	cr_assert_eq(gcs_client_pause(c), GCS_OK);
	cr_assert_eq(gcs_client_step(c), GCS_OK);
	cr_assert_eq(gcs_client_set_filter(c, KIT_TICK, &f), GCS_OK);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_LOCKSTEP, 0), GCS_OK);
	cr_assert_eq(gcs_client_ack(c, 7), GCS_OK);
	cr_assert_eq(gcs_client_collapse_space(c, KIT_HEAP, true), GCS_OK);
	cr_assert_eq(gcs_client_collapse_space(c, KIT_HEAP, false), GCS_OK);
	cr_assert_eq(gcs_client_query(c, "sites", 0, NULL, &id), GCS_OK);
	struct gcs_answer *answer = gcs_client_answer(c, id, 10000);
	cr_assert_not_null(answer);
	cr_assert_eq(answer->status, GCS_UNSUPPORTED);
	gcs_answer_free(answer);
	cr_assert(wants(KIT_TICK, 0));
	cr_assert_eq(target_event(&target, KIT_TICK, 0), 0, "and the program goes on");
	cr_assert_eq(atomic_load(&target.looks), 0);
	cr_assert_eq(gcs_client_run_state(c, NULL, NULL), GCS_RUNNING);
	gcs_client_close(c);
	cr_assert_eq(target_stats(&target).clients_rejected, 0);
}

/* Another protocol's client gets no byte, let alone a description. */
PendingTest(a_web_browser_is_told_nothing)
{
	char byte;
	int fd = connect_only();
	cr_assert_eq(net_write(fd, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 35), 35);
	long n = 0;
	kit_until((n = net_read(fd, &byte, 1)) != 0);
	cr_assert_eq(n, -1, "closed before any byte");
	net_close(fd);
	kit_until(target_stats(&target).clients_rejected == 1);
}
