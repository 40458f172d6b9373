/*
 * What stands out, in words, each with its evidence; what was looked at and is in order; what could
 * not be looked at. The limits are in docs/report.md.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "report_page.h"
#include "sites_table.h"

enum { MOST_SITES = 5, MOST_PAUSES = 3, FEW_PAUSES = 3 };

/* A difference is one when it is so many standard errors large. */
#define CERTAIN 2.0

/* Pauses stand out from so many nanoseconds on, and from so many times the median. */
#define LONG_PAUSE_NS     50000000.0
#define TIMES_MEDIAN      10.0
#define LARGE_PAUSE_SHARE 0.05

#define LARGE_HUMONGOUS     0.25
#define LARGE_WASTE         0.05
#define LARGE_FRAGMENTATION 0.5

struct findings {
	struct report *report;
	struct text *text;
	unsigned count;
	char fine[800];  /* what is in order */
	char blind[800]; /* what could not be looked at */
};

static void add_words(char *list, size_t size, const char *words, const char *more)
{
	size_t used = strlen(list);
	snprintf(list + used, size - used, "%s%s%s%s%s", used == 0 ? "" : "; ", words,
	    more[0] == '\0' ? "" : " (", more, more[0] == '\0' ? "" : ")");
}

static void fine(struct findings *f, const char *words)
{
	add_words(f->fine, sizeof f->fine, words, "");
}

static void blind(struct findings *f, const char *words, const char *why)
{
	add_words(f->blind, sizeof f->blind, words, why);
}

static void open_finding(struct findings *f)
{
	text_raw(f->text, f->count++ == 0 ? "<ol>\n<li>" : "<li>");
}

static const char *size_of(char *buffer, size_t size, double bytes)
{
	return gcs_format_figure(buffer, size, bytes, GCS_UNIT_BYTES);
}

static const char *time_of(char *buffer, size_t size, double ns)
{
	return gcs_format_figure(buffer, size, ns, GCS_UNIT_NANOSECONDS);
}

static const char *share_of(char *buffer, size_t size, double share)
{
	return gcs_format_figure(buffer, size, share, GCS_UNIT_SHARE);
}

static void put_growing(struct findings *f, const struct gcs_change *c)
{
	const struct gcs_stats *s = f->report->stats;
	char grown[32], error[32], speed[32], before[32], after[32], time[32];
	double seconds = s->growth_seconds;
	open_finding(f);
	text_raw(f->text, "<b>Growing:</b> <code>");
	text_xml(f->text, c->after->class_name);
	text_format(f->text, "</code> grew by %s \302\261 %s",
	    size_of(grown, sizeof grown, c->bytes), size_of(error, sizeof error, c->bytes_error));
	if (seconds > 0)
		text_format(f->text, " in %s, %s", report_duration(time, sizeof time, seconds),
		    gcs_format_figure(
			speed, sizeof speed, c->bytes / seconds, GCS_UNIT_BYTES_PER_SECOND));
	text_format(f->text, " (live: %s, then %s), allocated at ",
	    size_of(before, sizeof before, c->before == NULL ? 0 : c->before->bytes),
	    size_of(after, sizeof after, c->after->bytes));
	sites_stack(f->text, gcs_comparison_after(s->growth), c->after);
	text_raw(f->text, "</li>\n");
}

static void look_at_sites(struct findings *f)
{
	const struct gcs_stats *s = f->report->stats;
	unsigned found = 0;
	if (s->growth == NULL) {
		blind(f, "growth of call sites", s->no_growth.text);
		return;
	}
	uint32_t count = gcs_comparison_count(s->growth);
	for (uint32_t i = 0; i < count && found < MOST_SITES; i++) {
		const struct gcs_change *c = gcs_comparison_at(s->growth, i);
		if (c->after == NULL || c->bytes <= 0)
			break;
		if (c->bytes > CERTAIN * c->bytes_error) {
			put_growing(f, c);
			found++;
		}
	}
	if (found == 0)
		fine(f, "no call site has grown beyond its error");
}

