/* Suspects in the figures of recordings. */

#include <stdio.h>

#include "stats_page.h"

/* "Shop.visit (Shop.java:55)", or what a row without such a frame is. */
static const char *frame_of(
    char *line, size_t size, const struct gcs_stats *s, const struct gcs_suspect *suspect)
{
	uint32_t stack = suspect->site->stack;
	const struct gcs_frame *f = gcs_sites_caller(s->survivors, &stack);
	return f == NULL ? "[no frame outside the JDK and libraries]"
			 : gcs_frame_line(line, size, f);
}

static void put_suspect(
    struct out *out, const struct gcs_stats *s, const struct gcs_suspect *suspect)
{
	char text[48], cell[64], line[1400];
	gcs_suspect_class(line, sizeof line, s, suspect);
	snprintf(cell, sizeof cell, "+%s/min",
	    gcs_format_figure(text, sizeof text, suspect->per_second * 60, GCS_UNIT_BYTES));
	stats_right(out, cell, 16);
	stats_cell(out, suspect->error * 60, GCS_UNIT_BYTES, 11);
	stats_cell(out, suspect->share, GCS_UNIT_SHARE, 11);
	stats_cell(out, suspect->site->bytes, GCS_UNIT_BYTES, 11);
	out_raw(out, "  ");
	out_text(out, line, out_width(out) - 52);
	out_raw(out, "\n");
	out_spaces(out, 52);
	out_text(out, frame_of(line, sizeof line, s, suspect), out_width(out) - 52);
	out_raw(out, "\n");
	if (suspect->held_by[0] == '\0')
		return;
	snprintf(line, sizeof line, "held by %s", suspect->held_by);
	out_spaces(out, 4);
	out_wrapped(out, 4, 6, line);
}

void stats_suspects_text(struct out *out, const struct gcs_stats *s)
{
	char line[300];
	stats_title(out, "Suspects: survivors that grow with the heap");
	out_raw(out, "\n");
	if (s->no_suspects.text[0] != '\0')
		snprintf(line, sizeof line, "not known: %s", s->no_suspects.text);
	else if (!gcs_stats_heap_grows(s))
		snprintf(line, sizeof line, "none: what %s does not grow%s",
		    s->left_is == GCS_LEFT_USED ? "is used at the end of collections"
						: "collections leave of the heap",
		    gcs_stats_heap_grew_before(s) ? " any more" : "");
	else
		snprintf(line, sizeof line,
		    "none: nothing grew beyond its error and by a tenth of the heap's growth, in "
		    "%u profiles of live objects",
		    (unsigned)s->judged_profiles);
	if (s->suspect_count == 0) {
		out_spaces(out, 2);
		out_wrapped(out, 2, 2, line);
		return;
	}
	out_format(out, "  %14s %11s %10s %10s  %s\n", "Growth", "\302\261", "Of heap's", "Live",
	    "Class, frame");
	for (uint32_t i = 0; i < s->suspect_count && i < STATS_SITES; i++)
		put_suspect(out, s, &s->suspects[i]);
}

void stats_suspects_json(struct json *json, const struct gcs_stats *s)
{
	char line[1400];
	if (s->no_suspects.text[0] != '\0') {
		json_object(json, "suspects");
		json_text(json, "not_recorded", s->no_suspects.text);
		json_end(json);
		return;
	}
	json_array(json, "suspects");
	for (uint32_t i = 0; i < s->suspect_count; i++) {
		const struct gcs_suspect *suspect = &s->suspects[i];
		json_object(json, NULL);
		json_text(json, "class", suspect->site->class_name);
		json_text(json, "frame", frame_of(line, sizeof line, s, suspect));
		json_number(json, "per_second", suspect->per_second);
		json_number(json, "per_second_error", suspect->error);
		json_number(json, "share", suspect->share);
		json_number(json, "bytes", suspect->site->bytes);
		json_number(json, "bytes_error", suspect->site->bytes_error);
		if (suspect->held_by[0] != '\0')
			json_text(json, "held_by", suspect->held_by);
		json_end(json);
	}
	json_end(json);
}
