/*
 * Sampled allocations for other native code in the same JVM: the C functions of JEP 331's draft
 * ("Provide a low-overhead way of sampling Java heap allocations", 2016), exported by
 * libgcspyagent.so. A second agent or a JNI library finds them with dlsym, or links the agent.
 *
 * Differences from the draft: frames carry names, resolved when the sample was taken, instead of
 * method ids, which may be stale by the time they are read (async-profiler's issue 974); each policy
 * for garbage has a function; each trace has its estimated weight.
 *
 * Any thread of the process may call these functions, except inside JVMTI callbacks at a safepoint
 * (GarbageCollectionStart and -Finish). Before the agent is ready and after it is detached they
 * return GCS_STATE; they work again after the next attach, without the callback. Traces stay valid
 * after a detach.
 */
#ifndef GCSPY_SAMPLING_H
#define GCSPY_SAMPLING_H

#include "profile.h"

GCS_BEGIN_DECLS

/* One sampled allocation. Its strings and frames are valid until gcs_sampling_release, or during
 * the callback. */
struct gcs_sampled_trace {
	uint32_t frame_count;
	const struct gcs_frame *frames; /* youngest first; may be none */
	const char *class_name;         /* "java.lang.String" */
	const char *thread;             /* its name */
	uint64_t size;                  /* of the object, in bytes */
	uint64_t id;                    /* unique in this JVM */
	uint64_t context; /* of the allocating thread, as set by gcs_sampling_set_context */
	int64_t wall_ns;  /* time of the allocation, nanoseconds since 1970 UTC */
	double bytes;     /* estimated bytes and objects that the sample represents (profile.h) */
	double objects;
	/* Collections survived, so far or until it was found dead; 0 among the live: new (profile.h). */
	uint32_t age;
	uint64_t lifetime_bytes; /* bytes that the program allocated in that time */
};

/*
 * Called for each sample in the allocating thread, before the sample is recorded. Returns the new
 * mean number of bytes between samples, for all threads, or 0 to keep the present one. Must not
 * call JNI or JVMTI and must not block.
 */
typedef int64_t gcs_sampling_interval(const struct gcs_sampled_trace *sample);

/*
 * Starts sampling with an interval of 512 KiB, unless it is on already, and replaces the callback
 * (NULL: none). Waits for the sampler's thread. OK; STATE if the agent is not ready; TIMEOUT if the
 * JVM did not respond within 5 s, as when it is paused; UNSUPPORTED if another agent has the
 * capability.
 */
GCS_API enum gcs_status gcs_sampling_start(gcs_sampling_interval *callback);

/*
 * The tracked samples: live ones, whose age is at least 1, and new ones, of age 0, that no collection
 * has judged yet and that may be garbage; recently dead ones, newest first; frequently dead ones. The
 * caller gives the array to gcs_sampling_release. OK, STATE or NOMEM.
 */
GCS_API enum gcs_status gcs_sampling_live(struct gcs_sampled_trace **traces, uint32_t *count);
GCS_API enum gcs_status gcs_sampling_recent_garbage(
    struct gcs_sampled_trace **traces, uint32_t *count);
GCS_API enum gcs_status gcs_sampling_frequent_garbage(
    struct gcs_sampled_trace **traces, uint32_t *count);

/* NULL has no effect. */
GCS_API void gcs_sampling_release(struct gcs_sampled_trace *traces);

/* Attaches a number, such as a request or a tenant, to this thread's samples from now on. */
GCS_API void gcs_sampling_set_context(uint64_t context);

/* Turns sampling off for all users and removes the callback. Statuses as gcs_sampling_start. */
GCS_API enum gcs_status gcs_sampling_stop(void);

GCS_END_DECLS

#endif
