/*
 * Suspects: frames of the program whose live objects grow. Three tests keep garbage that nobody has
 * collected out: only survivors count, in three or more profiles that different collections have
 * judged, old objects among them; the slope of a weighted line through them is beyond twice its
 * error, also in the later half; and the frame has a share of what the heap grows by.
 */
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>
#include <gcspy/plugin.h>

#include "hash.h"
#include "live_profile.h"
#include "stats_internal.h"

/* Standard errors of a slope: over all profiles, and over the later half of them. */
#define CERTAIN      2.0
#define STILL_GROWS  1.0
#define LEAST_SHARE  0.1
#define TREND_ERRORS 3.0
#define TREND_SHARE  0.05
#define STEADY_SHARE 0.25

enum { FEWEST = 3, NS_PER_SECOND = 1000000000 };

static uint64_t key_by(
    const struct gcs_sites *sites, const struct gcs_site *site, enum gcs_sites_by by)
{
	if (by == GCS_SITES_BY_SITE)
		return gcs_site_number(sites, site);
	if (by == GCS_SITES_BY_CLASS)
		return hash_text(HASH_BEGIN, site->class_name);
	uint32_t stack = site->stack;
	char line[1400];
	const struct gcs_frame *f = gcs_sites_caller(sites, &stack);
	return f == NULL ? 0 : hash_text(HASH_BEGIN, gcs_frame_line(line, sizeof line, f));
}

