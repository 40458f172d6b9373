/*
 * The JVMTI agent: loading, and the JVM's callbacks.
 *
 * With -agentpath the options are parsed and the port is opened before the JVM starts, so that
 * mistakes are reported early; the rest waits for VMInit, because the heap does not exist before.
 * Loaded into a running JVM, both happen at once. Loaded again with the option text "detach",
 * everything is taken down (agent_end.c), and the next attach creates it again.
 *
 * Two things separate this from the JVM's callbacks. `lifecycle` is held by whatever creates or
 * ends the agent: the thread that attaches, VMInit, VMDeath; none of them is the VM thread or holds
 * a lock of the JVM. All other callbacks take no lock: they are counted (inflight.h), and the agent
 * ends only when none is left. At the JVM's death nothing is freed: callbacks arrive until the
 * process ends.
 */

#include <jvmti.h>
#include <poll.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "agent_memory.h"
#include "announce.h"
#include "ring_files.h"
#include "inflight.h"
#include "java_threads.h"
#include "queries.h"
#include "recording.h"
#include "sampler.h"
#include "thread.h"

/* Maximum wait of the JVM's death for an attach or a detach. */
enum { DEATH_TIMEOUT_S = 10 };

static pthread_mutex_t lifecycle = PTHREAD_MUTEX_INITIALIZER;
static struct agent agent; /* under `lifecycle`; constant for calls in flight */
static atomic_bool loaded_with_jvm;

void agent_log(const char *text)
{
	char line[1024];
	int length = snprintf(line, sizeof line, "gcspy: %s\n", text);
	if (length >= (int)sizeof line)
		length = sizeof line - 1;
	/* Drop the line if it has no reader: a pipe is ready with room for 4 KiB. */
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
	if (poll(&out, 1, 0) != 1)
		return;
	ssize_t written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
}

static void log_addresses(void)
{
	if (agent.options.quiet)
		return;
	if (agent.listening[0] != '\0')
		agent_log(agent.listening);
	if (recording_line()[0] != '\0')
		agent_log(recording_line());
	if (ring_files_line()[0] != '\0')
		agent_log(ring_files_line());
}

static void enable(jvmtiEvent event)
{
	(*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, event, NULL);
}

/* Ends the agent after a failure; `jni` is NULL before the JVM is initialized. */
static void give_up(JNIEnv *jni)
{
	struct gcs_error err;
	if (agent_end(&agent, jni, &err) != GCS_OK)
		agent_log(err.text);
}

/* Creates everything that needs an initialized JVM. If it fails, the program runs without the
 * agent. */
static bool start(JNIEnv *jni)
{
	struct gcs_error err;
	if (agent_build(&agent, jni, &err) != GCS_OK) {
		char text[400];
		snprintf(text, sizeof text, "%s; the program runs without GCspy", err.text);
		agent_log(text);
		announce_refusal(err.text);
		give_up(jni);
		return false;
	}
	agent.state = AGENT_RUNNING;
	inflight_begin();
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_START);
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
	log_addresses();
	if (agent.listening[0] != '\0')
		announce_listening(agent.tcp, agent.options.socket_path);
	else
		announce_refusal("it records to a file and does not listen");
	return true;
}

/* The JVM's callbacks. */

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	pthread_mutex_lock(&lifecycle);
	if (agent.state == AGENT_LISTENING)
		start(jni);
	pthread_mutex_unlock(&lifecycle);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct timespec until;
	(void)jvmti;
	(void)jni;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += DEATH_TIMEOUT_S;
	if (pthread_mutex_timedlock(&lifecycle, &until) != 0)
		return;
	if (agent.state == AGENT_RUNNING) {
		sampler_vm_death(agent.sampler);
		announce_refusal("the JVM is ending");
		/* Clients get the last collections and a goodbye, and release the program. */
		agent_say_goodbye(&agent, true);
	}
	agent.state = AGENT_DYING;
	pthread_mutex_unlock(&lifecycle);
}

