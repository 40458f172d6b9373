/*
 * The space "Native memory tracking": the JVM's account of its memory (tracked_memory.h), with a tile for each
 * category. A thread of its own asks the JVM, when a client that has the space open gets a snapshot: at most once
 * a second, and for at most 0.5 % of the time. What it was told is in the snapshots that follow.
 */
#ifndef GCSPY_AGENT_TRACKED_SPACE_H
#define GCSPY_AGENT_TRACKED_SPACE_H

#include <gcspy/server.h>

#include "vm.h"

struct tracked_space;

/* Borrows it. NULL without memory. */
struct tracked_space *tracked_space_create(const struct vm *vm);

/* Adds the space to that group, and starts the thread. */
enum gcs_status tracked_space_describe(
    struct tracked_space *t, struct gcs_server *server, uint32_t group, struct gcs_error *err);

/* Ends the thread; false if it still runs at the deadline. NULL is fine. */
bool tracked_space_end(struct tracked_space *t, uint64_t deadline_ns);
void tracked_space_destroy(struct tracked_space *t);

uint32_t tracked_space_id(const struct tracked_space *t);

/* Fills the space; `collecting`: a collection runs, so that the JVM is not asked. On the thread that publishes,
 * which waits a moment for the first account. False without memory. */
bool tracked_space_map(struct tracked_space *t, struct gcs_snapshot *snapshot, bool collecting);

#endif
