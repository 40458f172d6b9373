/* The server with real clients over real sockets (F7 to F12, F14, Q1, Q3). */
#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codec.h"
#include "net.h"
#include "target.h"

static struct target target;
static const struct gcs_client_options plain = {.name = "test"};

static void setup(void)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){0}), "%s", target.err.text);
}

static void teardown(void)
{
	target_fini(&target);
	cr_assert_eq(kit_live_blocks(), 0);
}

#define ServerTest(name) Test(server, name, .init = setup, .fini = teardown, .timeout = 60)

static struct gcs_client *join(const struct gcs_client_options *options)
{
	struct gcs_client *c = target_client(&target, options);
	cr_assert_not_null(c, "%s", target.err.text);
	return c;
}

static uint64_t next_sequence(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_next(c, 10000);
	cr_assert_not_null(s);
	uint64_t sequence = gcs_snapshot_occurrence(s)->sequence;
	gcs_snapshot_unref(s);
	return sequence;
}

/* The clients' commands are obeyed some time after they were given. */
static bool wants(uint32_t event, uint32_t audience)
{
	struct gcs_ticket t;
	bool wanted = gcs_server_enter(target.server, event, &t);
	if (wanted)
		gcs_server_miss(target.server, &t);
	return (wanted ? t.audience : 0) == audience;
}

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
	uint64_t begin = net_now_ns();
	target_event(&target, KIT_FULL, 0);
	cr_assert_geq(net_now_ns() - begin, UINT64_C(60000000));
	cr_assert_geq(target_stats(&target).held_ns, UINT64_C(55000000));
	gcs_client_close(c);
}

/* The program on a thread of its own. */

static atomic_uint turns;
static atomic_bool stop;

static void *program(void *argument)
{
	(void)argument;
	while (!atomic_load(&stop)) {
		target_event(&target, KIT_TICK, 0);
		atomic_fetch_add(&turns, 1);
		kit_sleep_ms(1);
	}
	return NULL;
}

static void finish(pthread_t thread)
{
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
}

static void expect_going(void)
{
	unsigned before = atomic_load(&turns);
	kit_until(atomic_load(&turns) > before + 2);
}

static void expect_still(void)
{
	unsigned before = atomic_load(&turns);
	kit_sleep_ms(50);
	cr_assert_eq(atomic_load(&turns), before);
}

static uint64_t latest_count(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_latest(c);
	uint64_t count = s == NULL ? 0 : gcs_snapshot_counter(s, KIT_TICK);
	gcs_snapshot_unref(s);
	return count;
}

/* F10: two clients hold; the program goes on when both have let go; the state is told to all. */
ServerTest(two_clients_pause)
{
	pthread_t thread;
	bool own;
	uint32_t others;
	struct gcs_client *a = join(&plain), *b = join(&plain);
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	expect_going();
	cr_assert_eq(gcs_client_pause(a), GCS_OK);
	cr_assert_eq(gcs_client_pause(b), GCS_OK);
	kit_until(gcs_client_run_state(a, &own, &others) == GCS_PAUSED && own && others == 1);
	kit_until(gcs_client_run_state(b, &own, &others) == GCS_PAUSED && own && others == 1);
	expect_still();
	/* A paused server has completed its transmission: both have the event it stands at. */
	struct gcs_snapshot *x = gcs_client_latest(a), *y = gcs_client_latest(b);
	cr_assert_eq(gcs_snapshot_occurrence(x)->sequence, gcs_snapshot_occurrence(y)->sequence);
	cr_assert_null(kit_difference(x, y, UINT64_MAX));
	uint64_t stood = gcs_snapshot_counter(x, KIT_TICK);
	gcs_snapshot_unref(x);
	gcs_snapshot_unref(y);
	cr_assert_eq(gcs_client_resume(a, false), GCS_OK);
	kit_until(!(gcs_client_run_state(a, &own, &others), own));
	expect_still();
	for (unsigned i = 1; i <= 3; i++) {
		cr_assert_eq(gcs_client_step(b), GCS_OK);
		kit_until(latest_count(b) >= stood + i);
		kit_until(gcs_client_run_state(b, NULL, NULL) == GCS_PAUSED);
		expect_still();
	}
	gcs_client_close(b); /* gone by close: the program goes on by itself */
	expect_going();
	kit_until(gcs_client_run_state(a, &own, &others) == GCS_RUNNING && others == 0);
	cr_assert_eq(gcs_client_pause(a), GCS_OK);
	kit_until(gcs_client_run_state(a, NULL, NULL) == GCS_PAUSED);
	struct gcs_client *c = join(&plain);
	cr_assert_eq(gcs_client_resume(c, true), GCS_OK); /* also others' holds */
	expect_going();
	finish(thread);
	gcs_client_close(a);
	gcs_client_close(c);
}

