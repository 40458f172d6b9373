#include "recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include <gcspy/format.h>

#include "now.h"
#include "path_pattern.h"

/* Maximum wait of the JVM's end for the disk. */
enum { FINISH_MS = 2000 };

static struct recording {
	void (*log)(const char *line);
	struct gcs_server *server;
	struct gcs_recorder *recorder; /* the server's; alive whenever `changed` is called */
	char path[2 * OPTIONS_PATH + 8];
	char line[2 * OPTIONS_PATH + 40];
	bool reported; /* the recorder's thread has reported why it ended */
	bool moved;    /* it has reported that the file was moved */
} recording;

/* Logs a line, and shows it to clients. */
static void report(struct recording *r, const char *line)
{
	r->log(line);
	(void)gcs_server_set_info(r->server, "Recording", line, NULL);
}

/* On the recorder's thread. */
static void changed(void *context)
{
	struct recording *r = context;
	struct gcs_recorder_stats stats;
	char text[sizeof r->path + 200];
	gcs_recorder_get_stats(r->recorder, &stats);
	if (stats.error.status != GCS_OK && !r->reported) {
		r->reported = true;
		report(r, stats.error.text);
	} else if (stats.error.status == GCS_OK && stats.moved && !r->moved) {
		r->moved = true;
		snprintf(text, sizeof text,
		    "%.*s has been moved or replaced: the recording continues in the original "
		    "file",
		    (int)sizeof r->path - 1, r->path);
		report(r, text);
	}
}

/* The recording ends with the server. */
static void finished(void *context, const struct gcs_recorder_stats *stats)
{
	struct recording *r = context;
	char text[sizeof r->path + 200], events[40], bytes[40];
	if (stats->error.status != GCS_OK) {
		if (!r->reported)
			r->log(stats->error.text);
		return;
	}
	if (stats->events == 0) {
		if (!stats->moved)
			unlink(r->path);
		return;
	}
	gcs_format_number(events, sizeof events, (int64_t)stats->events, GCS_DECIMAL);
	gcs_format_number(bytes, sizeof bytes, (int64_t)stats->bytes, GCS_BYTES);
	snprintf(text, sizeof text, "recorded %s event%s, %" PRIu64 " profile%s, %s to %s%s",
	    events, stats->events == 1 ? "" : "s", stats->profiles, stats->profiles == 1 ? "" : "s",
	    bytes, stats->moved ? "the file that was " : "", r->path);
	r->log(text);
}

enum gcs_status recording_open(const struct agent_options *o, struct gcs_server *server,
    void (*log)(const char *line), struct gcs_error *err)
{
	struct recording *r = &recording;
	if (o->record[0] == '\0')
		return GCS_OK;
	if (!path_from_pattern(r->path, sizeof r->path, o->record, (long)getpid(), now_wall_ns()))
		return gcs_fail(err, GCS_ARGUMENT,
		    "option record=\"%.200s\": expected the path of a file, with %%p, %%t and "
		    "%%%%",
		    o->record);
	const struct gcs_recorder_options options = {
	    .trace = {.path = r->path, .number = true, .max_bytes = o->record_bytes},
	    .finish_ms = FINISH_MS,
	    .changed = changed,
	    .finished = finished,
	    .context = r,
	};
	r->log = log;
	r->server = server;
	r->reported = r->moved = false;
	r->recorder = gcs_recorder_create(&options, err);
	if (r->recorder == NULL) {
		char message[sizeof err->text];
		snprintf(message, sizeof message, "%s", err->text);
		return gcs_fail(err, err->status, "option record: %.280s", message);
	}
	snprintf(r->path, sizeof r->path, "%s", gcs_recorder_path(r->recorder));
	snprintf(r->line, sizeof r->line, "recording to %.*s", (int)sizeof r->path - 1, r->path);
	(void)gcs_server_set_info(server, "Recording", r->line, NULL);
	return gcs_server_record(server, r->recorder, err);
}

void recording_close(void)
{
	recording = (struct recording){0};
}

const char *recording_line(void)
{
	return recording.line;
}
