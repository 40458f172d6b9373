#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer_text.h"
#include "contact.h"
#include "fired_text.h"
#include "operand.h"
#include "trace_walk.h"

/* Grows when a key changes its meaning. */
enum { DOCUMENT = 1 };

/* Wait for the state of the spaces, which a question may be about; a server that sends it only at
 * events answers without. */
enum { STATE_MS = 2000 };

/* The value when the parameter is left out; a space has a name. */
static void write_default(struct out *out, const struct gcs_model *m, const struct gcs_parameter *p)
{
	const unsigned long space = strtoul(p->initial, NULL, 10);
	if (p->initial[0] == '\0')
		out_raw(out, "none");
	else
		out_text(out, p->initial, SIZE_MAX);
	if (p->kind != GCS_PARAMETER_SPACE || space >= m->space_count || m->spaces[space].gone)
		return;
	out_raw(out, ", ");
	out_text(out, m->spaces[space].name, SIZE_MAX);
}

static void write_parameter(
    struct out *out, const struct gcs_model *m, const struct gcs_parameter *p)
{
	static const char *const kinds[GCS_PARAMETER_KIND_COUNT] = {
	    [GCS_PARAMETER_NUMBER] = "a number",
	    [GCS_PARAMETER_TEXT] = "a text",
	    [GCS_PARAMETER_SPACE] = "a space, by its name or number",
	    [GCS_PARAMETER_TILE] = "the number of a tile of that space",
	    [GCS_PARAMETER_ADDRESS] = "an address such as 0x7f00",
	    [GCS_PARAMETER_LENGTH] = "a number of bytes such as 64k",
	};
	out_spaces(out, 4);
	out_text(out, p->name, SIZE_MAX);
	out_raw(out, ": ");
	if (p->kind != GCS_PARAMETER_ENUM)
		out_raw(out, kinds[p->kind]);
	for (uint32_t i = 0; p->kind == GCS_PARAMETER_ENUM && i < p->enum_count; i++) {
		out_raw(out, i == 0 ? "" : i + 1 < p->enum_count ? ", " : " or ");
		out_text(out, p->enum_names[i], SIZE_MAX);
	}
	if (p->initial == NULL) {
		out_raw(out, "; required");
	} else {
		out_raw(out, "; default: ");
		write_default(out, m, p);
	}
	out_raw(out, "\n");
	if (p->description[0] != '\0') {
		out_spaces(out, 8);
		out_wrapped(out, 8, 8, p->description);
	}
}

static void list_text(const struct gcs_model *m, struct out *out)
{
	if (m->plugin_count == 0)
		out_raw(out, "The server has no plugins.\n");
	for (uint32_t i = 0; i < m->plugin_count; i++) {
		const struct gcs_plugin *p = &m->plugins[i];
		out_raw(out, p->name); /* letters, digits and hyphens */
		out_raw(out, ": ");
		out_text(out, p->title, SIZE_MAX);
		out_format(out, " (%s)\n", answer_kind_name(p->kind));
		if (p->description[0] != '\0') {
			out_spaces(out, 4);
			out_wrapped(out, 4, 4, p->description);
		}
		for (uint32_t k = 0; k < p->parameter_count; k++)
			write_parameter(out, m, &p->parameters[k]);
	}
}

