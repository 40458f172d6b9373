/* The tables of figures, and all of them as one list for comparisons. */

#include <math.h>
#include <stdio.h>

#include <gcspy/format.h>

#include "stats.h"

#define AT(type, member) offsetof(struct gcs_##type, member)

const struct gcs_field gcs_recording_fields[] = {
    {"snapshots", "snapshots", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, snapshots)},
    {"unreadable", "unreadable", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, unreadable)},
    {"missed", "missed", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, missed)},
    {"gaps", "gaps", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, gaps)},
    {"restarts", "restarts", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, restarts)},
    {"profiles", "profiles", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, profiles)},
    {"lost_profiles", "lost profiles", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, lost_profiles)},
    {"wall", "wall time", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats, wall_ns)},
    {"cost", "server's own cost", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats, cost_ns)},
    {"updates", "time for updates", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats, updates_ns)},
    {"first_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats, first_place)},
    {"last_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats, last_place)},
    {"first_time", NULL, GCS_FIELD_DATE, GCS_UNIT_NANOSECONDS, AT(stats, first_wall_ns)},
    {"last_time", NULL, GCS_FIELD_DATE, GCS_UNIT_NANOSECONDS, AT(stats, last_wall_ns)},
    {"spaces_left_out", NULL, GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats, spaces_left_out)},
    {.key = NULL},
};

const struct gcs_field gcs_event_fields[] = {
    {"name", NULL, GCS_FIELD_TEXT, GCS_UNIT_NUMBER, AT(stats_event, name)},
    {"recorded", "recorded", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_event, recorded)},
    {"unseen", "not recorded", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_event, unseen)},
    {"counted", NULL, GCS_FIELD_KNOWN_COUNT, GCS_UNIT_NUMBER, AT(stats_event, counted)},
    {"counted_per_second", NULL, GCS_FIELD_POSITIVE, GCS_UNIT_NUMBER,
	AT(stats_event, counted_per_second)},
    {.key = NULL},
};

const struct gcs_field gcs_pauses_fields[] = {
    {"name", NULL, GCS_FIELD_TEXT, GCS_UNIT_NUMBER, AT(stats_pauses, name)},
    {"count", "count", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_pauses, count)},
    {"total", "total", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, total_ns)},
    {"share", "share of time", GCS_FIELD_POSITIVE, GCS_UNIT_SHARE, AT(stats_pauses, share)},
    {"mean", "mean", GCS_FIELD_VALUE, GCS_UNIT_NANOSECONDS, AT(stats_pauses, mean_ns)},
    {"min", NULL, GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, min_ns)},
    {"median", "median", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, median_ns)},
    {"p90", "p90", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, p90_ns)},
    {"p99", "p99", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, p99_ns)},
    {"max", "max", GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pauses, max_ns)},
    {"max_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats_pauses, max_place)},
    {.key = NULL},
};

const struct gcs_field gcs_series_fields[] = {
    {"count", "count", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_series, count)},
    {"min", "min", GCS_FIELD_VALUE, GCS_UNIT_OWN, AT(stats_series, min)},
    {"mean", "mean", GCS_FIELD_VALUE, GCS_UNIT_OWN, AT(stats_series, mean)},
    {"max", "max", GCS_FIELD_VALUE, GCS_UNIT_OWN, AT(stats_series, max)},
    {"min_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats_series, min_place)},
    {"max_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats_series, max_place)},
    {"first", NULL, GCS_FIELD_VALUE, GCS_UNIT_OWN, AT(stats_series, first)},
    {"last", "last", GCS_FIELD_VALUE, GCS_UNIT_OWN, AT(stats_series, last)},
    {"trend", "trend per hour", GCS_FIELD_VALUE, GCS_UNIT_OWN_PER_HOUR,
	AT(stats_series, trend_per_hour)},
    {"trend_error", NULL, GCS_FIELD_POSITIVE, GCS_UNIT_OWN_PER_HOUR, AT(stats_series, trend_error)},
    {.key = NULL},
};

const struct gcs_field gcs_pause_fields[] = {
    {"kind", NULL, GCS_FIELD_TEXT, GCS_UNIT_NUMBER, AT(stats_pause, kind)},
    {"cause", NULL, GCS_FIELD_TEXT, GCS_UNIT_NUMBER, AT(stats_pause, cause)},
    {"pause", NULL, GCS_FIELD_COUNT, GCS_UNIT_NANOSECONDS, AT(stats_pause, ns)},
    {"event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats_pause, place)},
    {"time", NULL, GCS_FIELD_DATE, GCS_UNIT_NANOSECONDS, AT(stats_pause, wall_ns)},
    {"used_before", NULL, GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_pause, before)},
    {"used_after", NULL, GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_pause, after)},
    {"allocated", NULL, GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_pause, allocated)},
    {"allocated_seconds", NULL, GCS_FIELD_VALUE, GCS_UNIT_NUMBER, AT(stats_pause, seconds)},
    {"promoted", NULL, GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_pause, promoted)},
    {.key = NULL},
};

