/* Which entries of a profile a filter selects. */
#ifndef GCSPY_PROFILE_SITES_SELECT_H
#define GCSPY_PROFILE_SITES_SELECT_H

#include "sites.h"

struct selection {
	const struct gcs_profile *profile;
	const struct gcs_site_filter *filter;
	bool *class_fits, *thread_fits; /* by name */
	bool *region_fits;              /* by name; NULL: any region */
	uint64_t low, high;             /* addresses, half open; `high` 0: any */
	uint64_t least_size;
};

/* ARGUMENT, UNSUPPORTED or NOMEM with the reason; selection_fini in any case. */
enum gcs_status selection_init(struct selection *s, const struct gcs_profile *profile,
    const struct gcs_site_filter *filter, struct gcs_error *err);
bool selection_has(const struct selection *s, const struct gcs_profile_entry *e);
void selection_fini(struct selection *s);

#endif
