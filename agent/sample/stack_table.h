/*
 * The stack table: every name, frame and stack of samples, stored once and identified by a number.
 *
 * Allocating threads add to it without a lock: an item is written, then linked into its hash chain
 * by one compare-and-swap, and never changes or moves afterwards. A thread that loses a race for
 * the same item wastes a slot, nothing else. Numbers are dense from 0 and valid as long as the
 * stack table; a full table returns STACK_TABLE_NONE, which the caller reports. Memory is reserved
 * at creation and touched only as it fills.
 *
 * Linking releases the item and the chain after it, whose links are therefore loaded relaxed; a search
 * acquires them with the head of the chain. A number may be read wherever the passing on of it
 * synchronizes with who has it from here: the ring and the caches of this folder do.
 *
 * A stack table only grows. When it is nearly full its owner creates a new one with the items still
 * in use (struct stack_table_copy) and frees the old one once no thread can be inside it.
 */
#ifndef GCSPY_AGENT_STACK_TABLE_H
#define GCSPY_AGENT_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_TABLE_NONE UINT32_MAX

struct stack_table;

struct stack_table_frame {
	uint32_t class_name; /* texts */
	uint32_t method;
	uint32_t file;
	uint32_t line; /* 0: unknown */
	uint32_t kind; /* enum gcs_frame_kind */
};

struct stack_table_stack {
	uint32_t parent; /* the caller's stack; STACK_TABLE_NONE at the root */
	uint32_t frame;
};

/* A stack table that takes about this much memory when it is full, at least 64 KiB; NULL without
 * memory. */
struct stack_table *stack_table_create(size_t bytes);

/* NULL is fine. No thread may be inside. */
void stack_table_destroy(struct stack_table *d);

/* The number of an equal item, added if it is new; STACK_TABLE_NONE when there is no room, or a
 * part of it is STACK_TABLE_NONE. A text is cut at 4095 bytes. Any thread. */
uint32_t stack_table_text(struct stack_table *d, const char *text, size_t length);
uint32_t stack_table_add_frame(struct stack_table *d, const struct stack_table_frame *frame);
uint32_t stack_table_add_stack(struct stack_table *d, const struct stack_table_stack *stack);

/* Readers; "", NULL and no frame for STACK_TABLE_NONE. Any thread. */
const char *stack_table_name(const struct stack_table *d, uint32_t text);
const struct stack_table_frame *stack_table_frame(const struct stack_table *d, uint32_t frame);
struct stack_table_stack stack_table_stack(const struct stack_table *d, uint32_t stack);

uint32_t stack_table_text_count(const struct stack_table *d);
uint32_t stack_table_frame_count(const struct stack_table *d);
uint32_t stack_table_stack_count(const struct stack_table *d);
uint32_t stack_table_stack_limit(const struct stack_table *d); /* of their numbers */

/* Fill of the fullest table in percent (100: an item did not fit). */
unsigned stack_table_fill(const struct stack_table *d);

/* Bytes in use. */
size_t stack_table_bytes(const struct stack_table *d);

/* Copies items of one stack table to another; its maps make copying the same item again free. */
struct stack_table_copy {
	const struct stack_table *from;
	struct stack_table *to;
	uint32_t *texts;
	uint32_t *frames;
	uint32_t *stacks;
};

/* False without memory; call stack_table_copy_end in any case. One thread. */
bool stack_table_copy_begin(
    struct stack_table_copy *c, const struct stack_table *from, struct stack_table *to);
uint32_t stack_table_copy_text(struct stack_table_copy *c, uint32_t text);
uint32_t stack_table_copy_stack(struct stack_table_copy *c, uint32_t stack);
void stack_table_copy_end(struct stack_table_copy *c);

#endif
