/* Names, frames and stacks that threads add at once; their copy; the ring; the change of epochs. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/profile.h>

#include "stack_table.h"
#include "ring.h"
#include "table_epoch.h"
#include "class_name_format.h"

static uint32_t text(struct stack_table *d, const char *words)
{
	return stack_table_text(d, words, strlen(words));
}

static uint32_t frame(struct stack_table *d, const char *method, uint32_t line)
{
	struct stack_table_frame f = {.class_name = text(d, "C"),
	    .method = text(d, method),
	    .file = text(d, "C.java"),
	    .line = line};
	return stack_table_add_frame(d, &f);
}

Test(agent_stack_table, equal_items_have_one_number)
{
	struct stack_table *d = stack_table_create(1 << 20);
	uint32_t a = text(d, "alpha"), b = text(d, "beta");
	cr_assert(a != b && text(d, "alpha") == a);
	cr_assert(stack_table_text(d, "alphabet", 5) == a, "the length counts, not the end");
	cr_assert_str_eq(stack_table_name(d, b), "beta");
	cr_assert_str_eq(stack_table_name(d, STACK_TABLE_NONE), "");
	uint32_t f = frame(d, "m", 7);
	cr_assert(frame(d, "m", 7) == f && frame(d, "m", 8) != f);
	struct stack_table_stack root = {STACK_TABLE_NONE, f};
	uint32_t s = stack_table_add_stack(d, &root);
	struct stack_table_stack child = {s, f};
	uint32_t c = stack_table_add_stack(d, &child);
	cr_assert(c != s && stack_table_add_stack(d, &child) == c);
	cr_assert_eq(stack_table_stack(d, c).parent, s);
	cr_assert_eq(stack_table_frame(d, f)->line, 7u);
	struct stack_table_stack none = {STACK_TABLE_NONE, STACK_TABLE_NONE};
	cr_assert_eq(stack_table_add_stack(d, &none), STACK_TABLE_NONE);
	stack_table_destroy(d);
}

Test(agent_stack_table, a_full_depot_refuses_and_keeps_what_it_has)
{
	char words[64];
	struct stack_table *d = stack_table_create(1 << 16);
	uint32_t last = 0, first = text(d, "the first");
	for (uint32_t i = 0; last != STACK_TABLE_NONE; i++) {
		cr_assert(i < 100000);
		snprintf(words, sizeof words, "text number %u", i);
		last = text(d, words);
	}
	cr_assert_eq(stack_table_fill(d), 100u);
	cr_assert_eq(text(d, "the first"), first);
	cr_assert_str_eq(stack_table_name(d, first), "the first");
	cr_assert(stack_table_bytes(d) < 1 << 17);
	stack_table_destroy(d);
}

enum { THREADS = 4, ITEMS = 20000, DISTINCT = 500 };

struct adder {
	struct stack_table *stack_table;
	uint32_t seed;
	uint32_t texts[DISTINCT];
	uint32_t stacks[DISTINCT];
};

static void *add_many(void *context)
{
	struct adder *a = context;
	char words[32];
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t k = (i * 7919 + a->seed * 31) % DISTINCT;
		snprintf(words, sizeof words, "method %u", k);
		a->texts[k] = text(a->stack_table, words);
		struct stack_table_stack s = {STACK_TABLE_NONE, frame(a->stack_table, words, k)};
		for (int depth = 0; depth < 4; depth++)
			s.parent = stack_table_add_stack(a->stack_table, &s);
		a->stacks[k] = s.parent;
	}
	return NULL;
}

Test(agent_stack_table, threads_agree_on_every_number)
{
	static struct adder adders[THREADS];
	pthread_t threads[THREADS];
	struct stack_table *d = stack_table_create(4 << 20);
	for (uint32_t i = 0; i < THREADS; i++) {
		adders[i] = (struct adder){.stack_table = d, .seed = i};
		cr_assert_eq(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (uint32_t k = 0; k < DISTINCT; k++) {
		char words[32];
		snprintf(words, sizeof words, "method %u", k);
		cr_assert_str_eq(stack_table_name(d, adders[0].texts[k]), words);
		for (int i = 1; i < THREADS; i++) {
			cr_assert_eq(adders[i].texts[k], adders[0].texts[k]);
			cr_assert_eq(adders[i].stacks[k], adders[0].stacks[k]);
		}
	}
	stack_table_destroy(d);
}

Test(agent_stack_table, a_copy_has_what_was_asked_for_and_no_more)
{
	struct stack_table *from = stack_table_create(1 << 20), *to = stack_table_create(1 << 20);
	uint32_t stacks[100], parent = STACK_TABLE_NONE;
	for (uint32_t i = 0; i < 100; i++) {
		struct stack_table_stack s = {parent, frame(from, "m", i)};
		parent = stacks[i] = stack_table_add_stack(from, &s);
	}
	struct stack_table_copy copy;
	cr_assert(stack_table_copy_begin(&copy, from, to));
	uint32_t moved = stack_table_copy_stack(&copy, stacks[49]);
	cr_assert_eq(stack_table_copy_stack(&copy, stacks[49]), moved);
	stack_table_copy_end(&copy);
	cr_assert_eq(stack_table_stack_count(to), 50u);
	uint32_t line = 50;
	for (uint32_t at = moved; at != STACK_TABLE_NONE; at = stack_table_stack(to, at).parent)
		cr_assert_eq(stack_table_frame(to, stack_table_stack(to, at).frame)->line, --line);
	cr_assert_eq(line, 0u);
	stack_table_destroy(from);
	stack_table_destroy(to);
}

struct writer {
	struct ring *ring;
	uint64_t id;
	uint32_t put;
};

static void *put_many(void *context)
{
	struct writer *w = context;
	size_t position;
	for (uint32_t i = 0; i < ITEMS; i++) {
		struct sample s = {.id = w->id, .size = i};
		w->put += ring_put(w->ring, &s, &position);
	}
	return NULL;
}

/* Each writer's samples come out once and in its order; what did not fit was refused. */
Test(agent_ring, nothing_is_lost_twice_or_out_of_order)
{
	struct ring *ring = ring_create(256);
	struct writer writers[THREADS];
	pthread_t threads[THREADS];
	uint64_t last[THREADS] = {0};
	uint32_t taken[THREADS] = {0};
	for (uint32_t i = 0; i < THREADS; i++) {
		writers[i] = (struct writer){.ring = ring, .id = i};
		cr_assert_eq(pthread_create(&threads[i], NULL, put_many, &writers[i]), 0);
	}
	struct sample s;
	uint32_t joined = 0;
	while (joined < THREADS || ring_take(ring, &s)) {
		while (ring_take(ring, &s)) {
			cr_assert(taken[s.id] == 0 || s.size > last[s.id]);
			last[s.id] = s.size;
			taken[s.id]++;
		}
		if (joined < THREADS)
			pthread_join(threads[joined++], NULL);
	}
	for (int i = 0; i < THREADS; i++)
		cr_assert(taken[i] + 1 >= writers[i].put && taken[i] <= writers[i].put,
		    "writer %d put %u, %u were taken", i, writers[i].put, taken[i]);
	ring_destroy(ring);
}

