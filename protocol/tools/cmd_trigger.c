/*
 * `gcspy trigger`: sets a trigger and writes a line whenever it fires, lists the triggers, removes one.
 *
 * The trigger belongs to the connection, unless it is kept: however this process ends, the server
 * removes it and lets the program go on.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contact.h"
#include "fired_text.h"
#include "operand.h"
#include "report_text.h"
#include "show.h"
#include "trigger_command.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

/* The words of --do, in their order. */
enum { DO_PAUSE, DO_RECORD, DO_COMMAND };

/* What a trigger does, in words. */
static const char *actions_text(char *buffer, size_t size, const struct gcs_trigger *t)
{
	static const struct {
		uint32_t bit;
		const char *word;
	} words[] = {{GCS_TRIGGER_PAUSE, "pause"}, {GCS_TRIGGER_RECORD, "record"},
	    {GCS_TRIGGER_KEEP, "keep"}};
	buffer[0] = '\0';
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		const size_t used = strlen(buffer);
		if ((t->actions & words[i].bit) != 0)
			snprintf(buffer + used, size - used, "%s%s", used == 0 ? "" : ", ",
			    words[i].word);
	}
	return buffer[0] == '\0' ? "-" : buffer;
}

/* The list. */

/* "2nd", "3rd", "11th" */
static const char *ordinal(uint64_t n)
{
	const bool teen = n % 100 / 10 == 1;
	return teen || n % 10 > 3 || n % 10 == 0 ? "th"
	       : n % 10 == 1                     ? "st"
	       : n % 10 == 2                     ? "nd"
						 : "rd";
}

static void list_text(struct out *out, const struct gcs_trigger_state *t, uint32_t count)
{
	size_t width = strlen("Name");
	char fired[32], actions[64];
	for (uint32_t i = 0; i < count; i++) {
		const size_t columns = out_columns(t[i].trigger.name);
		width = columns > width ? columns : width;
	}
	width = width > 40 ? 40 : width;
	if (count == 0)
		out_raw(out, "No triggers are set.\n");
	else
		out_format(out, "%-*s  %8s  %-14s  %s\n", (int)width, "Name", "Fired", "Does",
		    "Condition");
	for (uint32_t i = 0; i < count; i++) {
		snprintf(fired, sizeof fired, "%" PRIu64, t[i].times);
		out_padded(out, t[i].trigger.name, width);
		out_format(out, "  %8s  %-14s  ", fired,
		    actions_text(actions, sizeof actions, &t[i].trigger));
		out_text(out, t[i].trigger.condition, SIZE_MAX);
		if (t[i].trigger.nth > 1)
			out_format(out, " (every %" PRIu64 "%s time)", t[i].trigger.nth,
			    ordinal(t[i].trigger.nth));
		if (t[i].trigger.most != 0)
			out_format(out, " (at most %" PRIu64 " time%s)", t[i].trigger.most,
			    t[i].trigger.most == 1 ? "" : "s");
		out_raw(out, "\n");
	}
}

