/* What was allocated between two profiles of one run. */
#ifndef GCSPY_PROFILE_PROFILE_SINCE_H
#define GCSPY_PROFILE_PROFILE_SINCE_H

#include <gcspy/profile.h>

/*
 * A profile of the allocations in `after` that are not in `before`, both of the kind ALLOCATED; it begins
 * when `before` was made. What it says of live objects has no meaning. NULL with the reason: STATE if
 * sampling was restarted in between, ARGUMENT for other kinds, NOMEM. The caller frees it.
 */
struct gcs_profile *profile_since(
    const struct gcs_profile *before, const struct gcs_profile *after, struct gcs_error *err);

#endif
