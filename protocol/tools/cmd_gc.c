#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gcspy/format.h>

#include "contact.h"

enum { DOCUMENT = 1 };

/* A figure of the answer, which has a line key=value for each; false without it. */
static bool figure(const struct gcs_answer *answer, const char *key, uint64_t *value)
{
	char text[GCS_MAX_TEXT + 1];
	snprintf(text, sizeof text, "%.*s",
	    (int)(answer->length < GCS_MAX_TEXT ? answer->length : GCS_MAX_TEXT),
	    (const char *)answer->bytes);
	for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == '=') {
			*value = strtoull(line + strlen(key) + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

static void write_text(struct out *out, const struct gcs_answer *answer)
{
	uint64_t collection, pause_ns;
	char pause[40];
	if (!figure(answer, "collection", &collection) || !figure(answer, "pause", &pause_ns) ||
	    pause_ns > INT64_MAX) {
		contact_write_lines(out, answer);
		return;
	}
	out_format(out, "Collection %" PRIu64 ": the program was paused for %s\n", collection,
	    gcs_format_number(pause, sizeof pause, (int64_t)pause_ns, GCS_NANOSECONDS));
}

static int collect(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	struct gcs_answer *answer = contact_query(contact, "gc", 0, NULL, &code);
	if (answer != NULL && a->json != 0) {
		struct json json = {.text = &out->text};
		json_object(&json, NULL);
		json_integer(&json, "format", DOCUMENT);
		json_object(&json, "collection");
		contact_json_lines(&json, answer);
		json_end(&json);
		json_end(&json);
		out_raw(out, "\n");
	} else if (answer != NULL) {
		write_text(out, answer);
	}
	gcs_answer_free(answer);
	return code;
}

int cmd_gc(const struct cli_arguments *a, struct out *out)
{
	return contact_run(a, CONTACT_LATEST, collect, out);
}