static void look_at_trend(struct findings *f)
{
	const struct gcs_stats_course *c = &f->report->stats->heap_after;
	const struct gcs_stats_series *s = &c->series;
	char speed[32], error[32], first[32], last[32];
	if (c->why.text[0] != '\0' || !s->has_trend || s->trend_error < 0) {
		blind(
		    f, "heap trend", c->why.text[0] != '\0' ? c->why.text : "too few collections");
		return;
	}
	double hours = (double)f->report->stats->wall_ns / 3.6e12;
	bool large = s->trend_per_hour * hours > 0.05 * s->mean;
	if (s->trend_per_hour <= 3 * s->trend_error || !large) {
		fine(f, "what collections leave of the heap does not grow");
		return;
	}
	/* Of a short time a rate by the hour is no figure that anybody could see. */
	bool fast = hours < 1;
	enum gcs_unit unit = fast ? GCS_UNIT_BYTES_PER_SECOND : GCS_UNIT_BYTES_PER_HOUR;
	double scale = fast ? 1.0 / 3600 : 1;
	open_finding(f);
	text_format(f->text,
	    "<b>Heap trend:</b> what collections leave grows by %s \302\261 %s, from %s after the "
	    "first to %s after the last one: a leak, or a program that is still filling its "
	    "caches (<a href=\"#charts\">over time</a>).</li>\n",
	    gcs_format_figure(speed, sizeof speed, s->trend_per_hour * scale, unit),
	    gcs_format_figure(error, sizeof error, s->trend_error * scale, unit),
	    size_of(first, sizeof first, s->first), size_of(last, sizeof last, s->last));
}

/* The longest pause that is shorter than `below`, or NULL. */
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

static void put_pause(struct findings *f, const struct series_pause *p, const char *kind)
{
	char length[32], median[32], at[32];
	open_finding(f);
	text_format(f->text, "<b>Long pause:</b> %s, ", time_of(length, sizeof length, p->all.max));
	text_xml(f->text, kind);
	if (p->cause[0] != '\0') {
		text_raw(f->text, ", caused by ");
		text_xml(f->text, p->cause);
	}
	text_format(f->text,
	    ", at %s (event %" PRIu64 "); half of all pauses took at most %s.</li>\n",
	    report_moment(at, sizeof at, f->report, p->time_ns), p->place,
	    time_of(median, sizeof median, (double)f->report->stats->pauses.median_ns));
}

static void look_at_pauses(struct findings *f)
{
	const struct gcs_stats *s = f->report->stats;
	char share[32];
	if (s->no_pauses.text[0] != '\0') {
		blind(f, "pauses", s->no_pauses.text);
		return;
	}
	const char *kind = "";
	double below = (double)UINT64_MAX, least = TIMES_MEDIAN * (double)s->pauses.median_ns;
	unsigned found = 0;
	least = least > LONG_PAUSE_NS ? least : LONG_PAUSE_NS;
	for (; found < MOST_PAUSES; found++) {
		const struct series_pause *p = longest_below(&f->report->series, below, &kind);
		if (p == NULL || p->all.max < least)
			break;
		put_pause(f, p, kind);
		below = p->all.max;
	}
	if (found == 0)
		fine(f, "no pause stands out");
	if (s->pauses.share < LARGE_PAUSE_SHARE || s->pauses.count < FEW_PAUSES)
		return;
	open_finding(f);
	text_format(f->text,
	    "<b>Time in pauses:</b> the program stood still for %s of the time "
	    "(<a href=\"#figures\">figures</a>).</li>\n",
	    share_of(share, sizeof share, s->pauses.share));
}

