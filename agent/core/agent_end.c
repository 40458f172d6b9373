/* Takes the agent down, in the reverse order of creation. Declared in agent.h. */

#include <gcspy/memory.h>

#include "agent.h"
#include "clock.h"
#include "ring_files.h"
#include "inflight.h"
#include "java_threads.h"
#include "native_frames.h"
#include "plugins.h"
#include "now.h"
#include "queries.h"
#include "recording.h"
#include "sampler.h"
#include "sampling_api.h"

/* Maximum wait for calls in flight and for threads. Both end within milliseconds, except in code
 * that is not ours: the callback of gcs_sampling_start, or a JVM that is ending. */
#define TIMEOUT_NS UINT64_C(5000000000)

void agent_say_goodbye(struct agent *a, bool program_ends)
{
	if (a->events != NULL)
		gc_events_flush(a->events);
	if (a->queries != NULL)
		queries_record_last(a->queries);
	if (a->server != NULL && program_ends)
		gcs_server_stop_at_exit(a->server);
	else if (a->server != NULL)
		gcs_server_stop(a->server);
}

/* Each of these calls waits for the end of a safepoint; no client holds the program in one any
 * more. */
static void disable_events(struct agent *a)
{
	static const jvmtiEvent events[] = {
	    JVMTI_EVENT_VM_INIT,
	    JVMTI_EVENT_VM_DEATH,
	    JVMTI_EVENT_THREAD_START,
	    JVMTI_EVENT_THREAD_END,
	    JVMTI_EVENT_GARBAGE_COLLECTION_START,
	    JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
	    JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
	};
	for (size_t i = 0; a->jvmti != NULL && i < sizeof events / sizeof events[0]; i++)
		(*a->jvmti)->SetEventNotificationMode(a->jvmti, JVMTI_DISABLE, events[i], NULL);
}

/* The first thread that still runs at the deadline; NULL: none. */
static const char *end_threads(struct agent *a, uint64_t deadline)
{
	if (!clock_end(a->clock, deadline))
		return "gcspy-clock";
	native_frames_end();
	if (!native_heap_end(a->parts.native, deadline))
		return "gcspy-native";
	if (!tracked_space_end(a->parts.tracked, deadline))
		return "gcspy-tracked";
	if (!java_threads_end(a->java_threads, deadline))
		return "gcspy-names";
	if (!gc_events_end(a->events, deadline))
		return "gcspy-worker";
	if (!queries_end(a->queries, deadline))
		return "gcspy-answers";
	if (!paths_end(a->paths, deadline))
		return "gcspy-paths";
	return sampler_end(a->sampler, deadline) ? NULL : "gcspy-sampler";
}

static void free_parts(struct agent *a, JNIEnv *jni)
{
	clock_destroy(a->clock);
	java_threads_destroy(a->java_threads);
	force_gc_destroy(a->force_gc);
	plugins_destroy(a->plugins);
	paths_destroy(a->paths);
	gc_events_destroy(a->events);
	queries_destroy(a->queries);
	sites_space_destroy(a->parts.sites);
	object_locations_destroy(a->parts.object_locations);
	sampler_destroy(a->sampler, jni);
	tlab_space_destroy(a->parts.tlabs);
	memory_space_destroy(a->parts.memory);
	tracked_space_destroy(a->parts.tracked);
	native_heap_destroy(a->parts.native);
	classes_space_destroy(a->parts.classes);
	heap_walk_destroy(a->parts.heap_walk);
	heap_zooms_destroy(a->zooms);
	gcs_free(a->parts.heap);
	threads_destroy(a->threads);
	vm_close(a->vm);
	gcs_server_destroy(a->server);
	recording_close();
	ring_files_close();
}

enum gcs_status agent_end(struct agent *a, JNIEnv *jni, struct gcs_error *err)
{
	/* First, because the VM thread may wait in a callback for a client, and because otherwise
	 * the JVM's death would have to finish a recording. */
	a->state = AGENT_ENDING;
	agent_say_goodbye(a, false);
	disable_events(a);
	const uint64_t deadline = now_ns() + TIMEOUT_NS;
	sampling_api_set(NULL);
	const unsigned left = inflight_close(deadline);
	if (left != 0)
		return gcs_fail(err, GCS_TIMEOUT,
		    "%u thread%s of the program still run%s a callback of the agent; it no "
		    "longer serves clients, but its memory is not freed",
		    left, left == 1 ? "" : "s", left == 1 ? "s" : "");
	const char *running = end_threads(a, deadline);
	if (running != NULL)
		return gcs_fail(err, GCS_TIMEOUT,
		    "the agent's thread %s waits for the JVM; it no longer serves clients, but "
		    "its memory is not freed",
		    running);
	free_parts(a, jni);
	/*
	 * HotSpot (JvmtiEnvBase::env_dispose, JDK 11 to 25) removes the callbacks, disables the
	 * events, relinquishes the capabilities and clears the tags at once, and frees the
	 * environment at a later safepoint at which no thread iterates over the environments. A
	 * thread may have read the address of a callback before; inflight.h rejects it. Another
	 * environment stays (keep_environment in agent.c).
	 */
	if (a->jvmti != NULL)
		(*a->jvmti)->DisposeEnvironment(a->jvmti);
	*a = (struct agent){0};
	return GCS_OK;
}
