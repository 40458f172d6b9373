/* The plugin `flight-ring`, of servers that keep one: what the ring has, and saving it by hand (F18). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>

#include "server_internal.h"
#include "server_ring.h"

static const char plugin_name[] = "flight-ring";
static const char *const no_or_yes[] = {"no", "yes"};

enum gcs_status ring_plugin_describe(struct gcs_server *s, struct gcs_error *err)
{
	const struct gcs_parameter save = {.name = "save",
	    .description = "yes: save the ring, and the seconds that follow, as a recording",
	    .kind = GCS_PARAMETER_ENUM,
	    .initial = "no",
	    .enum_count = 2,
	    .enum_names = no_or_yes};
	return gcs_server_add_plugin(s,
	    &(struct gcs_plugin){.name = plugin_name,
		.title = "Flight ring",
		.description = "The last seconds, kept in memory until a trigger saves them",
		.kind = GCS_PLUGIN_TEXT,
		.parameter_count = 1,
		.parameters = &save},
	    NULL, err);
}

bool ring_plugin_is(const struct gcs_plugin *plugin)
{
	return strcmp(plugin->name, plugin_name) == 0;
}

void ring_plugin_answer(struct gcs_server *s, uint64_t ticket, const struct gcs_info *given)
{
	struct gcs_ring_state state;
	struct gcs_error err = {.status = GCS_OK};
	char text[200], events[40], span[40], bytes[40];
	if (strcmp(given[0].value, "yes") == 0)
		(void)gcs_server_save_ring(s, "a client", &err);
	if (err.status == GCS_OK && !gcs_server_ring_state(s, &state))
		gcs_fail(&err, GCS_STATE, "the ring has ended");
	if (err.status != GCS_OK) {
		gcs_server_answer(s, ticket, err.status, err.text, NULL, 0);
		return;
	}
	gcs_format_number(events, sizeof events, state.events, GCS_DECIMAL);
	gcs_format_number(span, sizeof span, (int64_t)state.span_ns, GCS_NANOSECONDS);
	gcs_format_number(bytes, sizeof bytes, (int64_t)state.bytes, GCS_BYTES);
	snprintf(text, sizeof text, "%s event%s, %s, %s in memory\n%" PRIu32 " recording%s%s\n",
	    events, state.events == 1 ? "" : "s", span, bytes, state.files,
	    state.files == 1 ? "" : "s", state.saving ? ", one being saved" : "");
	gcs_server_answer(s, ticket, GCS_OK, "", text, strlen(text));
}
