/*
 * The Trace Event Format of Chrome and Perfetto. A pause is a complete slice ("X") that ends when
 * its event happened, on a track of its kind; other events are instants ("i") on a track of their
 * name; sizes in bytes are counters ("C").
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "text.h"
#include "trace_export.h"
#include "trace_walk.h"

/* Numbers of tracks: slices by kind from 1 on, instants by event behind them. */
enum { MOST_KINDS = GCS_MAX_ENUM, EVENT_TRACKS = 1000, OTHER_TRACK = 999 };

struct chrome {
	struct text *text;
	bool first;                  /* no comma before the next one */
	bool kind_named[MOST_KINDS]; /* tracks whose name has been written */
	bool event_named[GCS_MAX_EVENTS + 1];
	bool other_named;
};

/* Microseconds with nanoseconds as fraction. */
static void put_time(struct text *t, const char *key, uint64_t ns)
{
	text_format(t, ",\"%s\":%" PRIu64 ".%03u", key, ns / 1000, (unsigned)(ns % 1000));
}

static void open_event(struct chrome *c, char phase, const char *name)
{
	text_raw(c->text, c->first ? "\n{\"name\":" : ",\n{\"name\":");
	c->first = false;
	text_json(c->text, name);
	text_format(c->text, ",\"ph\":\"%c\",\"pid\":1", phase);
}

static void name_track(struct chrome *c, bool *named, unsigned track, const char *name)
{
	if (*named)
		return;
	*named = true;
	open_event(c, 'M', "thread_name");
	text_format(c->text, ",\"tid\":%u,\"args\":{\"name\":", track);
	text_json(c->text, name);
	text_raw(c->text, "}}");
	open_event(c, 'M', "thread_sort_index");
	text_format(c->text, ",\"tid\":%u,\"args\":{\"sort_index\":%u}}", track, track);
}

/* Whether the object has a key of that name already, which would make it ambiguous. */
static bool is_taken(const struct gcs_attribute *list, uint32_t number)
{
	bool taken = strcmp(list[number].name, "place") == 0;
	for (uint32_t i = 0; i < number; i++)
		taken = taken || strcmp(list[i].name, list[number].name) == 0;
	return taken;
}

/* All attributes of the event, with their own names. */
static void put_arguments(struct text *t, const struct gcs_snapshot *s, uint64_t place)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	text_format(t, ",\"args\":{\"place\":%" PRIu64, place);
	for (uint32_t i = 0; event < m->event_count && i < m->events[event].attribute_count; i++) {
		const struct gcs_attribute *a = &m->events[event].attributes[i];
		const char *text = gcs_snapshot_text(s, i);
		int64_t value;
		bool number = gcs_snapshot_number(s, i, &value);
		if (text == NULL && !number)
			continue;
		if (is_taken(m->events[event].attributes, i))
			continue;
		text_raw(t, ",");
		text_json(t, a->name);
		text_raw(t, ":");
		if (text != NULL)
			text_json(t, text);
		else if (a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 &&
			 value < (int64_t)a->enum_count)
			text_json(t, a->enum_names[value]);
		else
			text_format(t, "%" PRId64, value);
	}
	text_raw(t, "}}");
}

static void put_counter(struct chrome *c, uint64_t ns, const char *name, int64_t value)
{
	open_event(c, 'C', name);
	put_time(c->text, "ts", ns);
	text_format(c->text, ",\"args\":{\"bytes\":%" PRId64 "}}", value);
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
	open_event(c, 'X', name);
	text_format(c->text, ",\"cat\":\"pause\",\"tid\":%u", track);
	put_time(c->text, "ts", end - length);
	put_time(c->text, "dur", length);
	put_arguments(c->text, s, place);
}

static void put_instant(struct chrome *c, const struct gcs_snapshot *s, uint64_t place)
{
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	uint32_t index = event < GCS_MAX_EVENTS ? event : GCS_MAX_EVENTS;
	unsigned track = EVENT_TRACKS + index;
	const char *name = trace_walk_event(s);
	name_track(c, &c->event_named[index], track, name);
	open_event(c, 'i', name);
	text_format(c->text, ",\"cat\":\"event\",\"s\":\"t\",\"tid\":%u", track);
	put_time(c->text, "ts", gcs_snapshot_occurrence(s)->time_ns);
	put_arguments(c->text, s, place);
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
	text_raw(c->text, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	open_event(c, 'M', "process_name");
	text_raw(c->text, ",\"args\":{\"name\":");
	text_json(c->text, m == NULL ? "" : m->server_name);
	text_raw(c->text, "}}");
	gcs_model_unref(m);
}

/* What the format has no place for, so that a file speaks for itself. */
static void put_foot(struct chrome *c, const struct trace_walk *w)
{
	struct gcs_trace_info info;
	char created[40];
	gcs_trace_get_info(w->trace, &info);
	text_format(c->text,
	    "\n],\"otherData\":{\"source\":\"gcspy %s\",\"recorded\":\"%s\",\"events\":\"%" PRIu64
	    "\",\"unreadable\":\"%" PRIu64 "\"}}\n",
	    gcs_version(), text_time(created, sizeof created, info.created_wall_ns), w->given,
	    w->unreadable);
}

enum gcs_status gcs_trace_export_events(struct gcs_trace *trace, struct gcs_trace_range *range,
    const struct gcs_sink *sink, struct gcs_error *err)
{
	struct gcs_error own;
	struct text text;
	struct chrome c = {.text = &text, .first = true};
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
	put_foot(&c, &w);
	range->written = w.given;
	range->unreadable = w.unreadable;
	return err->status == GCS_OK ? text_end(&text, err) : err->status;
}
