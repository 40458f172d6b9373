#include <stdio.h>

#include "contact.h"
#include "show.h"

enum { DOCUMENT = 1 };

static void say(const struct cli_arguments *a, uint32_t held_by, const char *words, struct out *out)
{
	struct json json = {.text = &out->text};
	if (a->json == 0) {
		out_format(out, "%s\n", words);
		return;
	}
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "program", "running");
	json_text(&json, "text", words);
	json_unsigned(&json, "held_by", held_by);
	json_end(&json);
	out_raw(out, "\n");
}

static int resume(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	uint64_t deadline = now_ms() + contact->timeout_ms;
	uint32_t others;
	char clients[32], words[80];
	if (!contact_knows_state(contact, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the server does not report whether its program runs",
				 contact->address);
	if (gcs_client_run_state(contact->client, NULL, &others) == GCS_RUNNING) {
		say(a, 0, "The program is running; no client held it.", out);
		return CLI_DONE;
	}
	gcs_client_resume(contact->client, true);
	if (!contact_wait_state(contact, GCS_RUNNING, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the program has not resumed within %g s",
				 contact->address, (double)contact->timeout_ms / 1000);
	snprintf(words, sizeof words, "The program resumes; %s held it.",
	    show_clients(clients, sizeof clients, others));
	say(a, others, words, out);
	return CLI_DONE;
}

int cmd_resume(const struct cli_arguments *arguments, struct out *out)
{
	return contact_run(arguments, CONTACT_RESUME, resume, out);
}
