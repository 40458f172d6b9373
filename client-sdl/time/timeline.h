/*
 * When events happened: an entry per received snapshot; at the limit the oldest is dropped (and
 * counted). Times are the server's monotonic clock. Belongs to the window's thread.
 */
#ifndef GCSPY_CLIENT_TIMELINE_H
#define GCSPY_CLIENT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_LIMIT 65536u /* entries; a power of two */

struct timeline_entry {
	uint64_t sequence;
	uint64_t time_ns;
	uint64_t elapsed_ns;
	uint32_t event;
};

struct timeline {
	struct timeline_entry *entry; /* ring */
	uint32_t capacity, first, count;
	uint64_t dropped;
};

void timeline_fini(struct timeline *t);
void timeline_clear(struct timeline *t);

/* Adds the newest; without memory, drops the oldest instead. */
void timeline_add(struct timeline *t, struct timeline_entry entry);

/* Entry i, 0 the oldest, i < count. */
const struct timeline_entry *timeline_at(const struct timeline *t, uint32_t i);

/* The index of the first entry at or after a time, or count. */
uint32_t timeline_find(const struct timeline *t, uint64_t time_ns);

#endif
