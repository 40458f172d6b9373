/*
 * The inside of sites: shown stacks as a tree of their own, in which equal frames have equal
 * numbers.
 */
#ifndef GCSPY_PROTOCOL_SITES_H
#define GCSPY_PROTOCOL_SITES_H

#include <gcspy/sites.h>

#include "intern.h"

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

#endif
