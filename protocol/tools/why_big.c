/* What fills the heap, what grows, who allocates it, who holds it. */

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heap_limit.h"
#include "live_profile.h"
#include "why.h"

enum { MOST_SITES = 3, MOST_SUSPECTS = 2 };

/* Of four kinds each: of fewer moments no growth by call site is known. */
enum { FEW_PROFILES = 3 * 4 };

/* Less of the heap in samples is worth saying; more of it committed for nothing, too. */
#define GOOD_COVER 0.75
#define MUCH_MORE  1.2
#define MUCH_ROOM  0.5

/* Of the heap's limit; more is left to allocate in only by collecting all the time. */
#define NEARLY_FULL 0.85

static struct why_figure bytes(double value)
{
	return why_figure(value, GCS_UNIT_BYTES);
}

static bool knows_growth(const struct gcs_stats *s)
{
	return s->heap_growth.why.text[0] == '\0';
}

/* From the first collection that is judged to the last one. */
static double judged_seconds(const struct gcs_stats *s)
{
	return s->heap_growth.series.last_seconds - s->heap_growth.series.first_seconds;
}

/* "+1.2 MiB/min ± 30 KiB" of what collections leave; of less than a minute that has not been seen to
 * grow, the change in that time. */
static struct why_figure trend(const struct gcs_stats *s)
{
	const struct gcs_stats_series *rest = &s->heap_growth.series;
	const double hours = judged_seconds(s) / 3600;
	const bool brief = hours < 1.0 / 60 && !gcs_stats_heap_grows(s);
	const double per = brief ? hours : 1.0 / 60;
	struct why_figure f;
	snprintf(f.text, sizeof f.text, "%s%.15s%s \302\261 %.15s%s%.15s",
	    rest->trend_per_hour > 0 ? "+" : "", bytes(rest->trend_per_hour * per).text,
	    brief ? "" : "/min", bytes(rest->trend_error * per).text, brief ? " in " : "",
	    brief ? why_seconds(judged_seconds(s)).text : "");
	return f;
}

/* What the trend is of. */
static const char *left(const struct gcs_stats *s)
{
	return s->left_is == GCS_LEFT_USED
		   ? "what is used at the end of collections, with garbage that is not freed yet,"
		   : "what collections leave";
}

/* Growth is judged by the least that collections leave from one collection of old objects to the next; any of
 * them may leave more, and the ones before the first of these less. */
static double least_left(const struct gcs_stats *s)
{
	const double least = s->heap_growth.series.min;
	const bool known = s->heap_after.why.text[0] == '\0';
	return known && s->heap_after.series.min < least ? s->heap_after.series.min : least;
}

static double most_left(const struct gcs_stats *s)
{
	const double most = s->heap_growth.series.max;
	const bool known = s->heap_after.why.text[0] == '\0';
	return known && s->heap_after.series.max > most ? s->heap_after.series.max : most;
}

/* "in 11 s, over 6 collections of old objects": what the verdict is of. */
static const char *judged(char *text, size_t size, const struct gcs_stats *s)
{
	const struct gcs_stats_series *rest = &s->heap_growth.series;
	const bool all = rest->count == s->heap_after.series.count;
	snprintf(text, size, "in %s, over %" PRIu64 " %s", why_seconds(judged_seconds(s)).text,
	    rest->count,
	    s->left_is == GCS_LEFT_LIVE     ? "markings"
	    : all || s->left_is != GCS_LEFT ? "collections"
					    : "collections of old objects");
	return text;
}

static void conclude_steady(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const struct gcs_stats_series *rest = &s->heap_growth.series;
	const double most = most_left(s);
	const bool known = s->committed.why.text[0] == '\0';
	const double committed = known ? s->committed.series.max : most;
	char of[120], stays[100];
	judged(of, sizeof of, s);
	snprintf(stays, sizeof stays, "what stays is %.30s%s%.30s%s", bytes(rest->mean).text,
	    known ? " of " : "", known ? bytes(committed).text : "", known ? " committed" : "");
	if (gcs_stats_heap_grew_before(s))
		why_conclude(w, "grew", "It grew from %s to %s in %s, and no more since: %s, %s.",
		    bytes(s->earlier_bytes).text, bytes(rest->first).text,
		    why_seconds(rest->first_seconds - s->earlier_seconds).text, of, stays);
	else if (most < MUCH_ROOM * committed)
		why_conclude(w, "room",
		    "Nothing grew %s: collections leave at most %s; the rest of the %s that %s "
		    "committed is room between collections.",
		    of, bytes(most).text, bytes(committed).text, w->jvm ? "the JVM has" : "is");
	else
		why_conclude(w, "steady",
		    "Nothing grew %s: %s, and that is steady; collections leave at most %s.", of,
		    stays, bytes(most).text);
}

