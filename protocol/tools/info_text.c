#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_text.h"
#include "show.h"

enum { MAX_KEY_COLUMNS = 28 };

static size_t widest(size_t so_far, const char *text)
{
	size_t columns = out_columns(text);
	columns = columns > MAX_KEY_COLUMNS ? MAX_KEY_COLUMNS : columns;
	return columns > so_far ? columns : so_far;
}

/* "  key     value", the value wrapped in its own column; below a key that is wider than that. */
static void write_pair(
    struct out *out, size_t indent, const char *key, size_t columns, const char *value)
{
	out_spaces(out, indent);
	if (out_columns(key) > columns) {
		out_padded(out, key, out_columns(key));
		out_raw(out, "\n");
		out_spaces(out, indent + columns + 2);
	} else {
		out_padded(out, key, columns);
		out_raw(out, "  ");
	}
	out_wrapped(out, indent + columns + 2, indent + columns + 2, value);
}

static void write_connection(struct out *out, const struct report *report)
{
	char text[128], size[32];
	out_raw(out, "\nConnection\n");
	write_pair(out, 2, "Address", 8, report->address);
	write_pair(out, 2, "Program", 8,
	    show_program(text, sizeof text, report->run, report->own, report->others));
	snprintf(text, sizeof text, report->of_2002 ? "GCspy of 2002" : "GCspy %d.%d",
	    GCS_PROTOCOL_MAJOR, GCS_PROTOCOL_MINOR);
	write_pair(out, 2, "Protocol", 8, text);
	snprintf(text, sizeof text, "%s",
	    gcs_format_number(size, sizeof size, (int64_t)report->received, GCS_BYTES));
	write_pair(out, 2, "Received", 8, text);
}

static void describe_attribute(char *buffer, size_t size, const struct gcs_attribute *a)
{
	if (a->kind == GCS_ATTRIBUTE_TEXT) {
		snprintf(buffer, size, "text");
	} else if (a->kind == GCS_ATTRIBUTE_NUMBER) {
		snprintf(buffer, size, "%s",
		    a->format == GCS_BYTES         ? "bytes"
		    : a->format == GCS_NANOSECONDS ? "duration"
		    : a->format == GCS_HEX         ? "hexadecimal number"
						   : "number");
	} else {
		snprintf(buffer, size, "one of ");
		for (uint32_t i = 0; i < a->enum_count; i++) {
			size_t used = strlen(buffer);
			snprintf(buffer + used, size - used, "%s%s", i == 0 ? "" : ", ",
			    a->enum_names[i]);
		}
	}
}

/* As a condition has it: "Above(limit)". */
static void name_attribute(char *buffer, size_t size, const struct gcs_attribute *a)
{
	snprintf(buffer, size, "%s", a->name);
	for (uint32_t i = 0; i < a->parameter_count; i++) {
		size_t used = strlen(buffer);
		snprintf(buffer + used, size - used, "%s%s%s", i == 0 ? "(" : ", ",
		    a->parameter_names[i], i + 1 == a->parameter_count ? ")" : "");
	}
}

static void write_event(struct out *out, const struct gcs_event *event)
{
	char text[4096], name[(GCS_MAX_ATTRIBUTE_PARAMETERS + 1) * (GCS_MAX_NAME + 3)];
	size_t columns = 0;
	if (event->description[0] != '\0') {
		out_spaces(out, 4);
		out_wrapped(out, 4, 4, event->description);
	}
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		name_attribute(name, sizeof name, &event->attributes[i]);
		columns = widest(columns, name);
	}
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		name_attribute(name, sizeof name, &event->attributes[i]);
		describe_attribute(text, sizeof text, &event->attributes[i]);
		write_pair(out, 4, name, columns, text);
	}
}

static void write_events(struct out *out, const struct report *report)
{
	const struct gcs_model *m = report->model;
	size_t columns = 0;
	if (m->event_count == 0)
		return;
	out_raw(out, report->snapshot == NULL ? "\nEvents (no counters: no snapshot has come yet)\n"
					      : "\nEvents, and how often each has happened\n");
	for (uint32_t i = 0; i < m->event_count; i++)
		columns = widest(columns, m->events[i].name);
	for (uint32_t i = 0; i < m->event_count; i++) {
		char count[40] = "-";
		if (report->snapshot != NULL)
			gcs_format_count(
			    count, sizeof count, gcs_snapshot_counter(report->snapshot, i));
		out_raw(out, "  ");
		out_padded(out, m->events[i].name, columns);
		out_format(out, "  %12s\n", count);
		write_event(out, &m->events[i]);
	}
}

