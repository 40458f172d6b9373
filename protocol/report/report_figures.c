/* The key figures; `gcspy stats` has all of them. */
#include <inttypes.h>

#include "report_page.h"

/* A row of the table: the figure and what belongs to it, or why it is missing. */
static void put_row(
    struct report *r, const char *name, const char *why, const char *figure, const char *more)
{
	bool known = why[0] == '\0';
	FILL(r, "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"words\">{}</td></tr>\n", name,
	    known ? figure : "-", known ? more : why);
}

/* Of a program that tells nothing of collections, what they would be needed for. */
static bool is_left_out(const struct report *r, const char *why)
{
	return !r->stats->collects && why[0] != '\0';
}

static void put_pauses(struct report *r)
{
	const struct gcs_stats_pauses *p = &r->stats->pauses;
	const char *why = r->stats->no_pauses.text;
	const enum gcs_unit ns = GCS_UNIT_NANOSECONDS;
	if (is_left_out(r, why))
		return;
	if (why[0] != '\0') {
		put_row(r, "Pauses", why, "", "");
		return;
	}
	put_row(r, "Total pause time", why, say_figure(r, (double)p->total_ns, ns),
	    say(r, "%s pauses%s%s%s", say_count(r, (double)p->count), p->share >= 0 ? ", " : "",
		p->share >= 0 ? say_figure(r, p->share, GCS_UNIT_SHARE) : "",
		p->share >= 0 ? " of the time" : ""));
	put_row(r, "Longest pause", why, say_figure(r, (double)p->max_ns, ns),
	    say(r, "mean %s, p99 %s", say_figure(r, p->mean_ns, ns),
		say_figure(r, (double)p->p99_ns, ns)));
}

static void put_course(
    struct report *r, const char *name, const struct gcs_stats_course *c, enum gcs_unit unit)
{
	const struct gcs_stats_series *s = &c->series;
	if (is_left_out(r, c->why.text))
		return;
	put_row(r, name, c->why.text, say_figure(r, s->last, unit),
	    say(r, "least %s, mean %s, largest %s", say_figure(r, s->min, unit),
		say_figure(r, s->mean, unit), say_figure(r, s->max, unit)));
}

static void put_rate(struct report *r, const char *name, const struct gcs_stats_rate *rate)
{
	const enum gcs_unit unit = GCS_UNIT_BYTES_PER_SECOND;
	bool peak = rate->peak_per_second >= 0, error = rate->error >= 0;
	if (rate != &r->stats->sampled && is_left_out(r, rate->why.text))
		return;
	put_row(r, name, rate->why.text, say_figure(r, rate->per_second, unit),
	    say(r, "%s%s%s%s in total%s%s", error ? "\302\261 " : "",
		error ? say_figure(r, rate->error, unit) : "", error ? ", " : "",
		say_figure(r, rate->bytes, GCS_UNIT_BYTES), peak ? ", at most " : "",
		peak ? say_figure(r, rate->peak_per_second, unit) : ""));
}

static void put_tlabs(struct report *r)
{
	const struct gcs_stats_tlabs *w = &r->stats->tlabs;
	bool share = w->share >= 0;
	if (is_left_out(r, w->why.text))
		return;
	put_row(r, "TLAB waste", w->why.text, say_figure(r, w->per_collection, GCS_UNIT_BYTES),
	    say(r, "per collection%s%s%s", share ? ", " : "",
		share ? say_figure(r, w->share, GCS_UNIT_SHARE) : "",
		share ? " of the allocated bytes" : ""));
}

static void put_kinds(
    struct report *r, const char *title, uint32_t count, const struct gcs_stats_pauses *list)
{
	enum { MOST = 24 };
	if (count == 0)
		return;
	FILL(r,
	    "<table><caption>{}</caption>\n<thead><tr><td></td><th scope=\"col\">Pauses</th>"
	    "<th scope=\"col\">Total</th><th scope=\"col\">Mean</th>"
	    "<th scope=\"col\">Median</th><th scope=\"col\">p90</th>"
	    "<th scope=\"col\">p99</th><th scope=\"col\">Longest</th></tr></thead>\n<tbody>\n",
	    title);
	for (uint32_t i = 0; i < count && i < MOST; i++) {
		const struct gcs_stats_pauses *p = &list[i];
		const double figures[] = {(double)p->total_ns, p->mean_ns, (double)p->median_ns,
		    (double)p->p90_ns, (double)p->p99_ns, (double)p->max_ns};
		FILL(r, "<tr><th scope=\"row\">{}</th><td>{}</td>", p->name,
		    say_count(r, (double)p->count));
		for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
			FILL(r, "<td>{}</td>", say_figure(r, figures[k], GCS_UNIT_NANOSECONDS));
		PUT(r, "</tr>\n");
	}
	PUT(r, "</tbody></table>\n");
	if (count > MOST)
		FILL(r, "<p class=\"small\">and {} more</p>\n", say_count(r, count - MOST));
}

/* When each trigger fired, its condition, and what it did. */
static void put_triggers(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	char first[40], did[GCS_MAX_NAME + 80];
	if (s->trigger_count == 0)
		return;
	PUT(r, "<table id=\"triggers\"><caption>Triggers that fired</caption>\n<thead><tr>"
	       "<th scope=\"col\">Trigger</th><th scope=\"col\">Times</th>"
	       "<th scope=\"col\">First, at event</th><th scope=\"col\">Last, at event</th>"
	       "<th scope=\"col\">What it did</th><th scope=\"col\">Condition</th></tr></thead>\n"
	       "<tbody>\n");
	for (uint32_t i = 0; i < s->trigger_count; i++) {
		const struct gcs_stats_trigger *t = &s->triggers[i];
		text_time(first, sizeof first, t->first_wall_ns);
		FILL(r, "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>", t->name,
		    say_count(r, (double)t->fires),
		    say(r, "%" PRIu64 ", %s", t->first_place + 1, first),
		    say(r, "%" PRIu64, t->last_place + 1));
		FILL(r, "<td class=\"words\">{}</td><td class=\"words\">{}</td></tr>\n",
		    gcs_trigger_did_text(did, sizeof did, t), t->condition);
	}
	PUT(r, "</tbody></table>\n");
	if (s->fires_left_out != 0)
		FILL(r, "<p class=\"small\">and {} times of other triggers</p>\n",
		    say_count(r, (double)s->fires_left_out));
}

void report_figures(struct report *r)
{
	const struct gcs_stats *s = r->stats;
	PUT(r, "<section id=\"figures\"><h2>Key figures</h2>\n<table class=\"key\">\n");
	put_pauses(r);
	put_course(r, "Heap after collections, at the end", &s->heap_after, GCS_UNIT_BYTES);
	put_course(r, "Committed, at the end", &s->committed, GCS_UNIT_BYTES);
	put_rate(r, "Allocation", &s->allocation);
	put_rate(r, "Allocation, from samples", &s->sampled);
	put_rate(r, "Promotion", &s->promotion);
	put_course(r, "Fragmentation, at the end", &s->fragmentation, GCS_UNIT_SHARE);
	put_tlabs(r);
	PUT(r, "</table>\n");
	put_triggers(r);
	put_kinds(r, "Pauses by kind", s->kind_count, s->kinds);
	put_kinds(r, "Pauses by cause", s->cause_count, s->causes);
	PUT(r, "</section>\n");
}
