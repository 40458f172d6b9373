/*
 * Structs that grow (<gcspy/version.h>). A program of this release has 0 in all reserved words, and is
 * accepted; one of a later release that uses a field of its own in the last word gets an error from each
 * function that takes the struct.
 */
#include <stdio.h>
#include <string.h>

#include <gcspy/client.h>
#include <gcspy/recorder.h>
#include <gcspy/server.h>
#include <gcspy/tiles.h>

#define LAST(object) (object).reserved[sizeof(object).reserved / sizeof(object).reserved[0] - 1]

static int wrong;
static struct gcs_error err;

static void expect(const char *what, bool later, bool taken)
{
	if (taken != later &&
	    (!later || (err.status == GCS_ARGUMENT && strstr(err.text, "reserved"))))
		return;
	printf("%s: %s with%s a later field: %s\n", what, taken ? "taken" : "rejected",
	    later ? "" : "out", err.text);
	wrong = 1;
}

static void read_nothing(
    void *context, uint32_t stream, uint32_t first, uint32_t count, int64_t *values)
{
	(void)context, (void)stream, (void)first, (void)count, (void)values;
}

static void try_options(bool later)
{
	struct gcs_server_options server = {.name = "Server"};
	struct gcs_client_options client = {.address = "127.0.0.1:1"};
	struct gcs_recorder_options recorder = {.trace = {.path = "later.gcspy", .replace = true}};
	struct gcs_trace_options trace = recorder.trace;
	struct gcs_tiles_options tiles = {.streams = 1, .tiles = 1, .read = read_nothing};
	LAST(server) = LAST(client) = LAST(recorder) = LAST(trace) = LAST(tiles) = later;

	struct gcs_server *s = gcs_server_create(&server, &err);
	expect("gcs_server_options", later, s != NULL);
	gcs_server_destroy(s);
	struct gcs_client *c = gcs_client_open(&client, &err);
	expect("gcs_client_options", later, c != NULL);
	gcs_client_close(c);
	struct gcs_recorder *r = gcs_recorder_create(&recorder, &err);
	expect("gcs_recorder_options", later, r != NULL);
	gcs_recorder_finish(r, NULL);
	struct gcs_trace_writer *w = gcs_trace_create(&trace, &err);
	expect("gcs_trace_options", later, w != NULL);
	gcs_trace_finish(w, NULL);
	remove("later.gcspy");
	struct gcs_tiles *t = gcs_tiles_create(&tiles, &err);
	expect("gcs_tiles_options", later, t != NULL);
	gcs_tiles_destroy(t);
}

/* `which` of the structs of a description has the field; 0: none. */
static void try_description(int which)
{
	static const char *const names[] = {
	    "none", "gcs_event", "gcs_group", "gcs_stream", "gcs_space"};
	struct gcs_attribute attribute = {.name = "Attribute"};
	struct gcs_event event = {.name = "Event", .attribute_count = 1, .attributes = &attribute};
	struct gcs_group group = {.name = "Group", .parent = GCS_NONE};
	struct gcs_stream stream = {.name = "Stream", .max = 1};
	struct gcs_space space = {
	    .name = "Space", .group = GCS_NONE, .stream_count = 1, .streams = &stream};
	LAST(event) = which == 1;
	LAST(group) = which == 2;
	LAST(stream) = which == 3;
	LAST(space) = which == 4;

	struct gcs_model *m = gcs_model_create("Model");
	bool taken = gcs_model_add_event(m, &event, NULL, &err) == GCS_OK &&
		     gcs_model_add_group(m, &group, NULL, &err) == GCS_OK &&
		     gcs_model_add_space(m, &space, NULL, &err) == GCS_OK;
	expect(names[which], which != 0, taken);
	gcs_model_unref(m);
}

int main(void)
{
	try_options(false);
	try_options(true);
	for (int which = 0; which <= 4; which++)
		try_description(which);
	return wrong;
}
