/* All figures as one list, for tables and comparisons. */

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "stats.h"

struct list {
	bool (*take)(void *context, const struct gcs_figure *figure);
	void *context;
	const char *section, *subject;
	const char *why; /* of all figures that follow; "" while they are known */
	bool ended;
};

static void put(struct list *l, const char *name, enum gcs_unit unit, bool known, double value)
{
	const bool here = l->why[0] == '\0';
	const struct gcs_figure figure = {
	    .section = l->section,
	    .subject = l->subject,
	    .name = name,
	    .unit = unit,
	    .known = here && known,
	    .value = here && known ? value : 0,
	    .why = !here   ? l->why
		   : known ? ""
			   : "too few values",
	};
	if (!l->ended)
		l->ended = !l->take(l->context, &figure);
}

static void say(struct list *l, const char *name, enum gcs_unit unit, double value)
{
	put(l, name, unit, true, value);
}

static void begin(struct list *l, const char *section, const char *why)
{
	l->section = section;
	l->subject = "";
	l->why = why;
}

static void give_recording(struct list *l, const struct gcs_stats *s)
{
	begin(l, "recording", "");
	say(l, "snapshots", GCS_UNIT_NUMBER, (double)s->snapshots);
	say(l, "unreadable", GCS_UNIT_NUMBER, (double)s->unreadable);
	say(l, "missed", GCS_UNIT_NUMBER, (double)s->missed);
	say(l, "gaps", GCS_UNIT_NUMBER, (double)s->gaps);
	say(l, "restarts", GCS_UNIT_NUMBER, (double)s->restarts);
	say(l, "profiles", GCS_UNIT_NUMBER, (double)s->profiles);
	say(l, "wall time", GCS_UNIT_NANOSECONDS, (double)s->wall_ns);
	say(l, "server's own cost", GCS_UNIT_NANOSECONDS, (double)s->cost_ns);
	begin(l, "events", "");
	for (uint32_t i = 0; i < s->event_count; i++) {
		l->subject = s->events[i].name;
		say(l, "recorded", GCS_UNIT_NUMBER, (double)s->events[i].recorded);
		say(l, "not recorded", GCS_UNIT_NUMBER, (double)s->events[i].unseen);
	}
}

static void give_pauses(struct list *l, const char *subject, const struct gcs_stats_pauses *p)
{
	l->subject = subject;
	say(l, "count", GCS_UNIT_NUMBER, (double)p->count);
	say(l, "total", GCS_UNIT_NANOSECONDS, (double)p->total_ns);
	put(l, "share of time", GCS_UNIT_SHARE, p->share >= 0, p->share);
	say(l, "mean", GCS_UNIT_NANOSECONDS, p->mean_ns);
	say(l, "median", GCS_UNIT_NANOSECONDS, (double)p->median_ns);
	say(l, "p90", GCS_UNIT_NANOSECONDS, (double)p->p90_ns);
	say(l, "p99", GCS_UNIT_NANOSECONDS, (double)p->p99_ns);
	say(l, "max", GCS_UNIT_NANOSECONDS, (double)p->max_ns);
}

/* `rate` is the unit of the trend. */
static void give_series(
    struct list *l, const struct gcs_stats_series *s, enum gcs_unit unit, enum gcs_unit rate)
{
	const bool known = s->count != 0;
	put(l, "min", unit, known, s->min);
	put(l, "mean", unit, known, s->mean);
	put(l, "max", unit, known, s->max);
	put(l, "last", unit, known, s->last);
	put(l, "trend per hour", rate, s->has_trend, s->trend_per_hour);
}

static void give_course(struct list *l, const char *section, const struct gcs_stats_course *c,
    enum gcs_unit unit, enum gcs_unit rate)
{
	begin(l, section, c->why.text);
	put(l, "count", GCS_UNIT_NUMBER, true, (double)c->series.count);
	give_series(l, &c->series, unit, rate);
}

static void give_rate(struct list *l, const char *section, const struct gcs_stats_rate *r)
{
	begin(l, section, r->why.text);
	say(l, "bytes", GCS_UNIT_BYTES, r->bytes);
	say(l, "per second", GCS_UNIT_BYTES_PER_SECOND, r->per_second);
	put(l, "peak per second", GCS_UNIT_BYTES_PER_SECOND, r->peak_per_second >= 0,
	    r->peak_per_second);
}

static void give_tlabs(struct list *l, const struct gcs_stats_tlabs *t)
{
	begin(l, "TLAB waste", t->why.text);
	say(l, "collections", GCS_UNIT_NUMBER, (double)t->collections);
	say(l, "at refills", GCS_UNIT_BYTES, t->refill_bytes);
	say(l, "at collections", GCS_UNIT_BYTES, t->unused_bytes);
	say(l, "per collection", GCS_UNIT_BYTES, t->per_collection);
	put(l, "share of allocation", GCS_UNIT_SHARE, t->share >= 0, t->share);
}

static enum gcs_unit unit_of(const struct gcs_stream *stream, bool counts, bool rate)
{
	if (counts || (stream->format != GCS_BYTES && stream->format != GCS_NANOSECONDS))
		return GCS_UNIT_NUMBER;
	if (stream->format == GCS_NANOSECONDS)
		return rate ? GCS_UNIT_NUMBER : GCS_UNIT_NANOSECONDS;
	return rate ? GCS_UNIT_BYTES_PER_HOUR : GCS_UNIT_BYTES;
}

