/*
 * The JVMs on this machine, from /proc alone: nothing here contacts a process or waits for one. A
 * PID is a number in our own namespace; a process may be in others (a container), so its files are
 * reached through /proc/PID/root.
 *
 * The caller owns the structs; one thread.
 */
#ifndef GCSPY_DISCOVER_JVM_H
#define GCSPY_DISCOVER_JVM_H

#include <stdint.h>

#include <gcspy/status.h>

#include "announcement.h"
#include "process.h"

enum jvm_finding {
	JVM_FOUND,
	JVM_ABSENT,   /* does not exist, or is not visible */
	JVM_DEAD,     /* a zombie */
	JVM_FOREIGN,  /* of another user */
	JVM_STARTING, /* a Java launcher that has not loaded a JVM yet */
	JVM_OPENJ9,   /* a JVM of another kind */
	JVM_NONE      /* not a JVM */
};

struct jvm {
	long pid;
	struct process_status status;
	struct process_libraries libraries;
	char name[64];      /* of the file that is executed, such as "java" */
	char program[512];  /* main class, module or archive; else `name` */
	char version[64];   /* of Java, or "" if it cannot be seen */
	char collector[24]; /* "G1", or "" if it cannot be seen, like the heap's bytes, then -1: */
	int64_t heap_used, heap_committed;
	bool no_attach; /* it was started with -XX:+DisableAttachMechanism */
	bool has_perfdata;
	bool has_native_heap; /* a JVM that serves it by libgcspymalloc.so, if no agent listens */
	bool is_live;         /* known to have started; without PerfData that may be unknown */
	struct announcement
	    announcement; /* with paths of sockets as seen from here; also of JVM_NONE */
};

/* Inspects a process. Unless it is JVM_FOUND, only the fields for jvm_explain are filled; of a process that is
 * no JVM also those of a server in it (`gcspy run`): program and announcement. */
enum jvm_finding jvm_look(long pid, struct jvm *jvm);

/* Why a process that is not JVM_FOUND cannot be attached to, in one line. */
void jvm_explain(enum jvm_finding finding, const struct jvm *jvm, struct gcs_error *err);

/* Whether the process has a thread whose name has the same first 15 bytes. */
bool jvm_has_thread(long pid, const char *name);

/* The numbers of all processes in a new array, ascending; NULL if /proc cannot be read. */
long *jvm_processes(size_t *count);

/* True if an address is a socket's path, not of a network. */
bool jvm_is_path(const char *address);

/* True if the process has a network of its own, so that its TCP addresses are unreachable. */
bool jvm_has_own_network(long pid);

#endif
