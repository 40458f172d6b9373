/*
 * A profile by call site, and what grew between two profiles (rows S6, S8).
 *
 * A site joins all selected entries with the same class and the same shown stack, or those with the
 * same key (enum gcs_sites_by). Runtime frames are hidden unless requested (docs/sites.md has the
 * table). Estimates are sums over independent samples, so their variances add up and the standard
 * error is the root of the sum. live_profile.h says what is live.
 *
 * Both objects borrow: sites must not outlive their profile, nor a comparison its sites. One thread
 * makes them; then they are immutable, and any thread may read them.
 */
#ifndef GCSPY_PROFILE_SITES_H
#define GCSPY_PROFILE_SITES_H

#include <gcspy/profile.h>

GCS_BEGIN_DECLS

/* What the entries of a site have in common. */
enum gcs_sites_by {
	GCS_SITES_BY_SITE, /* class and stack */
	GCS_SITES_BY_CLASS,
	GCS_SITES_BY_FRAME, /* gcs_sites_own_frame, which is then the whole stack */
	GCS_SITES_BY_THREAD,
	GCS_SITES_BY_PACKAGE /* of that frame's class */
};

/* Which entries are selected, and what is shown of them. All zero: all that are not new, without
 * runtime frames. */
struct gcs_site_filter {
	/* POSIX extended regular expressions, matching anywhere; NULL: any. */
	const char *class_pattern;
	const char *thread_pattern;
	/* A type of region as the heap map shows it, old, young, eden, survivor, humongous, or
	 * range=0xSTART-0xEND; NULL: anywhere. */
	const char *where;
	/* Prefixes of class names that gcs_sites_own_frame skips, then NULL; NULL: only those of
	 * the JDK. Borrowed for as long as the sites. */
	const char *const *libraries;
	uint64_t min_size;  /* bytes of an object; in totals rounded down, see gcs_size_range */
	uint32_t min_age;   /* collections; not possible with totals (ALLOCATED) */
	uint32_t below_age; /* exclusive; 0: no limit */
	uint32_t top;       /* number of the largest sites to keep; 0: all */
	enum gcs_sites_by by;
	bool with_new;   /* also samples that no collection has judged, as new_bytes */
	bool all_frames; /* show runtime frames, too */
	bool by_thread;  /* a site per thread */
	bool by_class;   /* by frame: a site per class */
	/* Selects among these; NULL: all. */
	bool (*selects)(const void *context, const struct gcs_profile_entry *entry);
	const void *context;
};

struct gcs_site {
	uint32_t stack;         /* for gcs_sites_caller; GCS_NONE: without frames */
	const char *class_name; /* "byte[]"; "[several classes]" by frame or thread;
				* by package its name */
	const char *thread;     /* "" unless by thread */
	uint64_t samples;
	double bytes; /* estimates, and their standard errors; in live profiles without new ones */
	double bytes_error;
	double objects;
	double objects_error;
	/* In collections: survived so far (live) or at death; negative while nothing has died. */
	double mean_age;
	double mean_lifetime; /* bytes that the program allocated meanwhile; negative as above */
	double live_bytes;    /* estimates: 0 for garbage, all of it for live objects */
	double live_objects;
	/* Estimates of what no collection has judged; in live profiles 0 unless `with_new`. The
	 * error is negative where it is not known. */
	double new_bytes;
	double new_bytes_error;
	double new_objects;
	/* Bytes by collections survived: so far (live), or until death. See gcs_survival_text. */
	double survival[GCS_SURVIVAL_BUCKETS];
};

struct gcs_sites;

/*
 * The sites that the filter (NULL: all zero) selects, the largest first. NULL with the reason:
 * ARGUMENT for an invalid pattern or place, UNSUPPORTED for ages of totals and for places or sizes
 * that the profile does not have, NOMEM.
 */
