/* The call sites at the end of a recording, and their growth since the first live profile. */

#include "stats_internal.h"

#include <math.h>

#include "profile_since.h"

/* Less time says nothing of a rate. */
#define LEAST_SECONDS 0.01

/* The estimate of all allocation, as of the first and the last profile; kinds come in any order. */
static void sample(struct stats_profiles *p, const struct gcs_profile *profile)
{
	const struct gcs_profile_head *head = gcs_profile_head(profile);
	/* Sampling that was turned off and on again counts from 0. */
	if (!p->has_sampled || head->since_wall_ns > p->from.since_wall_ns)
		p->from = p->to = *head;
	p->has_sampled = true;
	if (head->since_wall_ns != p->from.since_wall_ns)
		return;
	if (head->wall_ns < p->from.wall_ns)
		p->from = *head;
	if (head->wall_ns > p->to.wall_ns)
		p->to = *head;
}

static void replace(struct gcs_profile **place, struct gcs_profile *profile)
{
	gcs_profile_free(*place);
	*place = profile;
}

static bool is_unjudged(const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	return h->judged.number == 0 && !h->live_includes_new;
}

void stats_profiles_add(struct stats_profiles *p, struct gcs_profile *profile)
{
	if (profile == NULL)
		return;
	p->count++;
	sample(p, profile);
	switch (gcs_profile_head(profile)->kind) {
	case GCS_PROFILE_LIVE:
		stats_survivors_add(p, profile);
		/* The first one is one that a collection has judged. */
		if (p->first == NULL || (p->live == NULL && is_unjudged(p->first)))
			replace(&p->first, profile);
		else
			replace(&p->live, profile);
		break;
	case GCS_PROFILE_ALLOCATED:
		if (p->first_allocated == NULL)
			p->first_allocated = p->allocated;
		else
			gcs_profile_free(p->allocated);
		p->allocated = profile;
		break;
	default:
		gcs_profile_free(profile);
	}
}

/* Between two profiles, in seconds. */
static double seconds(const struct gcs_profile_head *from, const struct gcs_profile_head *to)
{
	enum { NS_PER_SECOND = 1000000000 };
	return ((double)to->wall_ns - (double)from->wall_ns) / NS_PER_SECOND;
}

/* Every allocation of a native heap is a sample, and none was lost: what is allocated is counted. */
static bool is_exact(const struct gcs_profile_head *from, const struct gcs_profile_head *to)
{
	return from->interval == 1 && to->interval == 1 && to->explicit_free && to->lost == 0;
}

/* The standard error of what was allocated between two profiles: a sample of an object of s bytes
 * stands for s / p with a variance of (s / p)² (1 - p), which is at most the square of the interval
 * (p = 1 - exp(-s / interval)). Negative without samples. */
static double error_between(const struct gcs_profile_head *from, const struct gcs_profile_head *to)
{
	const double interval =
	    (double)(from->interval > to->interval ? from->interval : to->interval);
	if (is_exact(from, to))
		return 0;
	return interval > 0 && to->samples > from->samples
		   ? interval * sqrt((double)(to->samples - from->samples))
		   : -1;
}

/* Whether sampling was turned on in the time that is observed, or about when that began. */
static bool began_meanwhile(const struct gcs_profile_head *head, int64_t begin_wall_ns)
{
	enum { SLACK_NS = 1000000000 };
	return begin_wall_ns != 0 &&
	       (double)head->since_wall_ns >= (double)begin_wall_ns - SLACK_NS;
}

/* Kinds of one moment are made one after the other: they are no time apart. If sampling began with
 * the recording, its beginning stands for the first profile. */
static struct gcs_profile_head first_of(const struct stats_profiles *p, int64_t begin_wall_ns)
{
	enum { MOMENT_S = 1 };
	struct gcs_profile_head from = p->from;
	if (seconds(&p->from, &p->to) < MOMENT_S && began_meanwhile(&from, begin_wall_ns)) {
		from.wall_ns = from.since_wall_ns;
		from.allocated_bytes = from.allocated_objects = 0;
		from.samples = 0;
	}
	return from;
}

static void give_sampled(
    const struct stats_profiles *p, int64_t begin_wall_ns, struct gcs_stats_rate *rate)
{
	*rate =
	    (struct gcs_stats_rate){.error = -1, .peak_per_second = -1, .peak_place = GCS_NO_PLACE};
	const struct gcs_profile_head from = first_of(p, begin_wall_ns);
	const double time = p->has_sampled ? seconds(&from, &p->to) : 0;
	const double bytes = p->to.allocated_bytes - from.allocated_bytes;
	if (p->count == 0)
		stats_because(&rate->why, "no profile of samples was recorded");
	else if (!(time > 0) || bytes < 0)
		stats_because(&rate->why, "no two profiles of the same sampling were recorded");
	else if (time < LEAST_SECONDS)
		stats_because(&rate->why, "the profiles are all of one moment");
	else if (is_exact(&from, &p->to))
		; /* nothing is nothing */
	else if (p->to.samples != 0 && p->to.samples == from.samples)
		stats_because(&rate->why, "no allocation was sampled between the profiles");
	else if (p->to.samples == 0 && !(p->to.allocated_bytes > 0))
		stats_because(&rate->why, "no allocation was sampled");
	if (rate->why.text[0] != '\0')
		return;
	rate->bytes = bytes;
	rate->seconds = time;
	rate->per_second = bytes / time;
	const double error = error_between(&from, &p->to);
	rate->error = error < 0 ? -1 : error / time;
	rate->intervals = 1;
}

