#include "contact.h"

#include <stdio.h>
#include <string.h>

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
			contact_write_lines(out, answer);
	} else {
		snprintf(key, sizeof key, "%.*s", (int)(equals - a->setting), a->setting);
		enum gcs_status status = gcs_client_set(contact->client, key, equals + 1, &id);
		answer = contact_answer(contact, status, id, &code);
		if (answer != NULL) {
			out_text(out,
			    answer->message[0] == '\0' ? "The setting is accepted."
						       : answer->message,
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
