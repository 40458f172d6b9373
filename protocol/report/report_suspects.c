/*
 * The findings, with their evidence; what was checked and is in order; what could not be checked.
 * docs/report.md has the limits.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_page.h"
#include "sites_table.h"

enum { MOST_SITES = 5, MOST_PAUSES = 3, FEW_PAUSES = 3 };

/* A long pause has this length and this many times the median's. */
#define LONG_PAUSE_NS     50000000.0
#define TIMES_MEDIAN      10.0
#define LARGE_PAUSE_SHARE 0.05

#define LARGE_WASTE         0.05
#define LARGE_FRAGMENTATION 0.5

struct findings {
	struct report *report;
	const struct gcs_stats *stats;
	unsigned count;
	char fine[800];
	char blind[800];
};

static void add_words(char *list, size_t size, const char *words, const char *more)
{
	size_t used = strlen(list);
	snprintf(list + used, size - used, "%s%s%s%s%s", used == 0 ? "" : "; ", words,
	    more[0] == '\0' ? "" : " (", more, more[0] == '\0' ? "" : ")");
}

/* Checked, and in order. */
static void fine(struct findings *f, const char *words)
{
	add_words(f->fine, sizeof f->fine, words, "");
}

/* Could not be checked. */
static void blind(struct findings *f, const char *words, const char *why)
{
	add_words(f->blind, sizeof f->blind, words, why);
}

#define FOUND(f, markup, ...)                                                                      \
	do {                                                                                       \
		PUT((f)->report, (f)->count++ == 0 ? "<ol>\n<li>" : "<li>");                       \
		FILL((f)->report, markup, __VA_ARGS__);                                            \
	} while (false)

static const char *bytes_of(struct findings *f, double bytes)
{
	return say_figure(f->report, bytes, GCS_UNIT_BYTES);
}

static const char *time_of(struct findings *f, double ns)
{
	return say_figure(f->report, ns, GCS_UNIT_NANOSECONDS);
}

static const char *share_of(struct findings *f, double share)
{
	return say_figure(f->report, share, GCS_UNIT_SHARE);
}

static void put_growing(struct findings *f, const struct gcs_suspect *s)
{
	struct report *r = f->report;
	char class_name[300];
	FOUND(f,
	    "<b>Growing:</b> <code>{}</code> grows by {} \302\261 {} a minute, {} of what grows "
	    "({} profiles of live objects; live now: {} \302\261 {}), allocated at ",
	    gcs_suspect_class(class_name, sizeof class_name, f->stats, s),
	    bytes_of(f, s->per_second * 60), bytes_of(f, s->error * 60), share_of(f, s->share),
	    say(r, "%u", (unsigned)f->stats->judged_profiles), bytes_of(f, s->site->bytes),
	    bytes_of(f, s->site->bytes_error));
	sites_stack(r->text, f->stats->survivors, s->site);
	if (s->held_by[0] != '\0')
		FILL(r, "<br/>Held by {}", s->held_by);
	PUT(r, "</li>\n");
}

static void check_sites(struct findings *f)
{
	const struct gcs_stats *s = f->stats;
	if (s->no_suspects.text[0] != '\0')
		blind(f, "growth of call sites", s->no_suspects.text);
	else if (s->suspect_count == 0)
		fine(f, "no call site grows with the heap");
	for (uint32_t i = 0; i < s->suspect_count && i < MOST_SITES; i++)
		put_growing(f, &s->suspects[i]);
}

