/*
 * The classes of the heap's objects as a space (H5): one tile for each of the biggest, filled by
 * the sweep of the heavy volume. The last tile stands for all others, so that nothing is missing.
 */
#ifndef GCSPY_AGENT_CLASSES_SPACE_H
#define GCSPY_AGENT_CLASSES_SPACE_H

#include <gcspy/server.h>

#include "heap_walk.h"

struct classes_space;

/* The sweep is borrowed. NULL without memory. */
struct classes_space *classes_space_create(const struct heap_walk *heap_walk);
void classes_space_destroy(struct classes_space *c);

/* Adds the space, in the group. */
enum gcs_status classes_space_describe(
    struct classes_space *c, struct gcs_server *server, uint32_t group, struct gcs_error *err);

uint32_t classes_space_id(const struct classes_space *c);

/*
 * Writes what the picture says; NULL: this event was not swept. `heavy`: the volume. On the thread
 * that publishes, before the picture is released. False without memory.
 */
bool classes_space_map(struct classes_space *c, struct gcs_snapshot *snapshot,
    const struct heap_walk_result *picture, bool heavy);

#endif