static void give_stream(
    struct list *l, const struct gcs_stats_space *space, const struct gcs_stats_stream *s)
{
	const bool names = s->stream->presentation == GCS_ENUM;
	const bool counts = s->stream->summary == GCS_SUMMARY_COUNTS;
	char subject[3 * (GCS_MAX_NAME + 4)];
	snprintf(subject, sizeof subject, "%s / %s", space->space->name, s->stream->name);
	begin(l, "streams, over tiles", "");
	l->subject = subject;
	const enum gcs_unit unit = unit_of(s->stream, false, false);
	if (!names) {
		put(l, "min", unit, s->tiles.count != 0, s->tiles.min);
		put(l, "mean", unit, s->tiles.count != 0, s->tiles.mean);
		put(l, "max", unit, s->tiles.count != 0, s->tiles.max);
	}
	l->section = "streams, summaries";
	for (uint32_t i = 0; i < s->summary_count; i++) {
		const char *of = i == 0 ? "" : "of ";
		snprintf(subject, sizeof subject, "%s%s / %s%s%s", counts ? "" : of,
		    space->space->name, s->stream->name, counts ? " / " : "", s->summary[i].name);
		give_series(l, &s->summary[i].series, unit_of(s->stream, counts, false),
		    unit_of(s->stream, counts, true));
	}
}

static void give_sites(struct list *l, const struct gcs_stats *s)
{
	const struct gcs_change *total = s->growth == NULL ? NULL : gcs_comparison_total(s->growth);
	begin(l, "call sites", s->no_live.text);
	say(l, "live", GCS_UNIT_BYTES, s->live == NULL ? 0 : gcs_sites_total(s->live)->bytes);
	l->why = s->no_allocated.text;
	say(l, "allocated", GCS_UNIT_BYTES,
	    s->allocated == NULL ? 0 : gcs_sites_total(s->allocated)->bytes);
	l->why = s->no_growth.text;
	put(l, "growth per second", GCS_UNIT_BYTES_PER_SECOND, s->growth_seconds > 0,
	    total == NULL || !(s->growth_seconds > 0) ? 0 : total->bytes / s->growth_seconds);
}

static void give_spaces(struct list *l, const struct gcs_stats *s)
{
	for (uint32_t i = 0; i < s->space_count; i++) {
		begin(l, "spaces, used tiles", "");
		l->subject = s->spaces[i].space->name;
		give_series(l, &s->spaces[i].used_tiles, GCS_UNIT_NUMBER, GCS_UNIT_NUMBER);
		for (uint32_t k = 0; k < s->spaces[i].stream_count && !l->ended; k++)
			give_stream(l, &s->spaces[i], &s->spaces[i].streams[k]);
	}
}

void gcs_stats_figures(const struct gcs_stats *s,
    bool (*take)(void *context, const struct gcs_figure *figure), void *context)
{
	struct list l = {.take = take, .context = context};
	give_recording(&l, s);
	begin(&l, "pauses", s->no_pauses.text);
	give_pauses(&l, "", &s->pauses);
	begin(&l, "pauses by kind", "");
	for (uint32_t i = 0; i < s->kind_count; i++)
		give_pauses(&l, s->kinds[i].name, &s->kinds[i]);
	begin(&l, "pauses by cause", "");
	for (uint32_t i = 0; i < s->cause_count; i++)
		give_pauses(&l, s->causes[i].name, &s->causes[i]);
	give_course(
	    &l, "heap after collection", &s->heap_after, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	give_course(&l, "heap at events", &s->heap_used, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	give_course(&l, "committed", &s->committed, GCS_UNIT_BYTES, GCS_UNIT_BYTES_PER_HOUR);
	give_course(
	    &l, "fragmentation", &s->fragmentation, GCS_UNIT_SHARE, GCS_UNIT_SHARE_PER_HOUR);
	give_rate(&l, "allocation", &s->allocation);
	give_rate(&l, "allocation, sampled", &s->sampled);
	give_rate(&l, "promotion", &s->promotion);
	give_tlabs(&l, &s->tlabs);
	give_sites(&l, s);
	give_spaces(&l, s);
}

/* A double as an integer, without leaving its range. */
static int64_t whole(double value)
{
	if (!(value > -9e18))
		return INT64_MIN;
	return value < 9e18 ? (int64_t)(value < 0 ? value - 0.5 : value + 0.5) : INT64_MAX;
}

static char *number(char *buffer, size_t size, double value)
{
	const double part = value - (double)whole(value);
	if (value > -1000 && value < 1000 && (part > 0.005 || part < -0.005))
		snprintf(buffer, size, "%.2f", value);
	else
		gcs_format_number(buffer, size, whole(value), GCS_DECIMAL);
	return buffer;
}

static char *with(char *buffer, size_t size, double value, enum gcs_format format, const char *per)
{
	char text[48];
	snprintf(
	    buffer, size, "%s%s", gcs_format_number(text, sizeof text, whole(value), format), per);
	return buffer;
}

char *gcs_format_figure(char *buffer, size_t size, double value, enum gcs_unit unit)
{
	switch (unit) {
	case GCS_UNIT_BYTES:
		return with(buffer, size, value, GCS_BYTES, "");
	case GCS_UNIT_NANOSECONDS:
		return with(buffer, size, value, GCS_NANOSECONDS, "");
	case GCS_UNIT_BYTES_PER_SECOND:
		return with(buffer, size, value, GCS_BYTES, "/s");
	case GCS_UNIT_BYTES_PER_HOUR:
		return with(buffer, size, value, GCS_BYTES, "/h");
	case GCS_UNIT_SHARE:
		snprintf(buffer, size, "%.*f %%", value < 0.0995 ? 2 : 1, value * 100);
		return buffer;
	case GCS_UNIT_SHARE_PER_HOUR:
		value *= 100;
		snprintf(buffer, size, value > -1e5 && value < 1e5 ? "%.*f %%/h" : "%.*g %%/h",
		    value > -10 && value < 10 ? 2 : 0, value);
		return buffer;
	default:
		return number(buffer, size, value);
	}
}
