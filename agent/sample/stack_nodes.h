/*
 * The stacks of a stack table (stack_table.h): a set of pairs of a stack and a frame, open addressing, where
 * an item's number is its place. A pair is one word, which is looked up, or added, by one cache miss;
 * stacks are added by allocating threads, whose caches hold other things.
 *
 * Any number of threads, without locks: a word is stored once, with release, and loaded with acquire, so
 * that whoever has a number sees the stacks that it is made of.
 */
#ifndef GCSPY_AGENT_STACK_NODES_H
#define GCSPY_AGENT_STACK_NODES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack_table.h"

/* Numbers are below `slots`; at most `most` of them are taken. */
struct stack_nodes {
	_Atomic uint64_t *words;
	uint32_t slots;
	uint32_t most;
	atomic_uint count;
};

/* What that many bytes, a multiple of 64 and at least that, can have. The memory is zeroed, the caller's,
 * and begins at a cache line. */
void stack_nodes_init(struct stack_nodes *nodes, void *memory, size_t bytes);

/* The number of the pair, added if it is new; STACK_TABLE_NONE when there is no room. */
uint32_t stack_nodes_add(struct stack_nodes *nodes, const struct stack_table_stack *stack);

struct stack_table_stack stack_nodes_get(const struct stack_nodes *nodes, uint32_t number);

uint32_t stack_nodes_count(const struct stack_nodes *nodes);

#endif
