/* Every figure of a recording as JSON; docs/stats.md has the keys. */

#include "stats_page.h"

#include "show.h"

const char *stats_unit_word(enum gcs_unit unit)
{
	static const char *const words[GCS_UNIT_COUNT] = {
	    [GCS_UNIT_NUMBER] = "number",
	    [GCS_UNIT_BYTES] = "bytes",
	    [GCS_UNIT_NANOSECONDS] = "ns",
	    [GCS_UNIT_SHARE] = "share",
	    [GCS_UNIT_BYTES_PER_SECOND] = "bytes/s",
	    [GCS_UNIT_BYTES_PER_HOUR] = "bytes/h",
	    [GCS_UNIT_SHARE_PER_HOUR] = "share/h",
	};
	return words[unit];
}

/* An object that says why nothing is in it. True if it was written. */
static bool put_absent(struct json *json, const char *key, const struct gcs_stats_reason *why)
{
	if (why->text[0] == '\0')
		return false;
	json_object(json, key);
	json_text(json, "not_recorded", why->text);
	json_end(json);
	return true;
}

/* A number that is absent when `known` is false. */
static void put_known(struct json *json, const char *key, bool known, double value)
{
	if (known)
		json_number(json, key, value);
	else
		json_null(json, key);
}

static void put_place(struct json *json, const char *key, uint64_t place)
{
	if (place == GCS_NO_PLACE)
		json_null(json, key);
	else
		json_unsigned(json, key, place);
}

static void put_recording(struct json *json, const struct gcs_stats *s)
{
	json_object(json, "recording");
	json_unsigned(json, "snapshots", s->snapshots);
	put_place(json, "first_event", s->first_place);
	put_place(json, "last_event", s->last_place);
	json_integer(json, "first_time", s->first_wall_ns);
	json_integer(json, "last_time", s->last_wall_ns);
	json_unsigned(json, "wall", s->wall_ns);
	json_unsigned(json, "cost", s->cost_ns);
	json_unsigned(json, "missed", s->missed);
	json_unsigned(json, "unreadable", s->unreadable);
	json_unsigned(json, "gaps", s->gaps);
	json_unsigned(json, "restarts", s->restarts);
	json_unsigned(json, "profiles", s->profiles);
	json_unsigned(json, "spaces_left_out", s->spaces_left_out);
	json_end(json);
	json_array(json, "events");
	for (uint32_t i = 0; i < s->event_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", s->events[i].name);
		json_unsigned(json, "recorded", s->events[i].recorded);
		json_unsigned(json, "unseen", s->events[i].unseen);
		json_end(json);
	}
	json_end(json);
}

static void put_group(struct json *json, const char *key, const struct gcs_stats_pauses *p)
{
	json_object(json, key);
	json_text(json, "name", p->name);
	json_unsigned(json, "count", p->count);
	json_unsigned(json, "total", p->total_ns);
	put_known(json, "share", p->share >= 0, p->share);
	json_number(json, "mean", p->mean_ns);
	json_unsigned(json, "min", p->min_ns);
	json_unsigned(json, "median", p->median_ns);
	json_unsigned(json, "p90", p->p90_ns);
	json_unsigned(json, "p99", p->p99_ns);
	json_unsigned(json, "max", p->max_ns);
	put_place(json, "max_event", p->max_place);
	json_end(json);
}

static void put_pauses(struct json *json, const struct gcs_stats *s)
{
	if (put_absent(json, "pauses", &s->no_pauses))
		return;
	json_object(json, "pauses");
	put_group(json, "all", &s->pauses);
	json_array(json, "by_kind");
	for (uint32_t i = 0; i < s->kind_count; i++)
		put_group(json, NULL, &s->kinds[i]);
	json_end(json);
	json_array(json, "by_cause");
	for (uint32_t i = 0; i < s->cause_count; i++)
		put_group(json, NULL, &s->causes[i]);
	json_end(json);
	json_end(json);
}

/* The keys of a series, in an object that is open. */
static void put_values(struct json *json, const struct gcs_stats_series *s)
{
	const bool known = s->count != 0;
	json_unsigned(json, "count", s->count);
	put_known(json, "min", known, s->min);
	put_known(json, "mean", known, s->mean);
	put_known(json, "max", known, s->max);
	put_place(json, "min_event", s->min_place);
	put_place(json, "max_event", s->max_place);
}

