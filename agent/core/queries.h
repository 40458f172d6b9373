/*
 * Answers clients' queries about samples and their requests for settings, including those of the
 * volume and of the clock (docs/protocol.md, section 10). A profile takes milliseconds, which the
 * I/O thread does not have: a thread of its own makes it, which never calls the JVM and never waits
 * for it.
 */
#ifndef GCSPY_AGENT_QUESTIONS_H
#define GCSPY_AGENT_QUESTIONS_H

#include "clock.h"
#include "force_gc.h"
#include "gc_events.h"
#include "object_locations.h"
#include "paths.h"
#include "sampler.h"
#include "volume.h"

struct queries;

/* NULL without memory or threads. After a collection, but not within `record_s` seconds (0: never)
 * of the last time, a profile of each kind goes to the server's recorder, while sampling is on.
 * `volume`: NULL if the heap cannot be walked. */
struct queries *queries_create(struct gcs_server *server, struct sampler *sampler,
    struct object_locations *object_locations, uint32_t record_s, struct volume *volume);

/* Ends the thread and waits for it, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. Waiting queries get no answer. NULL is fine. */
bool queries_end(struct queries *q, uint64_t deadline_ns);

/* After queries_end, when nothing calls any function below any more. NULL is fine. */
void queries_destroy(struct queries *q);

/* The clock whose period is a setting. Before the server starts. */
void queries_set_clock(struct queries *q, struct clock *clock);

/* Whose events profiles are recorded behind. Before the server starts. */
void queries_set_events(struct queries *q, struct gc_events *events);

/* Sets what serves the topic `gc`, or NULL. Before the server starts. */
void queries_set_force_gc(struct queries *q, struct force_gc *force_gc);

/* Records profiles now, if a collection has judged the samples since the last ones. Any thread; does
 * not wait for them. */
void queries_record_now(struct queries *q);

/* The program ends: records the last profiles, if they take less than half a second. */
void queries_record_last(struct queries *q);

/* The answer to the plugin `memory` (heap_bytes.h). Any thread; does not wait. */
void queries_memory(struct queries *q, uint64_t ticket, uint64_t address, uint64_t length);

/* Who searches for reference chains. Before the server starts. */
void queries_set_paths(struct queries *q, struct paths *paths);

/* What is recorded of them while allocations are sampled: after a collection, but not within this many
 * seconds (0: never) of the last time. Before the server starts. */
void queries_record_paths(struct queries *q, uint32_t paths_s, uint32_t histogram_s);

/* Has a question about them answered. Any thread; does not wait. */
void queries_paths(struct queries *q, const struct path_question *question);

/* As in struct gcs_server_options; on the I/O thread, without waiting. */
void queries_query(struct queries *q, const struct gcs_query *query);
void queries_set(struct queries *q, const struct gcs_setting *setting);

#endif
