/* The table of threads and the ring of captures. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "capture.h"
#include "threads.h"

static size_t size_of(struct threads *t)
{
	return threads_list(t, NULL, 0);
}

Test(agent_threads, finds_names_after_any_order_of_changes)
{
	char name[64], expected[64];
	struct threads *t = threads_create();
	for (uint64_t i = 1; i <= 3000; i++) {
		snprintf(name, sizeof name, "thread %llu", (unsigned long long)i);
		threads_add(t, i * 16, name);
	}
	for (uint64_t i = 1; i <= 3000; i += 3)
		threads_remove(t, i * 16);
	cr_assert_eq(size_of(t), 2000);
	for (uint64_t i = 1; i <= 3000; i++) {
		snprintf(expected, sizeof expected, "thread %llu", (unsigned long long)i);
		bool known = threads_name(t, i * 16, name, sizeof name);
		cr_assert_eq(known, i % 3 != 1, "%s", expected);
		cr_assert_str_eq(name, known ? expected : "");
	}
	threads_add(t, 32, "renamed");
	cr_assert(threads_name(t, 32, name, sizeof name));
	cr_assert_str_eq(name, "renamed");
	threads_remove(t, 7);
	threads_add(t, 0, "no pointer");
	cr_assert_eq(size_of(t), 2000);
	threads_clear(t);
	cr_assert_eq(size_of(t), 0);
	threads_destroy(t);
}

/* A thread that ended while the running ones were listed must not come back. */
Test(agent_threads, an_enumeration_does_not_revive_the_ended)
{
	char name[64];
	struct threads *t = threads_create();
	threads_enumerate_begin(t);
	threads_add(t, 16, "started meanwhile");
	threads_remove(t, 32);
	threads_found(t, 32, "ended meanwhile");
	threads_found(t, 48, "running");
	threads_enumerate_end(t);
	cr_assert_not(threads_name(t, 32, name, sizeof name));
	cr_assert(threads_name(t, 48, name, sizeof name));
	threads_found(t, 32, "found again later");
	cr_assert(threads_name(t, 32, name, sizeof name));
	threads_destroy(t);
	threads_destroy(NULL);
}

/* What was read of a thread is valid if it has not ended meanwhile, whatever started at its place. */
Test(agent_threads, a_listed_thread_is_known_by_its_number)
{
	struct thread_ref list[3] = {{0}};
	struct threads *t = threads_create();
	threads_add(t, 16, "first");
	threads_add(t, 32, "second");
	threads_add(t, 48, "third");
	cr_assert_eq(threads_list(t, list, 2), 3);
	cr_assert_eq(list[2].thread, 0, "no room");
	cr_assert_eq(threads_list(t, list, 3), 3);
	threads_remove(t, 16);
	threads_add(t, 64, "fourth");
	threads_remove(t, 32);
	threads_add(t, 32, "another one there");
	threads_found(t, 48, "found again");
	for (size_t i = 0; i < 3; i++)
		cr_assert_eq(threads_listed(t, &list[i]), list[i].thread == 48);
	threads_clear(t);
	cr_assert_not(threads_listed(t, &list[2]));
	threads_destroy(t);
}

static struct threads *table;
static atomic_uint_least64_t memory[8]; /* of threads: their life, odd while it is alive */
static atomic_bool ended;

/* Threads that start and end at the same few addresses. */
static void *live_and_die(void *context)
{
	(void)context;
	for (uint64_t i = 0; i < 200000; i++) {
		const uint64_t at = i % 8;
		atomic_fetch_add(&memory[at], 1);
		threads_add(table, at + 1, "short");
		threads_remove(table, at + 1);
		atomic_fetch_add(&memory[at], 1);
	}
	atomic_store(&ended, true);
	return NULL;
}

/* Readers hold no lock, so that threads go on ending; what they accept they have read of one thread. */
Test(agent_threads, reads_count_if_the_thread_has_not_ended)
{
	pthread_t thread;
	struct thread_ref list[8];
	table = threads_create();
	cr_assert_eq(pthread_create(&thread, NULL, live_and_die, NULL), 0);
	while (!atomic_load(&ended)) {
		const size_t count = threads_list(table, list, 8);
		for (size_t i = 0; i < count; i++) {
			const uint64_t first = atomic_load(&memory[list[i].thread - 1]);
			const uint64_t second = atomic_load(&memory[list[i].thread - 1]);
			if (threads_listed(table, &list[i]))
				cr_assert(first == second && (first & 1) == 1);
		}
	}
	pthread_join(thread, NULL);
	cr_assert_eq(size_of(table), 0);
	threads_destroy(table);
}

static struct capture_ring *ring;
static atomic_bool over;

static void *write_captures(void *context)
{
	uint64_t *missed = context;
	for (uint64_t i = 0; i < 200000; i++) {
		struct capture *c = capture_take(ring);
		if (c == NULL) {
			++*missed;
			continue;
		}
		c->collection = i;
		memset(c->raw, (int)(i & 0xff), 100);
		capture_hand_over(ring, true);
	}
	atomic_store(&over, true);
	capture_wake(ring);
	return NULL;
}

/* One writer, one reader: all that was handed over arrives whole and in order. */
Test(agent_capture, arrives_whole_and_in_order)
{
	pthread_t thread;
	uint64_t missed = 0, seen = 0, last = 0;
	ring = capture_ring_create(100);
	cr_assert_eq(pthread_create(&thread, NULL, write_captures, &missed), 0);
	while (!atomic_load(&over) || capture_first(ring) != NULL) {
		capture_wait(ring);
		struct capture *c;
		while ((c = capture_first(ring)) != NULL) {
			const unsigned char *raw = c->raw;
			cr_assert(seen == 0 || c->collection > last);
			cr_assert_eq(raw[0], c->collection & 0xff);
			cr_assert_eq(raw[99], c->collection & 0xff);
			last = c->collection;
			seen++;
			capture_done(ring);
		}
	}
	pthread_join(thread, NULL);
	cr_assert_eq(seen + missed, 200000);
	capture_ring_destroy(ring);
}

Test(agent_capture, a_full_ring_gives_no_slot)
{
	ring = capture_ring_create(0);
	for (int i = 0; i < CAPTURE_SLOTS; i++) {
		cr_assert_not_null(capture_take(ring));
		capture_hand_over(ring, false);
	}
	cr_assert_null(capture_take(ring));
	capture_done(ring);
	cr_assert_not_null(capture_take(ring));
	capture_ring_destroy(ring);
	capture_ring_destroy(NULL);
}
