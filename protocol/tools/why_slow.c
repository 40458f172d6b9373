/* The longest pauses, their causes, and what fed them. */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "why.h"

enum { MOST_PAUSES = 3, MOST_CAUSES = 3 };

/* Below both, collections are not what makes a program slow. */
#define SHORT_PAUSE_NS 50000000.0
#define SMALL_SHARE    0.05

/* A pause is odd if it takes MUCH_LONGER times as long as half of its kind, while less than
 * MUCH_MORE times the usual bytes are promoted. */
#define MUCH_LONGER 5
#define MUCH_MORE   2
enum { FEW = 5 };

static struct why_figure bytes(double value)
{
	return why_figure(value, GCS_UNIT_BYTES);
}

static struct why_figure time_of(double ns)
{
	return why_figure(ns, GCS_UNIT_NANOSECONDS);
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* What a pause of that kind and cause means. "": it says no more than its name. */
static const char *meaning(const char *kind, const char *cause)
{
	static const struct {
		const char *kind, *cause; /* their beginnings, or "" */
		const char *words;
	} meanings[] = {
	    {"", "System.gc()", "the program asked for it"},
	    {"", "JvmtiEnv ForceGarbageCollection", "a tool asked for it"},
	    {"", "Heap Inspection", "a tool asked for it"},
	    {"", "Heap Dump", "a tool asked for it"},
	    {"", "Diagnostic Command", "a tool asked for it"},
	    {"", "Metadata", "class metadata had reached its limit"},
	    {"", "Allocation Stall", "threads waited for memory"},
	    {"", "G1 Humongous Allocation", "room for a humongous object was needed"},
	    {"Full", "Ergonomics",
		"the old generation had too little room for what young collections promote"},
	    {"Full", "", "the heap, or its old generation, was full"},
	    {"Degenerated", "", "the collector could not keep up with the allocation"},
	};
	for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
		if (strncmp(kind, meanings[i].kind, strlen(meanings[i].kind)) == 0 &&
		    strncmp(cause, meanings[i].cause, strlen(meanings[i].cause)) == 0)
			return meanings[i].words;
	/* Whole names: a "Young mark start" copies nothing. */
	return strcmp(kind, "Young") == 0 || strcmp(kind, "Mixed") == 0
		   ? "it takes as long as what survives and is copied"
		   : "";
}

/* Whether the pause is far longer than others of its kind, though no more was promoted: then the heap
 * does not explain it. `*usual` is what half of them took. */
static bool is_odd(const struct gcs_stats *s, const struct gcs_stats_pause *p, double *usual)
{
	const struct gcs_stats_rate *r = &s->promotion;
	if (r->why.text[0] != '\0' || isnan(p->promoted) || r->intervals < FEW)
		return false;
	for (uint32_t i = 0; i < s->kind_count; i++)
		if (strcmp(s->kinds[i].name, p->kind) == 0)
			*usual = (double)s->kinds[i].median_ns;
	return *usual > 0 && (double)p->ns > MUCH_LONGER * *usual &&
	       p->promoted < MUCH_MORE * r->bytes / (double)r->intervals;
}

/* A running program that has pauses had none meanwhile: that needs no reason. */
static bool followed_quietly(const struct why *w)
{
	return w->followed_ns != 0 && w->stats->wall_ns == 0 &&
	       strstr(w->stats->no_pauses.text, "attribute") == NULL;
}

/* How often Shenandoah had to stop the program for a collection that it had begun beside it. */
static uint64_t degenerated(const struct gcs_stats *s)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < s->kind_count; i++)
		if (strncmp(s->kinds[i].name, "Degenerated", 11) == 0)
			count += s->kinds[i].count;
	return count;
}

