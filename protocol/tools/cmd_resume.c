#include "contact.h"
#include "show.h"

static int resume(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	(void)a;
	uint64_t deadline = now_ms() + contact->timeout_ms;
	uint32_t others;
	char clients[32];
	if (!contact_knows_state(contact, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the server does not report whether its program runs",
				 contact->address);
	if (gcs_client_run_state(contact->client, NULL, &others) == GCS_RUNNING) {
		out_raw(out, "The program is running; no client held it.\n");
		return CLI_DONE;
	}
	gcs_client_resume(contact->client, true);
	if (!contact_wait_state(contact, GCS_RUNNING, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the program has not resumed within %g s",
				 contact->address, (double)contact->timeout_ms / 1000);
	out_format(out, "The program resumes; %s held it.\n",
	    show_clients(clients, sizeof clients, others));
	return CLI_DONE;
}

int cmd_resume(const struct cli_arguments *arguments, struct out *out)
{
	return contact_run(arguments, CONTACT_RESUME, resume, out);
}
