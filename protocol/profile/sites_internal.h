/* The inside of sites: shown stacks are a tree of their own, in which equal frames are one. */
#ifndef GCSPY_PROFILE_SITES_INTERNAL_H
#define GCSPY_PROFILE_SITES_INTERNAL_H

#include "sites.h"

#include "arena.h"
#include "intern_table.h"

struct gcs_node;

struct gcs_sites {
	const struct gcs_profile *profile;
	struct gcs_site *items;
	struct gcs_site total;
	uint32_t count;
	uint32_t omitted;
	enum gcs_sites_by by;
	bool has_new;
	const char *const *libraries; /* borrowed; NULL: none */
	/* Shown stacks: `words` are the parent's number plus 1 (0: the root), and a frame of the
	 * profile. A parent's number is smaller. */
	struct intern_keys stacks;
	struct arena arena; /* names of packages */
	/* Live profiles only, else NULL: by entry, the number plus 1 of the site in whose bytes it
	 * counts, which may be an omitted one; 0: in none. */
	uint32_t *of_entry;
};

/* The samples that two profiles of one run share (sites_pairs.c). */
struct sites_pairs {
	const struct gcs_sites *of[2];     /* before, after */
	double factor[2], exact_factor[2]; /* of live objects, see gcs_profile_live_sum */
	double live[2];                    /* bytes of all of them, times it */
	/* Of the change of everything, selected or not, where there is a factor below 1, else 0. */
	double whole_bytes, whole_objects;
	/* By entry of each: the entry of the other that is the same sample, plus 1, or 0. NULL for
	 * different runs, and for kinds other than live. */
	uint32_t *partner[2];
};

/* The variance of a change: a sum over samples, and the largest of one of them. The latter is the
 * least, because no sample may have seen what came or went. */
struct sites_variance {
	double bytes, objects;
	double most_bytes, most_objects;
	double held[2]; /* estimated bytes before and after */
};

/* False without memory; there is nothing to free then. */
bool sites_pairs_init(
    struct sites_pairs *p, const struct gcs_sites *before, const struct gcs_sites *after);
void sites_pairs_fini(struct sites_pairs *p);

/* Adds up the variances by row; `rows` are those of the sites before and after, GCS_NONE for none. With
 * NULL for both all that counts is in row 0. A sample whose row has changed is not shared. */
void sites_pairs_add(
    const struct sites_pairs *p, const uint32_t *const rows[2], struct sites_variance *to);

/* The variances of a row's change: the sums, with the errors of the factors, or the least. */
void sites_pairs_variance(
    const struct sites_pairs *p, const struct sites_variance *v, double *bytes, double *objects);

/* Puts the variances into the nodes of a tree, at `ends` of which the sites before and after are.
 * Without sites before there is nothing to do. False without memory. */
bool sites_pairs_nodes(const struct gcs_sites *before, const struct gcs_sites *after,
    uint32_t *const ends[2], struct gcs_node *nodes, uint32_t count);

/* Puts the largest sites first; false without memory. */
bool sites_sort(struct gcs_sites *sites);

/* Such a site has no place in a tree of live objects. */
bool sites_is_only_new(const struct gcs_site *site);

/* The number of a frame, the same for equal ones; UINT32_MAX without memory. */
uint32_t sites_intern_frame(
    struct intern_texts *texts, struct intern_keys *frames, const struct gcs_frame *f);

#endif
