/* The server with real clients over real sockets (F7 to F9, F14, Q1, Q3). */
#include <criterion/criterion.h>

#include <pthread.h>
#include <string.h>

#include "now.h"
#include "target_suite.h"

#define ServerTest(name) Test(server, name, .init = setup, .fini = teardown, .timeout = 60)

ServerTest(nobody_attached_nothing_gathered)
{
	struct gcs_ticket t;
	for (uint64_t i = 1; i < 10; i++) {
		cr_assert_not(gcs_server_enter(target.server, KIT_TICK, &t));
		cr_assert(t.count == i && t.audience == 0 && t.sequence == 0);
		gcs_server_leave(target.server, &t);
	}
	cr_assert_not(gcs_server_enter(target.server, GCS_MAX_EVENTS, &t));
	gcs_server_leave(target.server, &t);
	cr_assert_not(gcs_server_attached(target.server));
	cr_assert_not(gcs_server_wants(target.server, KIT_TICK));
	cr_assert_not(gcs_server_wants(target.server, GCS_NONE));
	cr_assert_not(gcs_server_wants_space(target.server, &t, KIT_HEAP));
}

/* F8: several clients at once, each of them gets all of it. */
ServerTest(many_clients_see_the_same)
{
	enum { CLIENTS = 8, EVENTS = 40 };
	struct gcs_client *clients[CLIENTS];
	for (unsigned i = 0; i < CLIENTS; i++)
		clients[i] =
		    join(&(struct gcs_client_options){.name = "many", .compress = i % 2 == 0});
	kit_until(target_stats(&target).clients == CLIENTS);
	kit_until(wants(KIT_PLAIN_EVENT, (1 << CLIENTS) - 1));
	for (unsigned i = 0; i < EVENTS; i++) {
		cr_assert_eq(target_event(&target, i % 2, 0), (1 << CLIENTS) - 1);
		struct gcs_snapshot *first = gcs_client_next(clients[0], 10000);
		cr_assert_not_null(first);
		cr_assert_eq(gcs_snapshot_check(first, NULL), GCS_OK);
		for (unsigned k = 1; k < CLIENTS; k++) {
			struct gcs_snapshot *s = gcs_client_next(clients[k], 10000);
			const char *what = kit_difference(first, s, UINT64_MAX);
			cr_assert_null(what, "%s", what);
			gcs_snapshot_unref(s);
		}
		gcs_snapshot_unref(first);
	}
	struct gcs_server_stats stats = target_stats(&target);
	cr_assert(stats.published == EVENTS && stats.thinned == 0 && stats.clients_ever == CLIENTS);
	cr_assert_gt(stats.sent_bytes, 1000);
	for (unsigned i = 0; i < CLIENTS; i++)
		gcs_client_close(clients[i]);
	kit_until(target_stats(&target).clients == 0);
	kit_until(atomic_load(&target.goings) == 1);
	cr_assert_eq(atomic_load(&target.comings), 1);
	cr_assert_eq(atomic_load(&target.looks), CLIENTS);
	kit_until(wants(KIT_TICK, 0));
}