static void write_stream(struct out *out, const struct gcs_space *space,
    const struct gcs_stream *stream, size_t indent, size_t columns)
{
	char unit[GCS_MAX_NAME + 1], range[256], words[6000], line[7000];
	/* Bytes and durations are written in larger units; the values themselves are in this one.
	 */
	show_unit(unit, sizeof unit, stream);
	bool brought = stream->format == GCS_BYTES || stream->format == GCS_NANOSECONDS;
	show_range(range, sizeof range, stream, stream->min, stream->max);
	show_presentation(words, sizeof words, space, stream);
	if (stream->presentation == GCS_ENUM)
		snprintf(line, sizeof line, "%s", words);
	else
		snprintf(line, sizeof line, "%s%s%s; %s", brought ? unit : "", brought ? ", " : "",
		    range, words);
	if (stream->role != GCS_ROLE_DATA) {
		size_t used = strlen(line);
		snprintf(line + used, sizeof line - used, " [%s]", show_role_name(stream->role));
	}
	write_pair(out, indent, stream->name, columns, line);
	if (stream->description[0] != '\0') {
		out_spaces(out, indent + columns + 2);
		out_wrapped(out, indent + columns + 2, indent + columns + 2, stream->description);
	}
}

static void write_space(struct out *out, const struct report *report, uint32_t id, size_t indent)
{
	const struct gcs_space *s = &report->model->spaces[id];
	char line[4096];
	size_t columns = 0;
	if (report->snapshot != NULL)
		snprintf(line, sizeof line, "%s: %" PRIu32 " tiles%s%s%s", s->name,
		    gcs_snapshot_tiles(report->snapshot, id), s->block_info[0] == '\0' ? "" : ", ",
		    s->block_info, s->main ? " (main)" : "");
	else
		snprintf(line, sizeof line, "%s%s%s%s", s->name,
		    s->block_info[0] == '\0' ? "" : ": ", s->block_info, s->main ? " (main)" : "");
	out_spaces(out, indent);
	out_wrapped(out, indent, indent + 2, line);
	indent += 2;
	if (s->description[0] != '\0') {
		out_spaces(out, indent);
		out_wrapped(out, indent, indent, s->description);
	}
	for (uint32_t k = 0; k < s->stream_count; k++)
		columns = widest(columns, s->streams[k].name);
	for (uint32_t k = 0; k < s->stream_count; k++)
		write_stream(out, s, &s->streams[k], indent, columns);
}

/* How far a group is indented; deep trees are not indented for ever. */
static size_t indent_of(const struct gcs_model *m, uint32_t group)
{
	size_t indent = 2;
	for (; group < m->group_count && indent < 20; group = m->groups[group].parent)
		indent += 2;
	return indent;
}

static void write_spaces_of(struct out *out, const struct report *report, uint32_t group)
{
	const struct gcs_model *m = report->model;
	for (uint32_t i = 0; i < m->space_count; i++) {
		bool here = group == GCS_NONE ? m->spaces[i].group >= m->group_count
					      : m->spaces[i].group == group;
		if (here && report_shows(report, i))
			write_space(out, report, i, indent_of(m, group));
	}
}

/* The group after `group` in a walk that shows each group before what is in it; GCS_NONE begins and
 * ends it. */
static uint32_t next_group(const struct gcs_model *m, uint32_t group)
{
	for (uint32_t i = group == GCS_NONE ? 0 : group + 1; i < m->group_count; i++)
		if (m->groups[i].parent == group)
			return i;
	while (group != GCS_NONE) {
		uint32_t parent = m->groups[group].parent;
		for (uint32_t i = group + 1; i < m->group_count; i++)
			if (m->groups[i].parent == parent)
				return i;
		group = parent;
	}
	return GCS_NONE;
}

void info_write_text(struct out *out, const struct report *report)
{
	const struct gcs_model *m = report->model;
	size_t columns = 0;
	out_wrapped(out, 0, 0, m->server_name);
	for (uint32_t i = 0; i < m->info_count; i++)
		columns = widest(columns, m->info[i].key);
	for (uint32_t i = 0; i < m->info_count; i++)
		write_pair(out, 2, m->info[i].key, columns, m->info[i].value);
	write_connection(out, report);
	write_events(out, report);
	out_raw(out, "\nSpaces and their streams\n");
	write_spaces_of(out, report, GCS_NONE);
	for (uint32_t g = next_group(m, GCS_NONE); g != GCS_NONE; g = next_group(m, g)) {
		size_t indent = indent_of(m, g) - 2;
		out_spaces(out, indent);
		out_raw(out, "[");
		out_text(out, m->groups[g].name, OUT_COLUMNS - indent - 2);
		out_raw(out, "]\n");
		write_spaces_of(out, report, g);
	}
}
