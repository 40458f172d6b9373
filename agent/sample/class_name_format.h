/*
 * How classes and threads are written: from JVMTI's signatures to the names of the Java language,
 * without the parts that a JVM makes up anew for each instance. Pure functions.
 */
#ifndef GCSPY_AGENT_CLASS_NAME_FORMAT_H
#define GCSPY_AGENT_CLASS_NAME_FORMAT_H

#include <stddef.h>

/*
 * "Ljava/lang/String;" becomes "java.lang.String", "[[I" "int[][]". Of a hidden class (JEP 371) the
 * address behind its name and the number of a lambda are left out, and so is the number of a
 * reflection accessor: such classes come and go, and each would be a call site of its own. Cut at
 * the buffer. Returns the length.
 */
size_t spell_class(const char *signature, char *buffer, size_t size);

/* "pool-1-thread-17" becomes "pool-1-thread-*": threads that differ by a number at the end are one
 * group. Returns the length. */
size_t spell_thread_group(const char *name, char *buffer, size_t size);

#endif
