#include "show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Text of an attribute's value in a line. */
enum { VALUE_BYTES = 512 };

__attribute__((format(printf, 3, 4))) static void append(
    char *buffer, size_t size, const char *format, ...)
{
	size_t used = strlen(buffer);
	va_list list;
	va_start(list, format);
	vsnprintf(buffer + used, size - used, format, list);
	va_end(list);
}

static const char *name_of(const char *const *names, size_t count, unsigned index)
{
	return index < count ? names[index] : "unknown";
}

#define NAME_OF(index, ...)                                                                        \
	name_of((const char *const[]){__VA_ARGS__},                                                \
	    sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (unsigned)(index))

const char *show_presentation_name(enum gcs_presentation presentation)
{
	return NAME_OF(presentation, "plain", "plus", "percent", "enum");
}

const char *show_maximum_name(enum gcs_maximum maximum)
{
	return NAME_OF(maximum, "fixed", "event", "stream");
}

const char *show_format_name(enum gcs_format format)
{
	return NAME_OF(format, "decimal", "hex", "bytes", "nanoseconds");
}

const char *show_type_name(enum gcs_type type)
{
	return NAME_OF(type, "i8", "i16", "i32", "i64");
}

const char *show_role_name(enum gcs_role role)
{
	return NAME_OF(role, "data", "control", "range-start", "range-end");
}

const char *show_summary_name(enum gcs_summary_kind kind)
{
	return NAME_OF(kind, "none", "total", "share", "counts");
}

const char *show_space_kind_name(enum gcs_space_kind kind)
{
	return NAME_OF(kind, "addresses", "list", "matrix");
}

const char *show_attribute_kind_name(enum gcs_attribute_kind kind)
{
	return NAME_OF(kind, "number", "enum", "text");
}

const char *show_run_name(enum gcs_run_state state)
{
	return NAME_OF(state, "running", "pausing", "paused");
}

const char *show_unit(char *buffer, size_t size, const struct gcs_stream *stream)
{
	const char *text = stream->format == GCS_BYTES         ? "bytes"
			   : stream->format == GCS_NANOSECONDS ? "ns"
							       : stream->suffix;
	text += strspn(text, " ");
	size_t length = strlen(text);
	while (length != 0 && text[length - 1] == ' ')
		length--;
	snprintf(buffer, size, "%.*s", (int)length, text);
	return buffer;
}

const char *show_range(
    char *buffer, size_t size, const struct gcs_stream *stream, int64_t least, int64_t largest)
{
	char from[64], to[64];
	gcs_format_number(from, sizeof from, least, stream->format);
	gcs_format_number(to, sizeof to, largest, stream->format);
	bool unit = stream->format != GCS_BYTES && stream->format != GCS_NANOSECONDS;
	if (least == largest)
		snprintf(buffer, size, "%s%s", to, unit ? stream->suffix : "");
	else
		snprintf(buffer, size, "%s to %s%s", from, to, unit ? stream->suffix : "");
	size_t length = strlen(buffer);
	while (length != 0 && buffer[length - 1] == ' ')
		buffer[--length] = '\0';
	return buffer;
}

static void append_maximum(
    char *buffer, size_t size, const struct gcs_space *space, const struct gcs_stream *stream)
{
	if (stream->maximum == GCS_MAX_OF_EVENT)
		append(buffer, size, "the largest at the event");
	else if (stream->maximum == GCS_MAX_OF_STREAM && stream->max_stream < space->stream_count)
		append(buffer, size, "%s", space->streams[stream->max_stream].name);
	else
		append(buffer, size, "the maximum");
}

const char *show_presentation(
    char *buffer, size_t size, const struct gcs_space *space, const struct gcs_stream *stream)
{
	buffer[0] = '\0';
	switch (stream->presentation) {
	case GCS_ENUM:
		append(buffer, size, "one of ");
		for (uint32_t i = 0; i < stream->enum_count; i++)
			append(buffer, size, "%s%s", i == 0 ? "" : ", ", stream->enum_names[i]);
		break;
	case GCS_PERCENT:
		append(buffer, size, "number and percentage of ");
		append_maximum(buffer, size, space, stream);
		break;
	case GCS_PLUS:
		append(buffer, size, "number, the maximum as \"or more\"");
		break;
	default:
		append(buffer, size, "number");
		if (stream->maximum != GCS_MAX_FIXED) {
			append(buffer, size, ", coloured against ");
			append_maximum(buffer, size, space, stream);
		}
		break;
	}
	return buffer;
}

const char *show_time(char *buffer, size_t size, int64_t wall_ns, bool date)
{
	int64_t second = wall_ns / 1000000000;
	int64_t rest = wall_ns % 1000000000;
	if (rest < 0) {
		rest += 1000000000;
		second--;
	}
	time_t when = (time_t)second;
	struct tm local;
	if (localtime_r(&when, &local) == NULL)
		local = (struct tm){.tm_mday = 1};
	char day[40] = "", clock[16], zone[16];
	if (date)
		strftime(day, sizeof day, "%Y-%m-%d ", &local);
	strftime(clock, sizeof clock, "%H:%M:%S", &local);
	strftime(zone, sizeof zone, " %z", &local);
	snprintf(buffer, size, "%s%s.%03d%s", day, clock, (int)(rest / 1000000), date ? zone : "");
	return buffer;
}

