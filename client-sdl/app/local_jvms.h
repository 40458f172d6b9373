/*
 * The Java programs on this machine, for the window without a program: a thread looks for them every
 * two seconds, or more rarely where that takes long, while they are shown; another one attaches the
 * agent by `gcspy attach`. Only where `gcspy` is beside this program. The window's thread only; it
 * never waits.
 */
#ifndef GCSPY_CLIENT_LOCAL_JVMS_H
#define GCSPY_CLIENT_LOCAL_JVMS_H

#include <stdbool.h>
#include <stdint.h>

#include "worker.h"

#define LOCAL_JVMS_MOST 64u

struct app;
struct textbuf;

struct local_jvm {
	long pid;
	bool listens; /* an agent is there already */
	bool refuses; /* it was started with -XX:+DisableAttachMechanism */
	char user[32], program[256], java[32], collector[24];
	int64_t used,
	    committed; /* bytes of the heap, as the JVM last counted them; -1: not known */
};

struct local_jvms {
	struct worker looker, attacher;
	struct local_jvm at[LOCAL_JVMS_MOST]; /* by PID */
	uint32_t count, more;
	bool known, looking;
	uint64_t due_ms, since_ms;
	long attaching; /* the process; 0: none */
};

/* True while they are shown. */
bool local_jvms_are_shown(const struct app *app);
void local_jvms_tick(struct app *app);
void local_jvms_poll(struct app *app);
uint64_t local_jvms_due_ms(const struct app *app);

/* Connects to the agent of a program; attaches it first where there is none. */
void local_jvms_open(struct app *app, const struct local_jvm *jvm);

/* "anna · G1 · 11 MiB of 64 MiB · PID 4711 · Java 17.0.15" */
void local_jvms_put(const struct local_jvm *jvm, char *text, size_t size);
void local_jvms_text(const struct app *app, struct textbuf *out);
void local_jvms_fini(struct app *app);

#endif
