/*
 * A profile put together for people: call sites, and what grew (rows S6, S8).
 *
 * A site is what all selected entries with the same shown stack and class have in common. Shown are
 * the frames that say where a program allocates; the runtime frames between them is left out unless
 * asked for (docs/sites.md has the table). Estimates are sums over independent samples, so their
 * variances add up and the standard error is the root of the sum.
 *
 * Both objects borrow: sites live no longer than their profile, a comparison no longer than its
 * sites. They are made by one thread and do not change afterwards; then any thread may read them.
 */
#ifndef GCSPY_PROFILE_SITES_H
#define GCSPY_PROFILE_SITES_H

#include <gcspy/profile.h>

GCS_BEGIN_DECLS

/* Which entries count, and what is shown of them. All zero: everything, without runtime frames. */
struct gcs_site_filter {
	const char
	    *class_pattern; /* POSIX extended regular expression, found anywhere; NULL: any */
	const char *thread_pattern; /* the same for the thread's name */
	uint32_t min_age;           /* collections; not possible with totals (ALLOCATED) */
	uint32_t below_age;         /* only entries younger than that; 0: no limit */
	uint32_t top;               /* keep only so many of the largest sites; 0: all */
	bool all_frames;            /* show runtime frames too */
	bool by_thread;             /* threads tell sites apart */
};

struct gcs_site {
	uint32_t stack;         /* for gcs_sites_caller; GCS_NONE: without frames */
	const char *class_name; /* "byte[]" */
	const char *thread;     /* "" unless by_thread */
	uint64_t samples;
	double bytes; /* estimates, and their standard errors */
	double bytes_error;
	double objects;
	double objects_error;
	/* In collections: survived so far (live) or at death; negative while nothing has died. */
	double mean_age;
	double mean_lifetime; /* in bytes that the program allocated meanwhile; negative as above */
	double live_bytes;    /* estimates: 0 for garbage, all of it for live objects */
	double live_objects;
	/* Bytes by collections survived: so far (live), or until death. See gcs_survival_text. */
	double survival[GCS_SURVIVAL_BUCKETS];
};

struct gcs_sites;

/*
 * The sites that the filter (NULL: everything) selects, the largest first. NULL with the reason:
 * ARGUMENT for a pattern that is none, with what is wrong in it; UNSUPPORTED for ages of totals;
 * NOMEM.
 */
GCS_API struct gcs_sites *gcs_sites_create(
    const struct gcs_profile *profile, const struct gcs_site_filter *filter, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_sites_free(struct gcs_sites *sites);

GCS_API const struct gcs_profile *gcs_sites_profile(const struct gcs_sites *sites);
GCS_API uint32_t gcs_sites_count(const struct gcs_sites *sites);

/* Sites left out because of `top`. */
GCS_API uint32_t gcs_sites_omitted(const struct gcs_sites *sites);

/* NULL for a number out of range. */
GCS_API const struct gcs_site *gcs_sites_at(const struct gcs_sites *sites, uint32_t site);

/* Everything selected, as one site without class and stack; also what `top` leaves out. */
GCS_API const struct gcs_site *gcs_sites_total(const struct gcs_sites *sites);

/*
 * Walks a shown stack from its youngest frame: returns the frame of `*stack` and moves on to its
 * caller; NULL behind the root.
 *
 *	uint32_t stack = site->stack;
 *	while ((frame = gcs_sites_caller(sites, &stack)) != NULL)
 */
GCS_API const struct gcs_frame *gcs_sites_caller(const struct gcs_sites *sites, uint32_t *stack);

/*
 * The number of a call site: 48 bits made of the class and the shown frames with their lines, the
 * same in every profile of every program and at any time (row S8). Never 0. Written as 12
 * hexadecimal digits.
 */
GCS_API uint64_t gcs_site_number(const struct gcs_sites *sites, const struct gcs_site *site);

/* A site's number from its digits; false when they are none. */
GCS_API bool gcs_site_number_parse(const char *text, uint64_t *number);

/* The same numbers for each entry of a profile, into an array of as many; false without memory. */
GCS_API bool gcs_profile_site_numbers(
    const struct gcs_profile *profile, bool all_frames, uint64_t *numbers);

/* Whether a frame only connects others: accessors of reflection, lambda forms, the JVM itself. */
GCS_API bool gcs_frame_is_runtime(const struct gcs_frame *frame);

/* "java.util.HashMap.resize"; at most `size` bytes, cut; returns `buffer`. */
GCS_API char *gcs_frame_text(char *buffer, size_t size, const struct gcs_frame *frame);

/* A site in two profiles; `before` or `after` is NULL where it is not. */
struct gcs_change {
	const struct gcs_site *before;
	const struct gcs_site *after;
	double bytes; /* after less before */
	double bytes_error;
	double objects;
	double objects_error;
};

struct gcs_comparison;

/* What changed from one profile to another, by site: what grew first, what shrank last. NULL
 * without memory. */
GCS_API struct gcs_comparison *gcs_sites_compare(
    const struct gcs_sites *before, const struct gcs_sites *after, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_comparison_free(struct gcs_comparison *comparison);
GCS_API uint32_t gcs_comparison_count(const struct gcs_comparison *comparison);
GCS_API const struct gcs_change *gcs_comparison_at(
    const struct gcs_comparison *comparison, uint32_t change);
GCS_API const struct gcs_change *gcs_comparison_total(const struct gcs_comparison *comparison);

/* The sites that were compared; the stacks of a change's sites are walked in them. */
GCS_API const struct gcs_sites *gcs_comparison_before(const struct gcs_comparison *comparison);
GCS_API const struct gcs_sites *gcs_comparison_after(const struct gcs_comparison *comparison);

GCS_END_DECLS

#endif
