/*
 * Sample-driven mode (F12): for targets with millions of events a second.
 *
 * Such a target does not enter its events. Each thread counts them in a counter of its own, and touches
 * tiles; a thread of the library flushes at an interval that any client can set. It publishes the
 * event Update with the touched tiles, the events' counts in the snapshot's counters, and as
 * attributes, of the time since the previous Update: for each counted event `NAME per second`, and
 * for each number among its attributes `NAME: ATTRIBUTE, sum`, `…, least` and `…, most`. What did not
 * occur has no least and most; addresses (GCS_HEX) have no sum.
 *
 *	struct gcs_updates *updates = gcs_updates_create(server, &options, &err);   before the start
 *	gcs_server_start(server, &err);
 *	gcs_updates_start(updates, &err);
 *	struct gcs_event_counter *counter = gcs_event_counter_create(updates);      per thread
 *	…
 *	gcs_tiles_touch(tiles, USED, block, 1);
 *	gcs_count_event(counter, ALLOCATE, &bytes);
 *
 * Destroy in this order: counters, updates, server.
 */
#ifndef GCSPY_UPDATES_H
#define GCSPY_UPDATES_H

#include "tiles.h"

GCS_BEGIN_DECLS

struct gcs_updates;
struct gcs_event_counter;

#define GCS_MAX_UPDATE_MS 60000u

struct gcs_updates_options {
	uint32_t event_count;   /* of `events`, 1..GCS_MAX_EVENTS */
	const uint32_t *events; /* ids of the counted events */
	uint32_t tiles_count;
	struct gcs_tiles *const *tiles; /* gathered at each update */
	uint32_t interval_ms;           /* at first: 0..GCS_MAX_UPDATE_MS */

	/* Sets what else belongs to the snapshot: summaries, names. On the flushing thread. May be
	 * NULL. */
	void (*fill)(void *context, struct gcs_snapshot *snapshot);
	void *context;
	/* The start of a flush, before counters are added up and tiles are gathered: a target that finds
	 * out only now what its threads have changed touches and resizes tiles, and adds what they
	 * have counted by themselves (gcs_count_sums). On the flushing thread, with no lock held. May be
	 * NULL. */
	void (*prepare)(void *context);
	/* Whether each event has to be counted by itself, with gcs_count_event: triggers are set for
	 * the counted events, the interval is 0, or a client holds the program. Called at each change,
	 * with locks held: it may note the value, and nothing else. Any thread. May be NULL. */
	void (*each)(void *context, bool each);
	GCS_RESERVED(2);
};

/* Describes the event Update; before the server's start. Options are copied. NULL with the reason in
 * `err`: LIMIT if the statistics are more than GCS_MAX_ATTRIBUTES. */
GCS_API struct gcs_updates *gcs_updates_create(
    struct gcs_server *server, const struct gcs_updates_options *options, struct gcs_error *err);

/* Starts the update thread, after the server. It does nothing while no client is attached. A child of
 * fork has no such thread, and may start one after its server. */
GCS_API enum gcs_status gcs_updates_start(struct gcs_updates *updates, struct gcs_error *err);

/* Ends the thread, and lets the program go on if it is held. All counters must have been destroyed.
 * NULL has no effect. */
GCS_API void gcs_updates_destroy(struct gcs_updates *updates);

/*
 * The interval in ms. 0 is lock-step: each gcs_count_event flushes on its own thread and waits as in
 * gcs_server_leave, for the acknowledgement of clients in lock-step. False above GCS_MAX_UPDATE_MS.
 * Any thread.
 */
GCS_API bool gcs_updates_set_interval(struct gcs_updates *updates, uint32_t ms);
GCS_API uint32_t gcs_updates_interval(struct gcs_updates *updates);

/*
 * Publishes an update now, such as the last one of a program that ends, if a client is attached or a recorder
 * wants it. On the calling thread, with its callbacks; it waits for an update that another thread
 * publishes, and for no client.
 */
GCS_API void gcs_updates_flush(struct gcs_updates *updates);

/*
 * Answers the setting `update`, with a value such as 50, 50ms or 1s; false for other settings. The server
 * does so by itself, before its callback `set`, and adds the line `update=MILLISECONDS` to what the
 * callback `query` answers to the topic `settings`: a target needs no code for either.
 */
GCS_API bool gcs_updates_set(struct gcs_updates *updates, const struct gcs_setting *setting);

/* For the server's callback `state_request`; without one the server calls it itself. While a client holds the program, the answer is the last
 * update. */
GCS_API void gcs_updates_state_request(
    struct gcs_updates *updates, const struct gcs_ticket *ticket);

/* A thread's counter, or NULL without memory. Only one thread at a time may count in it. */
GCS_API struct gcs_event_counter *gcs_event_counter_create(struct gcs_updates *updates);

/* What it has counted is kept. NULL has no effect. */
GCS_API void gcs_event_counter_destroy(struct gcs_event_counter *counter);

/*
 * An event occurs: `event` is an index in the options' `events`, `values` has its attributes that are
 * numbers and not on demand, in their order (NULL: none are known). No lock, no allocation, nothing
 * shared with other threads. It waits only while a client holds the program, with the interval 0,
 * and when a trigger fires (trigger.h), which is published at once; then the caller must hold no
 * lock that `read` or `fill` take. A new trigger is evaluated from the thread's next event on.
 */
GCS_API void gcs_count_event(
    struct gcs_event_counter *counter, uint32_t event, const int64_t *values);

/*
 * Adds `count` events that the target has counted by itself, because a call for each would cost too
 * much; `sums` has the sums of their values. They reach no trigger, hold no thread, and are in no least and
 * most: a target does so only while its callback `each` says false. Usually in `prepare`, with a counter
 * that is used nowhere else.
 */
GCS_API void gcs_count_sums(
    struct gcs_event_counter *counter, uint32_t event, uint64_t count, const int64_t *sums);

GCS_END_DECLS

#endif