/* "byte[] and others at Shop.visit (Shop.java:55)" */
static char *suspect_words(char *text, size_t size, const struct gcs_stats *s, uint32_t suspect)
{
	char words[WHY_TEXT], class_name[140];
	why_site(words, sizeof words, s->survivors, s->suspects[suspect].site);
	const char *at = strstr(words, " at ");
	snprintf(text, size, "%.130s%.240s",
	    gcs_suspect_class(class_name, sizeof class_name, s, &s->suspects[suspect]),
	    at == NULL ? "" : at);
	return text;
}

/* The largest call site of the first suspect; without one, of all. */
static const struct gcs_site *most_telling(const struct gcs_stats *s)
{
	const struct gcs_site *of =
	    s->suspect_count == 0 ? NULL : gcs_suspect_largest(s, &s->suspects[0]);
	return of != NULL ? of : gcs_sites_at(s->live, 0);
}

/* Whether what is alive leaves little of the most that the heap may have. */
static bool is_full(const struct gcs_stats *s)
{
	const double limit = heap_limit_of(s->info, s->info_count);
	return (s->left_is == GCS_LEFT || s->left_is == GCS_LEFT_LIVE) && limit > 0 &&
	       s->heap_growth.series.last > NEARLY_FULL * limit;
}

/* Collections of all objects would tell, and have not been asked for. */
static bool needs_gc(const struct why *w)
{
	return w->jvm && w->contact != NULL && !w->replays && !w->arguments->gc &&
	       w->stats->left_is == GCS_LEFT_YOUNG && !knows_growth(w->stats);
}

static void conclude(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	char site[WHY_TEXT];
	if (s->suspect_count != 0)
		why_conclude(w, "grows",
		    "It grows: %.240s, %s of what grows: a leak, or a cache that still fills.",
		    suspect_words(site, sizeof site, s, 0),
		    why_figure(s->suspects[0].share, GCS_UNIT_SHARE).text);
	else if (strcmp(why_info(s, "Collector"), "Epsilon") == 0)
		why_conclude(w, "unknown",
		    "Whether anything grows is not known: Epsilon frees nothing, and does not tell "
		    "live "
		    "objects from garbage.");
	else if (!knows_growth(s))
		why_conclude(w, "unknown", "Whether anything grows is not known: %.200s%s%.150s%s.",
		    s->heap_growth.why.text, needs_gc(w) ? ": gcspy why-big " : "",
		    needs_gc(w) ? w->again : "", needs_gc(w) ? " --gc asks for them" : "");
	else if (is_full(s))
		why_conclude(w, "full",
		    "The heap is nearly full: collections leave %s of its limit of %s.",
		    bytes(s->heap_growth.series.last).text, why_info(s, "Heap limit"));
	else if (gcs_stats_heap_is_steady(s) && !gcs_stats_heap_grows(s))
		conclude_steady(w);
	else if (!gcs_stats_heap_grows(s))
		why_conclude(w, "unknown",
		    "Whether anything grows cannot be told from %s: %s changes by %s.",
		    why_time(s).text, left(s), trend(s).text);
	else if (s->no_suspects.text[0] != '\0')
		why_conclude(w, "grows-unknown", "W%s grows by %s; who is not known: %.200s.",
		    left(s) + 1, trend(s).text, s->no_suspects.text);
	else
		why_conclude(w, "grows-unknown",
		    "W%s grows by %s, but no call site grows with it beyond its error.",
		    left(s) + 1, trend(s).text);
}

