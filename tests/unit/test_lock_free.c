/*
 * What threads pass to each other through the server's and the model's structures without a lock, like
 * litmus.c for the agent's: here the numbers that are passed on by the tests are relaxed and order
 * nothing, so that under the thread sanitizer a structure that does not order what is read with it is a
 * race. Tiles: test_server_tiles.c; programs of triggers: test_server_trigger_pace.c.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "server_trigger_suite.h"

enum { MESSAGES = 200, TILES = 64, THREADS = 3 };

static _Atomic(struct gcs_snapshot *) box;

static atomic_int_least64_t left; /* the last message that the reader is done with */

static void *read_snapshots(void *context)
{
	(void)context;
	for (int64_t i = 0; i < MESSAGES; i++) {
		struct gcs_snapshot *s;
		while ((s = atomic_exchange(&box, NULL)) == NULL)
			sched_yield();
		const int64_t *values = gcs_snapshot_values(s, 0, 0);
		for (uint32_t k = 0; k < TILES; k++)
			cr_assert_eq(values[k], i);
		gcs_snapshot_unref(s);
		atomic_store(&left, i);
	}
	return NULL;
}

/* A column is written in its place only when no snapshot has it any more. */
Test(lock_free, columns, .init = setup, .fini = teardown)
{
	pthread_t thread;
	uint32_t in_place = 0;
	const int64_t *before = NULL;
	struct gcs_snapshot *s = gcs_snapshot_begin(server->model, NULL);
	cr_assert(gcs_snapshot_resize(s, 0, TILES));
	atomic_store(&left, -1);
	cr_assert_eq(pthread_create(&thread, NULL, read_snapshots, NULL), 0);
	for (int64_t i = 0; i < MESSAGES; i++) {
		int64_t *values = gcs_snapshot_write(s, 0, 0);
		in_place += values == before;
		before = values;
		for (uint32_t k = 0; k < TILES; k++)
			values[k] = i;
		while (atomic_load(&box) != NULL)
			sched_yield();
		struct gcs_snapshot *next = gcs_snapshot_begin(server->model, s);
		atomic_store(&box, s);
		/* Half of the time the reader has left by then. */
		while (i % 2 == 0 && atomic_load(&left) != i)
			sched_yield();
		s = next;
	}
	pthread_join(thread, NULL);
	gcs_snapshot_unref(s);
	cr_assert_gt(in_place, 0);
	cr_assert_lt(in_place, MESSAGES);
}

static atomic_uint_least64_t fired_sequence;
static atomic_uint fired;

static void *fire_all(void *context)
{
	const int64_t numbers[ATTRIBUTES] = {[PAUSE] = 11};
	const struct gcs_values values = {.known = 1 << PAUSE, .numbers = numbers};
	(void)context;
	for (int i = 0; i < MESSAGES; i++) {
		struct gcs_ticket t;
		gcs_server_enter(server, FINISH, &t);
		gcs_server_check(server, &t, &values);
		cr_assert_neq(t.fired, 0);
		atomic_store_explicit(&fired, t.fired, memory_order_relaxed);
		atomic_store_explicit(&fired_sequence, t.sequence, memory_order_relaxed);
		while (atomic_load_explicit(&fired_sequence, memory_order_relaxed) != 0)
			sched_yield();
	}
	return NULL;
}

/* What a trigger has fired with, and a plugin's answer at the event. */
Test(lock_free, fires, .init = setup, .fini = teardown)
{
	const struct gcs_trigger trigger = {
	    .name = "t", .condition = "Pause > 10", .plugin = "stack"};
	pthread_t thread;
	cr_assert_eq(gcs_server_set_trigger(server, &trigger, &err), GCS_OK, "%s", err.text);
	atomic_store(&server->everybody, 1);
	cr_assert_eq(pthread_create(&thread, NULL, fire_all, NULL), 0);
	for (uint64_t i = 1; i <= MESSAGES; i++) {
		struct gcs_ticket t = {.event = FINISH};
		while (
		    (t.sequence = atomic_load_explicit(&fired_sequence, memory_order_relaxed)) == 0)
			sched_yield();
		t.fired = atomic_load_explicit(&fired, memory_order_relaxed);
		struct gcs_snapshot *s = gcs_snapshot_begin(server->model, NULL);
		for (int turn = 0; gcs_snapshot_fired_count(s) == 0 && turn < 1000000; turn++)
			triggers_write(server, &t, s);
		cr_assert_eq(gcs_snapshot_fired_count(s), 1);
		const struct gcs_fired *f = gcs_snapshot_fired(s, 0);
		cr_assert_eq(f->times, i);
		cr_assert_eq(f->length, 100);
		cr_assert_eq(((const char *)f->answer)[99], 'x');
		gcs_snapshot_unref(s);
		triggers_settle(server, &t);
		atomic_store_explicit(&fired_sequence, 0, memory_order_relaxed);
	}
	pthread_join(thread, NULL);
	atomic_store(&server->everybody, 0);
}

static atomic_bool over;

static void *same_values(void *context)
{
	const int64_t numbers[ATTRIBUTES] = {[USED] = 7};
	const struct gcs_values values = {.known = 1 << USED, .numbers = numbers};
	(void)context;
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		struct gcs_ticket t;
		gcs_server_enter(server, FINISH, &t);
		gcs_server_check(server, &t, &values);
	}
	return NULL;
}

/* A change is told from values that have been stored: of one that never changes there is none, also in a
 * trigger's first events. */
Test(lock_free, changes, .init = setup, .fini = teardown)
{
	pthread_t threads[THREADS];
	const struct gcs_trigger trigger = {
	    .name = "t", .condition = "change(Used, 1 event) != 0 or change(Used, 10 s) != 0"};
	atomic_store(&over, false);
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, same_values, NULL), 0);
	for (int i = 0; i < 300; i++) {
		enum gcs_status status = GCS_LIMIT;
		/* Each call waits 0.1 s for threads to leave the programs of removed triggers; on a
		 * busy machine they may not run for longer. */
		for (int wait = 0; status == GCS_LIMIT && wait < 600; wait++)
			status = gcs_server_set_trigger(server, &trigger, &err);
		cr_assert_eq(status, GCS_OK, "%s", err.text);
		sched_yield();
		for (uint32_t k = 0; k < GCS_MAX_TRIGGERS; k++) {
			const struct trigger *t = server->triggers.slots[k];
			cr_assert(t == NULL || atomic_load(&t->times) == 0);
		}
		cr_assert_eq(gcs_server_remove_trigger(server, "t", &err), GCS_OK);
	}
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}