static void put_series(struct json *json, const char *key, const struct gcs_stats_series *s)
{
	json_object(json, key);
	put_values(json, s);
	put_known(json, "first", s->count != 0, s->first);
	put_known(json, "last", s->count != 0, s->last);
	put_known(json, "trend", s->has_trend, s->trend_per_hour);
	put_known(json, "trend_error", s->has_trend && s->trend_error >= 0, s->trend_error);
	json_end(json);
}

static void put_course(struct json *json, const char *key, const struct gcs_stats_course *c)
{
	if (!put_absent(json, key, &c->why))
		put_series(json, key, &c->series);
}

static void put_rate(struct json *json, const char *key, const struct gcs_stats_rate *r)
{
	if (put_absent(json, key, &r->why))
		return;
	json_object(json, key);
	json_number(json, "bytes", r->bytes);
	json_number(json, "seconds", r->seconds);
	json_number(json, "per_second", r->per_second);
	json_unsigned(json, "intervals", r->intervals);
	put_known(json, "peak", r->peak_per_second >= 0, r->peak_per_second);
	put_place(json, "peak_event", r->peak_place);
	json_end(json);
}

static void put_tlabs(struct json *json, const struct gcs_stats_tlabs *t)
{
	if (put_absent(json, "tlab_waste", &t->why))
		return;
	json_object(json, "tlab_waste");
	json_unsigned(json, "collections", t->collections);
	json_number(json, "at_refills", t->refill_bytes);
	json_number(json, "at_collections", t->unused_bytes);
	json_number(json, "per_collection", t->per_collection);
	put_known(json, "share", t->share >= 0, t->share);
	json_end(json);
}

static void put_heap(struct json *json, const struct gcs_stats *s)
{
	json_object(json, "heap");
	put_course(json, "used_after", &s->heap_after);
	put_course(json, "used", &s->heap_used);
	put_course(json, "committed", &s->committed);
	put_course(json, "fragmentation", &s->fragmentation);
	if (s->fragmentation_space != NULL)
		json_text(json, "fragmentation_space", s->fragmentation_space);
	else
		json_null(json, "fragmentation_space");
	json_end(json);
	json_object(json, "rates");
	put_rate(json, "allocation", &s->allocation);
	put_rate(json, "allocation_sampled", &s->sampled);
	put_rate(json, "promotion", &s->promotion);
	put_tlabs(json, &s->tlabs);
	json_end(json);
}

static void put_sites(struct json *json, const struct gcs_stats *s)
{
	json_object(json, "call_sites");
	if (!put_absent(json, "live", &s->no_live))
		stats_sites_json(json, "live", s->live);
	if (!put_absent(json, "allocated", &s->no_allocated))
		stats_sites_json(json, "allocated", s->allocated);
	if (!put_absent(json, "growth", &s->no_growth))
		stats_changes_json(json, "growth", s->growth, s->growth_seconds);
	json_end(json);
}

static void put_stream(struct json *json, const struct gcs_stats_stream *s)
{
	json_object(json, NULL);
	json_text(json, "name", s->stream->name);
	json_text(json, "presentation", show_presentation_name(s->stream->presentation));
	json_text(json, "number_format", show_format_name(s->stream->format));
	json_text(json, "summary_kind", show_summary_name(s->stream->summary));
	if (s->stream->presentation == GCS_ENUM) {
		json_null(json, "tiles");
	} else {
		json_object(json, "tiles");
		put_values(json, &s->tiles);
		json_end(json);
	}
	json_array(json, "summary");
	for (uint32_t i = 0; i < s->summary_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", s->summary[i].name);
		put_series(json, "values", &s->summary[i].series);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static void put_spaces(struct json *json, const struct gcs_stats *s)
{
	json_array(json, "spaces");
	for (uint32_t i = 0; i < s->space_count; i++) {
		const struct gcs_stats_space *space = &s->spaces[i];
		json_object(json, NULL);
		json_text(json, "name", space->space->name);
		json_unsigned(json, "events", space->events);
		put_series(json, "used_tiles", &space->used_tiles);
		json_array(json, "streams");
		for (uint32_t k = 0; k < space->stream_count; k++)
			put_stream(json, &space->streams[k]);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

void stats_write_json(struct out *out, const struct gcs_stats *s, const char *source)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", STATS_FORMAT);
	json_text(&json, "source", source);
	json_text(&json, "server", s->server);
	json_object(&json, "info");
	for (uint32_t i = 0; i < s->info_count; i++)
		json_text(&json, s->info[i].key, s->info[i].value);
	json_end(&json);
	put_recording(&json, s);
	put_pauses(&json, s);
	put_heap(&json, s);
	put_sites(&json, s);
	put_spaces(&json, s);
	json_end(&json);
	out_raw(out, "\n");
}
