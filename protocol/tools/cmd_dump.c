#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "report_text.h"
#include "show.h"
#include "zoom_request.h"

/* Longest wait for a snapshot that has tiles. */
enum { BARE_TIMEOUT_MS = 1000 };

static const char *attribute_name(const void *list, uint32_t index)
{
	return ((const struct gcs_attribute *)list)[index].name;
}

static void write_attribute(struct json *json, const char *key, const struct gcs_attribute *a,
    const struct gcs_snapshot *snapshot, uint32_t id)
{
	int64_t value;
	const char *text = gcs_snapshot_text(snapshot, id);
	if (text != NULL)
		json_text(json, key, text);
	else if (!gcs_snapshot_number(snapshot, id, &value))
		json_null(json, key);
	else if (a->kind == GCS_ATTRIBUTE_ENUM && value >= 0 && value < (int64_t)a->enum_count)
		json_text(json, key, a->enum_names[value]);
	else
		json_integer(json, key, value);
}

/* RFC 3339 with nanoseconds, UTC. */
static const char *time_text(char *buffer, size_t size, int64_t wall_ns)
{
	struct tm utc;
	char seconds[40];
	int64_t rest = wall_ns % 1000000000;
	time_t when = (time_t)(wall_ns / 1000000000 - (rest < 0));
	if (gmtime_r(&when, &utc) == NULL)
		utc = (struct tm){.tm_mday = 1};
	strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(buffer, size, "%s.%09dZ", seconds, (int)(rest < 0 ? rest + 1000000000 : rest));
	return buffer;
}

void report_json_event(struct json *json, const struct gcs_snapshot *s)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	const struct gcs_occurrence *o = gcs_snapshot_occurrence(s);
	char text[GCS_MAX_NAME + 16];
	bool known = o->event < m->event_count;
	json_object(json, "event");
	if (known)
		json_text(json, "name", m->events[o->event].name);
	else
		json_null(json, "name");
	json_unsigned(json, "sequence", o->sequence);
	json_integer(json, "time", o->wall_ns);
	json_text(json, "time_text", time_text(text, sizeof text, o->wall_ns));
	json_unsigned(json, "monotonic", o->time_ns);
	json_unsigned(json, "cost", o->cost_ns);
	json_unsigned(json, "elapsed", o->elapsed_ns);
	json_unsigned(json, "compensation", o->compensation_ns);
	json_unsigned(json, "missed", o->missed);
	json_object(json, "attributes");
	for (uint32_t i = 0; known && i < m->events[o->event].attribute_count; i++) {
		const struct gcs_attribute *list = m->events[o->event].attributes;
		report_key(text, sizeof text, attribute_name, list, i);
		write_attribute(json, text, &list[i], s, i);
	}
	json_end(json);
	json_end(json);
}

/* What has not been counted is null. */
static void put_value(struct json *json, bool counted, int64_t value)
{
	if (counted)
		json_integer(json, NULL, value);
	else
		json_number(json, NULL, NAN);
}

static void write_stream(
    struct json *json, const struct report *report, uint32_t space, uint32_t id)
{
	const struct gcs_space *s = &report->model->spaces[space];
	char words[4096];
	uint32_t count = 0;
	const int64_t *summary = gcs_snapshot_summary(report->snapshot, space, id, &count);
	const int64_t *values = gcs_snapshot_values(report->snapshot, space, id);
	const int64_t *counted = gcs_snapshot_counted(report->snapshot, space, id);
	const bool any = gcs_snapshot_any_counted(report->snapshot, space, id);
	uint32_t tiles = values == NULL ? 0 : gcs_snapshot_tiles(report->snapshot, space);
	json_object(json, NULL);
	report_json_stream(json, s, &s->streams[id]);
	json_array(json, "summary");
	for (uint32_t i = 0; summary != NULL && i < count; i++)
		put_value(json, any, summary[i]);
	json_end(json);
	json_text(json, "summary_text",
	    gcs_format_summary(words, sizeof words, report->snapshot, space, id));
	json_array(json, "values");
	for (uint32_t i = 0; i < tiles; i++)
		put_value(json, counted == NULL || counted[i] != 0, values[i]);
	json_end(json);
	json_end(json);
}

static void write_names(struct json *json, const struct report *report, uint32_t space)
{
	uint32_t tiles = gcs_snapshot_tiles(report->snapshot, space);
	bool any = false;
	for (uint32_t i = 0; !any && i < tiles; i++)
		any = gcs_snapshot_name(report->snapshot, space, i)[0] != '\0';
	json_array(json, "tile_names");
	for (uint32_t i = 0; any && i < tiles; i++)
		json_text(json, NULL, gcs_snapshot_name(report->snapshot, space, i));
	json_end(json);
}

static void write_space(struct json *json, const struct report *report, uint32_t space)
{
	json_object(json, NULL);
	report_json_space(json, report->model, space);
	json_unsigned(json, "tiles", gcs_snapshot_tiles(report->snapshot, space));
	json_bool(json, "gathered", gcs_snapshot_gathered(report->snapshot, space));
	json_text(json, "space_info", gcs_snapshot_space_info(report->snapshot, space));
	write_names(json, report, space);
	json_array(json, "streams");
	for (uint32_t k = 0; k < report->model->spaces[space].stream_count; k++)
		write_stream(json, report, space, k);
	json_end(json);
	json_end(json);
}