ServerTest(a_client_may_come_with_a_pause)
{
	pthread_t thread;
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	struct gcs_client *c =
	    join(&(struct gcs_client_options){.name = "pause", .pause_at_start = true});
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSED);
	expect_still();
	gcs_server_stop(target.server); /* stopping lets the program go on */
	expect_going();
	kit_until(gcs_client_state(c) == GCS_CLIENT_LOST);
	gcs_client_error(c, &target.err);
	cr_assert_eq(target.err.status, GCS_CLOSED, "%s", target.err.text);
	cr_assert_eq(gcs_client_pause(c), GCS_STATE);
	finish(thread);
	gcs_client_close(c);
	gcs_server_stop(target.server);
}

/* F12: lock-step goes on with each acknowledgement. */
ServerTest(lockstep_follows_the_client)
{
	pthread_t thread;
	struct gcs_client *c = join(&plain);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_LOCKSTEP, 0), GCS_OK);
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	for (unsigned i = 0; i < 20; i++) {
		uint64_t sequence = next_sequence(c);
		if (i > 5)
			cr_assert_null(gcs_client_next(c, 5), "it waits for the ack");
		cr_assert_eq(gcs_client_ack(c, sequence), GCS_OK);
	}
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_EVENTS, 0), GCS_OK);
	expect_going();
	finish(thread);
	gcs_client_close(c);
}

/* F12: at an interval comes the newest, and not more often. */
ServerTest(an_interval_thins_without_a_loss)
{
	pthread_t thread;
	struct gcs_client *c = join(&plain);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_INTERVAL, 100), GCS_OK);
	kit_sleep_ms(50);
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	uint64_t begin = net_now_ns(), last = 0;
	for (unsigned i = 0; i < 5; i++) {
		uint64_t sequence = next_sequence(c);
		cr_assert_gt(sequence, last);
		last = sequence;
	}
	cr_assert_geq(net_now_ns() - begin, UINT64_C(300000000));
	cr_assert_gt(last, 20);
	finish(thread);
	gcs_client_close(c);
}

