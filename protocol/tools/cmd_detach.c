/* `gcspy detach`: closes the sockets and threads of the agent until it is attached again. */

#include <stdio.h>

#include "attach.h"
#include "contact.h"
#include "target_jvm.h"
#include "tool.h"

static int done(const struct jvm *jvm, const struct cli_arguments *a, bool already, struct out *out)
{
	if (a->json != 0)
		out_format(out, "{\"format\": 1, \"pid\": %ld, \"already\": %s}\n", jvm->pid,
		    already ? "true" : "false");
	else
		out_format(out,
		    "Process %ld: the agent has closed its sockets and threads%s; `gcspy attach "
		    "%ld` opens them again\n",
		    jvm->pid, already ? " already" : "", jvm->pid);
	return CLI_DONE;
}

/* Asks the agent at each of the paths until none listens. */
static int detach(
    struct jvm *jvm, const struct cli_arguments *a, uint64_t deadline_ms, struct out *out)
{
	const struct process_libraries libraries = jvm->libraries;
	const long pid = jvm->pid;
	char why[900] = "";
	int result = 0;
	for (unsigned i = 0; i < libraries.agent_count; i++) {
		if (!attach_load(
			jvm, libraries.agents[i], "detach", deadline_ms, &result, why, sizeof why))
			return cli_fail("%s", why);
		if (jvm_look(pid, jvm) != JVM_FOUND)
			return cli_fail("process %ld has ended", pid);
		if (announcement_is_detached(&jvm->announcement))
			return done(jvm, a, false, out);
	}
	if (result != 0 && jvm->announcement.refusal[0] != '\0')
		return cli_fail(
		    "process %ld: the agent has not detached: %s", pid, jvm->announcement.refusal);
	return cli_fail(
	    "process %ld: the agent has not detached; it may be of an older version, or "
	    "the standard error of the process may say more",
	    pid);
}

int cmd_detach(const struct cli_arguments *arguments, struct out *out)
{
	uint64_t deadline = now_ms() + arguments->timeout_ms;
	struct jvm jvm;
	int code = target_jvm_find(arguments->process, deadline, &jvm);
	if (code != CLI_DONE)
		return code;
	if (announcement_is_detached(&jvm.announcement))
		return done(&jvm, arguments, true, out);
	if (jvm.libraries.agent_count == 0)
		return cli_fail("process %ld (%s) has not loaded the agent", jvm.pid, jvm.program);
	code = target_jvm_check(&jvm);
	return code == CLI_DONE ? detach(&jvm, arguments, deadline, out) : code;
}
