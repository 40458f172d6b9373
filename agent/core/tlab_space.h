/*
 * The space of threads' allocation buffers (H4): one tile per Java thread, in the order in which
 * they were first seen.
 */
#ifndef GCSPY_AGENT_TLAB_SPACE_H
#define GCSPY_AGENT_TLAB_SPACE_H

#include <gcspy/server.h>

#include "threads.h"
#include "vm_tlab.h"

struct tlab_space;

/* NULL without memory. `threads` is borrowed. */
struct tlab_space *tlab_space_create(
    const struct vm *vm, struct threads *threads, uint32_t max_tiles);
void tlab_space_destroy(struct tlab_space *t);

/* Adds the space to the server, without streams that this JVM lacks. */
enum gcs_status tlab_space_describe(
    struct tlab_space *t, struct gcs_server *server, struct gcs_error *err);

/* Fills the space from the buffers of `count` threads of `total`. False without memory. */
bool tlab_space_map(struct tlab_space *t, struct gcs_snapshot *snapshot,
    const struct vm_tlab *tlabs, size_t count, size_t total);

/* The space's id. */
uint32_t tlab_space_id(const struct tlab_space *t);

#endif
