/* `gcspy attach`: the agent into a running JVM, and where it listens then (H1). */

/* realpath is in the XSI part of POSIX. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier) */

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach.h"
#include "cli.h"
#include "contact.h"
#include "json.h"

enum { OLDEST_JAVA = 11, TURN_MS = 20 };

/* A launcher that was started just now gets the time to load its JVM. */
static int find_jvm(long pid, uint64_t deadline_ms, struct jvm *jvm)
{
	enum jvm_finding finding;
	while ((finding = jvm_look(pid, jvm)) == JVM_STARTING && contact_now_ms() < deadline_ms)
		poll(NULL, 0, TURN_MS);
	if (finding == JVM_FOUND)
		return CLI_DONE;
	struct gcs_error err;
	jvm_explain(finding, jvm, &err);
	return cli_fail("%s", err.text);
}

/* What can be told of a JVM without asking it. */
static int check_jvm(const struct jvm *jvm)
{
	int major = process_java_major(jvm->version);
	if (jvm->status.state == 'T' || jvm->status.state == 't')
		return cli_fail("process %ld (%s) is stopped: let it go on first (kill -CONT %ld)",
		    jvm->pid, jvm->program, jvm->pid);
	if (major != 0 && major < OLDEST_JAVA)
		return cli_fail("process %ld (%s) runs Java %s: %d or later is needed", jvm->pid,
		    jvm->program, jvm->version, OLDEST_JAVA);
	if (jvm->no_attach)
		return cli_fail(
		    "process %ld (%s) was started with -XX:+DisableAttachMechanism: the "
		    "agent can only be given to it at its start, with -agentpath",
		    jvm->pid, jvm->program);
	return CLI_DONE;
}

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The library in the build's or the installation's folder, which is beside that of this program. */
static bool find_beside(char path[PATH_MAX])
{
	static const char *const places[] = {
	    "../lib", "../lib64", "../lib/gcspy", "../lib/" GCSPY_LIBRARY_ARCHITECTURE, "."};
	char own[PATH_MAX], guess[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
	own[length > 0 ? length : 0] = '\0';
	char *slash = strrchr(own, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		snprintf(guess, sizeof guess, "%s/%s/libgcspyagent.so", own, places[i]);
		if (is_file(guess) && realpath(guess, path) != NULL)
			return true;
	}
	return false;
}

/* The library's path as the JVM sees it. */
static int find_library(const struct jvm *jvm, const char *given, char path[PATH_MAX])
{
	char seen[PATH_MAX + 64];
	if (given == NULL && !find_beside(path))
		return cli_fail(
		    "libgcspyagent.so is not beside gcspy; --agent FILE says where it is");
	if (given != NULL && realpath(given, path) == NULL) {
		/* It may be in the JVM's file system alone. */
		if (given[0] != '/' || strlen(given) >= PATH_MAX)
			return cli_fail("--agent %s: %s", given, strerror(errno));
		memcpy(path, given, strlen(given) + 1);
	}
	if (strlen(path) > ATTACH_TEXT)
		return cli_fail("the path of the library has %zu bytes, a JVM takes at most %d",
		    strlen(path), ATTACH_TEXT);
	snprintf(seen, sizeof seen, "/proc/%ld/root%s", jvm->pid, path);
	if (is_file(seen))
		return CLI_DONE;
	if (!is_file(path))
		return cli_fail("--agent %s: there is no such file", path);
	return cli_fail("process %ld has a file system of its own, such as a container's, without "
			"%s: copy the library into it, and say with --agent where",
	    jvm->pid, path);
}

/* True if one of the options is that key. */
static bool has_option(const char *options, const char *key)
{
	size_t length = strlen(key);
	for (const char *at = options; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, key, length) == 0 && at[length] == '=')
			return true;
	}
	return false;
}

/* Any JVM may be attached to, so that a fixed port would soon be in use: it is asked for. */
static int complete_options(const char *given, char *options, size_t size)
{
	given = given == NULL ? "" : given;
	bool chosen = has_option(given, "port") || has_option(given, "socket");
	snprintf(options, size, "%s%s%s", chosen ? "" : "port=0",
	    chosen || given[0] == '\0' ? "" : ",", given);
	if (strlen(given) + 16 > size)
		return cli_usage(
		    "OPTIONS has %zu bytes: a JVM takes at most %zu", strlen(given), size - 16);
	return CLI_DONE;
}

/* What the JVM says of the agent now. */
static int report(const struct jvm *jvm, bool loaded, bool as_json, struct out *out)
{
	const struct announcement *a = &jvm->announcement;
	if (as_json) {
		struct json json;
		json_init(&json, out);
		json_object(&json, NULL);
		json_integer(&json, "pid", jvm->pid);
		json_bool(&json, "loaded", loaded);
		json_array(&json, "addresses");
		for (unsigned i = 0; i < a->count; i++)
			json_text(&json, NULL, a->addresses[i]);
		json_end(&json);
		json_end(&json);
	} else {
		out_format(out, "Process %ld %s; listening on ", jvm->pid,
		    loaded ? "has loaded the agent" : "has the agent already");
		for (unsigned i = 0; i < a->count; i++) {
			out_raw(out, i == 0 ? "" : " and ");
			out_text(out, a->addresses[i], SIZE_MAX);
		}
	}
	out_raw(out, "\n");
	if (jvm_has_own_network(jvm->pid))
		cli_warn("process %ld has a network of its own, such as a container's: its address "
			 "is to be reached from there",
		    jvm->pid);
	return CLI_DONE;
}

static int conclude(
    struct jvm *jvm, int result, const struct cli_arguments *arguments, struct out *out)
{
	enum jvm_finding finding = jvm_look(arguments->process, jvm);
	if (finding != JVM_FOUND)
		return cli_fail("process %ld has ended", arguments->process);
	if (result == 0 && jvm->announcement.count != 0)
		return report(jvm, true, arguments->json, out);
	if (result != 0 && jvm->announcement.refusal[0] != '\0')
		return cli_fail("process %ld: the agent does not start: %s", jvm->pid,
		    jvm->announcement.refusal);
	return cli_fail("process %ld: the agent has %s; the standard error of the process may say "
			"more",
	    jvm->pid, result == 0 ? "been loaded, but listens nowhere" : "refused to start");
}

int cmd_attach(const struct cli_arguments *arguments, struct out *out)
{
	char path[PATH_MAX], options[ATTACH_TEXT];
	char why[900];
	uint64_t deadline = contact_now_ms() + arguments->timeout_ms;
	struct jvm jvm;
	int result = 0;
	int code = complete_options(arguments->agent_options, options, sizeof options);
	if (code != CLI_DONE || (code = find_jvm(arguments->process, deadline, &jvm)) != CLI_DONE)
		return code;
	if (jvm.announcement.count != 0) {
		if (arguments->agent_options != NULL)
			cli_warn("process %ld has the agent already; its options stay as they are",
			    jvm.pid);
		return report(&jvm, false, arguments->json, out);
	}
	if ((code = check_jvm(&jvm)) != CLI_DONE ||
	    (code = find_library(&jvm, arguments->agent, path)) != CLI_DONE)
		return code;
	if (!attach_load(&jvm, path, options, deadline, &result, why, sizeof why))
		return cli_fail("%s", why);
	return conclude(&jvm, result, arguments, out);
}
