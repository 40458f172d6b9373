#include "resolve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jvm.h"
#include "jvm_name.h"
#include "net.h"
#include "served_address.h"

enum { LISTENS_MS = 1000 };

static const char old[] = "2002:", process[] = "pid:";

/* The whole of `text` as a positive number, or 0. */
static long number_of(const char *text)
{
	size_t digits = strspn(text, "0123456789");
	return digits == 0 || digits > 10 || text[digits] != '\0' ? 0 : strtol(text, NULL, 10);
}

/* The best of the addresses of a JVM, or NULL with the reason in `err`. */
static const char *choose(const struct jvm *jvm, struct gcs_error *err)
{
	const struct announcement *a = &jvm->announcement;
	const bool elsewhere = jvm_has_own_network(jvm->pid);
	const char *tcp = NULL, *longer = NULL;
	for (unsigned i = 0; i < a->count; i++) {
		const bool path = jvm_is_path(a->addresses[i]);
		if (path && strlen(a->addresses[i] + 5) <= NET_PATH)
			return a->addresses[i];
		*(path ? &longer : &tcp) = a->addresses[i];
	}
	if (tcp != NULL && !elsewhere)
		return tcp;
	if (longer != NULL)
		gcs_fail(err, GCS_LIMIT,
		    "process %ld listens at %.160s: the path of a socket has at most %d bytes",
		    jvm->pid, longer, NET_PATH);
	else
		gcs_fail(err, GCS_UNREACHABLE,
		    "process %ld listens on %.100s in a network namespace of its own, as a "
		    "container: "
		    "it is reachable only from inside",
		    jvm->pid, tcp);
	return NULL;
}

/* Why the agent in a JVM cannot be reached. */
static void explain(const struct jvm *jvm, struct gcs_error *err)
{
	const struct announcement *a = &jvm->announcement;
	if (announcement_is_detached(a))
		gcs_fail(err, GCS_UNREACHABLE,
		    "process %ld (%.80s): the agent is detached; `gcspy attach %ld` loads it again",
		    jvm->pid, jvm->program, jvm->pid);
	else if (a->refusal[0] != '\0')
		gcs_fail(err, GCS_UNREACHABLE,
		    "process %ld (%.80s): the agent does not listen: %.180s", jvm->pid,
		    jvm->program, a->refusal);
	else if (jvm->libraries.agent_count != 0)
		gcs_fail(err, GCS_UNREACHABLE,
		    "process %ld (%.80s) has the agent, which does not listen yet", jvm->pid,
		    jvm->program);
	else
		gcs_fail(err, GCS_UNREACHABLE,
		    "process %ld (%.80s) has not loaded the agent; `gcspy attach %ld` loads it",
		    jvm->pid, jvm->program, jvm->pid);
}

/* A killed program leaves its socket behind, and another may have its number since. */
static bool listens(const char *unix_address)
{
	struct net_address address;
	struct gcs_error err;
	if (!net_parse(unix_address, &address, &err))
		return false;
	const int fd = net_connect(&address, LISTENS_MS, -1, &err);
	if (fd < 0)
		return errno != ECONNREFUSED && errno != ENOENT;
	net_close(fd);
	return true;
}

/* The address of a process, or NULL with the reason in `err`. */
static const char *address_of(const struct jvm *jvm, enum jvm_finding found, struct gcs_error *err)
{
	if (jvm->announcement.count != 0)
		return choose(jvm, err);
	if (found == JVM_FOUND) {
		explain(jvm, err);
		return NULL;
	}
	/* A program that has closed all its descriptors, the announcement's among them. */
	static char usual[64];
	snprintf(usual, sizeof usual, "unix:/tmp/.gcspy_%ld", jvm->pid);
	if (kill((pid_t)jvm->pid, 0) == 0 && listens(usual))
		return usual;
	jvm_explain(found, jvm, err);
	return NULL;
}

/* Whether it can only be a program's name: other forms of an address have a colon, or are numbers. */
static bool is_name(const char *text)
{
	return text[0] != '\0' && strchr(text, ':') == NULL &&
	       strspn(text, "0123456789") != strlen(text);
}

bool resolve_is_served(const char *text)
{
	return served_address_is(text);
}

enum gcs_status resolve(const char *text, struct resolved *resolved, struct gcs_error *err)
{
	const char *prefix = strncmp(text, old, sizeof old - 1) == 0 ? old : "";
	const char *rest = text + strlen(prefix);
	const bool named = strncmp(rest, process, sizeof process - 1) == 0;
	long number = number_of(named ? rest + sizeof process - 1 : rest);
	const bool program = !named && is_name(rest), port = !named && !program && number <= 65535;
	struct gcs_error why;
	struct jvm jvm;
	resolved->hint[0] = '\0';
	if (named && number == 0)
		return gcs_fail(err, GCS_ARGUMENT,
		    "\"%.100s\": pid:N is a process, as `gcspy list` shows them", text);
	if (program && (number = jvm_named(rest, &why)) == 0)
		return why.status == GCS_ARGUMENT
			   ? gcs_fail(err, why.status, "%s", why.text)
			   : gcs_fail(err, GCS_ARGUMENT,
				 "\"%.100s\" is neither a file, PID, HOST:PORT, PORT or unix:PATH "
				 "nor the name of a running program that `gcspy list` shows",
				 rest);
	if (number != 0) {
		const enum jvm_finding found = jvm_look(number, &jvm);
		const char *address = address_of(&jvm, found, &why);
		if (address == NULL && (!port || jvm.announcement.count != 0))
			return gcs_fail(err, why.status, "%s", why.text);
		if (address == NULL)
			snprintf(resolved->hint, sizeof resolved->hint, "%s", why.text);
		rest = address != NULL ? address : rest;
	}
	const size_t before = strlen(prefix), length = strlen(rest);
	if (before + length >= sizeof resolved->address)
		return gcs_fail(
		    err, GCS_ARGUMENT, "\"%.100s...\" is too long for an address", text);
	memcpy(resolved->address, prefix, before);
	memcpy(resolved->address + before, rest, length + 1);
	return GCS_OK;
}
