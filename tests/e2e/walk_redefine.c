#include "walk_redefine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

const char *walk_redefine_class = "";

static jclass found;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_ullong redefined;
static atomic_bool ending;

/* The same class with another text of the same length in its constants. */
void JNICALL walk_redefine_class_file(jvmtiEnv *jvmti, JNIEnv *jni, jclass class, jobject loader,
    const char *name, jobject domain, jint length, const unsigned char *bytes, jint *new_length,
    unsigned char **new_bytes)
{
	static const char text[] = "gcspy-tick";
	const size_t size = sizeof text - 1;
	unsigned char *copy = NULL;
	(void)jni;
	(void)loader;
	(void)domain;
	if (class == NULL || name == NULL || strcmp(name, walk_redefine_class) != 0 ||
	    atomic_load(&redefined) % 2 != 0 ||
	    (*jvmti)->Allocate(jvmti, length, &copy) != JVMTI_ERROR_NONE)
		return;
	memcpy(copy, bytes, (size_t)length);
	for (size_t i = 0; i + size <= (size_t)length; i++) {
		if (memcmp(copy + i, text, size) == 0)
			memcpy(copy + i, "gcspy-tock", size);
	}
	*new_length = length;
	*new_bytes = copy;
}

void JNICALL walk_redefine_class_prepare(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jclass class)
{
	char *signature = NULL;
	const size_t length = strlen(walk_redefine_class);
	(void)thread;
	if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE)
		return;
	pthread_mutex_lock(&lock);
	if (found == NULL && length > 0 && strlen(signature) == length + 2 &&
	    strncmp(signature + 1, walk_redefine_class, length) == 0)
		found = (*jni)->NewGlobalRef(jni, class);
	pthread_mutex_unlock(&lock);
	(*jvmti)->Deallocate(jvmti, (unsigned char *)signature);
}

static void JNICALL redefine_forever(jvmtiEnv *jvmti, JNIEnv *jni, void *argument)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	(void)jni;
	(void)argument;
	while (!atomic_load(&ending)) {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		const jclass class = found;
		pthread_mutex_unlock(&lock);
		if (class != NULL &&
		    (*jvmti)->RetransformClasses(jvmti, 1, &class) == JVMTI_ERROR_NONE)
			atomic_fetch_add(&redefined, 1);
	}
}

void walk_redefine_start(jvmtiEnv *jvmti, JNIEnv *jni)
{
	jclass type = (*jni)->FindClass(jni, "java/lang/Thread");
	jmethodID make = (*jni)->GetMethodID(jni, type, "<init>", "(Ljava/lang/String;)V");
	jstring name = (*jni)->NewStringUTF(jni, "redefiner");
	jobject thread = (*jni)->NewObject(jni, type, make, name);
	(*jvmti)->RunAgentThread(jvmti, thread, redefine_forever, NULL, JVMTI_THREAD_NORM_PRIORITY);
}

void walk_redefine_end(void)
{
	atomic_store(&ending, true);
}

unsigned long long walk_redefine_count(void)
{
	return atomic_load(&redefined);
}
