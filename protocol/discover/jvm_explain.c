/* Why a process cannot be attached to. */

#include <pwd.h>
#include <unistd.h>

#include "jvm.h"

void jvm_explain(enum jvm_finding finding, const struct jvm *jvm, struct gcs_error *err)
{
	long pid = jvm->pid;
	const char *name = jvm->name;
	const struct passwd *user;
	switch (finding) {
	case JVM_ABSENT:
		gcs_fail(
		    err, GCS_ENDED, "process %ld does not exist, or is not visible to you", pid);
		return;
	case JVM_DEAD:
		gcs_fail(err, GCS_ENDED,
		    "process %ld (%s) has ended and waits only to be reaped by its parent", pid,
		    name);
		return;
	case JVM_FOREIGN:
		/* A process with raised privileges is closed to its own user, too, and others to the root of a
		 * container. */
		if (geteuid() == 0 || jvm->status.user == (long)geteuid()) {
			gcs_fail(err, GCS_DENIED,
			    "process %ld (%s) has privileges that you lack: only root%s can attach "
			    "to it",
			    pid, name, geteuid() == 0 ? " with CAP_SYS_PTRACE" : "");
			return;
		}
		user = getpwuid((uid_t)jvm->status.user);
		gcs_fail(err, GCS_DENIED,
		    "process %ld (%s) belongs to %s (user %ld): only that user and root can "
		    "attach to it",
		    pid, name, user == NULL ? "another" : user->pw_name, jvm->status.user);
		return;
	case JVM_OPENJ9:
		gcs_fail(err, GCS_UNSUPPORTED, "process %ld (%s) runs on OpenJ9: HotSpot is needed",
		    pid, name);
		return;
	case JVM_STARTING:
		gcs_fail(
		    err, GCS_TIMEOUT, "process %ld (%s) has not started a JVM in time", pid, name);
		return;
	default:
		gcs_fail(err, GCS_UNSUPPORTED,
		    "process %ld (%s) is not a JVM: it has not loaded libjvm.so", pid, name);
	}
}
