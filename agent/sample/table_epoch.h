/*
 * The stack table that allocating threads currently add to, and its replacement while they run.
 *
 * There are two epochs. A thread is inside the current one between table_epoch_enter and
 * table_epoch_leave; after table_epoch_rotate new threads enter the other one, and once no thread
 * is inside the old one it can be emptied. Entering takes two atomic operations; no thread ever
 * waits.
 *
 * A thread counts itself and then looks at the generation; the owner changes the generation and then
 * looks at the count. All four are sequentially consistent: either the thread sees the change and
 * leaves, or the owner sees the thread. Counts are changed by read-modify-writes only, so that the
 * owner's load of 0 acquires all that was done inside; the change of the generation releases the new
 * epoch's tables to those who enter it.
 */
#ifndef GCSPY_AGENT_TABLE_EPOCH_H
#define GCSPY_AGENT_TABLE_EPOCH_H

#include <stdatomic.h>

#include "stack_table.h"
#include "symbolizer.h"

struct table_epoch {
	struct stack_table *stack_table;
	struct symbolizer *symbolizer;
	atomic_uint inside; /* threads */
};

struct table_epochs {
	struct table_epoch two[2];
	atomic_uint generation; /* its lowest bit selects the current epoch */
};

/* Fills the first epoch; false without memory. */
bool table_epochs_init(struct table_epochs *s, size_t stack_table_bytes);
void table_epochs_fini(struct table_epochs *s);

/* The current epoch and its generation. Any thread. */
struct table_epoch *table_epoch_enter(struct table_epochs *s, uint32_t *generation);
void table_epoch_leave(struct table_epoch *table_epoch);

/* Fills the other epoch, which must be empty, and makes it current; false without memory. One
 * thread. */
bool table_epoch_rotate(struct table_epochs *s, size_t stack_table_bytes);

/* The previous epoch; empty (no stack table) unless table_epoch_rotate was called since it was
 * emptied. */
struct table_epoch *table_epoch_before(struct table_epochs *s);

/* True when no thread is inside it. */
bool table_epoch_quiescent(struct table_epoch *table_epoch);

/* Frees its tables. No thread may be inside. */
void table_epoch_empty(struct table_epoch *table_epoch);

#endif