/* "130 MiB", "130 to 227 MiB" */
static struct why_figure committed_text(const struct gcs_stats *s)
{
	const struct gcs_stats_series *c = &s->committed.series;
	struct why_figure f = bytes(c->max);
	if (c->min != c->max)
		snprintf(f.text, sizeof f.text, "%.25s to %.25s", bytes(c->min).text,
		    bytes(c->max).text);
	return f;
}

static void tell_heap(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const struct gcs_stats_series *used = &s->heap_used.series, *rest = &s->heap_growth.series;
	const char *limit = why_info(s, "Heap limit");
	const bool committed = s->committed.why.text[0] == '\0';
	why_line(w, "Watched", "%.120s%s%.60s, %s, %" PRIu64 " collection%s", s->server,
	    why_info(s, "Collector")[0] == '\0' ? "" : ", ", why_info(s, "Collector"),
	    why_watched(w).text, s->collections, s->collections == 1 ? "" : "s");
	if (s->heap_used.why.text[0] == '\0')
		why_line(w, "Heap", "%s to %s used at events%s%s%s%s%.40s", bytes(used->min).text,
		    bytes(used->max).text, committed || w->jvm ? ", " : "",
		    committed ? committed_text(s).text
		    : w->jvm  ? "not known what is"
			      : "",
		    committed || w->jvm ? " committed" : "", limit[0] == '\0' ? "" : ", limit ",
		    limit);
	if (rest->count != 0)
		why_line(w, "After GC", "%s to %s, %s at the end%s%s", bytes(least_left(s)).text,
		    bytes(most_left(s)).text,
		    bytes(
			s->heap_after.why.text[0] == '\0' ? s->heap_after.series.last : rest->last)
			.text,
		    knows_growth(s) ? ", " : "", knows_growth(s) ? trend(s).text : "");
}

/* What the last collection of all objects left; 0: not known. */
static double left_by_collections(const struct gcs_stats *s)
{
	const bool whole = s->left_is == GCS_LEFT || s->left_is == GCS_LEFT_LIVE;
	return whole && s->heap_growth.series.count != 0 ? s->heap_growth.series.last : 0;
}

/* What the samples cover a part of: the heap after the collection that judged them, or the less that
 * collections of all objects left; 0: not known. */
static double used_at(const struct gcs_stats *s, const struct gcs_profile *profile)
{
	const double used = (double)gcs_profile_head(profile)->used_bytes;
	const double left = left_by_collections(s);
	return left > 0 && left < used ? left : used;
}

/* More live than collections leave: some of it has died, but nobody has judged it since. */
static void tell_unjudged(struct why *w, const struct gcs_profile *profile)
{
	const struct gcs_site *total = gcs_sites_total(w->stats->live);
	const double left = left_by_collections(w->stats);
	char judged[300];
	if (left > 0 && total->bytes - 2 * total->bytes_error > MUCH_MORE * left &&
	    strncmp(gcs_profile_judged_text(judged, sizeof judged, profile), "Live: ", 6) == 0)
		why_not_seen(w, "garbage among them (collections leave %s): they %s",
		    bytes(left).text, judged + 6);
}

/* "60.7 MiB ± 1.93 MiB  byte[] at …" for the largest call sites. */
static void tell_live(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	char site[WHY_TEXT];
	if (s->live == NULL || gcs_sites_count(s->live) == 0) {
		why_not_seen(w, "live objects by call site (%.180s)",
		    s->no_live.text[0] != '\0' ? s->no_live.text
					       : "no sampled object has survived a collection");
		return;
	}
	const struct gcs_profile *profile = gcs_sites_profile(s->live);
	const struct gcs_live_sum sum = gcs_profile_live_sum(profile);
	const double used = used_at(s, profile);
	const struct gcs_site *total = gcs_sites_total(s->live);
	why_line(w, "Live", "%s \302\261 %s by samples, at %" PRIu32 " call site%s; the largest:",
	    bytes(total->bytes).text, bytes(total->bytes_error).text, gcs_sites_count(s->live),
	    gcs_sites_count(s->live) == 1 ? "" : "s");
	/* A line is written once, however many stacks lead to it. */
	const struct gcs_site_filter by_line = {.libraries = w->arguments->libraries,
	    .top = MOST_SITES,
	    .by = GCS_SITES_BY_FRAME,
	    .by_class = true};
	struct gcs_sites *lines = gcs_sites_create(profile, &by_line, NULL);
	for (uint32_t i = 0; lines != NULL && i < gcs_sites_count(lines); i++) {
		const struct gcs_site *one = gcs_sites_at(lines, i);
		why_line(w, "", "%10s \302\261 %s  %.300s", bytes(one->bytes).text,
		    bytes(one->bytes_error).text, why_site(site, sizeof site, lines, one));
	}
	gcs_sites_free(lines);
	if (used > 0 && sum.bytes < GOOD_COVER * used)
		why_not_seen(w,
		    "who allocated the other %s of %s: objects from before the sampling, "
		    "%sgarbage",
		    bytes(used - sum.bytes).text, bytes(used).text,
		    gcs_stats_humongous_share(s) < GCS_STATS_HUMONGOUS
			? "and "
			: "the unused ends of humongous objects' regions, and ");
	tell_unjudged(w, profile);
}

