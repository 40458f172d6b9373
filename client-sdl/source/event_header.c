#include "event_header.h"

#include <gcspy/format.h>
#include <gcspy/trigger.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);
	return n > m && strcasecmp(name + n - m, with) == 0;
}

/* How well an attribute's name matches what is searched; 0: not at all. */
static int fits_pause(const struct gcs_attribute *a)
{
	return a->format == GCS_NANOSECONDS && strncasecmp(a->name, "pause", 5) == 0;
}

static int fits_used(const struct gcs_attribute *a)
{
	if (a->format != GCS_BYTES)
		return 0;
	if (ends(a->name, " after"))
		return 2;
	return strcasecmp(a->name, "used") == 0;
}

static int fits_before(const struct gcs_attribute *a)
{
	return a->format == GCS_BYTES && ends(a->name, " before");
}

static int fits_committed(const struct gcs_attribute *a)
{
	return a->format == GCS_BYTES &&
	       (strcasecmp(a->name, "committed") == 0 || ends(a->name, " committed"));
}

static int64_t best(const struct gcs_snapshot *s, const struct gcs_event *event,
    int (*fits)(const struct gcs_attribute *a))
{
	int64_t value = -1;
	int most = 0;
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		const struct gcs_attribute *a = &event->attributes[i];
		int64_t number;
		int points = a->kind == GCS_ATTRIBUTE_NUMBER ? fits(a) : 0;
		if (points > most && gcs_snapshot_number(s, i, &number) && number >= 0) {
			most = points;
			value = number;
		}
	}
	return value;
}

bool event_header_tells(const struct gcs_event *event)
{
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		const struct gcs_attribute *a = &event->attributes[i];
		if (a->kind == GCS_ATTRIBUTE_NUMBER &&
		    (fits_pause(a) || fits_used(a) > 0 || fits_before(a) || fits_committed(a)))
			return true;
	}
	return false;
}

/* Names that do not fit are cut off. */
static void put_fired(const struct gcs_snapshot *snapshot, char *text, size_t size)
{
	const struct gcs_fired *f;
	size_t used = 0;
	for (uint32_t i = 0; (f = gcs_snapshot_fired(snapshot, i)) != NULL && used + 1 < size; i++)
		used += (size_t)snprintf(
		    text + used, size - used, "%s%s", used > 0 ? "\n" : "", f->trigger);
}

void event_header_put_fired(const struct event_header *m, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (const char *name = m->fired; *name != 0 && used + 1 < size;) {
		const size_t n = strcspn(name, "\n");
		used += (size_t)snprintf(
		    text + used, size - used, "%s%.*s", used > 0 ? ", " : "", (int)n, name);
		name += n + (name[n] != 0);
	}
}

static size_t put_fired_text(const struct event_header *m, char *text, size_t size)
{
	char names[2 * EVENT_HEADER_FIRED];
	if (m->fired[0] == 0)
		return 0;
	event_header_put_fired(m, names, sizeof names);
	return (size_t)snprintf(text, size, "fired %s \xc2\xb7 ", names);
}

size_t event_header_fired_length(const struct event_header *m)
{
	char text[EVENT_HEADER_TEXT];
	const size_t n = put_fired_text(m, text, sizeof text);
	return n <= strlen(m->text) ? n : 0;
}

struct event_header event_header_of(const struct gcs_snapshot *snapshot)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	struct event_header m = {.sequence = o->sequence,
	    .time_ns = o->time_ns,
	    .elapsed_ns = o->elapsed_ns,
	    .event = o->event,
	    .wall_ns = o->wall_ns,
	    .own_ns = o->compensation_ns,
	    .pause_ns = -1,
	    .used_bytes = -1,
	    .before_bytes = -1,
	    .committed_bytes = -1};
	put_fired(snapshot, m.fired, sizeof m.fired);
	if (o->event < model->event_count) {
		m.pause_ns = best(snapshot, &model->events[o->event], fits_pause);
		m.used_bytes = best(snapshot, &model->events[o->event], fits_used);
		m.before_bytes = best(snapshot, &model->events[o->event], fits_before);
		m.committed_bytes = best(snapshot, &model->events[o->event], fits_committed);
	}
	return m;
}

static void put_text(
    const struct gcs_snapshot *snapshot, const struct gcs_event *event, char *text, size_t size)
{
	static const char more[] = " \xe2\x80\xa6";
	size_t used = 0;
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		char value[128], piece[256];
		gcs_format_attribute(value, sizeof value, snapshot, i);
		if (strcmp(value, "-") == 0)
			continue;
		snprintf(piece, sizeof piece, "%s%.60s %s", used > 0 ? " \xc2\xb7 " : "",
		    event->attributes[i].name, value);
		const size_t n = strlen(piece);
		if (used + n + sizeof more > size) {
			memcpy(text + used, more, sizeof more);
			return;
		}
		memcpy(text + used, piece, n + 1);
		used += n;
	}
}

struct event_header event_header_with_text(const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	struct event_header m = event_header_of(snapshot);
	const size_t n = put_fired_text(&m, m.text, sizeof m.text);
	if (m.event < model->event_count)
		put_text(snapshot, &model->events[m.event], m.text + n, sizeof m.text - n);
	return m;
}