static uint64_t key_of(const struct gcs_sites *sites, const struct gcs_site *site)
{
	return key_by(sites, site, gcs_sites_by(sites));
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
	struct gcs_sites *sites = stats_survivors(p, profile, p->by);
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

static double bytes_at(const struct stats_judged *j, uint64_t key, double *error)
{
	const struct stats_frame wanted = {.key = key};
	const struct stats_frame *f =
	    j->count == 0 ? NULL : bsearch(&wanted, j->frames, j->count, sizeof wanted, by_key);
	*error = f == NULL ? 0 : f->error;
	return f == NULL ? 0 : f->bytes;
}

/* The line through a frame's bytes from a profile on. A sample more or less is the least error. */
static double slope_of(const struct stats_profiles *p, uint32_t from, uint64_t key, double *error)
{
	double weights = 0, time = 0, bytes = 0, products = 0, squares = 0, rest = 0;
	double value[STATS_JUDGED], weight[STATS_JUDGED];
	for (uint32_t i = from; i < p->judged_count; i++) {
		const struct stats_judged *j = &p->judged[i];
		double sampled;
		value[i] = bytes_at(j, key, &sampled);
		const double off = fmax(sampled, fmax(j->interval, 1));
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
	       s->trend_per_hour * ((double)stats->run_ns / 3.6e12) > TREND_SHARE * s->mean;
}

/* Whether the slope and its error leave room for growth. A slope beyond its error that makes a quarter in a
 * minute does, however short it was watched. */
static bool may_grow(const struct gcs_stats *stats)
{
	const struct gcs_stats_series *s = &stats->heap_growth.series;
	const bool fast = s->trend_per_hour > TREND_ERRORS * s->trend_error &&
			  s->trend_per_hour / 60 > STEADY_SHARE * s->mean;
	return fast ||
	       (s->trend_per_hour + CERTAIN * s->trend_error) * ((double)stats->run_ns / 3.6e12) >=
		   STEADY_SHARE * s->mean;
}

bool gcs_stats_heap_is_steady(const struct gcs_stats *stats)
{
	return stats->heap_growth.why.text[0] == '\0' && stats->left_is != GCS_LEFT_USED &&
	       !may_grow(stats);
}

/* What was in use is no less than what was alive, so that was less, too. */
bool gcs_stats_heap_grew_before(const struct gcs_stats *stats)
{
	return stats->has_earlier && stats->restarts == 0 && gcs_stats_heap_is_steady(stats) &&
	       !gcs_stats_heap_grows(stats) &&
	       stats->earlier_bytes < (1 - STEADY_SHARE) * stats->heap_growth.series.first;
}

/* What collections leave: by the events, or else as profiles noted it where collectors run beside
 * the program. */
static void give_heap(const struct stats_profiles *p, struct gcs_stats *result)
{
	struct stats_series series = {.count = 0};
	char more[40];
	if (result->heap_growth.why.text[0] != '\0') {
		for (uint32_t i = 0; i < p->judged_count; i++)
			if (p->judged[i].used > 0)
				stats_series_add(&series,
				    &(struct stats_moment){GCS_NO_PLACE, p->judged[i].seconds},
				    p->judged[i].used);
		result->heap_growth = (struct gcs_stats_course){.why.text = ""};
		stats_series_give(&series, &result->heap_growth.series);
	}
	const struct gcs_stats_series *s = &result->heap_growth.series;
	if (s->has_trend && s->trend_error >= 0 && result->left_is == GCS_LEFT_YOUNG &&
	    gcs_stats_heap_grows(result))
		stats_because(&result->heap_growth.why,
		    "only young collections ran, and what they leave, %s more a minute, may be "
		    "promoted garbage; three full collections would tell",
		    gcs_format_figure(more, sizeof more, s->trend_per_hour / 60, GCS_UNIT_BYTES));
	if (s->has_trend && s->trend_error >= 0)
		return;
	if (result->left_is == GCS_LEFT_USED && p->judged_count > 0 && series.count == 0)
		stats_because(&result->heap_growth.why,
		    "this JVM does not tell how much of the heap is in use");
	else if (result->left_is != GCS_LEFT_USED)
		stats_because(&result->heap_growth.why, "too few collections were recorded");
	else
		stats_because(&result->heap_growth.why,
		    "what collections leave is known from profiles, and too few were recorded: %u "
		    "of "
		    "%d",
		    (unsigned)series.count, FEWEST);
}

/* Growth that is not beyond its error may still be there. */
static void cannot_tell(struct gcs_stats *result)
{
	const struct gcs_stats_series *s = &result->heap_growth.series;
	char more[40], error[40];
	stats_because(&result->no_suspects,
	    "whether the heap grows cannot be told: what %s changes by %s%s \302\261 %s a minute",
	    result->left_is == GCS_LEFT_USED ? "is used at the end of collections"
					     : "collections leave",
	    s->trend_per_hour > 0 ? "+" : "",
	    gcs_format_figure(more, sizeof more, s->trend_per_hour / 60, GCS_UNIT_BYTES),
	    gcs_format_figure(error, sizeof error, s->trend_error / 60, GCS_UNIT_BYTES));
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
		    "%s recorded",
		    FEWEST, (unsigned)p->judged_count, p->judged_count == 1 ? "was" : "were");
	else if (result->heap_growth.why.text[0] != '\0' && result->left_is != GCS_LEFT_YOUNG)
		stats_because(why, "growth of the heap after collections: %.150s",
		    result->heap_growth.why.text);
	else if (result->heap_growth.why.text[0] == '\0' && !gcs_stats_heap_grows(result) &&
		 may_grow(result))
		cannot_tell(result);
	else if (result->heap_growth.why.text[0] != '\0' ||
		 (gcs_stats_heap_grows(result) && last->old_wall_ns == p->judged[0].old_wall_ns))
		stats_because(why,
		    "no collection of old objects between the profiles: what looks live may be "
		    "garbage; gcspy gc ADDRESS asks for one");
	return why->text[0] == '\0';
}

static int fastest_first(const void *left, const void *right)
{
	const struct gcs_survivor *a = left, *b = right;
	if (a->per_second != b->per_second)
		return a->per_second < b->per_second ? 1 : -1;
	return a->key < b->key ? -1 : a->key > b->key;
}

static enum gcs_verdict verdict_of(
    const struct stats_profiles *p, const struct gcs_survivor *s, double heap_per_second)
{
	double later_error;
	const double later = slope_of(p, (p->judged_count - 1) / 2, s->key, &later_error);
	if (s->per_second <= CERTAIN * s->error)
		return GCS_VERDICT_UNCERTAIN;
	if (later <= STILL_GROWS * later_error)
		return GCS_VERDICT_STOPPED;
	return s->per_second >= LEAST_SHARE * heap_per_second ? GCS_VERDICT_GROWS
							      : GCS_VERDICT_SMALL;
}

/* heap_per_second: 0 unless the heap is known to grow. */
static void judge(const struct stats_profiles *p, const struct gcs_site *site,
    double heap_per_second, enum gcs_verdict otherwise, struct gcs_survivor *s)
{
	*s = (struct gcs_survivor){.site = site,
	    .per_second = NAN,
	    .error = NAN,
	    .share = -1,
	    .verdict = otherwise,
	    .key = key_of(p->survivors, site)};
	if (p->judged_count >= 2)
		s->per_second = slope_of(p, 0, s->key, &s->error);
	if (heap_per_second > 0)
		s->verdict = verdict_of(p, s, heap_per_second);
	/* The profiles share their samples: the slope is no surer than what is live. */
	if (s->per_second > 0 && site->bytes > 0)
		s->error = fmax(s->error, s->per_second * site->bytes_error / site->bytes);
}

/* Shares of the heap's growth, or of the sum of what grows beyond doubt where that is more: others
 * shrink meanwhile, and samples err. So no share, nor all of them together, exceeds the whole. */
static void share_growth(struct gcs_survivor *list, uint32_t count, double heap_per_second)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; i++)
		if (list[i].verdict != GCS_VERDICT_UNCERTAIN)
			sum += fmax(list[i].per_second, 0);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].verdict != GCS_VERDICT_UNCERTAIN)
			list[i].share = fmax(list[i].per_second, 0) / fmax(heap_per_second, sum);
}

static void give_suspects(
    struct stats_profiles *p, uint32_t count, bool grows, struct gcs_stats *result)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_survivor *s = &p->list[i];
		if (s->verdict == GCS_VERDICT_GROWS)
			p->suspects[result->suspect_count++] = (struct gcs_suspect){.site = s->site,
			    .per_second = s->per_second,
			    .error = s->error,
			    .share = s->share};
	}
	result->suspects = p->suspects;
	result->survivors = p->survivors;
	if (grows || p->listed)
		result->judged_profiles = p->judged_count;
	if (!p->listed)
		return;
	result->survivor_list = p->list;
	result->survivor_count = count;
}

