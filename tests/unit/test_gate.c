/* Where the program waits (F10, F12): holds, steps, delays, lock-step, on several threads. */
#include <criterion/criterion.h>

#include <poll.h>
#include <pthread.h>

#include "gate.h"
#include "kit.h"
#include "net.h"
#include "now.h"
#include "thread.h"

static struct gate gate;
static int ends[2];
static bool no_condition;

/* In the place of thread_cond_init (--wrap). */
bool __real_thread_cond_init(pthread_cond_t *cond);
bool __wrap_thread_cond_init(pthread_cond_t *cond);

bool __wrap_thread_cond_init(pthread_cond_t *cond)
{
	return !no_condition && __real_thread_cond_init(cond);
}

Test(gate_init, reports_what_it_lacks)
{
	struct gate g;
	no_condition = true;
	cr_assert_not(gate_init(&g, -1));
	no_condition = false;
	cr_assert(gate_init(&g, -1));
	gate_fini(&g);
}

static void setup(void)
{
	cr_assert(net_pipe(ends));
	cr_assert(gate_init(&gate, ends[1]));
}

static void teardown(void)
{
	gate_fini(&gate);
	net_close(ends[0]);
	net_close(ends[1]);
}

#define GateTest(name) Test(gate, name, .init = setup, .fini = teardown, .timeout = 60)

/* A program thread: passes events until it is stopped, and counts them. */
struct program {
	pthread_t thread;
	struct gate_event event;
	atomic_uint_least64_t sequence;
	atomic_uint passed;
	atomic_bool stop;
};

static void *run(void *argument)
{
	struct program *p = argument;
	while (!atomic_load(&p->stop)) {
		p->event.sequence = atomic_fetch_add(&p->sequence, 1) + 1;
		if (p->event.pausing != 0 || p->event.delay_ns != 0 ||
		    gate_closed(&gate, p->event.audience))
			gate_pass(&gate, &p->event);
		atomic_fetch_add(&p->passed, 1);
		kit_sleep_ms(1);
	}
	return NULL;
}

static void start(struct program *p, uint32_t audience)
{
	*p = (struct program){.event = {.audience = audience}};
	cr_assert_eq(pthread_create(&p->thread, NULL, run, p), 0);
}

static void finish(struct program *p)
{
	atomic_store(&p->stop, true);
	pthread_join(p->thread, NULL);
}

static bool parked(void)
{
	struct gate_view view;
	gate_read(&gate, &view);
	return view.parked;
}

static uint32_t parked_threads(void)
{
	pthread_mutex_lock(&gate.lock);
	uint32_t threads = gate.parked;
	pthread_mutex_unlock(&gate.lock);
	return threads;
}

static void expect_still(struct program *p, unsigned milliseconds)
{
	unsigned before = atomic_load(&p->passed);
	kit_sleep_ms(milliseconds);
	cr_assert_eq(atomic_load(&p->passed), before);
}

static void expect_going(struct program *p)
{
	unsigned before = atomic_load(&p->passed);
	kit_until(atomic_load(&p->passed) > before + 2);
}

GateTest(nobody_there_nobody_waits)
{
	struct program p;
	start(&p, 0);
	expect_going(&p);
	gate_hold(&gate, 3); /* a client that is not present holds nothing */
	gate_step(&gate, 3, true);
	gate_set_lockstep(&gate, 3, true);
	expect_going(&p);
	finish(&p);
}

GateTest(a_hold_stops_until_the_last_one_lets_go)
{
	struct program p;
	struct gate_view view;
	gate_enter(&gate, 0);
	gate_enter(&gate, 31);
	start(&p, 1);
	gate_hold(&gate, 0);
	gate_hold(&gate, 31);
	kit_until(parked());
	expect_still(&p, 30);
	gate_read(&gate, &view);
	cr_assert_eq(view.holds, UINT32_C(0x80000001));
	cr_assert_eq(view.parked_sequence, atomic_load(&p.sequence));
	gate_release(&gate, 1);
	expect_still(&p, 30);
	gate_leave(&gate, 31); /* gone, with its hold */
	expect_going(&p);
	gate_read(&gate, &view);
	cr_assert_eq(view.holds, 0);
	cr_assert_geq(view.held_ns, UINT64_C(50000000));
	finish(&p);
}

/* The thread that tells clients of the run state has to learn of it. */
GateTest(parking_wakes_the_owner)
{
	struct program p;
	struct pollfd woken = {.fd = ends[0], .events = POLLIN};
	gate_enter(&gate, 0);
	gate_hold(&gate, 0);
	net_drain(ends[0]);
	cr_assert_eq(poll(&woken, 1, 0), 0);
	start(&p, 1);
	kit_until(parked());
	cr_assert_eq(poll(&woken, 1, 0), 1);
	gate_release(&gate, 1);
	expect_going(&p);
	finish(&p);
}

GateTest(a_step_lets_one_event_pass)
{
	struct program p;
	gate_enter(&gate, 0);
	start(&p, 1);
	gate_hold(&gate, 0);
	kit_until(parked());
	for (unsigned i = 0; i < 5; i++) {
		unsigned before = atomic_load(&p.passed);
		gate_step(&gate, 0, true);
		kit_until(atomic_load(&p.passed) == before + 1);
		kit_until(parked());
		expect_still(&p, 10);
	}
	gate_release(&gate, UINT32_MAX);
	expect_going(&p);
	gate_step(&gate, 0, true); /* on a running program: a pause at the next event */
	kit_until(parked());
	expect_still(&p, 20);
	gate_leave(&gate, 0);
	expect_going(&p);
	finish(&p);
}

