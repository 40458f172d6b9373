#include "report_text.h"

#include <stdio.h>
#include <string.h>

#include "show.h"

/* The server reports a paused program as "pausing" until it has sent the data of the event. */
enum { SETTLE_MS = 300 };

void report_init(struct report *report, struct contact *contact, const struct gcs_model *model,
    const struct gcs_snapshot *snapshot)
{
	if (gcs_client_run_state(contact->client, NULL, NULL) == GCS_PAUSING)
		contact_wait_state(contact, GCS_PAUSED, now_ms() + SETTLE_MS);
	*report = (struct report){
	    .address = contact->address,
	    .model = model,
	    .snapshot = snapshot,
	    .received = gcs_client_received(contact->client),
	    .of_2002 = gcs_client_of_2002(contact->client),
	    .zoom = GCS_NONE,
	};
	report->run = gcs_client_run_state(contact->client, &report->own, &report->others);
}

bool report_shows(const struct report *report, uint32_t space)
{
	const struct gcs_space *s = &report->model->spaces[space];
	if (report->zoom != GCS_NONE)
		return space == report->zoom;
	return !s->gone && (report->space == NULL || strcmp(report->space, s->name) == 0);
}

const char *report_key(char *buffer, size_t size, const char *(*name)(const void *, uint32_t),
    const void *list, uint32_t index)
{
	unsigned same = 1;
	for (uint32_t i = 0; i < index; i++)
		same += strcmp(name(list, i), name(list, index)) == 0;
	if (same == 1)
		snprintf(buffer, size, "%s", name(list, index));
	else
		snprintf(buffer, size, "%s (%u)", name(list, index), same);
	return buffer;
}

static const char *event_name(const void *list, uint32_t index)
{
	return ((const struct gcs_event *)list)[index].name;
}

void report_json_head(struct json *json, const struct report *report)
{
	char text[128];
	json_integer(json, "format", REPORT_FORMAT);
	json_text(json, "server", report->model->server_name);
	json_text(json, "address", report->address);
	json_object(json, "info");
	for (uint32_t i = 0; i < report->model->info_count; i++)
		json_text(json, report->model->info[i].key, report->model->info[i].value);
	json_end(json);
	json_object(json, "program");
	json_text(json, "state", show_run_name(report->run));
	json_integer(json, "held_by", (int64_t)report->others + (report->own ? 1 : 0));
	json_text(json, "text",
	    show_program(text, sizeof text, report->run, report->own, report->others));
	json_end(json);
}

void report_json_counters(struct json *json, const struct report *report)
{
	const struct gcs_model *m = report->model;
	char key[GCS_MAX_NAME + 16];
	json_object(json, "counters");
	for (uint32_t i = 0; report->snapshot != NULL && i < m->event_count; i++)
		json_unsigned(json, report_key(key, sizeof key, event_name, m->events, i),
		    gcs_snapshot_counter(report->snapshot, i));
	json_end(json);
}

/* The names from the top down to the group. Parents come before their children, so this ends. */
static void group_path(struct json *json, const struct gcs_model *model, uint32_t group)
{
	uint32_t path[GCS_MAX_GROUPS];
	uint32_t count = 0;
	for (; group < model->group_count && count < GCS_MAX_GROUPS;
	     group = model->groups[group].parent)
		path[count++] = group;
	json_array(json, "group_path");
	while (count-- != 0)
		json_text(json, NULL, model->groups[path[count]].name);
	json_end(json);
}

void report_json_space(struct json *json, const struct gcs_model *model, uint32_t space)
{
	const struct gcs_space *s = &model->spaces[space];
	json_text(json, "name", s->name);
	if (s->group < model->group_count)
		json_text(json, "group", model->groups[s->group].name);
	else
		json_null(json, "group");
	group_path(json, model, s->group);
	json_unsigned(json, "id", space);
	json_text(json, "description", s->description);
	json_text(json, "kind", show_space_kind_name(s->kind));
	json_bool(json, "main", s->main);
	json_unsigned(json, "columns", s->columns);
	json_text(json, "tile_title", s->tile_title);
	json_text(json, "block_info", s->block_info);
	json_text(json, "unused_text", s->unused_text);
	json_unsigned(json, "block_bytes", s->block_bytes);
	json_unsigned(json, "default_stream", s->default_stream);
}

void report_json_stream(
    struct json *json, const struct gcs_space *space, const struct gcs_stream *stream)
{
	char text[GCS_MAX_NAME + 1];
	json_text(json, "name", stream->name);
	json_text(json, "unit", show_unit(text, sizeof text, stream));
	json_text(json, "role", show_role_name(stream->role));
	json_text(json, "description", stream->description);
	json_text(json, "type", show_type_name(stream->type));
	json_text(json, "number_format", show_format_name(stream->format));
	json_text(json, "presentation", show_presentation_name(stream->presentation));
	json_integer(json, "min", stream->min);
	json_integer(json, "max", stream->max);
	json_integer(json, "zero", stream->zero);
	json_text(json, "maximum", show_maximum_name(stream->maximum));
	if (stream->max_stream < space->stream_count)
		json_text(json, "max_stream", space->streams[stream->max_stream].name);
	else
		json_null(json, "max_stream");
	if (stream->error_stream != 0)
		json_text(json, "error_stream", space->streams[stream->error_stream].name);
	else
		json_null(json, "error_stream");
	json_text(json, "summary_kind", show_summary_name(stream->summary));
	json_array(json, "names");
	for (uint32_t i = 0; i < stream->enum_count; i++)
		json_text(json, NULL, stream->enum_names[i]);
	json_end(json);
}
