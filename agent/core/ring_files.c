#include "ring_files.h"

#include <stdio.h>
#include <unistd.h>

#include <gcspy/format.h>

#include "path_pattern.h"

/* Maximum wait of the JVM's end for the disk. */
enum { FINISH_MS = 2000 };

static struct flight_ring {
	void (*log)(const char *line);
	struct gcs_server *server;
	struct queries *queries;
	char line[OPTIONS_PATH + 160];
} ring;

/* On the ring's thread, like the next. */
static void saving(void *context)
{
	struct flight_ring *r = context;
	if (r->queries != NULL)
		queries_record_now(r->queries);
}

static void describe(char *text, size_t size, const struct gcs_ring_saved *saved)
{
	char events[40], bytes[40];
	const char *colon = saved->why[0] == '\0' ? "" : ": ";
	gcs_format_number(events, sizeof events, (int64_t)saved->events, GCS_DECIMAL);
	gcs_format_number(bytes, sizeof bytes, (int64_t)saved->bytes, GCS_BYTES);
	snprintf(text, size, "saved %s event%s, %s to %s%s%s", events,
	    saved->events == 1 ? "" : "s", bytes, saved->path, colon, saved->why);
}

static void on_saved(void *context, const struct gcs_ring_saved *saved)
{
	struct flight_ring *r = context;
	char text[1024];
	if (saved->error.status == GCS_OK) {
		describe(text, sizeof text, saved);
		/* For programs that fetch it. */
		(void)gcs_server_set_info(r->server, "Flight recording", saved->path, NULL);
	} else {
		snprintf(text, sizeof text, "the flight ring was not saved: %s", saved->error.text);
	}
	r->log(text);
	(void)gcs_server_set_info(r->server, "Flight ring", text, NULL);
	if (saved->last)
		r->log("the flight ring has written its last recording (record-ring-files)");
}

enum gcs_status ring_files_open(const struct agent_options *o, struct gcs_server *server,
    void (*log)(const char *line), struct gcs_error *err)
{
	struct flight_ring *r = &ring;
	char bytes[40], files[OPTIONS_PATH + 40];
	*r = (struct flight_ring){.log = log, .server = server};
	if (o->ring_s == 0)
		return GCS_OK;
	const struct gcs_ring_options options = {
	    .path = o->ring_file,
	    .seconds = o->ring_s,
	    .bytes = o->ring_bytes,
	    .files = o->ring_files,
	    .file_bytes = o->record_bytes,
	    .finish_ms = FINISH_MS,
	    .saving = saving,
	    .saved = on_saved,
	    .context = r,
	};
	enum gcs_status status = gcs_server_set_ring(server, &options, err);
	if (status != GCS_OK) {
		char message[sizeof err->text];
		snprintf(message, sizeof message, "%s", err->text);
		return gcs_fail(err, status, "option record-ring: %.280s", message);
	}
	gcs_format_number(bytes, sizeof bytes, (int64_t)o->ring_bytes, GCS_BYTES);
	path_pattern_text(files, sizeof files, o->ring_file, (long)getpid());
	snprintf(r->line, sizeof r->line, "keeping the last %u s in memory (at most %s) for %s",
	    o->ring_s, bytes, files);
	(void)gcs_server_set_info(server, "Flight ring", r->line, NULL);
	return GCS_OK;
}

void ring_files_set_queries(struct queries *queries)
{
	ring.queries = queries;
}

void ring_files_close(void)
{
	ring = (struct flight_ring){0};
}

const char *ring_files_line(void)
{
	return ring.line;
}