static void list_json(struct out *out, const struct gcs_trigger_state *t, uint32_t count)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_array(&json, "triggers");
	for (uint32_t i = 0; i < count; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", t[i].trigger.name);
		json_text(&json, "condition", t[i].trigger.condition);
		json_bool(&json, "pause", (t[i].trigger.actions & GCS_TRIGGER_PAUSE) != 0);
		json_bool(&json, "record", (t[i].trigger.actions & GCS_TRIGGER_RECORD) != 0);
		json_bool(&json, "keep", (t[i].trigger.actions & GCS_TRIGGER_KEEP) != 0);
		json_unsigned(&json, "nth", t[i].trigger.nth);
		json_unsigned(&json, "most", t[i].trigger.most);
		json_text(&json, "plugin", t[i].trigger.plugin);
		json_unsigned(&json, "times", t[i].times);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

static int list(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	struct gcs_error err;
	int code = CLI_DONE;
	uint32_t count;
	struct gcs_answer *answer = contact_query(contact, "triggers", 0, NULL, &code);
	if (answer == NULL)
		return code;
	struct gcs_trigger_state *triggers =
	    gcs_triggers_decode(answer->bytes, answer->length, &count, &err);
	if (triggers == NULL)
		code = cli_fail("%s: %s", a->address, err.text);
	else
		(a->json ? list_json : list_text)(out, triggers, count);
	gcs_triggers_free(triggers);
	gcs_answer_free(answer);
	return code;
}

static int remove_trigger(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	uint32_t id = 0;
	int code = CLI_DONE;
	const enum gcs_status status = gcs_client_remove_trigger(contact->client, a->remove, &id);
	struct gcs_answer *answer = contact_answer(contact, status, id, &code);
	if (answer != NULL) {
		out_text(out, answer->message, SIZE_MAX);
		out_raw(out, "\n");
	}
	gcs_answer_free(answer);
	return code;
}

/* A fire. */

static const struct gcs_fired *fire_of(const struct gcs_snapshot *s, const char *name)
{
	for (uint32_t i = 0; i < gcs_snapshot_fired_count(s); i++)
		if (strcmp(gcs_snapshot_fired(s, i)->trigger, name) == 0)
			return gcs_snapshot_fired(s, i);
	return NULL;
}

static void write_fire(struct out *out, const struct cli_arguments *a,
    const struct gcs_trigger *trigger, const struct gcs_snapshot *s, const struct gcs_fired *f)
{
	(a->json ? fired_write_json : fired_write_text)(out, s, f);
	if (a->json || (trigger->actions & GCS_TRIGGER_PAUSE) == 0)
		return;
	char quoted[4 * GCS_MAX_NAME + 8];
	operand_quote(quoted, sizeof quoted, a->address);
	out_raw(out, "The program is paused; `gcspy resume ");
	out_text(out, quoted, SIZE_MAX);
	out_raw(out, "` or the end of this command resumes it.\n");
}

/* Setting and waiting. */

/* Only what has fired is wanted. */
static void want_nothing(struct contact *contact)
{
	static const struct gcs_filter off = {.enabled = false, .period = 1};
	struct gcs_model *m = gcs_client_model(contact->client);
	for (uint32_t i = 0; i < m->event_count; i++)
		gcs_client_set_filter(contact->client, i, &off);
	gcs_model_unref(m);
}

static int set_trigger(struct contact *contact, const struct gcs_trigger *trigger)
{
	uint32_t id = 0;
	int code = CLI_DONE;
	const enum gcs_status status = gcs_client_set_trigger(contact->client, trigger, &id);
	if (status == GCS_ARGUMENT)
		return cli_usage("the condition has more than %u bytes, or a name more than %u",
		    GCS_MAX_TEXT, GCS_MAX_NAME);
	gcs_answer_free(contact_answer(contact, status, id, &code));
	return code;
}

/* The program is paused for us, which the server says after the event: ends when a client resumes
 * it. */
static int stay(struct contact *contact)
{
	const uint64_t limit = now_ms() + contact->timeout_ms;
	bool own = false, held = false;
	while (!contact_is_lost(contact)) {
		contact_drain(contact);
		gcs_client_run_state(contact->client, &own, NULL);
		if (held && !own)
			break;
		held = held || own;
		if (!contact_is_lost(contact) && !contact_wait(contact, held ? UINT64_MAX : limit))
			break;
	}
	return contact_is_lost(contact) ? contact_lost(contact) : CLI_DONE;
}

static int follow(struct contact *contact, const struct cli_arguments *a,
    const struct gcs_trigger *trigger, struct out *out)
{
	uint64_t times = 0;
	if (isatty(STDERR_FILENO) == 1)
		fputs("The trigger is set; waiting until it fires. Ctrl-C ends it.\n", stderr);
	while (a->most == 0 || times < a->most) {
		struct gcs_snapshot *next = contact_next_at(contact, NULL, out, UINT64_MAX);
		contact_say_notice(contact);
		if (next == NULL)
			return out->error != 0 ? cli_output_failed(out) : contact_lost(contact);
		const struct gcs_fired *f = fire_of(next, trigger->name);
		if (f != NULL) {
			times = f->times;
			write_fire(out, a, trigger, next, f);
		}
		const bool written = out_flush(out);
		if (written && f != NULL && a->command != NULL)
			trigger_run_command(a->command, next, f);
		gcs_snapshot_unref(next);
		if (!written)
			return cli_output_failed(out);
	}
	return (trigger->actions & GCS_TRIGGER_PAUSE) != 0 ? stay(contact) : CLI_DONE;
}

static int trigger(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	char name[40];
	snprintf(name, sizeof name, "gcspy-%ld", (long)getpid());
	const struct gcs_trigger t = {.name = a->name == NULL ? name : a->name,
	    .condition = a->condition,
	    .actions = (a->action == DO_PAUSE ? GCS_TRIGGER_PAUSE : 0u) |
		       (a->action == DO_RECORD ? GCS_TRIGGER_RECORD : 0u) |
		       (a->keep ? GCS_TRIGGER_KEEP : 0u),
	    .nth = a->nth,
	    .most = a->most,
	    .plugin = a->asked};
	if (a->list)
		return list(contact, a, out);
	if (a->remove != NULL)
		return remove_trigger(contact, a, out);
	want_nothing(contact);
	const int code = set_trigger(contact, &t);
	if (code != CLI_DONE)
		return code;
	if (!a->keep)
		return follow(contact, a, &t, out);
	char quoted[4 * GCS_MAX_NAME + 8];
	out_format(out, "The trigger is set; `gcspy trigger ");
	operand_quote(quoted, sizeof quoted, a->address);
	out_text(out, quoted, SIZE_MAX);
	out_raw(out, " --remove ");
	operand_quote(quoted, sizeof quoted, t.name);
	out_text(out, quoted, SIZE_MAX);
	out_raw(out, "` removes it.\n");
	return CLI_DONE;
}

int cmd_trigger(const struct cli_arguments *a, struct out *out)
{
	const int jobs = (a->condition != NULL) + a->list + (a->remove != NULL);
	if (source_is_file(a->address))
		return cli_usage(
		    "trigger: %s is a file; triggers work in a running program", a->address);
	if (jobs != 1)
		return cli_usage("trigger needs one of a CONDITION, --list and --remove NAME");
	if (a->condition != NULL && a->condition[strspn(a->condition, " \t")] == '\0')
		return cli_usage("the condition is empty; one is \"Pause > 10ms\"");
	if (a->name != NULL && a->name[0] == '\0')
		return cli_usage("--name: the name is empty");
	if ((a->action == DO_COMMAND) != (a->command != NULL))
		return cli_usage("--do command needs --command, and --command needs it");
	if (a->keep && (a->action == DO_PAUSE || a->action == DO_COMMAND))
		return cli_usage("--keep: a trigger with --do %s ends with this program",
		    a->action == DO_PAUSE ? "pause" : "command");
	return contact_run(a, CONTACT_EVENTS, trigger, out);
}