/* F7: events are counted even when nobody gets them. */
ServerTest(filtered_events_are_counted)
{
	struct gcs_client *c = join(&plain);
	struct gcs_filter off = {.enabled = false, .period = 1};
	cr_assert_eq(gcs_client_set_filter(c, KIT_FULL, &off), GCS_OK);
	kit_until(!gcs_server_wants(target.server, KIT_FULL));
	for (unsigned i = 0; i < 5; i++)
		cr_assert_eq(target_event(&target, KIT_FULL, 0), 0);
	cr_assert_neq(target_event(&target, KIT_TICK, 0), 0);
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	cr_assert_eq(gcs_snapshot_counter(s, KIT_FULL), 5);
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

/* F9: each client has its own filters. */
ServerTest(filters_are_per_client)
{
	struct gcs_client *all = join(&plain), *third = join(&plain);
	struct gcs_filter f = {.enabled = true, .period = 3};
	kit_until(wants(KIT_TICK, 3));
	cr_assert_eq(gcs_client_set_filter(third, KIT_FULL, &f), GCS_OK);
	f = (struct gcs_filter){.enabled = false, .period = 1};
	cr_assert_eq(gcs_client_set_filter(third, KIT_TICK, &f), GCS_OK);
	kit_until(wants(KIT_TICK, 1));
	for (unsigned i = 1; i <= 9; i++)
		cr_assert_eq(target_event(&target, KIT_FULL, 0), i % 3 == 0 ? 3 : 1);
	for (unsigned i = 0; i < 9; i++)
		(void)next_sequence(all);
	for (unsigned i = 0; i < 3; i++)
		(void)next_sequence(third);
	cr_assert_null(gcs_client_next(third, 30));
	gcs_client_close(third); /* its filters go with it */
	kit_until(wants(KIT_TICK, 1));
	cr_assert_eq(target_event(&target, KIT_FULL, 0), 1);
	gcs_client_close(all);
}

ServerTest(a_filter_can_delay_the_program)
{
	struct gcs_client *c = join(&plain);
	struct gcs_filter f = {.enabled = true, .period = 1, .delay_ms = 60};
	kit_until(wants(KIT_TICK, 1));
	cr_assert_eq(gcs_client_set_filter(c, KIT_FULL, &f), GCS_OK);
	cr_assert_eq(gcs_client_set_filter(c, KIT_TICK, &(struct gcs_filter){.period = 1}), GCS_OK);
	kit_until(wants(KIT_TICK, 0)); /* by then the first is obeyed too */
	uint64_t begin = now_ns();
	target_event(&target, KIT_FULL, 0);
	cr_assert_geq(now_ns() - begin, UINT64_C(60000000));
	cr_assert_geq(target_stats(&target).held_ns, UINT64_C(55000000));
	gcs_client_close(c);
}

/* Not even the present state of a client that attaches. */
ServerTest(who_wants_no_tiles_gets_none)
{
	target_event(&target, KIT_TICK, 7);
	struct gcs_client *c = join(&(struct gcs_client_options){.no_tiles = true});
	const struct gcs_ticket t = {.event = KIT_TICK, .audience = 1};
	kit_until(wants(KIT_TICK, 1));
	for (uint32_t i = 0; i < KIT_SPACES; i++)
		cr_assert_not(gcs_server_wants_space(target.server, &t, i));
	target_event(&target, KIT_TICK, 9);
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	for (uint32_t i = 0; i < KIT_SPACES; i++)
		cr_assert_eq(gcs_snapshot_tiles(s, i), 0);
	gcs_snapshot_unref(s);
	gcs_client_close(c);
}

/* F14: closed spaces are not gathered; nothing is lost when they are opened again. */
ServerTest(collapsed_spaces_are_not_wanted)
{
	struct gcs_client *a = join(&plain), *b = join(&plain);
	struct gcs_ticket t = {.event = KIT_TICK, .audience = 3};
	cr_assert(gcs_server_wants_space(target.server, &t, KIT_HEAP));
	cr_assert_eq(gcs_client_collapse_group(a, KIT_GROUP_TOP, true), GCS_OK);
	kit_until((t.audience = 1, !gcs_server_wants_space(target.server, &t, KIT_HEAP)));
	t.audience = 3;
	cr_assert(
	    gcs_server_wants_space(target.server, &t, KIT_HEAP), "the other client has it open");
	cr_assert_eq(gcs_client_collapse_space(b, KIT_HEAP, true), GCS_OK);
	kit_until(!gcs_server_wants_space(target.server, &t, KIT_HEAP));
	cr_assert(gcs_server_wants_space(target.server, &t, KIT_LIST));
	for (unsigned i = 0; i < 10; i++)
		target_event(&target, KIT_TICK, i + 1);
	unsigned looks = atomic_load(&target.looks);
	cr_assert_eq(gcs_client_collapse_group(a, KIT_GROUP_TOP, false), GCS_OK);
	kit_until(atomic_load(&target.looks) == looks + 1);
	target_event(&target, KIT_TICK, 5);
	for (unsigned i = 0; i < 10; i++)
		(void)next_sequence(a);
	struct gcs_snapshot *s = gcs_client_next(a, 10000);
	cr_assert_eq(gcs_snapshot_tiles(s, KIT_HEAP), 5);
	gcs_snapshot_unref(s);
	cr_assert_eq(gcs_client_collapse_group(a, 3, true), GCS_ARGUMENT);
	cr_assert_eq(gcs_client_collapse_space(a, KIT_SPACES, true), GCS_ARGUMENT);
	gcs_client_close(a);
	gcs_client_close(b);
}

/* A look reaches the one client that it is for. */
ServerTest(audiences_are_kept_apart)
{
	struct gcs_client *a = join(&plain), *b = join(&plain);
	struct gcs_ticket look = {.event = GCS_NONE, .audience = 2};
	kit_until(wants(KIT_TICK, 3));
	struct gcs_snapshot *s = gcs_server_begin(target.server, &look);
	cr_assert_not_null(s);
	gcs_server_publish(target.server, &look, s);
	s = gcs_client_next(b, 10000);
	cr_assert_not_null(s);
	cr_assert_eq(gcs_snapshot_occurrence(s)->event, GCS_NONE);
	gcs_snapshot_unref(s);
	cr_assert_null(gcs_client_next(a, 50));
	gcs_client_close(a);
	gcs_client_close(b);
}

ServerTest(misses_are_counted_and_told)
{
	struct gcs_client *c = join(&plain);
	struct gcs_ticket t;
	kit_until(gcs_server_wants(target.server, KIT_TICK));
	for (unsigned i = 0; i < 3; i++) {
		cr_assert(gcs_server_enter(target.server, KIT_TICK, &t));
		gcs_server_miss(target.server, &t);
		gcs_server_leave(target.server, &t);
	}
	target_event(&target, KIT_TICK, 0);
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 3);
	gcs_snapshot_unref(s);
	cr_assert_eq(target_stats(&target).missed, 3);
	gcs_client_close(c);
}

