/* The insides of the sampler, shared by its files. */
#ifndef GCSPY_AGENT_SAMPLER_INTERNAL_H
#define GCSPY_AGENT_SAMPLER_INTERNAL_H

#include <pthread.h>
#include <semaphore.h>

#include <gcspy/sampling.h>

#include "humongous.h"
#include "native_stack.h"
#include "ring.h"
#include "sampler.h"
#include "service_thread.h"
#include "table_epoch.h"
#include "tlab_rests.h"

enum { SAMPLER_RING = 4096, SAMPLER_REQUESTS = 32 };

/* How the memory for sites is divided: percentage for names and stacks; bytes of a site with its
 * share of the hash table. */
enum { SAMPLER_TABLE_PERCENT = 55, SAMPLER_SITE_BYTES = sizeof(struct site) + 8 };

/* A request for another interval. */
struct request {
	uint64_t interval;
	uint64_t ticket;
};

/*
 * Samples of a new stack table that arrived while the sample store still belonged to the old one.
 */
struct stash {
	struct sample *items;
	uint32_t count;
	uint32_t capacity;
};

/* Of sampler_visit. */
struct visit {
	sampler_visitor *visit;
	void *context;
	sem_t done;
	bool served;
};

struct sampler {
	struct sampler_parts parts;
	struct sampler_options options;
	struct walker *walker;
	char name[GCS_MAX_NAME + 1]; /* the server's, for profiles */
	bool virtual_threads;        /* the JVM can have them */
	bool picks_early; /* a thread's first sampling point is chosen when the thread is created
			    (initial_interval.h) */
	bool delayed; /* weak references are cleared by major collections only: generational ZGC */
	struct service_thread thread;
	sem_t wake;
	bool has_lock, has_requests_lock, has_wake;
	atomic_bool ending;

	struct tlab_rests tlab_rests;
	struct humongous *humongous; /* NULL: there are none */

	/* Read by allocating threads. */
	atomic_bool on;
	atomic_uint_least64_t interval; /* 0: off */
	atomic_bool sampled;            /* the JVM takes samples: true some time after `on` */
	struct table_epochs table_epochs;
	struct ring *ring;
	atomic_bool classes_differ; /* names of classes are not kept */
	atomic_uint_least64_t next_id;
	struct sample_threshold threshold; /* the store's */
	struct judge judge;
	atomic_bool moving; /* the sample store is about to move to the present epoch */
	atomic_bool idle;   /* our thread sleeps until the ring is filled */
	_Atomic(gcs_sampling_interval *) hook;
	_Atomic(sampler_fired *) on_fired;
	void *fired_context;
	atomic_uint_least64_t events; /* samples that triggers were asked about */
	/* What samples stood for that were lost because the ring was full. */
	atomic_uint_least64_t lost, lost_bytes, lost_objects;

	/* From the VM thread. */
	atomic_uint looks;     /* enum judge_look */
	atomic_uint collected; /* pauses that set some */
	/* From the sampler's thread: the value of `collected` up to which the dead are known. */
	atomic_uint marked;
	_Atomic(sampler_judged *) on_judged;
	void *judged_context;

	/* The sampler's thread's own. */
	JNIEnv *jni;       /* while attached */
	bool interval_set; /* the JVM's interval is ours */
	uint64_t retry_ns; /* when to retry to get the capability; 0: never */
	uint64_t retry_interval;
	uint64_t publish_ns; /* when to update general information */
	bool stale;          /* it is older than the last samples */
	struct stash stash;
	void *raw;        /* a capture of the heap, for generational ZGC; NULL: none */
	uint8_t *cleared; /* by tracked sample */
	uint32_t cleared_capacity;
	uint32_t quiet_rounds;
	uint64_t lost_seen[3];

	pthread_mutex_t lock; /* of the sample store; no JVM call is made with it held */
	struct sample_store *sample_store;
	struct judgement judgement; /* up to which the dead are known */
	int64_t since_wall_ns;
	uint64_t lost_before; /* `lost` when the sample store was created */

	pthread_mutex_t requests_lock;
	struct request requests[SAMPLER_REQUESTS];
	uint32_t request_count;
	_Atomic uint32_t unserved; /* requests that wait, or are being served */
	struct visit *visit;       /* one at a time; NULL: none */
	char last_error[160];      /* why sampling is off although it was requested */
};

/* In sampler_switch.c; on the sampler's thread. */

/* Applies an interval, 0: off. */
enum gcs_status sampler_set_interval(struct sampler *s, uint64_t interval);
void sampler_turn_off(struct sampler *s);

/* At the thread's end. It stays in the JVM while sampling is off: leaving makes HotSpot go through all
 * monitors, and JDK 17 once crashed there. */
void sampler_leave_jvm(struct sampler *s);

/* Enables or disables the event in the JVM. */
void sampler_set_event(struct sampler *s, jvmtiEventMode mode);

/* Restores HotSpot's own interval, which requires the capability. */
void sampler_restore_interval(struct sampler *s);

/* In sample_event.c: true if a trigger has fired at the sample; `ticket` is for gcs_server_leave. */
bool sample_event_check(struct sampler *s, const struct stack_table *d, const struct sample *sample,
    struct gcs_ticket *ticket);

/* In sampler_samples.c; on the sampler's thread. */

/* Moves the samples from the ring to the sample store; returns their number. */
uint32_t sampler_drain(struct sampler *s);

/* Marks tracked samples whose objects have died. */
void sampler_find_dead(struct sampler *s);

/* Moves the sample store to a new stack table when the current one is nearly full. */
void sampler_make_room(struct sampler *s);

/* Deletes weak references that are no longer needed. */
void sampler_discard(struct sampler *s);

/* Serves a waiting sampler_visit. */
void sampler_serve_visit(struct sampler *s);

/* When sampling is turned off: empties the ring and releases all references. */
void sampler_release_all(struct sampler *s);

#endif
