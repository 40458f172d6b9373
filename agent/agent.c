/*
 * The JVMTI agent: loading, and the JVM's callbacks.
 *
 * With -agentpath the options are read and the port is opened before the JVM starts, so that a
 * mistake is told early; the rest waits for VMInit, because the heap does not exist before. Loaded
 * into a running JVM, both happen at once. Nothing is ever taken down: the parts are needed until
 * the process ends, and a callback may be running then.
 */

#include <jvmti.h>

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"
#include "announce.h"
#include "java_threads.h"
#include "questions.h"
#include "recording.h"
#include "sampler.h"

static struct agent agent;

void agent_say(const char *text)
{
	char line[1024];
	int length = snprintf(line, sizeof line, "gcspy: %s\n", text);
	if (length >= (int)sizeof line)
		length = sizeof line - 1;
	ssize_t written = write(STDERR_FILENO, line, (size_t)length);
	(void)written;
}

static void say_where(void)
{
	if (agent.listening[0] != '\0')
		agent_say(agent.listening);
	if (recording_line()[0] != '\0')
		agent_say(recording_line());
}

static void enable(jvmtiEvent event)
{
	(*agent.jvmti)->SetEventNotificationMode(agent.jvmti, JVMTI_ENABLE, event, NULL);
}

/* Everything that needs the living JVM. The program goes on without us when it fails. */
static bool come_alive(JNIEnv *jni)
{
	struct gcs_error err;
	if (agent_build(&agent, jni, &err) != GCS_OK) {
		char text[400];
		snprintf(text, sizeof text, "%s; the program runs without GCspy", err.text);
		agent_say(text);
		announce_refusal(err.text);
		gcs_server_stop(agent.server);
		agent.failed = true;
		return false;
	}
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_START);
	enable(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH);
	say_where();
	if (agent.listening[0] != '\0')
		announce_listening(agent.tcp, agent.options.socket_path);
	else
		announce_refusal("it records to a file and listens nowhere");
	return true;
}

/* The JVM's callbacks. */

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	come_alive(jni);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	(void)jni;
	sampler_end(agent.sampler);
	/* Clients get the last collections and a goodbye; one that holds the program gives it up. */
	if (agent.events != NULL)
		gc_events_flush(agent.events);
	if (agent.questions != NULL)
		questions_record_last(agent.questions);
	announce_refusal("the JVM is ending");
	gcs_server_stop(agent.server);
}

static void JNICALL on_gc_start(jvmtiEnv *jvmti)
{
	(void)jvmti;
	gc_events_start(agent.events);
}

static void JNICALL on_gc_finish(jvmtiEnv *jvmti)
{
	(void)jvmti;
	gc_events_finish(agent.events);
}

static void JNICALL on_sampled_alloc(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size)
{
	(void)jvmti;
	sampler_allocated(agent.sampler, jni, thread, object, class_, size);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	java_threads_started(agent.java_threads, jni);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	(void)thread;
	java_threads_ended(agent.java_threads, jni);
}

/*
 * The JVM's environment for agents. A request to attach may come while the JVM starts, when it has
 * none yet; the wait is on the JVM's thread for such requests, which nothing else waits for.
 */
static bool get_jvmti(bool may_come)
{
	static const struct timespec turn = {.tv_nsec = 10000000};
	void **place = (void **)&agent.jvmti;
	int turns = may_come ? 500 : 0;
	/* An attempt that failed later has left its environment. */
	while (agent.jvmti == NULL &&
	       (*agent.java)->GetEnv(agent.java, place, JVMTI_VERSION_11) != JNI_OK) {
		if (turns-- == 0)
			return false;
		nanosleep(&turn, NULL);
	}
	return true;
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
	if (!get_jvmti(attaching))
		return gcs_fail(err, GCS_UNSUPPORTED,
		    "this JVM has no JVMTI 11: HotSpot of JDK 11 or later is needed");
	if ((*agent.jvmti)->AddCapabilities(agent.jvmti, &capabilities) != JVMTI_ERROR_NONE)
		return gcs_fail(
		    err, GCS_UNSUPPORTED, "this JVM announces no collections to agents");
	if ((*agent.jvmti)->SetEventCallbacks(agent.jvmti, &callbacks, (jint)sizeof callbacks) !=
	    JVMTI_ERROR_NONE)
		return gcs_fail(err, GCS_UNSUPPORTED, "this JVM takes no callbacks from agents");
	return GCS_OK;
}

static void print_help(void)
{
	char line[300];
	agent_say("options of -agentpath:libgcspyagent.so=key=value,key,...");
	for (size_t i = 0; options_help_line(i, line, sizeof line) != NULL; i++)
		agent_say(line);
}

/* Options, JVMTI, sockets: what can be said before the JVM lives. */
static enum gcs_status load(JavaVM *java, char *text, bool attaching, struct gcs_error *err)
{
	agent.java = java;
	enum gcs_status status = options_parse(&agent.options, text, err);
	if (agent.options.help)
		print_help();
	if (status != GCS_OK || agent.options.help)
		return status;
	if ((status = prepare_jvmti(attaching, err)) != GCS_OK)
		return status;
	return agent_listen(&agent, err);
}

static jint complain(const struct gcs_error *err, bool strict)
{
	char text[500];
	snprintf(
	    text, sizeof text, "%s%s", err->text, strict ? "" : "; the program runs without GCspy");
	agent_say(text);
	announce_refusal(err->text);
	return strict ? JNI_ERR : JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	struct gcs_error err;
	(void)reserved;
	if (atomic_exchange(&agent.loaded, true)) {
		agent_say("the agent is loaded already; its second -agentpath is ignored");
		return JNI_OK;
	}
	if (load(java, options, false, &err) != GCS_OK)
		return complain(&err, agent.options.strict);
	if (agent.options.help)
		return JNI_OK;
	enable(JVMTI_EVENT_VM_INIT);
	enable(JVMTI_EVENT_VM_DEATH);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	struct gcs_error err;
	JNIEnv *jni;
	(void)reserved;
	if (agent.failed) {
		agent_say(
		    "the agent could not start in this JVM before, and cannot be tried again");
		return JNI_ERR;
	}
	if (agent.server != NULL) {
		say_where();
		return JNI_OK;
	}
	atomic_store(&agent.loaded, true);
	if (load(java, options, true, &err) != GCS_OK)
		return complain(&err, true);
	if (agent.options.help)
		return JNI_OK;
	if ((*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_8) != JNI_OK || !come_alive(jni))
		return JNI_ERR;
	enable(JVMTI_EVENT_VM_DEATH);
	return JNI_OK;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *java)
{
	(void)java;
}