/* What was allocated in the time that is observed; a profile has what was since sampling began. */
static bool give_allocated_since(
    struct stats_profiles *p, const struct gcs_site_filter *filter, struct gcs_stats *result)
{
	struct gcs_error err = {.status = GCS_OK};
	struct gcs_stats_reason *why = &result->no_allocated_since;
	if (p->allocated == NULL) {
		*why = result->no_allocated;
		return true;
	}
	if (p->first_allocated == NULL &&
	    !began_meanwhile(gcs_profile_head(p->allocated), result->first_wall_ns)) {
		stats_because(
		    why, "there is one profile of allocation only, and sampling began before");
		return true;
	}
	if (p->first_allocated != NULL)
		p->since = profile_since(p->first_allocated, p->allocated, &err);
	/* Sampling that was turned off and on again has counted from 0. */
	const struct gcs_profile *since =
	    p->first_allocated == NULL || err.status == GCS_STATE ? p->allocated : p->since;
	p->since_sites = since == NULL ? NULL : gcs_sites_create(since, filter, NULL);
	if (p->since_sites == NULL)
		return false;
	if (gcs_sites_count(p->since_sites) != 0)
		result->allocated_since = p->since_sites;
	else
		stats_because(why, "%s",
		    gcs_profile_head(p->allocated)->interval == 0
			? "sampling is off"
			: "no allocation was sampled in that time");
	return true;
}

static bool give_growth(struct stats_profiles *p, struct gcs_stats *result)
{
	if (p->live == NULL) {
		stats_because(&result->no_growth, "%s",
		    p->first == NULL ? "no profile of live objects was recorded"
		    : is_unjudged(p->first)
			? "no collection has judged the profiles of live objects"
			: "only one profile of live objects was recorded");
		return true;
	}
	p->first_sites = stats_survivors(p, p->first, GCS_SITES_BY_SITE);
	p->last_sites = stats_survivors(p, p->live, GCS_SITES_BY_SITE);
	if (p->first_sites == NULL || p->last_sites == NULL)
		return false;
	p->growth = gcs_sites_compare(p->first_sites, p->last_sites, NULL);
	if (p->growth == NULL)
		return false;
	stats_because(&result->no_growth, "%.190s", gcs_comparison_unknown(p->growth));
	result->growth = result->no_growth.text[0] == '\0' ? p->growth : NULL;
	result->growth_seconds = gcs_comparison_seconds(p->growth);
	return true;
}

bool stats_profiles_give(struct stats_profiles *p, struct gcs_stats *result)
{
	const struct gcs_profile *live = p->live != NULL ? p->live : p->first;
	const struct gcs_site_filter filter = {.libraries = p->libraries};
	give_sampled(p, result->first_wall_ns, &result->sampled);
	if (live == NULL)
		stats_because(&result->no_live, "no profile of live objects was recorded");
	else if ((p->live_sites = gcs_sites_create(live, &filter, NULL)) == NULL)
		return false;
	if (p->allocated == NULL)
		stats_because(&result->no_allocated, "no profile of allocation was recorded");
	else if ((p->allocated_sites = gcs_sites_create(p->allocated, &filter, NULL)) == NULL)
		return false;
	result->live = p->live_sites;
	result->allocated = p->allocated_sites;
	return !p->failed && give_allocated_since(p, &filter, result) && give_growth(p, result) &&
	       stats_suspects_give(p, result);
}

void stats_profiles_fini(struct stats_profiles *p)
{
	gcs_comparison_free(p->growth);
	gcs_sites_free(p->first_sites);
	gcs_sites_free(p->last_sites);
	stats_suspects_fini(p);
	gcs_sites_free(p->live_sites);
	gcs_sites_free(p->allocated_sites);
	gcs_sites_free(p->since_sites);
	gcs_profile_free(p->since);
	gcs_profile_free(p->first_allocated);
	gcs_profile_free(p->first);
	gcs_profile_free(p->live);
	gcs_profile_free(p->allocated);
	*p = (struct stats_profiles){0};
}

void gcs_stats_set_libraries(struct gcs_stats_builder *b, const char *const *libraries)
{
	b->profiles.libraries = libraries;
}
