/* The classes of the heap's objects as a space (H5), filled by the heap walk: one tile for each of
 * the biggest; the last tile stands for all others, so that nothing is missing. */
#ifndef GCSPY_AGENT_CLASSES_SPACE_H
#define GCSPY_AGENT_CLASSES_SPACE_H

#include <gcspy/server.h>

#include "heap_walk.h"

struct classes_space;

/* The heap walk is borrowed. NULL without memory. */
struct classes_space *classes_space_create(const struct heap_walk *heap_walk);
void classes_space_destroy(struct classes_space *c);

/* Adds the space, in the group. */
enum gcs_status classes_space_describe(
    struct classes_space *c, struct gcs_server *server, uint32_t group, struct gcs_error *err);

uint32_t classes_space_id(const struct classes_space *c);

/* Writes a result; NULL: the heap was not walked at this event. `heavy`: the volume. On the thread
 * that publishes, before the result is released. False without memory. */
bool classes_space_map(struct classes_space *c, struct gcs_snapshot *snapshot,
    const struct heap_walk_result *result, bool heavy);

#endif
