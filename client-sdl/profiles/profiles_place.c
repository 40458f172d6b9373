/* The objects of a place in a profile of the whole heap, which is all that a recording and the
 * history have. Declared in profiles.h. */
#include <stdlib.h>

#include "app.h"
#include "sites_select.h"

bool profiles_are_whole(const struct app *app)
{
	return app_asks_history(app) || (app->source.ops != NULL && app->source.ops->file);
}

/* The last pause by then, or the one nearest to then; GCS_NONE: none. */
static uint32_t find_pause(const struct overview *o, int64_t wall_ns, bool nearest)
{
	uint32_t found = GCS_NONE;
	for (uint32_t i = 0; i < o->count; i++) {
		const struct event_header *h = &o->at[i];
		if (h->pause_ns < 0 || h->wall_ns == 0 || (!nearest && h->wall_ns > wall_ns))
			continue;
		if (!nearest || found == GCS_NONE ||
		    llabs(h->wall_ns - wall_ns) <= llabs(o->at[found].wall_ns - wall_ns))
			found = i;
	}
	return found;
}

/* Objects move in pauses: addresses are those of the shown heap if the last pause before it is the
 * one that judged the profile. */
static bool is_of_shown_heap(
    const struct app *app, const struct gcs_profile *profile, struct gcs_error *err)
{
	const struct overview *o = event_history_overview(app);
	const struct gcs_profile_head *head = gcs_profile_head(profile);
	const int64_t shown = gcs_snapshot_occurrence(app->snapshot)->wall_ns;
	const uint32_t then = find_pause(o, head->judged.wall_ns, true);
	const uint32_t now = find_pause(o, shown, false);
	if (head->judged.number == 0 || then == GCS_NONE)
		return gcs_fail(err, GCS_STATE, "The profile here precedes any collection.") ==
		       GCS_OK;
	if (now == then)
		return true;
	gcs_fail(err, GCS_STATE, "The profile here is of %s collection: objects have moved.",
	    now == GCS_NONE || now < then ? "a later" : "an earlier");
	return false;
}

static struct gcs_profile *copy(const struct gcs_profile *from, const struct selection *selection)
{
	struct gcs_profile *to = gcs_profile_create(gcs_profile_head(from));
	bool ok = to != NULL;
	for (uint32_t i = 0; ok && i < gcs_profile_name_count(from); i++)
		ok = gcs_profile_add_name(to, gcs_profile_name(from, i)) == i;
	for (uint32_t i = 0; ok && i < gcs_profile_frame_count(from); i++)
		ok = gcs_profile_add_frame(to, gcs_profile_frame(from, i)) == i;
	for (uint32_t i = 0; ok && i < gcs_profile_stack_count(from); i++)
		ok = gcs_profile_add_stack(to, gcs_profile_stack(from, i)) == i;
	for (uint32_t i = 0; ok && i < gcs_profile_entry_count(from); i++)
		if (selection_has(selection, gcs_profile_entry(from, i)))
			ok = gcs_profile_add_entry(to, gcs_profile_entry(from, i));
	if (ok)
		return to;
	gcs_profile_free(to);
	return NULL;
}

struct gcs_profile *profiles_of_place(
    const struct app *app, struct gcs_profile *profile, const char *where, struct gcs_error *err)
{
	const struct gcs_site_filter filter = {.where = where};
	struct gcs_profile *selected = NULL;
	struct selection selection = {.profile = NULL};
	if (profile == NULL)
		return NULL;
	if (is_of_shown_heap(app, profile, err)) {
		if (selection_init(&selection, profile, &filter, err) != GCS_OK)
			gcs_fail(err, err->status, "The profile here has no such addresses.");
		else if ((selected = copy(profile, &selection)) == NULL)
			gcs_fail(err, GCS_NOMEM, "There is no memory for the call sites.");
		selection_fini(&selection);
	}
	gcs_profile_free(profile);
	return selected;
}
