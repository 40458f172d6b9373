/* Profiles for tests: one of each kind, and the comparison of two. Any thread. */
#ifndef GCSPY_TESTS_KIT_PROFILE_H
#define GCSPY_TESTS_KIT_PROFILE_H

#include <gcspy/profile.h>

/* The end of the collection that they are of. */
#define KIT_PROFILE_JUDGED INT64_C(1795220309000000001)

/* A profile of this kind with frames of each kind, stacks that share callers, and entries whose
 * numbers reach the ends of their ranges; the same at each call, NULL without memory. */
struct gcs_profile *kit_profile(enum gcs_profile_kind kind);

/* The first thing in which two profiles differ for a reader, or NULL. */
const char *kit_profile_difference(const struct gcs_profile *a, const struct gcs_profile *b);

#endif