ServerTest(the_description_changes_while_clients_look_on)
{
	struct gcs_client *c = join(&plain);
	struct gcs_space space = kit_spaces[KIT_LIST];
	for (unsigned i = 0; i < 30; i++) {
		uint32_t id;
		cr_assert_eq(gcs_server_add_space(target.server, &space, &id, NULL), GCS_OK);
		cr_assert_eq(gcs_server_set_space(target.server, KIT_LIST, &space, NULL), GCS_OK);
		cr_assert_eq(gcs_server_remove_space(target.server, id, NULL), GCS_OK);
		cr_assert_eq(
		    gcs_server_set_info(target.server, "Turn", i % 2 ? "a" : "b", NULL), GCS_OK);
		target_event(&target, KIT_TICK, 0);
	}
	cr_assert_eq(
	    gcs_server_add_event(target.server, &kit_events[0], NULL, &target.err), GCS_STATE);
	struct gcs_snapshot *s = NULL;
	for (unsigned i = 0; i < 30; i++) {
		gcs_snapshot_unref(s);
		s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		cr_assert_eq(gcs_snapshot_check(s, NULL), GCS_OK);
	}
	const struct gcs_model *m = gcs_snapshot_model(s);
	cr_assert_eq(m->space_count, KIT_SPACES + 30);
	for (uint32_t i = KIT_SPACES; i < m->space_count; i++)
		cr_assert(m->spaces[i].gone);
	gcs_snapshot_unref(s);
	cr_assert_eq(gcs_client_state(c), GCS_CLIENT_LIVE);
	gcs_client_close(c);
}

static atomic_bool stop;

static void *redescribe(void *argument)
{
	(void)argument;
	for (unsigned i = 0; !atomic_load(&stop); i++)
		gcs_server_set_info(target.server, "Turn", i % 2 ? "a" : "b", NULL);
	return NULL;
}

/* A client's bootstrap reads the description while another thread replaces it. */
ServerTest(the_description_changes_while_clients_come)
{
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, redescribe, NULL), 0);
	for (unsigned i = 0; i < 40; i++)
		gcs_client_close(join(&plain));
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}

/* F8: again and again, and nothing is left behind. */
ServerTest(two_hundred_clients_come_and_go)
{
	gcs_client_close(join(&plain));
	kit_until(target_stats(&target).clients == 0);
	size_t blocks = 0;
	for (unsigned i = 0; i < 200; i++) {
		struct gcs_client *c = join(&plain);
		target_event(&target, KIT_TICK, 0);
		if (i % 3 == 0)
			(void)gcs_client_pause(c);
		gcs_client_close(c);
		if (i == 20) {
			kit_until(target_stats(&target).clients == 0);
			kit_sleep_ms(20);
			blocks = kit_live_blocks();
		}
	}
	kit_until(target_stats(&target).clients == 0);
	kit_until(kit_live_blocks() <= blocks);
	cr_assert_eq(target_stats(&target).clients_ever, 201);
	kit_until(atomic_load(&target.goings) == atomic_load(&target.comings));
}

/* A server with a long timeout for clients that do not read, as on a busy machine under a sanitizer. */
static void setup_long_timeout(void)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){.keep_alive_ms = 60000}));
}

/* Q3: the slow one is thinned and told of it, the fast one gets all, the publisher never waits,
 * and the memory that waits for the slow one is bounded. */
