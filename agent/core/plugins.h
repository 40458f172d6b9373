/*
 * The plugins of the agent (F18): `backtrace`, the stack of a Java thread, `native-memory`
 * (process_memory.h), `paths` and `histogram` (paths.h), and `memory`, bytes of the heap, which is for those only who were given the option
 * memory=on. `fragmentation` is the library's.
 */
#ifndef GCSPY_AGENT_PLUGINS_H
#define GCSPY_AGENT_PLUGINS_H

#include "java_threads.h"
#include "queries.h"

struct plugins;

/* Describes them to the server. NULL with the reason. Before the server starts; all borrowed. */
struct plugins *plugins_create(jvmtiEnv *jvmti, const struct vm *vm, struct gcs_server *server,
    struct java_threads *threads, struct threads *table, struct queries *queries, bool memory,
    struct gcs_error *err);

/* When nothing calls plugins_query any more and both threads have ended. NULL is fine. */
void plugins_destroy(struct plugins *p);

/* Whether the query is for one of them; it is then answered. On the I/O thread, without waiting. */
bool plugins_query(struct plugins *p, const struct gcs_query *query);

#endif
