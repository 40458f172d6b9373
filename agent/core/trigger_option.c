#include "trigger_option.h"

#include <stdio.h>
#include <string.h>

/* A trigger is named by its condition. */
static enum gcs_status set_one(const struct agent_options *o, struct gcs_server *server,
    const char *condition, struct gcs_error *err)
{
	char name[GCS_MAX_NAME + 1];
	snprintf(name, sizeof name, "%s", condition);
	const struct gcs_trigger trigger = {
	    .name = name,
	    .condition = condition,
	    .actions = GCS_TRIGGER_KEEP | (o->ring_s != 0 ? (uint32_t)GCS_TRIGGER_RECORD : 0),
	};
	return gcs_server_set_trigger(server, &trigger, err);
}

enum gcs_status trigger_option_set(
    const struct agent_options *o, struct gcs_server *server, struct gcs_error *err)
{
	char copy[sizeof o->triggers];
	enum gcs_status status = GCS_OK;
	memcpy(copy, o->triggers, sizeof copy);
	char *next = NULL;
	for (char *at = copy; status == GCS_OK && *at != '\0'; at = next) {
		at += strspn(at, " ");
		next = options_end(at, ';');
		if (*next != '\0')
			*next++ = '\0';
		if (*at != '\0')
			status = set_one(o, server, at, err);
	}
	if (status != GCS_OK) {
		char message[sizeof err->text];
		snprintf(message, sizeof message, "%s", err->text);
		return gcs_fail(err, status, "option trigger: %.280s", message);
	}
	return GCS_OK;
}
