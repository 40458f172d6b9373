#include "contact.h"

#include <string.h>

/* The answer has a line key=value for each figure. */
static int collect(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	int code = CLI_DONE;
	(void)a;
	struct gcs_answer *answer = contact_query(contact, "gc", 0, NULL, &code);
	if (answer != NULL)
		contact_write_lines(out, answer);
	gcs_answer_free(answer);
	return code;
}

int cmd_gc(const struct cli_arguments *a, struct out *out)
{
	return contact_run(a, CONTACT_LATEST, collect, out);
}
