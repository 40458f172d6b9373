#include "contact.h"
#include "show.h"

static int resume(struct contact *contact, struct out *out)
{
	uint64_t deadline = contact_now_ms() + contact->timeout_ms;
	uint32_t others;
	char clients[32];
	if (!contact_knows_state(contact, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the server does not say whether its program runs",
				 contact->address);
	if (gcs_client_run_state(contact->client, NULL, &others) == GCS_RUNNING) {
		out_raw(out, "The program runs; nobody held it.\n");
		return CLI_DONE;
	}
	gcs_client_resume(contact->client, true);
	if (!contact_wait_state(contact, GCS_RUNNING, deadline))
		return contact_is_lost(contact)
			   ? contact_lost(contact)
			   : cli_fail("%s: the program has not gone on within %g s",
				 contact->address, (double)contact->timeout_ms / 1000);
	out_format(out, "The program goes on; %s held it.\n",
	    show_clients(clients, sizeof clients, others));
	return CLI_DONE;
}

int cmd_resume(const struct cli_arguments *arguments, struct out *out)
{
	struct contact contact;
	int code = contact_open(&contact, arguments, CONTACT_RESUME);
	if (code == CLI_DONE)
		code = resume(&contact, out);
	contact_close(&contact);
	return code;
}
