/*
 * A profile grouped by call site: entries with the same class and the same shown stack.
 *
 * The index belongs to one profile, which must outlive it, and is built once per profile and choice
 * of frames. Grouping is cheap enough to repeat for each letter of a filter. Names come from a
 * possibly hostile server: no stack is walked frame by frame for each entry, and hashes are seeded
 * with a secret. One thread.
 */
#ifndef GCSPY_CLIENT_SITES_INDEX_H
#define GCSPY_CLIENT_SITES_INDEX_H

#include <gcspy/profile.h>

#include "sites_filter.h"

/* A shown stack: its youngest shown frame, and the shown stack below it, which has a smaller
 * index. */
struct sites_node {
	uint32_t parent; /* GCS_NONE at the root */
	uint32_t frame;  /* of the profile */
	uint32_t depth;  /* shown frames including this one */
	uint64_t key;    /* hash of the contents of all its frames */
};

struct sites_index {
	const struct gcs_profile *profile;
	bool runtime_frame;  /* runtime frames are shown */
	uint32_t *name_of;   /* per name: the first equal one */
	uint64_t *name_key;  /* per name: hash of its content */
	uint32_t *frame_of;  /* per frame: the first equal one */
	uint64_t *frame_key; /* per frame: hash of its content */
	uint32_t *node_of;   /* per stack: its node; GCS_NONE when all of its frames are hidden */
	uint32_t *alone_of;  /* per stack: node of its youngest frame alone, used in that case */
	struct sites_node *node;
	uint32_t node_count;
	/* May be set before sites are built: entries from `border` on are the base of a comparison,
	 * and only those of the given ages count (0: any). */
	uint32_t border;
	uint32_t min_age, below_age;
};

struct site {
	uint64_t key;        /* stable across profiles of one run of the visualiser */
	uint32_t node;       /* GCS_NONE: without frames */
	uint32_t class_name; /* of the profile's names */
	uint32_t entry;      /* its first entry */
	uint64_t samples;
	double bytes, bytes_variance;
	double objects, objects_variance;
	double age;      /* mean over objects, in collections */
	double lifetime; /* mean over objects, in bytes allocated during their life */
	double live_bytes, live_objects;
	double died_bytes[GCS_SURVIVAL_BUCKETS];
	/* Of the base entries of a comparison; the variances are those of both. */
	uint64_t base_samples;
	double base_bytes, base_objects;
};

struct sites {
	struct site *site; /* ordered by first entry */
	uint32_t count;
	uint32_t *of_entry; /* per entry of the profile: its site, GCS_NONE when filtered out */
	double bytes;       /* of all sites */
	double all_bytes;   /* of the whole profile, ignoring the filter */
	double base_bytes, all_base_bytes;
};

/* Both return false without memory (nothing to finish then). A NULL filter matches everything. */
bool sites_index_init(
    struct sites_index *index, const struct gcs_profile *profile, bool runtime_frame);
bool sites_init(
    struct sites *sites, const struct sites_index *index, const struct sites_filter *filter);

/* Both accept a zero-initialized struct. */
void sites_index_fini(struct sites_index *index);
void sites_fini(struct sites *sites);

/* A profile with the entries of both, those of `after` first; NULL without memory. */
struct gcs_profile *sites_join(const struct gcs_profile *after, const struct gcs_profile *before);

/* The youngest shown frame of a site, or NULL. */
const struct gcs_frame *sites_top(const struct sites_index *index, const struct site *site);

#endif
