#include "contact.h"

enum { DOCUMENT = 1 };

/* The answer has a line key=value for each figure. */
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
		contact_write_lines(out, answer);
	}
	gcs_answer_free(answer);
	return code;
}

int cmd_gc(const struct cli_arguments *a, struct out *out)
{
	return contact_run(a, CONTACT_LATEST, collect, out);
}