/* A step of a client goes on over events that this client does not get. */
GateTest(a_step_ends_at_an_event_of_its_own)
{
	struct program own, other;
	gate_enter(&gate, 0);
	gate_enter(&gate, 1);
	start(&other, 2);
	gate_step(&gate, 0, true);
	expect_going(&other);
	start(&own, 1);
	kit_until(parked());
	kit_until(parked_threads() == 2); /* once it has ended, nobody passes */
	expect_still(&own, 10);
	expect_still(&other, 10);
	gate_leave(&gate, 0);
	expect_going(&own);
	expect_going(&other);
	finish(&own);
	finish(&other);
}

GateTest(an_event_can_pause_by_its_filter)
{
	struct program p;
	gate_enter(&gate, 4);
	start(&p, 1 << 4);
	finish(&p);
	p.event.pausing = 1 << 4 | 1 << 5; /* 5 is not there any more */
	struct gate_view view;
	atomic_store(&p.stop, false);
	cr_assert_eq(pthread_create(&p.thread, NULL, run, &p), 0);
	kit_until(parked());
	gate_read(&gate, &view);
	cr_assert_eq(view.holds, 1 << 4);
	atomic_store(&p.stop, true);
	gate_release(&gate, 1 << 4);
	pthread_join(p.thread, NULL);
}

GateTest(a_delay_ends_by_time_or_with_its_client)
{
	struct gate_event e = {.audience = 1, .sequence = 1, .delaying = 1};
	gate_enter(&gate, 0);
	e.delay_ns = 50000000;
	uint64_t begin = now_ns();
	gate_pass(&gate, &e);
	cr_assert_geq(now_ns() - begin, e.delay_ns);
	e.delay_ns = UINT64_C(10000000000);
	gate_leave(&gate, 0);
	begin = now_ns();
	gate_pass(&gate, &e);
	cr_assert_lt(now_ns() - begin, UINT64_C(2000000000));
}

GateTest(lockstep_waits_for_each_acknowledgement)
{
	struct program p;
	gate_enter(&gate, 0);
	gate_enter(&gate, 1);
	gate_set_lockstep(&gate, 0, true);
	gate_set_lockstep(&gate, 1, true);
	start(&p, 3);
	for (unsigned i = 1; i < 10; i++) {
		unsigned before = atomic_load(&p.passed);
		expect_still(&p, 5);
		gate_ack(&gate, 0, atomic_load(&p.sequence));
		expect_still(&p, 5);
		gate_ack(&gate, 1, atomic_load(&p.sequence));
		kit_until(atomic_load(&p.passed) > before);
	}
	gate_set_lockstep(&gate, 0, false);
	gate_leave(&gate, 1);
	expect_going(&p);
	finish(&p);
}

/* Nobody can stop the program for longer than the stated limit by not answering (Q3). */
GateTest(lockstep_has_a_limit)
{
	struct gate_event e = {.audience = 1, .sequence = 1};
	gate_enter(&gate, 0);
	gate_set_lockstep(&gate, 0, true);
	uint64_t begin = now_ns();
	gate_pass(&gate, &e);
	uint64_t waited = now_ns() - begin;
	cr_assert_geq(waited, GATE_LOCKSTEP_NS);
	cr_assert_lt(waited, 3 * (uint64_t)GATE_LOCKSTEP_NS);
	e.audience = 2; /* an event that the client does not get is not waited for */
	begin = now_ns();
	gate_pass(&gate, &e);
	cr_assert_lt(now_ns() - begin, GATE_LOCKSTEP_NS / 2);
}

static void *meddle(void *argument)
{
	uint64_t state = (uint64_t)(uintptr_t)argument;
	for (unsigned i = 0; i < 3000; i++) {
		uint32_t slot = kit_below(&state, 4);
		switch (kit_below(&state, 8)) {
		case 0:
			gate_enter(&gate, slot);
			break;
		case 1:
			gate_leave(&gate, slot);
			break;
		case 2:
			gate_hold(&gate, slot);
			break;
		case 3:
		case 4:
			gate_release(&gate, UINT32_C(1) << slot);
			break;
		case 5:
			gate_step(&gate, slot, kit_below(&state, 2) == 0);
			break;
		default:
			gate_ack(&gate, slot, kit_below(&state, 1000));
			break;
		}
	}
	return NULL;
}

/* Whatever clients do, in any order, the program goes on once they are gone. */
GateTest(threads_meddle_and_nobody_is_left_behind)
{
	struct program programs[4];
	pthread_t clients[3];
	for (uint32_t i = 0; i < 4; i++)
		start(&programs[i], UINT32_C(1) << i | 1);
	for (uintptr_t i = 0; i < 3; i++)
		cr_assert_eq(pthread_create(&clients[i], NULL, meddle, (void *)(i + 17)), 0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(clients[i], NULL);
	for (uint32_t i = 0; i < 4; i++)
		gate_leave(&gate, i);
	for (unsigned i = 0; i < 4; i++)
		expect_going(&programs[i]);
	cr_assert_not(parked());
	for (unsigned i = 0; i < 4; i++)
		finish(&programs[i]);
	cr_assert_eq(gate.tokens, 0);
}