GCS_API struct gcs_sites *gcs_sites_create(
    const struct gcs_profile *profile, const struct gcs_site_filter *filter, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_sites_free(struct gcs_sites *sites);

GCS_API const struct gcs_profile *gcs_sites_profile(const struct gcs_sites *sites);
GCS_API enum gcs_sites_by gcs_sites_by(const struct gcs_sites *sites);

/* Whether new bytes are told apart, and known. */
GCS_API bool gcs_sites_has_new(const struct gcs_sites *sites);
GCS_API uint32_t gcs_sites_count(const struct gcs_sites *sites);

/* Sites omitted because of `top`. */
GCS_API uint32_t gcs_sites_omitted(const struct gcs_sites *sites);

/* NULL for a number out of range. */
GCS_API const struct gcs_site *gcs_sites_at(const struct gcs_sites *sites, uint32_t site);

/* Everything selected, as one site without class and stack; includes omitted sites. */
GCS_API const struct gcs_site *gcs_sites_total(const struct gcs_sites *sites);

/*
 * Walks a shown stack from its youngest frame: returns the frame of `*stack` and moves on to its
 * caller; NULL after the root.
 *
 *	uint32_t stack = site->stack;
 *	while ((frame = gcs_sites_caller(sites, &stack)) != NULL)
 */
GCS_API const struct gcs_frame *gcs_sites_caller(const struct gcs_sites *sites, uint32_t *stack);

/*
 * The number of a call site: a 48-bit hash of the class and the shown frames with their lines,
 * equal in all profiles of all programs (row S8). Never 0. Written as 12 hexadecimal digits.
 */
GCS_API uint64_t gcs_site_number(const struct gcs_sites *sites, const struct gcs_site *site);

/* The numbers of all sites, into an array of their count; false without memory. */
GCS_API bool gcs_sites_numbers(const struct gcs_sites *sites, uint64_t *numbers);

/* A site's number from its digits; false for anything else. */
GCS_API bool gcs_site_number_parse(const char *text, uint64_t *number);

/* The numbers of all entries of a profile, into an array of that length; false without memory. */
GCS_API bool gcs_profile_site_numbers(
    const struct gcs_profile *profile, bool all_frames, uint64_t *numbers);

/* The first frame of a site's stack outside the JDK and the filter's libraries, or NULL. */
GCS_API const struct gcs_frame *gcs_sites_own_frame(
    const struct gcs_sites *sites, const struct gcs_site *site);

/* The package of such a frame, or of none, as by package; returns `text`. */
GCS_API char *gcs_frame_package(
    const struct gcs_profile *profile, const struct gcs_frame *own, char *text, size_t size);

/* The text in place of that frame where there is none. */
GCS_API const char *gcs_profile_no_own_frame(const struct gcs_profile *profile);

/* Whether a frame is of the JDK or runtime, or of a class or module with one of the prefixes; or native, but for
 * those of the executable in the profile of a native heap. */
GCS_API bool gcs_frame_is_library(
    const struct gcs_profile *profile, const struct gcs_frame *frame, const char *const *libraries);

/* The least size of the range of totals that has objects of `size` bytes: 0, or a power of two
 * from 1024. */
GCS_API uint64_t gcs_size_range(uint64_t size);

/* Whether a frame is of the runtime: reflection, lambda forms, the JVM itself. */
GCS_API bool gcs_frame_is_runtime(const struct gcs_frame *frame);

/* "java.util.HashMap.resize", and with file and line; at most `size` bytes, cut; returns `buffer`. */
GCS_API char *gcs_frame_text(char *buffer, size_t size, const struct gcs_frame *frame);
GCS_API char *gcs_frame_line(char *buffer, size_t size, const struct gcs_frame *frame);

/* A site in two profiles; `before` or `after` is NULL where it is missing. For what has grown, make
 * the sites of live objects with `min_age` 1, which matters for older servers. */
struct gcs_change {
	const struct gcs_site *before;
	const struct gcs_site *after;
	double bytes; /* after less before */
	/* Of live objects of one run, samples in both cancel (docs/sites.md): not the root of the sum
	 * of both errors' squares. */
	double bytes_error;
	double objects;
	double objects_error;
};

struct gcs_comparison;

/* The changes from one profile to another by site, from the largest growth to the largest
 * shrinkage. NULL without memory. */
GCS_API struct gcs_comparison *gcs_sites_compare(
    const struct gcs_sites *before, const struct gcs_sites *after, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_comparison_free(struct gcs_comparison *comparison);
GCS_API uint32_t gcs_comparison_count(const struct gcs_comparison *comparison);
GCS_API const struct gcs_change *gcs_comparison_at(
    const struct gcs_comparison *comparison, uint32_t change);
GCS_API const struct gcs_change *gcs_comparison_total(const struct gcs_comparison *comparison);

/* Why the changes mean nothing: no collection has judged live objects in between; "": they do. */
GCS_API const char *gcs_comparison_unknown(const struct gcs_comparison *comparison);

/* From the collection that judged the one profile to that of the other; without such, from one
 * profile to the other. 0 for different runs, which have no rates. */
GCS_API double gcs_comparison_seconds(const struct gcs_comparison *comparison);

/* The sites compared; walk the stacks of a change's sites in these. */
GCS_API const struct gcs_sites *gcs_comparison_before(const struct gcs_comparison *comparison);
GCS_API const struct gcs_sites *gcs_comparison_after(const struct gcs_comparison *comparison);

GCS_END_DECLS

#endif
