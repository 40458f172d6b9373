/* Two profiles as one, so that their call sites are told apart and found again in the same way
 * (S8). Declared in sites_index.h. */
#include "sites_index.h"

/* How much the numbers of the second profile are moved. */
struct moved {
	uint32_t names, frames, stacks;
};

static bool copy_tables(struct gcs_profile *to, const struct gcs_profile *from, struct moved by)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < gcs_profile_name_count(from); i++)
		ok = gcs_profile_add_name(to, gcs_profile_name(from, i)) != GCS_NONE;
	for (uint32_t i = 0; ok && i < gcs_profile_frame_count(from); i++)
		ok = gcs_profile_add_frame(to, gcs_profile_frame(from, i)) != GCS_NONE;
	for (uint32_t i = 0; ok && i < gcs_profile_stack_count(from); i++) {
		struct gcs_stack stack = *gcs_profile_stack(from, i);
		stack.frame += by.frames;
		stack.parent += stack.parent != GCS_NONE ? by.stacks : 0;
		ok = gcs_profile_add_stack(to, &stack) != GCS_NONE;
	}
	return ok;
}

static bool copy(struct gcs_profile *to, const struct gcs_profile *from)
{
	struct moved by = {
	    gcs_profile_name_count(to), gcs_profile_frame_count(to), gcs_profile_stack_count(to)};
	bool ok = copy_tables(to, from, by);
	for (uint32_t i = 0; ok && i < gcs_profile_entry_count(from); i++) {
		struct gcs_profile_entry entry = *gcs_profile_entry(from, i);
		entry.class_name += by.names;
		entry.thread += by.names;
		entry.stack += entry.stack != GCS_NONE ? by.stacks : 0;
		ok = gcs_profile_add_entry(to, &entry);
	}
	return ok;
}

struct gcs_profile *sites_join(const struct gcs_profile *after, const struct gcs_profile *before)
{
	struct gcs_profile *both = gcs_profile_create(gcs_profile_head(after));
	if (both != NULL && copy(both, after) && copy(both, before))
		return both;
	gcs_profile_free(both);
	return NULL;
}