static void check_trend(struct findings *f)
{
	const struct gcs_stats_course *c = &f->stats->heap_growth;
	const struct gcs_stats_series *s = &c->series;
	if (c->why.text[0] != '\0' || !s->has_trend || s->trend_error < 0) {
		blind(
		    f, "heap trend", c->why.text[0] != '\0' ? c->why.text : "too few collections");
		return;
	}
	double hours = (double)f->stats->run_ns / 3.6e12;
	if (!gcs_stats_heap_grows(f->stats) && f->stats->left_is == GCS_LEFT_USED) {
		blind(f, "heap trend",
		    "what is in use at the end of collections, garbage among it, does not grow");
		return;
	}
	if (!gcs_stats_heap_grows(f->stats) && !gcs_stats_heap_is_steady(f->stats)) {
		blind(f, "heap trend",
		    "what collections leave changes too much to tell whether it grows");
		return;
	}
	if (!gcs_stats_heap_grows(f->stats)) {
		fine(f, gcs_stats_heap_grew_before(f->stats)
			    ? "what collections leave of the heap does not grow any more"
			    : "what collections leave of the heap does not grow");
		return;
	}
	/* A rate per hour means little for a short trace. */
	bool fast = hours < 1;
	enum gcs_unit unit = fast ? GCS_UNIT_BYTES_PER_SECOND : GCS_UNIT_BYTES_PER_HOUR;
	double scale = fast ? 1.0 / 3600 : 1;
	FOUND(f,
	    "<b>Heap trend:</b> {} grows by {} \302\261 {}, from {} after the "
	    "first to {} after the last one: a leak, or a program that is still filling its "
	    "caches (<a href=\"#charts\">over time</a>).</li>\n",
	    f->stats->left_is == GCS_LEFT_USED
		? "what is in use at the end of collections, with garbage that is not freed yet,"
	    : f->stats->collects ? "what collections leave"
				 : "what the program holds",
	    say_figure(f->report, s->trend_per_hour * scale, unit),
	    say_figure(f->report, s->trend_error * scale, unit), bytes_of(f, s->first),
	    bytes_of(f, s->last));
}

/* The longest pause shorter than `below`, or NULL. */
static const struct series_pause *longest_below(
    const struct series *s, double below, const char **kind)
{
	const struct series_pause *best = NULL;
	for (uint32_t k = 0; k < s->kind_count; k++)
		for (uint32_t i = 0; i < SERIES_COLUMNS; i++) {
			const struct series_pause *p = &s->kinds[k]->columns[i];
			if (p->all.count == 0 || p->all.max >= below ||
			    (best != NULL && p->all.max <= best->all.max))
				continue;
			best = p;
			*kind = s->kinds[k]->name;
		}
	return best;
}

static void check_pauses(struct findings *f)
{
	const struct gcs_stats *s = f->stats;
	struct report *r = f->report;
	if (s->no_pauses.text[0] != '\0') {
		if (s->collects)
			blind(f, "pauses", s->no_pauses.text);
		return;
	}
	const char *kind = "";
	double below = (double)UINT64_MAX, least = TIMES_MEDIAN * (double)s->pauses.median_ns;
	unsigned found = 0;
	least = least > LONG_PAUSE_NS ? least : LONG_PAUSE_NS;
	for (; found < MOST_PAUSES; found++) {
		const struct series_pause *p = longest_below(&r->series, below, &kind);
		if (p == NULL || p->all.max < least)
			break;
		FOUND(f,
		    "<b>Long pause:</b> {}, {}{}{}, at {} (event {}); half of all pauses took at "
		    "most {}.</li>\n",
		    time_of(f, p->all.max), kind, p->cause[0] != '\0' ? ", caused by " : "",
		    p->cause, say_moment(r, p->time_ns), say(r, "%" PRIu64, p->place + 1),
		    time_of(f, (double)s->pauses.median_ns));
		below = p->all.max;
	}
	if (found == 0)
		fine(f, "no pause stands out");
	if (s->pauses.share >= LARGE_PAUSE_SHARE && s->pauses.count >= FEW_PAUSES)
		FOUND(f,
		    "<b>Time in pauses:</b> the program was paused for {} of the time "
		    "(<a href=\"#figures\">figures</a>).</li>\n",
		    share_of(f, s->pauses.share));
}