/* Each of the following is in flight between a true of enter() and inflight_leave(). A callback
 * that was late for an earlier agent has that one's environment. */
static bool enter(const jvmtiEnv *jvmti)
{
	if (!inflight_enter())
		return false;
	if (agent.jvmti == jvmti)
		return true;
	inflight_leave();
	return false;
}

static void JNICALL on_gc_start(jvmtiEnv *jvmti)
{
	if (!enter(jvmti))
		return;
	gc_events_start(agent.events);
	inflight_leave();
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
	if (!enter(jvmti))
		return;
	gc_events_finish(agent.events);
	inflight_leave();
}

static void JNICALL on_sampled_alloc(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size)
{
	if (!enter(jvmti))
		return;
	sampler_allocated(agent.sampler, jni, thread, object, class_, size);
	inflight_leave();
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)thread;
	if (!enter(jvmti))
		return;
	java_threads_started(agent.java_threads, jni);
	inflight_leave();
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)thread;
	if (!enter(jvmti))
		return;
	java_threads_ended(agent.java_threads, jni);
	inflight_leave();
}

/* Gets the JVM's environment for agents. A request to attach may arrive while the JVM starts and
 * has none yet; the wait is on the JVM's thread for such requests, which nothing else waits for. */
static bool get_jvmti(bool may_appear)
{
	void **place = (void **)&agent.jvmti;
	int turns = may_appear ? 500 : 0;
	while ((*agent.java)->GetEnv(agent.java, place, JVMTI_VERSION_11) != JNI_OK) {
		if (turns-- == 0)
			return false;
		thread_sleep_us(10000);
	}
	return true;
}

/*
 * An environment without events or capabilities that is never disposed of. While HotSpot has no
 * environment at all, a thread that ends keeps its JVMTI state in HotSpot's list of them
 * (JavaThread::exit, JDK 11 to 25: environments_might_exist), and each later change of an event
 * writes to that thread's freed memory (JvmtiEventControllerPrivate::recompute_thread_enabled). The
 * agent's own environment goes with each detach.
 */
static bool keep_environment(void)
{
	static void *kept; /* under `lifecycle` */
	return kept != NULL || (*agent.java)->GetEnv(agent.java, &kept, JVMTI_VERSION_11) == JNI_OK;
}

static enum gcs_status prepare_jvmti(bool attaching, struct gcs_error *err)
{
	static const jvmtiEventCallbacks callbacks = {
	    .VMInit = on_vm_init,
	    .VMDeath = on_vm_death,
	    .ThreadStart = on_thread_start,
	    .ThreadEnd = on_thread_end,
	    .GarbageCollectionStart = on_gc_start,
	    .GarbageCollectionFinish = on_gc_finish,
	    .SampledObjectAlloc = on_sampled_alloc,
	};
	jvmtiCapabilities capabilities = {.can_generate_garbage_collection_events = 1};
	if (!get_jvmti(attaching) || !keep_environment())
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "this JVM has no JVMTI 11: HotSpot of JDK 11 or later is needed");
	if ((*agent.jvmti)->AddCapabilities(agent.jvmti, &capabilities) != JVMTI_ERROR_NONE)
		return gcs_fail(
		    err, GCS_UNSUPPORTED, "this JVM does not announce collections to agents");
	if ((*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, (jint)sizeof callbacks) !=
	    JVMTI_ERROR_NONE)
		return gcs_fail(err, GCS_UNSUPPORTED, "this JVM accepts no callbacks from agents");
	return GCS_OK;
}

static void print_help(void)
{
	char line[300];
	agent_log("options of -agentpath:libgcspyagent.so=key=value,key,...");
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++)
		agent_log(line);
}

static void log_failure(const char *text, bool strict)
{
	char line[500];
	snprintf(line, sizeof line, "%s%s", text, strict ? "" : "; the program runs without GCspy");
	agent_log(line);
	announce_refusal(text);
}

