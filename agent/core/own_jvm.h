/*
 * A diagnostic command of this JVM, asked for at the socket where it listens for tools (attachListener_linux.cpp).
 * A JVM that does not listen yet begins to when it gets SIGQUIT and finds a file with its number.
 */
#ifndef GCSPY_AGENT_OWN_JVM_H
#define GCSPY_AGENT_OWN_JVM_H

#include <gcspy/status.h>

#include "vm.h"

/* The text that `jcmd PID command` writes, which is cut to `bytes`, on a thread that is in no callback of the JVM.
 * Waits at most `ms`. */
enum gcs_status own_jvm_command(const struct vm *vm, const char *command, uint32_t ms, char *text,
    size_t bytes, struct gcs_error *err);

#endif
