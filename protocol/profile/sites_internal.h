/* The inside of sites: shown stacks are a tree of their own, in which equal frames are one. */
#ifndef GCSPY_PROFILE_SITES_INTERNAL_H
#define GCSPY_PROFILE_SITES_INTERNAL_H

#include "sites.h"

#include "arena.h"
#include "intern_table.h"

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
};

/* Such a site has no place in a tree of live objects. */
bool sites_is_only_new(const struct gcs_site *site);

/* The number of a frame, the same for equal ones; UINT32_MAX without memory. */
uint32_t sites_intern_frame(
    struct intern_texts *texts, struct intern_keys *frames, const struct gcs_frame *f);

#endif
