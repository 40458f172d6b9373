#include "contact.h"
#include "report_text.h"
#include "show.h"
#include "signals.h"

#include <inttypes.h>

enum { DOCUMENT = 1 };

static void write_line(struct out *out, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	show_occurrence(out, snapshot);
	if (missed != 0)
		out_format(out, "  (%" PRIu64 " missed before)", missed);
	out_raw(out, "\n");
	show_lines(out, snapshot);
}

static void write_json(struct out *out, const struct gcs_snapshot *snapshot, uint64_t missed)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	report_json_event(&json, snapshot);
	json_unsigned(&json, "missed", missed);
	json_end(&json);
	out_raw(out, "\n");
}

static int watch(struct contact *contact, const struct cli_arguments *arguments, struct out *out)
{
	uint64_t deadline =
	    arguments->seconds_ms == 0 ? UINT64_MAX : now_ms() + arguments->seconds_ms;
	uint64_t missed = 0, seen = 0;
	signals_catch(contact->wake[1]);
	for (uint32_t i = 0; arguments->events == 0 || i < arguments->events; i++) {
		struct gcs_snapshot *next =
		    contact_next_at(contact, arguments->event, out, deadline);
		contact_say_notice(contact);
		if (next == NULL && out->error != 0)
			return cli_output_failed(out);
		if (next == NULL && contact_is_lost(contact))
			return contact_lost(contact);
		if (next == NULL) {
			if (seen == 0 && now_ms() >= deadline)
				cli_warn("%s: no event within %g s", contact->address,
				    (double)arguments->seconds_ms / 1000);
			return CLI_DONE;
		}
		seen += gcs_snapshot_occurrence(next)->event != GCS_NONE;
		uint64_t all =
		    gcs_snapshot_occurrence(next)->missed + gcs_client_overrun(contact->client);
		(arguments->json != 0 ? write_json : write_line)(
		    out, next, all > missed ? all - missed : 0);
		missed = all;
		gcs_snapshot_unref(next);
		if (!out_flush(out))
			return cli_output_failed(out);
	}
	return CLI_DONE;
}

int cmd_watch(const struct cli_arguments *arguments, struct out *out)
{
	return contact_run(arguments, CONTACT_EVENTS, watch, out);
}