/* Collections that the program requested, or that were the last resort. */
static void check_causes(struct findings *f)
{
	const struct gcs_stats *s = f->stats;
	unsigned before = f->count;
	for (uint32_t i = 0; i < s->kind_count; i++)
		if (strncmp(s->kinds[i].name, "Full", 4) == 0)
			FOUND(f, "<b>Full collections:</b> {} of them took {}.</li>\n",
			    say_count(f->report, (double)s->kinds[i].count),
			    time_of(f, (double)s->kinds[i].total_ns));
	for (uint32_t i = 0; i < s->cause_count; i++)
		if (strcmp(s->causes[i].name, "System.gc()") == 0)
			FOUND(f,
			    "<b>System.gc():</b> {} pauses, {}, because the program requested "
			    "them.</li>\n",
			    say_count(f->report, (double)s->causes[i].count),
			    time_of(f, (double)s->causes[i].total_ns));
	if (f->count == before && s->no_pauses.text[0] == '\0')
		fine(f, "no full collection, none on request");
}

/* The call site that allocates most of them, dead ones included; "" if the samples do not show it. */
static void put_humongous_site(struct findings *f)
{
	struct gcs_sites *sites =
	    gcs_stats_humongous_sites(f->stats->allocated, f->report->options->libraries);
	const struct gcs_site *s = sites == NULL ? NULL : gcs_sites_at(sites, 0);
	if (s != NULL) {
		FILL(f->report,
		    " Most were allocated as <code>{}</code>, {} \302\261 {} of {} in all, at ",
		    s->class_name, bytes_of(f, s->bytes), bytes_of(f, s->bytes_error),
		    bytes_of(f, gcs_sites_total(sites)->bytes));
		sites_stack(f->report->text, sites, s);
	}
	gcs_sites_free(sites);
}

static void check_heap(struct findings *f)
{
	const struct gcs_stats *s = f->stats;
	double humongous = gcs_stats_humongous_share(s);
	if (humongous >= GCS_STATS_HUMONGOUS) {
		FOUND(f,
		    "<b>Humongous objects:</b> {} of the regions in use held objects of half a "
		    "region or more, in the mean (<a href=\"#pictures\">pictures</a>).",
		    share_of(f, humongous));
		put_humongous_site(f);
		PUT(f->report, "</li>\n");
	} else if (humongous >= 0)
		fine(f, "few humongous objects");
	if (!s->collects)
		;
	else if (s->tlabs.why.text[0] != '\0')
		blind(f, "TLAB waste", s->tlabs.why.text);
	else if (s->tlabs.share >= LARGE_WASTE)
		FOUND(f,
		    "<b>TLAB waste:</b> {} of the allocated bytes were lost in allocation "
		    "buffers.</li>\n",
		    share_of(f, s->tlabs.share));
	else
		fine(f, "little is lost in allocation buffers");
	if (s->fragmentation.why.text[0] == '\0' &&
	    s->fragmentation.series.last >= LARGE_FRAGMENTATION)
		FOUND(f, "<b>Fragmentation:</b> {} at the end, of {}.</li>\n",
		    share_of(f, s->fragmentation.series.last),
		    s->fragmentation_space == NULL ? "" : s->fragmentation_space);
}

void report_suspects(struct report *r)
{
	struct findings f = {.report = r, .stats = r->stats};
	PUT(r, "<section id=\"suspects\"><h2>Suspects</h2>\n");
	check_sites(&f);
	check_trend(&f);
	check_pauses(&f);
	check_causes(&f);
	check_heap(&f);
	PUT(r, f.count == 0 ? "<p>Nothing stands out.</p>\n" : "</ol>\n");
	if (f.fine[0] != '\0')
		FILL(r, "<p class=\"small\">Checked and in order: {}.</p>\n", f.fine);
	if (f.blind[0] != '\0')
		FILL(r, "<p class=\"small\">Could not be checked: {}.</p>\n", f.blind);
	PUT(r, "</section>\n");
}
