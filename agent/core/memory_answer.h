/* The answer of the plugin native-memory: the memory of the process by kind, as a table. */
#ifndef GCSPY_AGENT_MEMORY_ANSWER_H
#define GCSPY_AGENT_MEMORY_ANSWER_H

#include <gcspy/status.h>

#include "threads.h"
#include "vm.h"

/* Reads it and encodes the table; gcs_plugin_free frees the bytes. Not in a pause; milliseconds. */
enum gcs_status memory_answer(const struct vm *vm, struct threads *threads, void **bytes,
    size_t *length, struct gcs_error *err);

#endif
