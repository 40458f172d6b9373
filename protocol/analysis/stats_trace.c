/* The figures of a trace, or of a part of it. */

#include <gcspy/plugin.h>

#include "stats_internal.h"

enum gcs_status gcs_stats_add_trace(struct gcs_stats_builder *b, struct gcs_trace *trace,
    uint64_t first, uint64_t last, bool whole, struct gcs_error *err)
{
	for (uint64_t place = first; place <= last; place++) {
		struct gcs_error why;
		struct gcs_snapshot *s =
		    whole ? gcs_trace_at(trace, place, &why) : gcs_trace_moment(trace, place, &why);
		if (s == NULL && why.status != GCS_MALFORMED)
			return gcs_fail(err, why.status, "%s", why.text);
		if (s == NULL) {
			const uint64_t next = gcs_trace_readable(trace, place, 1);
			const uint64_t end = next <= last && next > place ? next : place + 1;
			gcs_stats_skip(b, next > last ? last + 1 - place : end - place);
			if (next > last)
				break;
			place = end - 1;
			continue;
		}
		const enum gcs_status status = gcs_stats_add(b, s, place);
		gcs_snapshot_unref(s);
		if (status != GCS_OK)
			return gcs_fail(err, status, "no memory for the figures");
	}
	return GCS_OK;
}

/* The profiles of a kind within the places. */
struct profiles {
	enum gcs_profile_kind kind;
	uint64_t first, last, count;
	unsigned files; /* that share the profiles that are compared */
};

static struct profiles find_profiles(
    const struct gcs_trace *trace, enum gcs_profile_kind kind, uint64_t first, uint64_t last)
{
	struct gcs_trace_profile_info info;
	struct profiles found = {.kind = kind};
	for (uint64_t i = 0; gcs_trace_profile_info(trace, i, &info); i++) {
		/* Its place is the number of events before it. */
		if (info.kind != kind || info.place < first || info.place > last + 1)
			continue;
		if (found.count++ == 0)
			found.first = i;
		found.last = i;
	}
	return found;
}

/* The first of them that is not damaged, or with `step` -1 the last; NULL without any or after a
 * failure. `*number` is where it was found. */
static struct gcs_profile *load(struct gcs_stats_builder *b, struct gcs_trace *trace,
    const struct profiles *p, int step, uint64_t *number, struct gcs_error *err)
{
	struct gcs_trace_profile_info info;
	uint64_t i = step > 0 ? p->first : p->last;
	err->status = GCS_OK;
	for (uint64_t left = p->count; left != 0; i += (uint64_t)(int64_t)step) {
		if (!gcs_trace_profile_info(trace, i, &info) || info.kind != p->kind)
			continue;
		struct gcs_profile *profile = gcs_trace_profile(trace, i, err);
		*number = i;
		left--;
		if (profile != NULL || err->status != GCS_MALFORMED)
			return profile;
		b->profiles.lost++;
	}
	err->status = GCS_OK;
	return NULL;
}

/* Of the profiles between two, some at even distances: a line through them needs no more. */
static enum gcs_status add_between(struct gcs_stats_builder *b, struct gcs_trace *trace,
    const struct profiles *p, uint64_t from, uint64_t to, uint64_t *left, struct gcs_error *err)
{
	const uint64_t most = (STATS_JUDGED - 2) / p->files;
	struct gcs_trace_profile_info info;
	uint64_t seen = 0, taken = 0;
	for (uint64_t i = from + 1; i < to; i++) {
		struct gcs_error why = {.status = GCS_OK};
		if (!gcs_trace_profile_info(trace, i, &info) || info.kind != p->kind)
			continue;
		if (seen++ * most / p->count < taken || taken == most)
			continue;
		taken++;
		struct gcs_profile *profile = gcs_trace_profile(trace, i, &why);
		if (profile == NULL && why.status != GCS_MALFORMED)
			return gcs_fail(err, why.status, "%s", why.text);
		*left -= profile != NULL;
		b->profiles.lost += profile == NULL;
		gcs_stats_add_profile(b, profile);
	}
	return GCS_OK;
}

enum gcs_status gcs_stats_add_trace_profiles(struct gcs_stats_builder *b, struct gcs_trace *trace,
    uint64_t first, uint64_t last, unsigned files, struct gcs_error *err)
{
	for (unsigned i = 0; i < GCS_PROFILE_KIND_COUNT; i++) {
		struct profiles p = find_profiles(trace, (enum gcs_profile_kind)i, first, last);
		p.files = files;
		uint64_t count = p.count, from = 0, to = 0;
		struct gcs_error why;
		struct gcs_profile *profile = load(b, trace, &p, 1, &from, &why);
		if (profile == NULL && why.status != GCS_OK)
			return gcs_fail(err, why.status, "%s", why.text);
		count -= profile != NULL;
		gcs_stats_add_profile(b, profile);
		profile = profile == NULL ? NULL : load(b, trace, &p, -1, &to, &why);
		if (profile == NULL && why.status != GCS_OK)
			return gcs_fail(err, why.status, "%s", why.text);
		if (to == from) {
			gcs_profile_free(profile);
			profile = NULL;
		}
		enum gcs_status status = GCS_OK;
		if (profile != NULL && p.kind == GCS_PROFILE_LIVE)
			status = add_between(b, trace, &p, from, to, &count, err);
		if (status != GCS_OK) {
			gcs_profile_free(profile);
			return status;
		}
		count -= profile != NULL;
		gcs_stats_add_profile(b, profile);
		gcs_stats_count_profiles(b, count);
	}
	return GCS_OK;
}

/* The last search for what holds objects. */
static void add_paths(struct gcs_stats_builder *b, struct gcs_trace *trace, uint64_t last)
{
	const uint64_t number = gcs_trace_answer_before(trace, "paths", last);
	struct gcs_trace_answer *answer =
	    number == UINT64_MAX ? NULL : gcs_trace_get_answer(trace, number, NULL, NULL);
	if (answer != NULL)
		gcs_stats_add_paths(b, answer->bytes, answer->length);
	gcs_plugin_free(answer);
}

struct gcs_stats *gcs_stats_of_trace(struct gcs_trace *trace, uint64_t first, uint64_t last,
    const char *const *libraries, struct gcs_error *err)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	if (last == UINT64_MAX && info.events != 0)
		last = info.events - 1;
	if (first > last || last >= info.events) {
		gcs_fail(err, GCS_ARGUMENT, "events from %llu to %llu: there are %llu of them",
		    (unsigned long long)first, (unsigned long long)last,
		    (unsigned long long)info.events);
		return NULL;
	}
	struct gcs_stats_builder *b = gcs_stats_begin();
	if (b == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the figures");
		return NULL;
	}
	gcs_stats_set_libraries(b, libraries);
	if (gcs_stats_add_trace(b, trace, first, last, true, err) != GCS_OK ||
	    gcs_stats_add_trace_profiles(b, trace, first, last, 1, err) != GCS_OK) {
		gcs_stats_drop(b);
		return NULL;
	}
	if (last == info.events - 1)
		gcs_stats_to_the_end(b);
	add_paths(b, trace, last);
	struct gcs_stats *stats = gcs_stats_finish(b);
	if (stats == NULL) {
		gcs_fail(err, GCS_NOMEM, "no memory for the figures");
		return NULL;
	}
	stats->of_file = true;
	stats->unfinished = !info.complete;
	return stats;
}
