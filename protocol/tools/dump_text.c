#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "report_text.h"
#include "show.h"

enum { MAX_NAME_COLUMNS = 28 };

static void add(char *buffer, size_t size, const char *name, uint64_t count)
{
	char number[40];
	size_t used = strlen(buffer);
	snprintf(buffer + used, size - used, "%s%s %s", used == 0 ? "" : ", ", name,
	    gcs_format_count(number, sizeof number, count));
}

static void write_head(struct out *out, const struct report *report)
{
	const struct gcs_model *m = report->model;
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(report->snapshot);
	char line[8192], words[128];
	out_wrapped(out, 0, 0, m->server_name);
	out_format(out, "  %-9s ", "Time");
	out_wrapped(out, 12, 12, show_time(words, sizeof words, o->wall_ns, true));
	snprintf(line, sizeof line, "%s, #%" PRIu64, show_event(report->snapshot), o->sequence);
	out_format(out, "  %-9s ", "Event");
	out_wrapped(out, 12, 12, line);
	if (show_attributes(line, sizeof line, report->snapshot)[0] != '\0') {
		out_spaces(out, 12);
		out_wrapped(out, 12, 12, line);
	}
	show_lines(out, report->snapshot);
	line[0] = '\0';
	for (uint32_t i = 0; i < m->event_count; i++)
		add(line, sizeof line, m->events[i].name,
		    gcs_snapshot_counter(report->snapshot, i));
	out_format(out, "  %-9s ", "Counters");
	out_wrapped(out, 12, 12, line[0] == '\0' ? "no events" : line);
	out_format(out, "  %-9s ", "Program");
	out_wrapped(out, 12, 12,
	    show_program(words, sizeof words, report->run, report->own, report->others));
	if (o->missed != 0)
		out_format(out, "  %-9s %" PRIu64 " snapshots\n", "Missed", o->missed);
}

/* "used 60, background 4": how many tiles have each of the control bits. */
static void describe_control(char *buffer, size_t size, const int64_t *values, uint32_t tiles)
{
	static const char *const names[] = {
	    "used", "background", "unused", "separator", "link", "stale"};
	buffer[0] = '\0';
	for (unsigned bit = 0; bit < sizeof names / sizeof names[0]; bit++) {
		uint64_t count = 0;
		for (uint32_t i = 0; i < tiles; i++)
			count += (uint64_t)(values[i] >> bit & 1);
		if (count != 0)
			add(buffer, size, names[bit], count);
	}
}

/* Without a summary: the least and the largest value. */
static void describe_values(char *buffer, size_t size, const struct gcs_stream *stream,
    const int64_t *values, uint32_t tiles)
{
	int64_t least = values[0], largest = values[0];
	for (uint32_t i = 1; i < tiles; i++) {
		least = values[i] < least ? values[i] : least;
		largest = values[i] > largest ? values[i] : largest;
	}
	show_range(buffer, size, stream, least, largest);
}

/* A cell of the lists of values: the value as it is, or the name of an enumeration's. */
static const char *cell(char *buffer, size_t size, const struct report *report, uint32_t space,
    uint32_t stream, uint32_t tile, const int64_t *values, const int64_t *counted)
{
	const struct gcs_stream *t = &report->model->spaces[space].streams[stream];
	if (counted != NULL && counted[tile] == 0)
		snprintf(buffer, size, "\xe2\x80\x93");
	else if (t->presentation == GCS_ENUM)
		gcs_format_tile(buffer, size, report->snapshot, space, stream, tile);
	else if (t->format == GCS_HEX)
		snprintf(buffer, size, "0x%" PRIx64, (uint64_t)values[tile]);
	else
		snprintf(buffer, size, "%" PRId64, values[tile]);
	return buffer;
}

