/* The call sites in the figures of recordings. */

#include "export_internal.h"
#include "stats_page.h"

#include <stdio.h>

/* Frames of a stack in text; JSON has all. */
enum { SHOWN_FRAMES = 4 };

/* The class, and the frame to look at where the stack begins in a library. */
static void put_label(
    struct out *out, const struct gcs_sites *sites, const struct gcs_site *s, size_t column)
{
	char own[1400], line[1500];
	export_own_frame(own, sizeof own, sites, s);
	out_text(out, s->class_name, out_width(out) - column);
	out_raw(out, "\n");
	if (own[0] == '\0')
		return;
	snprintf(line, sizeof line, "from %s", own);
	out_spaces(out, column);
	out_text(out, line, out_width(out) - column);
	out_raw(out, "\n");
}

static void put_stack(
    struct out *out, const struct gcs_sites *sites, const struct gcs_site *site, size_t indent)
{
	uint32_t stack = site->stack;
	const struct gcs_frame *f;
	for (unsigned i = 0; i < SHOWN_FRAMES && (f = gcs_sites_caller(sites, &stack)) != NULL;
	     i++) {
		char text[1400];
		gcs_frame_line(text, sizeof text, f);
		out_spaces(out, indent);
		out_text(out, text, out_width(out) - indent);
		out_raw(out, "\n");
	}
}

void stats_sites_text(struct out *out, const struct gcs_sites *sites)
{
	enum { INDENT = 36 };
	const struct gcs_site *total = gcs_sites_total(sites);
	out_format(out, "  %10s %11s %8s  %s\n", "Bytes", "\302\261", "Share", "Class, call site");
	for (uint32_t i = 0; i < gcs_sites_count(sites) && i < STATS_SITES; i++) {
		const struct gcs_site *s = gcs_sites_at(sites, i);
		out_raw(out, "  ");
		stats_cell(out, s->bytes, GCS_UNIT_BYTES, 10);
		stats_cell(out, s->bytes_error, GCS_UNIT_BYTES, 11);
		stats_cell(out, total->bytes > 0 ? s->bytes / total->bytes : 0, GCS_UNIT_SHARE, 9);
		out_raw(out, "  ");
		put_label(out, sites, s, INDENT - 2);
		put_stack(out, sites, s, INDENT);
	}
	if (gcs_sites_count(sites) == 0)
		out_raw(out, "  (no samples)\n");
	if (gcs_sites_count(sites) > STATS_SITES)
		out_format(
		    out, "  and %u more\n", (unsigned)(gcs_sites_count(sites) - STATS_SITES));
}

static void put_site_json(
    struct json *json, const struct gcs_sites *sites, const struct gcs_site *site)
{
	uint32_t stack = site->stack;
	const struct gcs_frame *f;
	const struct gcs_frame *own = gcs_sites_own_frame(sites, site);
	char line[1400];
	json_text(json, "class", site->class_name);
	if (own == NULL)
		json_null(json, "own_frame");
	else
		json_text(json, "own_frame", gcs_frame_line(line, sizeof line, own));
	json_array(json, "stack");
	while ((f = gcs_sites_caller(sites, &stack)) != NULL) {
		char text[1400];
		gcs_frame_line(text, sizeof text, f);
		json_text(json, NULL, text);
	}
	json_end(json);
}

