/*
 * Objects by class, kept for each range of the heap, so that a range that is walked again replaces
 * its earlier counts in the totals. Memory is reserved in advance: lists of small chunks from a
 * pool, whose untouched pages take none. One thread.
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

/* For range and class numbers below these. NULL without memory. */
struct walk_totals *walk_totals_create(uint32_t ranges, uint32_t classes, uint32_t chunks);
void walk_totals_destroy(struct walk_totals *t);

/* Counts an object of the range that is being walked. */
void walk_totals_add(struct walk_totals *t, uint32_t class_id, uint64_t bytes);

/*
 * Assigns added objects to this range: to its counts (`more`), or to those that will replace them.
 */
void walk_totals_flush(struct walk_totals *t, uint32_t range, bool more);

/* Replaces the range's counts. */
void walk_totals_replace(struct walk_totals *t, uint32_t range);

/* Discards counts that would have replaced the range's. */
void walk_totals_restart(struct walk_totals *t, uint32_t range);

/* Discards all counts of the range. */
void walk_totals_drop(struct walk_totals *t, uint32_t range);

/* Resets everything. No class from `classes` on was ever counted. */
void walk_totals_clear(struct walk_totals *t, uint32_t classes);

/* The totals by class. */
const struct walk_total *walk_totals_totals(const struct walk_totals *t);

/* Bytes of objects that there was no chunk for; they are in no total. */
uint64_t walk_totals_lost(const struct walk_totals *t);

#endif
