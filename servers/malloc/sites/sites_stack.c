/* Stacks of samples, in the program's threads: walked here, and continued by another server of the process. */
#include <sched.h>

#include "native_modules.h"
#include "native_sites_internal.h"
#include "own_stack.h"

struct walking {
	struct stack_key key;
	uint32_t count;
};

static struct {
	_Atomic(gcs_native_frames *) function;
	_Atomic(void *) context;
	atomic_uint inside; /* threads that are, or may be, in the function */
} frames;

void sites_set_frames(gcs_native_frames *function, void *context)
{
	atomic_store(&frames.function, NULL);
	while (atomic_load(&frames.inside) != 0)
		sched_yield();
	atomic_store(&frames.context, context);
	atomic_store(&frames.function, function);
}

/* Cuts a text to what is left; its place, and that after its end. */
static uint32_t append(struct frame_key *key, uint32_t at, const char *text, uint32_t reserved)
{
	const uint32_t room = (uint32_t)sizeof key->text - at - reserved;
	const size_t length = strlen(text);
	const uint32_t kept = length < room ? (uint32_t)length : room - 1;
	memcpy(key->text + at, text, kept);
	key->text[at + kept] = '\0';
	return at + kept + 1;
}

static void add_frame(void *stack, const struct gcs_frame *frame)
{
	struct walking *w = stack;
	struct frame_key key = {.line = frame->line, .kind = (uint16_t)frame->kind};
	if (w->count == WALK_FRAMES)
		return;
	uint32_t end = append(&key, 0, frame->class_name, 500);
	end = append(&key, end, frame->method, 200);
	end = append(&key, end, frame->file, 0);
	const uint32_t number = own_intern_add(
	    &sites.frames, &key, (uint32_t)offsetof(struct frame_key, text) + end, 0);
	w->key.addresses[w->count++] = SITES_NAMED | number;
}

static void go_on(struct walking *w)
{
	atomic_fetch_add(&frames.inside, 1);
	gcs_native_frames *function = atomic_load(&frames.function);
	if (function != NULL) {
		const uint32_t count = w->count;
		struct walking more = {.count = 0};
		const uint32_t native = function(
		    atomic_load(&frames.context), w->key.addresses, count, add_frame, &more);
		w->count = native < count ? native : count;
		for (uint32_t i = 0; i < more.count && w->count < WALK_FRAMES; i++)
			w->key.addresses[w->count++] = more.key.addresses[i];
	}
	atomic_fetch_sub(&frames.inside, 1);
}

static void walk(void *walking)
{
	struct walking *w = walking;
	w->key.generation = native_modules_generation();
	w->count = native_walk(w->key.addresses);
}

static uint32_t number_of(const struct walking *w)
{
	return w->count == 0 ? 0
			     : own_intern_add(&sites.stacks, &w->key,
				   (w->count + 1) * (uint32_t)sizeof w->key.generation, 0);
}

static void walk_alone(void *number)
{
	struct walking w;
	walk(&w);
	*(uint32_t *)number = number_of(&w);
}

/* Who continues it looks at the stack that it is on, from there: a JVM's, which has room. */
static __attribute__((noinline)) uint32_t walk_and_go_on(void)
{
	struct walking w = {.count = 0};
	if (own_stack_run(walk, &w))
		go_on(&w);
	return number_of(&w);
}

uint32_t sites_stack(void)
{
	uint32_t number = 0;
	if (atomic_load(&frames.function) != NULL)
		return walk_and_go_on();
	(void)own_stack_run(walk_alone, &number);
	return number;
}

void sites_stack_forget(void)
{
	own_stacks_forget();
	atomic_store(&frames.inside, 0);
}