void stats_sites_json(struct json *json, const char *key, const struct gcs_sites *sites)
{
	const struct gcs_site *total = gcs_sites_total(sites);
	json_object(json, key);
	json_number(json, "bytes", total->bytes);
	json_number(json, "bytes_error", total->bytes_error);
	json_number(json, "objects", total->objects);
	json_unsigned(json, "sites", gcs_sites_count(sites));
	json_array(json, "largest");
	for (uint32_t i = 0; i < gcs_sites_count(sites) && i < STATS_SITES; i++) {
		const struct gcs_site *s = gcs_sites_at(sites, i);
		json_object(json, NULL);
		json_number(json, "bytes", s->bytes);
		json_number(json, "bytes_error", s->bytes_error);
		json_number(json, "objects", s->objects);
		json_unsigned(json, "samples", s->samples);
		put_site_json(json, sites, s);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

/* The sites that grew most, or shrank most; NULL after the last one to write. */
static const struct gcs_change *change_at(
    const struct gcs_comparison *c, bool grew, uint32_t number)
{
	const uint32_t count = gcs_comparison_count(c);
	if (number >= count || number >= STATS_SITES)
		return NULL;
	const struct gcs_change *one = gcs_comparison_at(c, grew ? number : count - 1 - number);
	return (grew ? one->bytes > 0 : one->bytes < 0) ? one : NULL;
}

static const struct gcs_site *site_of(
    const struct gcs_comparison *c, const struct gcs_change *one, const struct gcs_sites **sites)
{
	*sites = one->after != NULL ? gcs_comparison_after(c) : gcs_comparison_before(c);
	return one->after != NULL ? one->after : one->before;
}

static void put_bytes(struct out *out, const struct gcs_site *site)
{
	if (site == NULL)
		stats_right(out, "-", 11);
	else
		stats_cell(out, site->bytes, GCS_UNIT_BYTES, 11);
}

static void put_change(
    struct out *out, const struct gcs_comparison *c, const struct gcs_change *one, double seconds)
{
	enum { SECONDS_PER_MINUTE = 60, INDENT = 51 };
	const struct gcs_sites *sites;
	const struct gcs_site *site = site_of(c, one, &sites);
	char text[48], cell[64];
	/* With a time between the two, rates are written. */
	const double scale = seconds > 0 ? SECONDS_PER_MINUTE / seconds : 1;
	snprintf(cell, sizeof cell, "%s%s%s", one->bytes > 0 ? "+" : "",
	    gcs_format_figure(text, sizeof text, one->bytes * scale, GCS_UNIT_BYTES),
	    seconds > 0 ? "/min" : "");
	stats_right(out, cell, 16);
	stats_cell(out, one->bytes_error * scale, GCS_UNIT_BYTES, 11);
	put_bytes(out, one->before);
	put_bytes(out, one->after);
	out_raw(out, "  ");
	put_label(out, sites, site, INDENT);
	put_stack(out, sites, site, INDENT + 1);
}

void stats_changes_text(struct out *out, const struct gcs_comparison *c, double seconds)
{
	static const char *const words[2] = {"What shrank", "What grew"};
	const struct gcs_change *one;
	out_format(out, "  %14s %11s %10s %10s  %s\n", "Change", "\302\261", "Before", "After",
	    "Class, call site");
	for (int grew = 1; grew >= 0; grew--) {
		out_format(out, "  %s\n", words[grew]);
		uint32_t i = 0;
		for (; (one = change_at(c, grew != 0, i)) != NULL; i++)
			put_change(out, c, one, seconds);
		if (i == 0)
			out_raw(out, "    (nothing)\n");
	}
}

static void put_change_json(
    struct json *json, const struct gcs_comparison *c, const struct gcs_change *one)
{
	const struct gcs_sites *sites;
	const struct gcs_site *site = site_of(c, one, &sites);
	json_object(json, NULL);
	json_number(json, "bytes_change", one->bytes);
	json_number(json, "bytes_change_error", one->bytes_error);
	json_number(json, "bytes_before", one->before == NULL ? 0 : one->before->bytes);
	json_number(json, "bytes_after", one->after == NULL ? 0 : one->after->bytes);
	put_site_json(json, sites, site);
	json_end(json);
}

void stats_changes_json(
    struct json *json, const char *key, const struct gcs_comparison *c, double seconds)
{
	static const char *const words[2] = {"shrank", "grew"};
	const struct gcs_change *one;
	json_object(json, key);
	if (seconds > 0)
		json_number(json, "seconds", seconds);
	json_number(json, "bytes_change", gcs_comparison_total(c)->bytes);
	json_number(json, "bytes_change_error", gcs_comparison_total(c)->bytes_error);
	for (int grew = 1; grew >= 0; grew--) {
		json_array(json, words[grew]);
		for (uint32_t i = 0; (one = change_at(c, grew != 0, i)) != NULL; i++)
			put_change_json(json, c, one);
		json_end(json);
	}
	json_end(json);
}
