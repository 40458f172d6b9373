#include "target_jvm.h"

#include <poll.h>

#include "contact.h"
#include "progress.h"
#include "tool.h"

enum { OLDEST_JAVA = 11, TURN_MS = 20 };

int target_jvm_find(long pid, uint64_t deadline_ms, struct jvm *jvm)
{
	enum jvm_finding finding;
	progress_begin("waiting for the JVM");
	while ((finding = jvm_look(pid, jvm)) == JVM_STARTING && now_ms() < deadline_ms)
		poll(NULL, 0, TURN_MS);
	progress_end();
	if (finding == JVM_FOUND)
		return CLI_DONE;
	struct gcs_error err;
	jvm_explain(finding, jvm, &err);
	return cli_fail("%s", err.text);
}

int target_jvm_check(const struct jvm *jvm)
{
	int major = process_java_major(jvm->version);
	if (jvm->status.state == 'T' || jvm->status.state == 't')
		return cli_fail("process %ld (%s) is stopped: continue it first (kill -CONT %ld)",
		    jvm->pid, jvm->program, jvm->pid);
	if (major != 0 && major < OLDEST_JAVA)
		return cli_fail("process %ld (%s) runs Java %s: %d or later is needed", jvm->pid,
		    jvm->program, jvm->version, OLDEST_JAVA);
	if (jvm->no_attach)
		return cli_fail(
		    "process %ld (%s) was started with -XX:+DisableAttachMechanism: the "
		    "agent can only be loaded at its start, with -agentpath, and not detached",
		    jvm->pid, jvm->program);
	return CLI_DONE;
}
