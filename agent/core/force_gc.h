/*
 * The topic `gc` (docs/protocol.md, section 10): asks the JVM for a collection, and answers when it is
 * over. It runs on the thread of java_threads.h, which is in the JVM while a client is attached. All
 * queries that wait when a collection begins are answered by it.
 */
#ifndef GCSPY_AGENT_FORCE_GC_H
#define GCSPY_AGENT_FORCE_GC_H

#include "gc_events.h"
#include "java_threads.h"

struct force_gc;

/* All borrowed. NULL without memory. Before any client. */
struct force_gc *force_gc_create(jvmtiEnv *jvmti, const struct vm *vm, struct gcs_server *server,
    const struct gc_events *events, struct java_threads *threads);

/* After java_threads_end, when nothing calls force_gc_request any more. NULL is fine. */
void force_gc_destroy(struct force_gc *g);

/* Requests a collection; the answer goes to the ticket. Any thread; does not wait. */
void force_gc_request(struct force_gc *g, uint64_t ticket);

#endif
