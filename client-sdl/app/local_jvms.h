/*
 * The Java programs on this machine, for the start screen: a thread looks for them every two
 * seconds, or up to every ten where that takes long, while they are shown; another one attaches the
 * agent by `gcspy attach`. Only where `gcspy` is beside this program. The window's thread only; it
 * never waits.
 */
#ifndef GCSPY_CLIENT_LOCAL_JVMS_H
#define GCSPY_CLIENT_LOCAL_JVMS_H

#include <stdbool.h>
#include <stdint.h>

#include "damage.h"
#include "worker.h"

#define LOCAL_JVMS_MOST   64u
#define LOCAL_JVMS_WIDGET 960u /* of the view: from here on the rows' buttons, then the rows */

struct app;
struct textbuf;

struct local_jvm {
	long pid;
	bool listens; /* an agent is there already */
	bool refuses; /* it was started with -XX:+DisableAttachMechanism */
	bool ended;   /* its row is kept while somebody is about to use the list */
	char user[32], program[256], java[32], collector[24];
	int64_t used,
	    committed; /* bytes of the heap, as the JVM last counted them; -1: not known */
};

struct local_jvms {
	struct worker looker, attacher;
	struct local_jvm at[LOCAL_JVMS_MOST]; /* by PID at first; then new ones last */
	uint32_t count, more;
	struct cv_rect place; /* of the rows, as last painted */
	int scroll;           /* pixels */
	bool known, looking;
	uint64_t due_ms, since_ms;
	long attaching; /* the process; 0: none */
};

/* True while they are shown. */
bool local_jvms_are_shown(const struct app *app);
void local_jvms_tick(struct app *app);
void local_jvms_poll(struct app *app);
uint64_t local_jvms_due_ms(const struct app *app);

/* A list from before is not shown again. */
void local_jvms_forget(struct local_jvms *l);

/* Connects to the agent of a program; attaches it first where there is none. */
void local_jvms_open(struct app *app, const struct local_jvm *jvm);

/* "anna · G1 · 11 MiB of 64 MiB · PID 4711 · Java 17.0.15" */
void local_jvms_put(const struct local_jvm *jvm, char *text, size_t size);
void local_jvms_text(const struct app *app, struct textbuf *out);
void local_jvms_fini(struct app *app);

#endif
