/*
 * The totals of call sites: all samples by stack, allocated class and group of threads. A site's
 * number is valid until the sample store moves to another stack table.
 *
 * Not thread-safe: the owner of the sample store locks.
 */
#ifndef GCSPY_AGENT_SITE_TOTALS_H
#define GCSPY_AGENT_SITE_TOTALS_H

#include <gcspy/profile.h>

#include "stack_table.h"
#include "sample.h"

struct site {
	uint32_t stack; /* of the stack table; STACK_TABLE_NONE: no Java frames */
	uint32_t class_name;
	uint32_t group;
	uint32_t samples;
	struct estimate allocated;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
	double died_objects;
	double age_sum;      /* of the dead, weighted by objects */
	double lifetime_sum; /* bytes allocated between birth and death, the same way */
	uint32_t next;       /* in its hash chain, plus 1 */
	uint32_t tile;       /* in the space of call sites, or GCS_NONE */
};

struct sites {
	struct site *items;
	uint32_t *chains;
	uint32_t count;
	uint32_t capacity;
	uint32_t limit;
	uint32_t mask;
};

/* Room for `limit` sites, at least 2; false without memory. */
bool sites_init(struct sites *s, uint32_t limit);
void sites_fini(struct sites *s);

/* The number of a site, added if it is new; GCS_NONE when the table is full or without memory. */
uint32_t sites_find(struct sites *s, uint32_t stack, uint32_t class_name, uint32_t group);

/* Adds one site's totals to another's. */
void sites_merge(struct site *to, const struct site *from);

#endif