/* Pauses are short. */
static void conclude_short(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const uint64_t failed = degenerated(s);
	if (s->stalled != 0)
		why_conclude(w, "stalls",
		    "Threads waited for memory at least %" PRIu64 " time%s (Allocation Stall). "
		    "Pauses do not show how long, -Xlog:gc does. A larger heap helps, or less "
		    "allocation.",
		    s->stalled, plural(s->stalled));
	else if (failed != 0)
		why_conclude(w, "stalls",
		    "The collector fell behind the allocation %" PRIu64 " time%s (Degenerated). "
		    "Threads may have waited longer than pauses show. A larger heap helps, or less "
		    "allocation.",
		    failed, plural(failed));
	else
		why_conclude(w, "short",
		    "No long pause in %s: the longest took %s, all of them %s of the time. "
		    "Collections do not make it slow.",
		    why_watched(w).text, time_of((double)s->pauses.max_ns).text,
		    why_figure(s->pauses.share, GCS_UNIT_SHARE).text);
}

static void conclude(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const struct gcs_stats_pause *p = &s->longest[0];
	if (s->no_pauses.text[0] != '\0') {
		why_conclude(w, "no-pauses", "No pause was seen in %s%s%.200s.",
		    why_watched(w).text, followed_quietly(w) ? "" : ": ",
		    followed_quietly(w) ? "" : s->no_pauses.text);
		return;
	}
	if ((double)s->pauses.max_ns < SHORT_PAUSE_NS && s->pauses.share < SMALL_SHARE &&
	    s->pauses.share >= 0) {
		conclude_short(w);
		return;
	}
	double usual = 0;
	char means[200] = "";
	const bool odd = is_odd(s, p, &usual);
	if (odd)
		snprintf(means, sizeof means,
		    "half of its kind took at most %s and promoted as much: look for busy "
		    "processors, swapping, large pages",
		    time_of(usual).text);
	else
		snprintf(means, sizeof means, "%s", meaning(p->kind, p->cause));
	why_conclude(w, odd ? "odd-pause" : "pauses",
	    "The longest pause took %s: %.40s, %.80s%s%s. All take %s of the time.",
	    time_of((double)p->ns).text, p->kind, p->cause, means[0] == '\0' ? "" : "; ", means,
	    s->pauses.share < 0 ? "an unknown share"
				: why_figure(s->pauses.share, GCS_UNIT_SHARE).text);
}

/* "256 ms  14:02:11  Young, G1 Evacuation Pause: 60 MiB → 20 MiB, 12 MiB promoted" */
static void tell_pause(struct why *w, const char *label, const struct gcs_stats_pause *p)
{
	enum { DATE = 11, CLOCK = 8 };
	char when[40], heap[100] = "", fed[100] = "", promoted[60] = "";
	text_time(when, sizeof when, p->wall_ns);
	if (!isnan(p->before) && !isnan(p->after))
		snprintf(heap, sizeof heap, ": %.30s \342\206\222 %.30s", bytes(p->before).text,
		    bytes(p->after).text);
	/* `seconds` is from the end of the pause before to the end of this one; the program ran until this
	 * one began. */
	const double ran = p->seconds * 1e9 - (double)p->ns;
	if (!isnan(p->allocated) && ran > 0)
		snprintf(fed, sizeof fed, ", %.30s allocated in %.30s before",
		    bytes(p->allocated).text, time_of(ran).text);
	if (!isnan(p->promoted) && p->promoted > 0)
		snprintf(promoted, sizeof promoted, ", %.30s promoted", bytes(p->promoted).text);
	why_line(w, label, "%8s  %.*s  %.30s, %.60s%s%s%s", time_of((double)p->ns).text, CLOCK,
	    strlen(when) > DATE ? when + DATE : when, p->kind, p->cause, heap, promoted, fed);
}

static void tell_pauses(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	char text[WHY_TEXT] = "";
	why_line(w, "Watched", "%.120s%s%.60s, %s, %" PRIu64 " pause%s", s->server,
	    why_info(s, "Collector")[0] == '\0' ? "" : ", ", why_info(s, "Collector"),
	    why_watched(w).text, s->pauses.count, plural(s->pauses.count));
	if (s->pauses.count == 0)
		return;
	why_line(w, "Pauses", "%s in all; half took at most %s, 90 %% at most %s",
	    time_of((double)s->pauses.total_ns).text, time_of((double)s->pauses.median_ns).text,
	    time_of((double)s->pauses.p90_ns).text);
	for (uint32_t i = 0; i < s->longest_count && i < MOST_PAUSES; i++)
		tell_pause(w, i == 0 ? "Longest" : "", &s->longest[i]);
	for (uint32_t i = 0; i < s->cause_count && i < MOST_CAUSES; i++) {
		const struct gcs_stats_pauses *c = &s->causes[i];
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%.60s %s in %" PRIu64,
		    i == 0 ? "" : "; ", c->name, time_of((double)c->total_ns).text, c->count);
	}
	why_line(w, "Causes", "%s", text);
}

