/*
 * The memory of the whole process as a space: a tile for each kind of memory (memory_kinds.h). It is
 * read from the kernel outside collections, at most once a second, and only for a client that has the
 * space open.
 */
#ifndef GCSPY_AGENT_MEMORY_SPACE_H
#define GCSPY_AGENT_MEMORY_SPACE_H

#include <gcspy/server.h>

#include "threads.h"
#include "vm.h"

struct memory_space;

/* All borrowed. NULL without memory. */
struct memory_space *memory_space_create(const struct vm *vm, struct threads *threads);
void memory_space_destroy(struct memory_space *m); /* NULL is fine */

/* Adds the space to the server, in a group of its own. */
enum gcs_status memory_space_describe(
    struct memory_space *m, struct gcs_server *server, struct gcs_error *err);

uint32_t memory_space_id(const struct memory_space *m);
uint32_t memory_space_group(const struct memory_space *m);

/* Fills the space; `collecting`: a collection runs, so that only what was read earlier is shown. On
 * the thread that publishes. False without memory. */
bool memory_space_map(struct memory_space *m, struct gcs_snapshot *snapshot, bool collecting);

#endif
