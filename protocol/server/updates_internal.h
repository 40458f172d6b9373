/*
 * The inside of <gcspy/updates.h>: event_counter.c counts and adds up, updates.c flushes.
 *
 * A counter's cells are written by its thread, with relaxed loads and stores instead of additions in
 * one step, and read by the flushing one. Each number is right by itself; an event that is counted
 * during a flush may be in one update with its count and in the next with its values.
 */
#ifndef GCSPY_SERVER_UPDATES_INTERNAL_H
#define GCSPY_SERVER_UPDATES_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include <gcspy/updates.h>

struct counted_value {
	atomic_int_least64_t sum;
	atomic_int_least64_t least, most; /* INT64_MAX, INT64_MIN: none since the last flush */
	int64_t seen;                     /* sum at the last flush; of the flushing thread */
};

struct counted_event {
	atomic_uint_least64_t count;
	struct trigger_program *program; /* the counter's own reference; NULL: no triggers */
	uint32_t value_count;
	struct counted_value *values;
	uint64_t seen;                  /* of the flushing thread */
	atomic_uint_least64_t numbered; /* of `count`, those that are in statistics.number */
};

struct gcs_event_counter {
	struct gcs_updates *updates;
	struct gcs_event_counter *next;
	unsigned seen; /* of `attention`: its programs are as new as that */
	uint32_t event_count;
	struct counted_event cells[];
};

/* What has been added up since the last published update. */
struct statistics {
	uint32_t id;     /* of the event */
	uint32_t values; /* attributes that are numbers */
	uint32_t first;  /* attribute of Update */
	uint64_t total;  /* occurrences ever */
	/* The same, but with what has been counted since the last flush only as far as triggers needed
	 * the number of an event: any thread. */
	atomic_uint_least64_t number;
	uint64_t count;
	/* Of each value: its first attribute of Update, and whether that is its sum. */
	uint32_t at[GCS_MAX_ATTRIBUTES];
	bool summed[GCS_MAX_ATTRIBUTES];
	int64_t sum[GCS_MAX_ATTRIBUTES], least[GCS_MAX_ATTRIBUTES], most[GCS_MAX_ATTRIBUTES];
};

struct gcs_updates {
	struct gcs_updates_options options;
	struct gcs_server *server;
	uint32_t event; /* Update */
	/* Bit 0: gcs_count_event has to do with the lock, because a thread waits at the gate or the
	 * interval is 0. The rest counts changes of the triggers: a counter that has seen another number
	 * takes the new programs first. */
	atomic_uint attention;
	atomic_bool triggered;    /* a counted event has triggers; written under their lock */
	pthread_mutex_t telling;  /* over the callback `each`; innermost */
	struct gcs_updates *next; /* of the server; under its triggers' lock */
	pthread_t thread;
	bool running;

	pthread_mutex_t flushing; /* one flush at a time; before `lock` */
	uint64_t flushed_ns;      /* time of the last published update */

	pthread_mutex_t lock; /* the rest */
	pthread_cond_t changed;
	bool stopping;
	uint32_t held; /* number of threads that wait at the gate */
	uint32_t interval_ms;
	uint32_t asking; /* audience of state requests */
	struct gcs_event_counter *counters;
	struct statistics statistics[GCS_MAX_EVENTS];
};

/* Adds up what the counters have counted. Lock held. */
void counters_collect(struct gcs_updates *u);

/* What one Update says: its attributes, and of each counted event the occurrences since the one before
 * and ever. */
struct counted_numbers {
	uint64_t known; /* a bit for each attribute */
	int64_t numbers[GCS_MAX_ATTRIBUTES];
	uint64_t counts[GCS_MAX_EVENTS], totals[GCS_MAX_EVENTS];
};

/* Takes what has been added up since the last one, and begins a new interval. A thread that drops its
 * counter adds to the new one from then on. Lock held. */
void counters_take(struct gcs_updates *u, uint64_t elapsed_ns, struct counted_numbers *n);

/* What was taken could not be published: it is in the next update. Lock held. */
void counters_give_back(struct gcs_updates *u, const struct counted_numbers *n);

/* Sets counters and attributes. */
void counters_write(
    const struct gcs_updates *u, const struct counted_numbers *n, struct gcs_snapshot *snapshot);

/* Forgets what has been added up. Lock held, or nothing has begun. */
void counters_reset(struct gcs_updates *u);

/* In the child after fork: there is no update thread, and its locks are free. True if it ran. */
bool updates_forget(struct gcs_updates *u);

/* The rest of gcs_count_event while the threads are detained. */
void updates_detain(struct gcs_updates *u);

/* Triggers have fired at a counted event: publishes it, and passes the gate. */
void updates_fire(
    struct gcs_updates *u, uint32_t index, const int64_t *values, const struct gcs_ticket *ticket);

/* Takes in what has been counted, so that triggers know the numbers of the next events. */
void updates_collect(struct gcs_updates *u);

/* Publishes the present state to these clients, on the calling thread. */
void updates_show_state(struct gcs_updates *u, uint32_t audience);

/* The triggers have changed; `triggered`: some are for counted events. */
void updates_renew(struct gcs_updates *u, bool triggered);

/* Whether gcs_count_event is given the attribute. */
static inline bool updates_counts(const struct gcs_attribute *a)
{
	return a->kind == GCS_ATTRIBUTE_NUMBER && !a->on_demand && a->parameter_count == 0;
}

#endif