void dump_write_json(struct out *out, const struct report *report)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	report_json_head(&json, report);
	report_json_event(&json, report->snapshot);
	report_json_counters(&json, report);
	json_array(&json, "spaces");
	for (uint32_t i = 0; i < report->model->space_count; i++)
		if (report_shows(report, i))
			write_space(&json, report, i);
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

/* CLI_DONE if the server has a space of that name. */
static int check_space(struct contact *contact, const char *name)
{
	char list[700] = "";
	if (name == NULL)
		return CLI_DONE;
	struct gcs_model *model = gcs_client_model(contact->client);
	bool found = gcs_model_find_space(model, name) != GCS_NONE;
	for (uint32_t i = 0; !found && i < model->space_count; i++)
		if (!model->spaces[i].gone)
			cli_add_name(list, sizeof list, model->spaces[i].name);
	gcs_model_unref(model);
	return found ? CLI_DONE
		     : cli_usage("--space \"%s\": the server has %s", name,
			   list[0] == '\0' ? "no spaces" : list);
}

static void write_report(struct contact *contact, const struct cli_arguments *arguments,
    const struct gcs_snapshot *snapshot, uint32_t zoom, struct out *out)
{
	struct report report;
	report_init(&report, contact, gcs_snapshot_model(snapshot), snapshot);
	report.space = arguments->space;
	report.zoom = zoom;
	report.values = arguments->values;
	if (arguments->json)
		dump_write_json(out, &report);
	else
		dump_write_text(out, &report);
}

/* Why there is no further snapshot. */
static int no_snapshot(
    struct contact *contact, const struct cli_arguments *arguments, const struct out *out)
{
	if (out->error != 0)
		return cli_output_failed(out);
	if (contact_is_lost(contact))
		return contact_lost(contact);
	return cli_fail("%s: no %s%s%s within %g s: the program may be idle or paused",
	    contact->address, arguments->event == NULL ? "snapshot" : "event \"",
	    arguments->event == NULL ? "" : arguments->event, arguments->event == NULL ? "" : "\"",
	    (double)arguments->timeout_ms / 1000);
}

/*
 * True while the requested space, or the main one, was never gathered: an event that gathers less,
 * such as a start, may precede the snapshot made on connecting.
 */
static bool is_bare(const struct gcs_snapshot *s, const struct cli_arguments *arguments)
{
	const struct gcs_model *m = gcs_snapshot_model(s);
	for (uint32_t i = 0; i < m->space_count; i++) {
		const struct gcs_space *p = &m->spaces[i];
		bool asked =
		    arguments->space != NULL ? strcmp(p->name, arguments->space) == 0 : p->main;
		if (asked && !p->gone && !gcs_snapshot_gathered(s, i) &&
		    gcs_snapshot_tiles(s, i) == 0)
			return true;
	}
	return false;
}

/* The next snapshot to write; with a zoom, one that shows it. */
static struct gcs_snapshot *next(struct contact *contact, const struct cli_arguments *arguments,
    uint32_t zoom, struct out *out, uint64_t deadline)
{
	/* A space that stays empty is shown empty after a while. */
	uint64_t give_up = now_ms() + BARE_TIMEOUT_MS;
	struct gcs_snapshot *s, *bare = NULL;
	while ((s = contact_next_at(contact, arguments->event, out,
		    bare != NULL && give_up < deadline ? give_up : deadline)) != NULL) {
		if (zoom != GCS_NONE && !zoom_is_in(s, zoom, arguments)) {
			gcs_snapshot_unref(s);
			continue;
		}
		gcs_snapshot_unref(bare);
		bare = NULL;
		if (arguments->event != NULL || !is_bare(s, arguments) || now_ms() >= give_up)
			return s;
		bare = s;
	}
	return bare;
}

static int dump(
    struct contact *contact, const struct cli_arguments *arguments, uint32_t zoom, struct out *out)
{
	uint32_t wanted = arguments->events == 0 ? 1 : arguments->events;
	bool unlimited = arguments->event != NULL && !arguments->timeout_given;
	contact_knows_state(contact, now_ms() + arguments->timeout_ms);
	for (uint32_t i = 0; i < wanted; i++) {
		uint64_t deadline = unlimited ? UINT64_MAX : now_ms() + arguments->timeout_ms;
		struct gcs_snapshot *snapshot = next(contact, arguments, zoom, out, deadline);
		if (snapshot == NULL)
			return no_snapshot(contact, arguments, out);
		if (i != 0 && !arguments->json)
			out_raw(out, "\n");
		write_report(contact, arguments, snapshot, zoom, out);
		gcs_snapshot_unref(snapshot);
		if (!out_flush(out))
			return cli_output_failed(out);
	}
	return CLI_DONE;
}

int cmd_dump(const struct cli_arguments *arguments, struct out *out)
{
	struct contact contact;
	uint32_t zoom = GCS_NONE;
	if (arguments->block != 0 && arguments->zoom_end == 0)
		return cli_usage("--block needs --zoom 0xSTART-0xEND");
	int code = contact_open(&contact, arguments, CONTACT_LATEST);
	if (code == CLI_DONE)
		code = contact_choose_event(&contact, arguments->event);
	if (code == CLI_DONE)
		code = check_space(&contact, arguments->space);
	if (code == CLI_DONE && arguments->zoom_end != 0)
		code = zoom_open(&contact, arguments, out, &zoom);
	if (code == CLI_DONE)
		code = dump(&contact, arguments, zoom, out);
	contact_close(&contact);
	return code;
}
