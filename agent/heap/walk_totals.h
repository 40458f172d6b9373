/*
 * Objects by class, kept for each range of the heap, so that a range which is walked again takes
 * its earlier part out of the totals. Memory is made in advance: lists of small chunks from a
 * pool, of which untouched pages take none. One thread.
 */
#ifndef GCSPY_AGENT_WALK_TOTALS_H
#define GCSPY_AGENT_WALK_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

struct walk_totals;

struct walk_total {
	uint64_t objects;
	uint64_t bytes;
};

/* For ranges and classes with numbers below these. NULL without memory. */
struct walk_totals *walk_totals_create(uint32_t ranges, uint32_t classes, uint32_t chunks);
void walk_totals_destroy(struct walk_totals *t);

/* Counts an object of the range that is being walked. */
void walk_totals_add(struct walk_totals *t, uint32_t class_id, uint64_t bytes);

/* What was added belongs to this range: to what it has (`more`), or to what will take its place. */
void walk_totals_flush(struct walk_totals *t, uint32_t range, bool more);

/* What was flushed to take its place takes it. */
void walk_totals_replace(struct walk_totals *t, uint32_t range);

/* Forgets what would have taken its place. */
void walk_totals_restart(struct walk_totals *t, uint32_t range);

/* The range has nothing any more. */
void walk_totals_drop(struct walk_totals *t, uint32_t range);

/* All is as after the creation. No class from `classes` on was ever counted. */
void walk_totals_clear(struct walk_totals *t, uint32_t classes);

/* The totals by class. */
const struct walk_total *walk_totals_totals(const struct walk_totals *t);

/* Bytes of objects for which there was no chunk; they are in no total. */
uint64_t walk_totals_lost(const struct walk_totals *t);

#endif