static void tell_growth(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	char site[WHY_TEXT];
	for (uint32_t i = 0; i < s->suspect_count && i < MOST_SUSPECTS; i++) {
		const struct gcs_suspect *one = &s->suspects[i];
		why_line(w, i == 0 ? "Grows" : "", "+%s/min \302\261 %s  %.300s",
		    bytes(one->per_second * 60).text, bytes(one->error * 60).text,
		    suspect_words(site, sizeof site, s, i));
	}
	if (s->live != NULL && s->suspect_count == 0 && s->no_suspects.text[0] != '\0' &&
	    knows_growth(s))
		why_not_seen(w, "growth by call site (%.200s)", s->no_suspects.text);
}

/* Which command goes on from there. */
static void tell_next(struct why *w, const struct gcs_site *site)
{
	const struct gcs_stats *s = w->stats;
	const char *address = w->again;
	if (!w->jvm && w->contact != NULL && !w->replays)
		why_next(w,
		    "gcspy record %.180s -o big.gcspy; gcspy report big.gcspy  # ^C ends the first",
		    address);
	else if (w->jvm && w->of_file && s->suspect_count == 0 && s->profiles < FEW_PROFILES)
		why_next(w, "gcspy record PID --profiles 5  # a profile every few seconds, as with "
			    "the agent's record-profiles=5");
	else if (w->of_file)
		why_next(w, "gcspy report %.200s -o report.html", address);
	else if (w->replays && site != NULL)
		why_next(
		    w, "gcspy sites %.180s --live; gcspy why-big FILE  # the recording's", address);
	else if (w->replays)
		why_next(w, "gcspy why-big FILE  # the recording's");
	else if (needs_gc(w))
		why_next(w, "gcspy why-big %.200s --gc  # asks for three collections", address);
	else if (w->contact != NULL && site != NULL && w->sampling)
		why_next(w,
		    "gcspy set %.180s interval=512k; gcspy sites %.180s --live  # sampling is off "
		    "again and its samples are gone: let some collections pass between them",
		    address, address);
	else if (w->contact != NULL && site != NULL)
		why_next(w, "gcspy paths %.180s --site %012" PRIx64 "; gcspy sites %.180s --live",
		    address, gcs_site_number(s->live, site), address);
	else if (w->contact != NULL && w->arguments->gc)
		why_next(w,
		    "gcspy histogram %.180s; gcspy set %.180s interval=512k  # call sites of what "
		    "is allocated from now on",
		    address, address);
	else if (w->contact != NULL)
		why_next(w, "gcspy why-big %.180s --gc  # asks for three collections", address);
}

void why_big(struct why *w)
{
	const struct gcs_stats *s = w->stats;
	const struct gcs_site *site = s->live == NULL ? NULL : most_telling(s);
	conclude(w);
	tell_heap(w);
	if (w->jvm)
		why_classes(w);
	tell_live(w);
	tell_growth(w);
	if (w->jvm && site != NULL)
		why_held(w, s->live, site);
	why_humongous(w);
	why_gaps(w);
	if (w->jvm && !w->replays)
		why_not_seen(w, "memory outside the heap (jcmd PID VM.native_memory)");
	tell_next(w, site);
}
