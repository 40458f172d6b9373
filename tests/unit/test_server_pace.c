/*
 * A program on a thread of its own that clients hold, step and slow down (F10, F12): it stands when
 * one of them wants it to, and goes on when nobody holds it any more, for whatever reason.
 */
#include <criterion/criterion.h>

#include <pthread.h>

#include "now.h"
#include "target_suite.h"

#define PaceTest(name) Test(server_pace, name, .init = setup, .fini = teardown, .timeout = 60)

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

/* While events follow each other closely, they do not wake the I/O thread: whenever they end, the last
 * one arrives all the same. */
PaceTest(the_last_event_of_each_burst_arrives)
{
	uint64_t state = kit_seed(), count = 0;
	struct gcs_client *c = join(&plain);
	for (int burst = 0; burst < 150; burst++) {
		for (uint32_t left = 1 + kit_below(&state, 20); left > 0; left--) {
			target_event(&target, KIT_TICK, 0);
			count++;
			if (kit_below(&state, 3) == 0)
				kit_sleep_ms(kit_below(&state, 5));
		}
		kit_until(latest_count(c) == count);
	}
	gcs_client_close(c);
}

/* F10: two clients hold; the program continues when both holds end; all receive the state. */
PaceTest(two_clients_pause)
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

PaceTest(a_client_may_come_with_a_pause)
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
PaceTest(lockstep_follows_the_client)
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

/* F12: at an interval comes what is due, and nothing else is gathered. */
PaceTest(an_interval_thins_without_a_loss)
{
	pthread_t thread;
	struct gcs_client *c = join(&plain);
	cr_assert_eq(gcs_client_set_pace(c, GCS_PACE_INTERVAL, 100), GCS_OK);
	/* Answers come in order: with this one the pace is set. */
	uint32_t id;
	cr_assert_eq(gcs_client_query(c, "pace", 0, NULL, &id), GCS_OK);
	gcs_answer_free(gcs_client_answer(c, id, 10000));
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	uint64_t begin = now_ns(), last = 0;
	for (unsigned i = 0; i < 5; i++) {
		struct gcs_snapshot *s = gcs_client_next(c, 10000);
		cr_assert_not_null(s);
		cr_assert_gt(gcs_snapshot_counter(s, KIT_TICK), last);
		last = gcs_snapshot_counter(s, KIT_TICK);
		gcs_snapshot_unref(s);
	}
	cr_assert_geq(now_ns() - begin, UINT64_C(300000000));
	cr_assert_gt(last, 20);
	cr_assert_lt(target_stats(&target).published, last);
	finish(thread);
	gcs_client_close(c);
}

/* F10: a hold ends when its client is silent for too long. */
Test(server_pace, silence_lets_the_program_go_on, .init = setup_short, .fini = teardown,
    .timeout = 60)
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
	kit_until(closed_by_server(silent));
	net_close(silent);
	cr_assert_eq(gcs_client_state(alive), GCS_CLIENT_LIVE, "pings keep a client");
	gcs_client_close(alive);
}

static struct gcs_ticket late;
static atomic_uint warnings;

/* A target that publishes its captures only on command. */
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

/* F10: a target that publishes later is notified before the program waits, and only then. */
Test(server_pace, a_target_that_publishes_late_is_told_in_time)
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
