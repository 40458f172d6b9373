/*
 * Objects by class, kept for each range of the heap, so that a range which is walked again takes
 * its earlier part out of the totals. Memory is made in advance: lists of small chunks from a
 * pool, of which untouched pages take none. One thread.
 */
#ifndef GCSPY_AGENT_SWEEP_TALLY_H
#define GCSPY_AGENT_SWEEP_TALLY_H

#include <stdbool.h>
#include <stdint.h>

struct sweep_tally;

struct tally_total {
	uint64_t objects;
	uint64_t bytes;
};

/* For ranges and classes with numbers below these. NULL without memory. */
struct sweep_tally *sweep_tally_create(uint32_t ranges, uint32_t classes, uint32_t chunks);
void sweep_tally_destroy(struct sweep_tally *t);

/* Counts an object of the range that is being walked. */
void sweep_tally_add(struct sweep_tally *t, uint32_t class_id, uint64_t bytes);

/* What was added belongs to this range: to what it has (`more`), or to what will take its place. */
void sweep_tally_flush(struct sweep_tally *t, uint32_t range, bool more);

/* What was flushed to take its place takes it. */
void sweep_tally_replace(struct sweep_tally *t, uint32_t range);

/* Forgets what would have taken its place. */
void sweep_tally_restart(struct sweep_tally *t, uint32_t range);

/* The range has nothing any more. */
void sweep_tally_drop(struct sweep_tally *t, uint32_t range);

/* All is as after the creation. No class from `classes` on was ever counted. */
void sweep_tally_clear(struct sweep_tally *t, uint32_t classes);

/* The totals by class. */
const struct tally_total *sweep_tally_totals(const struct sweep_tally *t);

/* Bytes of objects for which there was no chunk; they are in no total. */
uint64_t sweep_tally_lost(const struct sweep_tally *t);

#endif
