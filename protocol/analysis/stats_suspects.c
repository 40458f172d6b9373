/*
 * Suspects: frames of the program whose live objects grow. Three tests keep garbage that nobody has
 * collected out: only survivors count, in three or more profiles that different collections have
 * judged, old objects among them; the slope of a weighted line through them is beyond twice its
 * error, also in the later half; and the frame has a share of what the heap grows by.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <gcspy/memory.h>

#include "hash.h"
#include "live_profile.h"
#include "stats_internal.h"

/* Standard errors of a slope: over all profiles, and over the later half of them. */
#define CERTAIN      2.0
#define STILL_GROWS  1.0
#define LEAST_SHARE  0.1
#define TREND_ERRORS 3.0
#define TREND_SHARE  0.05

enum { FEWEST = 3, NS_PER_SECOND = 1000000000 };

static uint64_t key_of(const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	char line[1400];
	const struct gcs_frame *f = gcs_sites_caller(sites, &stack);
	return f == NULL ? 0 : hash_text(HASH_BEGIN, gcs_frame_line(line, sizeof line, f));
}

struct gcs_sites *stats_survivors(
    const struct stats_profiles *p, const struct gcs_profile *profile, enum gcs_sites_by by)
{
	const struct gcs_site_filter filter = {.min_age = 1, .by = by, .libraries = p->libraries};
	return gcs_sites_create(profile, &filter, NULL);
}

static int by_key(const void *left, const void *right)
{
	const struct stats_frame *a = left, *b = right;
	return a->key < b->key ? -1 : a->key > b->key;
}

void stats_survivors_add(struct stats_profiles *p, const struct gcs_profile *profile)
{
	const struct gcs_profile_head *h = gcs_profile_head(profile);
	const struct stats_judged *last =
	    p->judged_count == 0 ? NULL : &p->judged[p->judged_count - 1];
	if (h->judged.number == 0 || (last != NULL && (h->judged.wall_ns <= last->wall_ns ||
							  h->since_wall_ns != last->since_wall_ns)))
		return;
	/* The last place is for the newest. */
	if (p->judged_count == STATS_JUDGED)
		gcs_free(p->judged[--p->judged_count].frames);
	struct stats_judged *j = &p->judged[p->judged_count];
	struct gcs_sites *sites = stats_survivors(p, profile, GCS_SITES_BY_FRAME);
	const uint32_t count = sites == NULL ? 0 : gcs_sites_count(sites);
	*j = (struct stats_judged){.wall_ns = h->judged.wall_ns,
	    .old_wall_ns = h->judged_old.number == 0 ? 0 : h->judged_old.wall_ns,
	    .since_wall_ns = h->since_wall_ns,
	    .seconds = ((double)h->judged.wall_ns - (double)h->since_wall_ns) / NS_PER_SECOND,
	    .used = (double)h->used_bytes,
	    .interval = (double)h->interval,
	    .frames = gcs_alloc((count + (size_t)1) * sizeof *j->frames)};
	p->failed = p->failed || sites == NULL || j->frames == NULL;
	for (uint32_t i = 0; j->frames != NULL && i < count; i++) {
		const struct gcs_site *s = gcs_sites_at(sites, i);
		j->frames[j->count++] =
		    (struct stats_frame){key_of(sites, s), s->bytes, s->bytes_error};
	}
	if (j->count != 0)
		qsort(j->frames, j->count, sizeof *j->frames, by_key);
	p->judged_count += j->frames != NULL;
	gcs_sites_free(sites);
}

/* The line through a frame's bytes from a profile on. A sample more or less is the least error. */
static double slope_of(const struct stats_profiles *p, uint32_t from, uint64_t key, double *error)
{
	double weights = 0, time = 0, bytes = 0, products = 0, squares = 0, rest = 0;
	double value[STATS_JUDGED], weight[STATS_JUDGED];
	for (uint32_t i = from; i < p->judged_count; i++) {
		const struct stats_judged *j = &p->judged[i];
		const struct stats_frame wanted = {.key = key};
		const struct stats_frame *f =
		    j->count == 0 ? NULL
				  : bsearch(&wanted, j->frames, j->count, sizeof wanted, by_key);
		const double off = fmax(f == NULL ? 0 : f->error, fmax(j->interval, 1));
		value[i] = f == NULL ? 0 : f->bytes;
		weight[i] = 1 / (off * off);
		weights += weight[i];
		time += weight[i] * j->seconds;
		bytes += weight[i] * value[i];
	}
	time /= weights;
	bytes /= weights;
	for (uint32_t i = from; i < p->judged_count; i++) {
		const double away = p->judged[i].seconds - time;
		products += weight[i] * away * (value[i] - bytes);
		squares += weight[i] * away * away;
	}
	const double slope = squares > 0 ? products / squares : 0;
	for (uint32_t i = from; i < p->judged_count; i++) {
		const double off = value[i] - bytes - slope * (p->judged[i].seconds - time);
		rest += weight[i] * off * off;
	}
	/* Points that scatter more than their errors make the slope less certain. */
	const double freedom = (double)(p->judged_count - from) - 2;
	const double excess = freedom > 0 && rest > freedom ? rest / freedom : 1;
	*error = squares > 0 ? sqrt(excess / squares) : INFINITY;
	return slope;
}

