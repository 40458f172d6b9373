/*
 * What a profile says about live objects: which collections have judged its samples, how much of the
 * heap they cover, and whether two profiles tell what grew. Texts are one line without full stop.
 */
#ifndef GCSPY_PROFILE_LIVE_PROFILE_H
#define GCSPY_PROFILE_LIVE_PROFILE_H

#include <gcspy/profile.h>

GCS_BEGIN_DECLS

/* Whether no collection has judged a sample; of an older server this is not known, and false. */
GCS_API bool gcs_profile_is_new(
    const struct gcs_profile *profile, const struct gcs_profile_entry *entry);

/* False for totals after sampling was turned off: no object is tracked any more. */
GCS_API bool gcs_profile_knows_live(const struct gcs_profile *profile);

/* Whether each sample represents only itself: with an interval of 1 byte every allocation of a native heap is
 * one. What was allocated at other intervals before has a variance, or is not in the profile, as `as_of` says. */
GCS_API bool gcs_profile_is_exact(const struct gcs_profile *profile);

/* The live objects of the whole profile. */
struct gcs_live_sum {
	double bytes, bytes_error; /* by the samples */
	/* At most 1: what estimates of live objects are multiplied by, because all of them together
	 * cannot be more than the heap has in use, and what is known without error is, which it is only
	 * if that alone is more. gcs_sites_create does that. */
	double factor, exact_factor;
	double reduced_bytes; /* `bytes` with them */
};

GCS_API struct gcs_live_sum gcs_profile_live_sum(const struct gcs_profile *profile);

/* The one of an entry of a profile of live objects. */
static inline double gcs_live_factor(
    const struct gcs_live_sum *sum, const struct gcs_profile_entry *entry)
{
	return entry->bytes_variance > 0 ? sum->factor : sum->exact_factor;
}

/* "Live: survived young collection 41 at 12:03:11; old objects judged by …"; "" for garbage. At most
 * `size` bytes, cut; returns `buffer`. */
GCS_API char *gcs_profile_judged_text(char *buffer, size_t size, const struct gcs_profile *profile);

/* What new objects are: "not collected yet", or "not judged yet" where collections since did not tell
 * live ones from dead ones, as the young ones of generational ZGC: there they may be more than the heap. */
GCS_API const char *gcs_profile_new_text(const struct gcs_profile *profile);

/* "Samples cover 61 MiB of 166 MiB used (37 %); objects older than the sampling …"; "" where it is
 * not known or does not apply. */
GCS_API char *gcs_profile_coverage_text(
    char *buffer, size_t size, const struct gcs_profile *profile);

/* False, with the reason, where no collection has judged live objects between two profiles, so that
 * their difference says nothing. */
GCS_API bool gcs_profiles_tell_growth(
    const struct gcs_profile *before, const struct gcs_profile *after, char *why, size_t size);

/* From the collection that judged one profile to that of the other, or between the profiles where
 * that is not known; 0 for profiles of different runs. */
GCS_API double gcs_profiles_seconds(
    const struct gcs_profile *before, const struct gcs_profile *after);

GCS_END_DECLS

#endif