/* Options, JVMTI, sockets: everything possible before the JVM is initialized. Leaves nothing behind
 * when it fails, or when only help was requested. */
static enum gcs_status load(JavaVM *java, char *text, JNIEnv *jni, bool *strict)
{
	struct gcs_error err;
	agent_memory_use();
	agent.java = java;
	enum gcs_status status = options_parse(&agent.options, text, &err);
	const bool help = agent.options.help;
	*strict = jni != NULL || agent.options.strict;
	if (help)
		print_help();
	if (status == GCS_OK && !help)
		status = prepare_jvmti(jni != NULL, &err);
	if (status == GCS_OK && !help)
		status = agent_listen(&agent, &err);
	if (status == GCS_OK && !help)
		agent.state = AGENT_LISTENING;
	if (status != GCS_OK)
		log_failure(err.text, *strict);
	if (status != GCS_OK || help)
		give_up(jni);
	return status;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	bool strict;
	(void)reserved;
	if (atomic_exchange(&loaded_with_jvm, true)) {
		agent_log("the agent is already loaded; ignoring the second -agentpath");
		return JNI_OK;
	}
	pthread_mutex_lock(&lifecycle);
	const bool loaded = load(java, options, NULL, &strict) == GCS_OK;
	if (agent.state == AGENT_LISTENING) {
		enable(JVMTI_EVENT_VM_INIT);
		enable(JVMTI_EVENT_VM_DEATH);
	}
	pthread_mutex_unlock(&lifecycle);
	return loaded || !strict ? JNI_OK : JNI_ERR;
}

/* Completes an earlier detach, if necessary; false, with the reason logged, if it still cannot be
 * completed. */
static bool finish_ending(JNIEnv *jni)
{
	struct gcs_error err;
	if (agent.state != AGENT_ENDING || agent_end(&agent, jni, &err) == GCS_OK)
		return true;
	log_failure(err.text, true);
	return false;
}

static bool attach(JavaVM *java, char *options, JNIEnv *jni)
{
	bool strict;
	if (agent.state == AGENT_LISTENING || agent.state == AGENT_RUNNING) {
		log_addresses();
		return true;
	}
	if (!finish_ending(jni) || load(java, options, jni, &strict) != GCS_OK)
		return false;
	if (agent.state == AGENT_NONE)
		return true; /* help */
	if (!start(jni))
		return false;
	enable(JVMTI_EVENT_VM_DEATH);
	return true;
}

/*
 * What native code got from gcs_sampling_live and its kin stays valid until that code releases it.
 */
static void log_detached(void)
{
	char text[100];
	const size_t blocks = agent_memory_blocks();
	snprintf(text, sizeof text, "detached; native code holds %zu block%s of its memory", blocks,
	    blocks == 1 ? "" : "s");
	agent_log(blocks == 0 ? "detached" : text);
}

static bool detach(JNIEnv *jni)
{
	struct gcs_error err;
	if (agent.state == AGENT_NONE) {
		agent_log("the agent is not attached: nothing to detach");
		announce_refusal("detached");
		return false;
	}
	announce_refusal("the agent is being detached");
	if (agent_end(&agent, jni, &err) != GCS_OK) {
		log_failure(err.text, true);
		return false;
	}
	announce_refusal("detached");
	log_detached();
	return true;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	JNIEnv *jni;
	bool done;
	(void)reserved;
	if ((*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_8) != JNI_OK) {
		log_failure("this JVM has no JNI of version 1.8", true);
		return JNI_ERR;
	}
	pthread_mutex_lock(&lifecycle);
	if (agent.state == AGENT_DYING) {
		log_failure("the JVM is ending", true);
		done = false;
	} else if (options != NULL && strcmp(options, "detach") == 0) {
		done = detach(jni);
	} else {
		done = attach(java, options, jni);
	}
	pthread_mutex_unlock(&lifecycle);
	return done ? JNI_OK : JNI_ERR;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *java)
{
	(void)java;
}
