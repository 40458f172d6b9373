/* Recordings of targets: start one, list them, fetch one. */
#include <stdio.h>
#include <string.h>

#include <microhttpd.h>

#include <gcspy/format.h>

#include "http.h"
#include "recordings.h"

static void make(struct http *http, struct target *target, bool flight, uint64_t seconds,
    struct http_answer *answer)
{
	char name[RECORDING_NAME], who[TARGET_NAME];
	struct gcs_error err;
	recordings_look(http->options.recordings, http->targets);
	const bool made = flight ? recordings_fly(http->options.recordings, target, name, &err)
				 : recordings_start(http->options.recordings, http->targets, target,
				       seconds, name, &err);
	if (!made) {
		http_say(answer, MHD_HTTP_SERVICE_UNAVAILABLE, "%s: %s", target_name(target, who),
		    err.text);
	} else {
		http_say(answer, MHD_HTTP_CREATED, "%s", name);
		snprintf(answer->location, sizeof answer->location, "/recordings/%s", name);
	}
}

static void start_one(
    struct http *http, struct MHD_Connection *connection, struct http_answer *answer)
{
	const char *instance =
	    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "instance");
	const char *given =
	    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "seconds");
	const char *flight =
	    MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "flight");
	uint64_t seconds = RECORDING_SECONDS;
	if (given != NULL && (!gcs_parse_number(given, &seconds) || seconds == 0 ||
				 seconds > RECORDING_MOST_SECONDS)) {
		http_say(answer, MHD_HTTP_BAD_REQUEST, "seconds: expected a number from 1 to %d",
		    RECORDING_MOST_SECONDS);
		return;
	}
	if (flight != NULL && (strcmp(flight, "yes") != 0 || given != NULL)) {
		http_say(answer, MHD_HTTP_BAD_REQUEST, "flight: expected yes, without seconds");
		return;
	}
	if (flight != NULL && !http_begin_wait(http, answer))
		return;
	struct target *target = http_choose(http, instance, answer);
	if (target != NULL) {
		make(http, target, flight != NULL, seconds, answer);
		target_release(http->targets, target);
	}
	if (flight != NULL)
		http_end_wait(http);
}

static void list_all(struct http *http, struct http_answer *answer)
{
	struct gcs_sink sink = {.write = wr_take, .context = &answer->body};
	struct text text;
	recordings_look(http->options.recordings, http->targets);
	text_begin(&text, &sink);
	answer->type = "application/json";
	const bool good = recordings_write_json(http->options.recordings, &text);
	if (text_end(&text, NULL) != GCS_OK || !good)
		http_say(answer, MHD_HTTP_INTERNAL_SERVER_ERROR, "no memory");
}

void http_recordings(struct http *http, struct MHD_Connection *connection, const char *method,
    const char *url, struct http_answer *answer)
{
	static const char folder[] = "/recordings/";
	const bool starts = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
	if (http->options.recordings == NULL) {
		http_say(answer, MHD_HTTP_NOT_FOUND,
		    "gcspy serve runs without --recordings: none are made");
	} else if (starts && MHD_lookup_connection_value(
				 connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN) != NULL) {
		/* A browser sends it with each POST of a page, also of another site's. */
		http_say(answer, MHD_HTTP_FORBIDDEN, "not for pages in a browser");
	} else if (starts) {
		start_one(http, connection, answer);
	} else if (strncmp(url, folder, sizeof folder - 1) != 0) {
		list_all(http, answer);
	} else {
		answer->type = "application/octet-stream";
		answer->file = recordings_file(
		    http->options.recordings, url + sizeof folder - 1, &answer->file_bytes);
		if (answer->file == -1)
			http_say(answer, MHD_HTTP_NOT_FOUND,
			    "no such recording: /recordings lists them");
	}
}
