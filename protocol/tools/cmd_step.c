#include "contact.h"
#include "report_text.h"
#include "show.h"

enum { DOCUMENT = 1 };

/* CLI_DONE if another client holds the program; else an exit code after a message. */
static int check_paused(struct contact *contact, uint64_t deadline)
{
	bool known = contact_knows_state(contact, deadline);
	if (known && gcs_client_run_state(contact->client, NULL, NULL) == GCS_RUNNING)
		return cli_fail("%s: the program is not paused; `gcspy pause %s` holds it",
		    contact->address, contact->address);
	if (known && contact_wait_state(contact, GCS_PAUSED, deadline))
		return CLI_DONE;
	if (contact_is_lost(contact))
		return contact_lost(contact);
	return cli_fail("%s: the program is about to pause but reached no event within %g s",
	    contact->address, (double)contact->timeout_ms / 1000);
}

static void write_paused(
    const struct cli_arguments *a, const struct gcs_snapshot *snapshot, struct out *out)
{
	struct json json = {.text = &out->text};
	if (a->json == 0) {
		out_raw(out, "Paused at ");
		show_occurrence(out, snapshot);
		out_raw(out, "\n");
		show_lines(out, snapshot);
		return;
	}
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "program", "paused");
	report_json_event(&json, snapshot);
	json_end(&json);
	out_raw(out, "\n");
}

static int step(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	uint64_t deadline = now_ms() + contact->timeout_ms;
	int code = check_paused(contact, deadline);
	if (code != CLI_DONE)
		return code;
	contact_leave_out_ticks(contact);
	/* Snapshots so far show the state before the step. */
	struct gcs_snapshot *next;
	while ((next = contact_next(contact, 0)) != NULL)
		gcs_snapshot_unref(next);
	gcs_client_step(contact->client);
	while ((next = contact_next(contact, deadline)) != NULL && !contact_may_hold(next))
		gcs_snapshot_unref(next);
	if (next != NULL && contact_wait_state(contact, GCS_PAUSED, deadline)) {
		write_paused(a, next, out);
	} else if (contact_is_lost(contact)) {
		code = contact_lost(contact);
	} else {
		code = cli_fail("%s: no event within %g s; the program runs on to its next one",
		    contact->address, (double)contact->timeout_ms / 1000);
	}
	gcs_snapshot_unref(next);
	return code;
}

int cmd_step(const struct cli_arguments *arguments, struct out *out)
{
	return contact_run(arguments, CONTACT_LATEST, step, out);
}
