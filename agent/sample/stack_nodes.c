#include "stack_nodes.h"

#include "hash.h"

enum { LINE_WORDS = 8 };

/* Both numbers plus 1: no pair is 0, for a stack has a frame. */
static uint64_t word_of(const struct stack_table_stack *stack)
{
	return (uint64_t)(stack->frame + 1) << 32 | (stack->parent + 1);
}

void stack_nodes_init(struct stack_nodes *nodes, void *memory, size_t bytes)
{
	nodes->words = memory;
	nodes->slots = (uint32_t)(bytes / sizeof(uint64_t));
	nodes->most = nodes->slots / 4 * 3;
	atomic_init(&nodes->count, 0);
}

/* Takes a part of the room; the count may exceed it for a moment. */
static bool reserve(struct stack_nodes *nodes)
{
	if (stack_nodes_count(nodes) >= nodes->most)
		return false;
	if (atomic_fetch_add_explicit(&nodes->count, 1, memory_order_relaxed) < nodes->most)
		return true;
	atomic_fetch_sub_explicit(&nodes->count, 1, memory_order_relaxed);
	return false;
}

/* Begins in any place of a cache line, and goes on with the rest of that line. A free place ends the
 * search, and there is one: a quarter of them stay free. */
uint32_t stack_nodes_add(struct stack_nodes *nodes, const struct stack_table_stack *stack)
{
	const uint64_t wanted = word_of(stack);
	const uint64_t hash = hash_mix(wanted);
	const uint32_t lines = nodes->slots / LINE_WORDS;
	uint32_t line = (uint32_t)(((hash >> 32) * lines) >> 32);
	bool reserved = false;
	for (;; line = line + 1 == lines ? 0 : line + 1) {
		for (uint32_t i = 0; i < LINE_WORDS; i++) {
			const uint32_t at = line * LINE_WORDS + ((uint32_t)hash + i) % LINE_WORDS;
			uint64_t word =
			    atomic_load_explicit(&nodes->words[at], memory_order_acquire);
			if (word == 0) {
				if (!reserved && !reserve(nodes))
					return STACK_TABLE_NONE;
				reserved = true;
				if (atomic_compare_exchange_strong_explicit(&nodes->words[at],
					&word, wanted, memory_order_acq_rel, memory_order_acquire))
					return at;
			}
			if (word != wanted)
				continue;
			if (reserved)
				atomic_fetch_sub_explicit(&nodes->count, 1, memory_order_relaxed);
			return at;
		}
	}
}

struct stack_table_stack stack_nodes_get(const struct stack_nodes *nodes, uint32_t number)
{
	const uint64_t word = atomic_load_explicit(&nodes->words[number], memory_order_acquire);
	return (struct stack_table_stack){
	    .parent = (uint32_t)word - 1, .frame = (uint32_t)(word >> 32) - 1};
}

uint32_t stack_nodes_count(const struct stack_nodes *nodes)
{
	const uint32_t count = atomic_load_explicit(&nodes->count, memory_order_relaxed);
	return count < nodes->most ? count : nodes->most;
}
