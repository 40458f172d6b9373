#include "force_gc.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <gcspy/memory.h>

#include "thread.h"

enum { MOST_WAITING = GCS_MAX_CLIENTS * GCS_MAX_QUERIES };

/* A request that the JVM drops is made again, for two seconds. */
enum { TRIES = 200, BETWEEN_US = 10000 };

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

/* Pauses and full collections so far. */
struct state {
	struct gc_pauses pauses;
	struct vm_gc_counts counts;
};

static struct state state_now(const struct force_gc *g)
{
	struct state s = {.pauses = gc_events_pauses(g->events)};
	vm_gc_counts(g->vm, &s.counts);
	return s;
}

/* Whether the request was met: a young collection that came meanwhile is none. */
static bool collected(
    const struct force_gc *g, const struct state *before, const struct state *after)
{
	const enum vm_collector c = vm_collector(g->vm);
	const bool stops =
	    c == VM_COLLECTOR_SERIAL || c == VM_COLLECTOR_PARALLEL || c == VM_COLLECTOR_G1;
	return after->pauses.count != before->pauses.count &&
	       (!stops || !vm_has(g->vm, VM_GC_FULL_COUNT) ||
		   after->counts.full != before->counts.full);
}

/* The JVM drops a request when another collection has begun just before, and, up to JDK 21, while native
 * code is in a JNI critical section (gcLocker.cpp): of no thread for long, but in some threads often. */
static jvmtiError force(const struct force_gc *g, struct state *before, struct state *after)
{
	jvmtiError error = JVMTI_ERROR_NONE;
	for (int i = 0; i < TRIES && error == JVMTI_ERROR_NONE; i++) {
		if (i != 0)
			thread_sleep_us(BETWEEN_US);
		*before = state_now(g);
		error = (*g->jvmti)->ForceGarbageCollection(g->jvmti);
		*after = state_now(g);
		if (collected(g, before, after))
			break;
	}
	return error;
}

/* On the thread of java_threads.h, in the JVM. A request that arrives meanwhile gets another. */
static void collect(void *context)
{
	struct force_gc *g = context;
	struct waiting w;
	struct state before, after;
	char message[120], body[80];
	take(g, &w);
	/* Asked first: a collection that comes by itself meanwhile is none that was requested. */
	const char *not = why_not(g->vm);
	if (not != NULL) {
		answer(g, &w, GCS_UNSUPPORTED, not, "");
		return;
	}
	const jvmtiError error = force(g, &before, &after);
	if (error != JVMTI_ERROR_NONE) {
		snprintf(message, sizeof message, "the JVM runs no collection: JVMTI error %d",
		    (int)error);
		answer(g, &w, GCS_UNSUPPORTED, message, "");
	} else if (!collected(g, &before, &after)) {
		answer(g, &w, GCS_UNSUPPORTED,
		    "the JVM ran no full collection, though asked for two seconds", "");
	} else {
		snprintf(body, sizeof body, "collection=%" PRIu64 "\npause=%" PRIu64 "\n",
		    after.pauses.collection, after.pauses.total_ns - before.pauses.total_ns);
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
