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

static int list(struct contact *contact, struct out *out)
{
	uint32_t id;
	int code = CLI_DONE;
	enum gcs_status status = gcs_client_query(contact->client, "settings", 0, NULL, &id);
	struct gcs_answer *answer = contact_answer(contact, status, id, &code);
	if (answer != NULL)
		write_lines(out, answer->bytes, answer->length);
	gcs_answer_free(answer);
	return code;
}

static int change(struct contact *contact, const char *key, const char *value, struct out *out)
{
	uint32_t id;
	int code = CLI_DONE;
	enum gcs_status status = gcs_client_set(contact->client, key, value, &id);
	struct gcs_answer *answer = contact_answer(contact, status, id, &code);
	if (answer != NULL) {
		out_text(out, answer->words[0] == '\0' ? "The server has taken it." : answer->words,
		    SIZE_MAX);
		out_raw(out, "\n");
	}
	gcs_answer_free(answer);
	return code;
}

int cmd_set(const struct cli_arguments *arguments, struct out *out)
{
	struct contact contact;
	char key[GCS_MAX_NAME + 1] = "";
	const char *equals = NULL;
	if (arguments->setting != NULL) {
		equals = strchr(arguments->setting, '=');
		size_t length = equals == NULL ? 0 : (size_t)(equals - arguments->setting);
		if (length == 0 || length > GCS_MAX_NAME)
			return cli_usage("set \"%s\": KEY=VALUE is allowed, such as interval=512k",
			    arguments->setting);
		memcpy(key, arguments->setting, length);
		key[length] = '\0';
	}
	int code = contact_open(&contact, arguments, CONTACT_LATEST);
	if (code == CLI_DONE)
		code =
		    equals == NULL ? list(&contact, out) : change(&contact, key, equals + 1, out);
	contact_close(&contact);
	return code;
}