const char *show_event(const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	uint32_t event = gcs_snapshot_occurrence(snapshot)->event;
	return event < model->event_count ? model->events[event].name : "present state";
}

/* The attribute's text if it has several lines, or NULL. */
static const char *lines_of(const struct gcs_snapshot *snapshot, uint32_t attribute)
{
	const char *text = gcs_snapshot_text(snapshot, attribute);
	return text != NULL && strchr(text, '\n') != NULL ? text : NULL;
}

/* Of what one line can have. */
static bool has_value(const struct gcs_snapshot *snapshot, uint32_t attribute)
{
	int64_t value;
	if (gcs_snapshot_text(snapshot, attribute) != NULL)
		return lines_of(snapshot, attribute) == NULL;
	return gcs_snapshot_number(snapshot, attribute, &value);
}

/* If the two names are "X before" and "X after" (or just "before" and "after"), the length of X. */
static bool is_pair(const char *before, const char *after, size_t *stem)
{
	size_t a = strlen(before);
	size_t b = strlen(after);
	if (a < 6 || b < 5 || a - 6 != b - 5 || strcmp(before + a - 6, "before") != 0 ||
	    strcmp(after + b - 5, "after") != 0 || strncmp(before, after, a - 6) != 0)
		return false;
	*stem = a - 6;
	while (*stem != 0 && before[*stem - 1] == ' ')
		(*stem)--;
	return true;
}

const char *show_attributes(char *buffer, size_t size, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *model = gcs_snapshot_model(snapshot);
	uint32_t event = gcs_snapshot_occurrence(snapshot)->event;
	uint32_t count = event < model->event_count ? model->events[event].attribute_count : 0;
	char value[VALUE_BYTES], after[VALUE_BYTES];
	buffer[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_attribute *a = &model->events[event].attributes[i];
		size_t stem;
		if (!has_value(snapshot, i))
			continue;
		append(buffer, size, "%s", buffer[0] == '\0' ? "" : ", ");
		gcs_format_attribute(value, sizeof value, snapshot, i);
		if (i + 1 < count && has_value(snapshot, i + 1) &&
		    is_pair(a[0].name, a[1].name, &stem)) {
			gcs_format_attribute(after, sizeof after, snapshot, i + 1);
			append(buffer, size, "%.*s%s%s -> %s", (int)stem, a->name,
			    stem == 0 ? "" : " ", value, after);
			i++;
		} else {
			append(buffer, size, "%s %s", a->name, value);
		}
	}
	return buffer;
}

const char *show_clients(char *buffer, size_t size, uint32_t count)
{
	snprintf(buffer, size, "%" PRIu32 " client%s", count, count == 1 ? "" : "s");
	return buffer;
}

const char *show_program(
    char *buffer, size_t size, enum gcs_run_state state, bool own, uint32_t others)
{
	char clients[32];
	const char *what = state == GCS_RUNNING   ? "running"
			   : state == GCS_PAUSING ? "about to pause at its next event"
						  : "paused";
	snprintf(buffer, size, "%s%s%s", what, state == GCS_RUNNING ? "" : ", held by ",
	    state == GCS_RUNNING ? ""
				 : show_clients(clients, sizeof clients, others + (own ? 1u : 0u)));
	return buffer;
}

void show_occurrence(struct out *out, const struct gcs_snapshot *snapshot)
{
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(snapshot);
	char time[64], attributes[4096];
	out_format(out, "#%" PRIu64 "  %s  ", o->sequence,
	    show_time(time, sizeof time, o->wall_ns, false));
	out_text(out, show_event(snapshot), SIZE_MAX);
	if (show_attributes(attributes, sizeof attributes, snapshot)[0] != '\0') {
		out_raw(out, "  ");
		out_text(out, attributes, SIZE_MAX);
	}
}

void show_lines(struct out *out, const struct gcs_snapshot *snapshot)
{
	const struct gcs_model *m = gcs_snapshot_model(snapshot);
	const uint32_t event = gcs_snapshot_occurrence(snapshot)->event;
	char line[GCS_MAX_TEXT + 1];
	for (uint32_t i = 0; event < m->event_count && i < m->events[event].attribute_count; i++) {
		const char *at = lines_of(snapshot, i);
		if (at == NULL)
			continue;
		out_spaces(out, 4);
		out_text(out, m->events[event].attributes[i].name, SIZE_MAX);
		out_raw(out, "\n");
		while (*at != '\0') {
			const size_t length = strcspn(at, "\n");
			snprintf(line, sizeof line, "%.*s", (int)length, at);
			out_spaces(out, 8);
			out_text(out, line, SIZE_MAX);
			out_raw(out, "\n");
			at += length + (at[length] != '\0');
		}
	}
}
