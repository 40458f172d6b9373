/*
 * The way of a capture from the pause to the worker: a ring of slots prepared in advance, one
 * writer (the VM thread), one reader.
 *
 * The writer takes a slot, copies raw words into it and hands it over with a semaphore; it never
 * waits, never allocates, and calls nothing of the system but that post. When the reader is behind
 * and the ring is full, the event is missed and counted.
 */
#ifndef GCSPY_AGENT_CAPTURE_H
#define GCSPY_AGENT_CAPTURE_H

#include <gcspy/server.h>

#include "gc_kind.h"
#include "heap_walk.h"
#include "vm_tlab.h"

enum { CAPTURE_SLOTS = 32, CAPTURE_CAUSE = 64, CAPTURE_TLABS = 4096 };

enum capture_moment { CAPTURE_START, CAPTURE_FINISH, CAPTURE_LOOK, CAPTURE_CLOCK };

/* One capture. Its memory belongs to the ring (or to capture_slot_create's caller). */
struct capture {
	struct gcs_ticket ticket; /* audience 0: only needed for the finish to compare with */
	enum capture_moment moment;
	uint32_t epoch;            /* of objects' positions (object_locations.h) */
	uint64_t collection;       /* the number of the collection; 0: unknown */
	uint64_t pause_ns;         /* of the collection, at its finish; our own time left out */
	enum gc_kind kind;         /* at the finish */
	char cause[CAPTURE_CAUSE]; /* "" when unknown */
	size_t tlab_total;         /* threads in the JVM's list */
	size_t tlab_count;         /* buffers captured */
	struct vm_tlab *tlabs;     /* CAPTURE_TLABS of them */
	void *raw;                 /* the heap driver's */
	const struct heap_walk_result *heap_walk; /* heavy volume, or NULL */
	bool beside; /* the heap is to be read by the worker, beside the pause */
};

struct capture_ring;

/* Slots with room for `raw_bytes` of the driver's data. NULL without memory. Untouched pages of it
 * take no memory. */
struct capture_ring *capture_ring_create(size_t raw_bytes);
void capture_ring_destroy(struct capture_ring *ring);

/* Writer: a free slot, or NULL when the reader is behind; then hand it over, waking the reader or
 * leaving that for later. */
struct capture *capture_take(struct capture_ring *ring);
void capture_hand_over(struct capture_ring *ring, bool wake);

/* Wakes the reader, for captures handed over or something else. Any thread. */
void capture_wake(struct capture_ring *ring);

/* Reader: waits until woken; then the oldest capture or NULL, and giving it back. */
void capture_wait(struct capture_ring *ring);
struct capture *capture_first(struct capture_ring *ring);
void capture_done(struct capture_ring *ring);

/* True if captures wait or one is being read. Any thread. */
bool capture_pending(const struct capture_ring *ring);

/* A single capture outside the ring, for looks and for keeping a copy. */
struct capture *capture_create(size_t raw_bytes);
void capture_destroy(struct capture *capture);

#endif
