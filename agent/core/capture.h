/*
 * Passes captures from the pause to the worker: a ring of preallocated slots, one writer (the VM
 * thread), one reader.
 *
 * The writer takes a slot, copies raw words into it and hands it over with a semaphore; it never
 * waits, never allocates, and makes no system call but that post. When the reader lags and the ring
 * is full, the event is missed and counted. Each side's count is released by that side and acquired by
 * the other one, and with it the slots up to there.
 */
#ifndef GCSPY_AGENT_CAPTURE_H
#define GCSPY_AGENT_CAPTURE_H

#include <gcspy/server.h>

#include "gc_kind.h"
#include "heap_walk.h"
#include "sample_event.h"
#include "vm_tlab.h"

enum { CAPTURE_SLOTS = 32, CAPTURE_CAUSE = 64, CAPTURE_TLABS = 4096 };

enum capture_trigger {
	CAPTURE_START,
	CAPTURE_FINISH,
	CAPTURE_REQUEST,
	CAPTURE_TICK,
	CAPTURE_ALLOCATION
};

/* Its memory belongs to the ring, or to the caller of capture_create. */
struct capture {
	struct gcs_ticket ticket; /* audience 0: only needed for the finish to compare with */
	enum capture_trigger trigger;
	uint32_t epoch;            /* of objects' addresses (object_locations.h) */
	uint64_t collection;       /* number of the collection; 0: unknown */
	uint64_t pause_ns;         /* of the collection, at its finish; without our own time */
	enum gc_kind kind;         /* at the finish */
	char cause[CAPTURE_CAUSE]; /* "" when unknown */
	size_t tlab_total;         /* threads in the JVM's list */
	size_t tlab_count;         /* buffers captured */
	struct vm_tlab *tlabs;     /* CAPTURE_TLABS of them */
	void *raw;                 /* the heap driver's */
	const struct heap_walk_result *heap_walk; /* heavy volume, or NULL */
	/* Of CAPTURE_ALLOCATION, else NULL and empty: the sample; the state's place in the order of
	 * events and its time, which is later than that of the ticket, when the trigger fired. */
	const struct sampled_allocation *allocation;
	struct gcs_ticket place;
	bool off_pause; /* the worker reads the heap, after the pause */
};

struct capture_ring;

/* Slots with room for `raw_bytes` of the driver's data; untouched pages take no memory. NULL without
 * memory. */
struct capture_ring *capture_ring_create(size_t raw_bytes);
void capture_ring_destroy(struct capture_ring *ring);

/* Writer: a free slot, or NULL when the reader lags; then hand it over, waking the reader or leaving
 * that for later. */
struct capture *capture_take(struct capture_ring *ring);
void capture_hand_over(struct capture_ring *ring, bool wake);

/* Wakes the reader, for captures handed over or something else. Any thread. */
void capture_wake(struct capture_ring *ring);

/* Reader: wait until woken; take the oldest capture, or NULL; give it back. */
void capture_wait(struct capture_ring *ring);
struct capture *capture_first(struct capture_ring *ring);
void capture_done(struct capture_ring *ring);

/* How many captures wait or are being read. Any thread. */
uint32_t capture_pending(const struct capture_ring *ring);

/* A single capture outside the ring. */
struct capture *capture_create(size_t raw_bytes);
void capture_destroy(struct capture *capture);

#endif
