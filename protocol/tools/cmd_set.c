#include "contact.h"

#include <stdio.h>
#include <string.h>

#include "nearest.h"

enum { DOCUMENT = 1 };

static void write_list(
    const struct cli_arguments *a, const struct gcs_answer *answer, struct out *out)
{
	struct json json = {.text = &out->text};
	if (a->json == 0) {
		contact_write_lines(out, answer);
		return;
	}
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_object(&json, "settings");
	contact_json_lines(&json, answer);
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

static void write_result(const struct cli_arguments *a, const char *key, const char *value,
    const struct gcs_answer *answer, struct out *out)
{
	const char *words =
	    answer->message[0] == '\0' ? "The setting is accepted." : answer->message;
	struct json json = {.text = &out->text};
	if (a->json == 0) {
		out_text(out, words, SIZE_MAX);
		out_raw(out, "\n");
		return;
	}
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "key", key);
	json_text(&json, "value", value);
	json_text(&json, "message", words);
	json_end(&json);
	out_raw(out, "\n");
}

/* For a key that the server does not list: " (did you mean "interval"?); …", or what is available. "": it
 * is listed, or nothing is, or the server has another reason. */
static const char *meant(
    struct contact *contact, const char *key, const char *said, char *text, size_t size)
{
	struct gcs_error err;
	char names[32][GCS_MAX_NAME + 1], list[700] = "", words[GCS_MAX_NAME + 32];
	struct gcs_answer *answer = contact_ask(contact, "settings", 0, NULL, &err);
	struct nearest nearest = nearest_begin(key);
	uint32_t count = 0;
	bool known = false;
	const char *at = answer == NULL ? NULL : answer->bytes;
	const char *end = answer == NULL ? NULL : at + answer->length;
	for (; at != end && count < sizeof names / sizeof names[0]; count++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		const size_t length = (size_t)((stop == NULL ? end : stop) - at);
		snprintf(names[count], sizeof names[count], "%.*s",
		    (int)(length > GCS_MAX_NAME ? GCS_MAX_NAME : length), at);
		names[count][strcspn(names[count], "=")] = '\0';
		known = known || strcmp(names[count], key) == 0;
		nearest_try(&nearest, names[count]);
		cli_add_name(list, sizeof list, names[count]);
		at += length + (stop != NULL);
	}
	gcs_answer_free(answer);
	text[0] = '\0';
	if (!known && nearest_words(&nearest, words, sizeof words)[0] != '\0')
		snprintf(text, size, "%s; `gcspy set %s` lists them", words, contact->address);
	else if (!known && count != 0 && strncmp(said, "unknown setting", 15) == 0)
		snprintf(text, size, "; available: %s", list);
	return text;
}

static int change(struct contact *contact, const struct cli_arguments *a, const char *key,
    const char *value, struct out *out)
{
	uint32_t id;
	int code = CLI_DONE;
	char words[1200];
	const enum gcs_status status = gcs_client_set(contact->client, key, value, &id);
	struct gcs_answer *answer = status == GCS_OK ? contact_wait_answer(contact, id) : NULL;
	if (answer != NULL && answer->status != GCS_OK && !contact_is_lost(contact) &&
	    meant(contact, key, answer->message, words, sizeof words)[0] != '\0') {
		gcs_answer_free(answer);
		return cli_fail("%s: unknown setting \"%s\"%s", contact->address, key, words);
	}
	answer = contact_judge(contact, status, answer, &code);
	if (answer != NULL)
		write_result(a, key, value, answer, out);
	gcs_answer_free(answer);
	return code;
}

static int set(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	const char *equals = a->setting == NULL ? NULL : strchr(a->setting, '=');
	char key[GCS_MAX_NAME + 1];
	int code = CLI_DONE;
	if (equals != NULL) {
		snprintf(key, sizeof key, "%.*s", (int)(equals - a->setting), a->setting);
		return change(contact, a, key, equals + 1, out);
	}
	struct gcs_answer *answer = contact_query(contact, "settings", 0, NULL, &code);
	if (answer != NULL)
		write_list(a, answer, out);
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
