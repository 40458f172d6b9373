/*
 * A program that comes to the gate while the I/O thread is about to tell a client whether it runs (F10):
 * "paused" comes after the data of the event at which it stands, however long the thread takes.
 * The linker puts a function of this file in the place of gate_read (--wrap).
 */
#include <criterion/criterion.h>

#include <pthread.h>

#include "gate.h"
#include "target_suite.h"

static atomic_uint looks; /* since somebody holds the program */
static atomic_bool seen;  /* the client's state, by the test */

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
void __real_gate_read(struct gate *g, struct gate_view *view);
void __wrap_gate_read(struct gate *g, struct gate_view *view);

/* On the I/O thread: the first look comes when the program has got to the gate, the second one when what
 * came of the first has been seen. */
void __wrap_gate_read(struct gate *g, struct gate_view *view)
{
	__real_gate_read(g, view);
	if (view->holds == 0)
		return;
	const unsigned number = atomic_fetch_add(&looks, 1) + 1;
	while (number == 1 && !view->parked) {
		kit_sleep_ms(1);
		__real_gate_read(g, view);
	}
	while (number == 2 && !atomic_load(&seen))
		kit_sleep_ms(1);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static void *program(void *argument)
{
	(void)argument;
	while (atomic_load(&looks) == 0)
		kit_sleep_ms(1);
	target_event(&target, KIT_TICK, 0);
	return NULL;
}

static uint64_t latest_count(struct gcs_client *c)
{
	struct gcs_snapshot *s = gcs_client_latest(c);
	const uint64_t count = s == NULL ? 0 : gcs_snapshot_counter(s, KIT_TICK);
	gcs_snapshot_unref(s);
	return count;
}

Test(server_stands, paused_comes_behind_its_event, .init = setup, .fini = teardown, .timeout = 60)
{
	pthread_t thread;
	struct gcs_client *c = join(&plain);
	cr_assert_eq(pthread_create(&thread, NULL, program, NULL), 0);
	cr_assert_eq(gcs_client_pause(c), GCS_OK);
	kit_until(gcs_client_run_state(c, NULL, NULL) != GCS_RUNNING);
	const enum gcs_run_state told = gcs_client_run_state(c, NULL, NULL);
	const uint64_t count = latest_count(c);
	atomic_store(&seen, true);
	cr_assert_eq(count, 0u, "the event is on its way");
	cr_assert_eq(told, GCS_PAUSING, "it stands, and the client has not got the event");
	kit_until(gcs_client_run_state(c, NULL, NULL) == GCS_PAUSED);
	cr_assert_eq(latest_count(c), 1u);
	cr_assert_eq(gcs_client_resume(c, false), GCS_OK);
	pthread_join(thread, NULL);
	gcs_client_close(c);
}
