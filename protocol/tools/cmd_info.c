#include <string.h>

#include "report_text.h"
#include "show.h"

/* A server that can make a snapshot at any time answers much sooner; another has no counters before
 * its next event. */
enum { COUNTERS_MS = 2000 };

static void write_attributes(struct json *json, const struct gcs_event *event)
{
	json_array(json, "attributes");
	for (uint32_t i = 0; i < event->attribute_count; i++) {
		const struct gcs_attribute *a = &event->attributes[i];
		json_object(json, NULL);
		json_text(json, "name", a->name);
		json_text(json, "kind", show_attribute_kind_name(a->kind));
		json_text(json, "number_format", show_format_name(a->format));
		json_array(json, "parameters");
		for (uint32_t k = 0; k < a->parameter_count; k++)
			json_text(json, NULL, a->parameter_names[k]);
		json_end(json);
		json_array(json, "names");
		for (uint32_t k = 0; k < a->enum_count; k++)
			json_text(json, NULL, a->enum_names[k]);
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

static void write_events(struct json *json, const struct report *report)
{
	const struct gcs_model *m = report->model;
	json_array(json, "events");
	for (uint32_t i = 0; i < m->event_count; i++) {
		json_object(json, NULL);
		json_text(json, "name", m->events[i].name);
		json_text(json, "description", m->events[i].description);
		if (report->snapshot != NULL)
			json_unsigned(json, "count", gcs_snapshot_counter(report->snapshot, i));
		else
			json_null(json, "count");
		write_attributes(json, &m->events[i]);
		json_end(json);
	}
	json_end(json);
}

static void write_spaces(struct json *json, const struct report *report)
{
	const struct gcs_model *m = report->model;
	json_array(json, "spaces");
	for (uint32_t i = 0; i < m->space_count; i++) {
		if (!report_shows(report, i))
			continue;
		json_object(json, NULL);
		report_json_space(json, m, i);
		if (report->snapshot != NULL)
			json_unsigned(json, "tiles", gcs_snapshot_tiles(report->snapshot, i));
		else
			json_null(json, "tiles");
		json_array(json, "streams");
		for (uint32_t k = 0; k < m->spaces[i].stream_count; k++) {
			json_object(json, NULL);
			report_json_stream(json, &m->spaces[i], &m->spaces[i].streams[k]);
			json_end(json);
		}
		json_end(json);
		json_end(json);
	}
	json_end(json);
}

void info_write_json(struct out *out, const struct report *report)
{
	const struct gcs_model *m = report->model;
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	report_json_head(&json, report);
	write_events(&json, report);
	report_json_counters(&json, report);
	json_array(&json, "groups");
	for (uint32_t i = 0; i < m->group_count; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", m->groups[i].name);
		if (m->groups[i].parent < m->group_count)
			json_unsigned(&json, "parent", m->groups[i].parent);
		else
			json_null(&json, "parent");
		json_end(&json);
	}
	json_end(&json);
	write_spaces(&json, report);
	json_object(&json, "connection");
	json_text(&json, "address", report->address);
	json_integer(&json, "protocol_major", report->of_2002 ? 2002 : GCS_PROTOCOL_MAJOR);
	json_integer(&json, "protocol_minor", report->of_2002 ? 0 : GCS_PROTOCOL_MINOR);
	json_unsigned(&json, "received_bytes", report->received);
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

int cmd_info(const struct cli_arguments *arguments, struct out *out)
{
	struct contact contact;
	int code = contact_open(&contact, arguments, CONTACT_LATEST);
	if (code != CLI_DONE) {
		contact_close(&contact);
		return code;
	}
	uint32_t limit = arguments->timeout_ms < COUNTERS_MS ? arguments->timeout_ms : COUNTERS_MS;
	uint64_t deadline = now_ms() + limit;
	contact_knows_state(&contact, deadline);
	struct gcs_snapshot *snapshot = contact_next(&contact, deadline);
	struct gcs_model *model = gcs_client_model(contact.client);
	if (snapshot == NULL && contact_is_lost(&contact)) {
		code = contact_lost(&contact);
	} else {
		struct report report;
		report_init(&report, &contact,
		    snapshot != NULL ? gcs_snapshot_model(snapshot) : model, snapshot);
		if (arguments->json)
			info_write_json(out, &report);
		else
			info_write_text(out, &report);
	}
	gcs_model_unref(model);
	gcs_snapshot_unref(snapshot);
	contact_close(&contact);
	return code;
}