bool gcs_stats_heap_grows(const struct gcs_stats *stats)
{
	const struct gcs_stats_series *s = &stats->heap_growth.series;
	return stats->heap_growth.why.text[0] == '\0' &&
	       s->trend_per_hour > TREND_ERRORS * s->trend_error &&
	       s->trend_per_hour * ((double)stats->wall_ns / 3.6e12) > TREND_SHARE * s->mean;
}

/* What collections leave: by the events, or as profiles noted it where collectors run beside the
 * program. */
static void give_heap(const struct stats_profiles *p, struct gcs_stats *result)
{
	struct stats_series series = {.count = 0};
	result->heap_growth = result->heap_after;
	if (result->heap_after.why.text[0] != '\0') {
		for (uint32_t i = 0; i < p->judged_count; i++)
			if (p->judged[i].used > 0)
				stats_series_add(&series,
				    &(struct stats_moment){GCS_NO_PLACE, p->judged[i].seconds},
				    p->judged[i].used);
		result->heap_growth = (struct gcs_stats_course){.why.text = ""};
		stats_series_give(&series, &result->heap_growth.series);
	}
	const struct gcs_stats_series *s = &result->heap_growth.series;
	if (!s->has_trend || s->trend_error < 0)
		stats_because(&result->heap_growth.why, "too few collections were recorded");
}

static bool can_tell(const struct stats_profiles *p, struct gcs_stats *result)
{
	const struct stats_judged *last =
	    &p->judged[p->judged_count == 0 ? 0 : p->judged_count - 1];
	struct gcs_stats_reason *why = &result->no_suspects;
	if (p->first == NULL)
		stats_because(why, "no profile of live objects was recorded");
	else if (p->judged_count < FEWEST)
		stats_because(why,
		    "it takes %d profiles of live objects, each judged by another collection; %u "
		    "were recorded",
		    FEWEST, (unsigned)p->judged_count);
	else if (result->heap_growth.why.text[0] != '\0')
		stats_because(why, "growth of the heap after collections: %.150s",
		    result->heap_growth.why.text);
	else if (gcs_stats_heap_grows(result) && last->old_wall_ns == p->judged[0].old_wall_ns)
		stats_because(why,
		    "no collection of old objects between the profiles: what looks live may be "
		    "garbage; gcspy gc ADDRESS asks for one");
	return why->text[0] == '\0';
}

static int fastest_first(const void *left, const void *right)
{
	const struct gcs_suspect *a = left, *b = right;
	return a->per_second > b->per_second ? -1 : a->per_second < b->per_second;
}

static void check(struct stats_profiles *p, const struct gcs_site *s, double heap_per_second,
    struct gcs_suspect *suspect)
{
	double error, later_error;
	const uint64_t key = key_of(p->survivors, s);
	const uint32_t half = (p->judged_count - 1) / 2;
	const double slope = slope_of(p, 0, key, &error);
	const double later = slope_of(p, half, key, &later_error);
	const bool sure = slope > CERTAIN * error && later > STILL_GROWS * later_error;
	*suspect = (struct gcs_suspect){.site = s,
	    .per_second = sure && slope >= LEAST_SHARE * heap_per_second ? slope : 0,
	    .error = error,
	    .share = fmin(slope / heap_per_second, 1)};
}

bool stats_suspects_give(struct stats_profiles *p, struct gcs_stats *result)
{
	const struct gcs_profile *live = p->live != NULL ? p->live : p->first;
	give_heap(p, result);
	if (!can_tell(p, result) || !gcs_stats_heap_grows(result))
		return true;
	p->survivors = stats_survivors(p, live, GCS_SITES_BY_FRAME);
	const uint32_t count = p->survivors == NULL ? 0 : gcs_sites_count(p->survivors);
	p->suspects = gcs_alloc((count + (size_t)1) * sizeof *p->suspects);
	if (p->survivors == NULL || p->suspects == NULL)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct gcs_suspect *next = &p->suspects[result->suspect_count];
		check(p, gcs_sites_at(p->survivors, i),
		    result->heap_growth.series.trend_per_hour / 3600, next);
		result->suspect_count += next->per_second > 0;
	}
	if (result->suspect_count != 0)
		qsort(p->suspects, result->suspect_count, sizeof *p->suspects, fastest_first);
	result->suspects = p->suspects;
	result->survivors = p->survivors;
	result->judged_profiles = p->judged_count;
	return true;
}

void stats_suspects_fini(struct stats_profiles *p)
{
	for (uint32_t i = 0; i < p->judged_count; i++)
		gcs_free(p->judged[i].frames);
	gcs_free(p->suspects);
	gcs_sites_free(p->survivors);
}
