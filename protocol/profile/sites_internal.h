/* The inside of sites: shown stacks are a tree of their own, in which equal frames are one. */
#ifndef GCSPY_PROFILE_SITES_INTERNAL_H
#define GCSPY_PROFILE_SITES_INTERNAL_H

#include "sites.h"

#include "intern_table.h"

struct gcs_sites {
	const struct gcs_profile *profile;
	struct gcs_site *items;
	struct gcs_site total;
	uint32_t count;
	uint32_t omitted;
	/* Shown stacks: `words` are the parent's number plus 1 (0: the root), and a frame of the
	 * profile. A parent's number is smaller. */
	struct intern_keys stacks;
};

/* The number of a frame, the same for equal ones; UINT32_MAX without memory. */
uint32_t sites_intern_frame(
    struct intern_texts *texts, struct intern_keys *frames, const struct gcs_frame *f);

#endif
