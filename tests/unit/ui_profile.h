/*
 * Made-up profiles for tests of the view of call sites, and for the server that tests talk to: one
 * as a web shop might have it, one with many sites, one full of names and numbers that nobody
 * expects. Deterministic; NULL only without memory.
 */
#ifndef GCSPY_TESTS_UI_PROFILE_H
#define GCSPY_TESTS_UI_PROFILE_H

#include <gcspy/profile.h>

/* `round` 0, 1 … : later ones have seen more. */
struct gcs_profile *profile_shop(enum gcs_profile_kind kind, unsigned round);

/* The same, judged by a collection that ended then. */
struct gcs_profile *profile_shop_judged(
    enum gcs_profile_kind kind, unsigned round, int64_t judged_ns);

/* Samples of 1 MiB that no collection has judged, at one call site. */
void profile_add_new(struct gcs_profile *profile, unsigned count);

/* That many sites of one sample each, with stacks of 12 frames. */
struct gcs_profile *profile_many(enum gcs_profile_kind kind, uint32_t sites);

/* Names of 4,000 bytes, CJK, right to left, control characters, stacks of 5,000 frames, numbers at
 * their limits. */
struct gcs_profile *profile_strange(enum gcs_profile_kind kind);

struct gcs_profile *profile_empty(enum gcs_profile_kind kind, uint64_t interval);

#endif
