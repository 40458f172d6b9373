/* Formats the names of classes and threads: from JVMTI's signatures to Java syntax, without parts
 * that a JVM generates for each instance. Pure functions. */
#ifndef GCSPY_AGENT_CLASS_NAME_FORMAT_H
#define GCSPY_AGENT_CLASS_NAME_FORMAT_H

#include <stddef.h>

/*
 * "Ljava/lang/String;" becomes "java.lang.String", "[[I" "int[][]". The address in the name of a
 * hidden class (JEP 371) and the number of a lambda or of a reflection accessor are left out: such
 * classes come and go, and each would be a call site of its own. Cut at the buffer. Returns the
 * length.
 */
size_t spell_class(const char *signature, char *buffer, size_t size);

/* "pool-1-thread-17" becomes "pool-1-thread-*": threads that differ by a trailing number are one
 * group. Returns the length. */
size_t spell_thread_group(const char *name, char *buffer, size_t size);

#endif