Test(server, a_slow_reader_is_thinned, .init = setup_long_timeout, .fini = teardown, .timeout = 180)
{
	enum { EVENTS = 150, TILES = 20000 }; /* 160 KB of random values to an event */
	struct gcs_client *fast = join(&plain);
	int slow = raw_client("");
	kit_until(target_stats(&target).clients == 2);
	uint64_t longest = 0;
	struct wr ping;
	wr_init(&ping, 100);
	put_number(&ping, GCS_WIRE_PING, 0);
	for (unsigned i = 0; i < EVENTS; i++) {
		/* It does not read, but it lives. */
		(void)net_write(slow, ping.data, ping.length);
		uint64_t begin = now_ns();
		cr_assert_eq(target_event(&target, KIT_TICK, TILES), 3);
		uint64_t took = now_ns() - begin;
		longest = took > longest ? took : longest;
		(void)next_sequence(fast);
	}
	wr_fini(&ping);
	struct gcs_server_stats stats = target_stats(&target);
	cr_assert_gt(stats.thinned, 50);
	cr_assert_eq(gcs_client_overrun(fast), 0);
	cr_assert_lt(longest, UINT64_C(2000000000));
	/* 2 MiB of queue, one encoded snapshot, and what the fast client keeps. */
	cr_assert_lt(kit_live_bytes(), 24u << 20, "%zu bytes", kit_live_bytes());
	struct gcs_snapshot *s = gcs_client_latest(fast);
	cr_assert_eq(gcs_snapshot_occurrence(s)->missed, 0);
	gcs_snapshot_unref(s);
	net_close(slow);
	kit_until(target_stats(&target).clients == 1);
	gcs_client_close(fast);
}

/* A byte now and then does not keep a place among the connections. */
Test(server, an_introduction_has_a_time_limit, .init = setup_short, .fini = teardown, .timeout = 60)
{
	struct net_address address;
	cr_assert(net_parse(target.address, &address, NULL));
	int fd = net_connect(&address, 5000, -1, NULL);
	bool closed = false;
	cr_assert_eq(net_write(fd, "GCSP\1\0\0\0", 8), 8);
	for (unsigned i = 0; i < 600 && !closed; i++) {
		kit_sleep_ms(50);
		(void)net_write(fd, "\377", i < 1);
		closed = closed_by_server(fd) || net_write(fd, "", 1) < 0;
	}
	cr_assert(closed);
	cr_assert_eq(target_stats(&target).clients_silent, 1);
	net_close(fd);
	kit_until(target_stats(&target).clients_rejected == 1);
}

static atomic_bool stopped; /* the client's reader shall wait, as in a process that is stopped */

static void stop_while_silent(void *context)
{
	(void)context;
	while (atomic_load(&stopped) && target_stats(&target).clients != 0)
		kit_sleep_ms(1);
}

/* The reason is behind all that came before it. */
Test(server, a_client_that_was_silent_learns_it, .init = setup_short, .fini = teardown,
    .timeout = 60)
{
	struct gcs_error err;
	struct gcs_client *c =
	    join(&(struct gcs_client_options){.changed = stop_while_silent, .queue_limit = 256});
	kit_until(wants(KIT_TICK, 1));
	atomic_store(&stopped, true);
	for (uint32_t i = 0; i < 6; i++)
		target_event(&target, KIT_TICK, 2000 + i);
	kit_until(target_stats(&target).clients == 0);
	atomic_store(&stopped, false);
	kit_until(gcs_client_state(c) == GCS_CLIENT_LOST);
	gcs_client_error(c, &err);
	cr_assert_str_eq(err.text, "the client was silent for longer than the keep-alive limit");
	gcs_client_close(c);
}

ServerTest(strangers_are_turned_away_with_a_line)
{
	struct net_address address;
	cr_assert(net_parse(target.address, &address, NULL));
	int fd = net_connect(&address, 5000, -1, NULL);
	cr_assert_eq(net_write(fd, "GET / HTTP/1.0\r\n\r\n", 18), 18);
	kit_until(closed_by_server(fd));
	net_close(fd);
	kit_until(target_stats(&target).clients_rejected == 1);
	kit_until(atomic_load(&target.lines) == 1);
	cr_assert_not_null(strstr(target.line, "protocol"));
}

/* Any number of threads get numbers at once, for events and for states. */
enum { STAMPERS = 4, STAMPS = 100000 };

static void *stamp(void *context)
{
	struct gcs_ticket *tickets = context;
	for (uint32_t i = 0; i < STAMPS; i++)
		gcs_server_stamp(target.server, &tickets[i]);
	return NULL;
}

/* An occurrence's number orders what a recording has, its time what is shown (F21). */
ServerTest(numbers_are_in_the_order_of_times)
{
	static struct gcs_ticket tickets[STAMPERS][STAMPS];
	static uint64_t times[STAMPERS * STAMPS + 1];
	pthread_t threads[STAMPERS];
	for (int i = 0; i < STAMPERS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, stamp, tickets[i]), 0);
	for (int i = 0; i < STAMPERS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < STAMPERS; i++)
		for (uint32_t k = 0; k < STAMPS; k++) {
			const uint64_t number = tickets[i][k].sequence;
			cr_assert(number != 0 && number <= STAMPERS * STAMPS && times[number] == 0,
			    "number %u", (unsigned)number);
			times[number] = tickets[i][k].time_ns;
		}
	for (uint32_t i = 1; i < STAMPERS * STAMPS; i++)
		cr_assert_leq(times[i], times[i + 1], "number %u", i);
}
