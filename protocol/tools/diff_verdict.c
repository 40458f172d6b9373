/* What `diff` says first: at most twelve lines, rates per second, each with its significance. */
#include <math.h>
#include <stdio.h>

#include "export_internal.h"
#include "stats_page.h"

enum { MOST_SITES = 2, NS_PER_SECOND = 1000000000 };

/* Standard errors of a significant difference. */
#define CERTAIN 2.0

enum { MANY = 100 };

/* A value of one recording; an error that is not known is negative. */
struct value {
	double value, error;
	const char *why; /* not known; NULL: it is */
};

static const char *significance(double change, double error, char *text, size_t size)
{
	if (error < 0)
		return "error not known";
	/* What is nearly all sampled has hardly an error. */
	if (error > 0 && fabs(change) > MANY * error)
		snprintf(text, size, "significant, more than %d errors", MANY);
	else if (error > 0)
		snprintf(text, size, "%s, %.1f errors",
		    fabs(change) > CERTAIN * error ? "significant" : "not significant",
		    fabs(change) / error);
	else
		snprintf(text, size, "%s", change != 0 ? "significant" : "the same");
	return text;
}

static void put_line(struct out *out, const char *name, const struct value sides[2],
    enum gcs_unit unit, const char *suffix)
{
	char before[48], after[48], text[64], line[400];
	const char *why = sides[0].why != NULL ? sides[0].why : sides[1].why;
	const bool known = sides[0].error >= 0 && sides[1].error >= 0;
	if (why != NULL)
		snprintf(line, sizeof line, "%s: not known %s: %.200s", name,
		    sides[0].why != NULL ? "before" : "after", why);
	else
		snprintf(line, sizeof line, "%s: %s%s, before %s%s (%s)", name,
		    gcs_format_figure(after, sizeof after, sides[1].value, unit), suffix,
		    gcs_format_figure(before, sizeof before, sides[0].value, unit), suffix,
		    significance(sides[1].value - sides[0].value,
			known ? hypot(sides[0].error, sides[1].error) : -1, text, sizeof text));
	out_raw(out, "  ");
	out_wrapped(out, 2, 4, line);
}

/* Pauses come at random: of n, the error is the root of n. */
static struct value pauses_of(const struct gcs_stats *s)
{
	const double seconds = (double)s->wall_ns / NS_PER_SECOND;
	const double count = (double)s->pauses.count;
	if (s->no_pauses.text[0] != '\0')
		return (struct value){.why = s->no_pauses.text};
	return seconds > 0 ? (struct value){count / seconds, sqrt(count) / seconds, NULL}
			   : (struct value){.why = "no time was observed"};
}

static struct value pause_of(const struct gcs_stats *s)
{
	if (s->no_pauses.text[0] != '\0')
		return (struct value){.why = s->no_pauses.text};
	return (struct value){s->pauses.mean_ns,
	    s->pauses.count < 2 ? -1 : s->pauses.deviation_ns / sqrt((double)s->pauses.count),
	    NULL};
}

static struct value rate_of(const struct gcs_stats_rate *r)
{
	return r->why.text[0] == '\0' ? (struct value){r->per_second, r->error, NULL}
				      : (struct value){.why = r->why.text};
}

/* Counted in both recordings, or else sampled in both: a buffer counts whole, a sample is of an
 * object. */
static bool is_sampled(const struct gcs_stats *before, const struct gcs_stats *after)
{
	return (before->allocation.why.text[0] != '\0' || after->allocation.why.text[0] != '\0') &&
	       before->sampled.why.text[0] == '\0' && after->sampled.why.text[0] == '\0';
}

static struct value heap_of(const struct gcs_stats *s)
{
	const struct gcs_stats_series *series = &s->heap_after.series;
	if (s->heap_after.why.text[0] != '\0')
		return (struct value){.why = s->heap_after.why.text};
	return (struct value){series->mean,
	    series->count < 2 ? -1 : series->deviation / sqrt((double)series->count), NULL};
}

/* Seconds of sampling that a profile covers; live bytes are as of its end. */
static double seconds_of(const struct gcs_sites *sites)
{
	const struct gcs_profile_head *h = gcs_profile_head(gcs_sites_profile(sites));
	return h->kind == GCS_PROFILE_ALLOCATED
		   ? ((double)h->wall_ns - (double)h->since_wall_ns) / NS_PER_SECOND
		   : 1;
}

