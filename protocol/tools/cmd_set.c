#include "contact.h"

#include <stdio.h>
#include <string.h>

/* The body of "settings": a line for each, such as interval=524288. */
static void write_lines(struct out *out, const char *bytes, size_t length)
{
	char line[GCS_MAX_TEXT + 1];
	while (length != 0) {
		const char *end = memchr(bytes, '\n', length);
		size_t n = end == NULL ? length : (size_t)(end - bytes);
		snprintf(
		    line, sizeof line, "%.*s", (int)(n < GCS_MAX_TEXT ? n : GCS_MAX_TEXT), bytes);
		out_text(out, line, SIZE_MAX);
		out_raw(out, "\n");
		n += end != NULL;
		bytes += n;
		length -= n;
	}
}

static int set(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	const char *equals = a->setting == NULL ? NULL : strchr(a->setting, '=');
	char key[GCS_MAX_NAME + 1];
	uint32_t id;
	int code = CLI_DONE;
	struct gcs_answer *answer;
	if (equals == NULL) {
		answer = contact_query(contact, "settings", 0, NULL, &code);
		if (answer != NULL)
			write_lines(out, answer->bytes, answer->length);
	} else {
		snprintf(key, sizeof key, "%.*s", (int)(equals - a->setting), a->setting);
		enum gcs_status status = gcs_client_set(contact->client, key, equals + 1, &id);
		answer = contact_answer(contact, status, id, &code);
		if (answer != NULL) {
			out_text(out,
			    answer->words[0] == '\0' ? "The setting is accepted." : answer->words,
			    SIZE_MAX);
			out_raw(out, "\n");
		}
	}
	gcs_answer_free(answer);
	return code;
}

int cmd_set(const struct cli_arguments *a, struct out *out)
{
	const size_t length = a->setting == NULL ? 1 : strcspn(a->setting, "=");
	if (a->setting != NULL &&
	    (length == 0 || length > GCS_MAX_NAME || a->setting[length] == '\0'))
		return cli_usage(
		    "set \"%s\": expected KEY=VALUE, such as interval=512k", a->setting);
	return contact_run(a, CONTACT_LATEST, set, out);
}
