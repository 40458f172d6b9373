/* Every figure of a recording as JSON; docs/stats.md has the keys. */

#include "stats_page.h"

#include <string.h>

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
static bool put_absent(struct json *json, const char *key, const char *why)
{
	if (why[0] == '\0')
		return false;
	json_object(json, key);
	json_text(json, "not_recorded", why);
	json_end(json);
	return true;
}

static void put_field(struct json *json, const struct gcs_field *f, const void *object)
{
	const void *at = (const char *)object + f->offset;
	double value;
	if (f->type == GCS_FIELD_TEXT)
		json_text(json, f->key, *(const char *const *)at);
	else if (f->type == GCS_FIELD_DATE)
		json_integer(json, f->key, *(const int64_t *)at);
	else if (!gcs_field_value(f, object, &value))
		json_null(json, f->key);
	else if (f->type == GCS_FIELD_PLACE)
		json_unsigned(json, f->key, *(const uint64_t *)at + 1);
	else if (f->type == GCS_FIELD_COUNT || f->type == GCS_FIELD_KNOWN_COUNT)
		json_unsigned(json, f->key, *(const uint64_t *)at);
	else
		json_number(json, f->key, value);
}

static void put_object(
    struct json *json, const char *key, const struct gcs_field *f, const void *object)
{
	json_object(json, key);
	for (; f->key != NULL; f++)
		put_field(json, f, object);
	json_end(json);
}

static void put_groups(
    struct json *json, const char *key, uint32_t count, const struct gcs_stats_pauses *list)
{
	json_array(json, key);
	for (uint32_t i = 0; i < count; i++)
		put_object(json, NULL, gcs_pauses_fields, &list[i]);
	json_end(json);
}

static void put_triggers(struct json *json, const struct gcs_stats *s)
{
	json_array(json, "triggers");
	for (uint32_t i = 0; i < s->trigger_count; i++) {
		const struct gcs_stats_trigger *t = &s->triggers[i];
		json_object(json, NULL);
		json_text(json, "name", t->name);
		json_text(json, "condition", t->condition);
		json_bool(json, "pause", (t->actions & GCS_TRIGGER_PAUSE) != 0);
		json_bool(json, "record", (t->actions & GCS_TRIGGER_RECORD) != 0);
		json_text(json, "plugin", t->plugin);
		json_unsigned(json, "fires", t->fires);
		json_unsigned(json, "first_event", t->first_place + 1);
		json_unsigned(json, "last_event", t->last_place + 1);
		json_integer(json, "first_time", t->first_wall_ns);
		json_integer(json, "last_time", t->last_wall_ns);
		json_end(json);
	}
	json_end(json);
	json_unsigned(json, "fires_left_out", s->fires_left_out);
}

static void put_recording(struct json *json, const struct gcs_stats *s)
{
	json_object(json, "recording");
	for (const struct gcs_field *f = gcs_recording_fields; f->key != NULL; f++)
		put_field(json, f, s);
	if (s->of_file)
		json_bool(json, "unfinished", s->unfinished);
	else
		json_null(json, "unfinished");
	json_end(json);
	json_array(json, "events");
	for (uint32_t i = 0; i < s->event_count; i++)
		put_object(json, NULL, gcs_event_fields, &s->events[i]);
	json_end(json);
	put_triggers(json, s);
	if (put_absent(json, "pauses", s->no_pauses.text))
		return;
	json_object(json, "pauses");
	put_object(json, "all", gcs_pauses_fields, &s->pauses);
	put_groups(json, "by_kind", s->kind_count, s->kinds);
	put_groups(json, "by_cause", s->cause_count, s->causes);
	json_array(json, "longest");
	for (uint32_t i = 0; i < s->longest_count; i++)
		put_object(json, NULL, gcs_pause_fields, &s->longest[i]);
	json_end(json);
	json_end(json);
}

/* The sections that are in the object of that name, which stays open. */
static void put_sections(struct json *json, const char *object, const struct gcs_stats *s)
{
	json_object(json, object);
	for (const struct gcs_section *c = gcs_sections; c->object != NULL; c++)
		if (strcmp(c->object, object) == 0 &&
		    !put_absent(json, c->key, gcs_section_reason(c, s)))
			put_object(json, c->key, c->fields, (const char *)s + c->offset);
}

static void put_sites(struct json *json, const struct gcs_stats *s)
{
	json_object(json, "call_sites");
	if (!put_absent(json, "live", s->no_live.text))
		stats_sites_json(json, "live", s->live);
	if (!put_absent(json, "allocated", s->no_allocated.text))
		stats_sites_json(json, "allocated", s->allocated);
	if (!put_absent(json, "growth", s->no_growth.text))
		stats_changes_json(json, "growth", s->growth, s->growth_seconds);
	stats_suspects_json(json, s);
	json_end(json);
}

static void put_stream(struct json *json, const struct gcs_stats_stream *s)
{
	json_object(json, NULL);
	json_text(json, "name", s->stream->name);
	json_text(json, "presentation", show_presentation_name(s->stream->presentation));
	json_text(json, "number_format", show_format_name(s->stream->format));
	json_text(json, "summary_kind", show_summary_name(s->stream->summary));
	if (s->why[0] != '\0')
		json_text(json, "not_recorded", s->why);
	if (s->stream->presentation == GCS_ENUM) {
		json_null(json, "tiles");
	} else {
		json_object(json, "tiles");
		for (const struct gcs_field *f = gcs_series_fields; strcmp(f->key, "first") != 0;
		     f++)
			put_field(json, f, &s->tiles);
		json_end(json);
	}
	json_array(json, "summary");
	for (uint32_t i = 0; i < s->summary_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", s->summary[i].name);
		put_object(json, "values", gcs_series_fields, &s->summary[i].series);
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
		if (space->why[0] != '\0')
			json_text(json, "not_recorded", space->why);
		put_object(json, "used_tiles", gcs_series_fields, &space->used_tiles);
		json_array(json, "streams");
		for (uint32_t k = 0; k < space->stream_count; k++)
			put_stream(json, &space->streams[k]);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

void stats_put_json(
    struct json *json, const char *key, const struct gcs_stats *s, const char *source)
{
	json_object(json, key);
	json_integer(json, "format", STATS_FORMAT);
	json_text(json, "source", source);
	json_text(json, "server", s->server);
	json_object(json, "info");
	for (uint32_t i = 0; i < s->info_count; i++)
		json_text(json, s->info[i].key, s->info[i].value);
	json_end(json);
	put_recording(json, s);
	put_sections(json, "heap", s);
	if (s->fragmentation_space != NULL)
		json_text(json, "fragmentation_space", s->fragmentation_space);
	else
		json_null(json, "fragmentation_space");
	json_end(json);
	put_sections(json, "rates", s);
	json_end(json);
	put_sites(json, s);
	put_spaces(json, s);
	json_end(json);
}

void stats_write_json(struct out *out, const struct gcs_stats *s, const char *source)
{
	struct json json = {.text = &out->text};
	stats_put_json(&json, NULL, s, source);
	out_raw(out, "\n");
}
