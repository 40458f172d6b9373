/* `gcspy attach`: loads the agent into a running JVM and shows where it listens (H1). */

/* realpath is in the XSI part of POSIX. */
#define _XOPEN_SOURCE 700 /* NOLINT(bugprone-reserved-identifier) */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach.h"
#include "beside.h"
#include "contact.h"
#include "json.h"
#include "net.h"
#include "options.h"
#include "target_jvm.h"
#include "tool.h"

static bool is_file(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* The library's path as the JVM sees it. A library that is loaded already is used again, because a
 * second copy would not share its state. */
static int find_library(const struct jvm *jvm, const char *given, char path[PATH_MAX])
{
	char seen[PATH_MAX + 64];
	if (given == NULL && jvm->libraries.agent_count != 0) {
		snprintf(path, PATH_MAX, "%s", jvm->libraries.agents[0]);
		return CLI_DONE;
	}
	if (given == NULL && !beside_find("libgcspyagent.so", path))
		return cli_fail(
		    "libgcspyagent.so is not beside gcspy; --agent FILE says where it is");
	if (given != NULL && realpath(given, path) == NULL) {
		/* It may exist only in the JVM's file system. */
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
		return cli_fail("--agent %s: no such file", path);
	return cli_fail("process %ld has a file system of its own, such as a container's, without "
			"%s: copy the library into it and name it with --agent",
	    jvm->pid, path);
}

/* The value of "key=" among the options, "" for a key alone; NULL without that key. */
static const char *option_value(const char *options, const char *key)
{
	const size_t length = strlen(key);
	for (const char *at = options; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, key, length) == 0 && strchr("=,", at[length]) != NULL)
			return at + length + (at[length] == '=');
	}
	return NULL;
}

/* True unless the options say where to listen: then it is a socket that only this user can open. */
static bool takes_socket(const char *given)
{
	static const char *const keys[] = {"port", "host", "socket", "record"};
	bool chosen = false;
	for (size_t i = 0; given != NULL && i < sizeof keys / sizeof keys[0]; i++)
		chosen = chosen || option_value(given, keys[i]) != NULL;
	return !chosen;
}

/* `taken`: libgcspymalloc.so has the usual socket. */
static int complete_options(const char *given, bool taken, char *options, size_t size)
{
	/* A host without a port means a free one, because a fixed one would soon be in use. */
	const char *more =
	    takes_socket(given) ? taken ? "socket=/tmp/.gcspy_%p-agent" : "socket=/tmp/.gcspy_%p"
	    : option_value(given, "host") != NULL && option_value(given, "port") == NULL ? "port=0"
											 : "";
	given = given == NULL ? "" : given;
	if (strlen(given) + 32 > size)
		return cli_usage(
		    "OPTIONS has %zu bytes: a JVM takes at most %zu", strlen(given), size - 32);
	snprintf(
	    options, size, "%s%s%s", more, more[0] == '\0' || given[0] == '\0' ? "" : ",", given);
	return CLI_DONE;
}

/* CLI_DONE if the agent can be reached from here, or listens nowhere, as one that only records; else an
 * exit code after a message. */
static int check_addresses(const struct jvm *jvm)
{
	const struct announcement *a = &jvm->announcement;
	const bool elsewhere = jvm_has_own_network(jvm->pid);
	const char *longer = NULL, *inside = NULL;
	bool reachable = a->count == 0;
	for (unsigned i = 0; i < a->count; i++) {
		const char *address = a->addresses[i];
		if (jvm_is_path(address) && strlen(address + 5) > NET_PATH)
			longer = address;
		else if (!jvm_is_path(address) && elsewhere)
			inside = address;
		else
			reachable = true;
	}
	if (reachable && inside != NULL)
		cli_warn("process %ld has a network namespace of its own, as a container: %s is "
			 "reachable only from inside",
		    jvm->pid, inside);
	if (reachable)
		return CLI_DONE;
	if (longer != NULL)
		return cli_fail("process %ld: the path of a socket has at most %d bytes, %s has "
				"%zu: `gcspy detach %ld`, then choose a shorter one with socket=",
		    jvm->pid, NET_PATH, longer + 5, strlen(longer + 5), jvm->pid);
	return cli_fail("process %ld has a network namespace of its own, as a container: %s is "
			"reachable only from inside; `gcspy detach %ld`, then attach without port= "
			"and host= for a Unix socket, which is reachable from here",
	    jvm->pid, inside, jvm->pid);
}

