/*
 * The C functions above a Java native method that allocates (H6): unwound with libunwind, only when
 * the youngest Java frame is native. Frames of this agent are left out; those of the JVM are kept
 * as such, and shown on request.
 *
 * libunwind is opened when it is first needed, so that the agent also runs where it is not
 * installed.
 */
#ifndef GCSPY_AGENT_NATIVE_STACK_H
#define GCSPY_AGENT_NATIVE_STACK_H

#include "symbolizer.h"

/* Opens libunwind; before any callback. NULL when it works, else one sentence with the reason. */
const char *native_stack_open(void);

/*
 * Adds the native frames between the callback and the Java frames to `stack`, the stack of the Java
 * frames. Returns the result, `stack` itself without native frames, or STACK_TABLE_NONE when the
 * stack table is full. In the callback.
 */
uint32_t native_stack_add(struct symbolizer *n, uint32_t stack);

#endif