static const struct gcs_field rate_fields[] = {
    {"bytes", "bytes", GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_rate, bytes)},
    {"seconds", NULL, GCS_FIELD_VALUE, GCS_UNIT_NUMBER, AT(stats_rate, seconds)},
    {"per_second", "per second", GCS_FIELD_VALUE, GCS_UNIT_BYTES_PER_SECOND,
	AT(stats_rate, per_second)},
    {"per_second_error", NULL, GCS_FIELD_POSITIVE, GCS_UNIT_BYTES_PER_SECOND,
	AT(stats_rate, error)},
    {"intervals", NULL, GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_rate, intervals)},
    {"peak", "peak per second", GCS_FIELD_POSITIVE, GCS_UNIT_BYTES_PER_SECOND,
	AT(stats_rate, peak_per_second)},
    {"peak_event", NULL, GCS_FIELD_PLACE, GCS_UNIT_NUMBER, AT(stats_rate, peak_place)},
    {.key = NULL},
};

static const struct gcs_field tlab_fields[] = {
    {"collections", "collections", GCS_FIELD_COUNT, GCS_UNIT_NUMBER, AT(stats_tlabs, collections)},
    {"at_refills", "at refills", GCS_FIELD_VALUE, GCS_UNIT_BYTES, AT(stats_tlabs, refill_bytes)},
    {"at_collections", "at collections", GCS_FIELD_VALUE, GCS_UNIT_BYTES,
	AT(stats_tlabs, unused_bytes)},
    {"per_collection", "per collection", GCS_FIELD_VALUE, GCS_UNIT_BYTES,
	AT(stats_tlabs, per_collection)},
    {"share", "share of allocation", GCS_FIELD_POSITIVE, GCS_UNIT_SHARE, AT(stats_tlabs, share)},
    {.key = NULL},
};

#define SERIES(member) gcs_series_fields, AT(stats, member.series), AT(stats, member.why)
#define RATE(member)   rate_fields, AT(stats, member), AT(stats, member.why)
const struct gcs_section gcs_sections[] = {
    {"heap", "used_after", "heap after collection", "Used after collections", GCS_UNIT_BYTES,
	SERIES(heap_after)},
    {"heap", "used", "heap at events", "Used at all events", GCS_UNIT_BYTES, SERIES(heap_used)},
    {"heap", "committed", "committed", "Committed", GCS_UNIT_BYTES, SERIES(committed)},
    {"heap", "fragmentation", "fragmentation", "Fragmentation", GCS_UNIT_SHARE,
	SERIES(fragmentation)},
    {"rates", "allocation", "allocation", "Allocation", GCS_UNIT_BYTES, RATE(allocation)},
    {"rates", "allocation_sampled", "allocation, sampled", "Allocation, by samples", GCS_UNIT_BYTES,
	RATE(sampled)},
    {"rates", "promotion", "promotion", "Promotion", GCS_UNIT_BYTES, RATE(promotion)},
    {"rates", "tlab_waste", "TLAB waste", "Waste of TLABs", GCS_UNIT_BYTES, tlab_fields,
	AT(stats, tlabs), AT(stats, tlabs.why)},
    {.object = NULL},
};

bool gcs_field_value(const struct gcs_field *f, const void *object, double *value)
{
	const void *at = (const char *)object + f->offset;
	switch (f->type) {
	case GCS_FIELD_COUNT:
	case GCS_FIELD_KNOWN_COUNT:
	case GCS_FIELD_PLACE:
		*value = (double)*(const uint64_t *)at;
		return f->type == GCS_FIELD_COUNT || *(const uint64_t *)at != GCS_NO_PLACE;
	case GCS_FIELD_VALUE:
	case GCS_FIELD_POSITIVE:
		*value = *(const double *)at;
		return isfinite(*value) && (f->type == GCS_FIELD_VALUE || *value >= 0);
	default:
		return false;
	}
}

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

/* `own` is the unit of the object's values, where the table leaves it open. */
static enum gcs_unit unit_of(enum gcs_unit unit, enum gcs_unit own)
{
	if (unit == GCS_UNIT_OWN)
		return own;
	if (unit != GCS_UNIT_OWN_PER_HOUR)
		return unit;
	return own == GCS_UNIT_BYTES   ? GCS_UNIT_BYTES_PER_HOUR
	       : own == GCS_UNIT_SHARE ? GCS_UNIT_SHARE_PER_HOUR
				       : GCS_UNIT_NUMBER;
}

static void give(struct list *l, const char *section, const char *subject,
    const struct gcs_field *f, const void *object, enum gcs_unit own)
{
	l->section = section;
	l->subject = subject;
	for (; f->key != NULL; f++) {
		double value = 0;
		const bool known = gcs_field_value(f, object, &value);
		if (f->name != NULL)
			put(l, f->name, unit_of(f->unit, own), known, value);
	}
}

