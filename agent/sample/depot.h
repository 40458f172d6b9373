/*
 * The depot: every name, frame and stack that samples refer to, kept once and known by a number.
 *
 * Threads that allocate add to it without a lock: an item is written, then linked into its hash
 * chain by one compare-and-swap, and never changes or moves afterwards. A thread that loses a race
 * for the same item wastes a slot, nothing else. Numbers are dense from 0 and valid as long as the
 * depot; a table that is full gives DEPOT_NONE, and the caller says so to the user. The memory is
 * reserved at creation and touched only as it fills.
 *
 * A depot only grows. When it is nearly full its owner makes a new one with what is still in use
 * (struct depot_copy) and frees the old one once no thread can be inside it.
 */
#ifndef GCSPY_AGENT_DEPOT_H
#define GCSPY_AGENT_DEPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEPOT_NONE UINT32_MAX

struct depot;

struct depot_frame {
	uint32_t class_name; /* texts */
	uint32_t method;
	uint32_t file;
	uint32_t line; /* 0: not known */
	uint32_t kind; /* enum gcs_frame_kind */
};

struct depot_stack {
	uint32_t parent; /* the caller's stack; DEPOT_NONE at the root */
	uint32_t frame;
};

/* A depot that takes about so much memory when it is full, at least 64 KiB; NULL without memory. */
struct depot *depot_create(size_t bytes);

/* NULL is fine. No thread may be inside. */
void depot_destroy(struct depot *d);

/* The number of an equal item, added if it is new; DEPOT_NONE when there is no room, or a part of it
 * is DEPOT_NONE. A text is cut at 4095 bytes. Any thread. */
uint32_t depot_text(struct depot *d, const char *text, size_t length);
uint32_t depot_add_frame(struct depot *d, const struct depot_frame *frame);
uint32_t depot_add_stack(struct depot *d, const struct depot_stack *stack);

/* Readers; "" and NULL for DEPOT_NONE. Any thread. */
const char *depot_name(const struct depot *d, uint32_t text);
const struct depot_frame *depot_frame(const struct depot *d, uint32_t frame);
const struct depot_stack *depot_stack(const struct depot *d, uint32_t stack);

uint32_t depot_text_count(const struct depot *d);
uint32_t depot_frame_count(const struct depot *d);
uint32_t depot_stack_count(const struct depot *d);

/* How full the fullest table is, 0..100 (100: something has found no room). */
unsigned depot_fill(const struct depot *d);

/* Bytes in use. */
size_t depot_bytes(const struct depot *d);

/* Copies items of one depot to another; its maps make a second copy of the same item free. */
struct depot_copy {
	const struct depot *from;
	struct depot *to;
	uint32_t *texts;
	uint32_t *frames;
	uint32_t *stacks;
};

/* False without memory; depot_copy_end in any case. One thread. */
bool depot_copy_begin(struct depot_copy *c, const struct depot *from, struct depot *to);
uint32_t depot_copy_text(struct depot_copy *c, uint32_t text);
uint32_t depot_copy_stack(struct depot_copy *c, uint32_t stack);
void depot_copy_end(struct depot_copy *c);

#endif
