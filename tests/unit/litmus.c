/*
 * Message passing through each lock-free structure of the agent: one thread writes plain memory and
 * passes on a number or a pointer that stands for it, another one takes that and reads the memory. The
 * thread sanitizer reports a race where the structure does not order the two, whatever the processor;
 * elsewhere the values are compared. Sequence locks, whose fences it does not know, are tested in
 * test_agent_judge.c and test_agent_object_locations.c.
 */
#include <criterion/criterion.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "capture.h"
#include "frame_cache.h"
#include "ring.h"
#include "table_epoch.h"
#include "walk_cache.h"

enum { MESSAGES = 4000, HELD = 64 };

static uint64_t messages[MESSAGES]; /* plain */
static struct walk_cache cache;
static struct frame_cache frames;
static struct ring *ring;
static struct capture_ring *captures;

/* All ids are valid here: the ids of methods are addresses of messages. */
bool vm_method_has_id(const struct vm *vm, uint64_t method, jmethodID id, bool safely)
{
	(void)vm;
	(void)method;
	(void)safely;
	return id != NULL;
}

static void write_message(size_t i)
{
	messages[i] = i * 3 + 1;
}

static void read_message(size_t i)
{
	cr_assert_eq(messages[i], i * 3 + 1);
}

static void *(*writer)(void *);
static atomic_bool written; /* relaxed: orders nothing */

static void *write_all(void *context)
{
	(void)writer(context);
	atomic_store_explicit(&written, true, memory_order_relaxed);
	return NULL;
}

/* Runs the writer while `read` takes message after message; false: it is not there, or not there any
 * more, as a cache may lose some. */
static void pass(void *(*write)(void *), bool (*read)(size_t i))
{
	pthread_t thread;
	size_t count = 0;
	writer = write;
	cr_assert_eq(pthread_create(&thread, NULL, write_all, NULL), 0);
	for (size_t i = 0; i < MESSAGES; i++) {
		bool last = false, found = false;
		while (!(found = read(i)) && !last) {
			last = atomic_load_explicit(&written, memory_order_relaxed);
			sched_yield();
		}
		count += found;
	}
	pthread_join(thread, NULL);
	cr_assert_gt(count, MESSAGES * 9 / 10);
}

static void *put_stacks(void *context)
{
	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		const uint64_t key[2] = {i, i + 7};
		const struct walk_cached value = {
		    .stack = (uint32_t)i, .generation = 1, .answer = 5};
		write_message(i);
		walk_cache_put(&cache, key, &value);
	}
	return NULL;
}

static bool find_stack(size_t i)
{
	const uint64_t key[2] = {i, i + 7};
	struct walk_cached found;
	if (!walk_cache_find(&cache, key, 1, &found))
		return false;
	read_message(found.stack);
	return true;
}

Test(litmus, numbers_of_stacks)
{
	cr_assert(walk_cache_init(&cache));
	pass(put_stacks, find_stack);
	walk_cache_fini(&cache);
}

static jmethodID id_of(size_t i)
{
	return (jmethodID)(void *)&messages[i];
}

static void *learn_methods(void *context)
{
	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		write_message(i);
		frame_cache_learn_method(&frames, 4096 + i * 8, id_of(i));
	}
	return NULL;
}

static bool find_method(size_t i)
{
	const jmethodID id = frame_cache_method(&frames, NULL, 4096 + i * 8);
	if (id == NULL)
		return false;
	read_message((size_t)((uint64_t *)(void *)id - messages));
	return true;
}

Test(litmus, ids_of_methods)
{
	cr_assert(frame_cache_init(&frames));
	pass(learn_methods, find_method);
	frame_cache_fini(&frames);
}

static struct vm_frame frame_at(size_t i)
{
	return (struct vm_frame){.where = 4096 + i * 4, .what = VM_FRAME_COMPILED | 9};
}

static void *learn_scopes(void *context)
{
	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct vm_frame frame = frame_at(i);
		const jvmtiFrameInfo scope = {.method = id_of(i), .location = 3};
		write_message(i);
		frame_cache_learn_scopes(&frames, &frame, &scope, 1, 1);
	}
	return NULL;
}

static bool find_scopes(size_t i)
{
	const struct vm_frame frame = frame_at(i);
	jvmtiFrameInfo scope;
	if (frame_cache_scopes(&frames, &frame, &scope, 1) == 0)
		return false;
	read_message((size_t)((uint64_t *)(void *)scope.method - messages));
	return true;
}

Test(litmus, scopes_of_compiled_frames)
{
	cr_assert(frame_cache_init(&frames));
	pass(learn_scopes, find_scopes);
	frame_cache_fini(&frames);
}

static void *put_samples(void *context)
{
	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		const struct sample sample = {.id = i};
		size_t position;
		write_message(i);
		while (!ring_put(ring, &sample, &position))
			sched_yield();
	}
	return NULL;
}

static bool take_sample(size_t i)
{
	struct sample sample;
	if (!ring_take(ring, &sample))
		return false;
	cr_assert_eq(sample.id, i);
	read_message(i);
	messages[i] = 0;
	return true;
}

Test(litmus, samples)
{
	ring = ring_create(HELD);
	cr_assert_not_null(ring);
	pass(put_samples, take_sample);
	ring_destroy(ring);
}

static void *hand_over_captures(void *context)
{
	(void)context;
	for (size_t i = 0; i < MESSAGES; i++) {
		struct capture *c;
		while ((c = capture_take(captures)) == NULL)
			sched_yield();
		c->collection = i;
		write_message(i);
		capture_hand_over(captures, i % 8 == 0);
	}
	return NULL;
}

static bool take_capture(size_t i)
{
	const struct capture *c = capture_first(captures);
	if (c == NULL)
		return false;
	cr_assert_eq(c->collection, i);
	read_message(i);
	capture_done(captures);
	return true;
}

Test(litmus, captures)
{
	captures = capture_ring_create(64);
	cr_assert_not_null(captures);
	pass(hand_over_captures, take_capture);
	capture_ring_destroy(captures);
}

static struct table_epochs epochs;
static uint64_t alive[2]; /* plain: of the epochs, 0 when emptied */
static atomic_bool over;

static void *visit_epochs(void *context)
{
	(void)context;
	while (!atomic_load_explicit(&over, memory_order_relaxed)) {
		uint32_t generation;
		struct table_epoch *e = table_epoch_enter(&epochs, &generation);
		cr_assert_eq(alive[generation & 1], (uint64_t)generation + 1);
		table_epoch_leave(e);
	}
	return NULL;
}

/* What is inside an epoch exists until nobody is inside it any more. */
Test(litmus, epochs)
{
	enum { ROTATIONS = 30, BYTES = 1 << 17 };
	pthread_t thread;
	cr_assert(table_epochs_init(&epochs, BYTES));
	alive[0] = 1;
	cr_assert_eq(pthread_create(&thread, NULL, visit_epochs, NULL), 0);
	for (uint32_t next = 1; next <= ROTATIONS; next++) {
		alive[next & 1] = (uint64_t)next + 1;
		cr_assert(table_epoch_rotate(&epochs, BYTES));
		while (!table_epoch_quiescent(table_epoch_before(&epochs)))
			sched_yield();
		alive[~next & 1] = 0;
		table_epoch_empty(table_epoch_before(&epochs));
	}
	atomic_store_explicit(&over, true, memory_order_relaxed);
	pthread_join(thread, NULL);
	table_epochs_fini(&epochs);
}
