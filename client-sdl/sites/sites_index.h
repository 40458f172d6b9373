/*
 * A profile as its call sites: what has the same class and the same shown stack, put together.
 *
 * The index belongs to one profile, which must outlive it; it is built once for each profile and
 * choice of frames. Grouping is cheap enough to be repeated at each letter of a filter. Names come
 * from a server that may be hostile: nothing here follows a stack frame by frame for each entry,
 * and hashes depend on a number that no server knows. One thread.
 */
#ifndef GCSPY_CLIENT_SITES_INDEX_H
#define GCSPY_CLIENT_SITES_INDEX_H

#include <gcspy/profile.h>

#include "sites_filter.h"

/* A shown stack: its youngest shown frame and the shown stack below it, which has a smaller
 * number. */
struct sites_node {
	uint32_t parent; /* GCS_NONE at the root */
	uint32_t frame;  /* of the profile */
	uint32_t depth;  /* shown frames with this one */
	uint64_t key;    /* of the contents of all of its frames */
};

struct sites_index {
	const struct gcs_profile *profile;
	bool runtime_frame;  /* frames of the machinery are shown */
	uint32_t *name_of;   /* per name: the first equal one */
	uint64_t *name_key;  /* per name: hash of its content */
	uint32_t *frame_of;  /* per frame: the first equal one */
	uint64_t *frame_key; /* per frame: hash of its content */
	uint32_t *node_of;   /* per stack: its node; GCS_NONE when all of its frames are hidden */
	uint32_t *alone_of;  /* per stack: node of its youngest frame alone, for that case */
	struct sites_node *node;
	uint32_t node_count;
	/* May be changed before sites are made: entries from this one on are what the others are
	 * compared with, and only those of some ages count (0: of any). */
	uint32_t border;
	uint32_t min_age, below_age;
};

struct site {
	uint64_t key;        /* the same for the same site of another profile of this run */
	uint32_t node;       /* GCS_NONE: without frames */
	uint32_t class_name; /* of the profile's names */
	uint32_t entry;      /* its first entry */
	uint64_t samples;
	double bytes, bytes_variance;
	double objects, objects_variance;
	double age;      /* mean over objects, in collections */
	double lifetime; /* mean over objects, in bytes allocated meanwhile */
	double live_bytes, live_objects;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
	/* Of the entries that the others are compared with; the variances are those of both. */
	uint64_t base_samples;
	double base_bytes, base_objects;
};

struct sites {
	struct site *site; /* in the order of their first entries */
	uint32_t count;
	uint32_t *of_entry; /* per entry of the profile: its site, GCS_NONE when filtered out */
	double bytes;       /* of all sites */
	double all_bytes;   /* of the whole profile, filtered out or not */
	double base_bytes, all_base_bytes;
};

/* Both: false without memory (then there is nothing to finish). A filter of NULL lets all pass. */
bool sites_index_init(
    struct sites_index *index, const struct gcs_profile *profile, bool runtime_frame);
bool sites_init(
    struct sites *sites, const struct sites_index *index, const struct sites_filter *filter);

/* Both accept a zeroed struct. */
void sites_index_fini(struct sites_index *index);
void sites_fini(struct sites *sites);

/* One profile with the entries of both, those of `after` first; NULL without memory. */
struct gcs_profile *sites_join(const struct gcs_profile *after, const struct gcs_profile *before);

/* The youngest shown frame of a site, or NULL. */
const struct gcs_frame *sites_top(const struct sites_index *index, const struct site *site);

#endif
