#include "force_gc.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

enum { MOST_WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

struct waiting {
	uint64_t tickets[MOST_WAITING];
	uint32_t count;
};

struct force_gc {
	jvmtiEnv *jvmti;
	const struct vm *vm;
	struct gcs_server *server;
	const struct gc_events *events;
	struct java_threads *threads;
	pthread_mutex_t lock;
	struct waiting waiting;
};

/* Why ForceGarbageCollection would do nothing; NULL: nothing is known against it. Most collectors apply
 * DisableExplicitGC only to System.gc; Shenandoah applies it to all requests
 * (shenandoahControlThread.cpp of JDK 17, shenandoahCollectorPolicy.cpp of JDK 25). */
static const char *why_not(const struct vm *vm)
{
	bool disabled = false;
	if (vm_collector(vm) == VM_COLLECTOR_EPSILON)
		return "Epsilon does not collect garbage";
	if (vm_collector(vm) == VM_COLLECTOR_SHENANDOAH &&
	    vm_flag_bool(vm, "DisableExplicitGC", &disabled) && disabled)
		return "with -XX:+DisableExplicitGC Shenandoah ignores requests for a collection";
	return NULL;
}

static void take(struct force_gc *g, struct waiting *w)
{
	pthread_mutex_lock(&g->lock);
	*w = g->waiting;
	g->waiting.count = 0;
	pthread_mutex_unlock(&g->lock);
}

static void answer(const struct force_gc *g, const struct waiting *w, enum gcs_status status,
    const char *message, const char *body)
{
	for (uint32_t i = 0; i < w->count; i++)
		gcs_server_answer(g->server, w->tickets[i], status, message, body, strlen(body));
}

/* On the thread of java_threads.h, in the JVM. A request that arrives meanwhile gets another. */
static void collect(void *context)
{
	struct force_gc *g = context;
	struct waiting w;
	char message[120], body[80];
	take(g, &w);
	/* Asked first: a collection that comes by itself meanwhile is none that was requested. */
	const char *not = why_not(g->vm);
	if (not != NULL) {
		answer(g, &w, GCS_UNSUPPORTED, not, "");
		return;
	}
	const struct gc_pauses before = gc_events_pauses(g->events);
	const jvmtiError error = (*g->jvmti)->ForceGarbageCollection(g->jvmti);
	const struct gc_pauses after = gc_events_pauses(g->events);
	if (error != JVMTI_ERROR_NONE) {
		snprintf(message, sizeof message, "the JVM runs no collection: JVMTI error %d",
		    (int)error);
		answer(g, &w, GCS_UNSUPPORTED, message, "");
	} else if (after.count == before.count) {
		answer(g, &w, GCS_UNSUPPORTED, "the JVM ran no collection", "");
	} else {
		snprintf(body, sizeof body, "collection=%" PRIu64 "\npause=%" PRIu64 "\n",
		    after.collection, after.total_ns - before.total_ns);
		answer(g, &w, GCS_OK, "", body);
	}
}

struct force_gc *force_gc_create(jvmtiEnv *jvmti, const struct vm *vm, struct gcs_server *server,
    const struct gc_events *events, struct java_threads *threads)
{
	struct force_gc *g = gcs_zalloc(sizeof *g);
	if (g == NULL)
		return NULL;
	*g = (struct force_gc){jvmti, vm, server, events, .threads = threads};
	if (pthread_mutex_init(&g->lock, NULL) != 0) {
		gcs_free(g);
		return NULL;
	}
	java_threads_set_collect(threads, collect, g);
	return g;
}

void force_gc_destroy(struct force_gc *g)
{
	if (g == NULL)
		return;
	pthread_mutex_destroy(&g->lock);
	gcs_free(g);
}

void force_gc_request(struct force_gc *g, uint64_t ticket)
{
	pthread_mutex_lock(&g->lock);
	const bool room = g->waiting.count < MOST_WAITING;
	if (room)
		g->waiting.tickets[g->waiting.count++] = ticket;
	pthread_mutex_unlock(&g->lock);
	if (room)
		java_threads_request_collect(g->threads);
	else
		gcs_server_answer(g->server, ticket, GCS_LIMIT, "too many queries wait", NULL, 0);
}