static void list_json(const struct gcs_model *m, struct out *out)
{
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_array(&json, "plugins");
	for (uint32_t i = 0; i < m->plugin_count; i++) {
		json_object(&json, NULL);
		json_text(&json, "name", m->plugins[i].name);
		json_text(&json, "title", m->plugins[i].title);
		json_text(&json, "description", m->plugins[i].description);
		json_text(&json, "kind", answer_kind_name(m->plugins[i].kind));
		json_array(&json, "parameters");
		for (uint32_t k = 0; k < m->plugins[i].parameter_count; k++) {
			const struct gcs_parameter *p = &m->plugins[i].parameters[k];
			json_object(&json, NULL);
			json_text(&json, "name", p->name);
			json_text(&json, "description", p->description);
			json_text(&json, "kind", answer_parameter_kind_name(p->kind));
			if (p->initial == NULL)
				json_null(&json, "initial");
			else
				json_text(&json, "initial", p->initial);
			json_array(&json, "names");
			for (uint32_t n = 0; n < p->enum_count; n++)
				json_text(&json, NULL, p->enum_names[n]);
			json_end(&json);
			json_end(&json);
		}
		json_end(&json);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	out_raw(out, "\n");
}

/* The parameters of the command line: KEY=VALUE each, where a space may have its name as value. */
struct question {
	struct gcs_info parameters[GCS_MAX_PARAMETERS];
	char keys[GCS_MAX_PARAMETERS][GCS_MAX_NAME + 1];
	char spaces[GCS_MAX_PARAMETERS][12];
};

static bool is_digits(const char *text)
{
	return text[0] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static int unknown_space(
    const struct gcs_model *m, const struct gcs_info *given, const char *address)
{
	char list[700] = "";
	for (uint32_t i = 0; i < m->space_count; i++)
		if (!m->spaces[i].gone)
			cli_add_name(list, sizeof list, m->spaces[i].name);
	return cli_fail("%s: %s: no space \"%s\"; the server has %s", address, given->key,
	    given->value, list[0] == '\0' ? "none" : list);
}

static int take_space(const struct gcs_model *m, const struct gcs_plugin *plugin,
    struct gcs_info *given, const char *address, char *number, size_t size)
{
	for (uint32_t i = 0; i < plugin->parameter_count; i++) {
		const struct gcs_parameter *p = &plugin->parameters[i];
		if (p->kind != GCS_PARAMETER_SPACE || strcmp(p->name, given->key) != 0)
			continue;
		const uint32_t space = gcs_model_find_space(m, given->value);
		if (space == GCS_NONE)
			return is_digits(given->value) ? CLI_DONE
						       : unknown_space(m, given, address);
		snprintf(number, size, "%u", (unsigned)space);
		given->value = number;
	}
	return CLI_DONE;
}

static int take_parameters(struct question *q, const struct gcs_model *m,
    const struct gcs_plugin *plugin, const struct cli_arguments *a)
{
	for (uint32_t i = 0; i < a->parameter_count; i++) {
		const char *equals = strchr(a->parameters[i], '=');
		snprintf(q->keys[i], sizeof q->keys[i], "%.*s", (int)(equals - a->parameters[i]),
		    a->parameters[i]);
		q->parameters[i] = (struct gcs_info){.key = q->keys[i], .value = equals + 1};
		const int code = take_space(
		    m, plugin, &q->parameters[i], a->address, q->spaces[i], sizeof q->spaces[i]);
		if (code != CLI_DONE)
			return code;
	}
	return CLI_DONE;
}

/* What has to be given and is not; servers say so too, with an empty end where they do not describe it. */
static int check_required(
    const struct question *q, const struct gcs_plugin *plugin, const struct cli_arguments *a)
{
	for (uint32_t i = 0; i < plugin->parameter_count; i++) {
		const struct gcs_parameter *p = &plugin->parameters[i];
		bool given = p->initial != NULL;
		for (uint32_t k = 0; k < a->parameter_count; k++)
			given = given || strcmp(q->keys[k], p->name) == 0;
		if (!given)
			return cli_fail("%s: %s: missing%s%s", a->address, p->name,
			    p->description[0] == '\0' ? "" : "; ", p->description);
	}
	return CLI_DONE;
}

static int unknown_plugin(const struct gcs_model *m, const struct cli_arguments *a)
{
	char list[700] = "";
	for (uint32_t i = 0; i < m->plugin_count; i++)
		cli_add_name(list, sizeof list, m->plugins[i].name);
	return cli_usage("%s: unknown plugin \"%s\"; the server has %s", a->address, a->plugin,
	    list[0] == '\0' ? "none" : list);
}

static bool write_answer(const struct gcs_plugin *plugin, const struct gcs_answer *answer,
    const struct cli_arguments *a, struct out *out, struct gcs_error *err)
{
	if (!a->json)
		return answer_write_text(out, plugin->kind, answer->bytes, answer->length, err);
	struct json json = {.text = &out->text};
	json_object(&json, NULL);
	json_integer(&json, "format", DOCUMENT);
	json_text(&json, "plugin", plugin->name);
	const bool ok = answer_write_json(&json, plugin->kind, answer->bytes, answer->length, err);
	json_end(&json);
	out_raw(out, "\n");
	return ok;
}

static int ask_plugin(struct contact *contact, const struct gcs_model *m,
    const struct gcs_plugin *plugin, const struct cli_arguments *a, struct out *out)
{
	struct question q;
	struct gcs_error err;
	uint32_t id = 0;
	int code = CLI_DONE;
	const uint32_t limit = a->timeout_ms < STATE_MS ? a->timeout_ms : STATE_MS;
	gcs_snapshot_unref(contact_next(contact, now_ms() + limit));
	code = take_parameters(&q, m, plugin, a);
	if (code == CLI_DONE)
		code = check_required(&q, plugin, a);
	if (code != CLI_DONE)
		return code;
	const enum gcs_status status =
	    gcs_client_query(contact->client, plugin->name, a->parameter_count, q.parameters, &id);
	struct gcs_answer *answer = contact_answer(contact, status, id, &code);
	if (answer != NULL && !write_answer(plugin, answer, a, out, &err))
		code = cli_fail("%s: %s", a->address, err.text);
	gcs_answer_free(answer);
	return code;
}

static int ask(struct contact *contact, const struct cli_arguments *a, struct out *out)
{
	struct gcs_model *m = gcs_client_model(contact->client);
	int code = CLI_DONE;
	if (a->plugin == NULL) {
		(a->json ? list_json : list_text)(m, out);
	} else {
		const uint32_t plugin = gcs_model_find_plugin(m, a->plugin);
		code = plugin == GCS_NONE ? unknown_plugin(m, a)
					  : ask_plugin(contact, m, &m->plugins[plugin], a, out);
	}
	gcs_model_unref(m);
	return code;
}

/* What plugins have answered to triggers while it was recorded. */
static int ask_recording(const struct cli_arguments *a, struct out *out)
{
	struct gcs_error err;
	struct gcs_trace_info info;
	struct trace_walk walk;
	struct gcs_snapshot *s;
	uint64_t answers = 0;
	if (a->parameter_count != 0)
		return cli_usage(
		    "ask: %s is a recording; its answers are to triggers, which have no "
		    "parameters",
		    a->address);
	struct gcs_trace *trace = gcs_trace_open(a->address, &err);
	if (trace == NULL)
		return cli_fail("%s: %s", a->address, err.text);
	gcs_trace_get_info(trace, &info);
	err.status = GCS_OK;
	trace_walk_begin(&walk, trace, 0, info.events == 0 ? 0 : info.events - 1, false);
	while (info.events != 0 && (s = trace_walk_next(&walk, &err)) != NULL) {
		for (uint32_t i = 0; i < gcs_snapshot_fired_count(s); i++) {
			const struct gcs_fired *f = gcs_snapshot_fired(s, i);
			if (f->plugin[0] == '\0' ||
			    (a->plugin != NULL && strcmp(f->plugin, a->plugin) != 0))
				continue;
			(a->json ? fired_write_json : fired_write_text)(out, s, f);
			answers++;
		}
		gcs_snapshot_unref(s);
	}
	gcs_trace_close(trace);
	if (err.status != GCS_OK)
		return cli_fail("%s: %s", a->address, err.text);
	if (answers == 0)
		return cli_fail("%s: no trigger has asked %s%s", a->address,
		    a->plugin == NULL ? "a plugin" : "the plugin ",
		    a->plugin == NULL ? "" : a->plugin);
	return CLI_DONE;
}

int cmd_ask(const struct cli_arguments *a, struct out *out)
{
	for (uint32_t i = 0; i < a->parameter_count; i++) {
		const size_t length = strcspn(a->parameters[i], "=");
		if (length == 0 || length > GCS_MAX_NAME || a->parameters[i][length] == '\0')
			return cli_usage(
			    "ask: \"%s\": expected KEY=VALUE; `gcspy ask %s` lists the "
			    "parameters",
			    a->parameters[i], a->address);
	}
	if (source_is_file(a->address))
		return ask_recording(a, out);
	return contact_run(a, CONTACT_LATEST, ask, out);
}
