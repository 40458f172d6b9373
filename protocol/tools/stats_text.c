/* The figures of a recording as a page for people. */

#include "stats_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "live_profile.h"

enum { NAME = STATS_NAME, CELL = STATS_CELL };

struct stats_words stats_figure(double value, enum gcs_unit unit)
{
	struct stats_words words;
	gcs_format_figure(words.text, sizeof words.text, value, unit);
	return words;
}

void stats_right(struct out *out, const char *text, size_t columns)
{
	const size_t wide = out_columns(text);
	out_spaces(out, wide < columns ? columns - wide : 0);
	out_raw(out, text);
}

void stats_title(struct out *out, const char *title)
{
	out_raw(out, "\n");
	out_style(out, OUT_BOLD);
	out_raw(out, title);
	out_style(out, OUT_PLAIN);
}

void stats_cell(struct out *out, double value, enum gcs_unit unit, size_t columns)
{
	stats_right(out, stats_figure(value, unit).text, columns);
}

void stats_name(struct out *out, size_t indent, const char *name, size_t columns)
{
	out_spaces(out, indent);
	out_padded(out, name, columns - indent);
}

/* "  name    why not"; false if there is no reason. */
static bool put_absent(struct out *out, const char *name, const char *why)
{
	char text[240];
	if (why[0] == '\0')
		return false;
	stats_name(out, 2, name, NAME);
	snprintf(text, sizeof text, "not known: %s", why);
	out_wrapped(out, NAME, NAME, text);
	return true;
}

