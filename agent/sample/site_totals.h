/*
 * The totals of call sites: all samples by stack, allocated class and group of threads, and of each
 * such call site by range of sizes and by type of region. A site's number is valid until the sample
 * store moves to another stack table.
 *
 * Not thread-safe: the owner of the sample store locks.
 */
#ifndef GCSPY_AGENT_SITE_TOTALS_H
#define GCSPY_AGENT_SITE_TOTALS_H

#include <gcspy/profile.h>

#include "stack_table.h"
#include "sample.h"

struct site_key {
	uint32_t stack; /* of the stack table; STACK_TABLE_NONE: no Java frames */
	uint32_t class_name;
	uint32_t group;
	uint32_t range;                      /* site_range */
	const struct heap_birthplace *place; /* NULL: not known */
};

struct site {
	struct site_key key;
	uint32_t samples;
	uint32_t head; /* the first site of the same call site, which may be this one */
	struct estimate allocated;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
	double died_objects;
	double age_sum;      /* of the dead, weighted by objects */
	double lifetime_sum; /* bytes allocated between birth and death, the same way */
	uint32_t next;       /* in its hash chain, plus 1 */
	uint32_t tile;       /* of a head: in the space of call sites, or GCS_NONE */
};

/* The range of sizes of an object: n for those from 2^n bytes on and below twice that; 0: below 1
 * KiB. */
static inline uint32_t site_range(uint64_t size)
{
	uint32_t range = 0;
	for (; size >= 1024; size /= 2)
		range++;
	return range == 0 ? 0 : range + 9;
}

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
uint32_t sites_find(struct sites *s, const struct site_key *key);

/* Adds one site's totals to another's. */
void sites_merge(struct site *to, const struct site *from);

#endif
