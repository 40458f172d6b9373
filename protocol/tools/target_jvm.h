/*
 * Finds the JVM for `gcspy attach` and `gcspy detach` and checks whether it can load a library. Both
 * functions print on standard error why not. Main thread.
 */
#ifndef GCSPY_TOOLS_TARGET_JVM_H
#define GCSPY_TOOLS_TARGET_JVM_H

#include <stdint.h>

#include "jvm.h"

/* CLI_DONE, or an exit code. A launcher that has just been started gets until `deadline_ms` of
 * now_ms() to load its JVM. */
int target_jvm_find(long pid, uint64_t deadline_ms, struct jvm *jvm);

/* CLI_DONE, or an exit code. Does not contact the JVM. */
int target_jvm_check(const struct jvm *jvm);

#endif
