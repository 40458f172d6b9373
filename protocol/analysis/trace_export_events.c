/*
 * The Trace Event Format of Chrome and Perfetto. A pause is a complete slice ("X") that ends when
 * its event happened, on a track of its kind; other events are instants ("i") on a track of their
 * name; sizes in bytes are counters ("C").
 */
#include <inttypes.h>
#include <string.h>

#include "json.h"
#include "trace_export.h"
#include "trace_walk.h"

/* Numbers of tracks: slices by kind from 1 on, instants by event after them. */
enum { MOST_KINDS = GCS_MAX_ENUM, EVENT_TRACKS = 1000, OTHER_TRACK = 999 };

struct chrome {
	struct json json;
	bool kind_named[MOST_KINDS]; /* tracks whose name has been written */
	bool event_named[GCS_MAX_EVENTS + 1];
	bool other_named;
};

/* Microseconds with nanoseconds as fraction. */
static void put_time(struct json *json, const char *key, uint64_t ns)
{
	json_format(json, key, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static struct json *open_event(struct chrome *c, const char *phase, const char *name)
{
	json_line(&c->json);
	json_object(&c->json, NULL);
	json_text(&c->json, "name", name);
	json_text(&c->json, "ph", phase);
	json_integer(&c->json, "pid", 1);
	return &c->json;
}

/* Ends the event and its arguments. */
static void close_event(struct json *json)
{
	json_end(json);
	json_end(json);
}

static void name_track(struct chrome *c, bool *named, unsigned track, const char *name)
{
	if (*named)
		return;
	*named = true;
	struct json *json = open_event(c, "M", "thread_name");
	json_unsigned(json, "tid", track);
	json_object(json, "args");
	json_text(json, "name", name);
	close_event(json);
	open_event(c, "M", "thread_sort_index");
	json_unsigned(json, "tid", track);
	json_object(json, "args");
	json_unsigned(json, "sort_index", track);
	close_event(json);
}

/* Whether an earlier key has the same name. */
static bool is_taken(const struct gcs_attribute *list, uint32_t number)
{
	bool taken = strcmp(list[number].name, "place") == 0;
	for (uint32_t i = 0; i < number; i++)
		taken = taken || strcmp(list[i].name, list[number].name) == 0;
	return taken;
}

/* All attributes of the event, with their own names. */
static void put_arguments(struct json *json, const struct gcs_snapshot *s, uint64_t place)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	json_object(json, "args");
	json_unsigned(json, "place", place + 1);
	for (uint32_t i = 0; event < m->event_count && i < m->events[event].attribute_count; i++) {
		const struct gcs_attribute *a = &m->events[event].attributes[i];
		const char *text = gcs_snapshot_text(s, i);
		int64_t value;
		bool number = gcs_snapshot_number(s, i, &value);
		if (text == NULL && !number)
			continue;
		if (is_taken(m->events[event].attributes, i))
			continue;
		if (text != NULL)
			json_text(json, a->name, text);
		else if (a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 &&
			 value < (int64_t)a->enum_count)
			json_text(json, a->name, a->enum_names[value]);
		else
			json_integer(json, a->name, value);
	}
	close_event(json);
}

static void put_counter(struct chrome *c, uint64_t ns, const char *name, int64_t value)
{
	struct json *json = open_event(c, "C", name);
	put_time(json, "ts", ns);
	json_object(json, "args");
	json_integer(json, "bytes", value);
	close_event(json);
}

/* A pause that began `pause` ns before its event happened. */
static void put_pause(struct chrome *c, const struct gcs_snapshot *s, uint64_t place, int64_t pause)
{
	uint64_t end = gcs_snapshot_occurrence(s)->time_ns;
	uint64_t length = (uint64_t)pause < end ? (uint64_t)pause : end;
	uint32_t number = MOST_KINDS;
	unsigned track = OTHER_TRACK;
	const char *kind = trace_walk_kind(s, &number);
	const char *name = kind != NULL ? kind : trace_walk_event(s);
	if (number < MOST_KINDS) {
		track = 1 + number;
		name_track(c, &c->kind_named[number], track, name);
	} else {
		name_track(c, &c->other_named, track, "Pauses");
	}
	int64_t used;
	if (trace_walk_number(s, "Used before", GCS_BYTES, &used))
		put_counter(c, end - length, "Heap used", used);
	struct json *json = open_event(c, "X", name);
	json_text(json, "cat", "pause");
	json_unsigned(json, "tid", track);
	put_time(json, "ts", end - length);
	put_time(json, "dur", length);
	put_arguments(json, s, place);
}

static void put_instant(struct chrome *c, const struct gcs_snapshot *s, uint64_t place)
{
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	uint32_t index = event < GCS_MAX_EVENTS ? event : GCS_MAX_EVENTS;
	unsigned track = EVENT_TRACKS + index;
	const char *name = trace_walk_event(s);
	name_track(c, &c->event_named[index], track, name);
	struct json *json = open_event(c, "i", name);
	json_text(json, "cat", "event");
	json_text(json, "s", "t");
	json_unsigned(json, "tid", track);
	put_time(json, "ts", gcs_snapshot_occurrence(s)->time_ns);
	put_arguments(json, s, place);
}

static void put_event(struct chrome *c, const struct gcs_snapshot *s, uint64_t place)
{
	uint64_t now = gcs_snapshot_occurrence(s)->time_ns;
	int64_t pause, bytes;
	if (trace_walk_number(s, "Pause", GCS_NANOSECONDS, &pause) && pause > 0)
		put_pause(c, s, place, pause);
	else
		put_instant(c, s, place);
	if (trace_walk_number(s, "Used after", GCS_BYTES, &bytes) ||
	    trace_walk_number(s, "Used", GCS_BYTES, &bytes))
		put_counter(c, now, "Heap used", bytes);
	if (trace_walk_number(s, "Committed", GCS_BYTES, &bytes))
		put_counter(c, now, "Heap committed", bytes);
}

static void put_head(struct chrome *c, struct gcs_trace *trace)
{
	struct gcs_model *m = gcs_trace_model(trace);
	json_object(&c->json, NULL);
	json_text(&c->json, "displayTimeUnit", "ms");
	json_array(&c->json, "traceEvents");
	open_event(c, "M", "process_name");
	json_object(&c->json, "args");
	json_text(&c->json, "name", m == NULL ? "" : m->server_name);
	close_event(&c->json);
	gcs_model_unref(m);
}

/* Where the file comes from, and what it lacks. */
static void put_foot(struct json *json, const struct trace_walk *w)
{
	struct gcs_trace_info info;
	char created[40];
	gcs_trace_get_info(w->trace, &info);
	json_line(json);
	json_end(json);
	json_object(json, "otherData");
	json_text(json, "source", "gcspy " GCS_VERSION_STRING);
	json_text(json, "recorded", text_time(created, sizeof created, info.created_wall_ns));
	json_format(json, "events", "\"%" PRIu64 "\"", w->given);
	json_format(json, "unreadable", "\"%" PRIu64 "\"", w->unreadable);
	close_event(json);
	text_raw(json->text, "\n");
}

enum gcs_status gcs_trace_export_events(struct gcs_trace *trace, struct gcs_trace_range *range,
    const struct gcs_sink *sink, struct gcs_error *err)
{
	struct gcs_error own;
	struct text text;
	struct chrome c = {.json = {.text = &text, .compact = true}};
	struct trace_walk w;
	struct gcs_snapshot *s;
	err = err == NULL ? &own : err;
	*err = (struct gcs_error){.status = GCS_OK};
	text_begin(&text, sink);
	put_head(&c, trace);
	trace_walk_begin(&w, trace, range->first, range->last, true);
	while (!text.failed && (s = trace_walk_next(&w, err)) != NULL) {
		put_event(&c, s, w.place);
		gcs_snapshot_unref(s);
	}
	put_foot(&c.json, &w);
	range->written = w.given;
	range->unreadable = w.unreadable;
	return err->status == GCS_OK ? text_end(&text, err) : err->status;
}
