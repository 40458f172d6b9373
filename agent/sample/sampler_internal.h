/* The inside of the sampler, shared by its files. */
#ifndef GCSPY_AGENT_SAMPLER_INTERNAL_H
#define GCSPY_AGENT_SAMPLER_INTERNAL_H

#include <pthread.h>
#include <semaphore.h>

#include <gcspy/sampling.h>

#include "native_stack.h"
#include "ring.h"
#include "sampler.h"
#include "service_thread.h"
#include "table_epoch.h"

enum { SAMPLER_RING = 4096, SAMPLER_REQUESTS = 32 };

/* How the memory for sites is divided: so much for names and stacks, and the bytes of a site with
 * its place in the hash table. */
enum { SAMPLER_TABLE_PERCENT = 55, SAMPLER_SITE_BYTES = sizeof(struct site) + 8 };

/* A request for another interval. */
struct request {
	uint64_t interval;
	uint64_t ticket;
};

/* Samples of a new stack table that came while the sample store still belonged to the old one. */
struct stash {
	struct sample *items;
	uint32_t count;
	uint32_t capacity;
};

struct sampler {
	struct sampler_parts parts;
	struct sampler_options options;
	struct walker *walker;
	char name[GCS_MAX_NAME + 1]; /* the server's, for profiles */
	bool virtual_threads;        /* the JVM can have them */
	bool
	    picks_early; /* a thread's first sample is chosen when it is made (initial_interval.h) */
	bool delayed; /* weak references are cleared by major collections only: generational ZGC */
	struct service_thread thread;
	sem_t wake;
	bool has_lock, has_requests_lock, has_wake;
	atomic_bool ending;

	/* Read by allocating threads. */
	atomic_bool on;
	atomic_uint_least64_t interval; /* 0: off */
	struct table_epochs table_epochs;
	struct ring *ring;
	atomic_uint_least64_t next_id;
	atomic_uint_least64_t threshold; /* sample_store_threshold's copy */
	atomic_uint collections;
	atomic_bool moving; /* the sample store is about to move to the present epoch */
	atomic_bool idle;   /* our thread sleeps until something is put into the ring */
	_Atomic(gcs_sampling_interval *) hook;
	/* What samples stood for that found the ring full. */
	atomic_uint_least64_t lost, lost_bytes, lost_objects;

	/* From the VM thread. */
	atomic_bool cleared_young, cleared_all;

	/* The sampler's thread's own. */
	JNIEnv *jni;       /* while attached */
	bool interval_set; /* the JVM's interval is ours */
	uint64_t retry_ns; /* when to try to get the capability again; 0: no need */
	uint64_t retry_interval;
	uint64_t tell_ns; /* when general information is to be renewed */
	struct stash stash;
	uint8_t *cleared; /* by watched sample */
	uint32_t cleared_capacity;
	uint32_t quiet_rounds;
	uint64_t lost_seen[3];

	pthread_mutex_t lock; /* of the sample store; no JVM call is made with it held */
	struct sample_store *sample_store;
	int64_t since_wall_ns;
	uint64_t lost_before; /* `lost` when the sample store began */

	pthread_mutex_t requests_lock;
	struct request requests[SAMPLER_REQUESTS];
	uint32_t request_count;
	char last_error[160]; /* why sampling is not on though it should be */
};

/* In sampler_switch.c; on the sampler's thread. */

/* Applies an interval, 0: off. */
enum gcs_status sampler_set_interval(struct sampler *s, uint64_t interval);
void sampler_turn_off(struct sampler *s);

/* Enables or disables the event in the JVM. */
void sampler_set_event(struct sampler *s, jvmtiEventMode mode);

/* Restores HotSpot's own interval, which requires the capability. */
void sampler_restore_interval(struct sampler *s);

/* In sampler_samples.c; on the sampler's thread. */

/* Takes the samples out of the ring into the sample store; how many. */
uint32_t sampler_drain(struct sampler *s);

/* Finds the watched samples whose objects have died, and buries them. */
void sampler_find_dead(struct sampler *s);

/* Moves the sample store to a new stack table when the present one is nearly full. */
void sampler_make_room(struct sampler *s);

/* Deletes weak references that nobody needs any more. */
void sampler_discard(struct sampler *s);

/* Stops watching, when sampling is turned off: takes out what is in the ring, and lets all go. */
void sampler_release_all(struct sampler *s);

#endif
