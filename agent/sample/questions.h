/*
 * Clients' questions about samples and their wishes for settings, also those of the volume and of
 * the clock (docs/protocol.md, section 10), answered on a thread of their own: a profile takes
 * milliseconds, which the I/O thread does not have. The thread never calls the JVM and never waits
 * for it.
 */
#ifndef GCSPY_AGENT_QUESTIONS_H
#define GCSPY_AGENT_QUESTIONS_H

#include "clock.h"
#include "object_locations.h"
#include "sampler.h"
#include "volume.h"

struct questions;

/*
 * NULL without memory or threads. Every `record_s` seconds (0: never) a profile of each kind goes
 * to the server's recorder, while something is sampled. `volume`: its settings, NULL if the heap
 * cannot be swept.
 */
struct questions *questions_create(struct gcs_server *server, struct sampler *sampler,
    struct object_locations *object_locations, uint32_t record_s, struct volume *volume);

/* Ends the thread and waits for it, at most until `deadline_ns` of the monotonic clock; false if it
 * still runs. Questions that wait get no answer. NULL is fine. */
bool questions_end(struct questions *q, uint64_t deadline_ns);

/* After questions_end, when nothing calls any function below any more. NULL is fine. */
void questions_destroy(struct questions *q);

/* The clock whose period is a setting. Before the server starts. */
void questions_set_clock(struct questions *q, struct clock *clock);

/* The program ends: the last profiles to the recorder, if they are there within half a second. */
void questions_record_last(struct questions *q);

/* As in struct gcs_server_options; on the I/O thread, without waiting. */
void questions_query(struct questions *q, const struct gcs_query *query);
void questions_set(struct questions *q, const struct gcs_setting *setting);

#endif
