/* The figures of a recording as a page for people. */

#include "stats_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <gcspy/format.h>

enum { NAME = 30, CELL = 12 };

void stats_right(struct out *out, const char *text, size_t columns)
{
	const size_t wide = out_columns(text);
	out_spaces(out, wide < columns ? columns - wide : 0);
	out_raw(out, text);
}

void stats_cell(struct out *out, double value, enum gcs_unit unit, size_t columns)
{
	char text[64];
	stats_right(out, gcs_format_figure(text, sizeof text, value, unit), columns);
}

/* "  name    why not" */
static void put_absent(struct out *out, const char *name, const struct gcs_stats_reason *why)
{
	out_raw(out, "  ");
	out_padded(out, name, NAME - 2);
	char text[240];
	snprintf(text, sizeof text, "not recorded: %s", why->text);
	out_wrapped(out, NAME, NAME, text);
}

static void put_time(struct out *out, int64_t wall_ns)
{
	char text[40];
	const time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm tm;
	if (gmtime_r(&seconds, &tm) == NULL)
		tm = (struct tm){.tm_mday = 1};
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &tm);
	out_raw(out, text);
}

/* "1 h 12 min 3 s", "12.3 s" */
static void put_duration(struct out *out, uint64_t ns)
{
	const uint64_t seconds = ns / 1000000000;
	char text[64];
	if (seconds < 60)
		out_raw(
		    out, gcs_format_figure(text, sizeof text, (double)ns, GCS_UNIT_NANOSECONDS));
	else if (seconds < 3600)
		out_format(out, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	else
		out_format(out, "%" PRIu64 " h %" PRIu64 " min %" PRIu64 " s", seconds / 3600,
		    seconds / 60 % 60, seconds % 60);
}

static void put_seconds(struct out *out, double seconds)
{
	const double ns = seconds * 1e9;
	put_duration(out, !(ns > 0) ? 0 : ns < 1.8e19 ? (uint64_t)ns : UINT64_MAX);
}

static void put_head(struct out *out, const struct gcs_stats *s, const char *source)
{
	out_text(out, s->server, OUT_COLUMNS);
	out_raw(out, "\n");
	out_text(out, source, OUT_COLUMNS);
	out_raw(out, "\n");
	if (s->snapshots == 0) {
		out_raw(out, "Nothing was recorded.\n");
		return;
	}
	put_time(out, s->first_wall_ns);
	out_raw(out, " to ");
	put_time(out, s->last_wall_ns);
	out_raw(out, ": ");
	put_duration(out, s->wall_ns);
	out_format(out, ", events %" PRIu64 " to %" PRIu64 "\n", s->first_place, s->last_place);
}

static void put_count(struct out *out, const char *name, uint64_t count, const char *words)
{
	out_raw(out, "  ");
	out_padded(out, name, NAME - 2);
	stats_cell(out, (double)count, GCS_UNIT_NUMBER, CELL - 2);
	if (words[0] != '\0')
		out_format(out, "  %s", words);
	out_raw(out, "\n");
}

static void put_recording(struct out *out, const struct gcs_stats *s)
{
	char words[96], count[40];
	out_raw(out, "\nRecording\n");
	for (uint32_t i = 0; i < s->event_count; i++) {
		words[0] = '\0';
		if (s->events[i].unseen != 0)
			snprintf(words, sizeof words, "and %s that were not recorded",
			    gcs_format_figure(
				count, sizeof count, (double)s->events[i].unseen, GCS_UNIT_NUMBER));
		put_count(out, s->events[i].name, s->events[i].recorded, words);
	}
	put_count(out, "Snapshots", s->snapshots, "");
	put_count(out, "Profiles of samples", s->profiles, "");
	if (s->missed != 0)
		put_count(out, "Missed", s->missed, "snapshots, because the recorder was slow");
	if (s->unreadable != 0)
		put_count(out, "Unreadable", s->unreadable, "events, because of damage");
	if (s->gaps != 0)
		put_count(out, "Gaps", s->gaps, "nothing is computed across them");
	if (s->restarts != 0)
		put_count(out, "Restarts", s->restarts,
		    "of the server's sequence; nothing is computed across them");
	out_raw(out, "  ");
	out_padded(out, "Server's own cost", NAME - 2);
	stats_cell(out, (double)s->cost_ns, GCS_UNIT_NANOSECONDS, CELL - 2);
	if (s->wall_ns != 0) {
		char share[32];
		out_format(out, "  %s of the time",
		    gcs_format_figure(share, sizeof share, (double)s->cost_ns / (double)s->wall_ns,
			GCS_UNIT_SHARE));
	}
	out_raw(out, "\n");
}

static void put_pauses(
    struct out *out, const char *name, size_t indent, const struct gcs_stats_pauses *p)
{
	enum { WIDE = 24, COLUMN = 9 };
	out_spaces(out, indent);
	out_padded(out, name, WIDE - indent);
	stats_cell(out, (double)p->count, GCS_UNIT_NUMBER, COLUMN - 1);
	stats_cell(out, (double)p->total_ns, GCS_UNIT_NANOSECONDS, COLUMN);
	if (p->share >= 0)
		stats_cell(out, p->share, GCS_UNIT_SHARE, COLUMN);
	else
		stats_right(out, "-", COLUMN);
	stats_cell(out, p->mean_ns, GCS_UNIT_NANOSECONDS, COLUMN + 1);
	stats_cell(out, (double)p->median_ns, GCS_UNIT_NANOSECONDS, COLUMN);
	stats_cell(out, (double)p->p90_ns, GCS_UNIT_NANOSECONDS, COLUMN);
	stats_cell(out, (double)p->p99_ns, GCS_UNIT_NANOSECONDS, COLUMN);
	stats_cell(out, (double)p->max_ns, GCS_UNIT_NANOSECONDS, COLUMN);
	out_raw(out, "\n");
}

static void put_all_pauses(struct out *out, const struct gcs_stats *s)
{
	out_raw(out, "\nPauses");
	if (s->no_pauses.text[0] != '\0') {
		out_raw(out, "\n");
		put_absent(out, "All", &s->no_pauses);
		return;
	}
	out_format(out, "%26s %8s %8s %9s %8s %8s %8s %8s\n", "Count", "Total", "Share", "Mean",
	    "Median", "p90", "p99", "Max");
	put_pauses(out, "All", 2, &s->pauses);
	out_raw(out, "  By kind\n");
	for (uint32_t i = 0; i < s->kind_count; i++)
		put_pauses(out, s->kinds[i].name, 4, &s->kinds[i]);
	out_raw(out, "  By cause\n");
	for (uint32_t i = 0; i < s->cause_count; i++)
		put_pauses(out, s->causes[i].name, 4, &s->causes[i]);
	out_format(out, "  The longest ended at event %" PRIu64 "\n", s->pauses.max_place);
}

/* "+1.2 MiB/h ± 3 KiB/h" */
static void put_trend(struct out *out, const struct gcs_stats_series *s, enum gcs_unit rate)
{
	char trend[64], error[64];
	if (!s->has_trend) {
		stats_right(out, "-", CELL);
		return;
	}
	out_format(out, "  %s%s", s->trend_per_hour > 0 ? "+" : "",
	    gcs_format_figure(trend, sizeof trend, s->trend_per_hour, rate));
	if (s->trend_error >= 0)
		out_format(out, " \302\261 %s",
		    gcs_format_figure(error, sizeof error, s->trend_error, rate));
}

static void put_series(struct out *out, const char *name, size_t indent,
    const struct gcs_stats_series *s, enum gcs_unit unit, enum gcs_unit rate)
{
	out_spaces(out, indent);
	out_padded(out, name, NAME - indent);
	if (s->count == 0) {
		out_raw(out, "      (no values)\n");
		return;
	}
	stats_cell(out, s->min, unit, CELL - 2);
	stats_cell(out, s->mean, unit, CELL - 1);
	stats_cell(out, s->max, unit, CELL - 1);
	stats_cell(out, s->last, unit, CELL - 1);
	put_trend(out, s, rate);
	out_raw(out, "\n");
}

static void put_course(struct out *out, const char *name, const struct gcs_stats_course *c,
    enum gcs_unit unit, enum gcs_unit rate)
{
	if (c->why.text[0] != '\0')
		put_absent(out, name, &c->why);
	else
		put_series(out, name, 2, &c->series, unit, rate);
}

static void put_columns(struct out *out, const char *title, const char *last)
{
	out_padded(out, title, NAME);
	out_format(out, "%10s %10s %10s %10s  %s\n", "Min", "Mean", "Max", "Last", last);
}

static void put_heap(struct out *out, const struct gcs_stats *s)
{
	char name[64] = "Fragmentation";
	out_raw(out, "\n");
	put_columns(out, "Heap", "Trend, linear");
	put_course(
	    out, "Used after collections", &s->heap_after, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	put_course(
	    out, "Used at all events", &s->heap_used, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	put_course(out, "Committed", &s->committed, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	if (s->fragmentation_space != NULL)
		snprintf(name, sizeof name, "Fragmentation, %.40s", s->fragmentation_space);
	put_course(out, name, &s->fragmentation, GCS_UNIT_SHARE, GCS_UNIT_SHARE_PER_HOUR);
}

static void put_rate(
    struct out *out, const char *name, const struct gcs_stats_rate *r, const char *between)
{
	char rate[48], peak[48], bytes[48], count[48];
	if (r->why.text[0] != '\0') {
		put_absent(out, name, &r->why);
		return;
	}
	out_raw(out, "  ");
	out_padded(out, name, NAME - 2);
	stats_right(out,
	    gcs_format_figure(rate, sizeof rate, r->per_second, GCS_UNIT_BYTES_PER_SECOND), CELL);
	out_format(
	    out, "  %s in ", gcs_format_figure(bytes, sizeof bytes, r->bytes, GCS_UNIT_BYTES));
	put_seconds(out, r->seconds);
	if (between[0] != '\0')
		out_format(out, ", %s %s",
		    gcs_format_figure(count, sizeof count, (double)r->intervals, GCS_UNIT_NUMBER),
		    between);
	if (r->peak_per_second >= 0)
		out_format(out, "\n%*s  at most %s, up to event %" PRIu64, NAME + CELL, "",
		    gcs_format_figure(
			peak, sizeof peak, r->peak_per_second, GCS_UNIT_BYTES_PER_SECOND),
		    r->peak_place);
	out_raw(out, "\n");
}

static void put_tlabs(struct out *out, const struct gcs_stats_tlabs *t)
{
	char refill[48], unused[48], each[48], share[48];
	if (t->why.text[0] != '\0') {
		put_absent(out, "Waste of TLABs", &t->why);
		return;
	}
	out_raw(out, "  ");
	out_padded(out, "Waste of TLABs", NAME - 2);
	if (t->share >= 0)
		snprintf(share, sizeof share, "%.2f %%", t->share * 100);
	else
		snprintf(share, sizeof share, "-");
	stats_right(out, share, CELL);
	out_format(out, "  of what was allocated: %s at refills and\n%*s  %s at collections; ",
	    gcs_format_figure(refill, sizeof refill, t->refill_bytes, GCS_UNIT_BYTES), NAME + CELL,
	    "", gcs_format_figure(unused, sizeof unused, t->unused_bytes, GCS_UNIT_BYTES));
	out_format(out, "%s for each of %" PRIu64 "\n",
	    gcs_format_figure(each, sizeof each, t->per_collection, GCS_UNIT_BYTES),
	    t->collections);
}

static void put_rates(struct out *out, const struct gcs_stats *s)
{
	out_raw(out, "\nRates\n");
	put_rate(out, "Allocation", &s->allocation, "intervals between pauses");
	put_rate(out, "Allocation, by samples", &s->sampled, "");
	put_rate(out, "Promotion", &s->promotion, "young collections");
	put_tlabs(out, &s->tlabs);
}

static void put_site_list(struct out *out, const char *title, const struct gcs_sites *sites,
    const struct gcs_stats_reason *why)
{
	char bytes[48], error[48];
	out_format(out, "\n%s", title);
	if (sites == NULL) {
		out_raw(out, "\n");
		put_absent(out, "Bytes", why);
		return;
	}
	const struct gcs_site *total = gcs_sites_total(sites);
	out_format(out, ": %s \302\261 %s at %u call sites\n",
	    gcs_format_figure(bytes, sizeof bytes, total->bytes, GCS_UNIT_BYTES),
	    gcs_format_figure(error, sizeof error, total->bytes_error, GCS_UNIT_BYTES),
	    (unsigned)gcs_sites_count(sites));
	stats_sites_text(out, sites);
}

static void put_sites(struct out *out, const struct gcs_stats *s)
{
	put_site_list(out, "Live objects at the end", s->live, &s->no_live);
	put_site_list(out, "Allocated by the end", s->allocated, &s->no_allocated);
	out_raw(out, "\nLive objects, from the first profile to the last");
	if (s->growth == NULL) {
		out_raw(out, "\n");
		put_absent(out, "Bytes per minute", &s->no_growth);
		return;
	}
	out_raw(out, ": ");
	put_seconds(out, s->growth_seconds);
	out_raw(out, "\n");
	stats_changes_text(out, s->growth, s->growth_seconds);
}

/* A value of a stream's tiles in its own format. */
static enum gcs_unit unit_of(const struct gcs_stream *stream)
{
	return stream->format == GCS_BYTES         ? GCS_UNIT_BYTES
	       : stream->format == GCS_NANOSECONDS ? GCS_UNIT_NANOSECONDS
						   : GCS_UNIT_NUMBER;
}

/* Where the least and the largest value were. */
static void put_places(struct out *out, const struct gcs_stats_series *s)
{
	out_format(out, "  %" PRIu64 ", %" PRIu64 "\n", s->min_place, s->max_place);
}

static void put_row(struct out *out, const char *name, size_t indent,
    const struct gcs_stats_series *s, enum gcs_unit unit, bool last)
{
	out_spaces(out, indent);
	out_padded(out, name, NAME - indent);
	if (s->count == 0) {
		out_raw(out, "      (no values)\n");
		return;
	}
	stats_cell(out, s->min, unit, CELL - 2);
	stats_cell(out, s->mean, unit, CELL - 1);
	stats_cell(out, s->max, unit, CELL - 1);
	if (last)
		stats_cell(out, s->last, unit, CELL - 1);
	else
		out_spaces(out, CELL - 1);
	put_places(out, s);
}

static void put_stream(struct out *out, const struct gcs_stats_stream *s)
{
	const bool counts = s->stream->summary == GCS_SUMMARY_COUNTS;
	const enum gcs_unit unit = unit_of(s->stream);
	if (s->stream->presentation != GCS_ENUM) {
		put_row(out, s->stream->name, 2, &s->tiles, unit, false);
	} else {
		out_raw(out, "  ");
		out_text(out, s->stream->name, NAME);
		out_raw(out, ", tiles of each name\n");
	}
	for (uint32_t i = 0; i < s->summary_count; i++) {
		/* Names that no tile ever had are left out. */
		if (counts && s->summary[i].series.max == 0)
			continue;
		put_row(out,
		    counts   ? s->summary[i].name
		    : i == 0 ? "total"
			     : "of",
		    4, &s->summary[i].series, counts ? GCS_UNIT_NUMBER : unit, true);
	}
}

static void put_spaces(struct out *out, const struct gcs_stats *s)
{
	for (uint32_t i = 0; i < s->space_count; i++) {
		const struct gcs_stats_space *space = &s->spaces[i];
		char title[GCS_MAX_NAME + 16];
		if (space->events == 0)
			continue;
		snprintf(title, sizeof title, "Space %s", space->space->name);
		out_raw(out, "\n");
		put_columns(out, title, "Events of min, max");
		put_row(out, "Used tiles", 2, &space->used_tiles, GCS_UNIT_NUMBER, true);
		for (uint32_t k = 0; k < space->stream_count; k++)
			put_stream(out, &space->streams[k]);
	}
	if (s->spaces_left_out != 0)
		out_format(out, "\n%u spaces more were left out\n", (unsigned)s->spaces_left_out);
}

void stats_write_text(struct out *out, const struct gcs_stats *s, const char *source)
{
	put_head(out, s, source);
	put_recording(out, s);
	put_all_pauses(out, s);
	put_heap(out, s);
	put_rates(out, s);
	put_sites(out, s);
	put_spaces(out, s);
}
