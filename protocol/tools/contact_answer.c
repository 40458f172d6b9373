/* Questions to a server: sends them, waits for the answers, says why there is none. */

#include <stdio.h>
#include <string.h>

#include "contact.h"
#include "progress.h"
#include "signals.h"

/* How often a long wait looks for a signal. */
enum { LOOK_ANSWER_MS = 250 };

/* Says in one line why the answer is a refusal. */
static int refused(struct contact *contact, const struct gcs_answer *answer)
{
	const char *words =
	    answer->message[0] == '\0' ? gcs_status_text(answer->status) : answer->message;
	if (answer->status == GCS_CLOSED && contact_is_lost(contact))
		return contact_lost(contact);
	const bool off = answer->status == GCS_STATE && contact->asks_samples;
	return cli_fail("%s: %.600s%s%s%s%s", contact->address, words, off ? "; `gcspy set " : "",
	    off ? contact->address : "", off ? " interval=512k` turns it on" : "",
	    answer->status == GCS_LIMIT ? contact_paused_words(contact).text : "");
}

static struct gcs_answer *wait_answer(struct contact *contact, uint32_t id, bool until_signal)
{
	const uint64_t deadline = now_ms() + contact->timeout_ms;
	struct gcs_answer *answer = NULL;
	progress_begin("waiting for the answer");
	while (!until_signal || !signals_seen()) {
		contact_take_in(contact);
		answer = gcs_client_answer(contact->client, id, 0);
		const uint64_t now = now_ms();
		if (answer != NULL || contact_is_lost(contact) || now >= deadline)
			break;
		contact_wait(
		    contact, deadline - now < LOOK_ANSWER_MS ? deadline : now + LOOK_ANSWER_MS);
	}
	progress_end();
	return answer;
}

struct gcs_answer *contact_wait_answer(struct contact *contact, uint32_t id)
{
	return wait_answer(contact, id, true);
}

struct gcs_answer *contact_complete_answer(struct contact *contact, uint32_t id)
{
	return wait_answer(contact, id, false);
}

struct gcs_answer *contact_ask(struct contact *contact, const char *topic, uint32_t count,
    const struct gcs_info *parameters, struct gcs_error *err)
{
	uint32_t id = 0;
	const enum gcs_status status =
	    gcs_client_query(contact->client, topic, count, parameters, &id);
	struct gcs_answer *answer = status == GCS_OK ? contact_wait_answer(contact, id) : NULL;
	if (answer != NULL && answer->status == GCS_OK)
		return answer;
	if (answer != NULL)
		gcs_fail(err, answer->status, "%s",
		    answer->message[0] == '\0' ? gcs_status_text(answer->status) : answer->message);
	else if (status != GCS_OK)
		gcs_fail(err, status, "%s", gcs_status_text(status));
	else
		gcs_fail(err, GCS_TIMEOUT, "%s",
		    signals_seen() ? "interrupted" : "no answer within the time");
	gcs_answer_free(answer);
	return NULL;
}

struct gcs_answer *contact_answer(
    struct contact *contact, enum gcs_status status, uint32_t id, int *code)
{
	return contact_judge(
	    contact, status, status == GCS_OK ? contact_wait_answer(contact, id) : NULL, code);
}

struct gcs_answer *contact_judge(
    struct contact *contact, enum gcs_status status, struct gcs_answer *answer, int *code)
{
	if (status != GCS_OK) {
		*code =
		    contact_is_lost(contact) ? contact_lost(contact)
		    : status == GCS_UNSUPPORTED
			? cli_fail("%s: the server is too old for this command", contact->address)
		    : status == GCS_ARGUMENT
			? cli_usage("the setting's key or value is too long, or empty")
			: cli_fail("%s: %s", contact->address, gcs_status_text(status));
		return NULL;
	}
	if (answer != NULL && answer->status == GCS_OK)
		return answer;
	if (answer != NULL)
		*code = refused(contact, answer);
	else if (contact_is_lost(contact))
		*code = contact_lost(contact);
	else
		*code = cli_fail("%s: no answer within %g s%s%s", contact->address,
		    (double)contact->timeout_ms / 1000, signals_seen() ? ", interrupted" : "",
		    contact_paused_words(contact).text);
	gcs_answer_free(answer);
	return NULL;
}

struct gcs_answer *contact_query(struct contact *contact, const char *topic, uint32_t count,
    const struct gcs_info *parameters, int *code)
{
	uint32_t id = 0;
	contact->asks_samples = strcmp(topic, "gc") != 0 && strcmp(topic, "histogram") != 0;
	const enum gcs_status status =
	    gcs_client_query(contact->client, topic, count, parameters, &id);
	return contact_answer(contact, status, id, code);
}

void contact_json_lines(struct json *json, const struct gcs_answer *answer)
{
	char line[GCS_MAX_TEXT + 1];
	const char *bytes = answer->bytes;
	for (size_t left = answer->length; left != 0;) {
		const char *end = memchr(bytes, '\n', left);
		const size_t n = end == NULL ? left : (size_t)(end - bytes);
		snprintf(
		    line, sizeof line, "%.*s", (int)(n < GCS_MAX_TEXT ? n : GCS_MAX_TEXT), bytes);
		char *equals = strchr(line, '=');
		if (equals != NULL) {
			*equals = '\0';
			json_text(json, line, equals + 1);
		}
		bytes += n + (end != NULL);
		left -= n + (end != NULL);
	}
}

void contact_write_lines(struct out *out, const struct gcs_answer *answer)
{
	char line[GCS_MAX_TEXT + 1];
	const char *bytes = answer->bytes;
	size_t length = answer->length;
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
