/* What was allocated between two profiles, as `gcspy serve` answers `?seconds=` (E3). */
#include <criterion/criterion.h>

#include <string.h>

#include "made_profiles.h"
#include "profile_since.h"

/* The totals of one call site. */
static void add(struct gcs_profile *p, const char *method, const char *thread, uint64_t size,
    double bytes, uint64_t samples)
{
	const uint32_t stack = profiles_call(p, GCS_NONE, "App", method, 1);
	const struct gcs_profile_entry e = {
	    .stack = stack,
	    .class_name = gcs_profile_add_name(p, "byte[]"),
	    .thread = gcs_profile_add_name(p, thread),
	    .samples = samples,
	    .size = size,
	    .bytes = bytes,
	    .objects = bytes / 100,
	};
	cr_assert(gcs_profile_add_entry(p, &e));
}

static struct gcs_profile *difference(struct gcs_profile *before, struct gcs_profile *after)
{
	struct gcs_error err;
	struct gcs_profile *result = profile_since(before, after, &err);
	cr_assert_not_null(result, "%s", err.text);
	gcs_profile_free(before);
	gcs_profile_free(after);
	return result;
}

static const struct gcs_profile_entry *only(const struct gcs_profile *p)
{
	cr_assert_eq(gcs_profile_entry_count(p), 1);
	return gcs_profile_entry(p, 0);
}

Test(profile_since, what_was_there_is_subtracted)
{
	struct gcs_profile *before = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile *after = profiles_empty(GCS_PROFILE_ALLOCATED);
	add(before, "same", "main", 0, 1000, 10);
	add(before, "grown", "main", 0, 500, 5);
	/* In another order, so that numbers of names and stacks differ. */
	add(after, "grown", "main", 0, 1700, 12);
	add(after, "same", "main", 0, 1000, 10);
	struct gcs_profile *p = difference(before, after);
	const struct gcs_profile_entry *e = only(p);
	cr_assert_eq(e->samples, 7);
	cr_assert_float_eq(e->bytes, 1200, 1e-9);
	cr_assert_float_eq(e->objects, 12, 1e-9);
	cr_assert_str_eq(
	    gcs_profile_frame(p, gcs_profile_stack(p, e->stack)->frame)->method, "grown");
	gcs_profile_free(p);
}

Test(profile_since, sites_threads_and_sizes_are_apart)
{
	struct gcs_profile *before = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile *after = profiles_empty(GCS_PROFILE_ALLOCATED);
	double sum = 0;
	add(before, "work", "main", 0, 1000, 10);
	add(after, "work", "main", 0, 1000, 10);
	add(after, "work", "other", 0, 100, 1);
	add(after, "work", "main", 1024, 200, 1);
	add(after, "rest", "main", 0, 400, 1);
	struct gcs_profile *p = difference(before, after);
	cr_assert_eq(gcs_profile_entry_count(p), 3);
	for (uint32_t i = 0; i < 3; i++)
		sum += gcs_profile_entry(p, i)->bytes;
	cr_assert_float_eq(sum, 700, 1e-9);
	gcs_profile_free(p);
}

/* Entries with the same key are one amount, however they are cut. */
Test(profile_since, several_entries_of_one_site)
{
	struct gcs_profile *before = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile *after = profiles_empty(GCS_PROFILE_ALLOCATED);
	add(before, "work", "main", 0, 100, 1);
	add(before, "work", "main", 0, 200, 2);
	add(after, "work", "main", 0, 250, 3);
	add(after, "work", "main", 0, 150, 4);
	struct gcs_profile *p = difference(before, after);
	const struct gcs_profile_entry *e = only(p);
	cr_assert_float_eq(e->bytes, 100, 1e-9);
	cr_assert_eq(e->samples, 4);
	gcs_profile_free(p);
}

Test(profile_since, begins_when_the_first_was_made)
{
	struct gcs_profile *empty = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile_head head = *gcs_profile_head(empty);
	head.wall_ns += 5;
	struct gcs_profile *p = difference(empty, gcs_profile_create(&head));
	cr_assert_eq(gcs_profile_head(p)->since_wall_ns, head.wall_ns - 5);
	cr_assert_eq(gcs_profile_head(p)->wall_ns, head.wall_ns);
	gcs_profile_free(p);
}

Test(profile_since, refuses_what_cannot_be_subtracted)
{
	struct gcs_profile *totals = profiles_empty(GCS_PROFILE_ALLOCATED);
	struct gcs_profile *live = profiles_empty(GCS_PROFILE_LIVE);
	struct gcs_profile_head head = *gcs_profile_head(totals);
	struct gcs_error err;
	head.since_wall_ns++;
	struct gcs_profile *anew = gcs_profile_create(&head);
	cr_assert_null(profile_since(live, totals, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_null(profile_since(totals, live, &err));
	cr_assert_eq(err.status, GCS_ARGUMENT);
	cr_assert_null(profile_since(totals, anew, &err));
	cr_assert_eq(err.status, GCS_STATE);
	cr_assert_str_eq(err.text, "sampling was restarted in between");
	gcs_profile_free(totals);
	gcs_profile_free(live);
	gcs_profile_free(anew);
}