static void give_pauses(
    struct list *l, const char *section, uint32_t count, const struct gcs_stats_pauses *list)
{
	for (uint32_t i = 0; i < count; i++)
		give(l, section, list[i].name, gcs_pauses_fields, &list[i], GCS_UNIT_NANOSECONDS);
}

static void give_sites(struct list *l, const struct gcs_stats *s)
{
	const struct gcs_change *total = s->growth == NULL ? NULL : gcs_comparison_total(s->growth);
	l->section = "call sites";
	l->subject = "";
	l->why = s->no_live.text;
	put(l, "live", GCS_UNIT_BYTES, true, s->live == NULL ? 0 : gcs_sites_total(s->live)->bytes);
	l->why = s->no_allocated.text;
	put(l, "allocated", GCS_UNIT_BYTES, true,
	    s->allocated == NULL ? 0 : gcs_sites_total(s->allocated)->bytes);
	l->why = s->no_growth.text;
	put(l, "growth per second", GCS_UNIT_BYTES_PER_SECOND, s->growth_seconds > 0,
	    total == NULL || !(s->growth_seconds > 0) ? 0 : total->bytes / s->growth_seconds);
	l->why = "";
}

enum gcs_unit gcs_stream_unit(const struct gcs_stream *stream)
{
	return stream->format == GCS_BYTES         ? GCS_UNIT_BYTES
	       : stream->format == GCS_NANOSECONDS ? GCS_UNIT_NANOSECONDS
						   : GCS_UNIT_NUMBER;
}

static void give_stream(
    struct list *l, const struct gcs_stats_space *space, const struct gcs_stats_stream *s)
{
	const bool counts = s->stream->summary == GCS_SUMMARY_COUNTS;
	const enum gcs_unit unit = gcs_stream_unit(s->stream);
	char subject[3 * (GCS_MAX_NAME + 4)];
	snprintf(subject, sizeof subject, "%s / %s", space->space->name, s->stream->name);
	l->section = "streams, over tiles";
	l->subject = subject;
	if (s->stream->presentation != GCS_ENUM) {
		put(l, "min", unit, s->tiles.count != 0, s->tiles.min);
		put(l, "mean", unit, s->tiles.count != 0, s->tiles.mean);
		put(l, "max", unit, s->tiles.count != 0, s->tiles.max);
	}
	for (uint32_t i = 0; i < s->summary_count; i++) {
		snprintf(subject, sizeof subject, "%s%s / %s%s%s", counts || i == 0 ? "" : "of ",
		    space->space->name, s->stream->name, counts ? " / " : "", s->summary[i].name);
		give(l, "streams, summaries", subject, gcs_series_fields + 1, &s->summary[i].series,
		    counts ? GCS_UNIT_NUMBER : unit);
	}
	l->subject = "";
}

void gcs_stats_figures(const struct gcs_stats *s,
    bool (*take)(void *context, const struct gcs_figure *figure), void *context)
{
	struct list l = {.take = take, .context = context, .why = ""};
	give(&l, "recording", "", gcs_recording_fields, s, GCS_UNIT_NUMBER);
	for (uint32_t i = 0; i < s->event_count; i++)
		give(&l, "events", s->events[i].name, gcs_event_fields, &s->events[i],
		    GCS_UNIT_NUMBER);
	l.why = s->no_pauses.text;
	give(&l, "pauses", "", gcs_pauses_fields, &s->pauses, GCS_UNIT_NANOSECONDS);
	l.why = "";
	give_pauses(&l, "pauses by kind", s->kind_count, s->kinds);
	give_pauses(&l, "pauses by cause", s->cause_count, s->causes);
	for (const struct gcs_section *c = gcs_sections; c->object != NULL; c++) {
		l.why = gcs_section_reason(c, s);
		give(&l, c->name, "", c->fields, (const char *)s + c->offset, c->unit);
	}
	give_sites(&l, s);
	for (uint32_t i = 0; i < s->space_count; i++) {
		const struct gcs_stats_space *space = &s->spaces[i];
		l.why = space->why;
		give(&l, "spaces, used tiles", space->space->name, gcs_series_fields + 1,
		    &space->used_tiles, GCS_UNIT_NUMBER);
		for (uint32_t k = 0; k < space->stream_count && !l.ended; k++)
			give_stream(&l, space, &space->streams[k]);
	}
}

const char *gcs_section_reason(const struct gcs_section *section, const struct gcs_stats *stats)
{
	const void *why = (const char *)stats + section->why;
	return ((const struct gcs_stats_reason *)why)->text;
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
		snprintf(buffer, size,
		    value > -1e5 && value < 1e5 ? "%.*f points/h" : "%.*g points/h",
		    value > -10 && value < 10 ? 2 : 0, value);
		return buffer;
	default:
		return number(buffer, size, value);
	}
}
