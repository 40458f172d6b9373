/*
 * Sampled allocations for other native code in the same JVM: the C calls of JEP 331's draft
 * ("Provide a low-overhead way of sampling Java heap allocations", 2016), exported by
 * libgcspyagent.so. A second agent, or a JNI library, finds them by dlsym or links the agent.
 *
 * They differ from the draft where ten years of experience say so. Frames carry names, resolved when
 * the sample was taken, instead of method ids, which may be stale by the time they are read
 * (async-profiler's issue 974). The draft's policies for garbage are two calls. Each trace says what
 * it stands for.
 *
 * The functions may be called by any thread of a process in which the agent is loaded, except inside
 * JVMTI callbacks at a safepoint (GarbageCollectionStart and -Finish). Before the agent has come to
 * life, and once it is detached, they return GCS_STATE; the next attach makes them work again, without
 * the callback. Traces stay valid over a detach.
 */
#ifndef GCSPY_SAMPLING_H
#define GCSPY_SAMPLING_H

#include "profile.h"

GCS_BEGIN_DECLS

/* One sampled allocation. Everything in it lives until gcs_sampling_release, or for the time of the
 * callback. */
struct gcs_sampled_trace {
	uint32_t frame_count;
	const struct gcs_frame *frames; /* youngest first; may be none */
	const char *class_name;         /* "java.lang.String" */
	const char *thread;             /* its name */
	uint64_t size;                  /* bytes of the object */
	uint64_t id;                    /* unique in this JVM */
	uint64_t context; /* of the thread at the allocation, gcs_sampling_set_context */
	int64_t wall_ns;  /* when it was allocated, since 1970 UTC */
	double bytes;     /* what the sample stands for (profile.h) … */
	double objects;
	uint32_t age;            /* collections survived, so far or until it was found dead */
	uint64_t lifetime_bytes; /* allocated by the program since its birth, until then */
};

/*
 * Called in the allocating thread for each sample, before it is recorded; returns the mean number of
 * bytes to be allocated before the next one, of any thread, or 0 to leave it as it is. It must not
 * call JNI or JVMTI and must not block.
 */
typedef int64_t gcs_sampling_interval(const struct gcs_sampled_trace *sample);

/*
 * Starts sampling, as an interval of 512 KiB unless it is on already, and sets the callback (NULL: none),
 * in place of the one before. OK; ARGUMENT never; STATE when the agent is not ready; TIMEOUT when
 * the JVM did not answer within 5 s (it is paused); UNSUPPORTED when another agent holds the
 * capability. Waits for the sampler's thread.
 */
GCS_API enum gcs_status gcs_sampling_start(gcs_sampling_interval *callback);

/* The samples whose objects live; recently dead ones, the newest first; frequent dead ones. The
 * array is the caller's, for gcs_sampling_release. OK, STATE or NOMEM. */
GCS_API enum gcs_status gcs_sampling_live(struct gcs_sampled_trace **traces, uint32_t *count);
GCS_API enum gcs_status gcs_sampling_recent_garbage(
    struct gcs_sampled_trace **traces, uint32_t *count);
GCS_API enum gcs_status gcs_sampling_frequent_garbage(
    struct gcs_sampled_trace **traces, uint32_t *count);

/* NULL is fine. */
GCS_API void gcs_sampling_release(struct gcs_sampled_trace *traces);

/* Attaches a number to the samples that this thread makes from now on: a request, a tenant. */
GCS_API void gcs_sampling_set_context(uint64_t context);

/* Turns sampling off for everybody, and removes the callback. Statuses as gcs_sampling_start. */
GCS_API enum gcs_status gcs_sampling_stop(void);

GCS_END_DECLS

#endif