static void write_report(const struct jvm *jvm, bool loaded, const char *options, struct out *out)
{
	const struct announcement *a = &jvm->announcement;
	out_format(out, "Process %ld %s", jvm->pid,
	    loaded ? "has loaded the agent" : "has the agent already");
	out_raw(out, a->count != 0 ? "; listening on " : "; ");
	for (unsigned i = 0; i < a->count; i++) {
		out_raw(out, i == 0 ? "" : " and ");
		out_text(out, a->addresses[i], SIZE_MAX);
	}
	out_text(out, a->count == 0 ? a->refusal : "", SIZE_MAX);
	out_raw(out, "\n");
	const char *interval = option_value(options, "interval");
	if (loaded && a->count != 0 && (interval == NULL || strtoul(interval, NULL, 10) == 0))
		out_format(out,
		    "Allocation sampling is off; `gcspy set %ld interval=512k` turns it on\n",
		    jvm->pid);
	if (loaded && takes_socket(options))
		out_format(out,
		    "Next: gcspy-view %ld. For TCP: gcspy detach %ld; gcspy attach %ld port=0\n",
		    jvm->pid, jvm->pid, jvm->pid);
}

/* Shows where the agent listens. */
static int report(
    const struct jvm *jvm, bool loaded, const struct cli_arguments *arguments, struct out *out)
{
	const struct announcement *a = &jvm->announcement;
	if (arguments->json) {
		struct json json = {.text = &out->text};
		json_object(&json, NULL);
		json_integer(&json, "pid", jvm->pid);
		json_bool(&json, "loaded", loaded);
		json_array(&json, "addresses");
		for (unsigned i = 0; i < a->count; i++)
			json_text(&json, NULL, a->addresses[i]);
		json_end(&json);
		json_end(&json);
		out_raw(out, "\n");
	} else {
		write_report(jvm, loaded, arguments->agent_options, out);
	}
	return check_addresses(jvm);
}

static int conclude(
    struct jvm *jvm, int result, const struct cli_arguments *arguments, struct out *out)
{
	const struct announcement *a = &jvm->announcement;
	const char *options = arguments->agent_options;
	enum jvm_finding finding = jvm_look(arguments->process, jvm);
	if (finding != JVM_FOUND)
		return cli_fail("process %ld has ended", arguments->process);
	/* An agent that only records announces that in place of a refusal. */
	if (result == 0 && (a->count != 0 || (a->refusal[0] != '\0' && options != NULL &&
						 option_value(options, "record") != NULL)))
		return report(jvm, true, arguments, out);
	if (result != 0 && a->refusal[0] != '\0' && !announcement_is_detached(a))
		return cli_fail("process %ld: the agent does not start: %s", jvm->pid, a->refusal);
	if (result == 0 && a->refusal[0] != '\0')
		return cli_fail(
		    "process %ld: the agent is there, but %s; gcspy detach %ld ends that, and "
		    "attach then makes it listen",
		    jvm->pid, a->refusal, jvm->pid);
	return cli_fail("process %ld: the agent has %s; the standard error of the process may say "
			"more",
	    jvm->pid, result == 0 ? "been loaded, but listens nowhere" : "refused to start");
}

