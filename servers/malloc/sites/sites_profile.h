/* Profiles of what is sampled, as clients get them. On GCspy's own threads, or when the program ends. */
#ifndef GCSPYMALLOC_SITES_PROFILE_H
#define GCSPYMALLOC_SITES_PROFILE_H

#include <gcspy/profile.h>

/* What of a profile is asked for. */
struct sites_choice {
	enum gcs_profile_kind kind;
	uint64_t low, high; /* only live blocks with addresses low .. high - 1 */
	uint64_t min_size;
};

/* NULL with the reason. `name` is the server's. */
struct gcs_profile *sites_profile(
    const struct sites_choice *choice, const char *name, struct gcs_error *err);

#endif
