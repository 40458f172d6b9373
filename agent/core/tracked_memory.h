/*
 * The JVM's own account of the memory that it asked for, where -XX:NativeMemoryTracking keeps one: the table of
 * `jcmd PID VM.native_memory summary`, in bytes. No JVM exports it. The agent asks for it as jcmd does, over the
 * socket at which the JVM listens for tools, and makes the JVM listen if it does not yet. That allocates no
 * Java object but the listening thread's, once.
 */
#ifndef GCSPY_AGENT_TRACKED_MEMORY_H
#define GCSPY_AGENT_TRACKED_MEMORY_H

#include <gcspy/status.h>

#include "vm.h"

enum { TRACKED_MOST = 64, TRACKED_NAME = 48 };

struct tracked_category {
	char name[TRACKED_NAME]; /* "Java Heap", "GC"; the first one is "Total" */
	uint64_t reserved, committed;
	uint64_t allocated, blocks; /* by malloc, also for arenas; without those of arenas */
	uint64_t mapped;            /* committed of what is mapped, stacks among it */
};

/* Whether the JVM keeps the account. */
bool tracked_memory_on(const struct vm *vm);

/* Reads the JVM's text with scale=b; the number of categories, at most TRACKED_MOST; 0: it is none. */
size_t tracked_memory_parse(const char *text, struct tracked_category categories[TRACKED_MOST]);

/* Asks the JVM, which takes 3 s at most; the calling thread must not be one that the JVM waits for. */
enum gcs_status tracked_memory_read(const struct vm *vm,
    struct tracked_category categories[TRACKED_MOST], size_t *count, struct gcs_error *err);

/* The answer of the plugin "nmt", to be freed with gcs_plugin_free, likewise. */
enum gcs_status tracked_memory_answer(
    const struct vm *vm, void **bytes, size_t *length, struct gcs_error *err);

#endif