/* F14: nothing is gathered for what nobody looks at; nothing is lost when it is opened again. */
ServerTest(collapsed_spaces_are_not_wanted)
{
	struct gcs_client *a = join(&plain), *b = join(&plain);
	struct gcs_ticket t = {.event = KIT_TICK, .audience = 3};
	cr_assert(gcs_server_wants_space(target.server, &t, KIT_HEAP));
	cr_assert_eq(gcs_client_collapse_group(a, KIT_GROUP_TOP, true), GCS_OK);
	kit_until((t.audience = 1, !gcs_server_wants_space(target.server, &t, KIT_HEAP)));
	t.audience = 3;
	cr_assert(gcs_server_wants_space(target.server, &t, KIT_HEAP), "the other one looks");
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
	finish(thread);
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

/* A connection made by hand, which reads nothing. */

static int raw_client(const char *token)
{
	struct net_address address;
	struct wr w;
	struct hello hello = {.name = "raw", .token = token};
	cr_assert(net_parse(target.address, &address, &target.err));
	int fd = net_connect(&address, 5000, -1, &target.err);
	cr_assert_neq(fd, -1, "%s", target.err.text);
	wr_init(&w, 1000);
	frame_preamble(&w);
	put_hello(&w, &hello);
	cr_assert_eq(net_write(fd, w.data, w.length), (long)w.length);
	wr_fini(&w);
	return fd;
}

/* Q3: the slow one is thinned and told of it, the fast one gets all, the publisher never waits,
 * and the memory that waits for the slow one is bounded. */
ServerTest(a_slow_reader_is_thinned)
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
		/* It does not read, but it lives: a sanitized run takes longer than the keep-alive limit. */
		(void)net_write(slow, ping.data, ping.length);
		uint64_t begin = net_now_ns();
		cr_assert_eq(target_event(&target, KIT_TICK, TILES), 3);
		uint64_t took = net_now_ns() - begin;
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

static bool closed_by_server(int fd)
{
	char bytes[4096];
	long n;
	while ((n = net_read(fd, bytes, sizeof bytes)) > 0)
		continue;
	return n < 0;
}

static void setup_short(void)
{
	kit_count_memory(0);
	cr_assert(target_init(&target, &(struct gcs_server_options){.keep_alive_ms = 300}));
}

#define ShortTest(name) Test(server, name, .init = setup_short, .fini = teardown, .timeout = 60)

/* F10: a hold falls with the silence of the one who holds. */
ShortTest(silence_lets_the_program_go_on)
{
	pthread_t thread;
	struct wr w;
	struct gcs_client *alive = join(&plain);
	int silent = raw_client("");
	wr_init(&w, 100);
	put_empty(&w, GCS_WIRE_PAUSE);
	cr_assert_eq(net_write(silent, w.data, w.length), (long)w.length);
	wr_fini(&w);
	kit_until(gcs_client_run_state(alive, NULL, NULL) == GCS_PAUSING);
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	kit_until(target_stats(&target).clients_silent == 1);
	expect_going();
	finish(thread);
	cr_assert(closed_by_server(silent) || (kit_sleep_ms(1500), closed_by_server(silent)));
	net_close(silent);
	cr_assert_eq(gcs_client_state(alive), GCS_CLIENT_LIVE, "pings keep a client");
	gcs_client_close(alive);
}

/* A byte now and then does not keep a place among the connections. */
ShortTest(an_introduction_has_a_time_limit)
{
	struct net_address address;
	cr_assert(net_parse(target.address, &address, NULL));
	int fd = net_connect(&address, 5000, -1, NULL);
	bool closed = false;
	cr_assert_eq(net_write(fd, "GCSP\1\0\0\0", 8), 8);
	for (unsigned i = 0; i < 30 && !closed; i++) {
		kit_sleep_ms(50);
		(void)net_write(fd, "\377", i < 1);
		closed = closed_by_server(fd) || net_write(fd, "", 1) < 0;
	}
	cr_assert(closed);
	cr_assert_eq(target_stats(&target).clients_silent, 1);
	net_close(fd);
	kit_until(target_stats(&target).clients_refused == 1);
}

ServerTest(strangers_are_turned_away_with_a_line)
{
	struct net_address address;
	cr_assert(net_parse(target.address, &address, NULL));
	int fd = net_connect(&address, 5000, -1, NULL);
	cr_assert_eq(net_write(fd, "GET / HTTP/1.0\r\n\r\n", 18), 18);
	kit_until(closed_by_server(fd));
	net_close(fd);
	kit_until(target_stats(&target).clients_refused == 1);
	kit_until(atomic_load(&target.lines) == 1);
	cr_assert_not_null(strstr(target.line, "protocol"));
}

/* Q1: who listens to more than this machine needs a token. */
Test(server_options, bad_ones_are_refused)
{
	char name[GCS_MAX_NAME + 2], token[300];
	struct gcs_error err;
	memset(name, 'n', sizeof name - 1);
	memset(token, 't', sizeof token - 1);
	name[sizeof name - 1] = token[sizeof token - 1] = '\0';
	const struct gcs_server_options bad[] = {
	    {.name = NULL},
	    {.name = name},
	    {.name = "s", .port = -2},
	    {.name = "s", .port = 65536},
	    {.name = "s", .max_clients = GCS_MAX_CLIENTS + 1},
	    {.name = "s", .keep_alive_ms = 3600001},
	    {.name = "s", .token = ""},
	    {.name = "s", .token = token},
	    {.name = "s", .host = "0.0.0.0"},
	    {.name = "s", .host = "::"},
	};
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		err.text[0] = '\0';
		cr_assert_null(gcs_server_create(&bad[i], &err), "case %zu", i);
		cr_assert_eq(err.status, GCS_ARGUMENT);
		cr_assert_gt(strlen(err.text), 10);
		cr_assert_null(gcs_server_create(&bad[i], NULL));
	}
	struct gcs_server *s = gcs_server_create(
	    &(struct gcs_server_options){.name = "s", .host = "0.0.0.0", .token = "t"}, &err);
	cr_assert_not_null(s, "%s", err.text);
	cr_assert_eq(gcs_server_start(s, &err), GCS_OK);
	gcs_server_destroy(s);
	gcs_server_destroy(NULL);
}