void stats_duration(struct out *out, double ns)
{
	const uint64_t seconds = !(ns > 0) ? 0 : ns < 1.8e19 ? (uint64_t)(ns / 1e9) : UINT64_MAX;
	if (seconds < 60)
		out_raw(out, stats_figure(ns > 0 ? ns : 0, GCS_UNIT_NANOSECONDS).text);
	else if (seconds < 3600)
		out_format(out, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
	else
		out_format(out, "%" PRIu64 " h %" PRIu64 " min %" PRIu64 " s", seconds / 3600,
		    seconds / 60 % 60, seconds % 60);
}

static void put_pauses(
    struct out *out, const char *name, size_t indent, const struct gcs_stats_pauses *p)
{
	enum { WIDE = 24, COLUMN = 9 };
	stats_name(out, indent, name, WIDE);
	for (const struct gcs_field *f = gcs_pauses_fields; f->key != NULL; f++) {
		const bool first = strcmp(f->key, "count") == 0, wide = strcmp(f->key, "mean") == 0;
		const size_t columns = first ? COLUMN - 1 : wide ? COLUMN + 1 : COLUMN;
		double value;
		if (f->name != NULL && gcs_field_value(f, p, &value))
			stats_cell(out, value, f->unit, columns);
		else if (f->name != NULL)
			stats_right(out, "-", columns);
	}
	out_raw(out, "\n");
}

static void put_all_pauses(struct out *out, const struct gcs_stats *s)
{
	if (!s->collects)
		return;
	stats_title(out, "Pauses");
	if (s->no_pauses.text[0] != '\0') {
		out_raw(out, "\n");
		put_absent(out, "All", s->no_pauses.text);
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
	out_format(out, "  The longest ended at event %" PRIu64 "\n", s->pauses.max_place + 1);
}

static void put_columns(struct out *out, const char *title, const char *last)
{
	out_style(out, OUT_BOLD);
	out_padded(out, title, NAME);
	out_style(out, OUT_PLAIN);
	out_format(out, "%10s %10s %10s %10s  %s\n", "Min", "Mean", "Max", "Last", last);
}

/* The cells of a series without an end of the line; false after that end if it has no values. */
static bool put_series(struct out *out, const char *name, size_t indent,
    const struct gcs_stats_series *s, enum gcs_unit unit, bool last)
{
	stats_name(out, indent, name, NAME);
	if (s->count == 0) {
		out_raw(out, "      (no values)\n");
		return false;
	}
	stats_cell(out, s->min, unit, CELL - 2);
	stats_cell(out, s->mean, unit, CELL - 1);
	stats_cell(out, s->max, unit, CELL - 1);
	stats_right(out, last ? stats_figure(s->last, unit).text : "", CELL - 1);
	return true;
}

/* "+1.2 MiB/h ± 3 KiB/h" */
static void put_trend(struct out *out, const struct gcs_stats_series *s, enum gcs_unit unit)
{
	const enum gcs_unit rate =
	    unit == GCS_UNIT_BYTES ? GCS_UNIT_BYTES_PER_HOUR : GCS_UNIT_SHARE_PER_HOUR;
	if (!s->has_trend && unit == GCS_UNIT_SHARE && s->count > 1)
		out_raw(out, "  not known: too short");
	else if (!s->has_trend)
		stats_right(out, "-", CELL);
	else
		out_format(out, "  %s%s", s->trend_per_hour > 0 ? "+" : "",
		    stats_figure(s->trend_per_hour, rate).text);
	if (s->has_trend && s->trend_error >= 0)
		out_format(out, " \302\261 %s", stats_figure(s->trend_error, rate).text);
	out_raw(out, "\n");
}

static void put_rate(struct out *out, const struct gcs_stats *s, const struct gcs_stats_rate *r)
{
	stats_right(out, stats_figure(r->per_second, GCS_UNIT_BYTES_PER_SECOND).text, CELL);
	out_format(out, "  %s %s in ", stats_figure(r->bytes, GCS_UNIT_BYTES).text,
	    r == &s->sampled && r->error != 0 ? "estimated" : "counted");
	stats_duration(out, r->seconds * 1e9);
	if (r != &s->sampled)
		out_format(out, ", %s %s", stats_figure((double)r->intervals, GCS_UNIT_NUMBER).text,
		    r == &s->allocation ? "intervals between pauses" : "young collections");
	if (r->error >= 0 || r->peak_per_second >= 0)
		out_format(out, "\n%*s  ", NAME + CELL, "");
	if (r->error >= 0)
		out_format(out, "\302\261 %s%s",
		    stats_figure(r->error, GCS_UNIT_BYTES_PER_SECOND).text,
		    r->peak_per_second >= 0 ? "; " : "");
	if (r->peak_per_second >= 0)
		out_format(out, "at most %s, up to event %" PRIu64,
		    stats_figure(r->peak_per_second, GCS_UNIT_BYTES_PER_SECOND).text,
		    r->peak_place + 1);
	out_raw(out, "\n");
}

static void put_tlabs(struct out *out, const struct gcs_stats_tlabs *t)
{
	char share[48] = "-";
	if (t->share >= 0)
		snprintf(share, sizeof share, "%.2f %%", t->share * 100);
	stats_right(out, share, CELL);
	out_format(out, "  of what was allocated: %s at refills and\n%*s  %s at collections; ",
	    stats_figure(t->refill_bytes, GCS_UNIT_BYTES).text, NAME + CELL, "",
	    stats_figure(t->unused_bytes, GCS_UNIT_BYTES).text);
	out_format(out, "%s for each of %" PRIu64 "\n",
	    stats_figure(t->per_collection, GCS_UNIT_BYTES).text, t->collections);
}

static void put_section(struct out *out, const struct gcs_stats *s, const struct gcs_section *c)
{
	const void *object = (const char *)s + c->offset;
	char name[64];
	snprintf(name, sizeof name, "%s", c->title);
	if (object == &s->fragmentation.series && s->fragmentation_space != NULL)
		snprintf(name, sizeof name, "%s, %.40s", c->title, s->fragmentation_space);
	if (put_absent(out, name, gcs_section_reason(c, s)))
		return;
	if (c->fields == gcs_series_fields) {
		if (put_series(out, name, 2, object, c->unit, true))
			put_trend(out, object, c->unit);
		return;
	}
	stats_name(out, 2, name, NAME);
	if (object == &s->tlabs)
		put_tlabs(out, object);
	else
		put_rate(out, s, object);
}

/* Of a program that tells nothing of collections, what they would be needed for. */
static bool is_left_out(const struct gcs_section *c, const struct gcs_stats *s)
{
	return !s->collects && c->offset != offsetof(struct gcs_stats, sampled) &&
	       gcs_section_reason(c, s)[0] != '\0';
}

static void put_sections(struct out *out, const struct gcs_stats *s)
{
	const char *object = "";
	for (const struct gcs_section *c = gcs_sections; c->object != NULL; c++) {
		if (is_left_out(c, s))
			continue;
		if (strcmp(c->object, object) != 0)
			out_raw(out, "\n");
		if (strcmp(c->object, object) != 0 && c->fields == gcs_series_fields)
			put_columns(out, "Heap", "Trend, linear");
		else if (strcmp(c->object, object) != 0)
			out_raw(out, "Rates\n");
		object = c->object;
		put_section(out, s, c);
	}
}

/* `when`: "at the end". A profile that is older says how much: the profiles of a recording may be
 * minutes apart, and its last ones missing. */
static void put_site_list(struct out *out, const char *title, const char *when,
    const struct gcs_stats *s, const struct gcs_sites *sites, const struct gcs_stats_reason *why)
{
	enum { RECENT_S = 10 };
	const double old_ns =
	    sites == NULL
		? 0
		: (double)(s->last_wall_ns - gcs_profile_head(gcs_sites_profile(sites))->wall_ns);
	out_format(out, "\n%s ", title);
	if (old_ns < RECENT_S * 1e9) {
		out_raw(out, when);
	} else {
		stats_duration(out, old_ns);
		out_raw(out, " before the end");
	}
	if (sites == NULL) {
		out_raw(out, "\n");
		put_absent(out, "Bytes", why->text);
		return;
	}
	const struct gcs_site *total = gcs_sites_total(sites);
	out_format(out, ": %s \302\261 %s at %u call site%s\n",
	    stats_figure(total->bytes, GCS_UNIT_BYTES).text,
	    stats_figure(total->bytes_error, GCS_UNIT_BYTES).text, (unsigned)gcs_sites_count(sites),
	    gcs_sites_count(sites) == 1 ? "" : "s");
	if (gcs_profile_head(gcs_sites_profile(sites))->live_includes_new) {
		char words[200];
		out_raw(out, "  ");
		out_wrapped(out, 2, 4,
		    gcs_profile_judged_text(words, sizeof words, gcs_sites_profile(sites)));
	}
	stats_sites_text(out, sites);
}

static void put_sites(struct out *out, const struct gcs_stats *s)
{
	put_site_list(out, "Live objects", "at the end", s, s->live, &s->no_live);
	put_site_list(out, "Allocated", "by the end", s, s->allocated, &s->no_allocated);
	out_raw(out, "\nLive objects, from the first profile to the last");
	if (s->growth == NULL) {
		out_raw(out, "\n");
		put_absent(out, "Bytes per minute", s->no_growth.text);
		return;
	}
	out_raw(out, ": ");
	stats_duration(out, s->growth_seconds * 1e9);
	out_raw(out, "\n");
	stats_changes_text(out, s->growth, s->growth_seconds);
}

/* A series, and the events of its least and largest value. */
static void put_row(struct out *out, const char *name, size_t indent,
    const struct gcs_stats_series *s, enum gcs_unit unit, bool last)
{
	if (put_series(out, name, indent, s, unit, last))
		out_format(out, "  %" PRIu64 ", %" PRIu64 "\n", s->min_place + 1, s->max_place + 1);
}

static void put_stream(struct out *out, const struct gcs_stats_stream *s)
{
	const bool counts = s->stream->summary == GCS_SUMMARY_COUNTS;
	const enum gcs_unit unit = gcs_stream_unit(s->stream);
	if (put_absent(out, s->stream->name, s->why))
		return;
	if (s->stream->presentation != GCS_ENUM) {
		put_row(out, s->stream->name, 2, &s->tiles, unit, false);
	} else {
		out_raw(out, "  ");
		out_text(out, s->stream->name, NAME);
		out_raw(out, ", tiles of each name\n");
	}
	for (uint32_t i = 0; i < s->summary_count; i++) {
		const char *name = counts ? s->summary[i].name : i == 0 ? "total" : "of";
		/* Names that no tile ever had are left out. */
		if (!counts || s->summary[i].series.max != 0)
			put_row(out, name, 4, &s->summary[i].series,
			    counts ? GCS_UNIT_NUMBER : unit, true);
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
		if (space->why[0] != '\0') {
			out_raw(out, title);
			out_raw(out, "\n");
			put_absent(out, "All streams", space->why);
			continue;
		}
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
	stats_recording_text(out, s, source);
	put_all_pauses(out, s);
	put_sections(out, s);
	put_sites(out, s);
	stats_suspects_text(out, s);
	put_spaces(out, s);
}