static void tell_full(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	if (s->stalled != 0)
		why_line(w, "Stalls",
		    "%" PRIu64 " collection%s began when threads waited for memory; no pause shows "
		    "how long",
		    s->stalled, plural(s->stalled));
	for (uint32_t i = 0; i < s->kind_count; i++)
		if (strncmp(s->kinds[i].name, "Full", 4) == 0 ||
		    strncmp(s->kinds[i].name, "Degenerated", 11) == 0)
			why_line(w, s->kinds[i].name, "%s collection%s, %s in all",
			    why_figure((double)s->kinds[i].count, GCS_UNIT_NUMBER).text,
			    plural(s->kinds[i].count), time_of((double)s->kinds[i].total_ns).text);
}

static void tell_rate(
    struct why *w, const char *label, const struct gcs_stats_rate *r, const char *more)
{
	char peak[80] = "";
	if (r->peak_per_second >= 0)
		snprintf(peak, sizeof peak, ", at most %.40s",
		    why_figure(r->peak_per_second, GCS_UNIT_BYTES_PER_SECOND).text);
	why_line(w, label, "%s%s%.300s", why_figure(r->per_second, GCS_UNIT_BYTES_PER_SECOND).text,
	    peak, more);
}

static void tell_rates(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	char site[WHY_TEXT] = "", most[WHY_TEXT] = "";
	const bool off = s->allocated == NULL
			     ? s->profiles == 0
			     : gcs_profile_head(gcs_sites_profile(s->allocated))->interval == 0;
	if (s->allocated_since != NULL)
		snprintf(most, sizeof most, "; most by %.300s",
		    why_site(site, sizeof site, s->allocated_since,
			gcs_sites_at(s->allocated_since, 0)));
	else if (w->jvm && w->contact != NULL && !w->replays && off)
		why_not_seen(w,
		    "who allocates (sampling is off; gcspy set %.180s interval=512k turns it on)",
		    w->again);
	else
		why_not_seen(w, "who allocates (%.150s)", s->no_allocated_since.text);
	if (s->allocation.why.text[0] == '\0')
		tell_rate(w, "Allocation", &s->allocation, most);
	else if (s->sampled.why.text[0] == '\0')
		tell_rate(w, "Allocation", &s->sampled, most);
	else
		why_not_seen(w, "the rate of allocation (%.150s)", s->allocation.why.text);
	if (s->allocation.why.text[0] != '\0' && s->sampled.why.text[0] != '\0' && most[0] != '\0')
		why_line(w, "Allocation", "%s", most + strlen("; "));
	if (s->promotion.why.text[0] == '\0')
		tell_rate(w, "Promotion", &s->promotion, " to the old generation");
	else if (w->jvm && s->pauses.count != 0)
		why_not_seen(w, "promotion (%.150s)", s->promotion.why.text);
}

void why_slow(struct why *w)
{
	const char *address = w->again;
	conclude(w);
	tell_pauses(w);
	tell_full(w);
	tell_rates(w);
	why_humongous(w);
	why_gaps(w);
	if (w->jvm)
		why_not_seen(w,
		    "pauses that are not collections, the time to reach them, allocation stalls "
		    "(-Xlog:safepoint,gc has them)");
	if (w->of_file)
		why_next(w, "gcspy report %.200s -o report.html", address);
	else if (w->replays)
		why_next(w, "gcspy why-slow FILE; gcspy report FILE  # the recording's");
	else if (w->contact != NULL)
		why_next(w,
		    "gcspy record %.180s -o slow.gcspy; gcspy report slow.gcspy  # ^C ends the "
		    "first",
		    address);
}