Test(server_options, a_token_is_checked)
{
	static const char *const wrong[] = {NULL, "", "secre", "secret2", "Secret", "secretsecret"};
	cr_assert(target_init(&target, &(struct gcs_server_options){.token = "secret"}));
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		cr_assert_null(
		    target_client(&target, &(struct gcs_client_options){.token = wrong[i]}));
		cr_assert_eq(target.err.status, GCS_DENIED, "%s", target.err.text);
		cr_assert_null(strstr(target.err.text, "secret"), "no secret in messages");
	}
	struct gcs_client *c =
	    target_client(&target, &(struct gcs_client_options){.token = "secret"});
	cr_assert_not_null(c, "%s", target.err.text);
	cr_assert_null(strstr(target.line, "secret"), "no secret in logs");
	gcs_client_close(c);
	target_fini(&target);
}

Test(server_options, no_more_clients_than_allowed)
{
	cr_assert(target_init(&target, &(struct gcs_server_options){.max_clients = 2}));
	struct gcs_client *a = join(&plain), *b = join(&plain);
	cr_assert_null(target_client(&target, &plain));
	cr_assert_eq(target.err.status, GCS_REFUSED);
	kit_until(target_stats(&target).clients_refused == 1);
	gcs_client_close(a);
	kit_until(target_stats(&target).clients == 1);
	gcs_client_close(join(&plain));
	gcs_client_close(b);
	target_fini(&target);
}

Test(server_options, more_connections_than_places)
{
	int fds[GCS_MAX_CLIENTS + 4];
	cr_assert(target_init(&target, &(struct gcs_server_options){.max_clients = 32}));
	for (unsigned i = 0; i < GCS_MAX_CLIENTS; i++)
		fds[i] = raw_client("");
	kit_until(target_stats(&target).clients == GCS_MAX_CLIENTS);
	for (unsigned i = GCS_MAX_CLIENTS; i < GCS_MAX_CLIENTS + 4; i++) {
		fds[i] = raw_client("");
		kit_until(closed_by_server(fds[i]));
	}
	cr_assert_eq(target_stats(&target).clients_refused, 4);
	kit_until(wants(KIT_TICK, UINT32_MAX));
	for (unsigned i = 0; i < GCS_MAX_CLIENTS + 4; i++)
		net_close(fds[i]);
	kit_until(target_stats(&target).clients == 0);
	target_fini(&target);
}

Test(server_options, ports_are_taken_and_given_back)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "first"};
	struct gcs_server *first = gcs_server_create(&options, &err);
	cr_assert_eq(gcs_server_port(first), -1);
	cr_assert_eq(gcs_server_listen(first, &err), GCS_OK);
	options.port = gcs_server_port(first);
	cr_assert_gt(options.port, 0);
	cr_assert_eq(gcs_server_listen(first, &err), GCS_STATE);
	struct gcs_server *second = gcs_server_create(&options, &err);
	cr_assert_eq(gcs_server_start(second, &err), GCS_IO);
	cr_assert_eq(err.status, GCS_IO);
	cr_assert_eq(gcs_server_start(second, NULL), GCS_IO);
	cr_assert_eq(gcs_server_start(first, &err), GCS_OK);
	cr_assert_eq(gcs_server_start(first, &err), GCS_STATE);
	gcs_server_stop(first);
	gcs_server_stop(first);
	cr_assert_eq(gcs_server_port(first), -1);
	cr_assert_eq(gcs_server_start(second, &err), GCS_OK, "%s", err.text);
	gcs_server_stop(second);
	cr_assert_eq(gcs_server_start(second, &err), GCS_OK, "a server may start again");
	gcs_server_destroy(first);
	gcs_server_destroy(second);
}

