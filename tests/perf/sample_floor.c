/*
 * What a sampled allocation costs HotSpot itself: an agent whose callback does nothing but count. It
 * changes the interval by turns, sample_floor=FILE,MS,INTERVAL,INTERVAL…, and appends to the file at each
 * change "MONOTONIC-NS INTERVAL SAMPLES", the samples so far.
 */
#include <errno.h>
#include <jvmti.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8 };

/* A count for each of some threads, so that they do not wait for each other's cache line. */
enum { THREADS = 64, LINE_WORDS = 8 };

static struct {
	JavaVM *java;
	jvmtiEnv *jvmti;
	FILE *out;
	long period_ms;
	jint intervals[MOST];
	int count;
	atomic_int threads;
	atomic_ullong samples[THREADS * LINE_WORDS];
} floor_;

static _Thread_local int mine;

static void JNICALL sampled(
    jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jclass class_, jlong size)
{
	(void)jvmti, (void)jni, (void)thread, (void)object, (void)class_, (void)size;
	if (mine == 0)
		mine = 1 + atomic_fetch_add(&floor_.threads, 1) % THREADS;
	atomic_fetch_add_explicit(
	    &floor_.samples[(mine - 1) * LINE_WORDS], 1, memory_order_relaxed);
}

static void change(jint interval)
{
	struct timespec now;
	unsigned long long samples = 0;
	(*floor_.jvmti)->SetHeapSamplingInterval(floor_.jvmti, interval);
	for (int i = 0; i < THREADS; i++)
		samples += atomic_load(&floor_.samples[i * LINE_WORDS]);
	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(floor_.out, "%lld %d %llu\n", (long long)now.tv_sec * 1000000000 + now.tv_nsec,
	    (int)interval, samples);
	fflush(floor_.out);
}

static void *take_turns(void *unused)
{
	const struct timespec period = {floor_.period_ms / 1000, floor_.period_ms % 1000 * 1000000};
	JNIEnv *jni;
	(void)unused;
	if ((*floor_.java)->AttachCurrentThreadAsDaemon(floor_.java, (void **)&jni, NULL) != JNI_OK)
		return NULL;
	for (int i = 0;; i = (i + 1) % floor_.count) {
		change(floor_.intervals[i]);
		while (nanosleep(&period, NULL) != 0 && errno == EINTR)
			continue;
	}
	return NULL;
}

static void JNICALL begin(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	pthread_t turns;
	(void)jni, (void)thread;
	(*jvmti)->SetEventNotificationMode(
	    jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, NULL);
	if (pthread_create(&turns, NULL, take_turns, NULL) == 0)
		pthread_detach(turns);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	const jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
	const jvmtiEventCallbacks callbacks = {.VMInit = begin, .SampledObjectAlloc = sampled};
	(void)reserved;
	char *word = strtok(options, ",");
	floor_.java = java;
	floor_.out = word == NULL ? NULL : fopen(word, "w");
	word = strtok(NULL, ",");
	floor_.period_ms = word == NULL ? 0 : atol(word);
	while (floor_.count < MOST && (word = strtok(NULL, ",")) != NULL)
		floor_.intervals[floor_.count++] = (jint)atol(word);
	if (floor_.out == NULL || floor_.period_ms < 1 || floor_.count == 0 ||
	    (*java)->GetEnv(java, (void **)&floor_.jvmti, JVMTI_VERSION_11) != JNI_OK ||
	    (*floor_.jvmti)->AddCapabilities(floor_.jvmti, &sampling) != JVMTI_ERROR_NONE)
		return JNI_ERR;
	(*floor_.jvmti)->SetEventCallbacks(floor_.jvmti, &callbacks, sizeof callbacks);
	(*floor_.jvmti)
	    ->SetEventNotificationMode(floor_.jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL);
	return JNI_OK;
}
