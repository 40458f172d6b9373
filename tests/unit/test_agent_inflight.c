/*
 * What the agent's end waits for: threads of its own, which end in time or not, and calls in flight. Also
 * built under the sanitizers, which the agent itself cannot have in a JVM.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "inflight.h"
#include "kit.h"
#include "now.h"
#include "service_thread.h"

enum { TIMEOUT_MS = 20000 };

static uint64_t after_ms(uint64_t ms)
{
	return now_ns() + ms * 1000000u;
}

/* Threads. */

static void wait_for(void *gate)
{
	while (sem_wait(gate) != 0)
		continue;
}

Test(agent_inflight, a_thread_is_joined_when_it_ends)
{
	struct service_thread t = {.started = false};
	sem_t gate;
	cr_assert(service_thread_join(&t, 0), "never started");
	sem_init(&gate, 0, 0);
	for (int i = 0; i < 3; i++) {
		cr_assert(service_thread_start(&t, "waiting", wait_for, &gate));
		cr_assert_not(service_thread_join(&t, after_ms(20)));
		cr_assert_not(service_thread_join(&t, 0), "a deadline that is over");
		sem_post(&gate);
		cr_assert(service_thread_join(&t, after_ms(TIMEOUT_MS)));
		cr_assert(service_thread_join(&t, 0), "joined already");
	}
	sem_destroy(&gate);
}

/* Calls in flight. */

Test(agent_inflight, calls_in_flight_are_waited_for)
{
	cr_assert_not(inflight_enter(), "closed from the start");
	cr_assert_eq(inflight_close(0), 0);
	inflight_begin();
	cr_assert(inflight_open());
	cr_assert(inflight_enter());
	cr_assert(inflight_enter());
	cr_assert_eq(inflight_close(after_ms(20)), 2);
	cr_assert_not(inflight_enter());
	cr_assert_not(inflight_open());
	inflight_leave();
	cr_assert_eq(inflight_close(after_ms(20)), 1);
	inflight_leave();
	cr_assert_eq(inflight_close(0), 0);
}

static _Atomic(int *) thing;
static atomic_bool over;
static atomic_ullong used, turned_away;

/* As a callback: what exists is whole as long as the call is in flight. */
static void *call(void *context)
{
	(void)context;
	while (!atomic_load(&over)) {
		if (!inflight_enter()) {
			atomic_fetch_add(&turned_away, 1);
			sched_yield();
			continue;
		}
		int *now = atomic_load(&thing);
		cr_assert_not_null(now);
		cr_assert_eq(*now, 4711);
		atomic_fetch_add(&used, 1);
		inflight_leave();
	}
	return NULL;
}

Test(agent_inflight, nothing_is_freed_under_a_call)
{
	enum { THREADS = 4, ROUNDS = 2000 };
	pthread_t threads[THREADS];
	for (int i = 0; i < THREADS; i++)
		cr_assert_eq(pthread_create(&threads[i], NULL, call, NULL), 0);
	for (int i = 0; i < ROUNDS; i++) {
		int *made = malloc(sizeof *made);
		*made = 4711;
		atomic_store(&thing, made);
		const unsigned long long before = atomic_load(&used);
		inflight_begin();
		if (i % 100 == 0)
			kit_until(atomic_load(&used) != before);
		cr_assert_eq(inflight_close(after_ms(TIMEOUT_MS)), 0);
		atomic_store(&thing, NULL);
		*made = 0;
		free(made);
	}
	kit_until(atomic_load(&turned_away) != 0);
	atomic_store(&over, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cr_assert_eq(inflight_close(0), 0);
}