/* All values of a stream in a grid, each line with the number of its first tile. */
static void write_values(
    struct out *out, const struct report *report, uint32_t space, uint32_t stream)
{
	const int64_t *values = gcs_snapshot_values(report->snapshot, space, stream);
	const int64_t *counted = gcs_snapshot_counted(report->snapshot, space, stream);
	uint32_t tiles = gcs_snapshot_tiles(report->snapshot, space);
	char text[GCS_MAX_NAME + 1];
	size_t widest = 1;
	for (uint32_t i = 0; values != NULL && i < tiles; i++) {
		size_t columns =
		    out_columns(cell(text, sizeof text, report, space, stream, i, values, counted));
		widest = columns > widest ? columns : widest;
	}
	size_t room = OUT_COLUMNS - 14;
	widest = widest > room - 1 ? room - 1 : widest;
	size_t per_line = room / (widest + 1);
	for (uint32_t i = 0; values != NULL && i < tiles; i++) {
		if (i % per_line == 0)
			out_format(out, "%s    %8" PRIu32 ": ", i == 0 ? "" : "\n", i);
		cell(text, sizeof text, report, space, stream, i, values, counted);
		size_t columns = out_columns(text);
		out_spaces(out, 1 + (columns < widest ? widest - columns : 0));
		out_text(out, text, widest);
	}
	if (values != NULL && tiles != 0)
		out_raw(out, "\n");
}

static void write_stream(
    struct out *out, const struct report *report, uint32_t space, uint32_t stream, size_t columns)
{
	const struct gcs_stream *t = &report->model->spaces[space].streams[stream];
	const int64_t *values = gcs_snapshot_values(report->snapshot, space, stream);
	uint32_t tiles = gcs_snapshot_tiles(report->snapshot, space);
	char words[4096];
	gcs_format_summary(words, sizeof words, report->snapshot, space, stream);
	if (words[0] == '\0' && values != NULL && tiles != 0) {
		if (t->role == GCS_ROLE_CONTROL)
			describe_control(words, sizeof words, values, tiles);
		else
			describe_values(words, sizeof words, t, values, tiles);
	}
	out_raw(out, "  ");
	out_padded(out, t->name, columns);
	out_raw(out, "  ");
	out_wrapped(out, columns + 4, columns + 4, words[0] == '\0' ? "-" : words);
	if (report->values)
		write_values(out, report, space, stream);
}

static void write_names(struct out *out, const struct report *report, uint32_t space)
{
	uint32_t tiles = gcs_snapshot_tiles(report->snapshot, space);
	bool any = false;
	for (uint32_t i = 0; i < tiles; i++) {
		const char *name = gcs_snapshot_name(report->snapshot, space, i);
		if (name[0] == '\0')
			continue;
		out_raw(out, any ? "" : "  Names of tiles\n");
		any = true;
		out_format(out, "    %8" PRIu32 ":  ", i);
		out_text(out, name, OUT_COLUMNS - 15);
		out_raw(out, "\n");
	}
}

static void write_space(struct out *out, const struct report *report, uint32_t id)
{
	const struct gcs_space *s = &report->model->spaces[id];
	uint32_t tiles = gcs_snapshot_tiles(report->snapshot, id);
	char line[GCS_MAX_NAME + GCS_MAX_TEXT + 64], number[40];
	size_t columns = 0;
	snprintf(line, sizeof line, "%s: %s tile%s%s%s", s->name,
	    gcs_format_number(number, sizeof number, tiles, GCS_DECIMAL), tiles == 1 ? "" : "s",
	    s->block_info[0] == '\0' ? "" : ", ", s->block_info);
	out_raw(out, "\n");
	out_wrapped(out, 0, 2, line);
	if (gcs_snapshot_space_info(report->snapshot, id)[0] != '\0') {
		out_raw(out, "  ");
		out_wrapped(out, 2, 2, gcs_snapshot_space_info(report->snapshot, id));
	}
	if (!gcs_snapshot_gathered(report->snapshot, id))
		out_raw(out, "  Not gathered at this event: the tiles are those of an earlier "
			     "one.\n");
	for (uint32_t k = 0; k < s->stream_count; k++) {
		size_t name = out_columns(s->streams[k].name);
		columns = name > columns ? name : columns;
	}
	columns = columns > MAX_NAME_COLUMNS ? MAX_NAME_COLUMNS : columns;
	for (uint32_t k = 0; k < s->stream_count; k++)
		write_stream(out, report, id, k, columns);
	if (report->values)
		write_names(out, report, id);
}

void dump_write_text(struct out *out, const struct report *report)
{
	write_head(out, report);
	for (uint32_t i = 0; i < report->model->space_count; i++)
		if (report_shows(report, i))
			write_space(out, report, i);
}