Test(server_options, a_unix_socket_serves_alone)
{
	char folder[] = "/tmp/gcspy-server-XXXXXX", path[64], address[80];
	struct stat st;
	cr_assert_not_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/socket", folder);
	snprintf(address, sizeof address, "unix:%s", path);
	cr_assert(
	    target_init(&target, &(struct gcs_server_options){.port = -1, .socket_path = path}));
	cr_assert_eq(gcs_server_port(target.server), -1);
	cr_assert_eq(stat(path, &st), 0);
	cr_assert_eq(st.st_mode & 0777, 0600);
	struct gcs_client *c = join(&(struct gcs_client_options){.address = address});
	kit_until(wants(KIT_TICK, 1));
	target_event(&target, KIT_TICK, 0);
	(void)next_sequence(c);
	gcs_client_close(c);
	target_fini(&target);
	cr_assert_neq(stat(path, &st), 0, "the socket file goes with the server");
	cr_assert_eq(rmdir(folder), 0);
}

/* Without a look callback a new client gets the newest state that is known. */
Test(server_options, a_late_client_sees_the_present)
{
	struct gcs_error err;
	struct gcs_server_options options = {.name = "no look"};
	target = (struct target){.server = gcs_server_create(&options, &err), .random = 5};
	gcs_server_add_event(target.server, &kit_events[0], NULL, NULL);
	for (uint32_t i = 0; i < 3; i++)
		gcs_server_add_group(target.server, &kit_groups[i], NULL, NULL);
	gcs_server_add_space(target.server, &kit_spaces[0], NULL, NULL);
	cr_assert_eq(gcs_server_start(target.server, &err), GCS_OK);
	snprintf(target.address, sizeof target.address, "%d", gcs_server_port(target.server));
	struct gcs_client *a = join(&plain);
	kit_until(wants(0, 1));
	target_event(&target, 0, 77);
	struct gcs_snapshot *x = gcs_client_next(a, 10000);
	struct gcs_client *b = join(&plain);
	struct gcs_snapshot *y = gcs_client_next(b, 10000);
	cr_assert_not_null(y);
	cr_assert_null(kit_difference(x, y, UINT64_MAX));
	cr_assert_eq(gcs_snapshot_tiles(y, 0), 77);
	gcs_snapshot_unref(x);
	gcs_snapshot_unref(y);
	gcs_client_close(a);
	gcs_client_close(b);
	gcs_server_destroy(target.server);
}

static struct gcs_ticket late;
static atomic_uint warnings;

/* A target that keeps what it captured to itself until it is told to publish. */
static void publish_late(void *context)
{
	(void)context;
	atomic_fetch_add(&warnings, 1);
	gcs_server_publish(target.server, &late, gcs_server_begin(target.server, &late));
}

static void *happen_late(void *argument)
{
	(void)argument;
	gcs_server_enter(target.server, KIT_TICK, &late);
	gcs_server_leave(target.server, &late);
	return NULL;
}

/* F10: who publishes later than at the event is told before the program waits, and only then. */
Test(server_options, a_target_that_publishes_late_is_told_in_time)
{
	pthread_t thread;
	cr_assert(target_init(&target, &(struct gcs_server_options){.waiting = publish_late}));
	struct gcs_client *c =
	    join(&(struct gcs_client_options){.name = "pause", .pause_at_start = true});
	cr_assert_eq(pthread_create(&thread, NULL, happen_late, NULL), 0);
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSED);
	cr_assert_eq(atomic_load(&warnings), 1);
	cr_assert_eq(next_sequence(c), late.sequence);
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK);
	pthread_join(thread, NULL);
	happen_late(NULL);
	cr_assert_eq(atomic_load(&warnings), 1, "nobody holds the program");
	gcs_client_close(c);
	target_fini(&target);
}