static bool name_holders(
    const struct stats_profiles *p, const struct gcs_profile *live, uint32_t count)
{
	struct gcs_sites *by_site = stats_survivors(p, live, GCS_SITES_BY_SITE);
	bool ok = by_site != NULL;
	for (uint32_t i = 0; ok && i < count; i++) {
		struct gcs_suspect *s = &p->suspects[i];
		ok = stats_held_by(p, by_site, key_by, key_of(p->survivors, s->site), s->held_by,
		    sizeof s->held_by);
	}
	gcs_sites_free(by_site);
	return ok;
}

bool stats_suspects_give(struct stats_profiles *p, struct gcs_stats *result)
{
	const struct gcs_profile *live = p->live != NULL ? p->live : p->first;
	give_heap(p, result);
	const bool tells = can_tell(p, result), grows = tells && gcs_stats_heap_grows(result);
	if (live == NULL || (!grows && !p->listed))
		return true;
	p->survivors = stats_survivors(p, live, p->by);
	const uint32_t count = p->survivors == NULL ? 0 : gcs_sites_count(p->survivors);
	p->suspects = gcs_alloc((count + (size_t)1) * sizeof *p->suspects);
	p->list = gcs_alloc((count + (size_t)1) * sizeof *p->list);
	if (p->survivors == NULL || p->suspects == NULL || p->list == NULL)
		return false;
	const double heap_per_second = grows ? result->heap_growth.series.trend_per_hour / 3600 : 0;
	for (uint32_t i = 0; i < count; i++)
		judge(p, gcs_sites_at(p->survivors, i), heap_per_second,
		    tells ? GCS_VERDICT_STEADY : GCS_VERDICT_UNKNOWN, &p->list[i]);
	if (heap_per_second > 0)
		share_growth(p->list, count, heap_per_second);
	if (count != 0 && p->judged_count >= 2)
		qsort(p->list, count, sizeof *p->list, fastest_first);
	give_suspects(p, count, grows, result);
	if (p->paths != NULL && !name_holders(p, live, result->suspect_count))
		return false;
	return true;
}

void gcs_stats_list_survivors(struct gcs_stats_builder *b, enum gcs_sites_by by)
{
	b->profiles.listed = true;
	b->profiles.by = by;
}

const struct gcs_site *gcs_suspect_largest(
    const struct gcs_stats *stats, const struct gcs_suspect *suspect)
{
	char wanted[1400], line[1400];
	uint32_t stack = suspect->site->stack;
	const struct gcs_frame *f = gcs_sites_caller(stats->survivors, &stack);
	if (f == NULL || stats->live == NULL)
		return NULL;
	gcs_frame_line(wanted, sizeof wanted, f);
	for (uint32_t i = 0; i < gcs_sites_count(stats->live); i++) {
		const struct gcs_site *site = gcs_sites_at(stats->live, i);
		const struct gcs_frame *own = gcs_sites_own_frame(stats->live, site);
		if (own != NULL && strcmp(wanted, gcs_frame_line(line, sizeof line, own)) == 0)
			return site;
	}
	return NULL;
}

char *gcs_suspect_class(
    char *buffer, size_t size, const struct gcs_stats *stats, const struct gcs_suspect *suspect)
{
	/* Classes of Java have no bracket at the beginning, "[several classes]" has. */
	const bool several = suspect->site->class_name[0] == '[';
	const struct gcs_site *most = several ? gcs_suspect_largest(stats, suspect) : NULL;
	if (most == NULL)
		snprintf(buffer, size, "%s", suspect->site->class_name);
	else
		snprintf(buffer, size, "%.*s and others", (int)size - 12, most->class_name);
	return buffer;
}

static const struct stats_judged *judged_at(const struct gcs_stats *stats, uint32_t i)
{
	const struct stats_result *r = (const struct stats_result *)(const void *)stats;
	return i < r->profiles.judged_count ? &r->profiles.judged[i] : NULL;
}

double gcs_survivor_bytes(const struct gcs_stats *stats, const struct gcs_survivor *s, uint32_t i)
{
	double error;
	const struct stats_judged *j = judged_at(stats, i);
	return j == NULL ? NAN : bytes_at(j, s->key, &error);
}

double gcs_judged_seconds(const struct gcs_stats *stats, uint32_t i)
{
	const struct stats_judged *j = judged_at(stats, i);
	return j == NULL ? NAN : j->seconds;
}

void stats_suspects_fini(struct stats_profiles *p)
{
	for (uint32_t i = 0; i < p->judged_count; i++)
		gcs_free(p->judged[i].frames);
	gcs_free(p->suspects);
	gcs_free(p->list);
	gcs_plugin_free(p->paths);
	gcs_sites_free(p->survivors);
}