/* Writes what the agent's own option `help` writes on the JVM's standard error. */
static int write_options(struct out *out)
{
	char line[1024];
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++) {
		const size_t length = strcspn(line, " ");
		const char *help = line + length + strspn(line + length, " ");
		line[length] = '\0';
		cli_help_row(out, line, help);
	}
	return CLI_DONE;
}

/* True if the agent listens where the options ask for, as far as they do. */
static bool listens_as_asked(const struct announcement *a, const char *options)
{
	const char *port = option_value(options, "port"), *path = option_value(options, "socket");
	const unsigned long number = port == NULL ? 0 : strtoul(port, NULL, 10);
	const size_t length = path == NULL ? 0 : strcspn(path, ",");
	bool tcp = port == NULL && option_value(options, "host") == NULL, socket = path == NULL;
	for (unsigned i = 0; i < a->count; i++) {
		const char *address = a->addresses[i], *colon = strrchr(address, ':');
		if (!jvm_is_path(address))
			tcp = tcp || number == 0 ||
			      (colon != NULL && strtoul(colon + 1, NULL, 10) == number);
		else if (path != NULL)
			/* Where the path has %p or %t, any will do. */
			socket =
			    socket || memchr(path, '%', length) != NULL ||
			    (strlen(address) >= length &&
				strncmp(address + strlen(address) - length, path, length) == 0);
	}
	return tcp && socket;
}

/* The agent has been loaded before: its options stay as they are. */
static int keep(const struct jvm *jvm, const struct cli_arguments *arguments, struct out *out)
{
	const char *options = arguments->agent_options;
	if (!listens_as_asked(&jvm->announcement, options))
		return cli_fail("process %ld has the agent already, listening on %s and not as "
				"asked: `gcspy detach %ld` first",
		    jvm->pid, jvm->announcement.addresses[0], jvm->pid);
	if (options != NULL)
		cli_warn("process %ld has the agent already; its options stay as they are: "
			 "`gcspy set %ld` changes some of them, `gcspy detach %ld` before attach "
			 "all",
		    jvm->pid, jvm->pid, jvm->pid);
	return report(jvm, false, arguments, out);
}

/* Whether the JVM's user can read the library, as far as root can tell by becoming that user. */
static bool is_readable(const struct jvm *jvm, const char *path)
{
	if (geteuid() != 0 || jvm->status.user == 0 || setegid((gid_t)jvm->status.group) != 0 ||
	    seteuid((uid_t)jvm->status.user) != 0)
		return true;
	const bool readable = faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0;
	if (seteuid(0) != 0 || setegid(0) != 0)
		exit(cli_fail("cannot become root again: %s", strerror(errno)));
	return readable;
}

int cmd_attach(const struct cli_arguments *arguments, struct out *out)
{
	char path[PATH_MAX], options[ATTACH_TEXT], why[900];
	uint64_t deadline = now_ms() + arguments->timeout_ms;
	struct jvm jvm;
	int result = 0;
	if (option_value(arguments->agent_options, "help") != NULL)
		return write_options(out);
	int code = complete_options(arguments->agent_options, false, options, sizeof options);
	if (code != CLI_DONE ||
	    (code = target_jvm_find(arguments->process, deadline, &jvm)) != CLI_DONE)
		return code;
	if (jvm.announcement.count != 0)
		return keep(&jvm, arguments, out);
	if (jvm.has_native_heap)
		code = complete_options(arguments->agent_options, true, options, sizeof options);
	if (code != CLI_DONE || (code = target_jvm_check(&jvm)) != CLI_DONE ||
	    (code = find_library(&jvm, arguments->agent, path)) != CLI_DONE)
		return code;
	if (!attach_load(&jvm, path, options, deadline, &result, why, sizeof why))
		return is_readable(&jvm, path)
			   ? cli_fail("%s", why)
			   : cli_fail("%s; user %ld cannot read %s: copy it to a folder which that "
				      "user can read, and name it with --agent",
				 why, jvm.status.user, path);
	return conclude(&jvm, result, arguments, out);
}