/* A site's change from one recording to the other, and the significance of it. */
static double change_of(const struct gcs_comparison *c, const struct gcs_change *one, double *error)
{
	const double before = seconds_of(gcs_comparison_before(c));
	const double after = seconds_of(gcs_comparison_after(c));
	*error = -1;
	if (!(before > 0) || !(after > 0))
		return 0;
	/* Two recordings may be of one run, whose samples of live objects they share. */
	*error = before == 1 && after == 1
		     ? one->bytes_error
		     : hypot(one->after == NULL ? 0 : one->after->bytes_error / after,
			   one->before == NULL ? 0 : one->before->bytes_error / before);
	return (one->after == NULL ? 0 : one->after->bytes / after) -
	       (one->before == NULL ? 0 : one->before->bytes / before);
}

/* The change next below `than` for growth, next above it for shrinkage; NULL: none. */
static const struct gcs_change *next_change(
    const struct gcs_comparison *c, bool grew, double than, double *change, double *error)
{
	const struct gcs_change *best = NULL;
	for (uint32_t i = 0; i < gcs_comparison_count(c); i++) {
		double its;
		const struct gcs_change *one = gcs_comparison_at(c, i);
		const double bytes = change_of(c, one, &its) * (grew ? 1 : -1);
		if (bytes <= 0 || bytes >= than || (best != NULL && bytes <= fabs(*change)))
			continue;
		best = one;
		*change = grew ? bytes : -bytes;
		*error = its;
	}
	return best;
}

static void put_site(struct out *out, const struct gcs_comparison *c, const struct gcs_change *one,
    const char *title, double change, double error, enum gcs_unit unit)
{
	const struct gcs_sites *sites =
	    one->after != NULL ? gcs_comparison_after(c) : gcs_comparison_before(c);
	const struct gcs_site *site = one->after != NULL ? one->after : one->before;
	uint32_t stack = site->stack;
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	const struct gcs_frame *f = own != NULL ? own : gcs_sites_caller(sites, &stack);
	char text[48], words[64], frame[1400], line[1800];
	snprintf(line, sizeof line, "%s %s%s (%s): %.200s%s%s", title, change > 0 ? "+" : "",
	    gcs_format_figure(text, sizeof text, change, unit),
	    significance(change, error, words, sizeof words), site->class_name,
	    f == NULL ? "" : " at ", f == NULL ? "" : gcs_frame_line(frame, sizeof frame, f));
	out_raw(out, "  ");
	out_text(out, line, out_width(out) - 2);
	out_raw(out, "\n");
}

void diff_verdict_sites(struct out *out, const char *title, const struct gcs_comparison *c,
    enum gcs_unit unit, const char *why)
{
	if (c == NULL) {
		char line[400];
		snprintf(line, sizeof line, "%s: not known: %.200s", title, why);
		out_raw(out, "  ");
		out_wrapped(out, 2, 4, line);
		return;
	}
	for (int grew = 1; grew >= 0; grew--) {
		double change = 0, error = 0, than = INFINITY;
		for (int i = 0; i < MOST_SITES; i++) {
			const struct gcs_change *one =
			    next_change(c, grew != 0, than, &change, &error);
			if (one == NULL)
				break;
			put_site(out, c, one, title, change, error, unit);
			than = fabs(change);
			change = 0;
		}
	}
}

void diff_verdict(struct out *out, const struct gcs_stats *before, const struct gcs_stats *after)
{
	const struct value pauses[2] = {pauses_of(before), pauses_of(after)};
	const struct value pause[2] = {pause_of(before), pause_of(after)};
	const bool sampled = is_sampled(before, after);
	const struct value allocation[2] = {
	    rate_of(sampled ? &before->sampled : &before->allocation),
	    rate_of(sampled ? &after->sampled : &after->allocation)};
	const struct value heap[2] = {heap_of(before), heap_of(after)};
	put_line(out, "Pauses", pauses, GCS_UNIT_NUMBER, "/s");
	put_line(out, "Mean pause", pause, GCS_UNIT_NANOSECONDS, "");
	put_line(out, sampled ? "Allocation, by samples" : "Allocation", allocation,
	    GCS_UNIT_BYTES_PER_SECOND, "");
	put_line(out, "Heap after collections", heap, GCS_UNIT_BYTES, "");
}