Test(agent_ring, a_full_ring_refuses)
{
	struct ring *ring = ring_create(4);
	struct sample s = {0};
	size_t position = 99;
	for (uint64_t i = 0; i < 4; i++) {
		cr_assert(ring_put(ring, &s, &position));
		cr_assert_eq(position, i);
	}
	cr_assert_not(ring_put(ring, &s, &position));
	cr_assert(ring_take(ring, &s));
	cr_assert(ring_put(ring, &s, &position));
	cr_assert_eq(position, 4u);
	ring_destroy(ring);
}

Test(agent_shelf, an_old_shelf_is_deserted_when_all_have_left)
{
	struct table_epochs s = {0};
	uint32_t generation;
	cr_assert(table_epochs_init(&s, 1 << 16));
	struct table_epoch *old = table_epoch_enter(&s, &generation);
	cr_assert_eq(generation, 0u);
	cr_assert(table_epoch_rotate(&s, 1 << 16));
	cr_assert(table_epoch_before(&s) == old && !table_epoch_quiescent(old));
	struct table_epoch *now = table_epoch_enter(&s, &generation);
	cr_assert(now != old && generation == 1);
	table_epoch_leave(now);
	table_epoch_leave(old);
	cr_assert(table_epoch_quiescent(old));
	table_epoch_empty(old);
	cr_assert_null(old->stack_table);
	table_epochs_fini(&s);
}

static void check_class(const char *signature, const char *expected)
{
	char spelled[200];
	size_t length = spell_class(signature, spelled, sizeof spelled);
	cr_assert_str_eq(spelled, expected);
	cr_assert_eq(length, strlen(expected));
}

Test(agent_spelling, classes_are_written_as_in_java)
{
	check_class("Ljava/lang/String;", "java.lang.String");
	check_class("[B", "byte[]");
	check_class("[[Lcom/x/Y$Z;", "com.x.Y$Z[][]");
	check_class("LFoo$$Lambda$14.0x0000000800c03000;", "Foo$$Lambda");
	check_class("LFoo$$Lambda.0x00007f1234abcd00;", "Foo$$Lambda");
	check_class("LFoo$$Lambda$7/1355531311;", "Foo$$Lambda");
	check_class(
	    "Ljava/lang/invoke/LambdaForm$MH/1355531311;", "java.lang.invoke.LambdaForm$MH");
	check_class("Ljava/lang/invoke/LambdaForm$MH.0x0000000800c01000;",
	    "java.lang.invoke.LambdaForm$MH");
	check_class("Ljdk/internal/reflect/GeneratedMethodAccessor12;",
	    "jdk.internal.reflect.GeneratedMethodAccessor");
	check_class("LDay14;", "Day14");
	check_class("", "");
	check_class("[", "[]");
	check_class("L", "");
	char small[8];
	cr_assert_eq(spell_class("[Ljava/lang/String;", small, sizeof small), 7u);
	cr_assert_str_eq(small, "java.la");
}

Test(agent_spelling, threads_that_differ_by_a_number_are_one_group)
{
	char spelled[64];
	spell_thread_group("pool-1-thread-17", spelled, sizeof spelled);
	cr_assert_str_eq(spelled, "pool-1-thread-*");
	spell_thread_group("main", spelled, sizeof spelled);
	cr_assert_str_eq(spelled, "main");
	spell_thread_group("42", spelled, sizeof spelled);
	cr_assert_str_eq(spelled, "*");
}
