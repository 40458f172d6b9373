/*
 * Stacks of GCspy's own, on which samples are taken: a program's stack may be a coroutine's or a signal handler's,
 * with no room left but for the program.
 */
#ifndef GCSPYMALLOC_OWN_STACK_H
#define GCSPYMALLOC_OWN_STACK_H

#include <stdbool.h>

/* False without address space. Once, before the others. */
bool own_stacks_begin(void);

/* Runs `run`, which must return, on such a stack of 64 KiB, below which an unwinder finds the caller's. Signals that
 * others send wait until then: a handler may need more. False, and nothing has run, if all stacks are in use. Any
 * thread, any signal handler; takes no lock. On other processors than x86-64 and AArch64 it is the caller's stack. */
bool own_stack_run(void (*run)(void *context), void *context);

/* In the child of fork: no other thread has one. */
void own_stacks_forget(void);

#endif
