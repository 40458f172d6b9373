/*
 * Native code beside the agent that uses its C calls (<gcspy/sampling.h>): starts sampling with a
 * callback of its own, reads traces, stops. The calls are found by name in the agent's library,
 * which the JVM has loaded.
 */
#include <dlfcn.h>
#include <jni.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gcspy/sampling.h>

/* The native methods of the test's class Embed. */
JNIEXPORT jboolean JNICALL Java_Embed_open(JNIEnv *, jclass, jstring);
JNIEXPORT jint JNICALL Java_Embed_start(JNIEnv *, jclass, jboolean);
JNIEXPORT jint JNICALL Java_Embed_stop(JNIEnv *, jclass);
JNIEXPORT void JNICALL Java_Embed_context(JNIEnv *, jclass, jlong);
JNIEXPORT jint JNICALL Java_Embed_called(JNIEnv *, jclass);
JNIEXPORT void JNICALL Java_Embed_block(JNIEnv *, jclass, jboolean);
JNIEXPORT jint JNICALL Java_Embed_waiting(JNIEnv *, jclass);
JNIEXPORT void JNICALL Java_Embed_settle(JNIEnv *, jclass, jlong, jint);
JNIEXPORT jstring JNICALL Java_Embed_live(JNIEnv *, jclass);
JNIEXPORT jstring JNICALL Java_Embed_recent(JNIEnv *, jclass);
JNIEXPORT jstring JNICALL Java_Embed_frequent(JNIEnv *, jclass);

static struct {
	enum gcs_status (*start)(gcs_sampling_interval *);
	enum gcs_status (*live)(struct gcs_sampled_trace **, uint32_t *);
	enum gcs_status (*recent)(struct gcs_sampled_trace **, uint32_t *);
	enum gcs_status (*frequent)(struct gcs_sampled_trace **, uint32_t *);
	void (*release)(struct gcs_sampled_trace *);
	void (*set_context)(uint64_t);
	enum gcs_status (*stop)(void);
} calls;

static atomic_int called, wrong, waiting;
static atomic_bool blocked;

/* The first samples come every 512 KiB, all others every 2 KiB. */
static int64_t on_sample(const struct gcs_sampled_trace *trace)
{
	atomic_fetch_add(&called, 1);
	if (trace->class_name == NULL || trace->thread == NULL || trace->size == 0 ||
	    trace->bytes < (double)trace->size || trace->id == 0)
		atomic_fetch_add(&wrong, 1);
	/* What the agent's documentation forbids; in threads that have set a context. */
	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&blocked) && trace->context != 0)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	atomic_fetch_sub(&waiting, 1);
	return 2048;
}

static jboolean find(void *library, const char *name, void *function, size_t size)
{
	void *found = dlsym(library, name);
	memcpy(function, &found, size);
	return found != NULL;
}

#define FIND(member, name) find(library, "gcs_sampling_" #name, &calls.member, sizeof calls.member)

jboolean Java_Embed_open(JNIEnv *jni, jclass class_, jstring path)
{
	(void)class_;
	const char *text = (*jni)->GetStringUTFChars(jni, path, NULL);
	void *library = text == NULL ? NULL : dlopen(text, RTLD_NOW | RTLD_NOLOAD);
	(*jni)->ReleaseStringUTFChars(jni, path, text);
	return library != NULL && FIND(start, start) && FIND(live, live) &&
	       FIND(recent, recent_garbage) && FIND(frequent, frequent_garbage) &&
	       FIND(release, release) && FIND(set_context, set_context) && FIND(stop, stop);
}

jint Java_Embed_start(JNIEnv *jni, jclass class_, jboolean callback)
{
	(void)jni;
	(void)class_;
	return (jint)calls.start(callback ? on_sample : NULL);
}

jint Java_Embed_stop(JNIEnv *jni, jclass class_)
{
	(void)jni;
	(void)class_;
	return (jint)calls.stop();
}

void Java_Embed_context(JNIEnv *jni, jclass class_, jlong context)
{
	(void)jni;
	(void)class_;
	calls.set_context((uint64_t)context);
}

void Java_Embed_block(JNIEnv *jni, jclass class_, jboolean on)
{
	(void)jni;
	(void)class_;
	atomic_store(&blocked, on != JNI_FALSE);
}

/* Threads inside the callback. */
jint Java_Embed_waiting(JNIEnv *jni, jclass class_)
{
	(void)jni;
	(void)class_;
	return atomic_load(&waiting);
}

/* How often the callback was called, or -1 if it was ever told nonsense. */
jint Java_Embed_called(JNIEnv *jni, jclass class_)
{
	(void)jni;
	(void)class_;
	return atomic_load(&wrong) == 0 ? atomic_load(&called) : -1;
}

/* One line for each trace: context, age, size, objects, class, thread, youngest frame. */
static jstring tell(JNIEnv *jni, enum gcs_status (*get)(struct gcs_sampled_trace **, uint32_t *))
{
	enum { LINE = 600 };
	struct gcs_sampled_trace *traces;
	uint32_t count;
	enum gcs_status status = get(&traces, &count);
	char *text = malloc((count + (size_t)1) * LINE);
	if (text == NULL)
		return NULL;
	size_t length = (size_t)snprintf(text, LINE, "status %d\n", (int)status);
	for (uint32_t i = 0; i < count; i++) {
		const struct gcs_sampled_trace *t = &traces[i];
		const char *method = t->frame_count == 0 ? "" : t->frames[0].method;
		length += (size_t)snprintf(text + length, LINE,
		    "%llu\t%u\t%llu\t%.3f\t%.100s\t%.100s\t%.100s\n",
		    (unsigned long long)t->context, t->age, (unsigned long long)t->size, t->objects,
		    t->class_name, t->thread, method);
	}
	calls.release(traces);
	jstring made = (*jni)->NewStringUTF(jni, text);
	free(text);
	return made;
}

static void sleep_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/*
 * Waits, a minute at most, until all samples with that context are taken in: there are some, all at
 * least of that age, and for three readings their number stays. Nothing is allocated in the Java heap meanwhile.
 */
void Java_Embed_settle(JNIEnv *jni, jclass class_, jlong context, jint least)
{
	(void)jni;
	(void)class_;
	uint32_t before = 0;
	for (int same = 0, tries = 0; same < 3 && tries < 600; tries++, sleep_ms(100)) {
		struct gcs_sampled_trace *traces;
		uint32_t count, now = 0, others = 0;
		if (calls.live(&traces, &count) != GCS_OK)
			return;
		for (uint32_t i = 0; i < count; i++)
			if (traces[i].context == (uint64_t)context)
				++*(traces[i].age >= (uint32_t)least ? &now : &others);
		calls.release(traces);
		same = now != 0 && now == before && others == 0 ? same + 1 : 0;
		before = now;
	}
}

jstring Java_Embed_live(JNIEnv *jni, jclass class_)
{
	(void)class_;
	return tell(jni, calls.live);
}

jstring Java_Embed_recent(JNIEnv *jni, jclass class_)
{
	(void)class_;
	return tell(jni, calls.recent);
}

jstring Java_Embed_frequent(JNIEnv *jni, jclass class_)
{
	(void)class_;
	return tell(jni, calls.frequent);
}
