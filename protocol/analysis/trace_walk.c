#include "trace_walk.h"

#include <string.h>

void trace_walk_begin(
    struct trace_walk *w, struct gcs_trace *trace, uint64_t first, uint64_t last, bool moments)
{
	struct gcs_trace_info info;
	gcs_trace_get_info(trace, &info);
	/* A trace that opens has an event. */
	uint64_t end = info.events - 1;
	*w = (struct trace_walk){
	    .trace = trace,
	    .next = first,
	    .last = last < end ? last : end,
	    .moments = moments,
	};
}

struct gcs_snapshot *trace_walk_next(struct trace_walk *w, struct gcs_error *err)
{
	*err = (struct gcs_error){.status = GCS_OK};
	while (w->next <= w->last) {
		uint64_t place = gcs_trace_readable(w->trace, w->next, 1);
		if (place > w->last) {
			w->unreadable += w->last + 1 - w->next;
			w->next = w->last + 1;
			break;
		}
		w->unreadable += place - w->next;
		w->next = place + 1;
		struct gcs_snapshot *s = w->moments ? gcs_trace_moment(w->trace, place, err)
						    : gcs_trace_at(w->trace, place, err);
		if (s != NULL) {
			w->place = place;
			w->given++;
			return s;
		}
		if (err->status != GCS_MALFORMED)
			return NULL;
		w->unreadable++;
		*err = (struct gcs_error){.status = GCS_OK};
	}
	return NULL;
}

static const struct gcs_event *event_of(const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	uint32_t event = gcs_snapshot_occurrence(s)->event;
	return event < m->event_count ? &m->events[event] : NULL;
}

uint32_t trace_walk_attribute(const struct gcs_snapshot *s, const char *name,
    enum gcs_attribute_kind kind, enum gcs_format format)
{
	const struct gcs_event *e = event_of(s);
	for (uint32_t i = 0; e != NULL && i < e->attribute_count; i++) {
		const struct gcs_attribute *a = &e->attributes[i];
		if (a->kind == kind && (format == GCS_FORMAT_COUNT || a->format == format) &&
		    strcmp(a->name, name) == 0)
			return i;
	}
	return GCS_NONE;
}

bool trace_walk_number(
    const struct gcs_snapshot *s, const char *name, enum gcs_format format, int64_t *value)
{
	uint32_t i = trace_walk_attribute(s, name, GCS_ATTRIBUTE_NUMBER, format);
	return i != GCS_NONE && gcs_snapshot_number(s, i, value);
}

const char *trace_walk_kind(const struct gcs_snapshot *s, uint32_t *number)
{
	uint32_t i = trace_walk_attribute(s, "Kind", GCS_ATTRIBUTE_ENUM, GCS_FORMAT_COUNT);
	int64_t value;
	if (i == GCS_NONE || !gcs_snapshot_number(s, i, &value))
		return NULL;
	const struct gcs_attribute *a = &event_of(s)->attributes[i];
	if (value < 0 || value >= (int64_t)a->enum_count)
		return NULL;
	if (number != NULL)
		*number = (uint32_t)value;
	return a->enum_names[value];
}

const char *trace_walk_event(const struct gcs_snapshot *s)
{
	const struct gcs_event *e = event_of(s);
	return e == NULL ? "present state" : e->name;
}