/* Collections that the program asked for, or that were needed because nothing else helped. */
static void look_at_causes(struct findings *f)
{
	const struct gcs_stats *s = f->report->stats;
	char count[32], total[32];
	bool any = false;
	for (uint32_t i = 0; i < s->kind_count; i++) {
		const struct gcs_stats_pauses *p = &s->kinds[i];
		if (strncmp(p->name, "Full", 4) != 0)
			continue;
		any = true;
		open_finding(f);
		text_format(f->text, "<b>Full collections:</b> %s of them took %s.</li>\n",
		    text_count(count, sizeof count, (double)p->count),
		    time_of(total, sizeof total, (double)p->total_ns));
	}
	for (uint32_t i = 0; i < s->cause_count; i++) {
		const struct gcs_stats_pauses *p = &s->causes[i];
		if (strcmp(p->name, "System.gc()") != 0)
			continue;
		any = true;
		open_finding(f);
		text_format(f->text,
		    "<b>System.gc():</b> %s pauses, %s, because the program asked for them.</li>\n",
		    text_count(count, sizeof count, (double)p->count),
		    time_of(total, sizeof total, (double)p->total_ns));
	}
	if (!any && s->no_pauses.text[0] == '\0')
		fine(f, "no full collection, none on request");
}

/* Regions with that name in a stream of types, as a share of the used ones; negative: none. */
static double humongous_share(const struct gcs_stats *s, const char **space)
{
	for (uint32_t i = 0; i < s->space_count; i++)
		for (uint32_t k = 0; k < s->spaces[i].stream_count; k++) {
			const struct gcs_stats_stream *stream = &s->spaces[i].streams[k];
			double all = 0, large = -1;
			if (strcmp(stream->stream->name, "Type") != 0)
				continue;
			for (uint32_t n = 0; n < stream->summary_count; n++) {
				const struct gcs_stats_summary *m = &stream->summary[n];
				if (strncmp(m->name, "Humongous", 9) == 0)
					large = (large < 0 ? 0 : large) + m->series.mean;
				if (n != 0)
					all += m->series.mean;
			}
			*space = s->spaces[i].space->name;
			if (large >= 0)
				return all > 0 ? large / all : 0;
		}
	return -1;
}

static void look_at_heap(struct findings *f)
{
	const struct gcs_stats *s = f->report->stats;
	const char *space = "";
	char words[32];
	double humongous = humongous_share(s, &space);
	if (humongous >= LARGE_HUMONGOUS) {
		open_finding(f);
		text_format(f->text,
		    "<b>Humongous objects:</b> %s of the regions in use held objects of half a "
		    "region or more, in the mean (<a href=\"#pictures\">pictures</a>).</li>\n",
		    share_of(words, sizeof words, humongous));
	} else if (humongous >= 0) {
		fine(f, "few humongous objects");
	}
	if (s->tlabs.why.text[0] != '\0') {
		blind(f, "TLAB waste", s->tlabs.why.text);
	} else if (s->tlabs.share >= LARGE_WASTE) {
		open_finding(f);
		text_format(f->text,
		    "<b>TLAB waste:</b> %s of what was allocated was lost in allocation "
		    "buffers.</li>\n",
		    share_of(words, sizeof words, s->tlabs.share));
	} else {
		fine(f, "little is lost in allocation buffers");
	}
	if (s->fragmentation.why.text[0] == '\0' &&
	    s->fragmentation.series.last >= LARGE_FRAGMENTATION) {
		open_finding(f);
		text_format(f->text, "<b>Fragmentation:</b> %s at the end, of ",
		    share_of(words, sizeof words, s->fragmentation.series.last));
		text_xml(f->text, s->fragmentation_space == NULL ? "" : s->fragmentation_space);
		text_raw(f->text, ".</li>\n");
	}
}

static void put_list(struct text *t, const char *title, const char *list)
{
	if (list[0] == '\0')
		return;
	text_format(t, "<p class=\"small\">%s: ", title);
	text_xml(t, list);
	text_raw(t, ".</p>\n");
}

void report_suspects(struct report *r)
{
	struct findings f = {.report = r, .text = r->text};
	text_raw(r->text, "<section id=\"suspects\"><h2>Suspects</h2>\n");
	look_at_sites(&f);
	look_at_trend(&f);
	look_at_pauses(&f);
	look_at_causes(&f);
	look_at_heap(&f);
	text_raw(r->text, f.count == 0 ? "<p>Nothing stands out.</p>\n" : "</ol>\n");
	put_list(r->text, "Looked at and in order", f.fine);
	put_list(r->text, "Could not be looked at", f.blind);
	text_raw(r->text, "</section>\n");
}
