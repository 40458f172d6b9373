/* `gcspy list`: the running JVMs and their agents (H1), and programs of `gcspy run`. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "json.h"
#include "jvm.h"
#include "tool.h"

/* Columns of the text, and the gap after each. */
enum { PID_WIDTH = 7, PROGRAM_WIDTH = 40, JAVA_WIDTH = 12, GAP = 2 };

/* Version of the JSON document; it grows when a key changes its meaning. */
enum { LIST_FORMAT = 1 };

static bool has_agent(const struct jvm *jvm)
{
	return jvm->libraries.agent_count != 0 || jvm->announcement.count != 0;
}

static void write_json(struct json *json, const struct jvm *jvm)
{
	json_object(json, NULL);
	json_integer(json, "pid", jvm->pid);
	json_text(json, "program", jvm->program);
	if (jvm->version[0] != '\0')
		json_text(json, "java", jvm->version);
	else
		json_null(json, "java");
	json_bool(json, "agent", has_agent(jvm));
	json_array(json, "addresses");
	for (unsigned i = 0; i < jvm->announcement.count; i++)
		json_text(json, NULL, jvm->announcement.addresses[i]);
	json_end(json);
	if (jvm->announcement.refusal[0] != '\0')
		json_text(json, "refusal", jvm->announcement.refusal);
	else
		json_null(json, "refusal");
	json_end(json);
}

/* Of a long path only the file name is shown. */
static void write_program(struct out *out, const char *program)
{
	const char *slash = strrchr(program, '/');
	if (out_columns(program) > PROGRAM_WIDTH && slash != NULL)
		program = slash + 1;
	out_padded(out, program, PROGRAM_WIDTH);
	out_spaces(out, GAP);
}

static void write_text(struct out *out, const struct jvm *jvm)
{
	const struct announcement *a = &jvm->announcement;
	out_format(out, "%*ld", PID_WIDTH, jvm->pid);
	out_spaces(out, GAP);
	write_program(out, jvm->program);
	const char *unknown = jvm->libraries.jvm[0] == '\0' ? "-" : "?"; /* "-": it has none */
	out_padded(out, jvm->version[0] == '\0' ? unknown : jvm->version, JAVA_WIDTH);
	out_spaces(out, GAP);
	for (unsigned i = 0; i < a->count; i++) {
		out_raw(out, i == 0 ? "" : " ");
		out_text(out, a->addresses[i], SIZE_MAX);
	}
	if (a->count == 0)
		out_raw(out, announcement_is_detached(a) ? "detached"
			     : has_agent(jvm)            ? "does not listen"
							 : "-");
	out_raw(out, "\n");
}

static void write_head(struct out *out)
{
	out_format(out, "%*s  %-*s  %-*s  %s\n", PID_WIDTH, "PID", PROGRAM_WIDTH, "PROGRAM",
	    JAVA_WIDTH, "JAVA", "AGENT");
}

int cmd_list(const struct cli_arguments *arguments, struct out *out)
{
	size_t count, found = 0;
	struct json json = {.text = &out->text};
	struct jvm jvm;
	long *pids = jvm_processes(&count);
	if (pids == NULL)
		return cli_fail("cannot read /proc");
	if (arguments->json) {
		json_object(&json, NULL);
		json_integer(&json, "format", LIST_FORMAT);
		json_array(&json, "jvms");
	}
	for (size_t i = 0; i < count; i++) {
		if (jvm_look(pids[i], &jvm) != JVM_FOUND && jvm.announcement.count == 0)
			continue;
		if (found++ == 0 && !arguments->json)
			write_head(out);
		if (arguments->json)
			write_json(&json, &jvm);
		else
			write_text(out, &jvm);
	}
	free(pids);
	if (arguments->json) {
		json_end(&json);
		json_end(&json);
		out_raw(out, "\n");
	} else if (found == 0) {
		out_raw(
		    out, geteuid() == 0 ? "No JVM is running.\n" : "No JVM of yours is running.\n");
	}
	return CLI_DONE;
}
