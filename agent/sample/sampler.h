/*
 * Sampled allocations (S1 to S8).
 *
 * An allocating thread that HotSpot samples (SampledObjectAlloc, JEP 331) numbers the stack, class
 * and thread of its sample in the stack table, makes a weak reference to the object, and puts a
 * record into a ring; it takes no lock of ours. The sampler's own thread takes the records out,
 * keeps the sample store, and after each collection checks which weak references were cleared. A
 * second thread (queries.h) answers clients from the sample store; it never calls the JVM, so that
 * it works while the program is paused.
 *
 * With the interval 0 nothing of it exists in the JVM: no capability, no event, no attached thread.
 */
#ifndef GCSPY_AGENT_SAMPLER_H
#define GCSPY_AGENT_SAMPLER_H

#include <gcspy/server.h>

#include "heap.h"
#include "judge.h"
#include "sample_event.h"
#include "sample_store.h"
#include "vm_weak.h"
#include "vm.h"
#include "walk.h"

struct sampler;

struct sampler_options {
	uint64_t interval; /* initial mean bytes between samples; 0: off */
	uint32_t depth;    /* maximum number of Java frames, 1..WALK_MAX_DEPTH */
	size_t live_bytes; /* memory for tracked samples */
	size_t site_bytes; /* memory for names, stacks and call sites */
	uint32_t recent;
	uint32_t frequent;
	enum walk_choice walk;
};

/* The longest interval that JVMTI accepts. */
#define SAMPLER_MAX_INTERVAL ((uint64_t)INT32_MAX)

/* All borrowed, and alive until sampler_destroy. */
struct sampler_parts {
	JavaVM *java;
	jvmtiEnv *jvmti;
	const struct vm *vm;
	struct gcs_server *server;
	const char *name;                 /* the server's, copied */
	void (*log)(const char *line);    /* writes one line for the operator */
	const struct heap_driver *driver; /* NULL: none */
	const void *heap;                 /* the driver's state */
	uint32_t event;                   /* "Sampled allocation" */
};

/* Starts the threads; NULL with the reason. At VMInit or later. */
struct sampler *sampler_create(const struct sampler_parts *parts,
    const struct sampler_options *options, struct gcs_error *err);

/* The SampledObjectAlloc callback, in the allocating thread. Does not block, except in JVMTI and
 * JNI. */
void sampler_allocated(
    struct sampler *s, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size);

/* A collection begins. In the VM thread, at a safepoint; see tlab_rests.h. */
void sampler_collects(struct sampler *s);

/* A collection has finished; `idle`: so has its cycle (Shenandoah). In the VM thread, at a safepoint:
 * a load and, while sampling, some stores and a semaphore. */
void sampler_collected(struct sampler *s, enum gc_kind kind, uint64_t collection, bool idle);

/*
 * Turns sampling off, restores the JVM's interval, deletes the weak references, ends the thread,
 * which detaches from the JVM, and waits for it, at most until `deadline_ns` of the monotonic
 * clock; false if it still runs. NULL is fine.
 */
bool sampler_end(struct sampler *s, uint64_t deadline_ns);

/* After sampler_end, when nothing calls any function of this file any more; `jni` is the calling
 * thread's. NULL is fine. */
void sampler_destroy(struct sampler *s, JNIEnv *jni);

/* Whether the last collection's judgement has reached the samples. True while sampling is off. Any
 * thread. */
bool sampler_has_judged(const struct sampler *s);

/* The program ends: later callbacks do nothing. */
void sampler_vm_death(struct sampler *s);

/* Requests another interval; the answer goes to `ticket` if it is not 0. Any thread; does not wait.
 * False when too many requests wait. */
bool sampler_request(struct sampler *s, uint64_t interval, uint64_t ticket);

/* The present interval, 0 when off. Any thread. */
uint64_t sampler_interval(const struct sampler *s);

/* The sample store under its lock, or NULL (without a lock) when nothing was ever sampled. */
struct sample_store *sampler_lock(struct sampler *s);
void sampler_unlock(struct sampler *s);

/* Where a sample's object is: by its weak reference (vm_weak.h) or, exactly, as a humongous one (humongous.h). While
 * the sample is tracked; as vm_weak_position. */
struct vm_position sampler_position(const struct sampler *s, const struct tracked *l);

/* What collections have judged so far, also when it has not reached the samples; whether a tracked
 * sample that still has a position has survived one of them. */
struct judgement sampler_judgement(const struct sampler *s);
bool sampler_has_survived(
    const struct sampler *s, const struct judgement *now, const struct tracked *l);

/* Selects samples and call sites of a profile. Called with the lock held; any may be NULL. */
struct sample_choice {
	/* Live samples: gets all tracked ones before any is selected; false: no profile. */
	bool (*begin)(struct sample_choice *choice, const struct tracked *live, uint32_t count);
	/* Fills address and approximate, and returns the type of region, or NULL: not known. */
	bool (*takes)(const struct sample_choice *choice, uint32_t i);
	const char *(*locate)(
	    const struct sample_choice *choice, uint32_t i, struct gcs_profile_entry *entry);
	/* Others: where they were allocated; NULL: not known. */
	bool (*takes_place)(
	    const struct sample_choice *choice, const struct heap_birthplace *place);
	uint64_t min_size; /* of an object; totals: of the ranges that may have such objects */
	const char *note;  /* appended to the profile's "as of"; read after begin() */
	void *context;
	bool again; /* begin() is to be retried, without the lock in between */
};

/* Has `visit` called with the tracked samples on the sampler's thread, which is in the JVM and the
 * only one that deletes their references, and waits for it. False, without the call, while sampling
 * is off. Not after sampler_end. */
typedef void sampler_visitor(
    void *context, JNIEnv *jni, const struct tracked *live, uint32_t count);
bool sampler_visit(struct sampler *s, sampler_visitor *visit, void *context);

/* The name of the class of a sample that a visitor has been given. */
const char *sampler_class(const struct sampler *s, const struct tracked *l);

/* A profile of the samples, or NULL with the reason: STATE when there is none because sampling is
 * off. `choice` may be NULL. Waits at most half a second until the dead of the last collection are
 * known: the JVM does not tell while it is at a safepoint. Any thread; takes the lock. */
struct gcs_profile *sampler_profile(struct sampler *s, enum gcs_profile_kind kind,
    struct sample_choice *choice, struct gcs_error *err);

/* Sets the function that the sampler's thread calls when a collection has judged the samples.
 * Once. */
typedef void sampler_judged(void *context);
void sampler_on_judged(struct sampler *s, sampler_judged *judged, void *context);

/* Sets the function that gets each sample that a trigger has fired at, on the allocating thread; it copies
 * the sample, for the snapshot of this ticket. Once. */
typedef void sampler_fired(
    void *context, const struct gcs_ticket *ticket, const struct sampled_allocation *allocation);
void sampler_on_fired(struct sampler *s, sampler_fired *fired, void *context);

/* True while sampling is requested but not possible. Any thread. */
bool sampler_has_error(struct sampler *s);

/* One line each about the state and the stack walk, for general information. */
void sampler_describe(struct sampler *s, char *text, size_t size);
void sampler_describe_walk(const struct sampler *s, char *text, size_t size);

#endif
