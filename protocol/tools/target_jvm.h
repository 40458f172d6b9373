/*
 * The JVM that `gcspy attach` and `gcspy detach` are about, and whether it can be asked to load
 * something. Both functions say on standard error why not. Main thread.
 */
#ifndef GCSPY_TOOLS_TARGET_JVM_H
#define GCSPY_TOOLS_TARGET_JVM_H

#include <stdint.h>

#include "jvm.h"

/* CLI_DONE, or an exit code. A launcher that has just been started gets until `deadline_ms` of
 * contact_now_ms() to load its JVM. */
int target_jvm_find(long pid, uint64_t deadline_ms, struct jvm *jvm);

/* CLI_DONE, or an exit code; by what can be seen without asking the JVM. */
int target_jvm_check(const struct jvm *jvm);

#endif
