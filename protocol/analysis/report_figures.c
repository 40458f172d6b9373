/* The key figures; gcspy's command for statistics has all of them. */
#include <inttypes.h>
#include <stdio.h>

#include <gcspy/format.h>

#include "report_page.h"

static const char *words_of(char *buffer, size_t size, double value, enum gcs_unit unit)
{
	return gcs_format_figure(buffer, size, value, unit);
}

/* A row of the table: the name, the figure, what belongs to it. */
static void put_row(struct text *t, const char *name, const char *figure, const char *more)
{
	text_raw(t, "<tr><th scope=\"row\">");
	text_xml(t, name);
	text_raw(t, "</th><td>");
	text_xml(t, figure);
	text_raw(t, "</td><td class=\"words\">");
	text_xml(t, more);
	text_raw(t, "</td></tr>\n");
}

static void put_reason(struct text *t, const char *name, const char *why)
{
	put_row(t, name, "-", why);
}

static void put_pauses(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	char total[32], count[32], share[32], mean[32], p99[32], words[200];
	if (s->no_pauses.text[0] != '\0') {
		put_reason(r->text, "Pauses", s->no_pauses.text);
		return;
	}
	const struct gcs_stats_pauses *p = &s->pauses;
	snprintf(words, sizeof words, "%s pauses%s%s%s",
	    text_count(count, sizeof count, (double)p->count), p->share >= 0 ? ", " : "",
	    p->share >= 0 ? words_of(share, sizeof share, p->share, GCS_UNIT_SHARE) : "",
	    p->share >= 0 ? " of the time" : "");
	put_row(r->text, "Pauses altogether",
	    words_of(total, sizeof total, (double)p->total_ns, GCS_UNIT_NANOSECONDS), words);
	snprintf(words, sizeof words, "mean %s, p99 %s",
	    words_of(mean, sizeof mean, p->mean_ns, GCS_UNIT_NANOSECONDS),
	    words_of(p99, sizeof p99, (double)p->p99_ns, GCS_UNIT_NANOSECONDS));
	put_row(r->text, "Longest pause",
	    words_of(total, sizeof total, (double)p->max_ns, GCS_UNIT_NANOSECONDS), words);
}

static void put_course(
    struct report *r, const char *name, const struct gcs_stats_course *c, enum gcs_unit unit)
{
	char last[32], min[32], mean[32], max[32], words[160];
	const struct gcs_stats_series *s = &c->series;
	if (c->why.text[0] != '\0') {
		put_reason(r->text, name, c->why.text);
		return;
	}
	snprintf(words, sizeof words, "least %s, mean %s, largest %s",
	    words_of(min, sizeof min, s->min, unit), words_of(mean, sizeof mean, s->mean, unit),
	    words_of(max, sizeof max, s->max, unit));
	put_row(r->text, name, words_of(last, sizeof last, s->last, unit), words);
}

static void put_rate(struct report *r, const char *name, const struct gcs_stats_rate *rate)
{
	char speed[32], bytes[32], peak[32] = "", words[160];
	if (rate->why.text[0] != '\0') {
		put_reason(r->text, name, rate->why.text);
		return;
	}
	bool has_peak = rate->peak_per_second >= 0;
	if (has_peak)
		words_of(peak, sizeof peak, rate->peak_per_second, GCS_UNIT_BYTES_PER_SECOND);
	snprintf(words, sizeof words, "%s altogether%s%s",
	    words_of(bytes, sizeof bytes, rate->bytes, GCS_UNIT_BYTES),
	    has_peak ? ", at most " : "", peak);
	put_row(r->text, name,
	    words_of(speed, sizeof speed, rate->per_second, GCS_UNIT_BYTES_PER_SECOND), words);
}

static void put_kind(struct text *t, const struct gcs_stats_pauses *p)
{
	const double figures[] = {(double)p->total_ns, p->mean_ns, (double)p->median_ns,
	    (double)p->p90_ns, (double)p->p99_ns, (double)p->max_ns};
	char words[32];
	text_raw(t, "<tr><th scope=\"row\">");
	text_xml(t, p->name);
	text_format(t, "</th><td>%s</td>", text_count(words, sizeof words, (double)p->count));
	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
		text_format(t, "<td>%s</td>",
		    words_of(words, sizeof words, figures[i], GCS_UNIT_NANOSECONDS));
	text_raw(t, "</tr>\n");
}

static void put_kinds(
    struct text *t, const char *title, uint32_t count, const struct gcs_stats_pauses *list)
{
	enum { MOST = 24 };
	if (count == 0)
		return;
	text_format(t,
	    "<table><caption>%s</caption>\n<thead><tr><td></td><th scope=\"col\">Pauses</th>"
	    "<th scope=\"col\">Total</th><th scope=\"col\">Mean</th>"
	    "<th scope=\"col\">Median</th><th scope=\"col\">p90</th>"
	    "<th scope=\"col\">p99</th><th scope=\"col\">Longest</th></tr></thead>\n<tbody>\n",
	    title);
	for (uint32_t i = 0; i < count && i < MOST; i++)
		put_kind(t, &list[i]);
	text_raw(t, "</tbody></table>\n");
	if (count > MOST)
		text_format(t, "<p class=\"small\">and %u more</p>\n", (unsigned)(count - MOST));
}

static void put_tlabs(struct report *r)
{
	const struct gcs_stats_tlabs *w = &r->stats->tlabs;
	char waste[32], share[32] = "", words[160];
	if (w->why.text[0] != '\0') {
		put_reason(r->text, "TLAB waste", w->why.text);
		return;
	}
	if (w->share >= 0)
		words_of(share, sizeof share, w->share, GCS_UNIT_SHARE);
	snprintf(words, sizeof words, "in each collection%s%s%s", w->share >= 0 ? ", " : "", share,
	    w->share >= 0 ? " of what was allocated" : "");
	put_row(r->text, "TLAB waste",
	    words_of(waste, sizeof waste, w->per_collection, GCS_UNIT_BYTES), words);
}

void report_figures(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	text_raw(r->text, "<section id=\"figures\"><h2>Key figures</h2>\n<table class=\"key\">\n");
	put_pauses(r);
	put_course(r, "Heap after collections, at the end", &s->heap_after, GCS_UNIT_BYTES);
	put_course(r, "Committed, at the end", &s->committed, GCS_UNIT_BYTES);
	put_rate(r, "Allocation", &s->allocation);
	put_rate(r, "Allocation, from samples", &s->sampled);
	put_rate(r, "Promotion", &s->promotion);
	put_course(r, "Fragmentation, at the end", &s->fragmentation, GCS_UNIT_SHARE);
	put_tlabs(r);
	text_raw(r->text, "</table>\n");
	put_kinds(r->text, "Pauses by kind", s->kind_count, s->kinds);
	put_kinds(r->text, "Pauses by cause", s->cause_count, s->causes);
	text_raw(r->text, "</section>\n");
}
