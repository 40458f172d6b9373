#include "wire_plugins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/plugin.h>

enum { MOST = 64 };

static const char *const orders[] = {"up", "down"};

static const struct gcs_parameter walk_parameters[] = {
    {.name = "depth", .description = "rows", .initial = "3"},
    {.name = "order",
	.kind = GCS_PARAMETER_ENUM,
	.initial = "down",
	.enum_count = 2,
	.enum_names = orders},
    {.name = "space", .kind = GCS_PARAMETER_SPACE, .initial = "0"},
};

static const struct gcs_parameter bytes_parameters[] = {
    {.name = "address", .description = "of the first byte", .kind = GCS_PARAMETER_ADDRESS},
    {.name = "length", .kind = GCS_PARAMETER_LENGTH, .initial = "16"},
};

static const struct gcs_plugin plugins[] = {
    {.name = "walk",
	.title = "Walk",
	.description = "Counts down",
	.kind = GCS_PLUGIN_TABLE,
	.parameter_count = 3,
	.parameters = walk_parameters},
    {.name = "bytes",
	.title = "Bytes",
	.kind = GCS_PLUGIN_BYTES,
	.parameter_count = 2,
	.parameters = bytes_parameters},
};

static enum gcs_status walk(const struct gcs_query *q, void **bytes, size_t *length)
{
	static const struct gcs_column columns[] = {{.name = "Step", .kind = GCS_COLUMN_TEXT},
	    {.name = "Left", .kind = GCS_COLUMN_NUMBER, .format = GCS_BYTES}};
	struct gcs_cell cells[MOST][2];
	uint32_t depths[MOST];
	const uint32_t count = (uint32_t)strtoul(q->parameters[0].value, NULL, 10) % MOST;
	for (uint32_t i = 0; i < count; i++) {
		cells[i][0] = (struct gcs_cell){.text = q->parameters[1].value};
		cells[i][1] =
		    (struct gcs_cell){.number = (int64_t)(count - i) - 2, .absent = i == 0};
		depths[i] = i;
	}
	char title[40];
	snprintf(title, sizeof title, "a walk in %.20s", q->parameters[2].value);
	return gcs_table_encode(&(struct gcs_table){.title = title,
				    .column_count = 2,
				    .columns = columns,
				    .row_count = count,
				    .cells = &cells[0][0],
				    .depths = depths},
	    bytes, length, NULL);
}

static enum gcs_status memory(const struct gcs_query *q, void **bytes, size_t *length)
{
	uint8_t body[256];
	const size_t count = strtoul(q->parameters[1].value, NULL, 10) % sizeof body + 1;
	for (size_t i = 0; i < count; i++)
		body[i] = (uint8_t)i;
	const struct gcs_mark marks[] = {{.start = 0, .length = count, .text = "all"},
	    {.start = count - 1, .length = 1, .text = "last"}};
	return gcs_memory_encode(&(struct gcs_memory){.title = "counting",
				     .address = strtoull(q->parameters[0].value, NULL, 16),
				     .length = count,
				     .bytes = body,
				     .mark_count = 2,
				     .marks = marks},
	    bytes, length, NULL);
}

/* The answer to `walk` with its initial values, made once. */
static void *at_event;
static size_t at_event_length;

static void make_at_event(void)
{
	static const struct gcs_info initial[] = {{.key = "depth", .value = "3"},
	    {.key = "order", .value = "down"}, {.key = "space", .value = "0"}};
	const struct gcs_query q = {.topic = "walk", .count = 3, .parameters = initial};
	if (at_event == NULL && walk(&q, &at_event, &at_event_length) != GCS_OK)
		at_event = NULL;
}

enum gcs_status plugins_add(struct gcs_server *server, struct gcs_error *err)
{
	enum gcs_status status = GCS_OK;
	for (size_t i = 0; status == GCS_OK && i < sizeof plugins / sizeof plugins[0]; i++)
		status = gcs_server_add_plugin(server, &plugins[i], NULL, err);
	make_at_event();
	return status;
}

enum gcs_status plugins_at_event(void *context, const struct gcs_ticket *ticket, const char *plugin,
    void *buffer, size_t *length)
{
	(void)context;
	(void)ticket;
	if (strcmp(plugin, "walk") != 0 || at_event == NULL || at_event_length > *length)
		return GCS_UNSUPPORTED;
	memcpy(buffer, at_event, at_event_length);
	*length = at_event_length;
	return GCS_OK;
}

bool plugins_query(struct gcs_server *server, const struct gcs_query *q)
{
	void *bytes = NULL;
	size_t length = 0;
	enum gcs_status status;
	if (strcmp(q->topic, "walk") == 0)
		status = walk(q, &bytes, &length);
	else if (strcmp(q->topic, "bytes") == 0)
		status = memory(q, &bytes, &length);
	else
		return false;
	gcs_server_answer(server, q->ticket, status, "", bytes, length);
	gcs_plugin_free(bytes);
	return true;
}
