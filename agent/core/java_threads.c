#include "java_threads.h"

#include <semaphore.h>
#include <stdatomic.h>

#include <gcspy/memory.h>

#include "service_thread.h"
#include "utf8.h"

struct java_threads {
	JavaVM *java;
	jvmtiEnv *jvmti;
	const struct vm *vm;
	struct threads *table;
	void (*known)(void *context, bool complete);
	void *context;
	struct service_thread thread;
	sem_t wake;
	atomic_bool ending;
	atomic_bool wanted;
	struct java_threads_safepoint safepoint;
	atomic_bool safepoint_requested;
	bool reached; /* `at` was called */
	void (*collect)(void *context);
	void *collect_context;
	atomic_bool collect_requested;
	void (*asked)(void *context, JNIEnv *jni);
	void *asked_context;
	atomic_bool asked_requested;
};

static void set_events(struct java_threads *j, jvmtiEventMode mode)
{
	(*j->jvmti)->SetEventNotificationMode(j->jvmti, mode, JVMTI_EVENT_THREAD_START, NULL);
	(*j->jvmti)->SetEventNotificationMode(j->jvmti, mode, JVMTI_EVENT_THREAD_END, NULL);
}

/* Calls `use` with the name of a thread (NULL: the current one) and releases JVMTI's memory and
 * references. */
static void with_name(struct java_threads *j, JNIEnv *jni, jthread thread,
    void (*use)(struct threads *table, uint64_t thread, const char *name), uint64_t pointer)
{
	jvmtiThreadInfo info = {0};
	if (pointer == 0 || (*j->jvmti)->GetThreadInfo(j->jvmti, thread, &info) != JVMTI_ERROR_NONE)
		return;
	utf8_from_java(info.name);
	use(j->table, pointer, info.name);
	(*j->jvmti)->Deallocate(j->jvmti, (unsigned char *)info.name);
	if (info.thread_group != NULL)
		(*jni)->DeleteLocalRef(jni, info.thread_group);
	if (info.context_class_loader != NULL)
		(*jni)->DeleteLocalRef(jni, info.context_class_loader);
}

static void list_running(struct java_threads *j, JNIEnv *jni)
{
	jint count = 0;
	jthread *list = NULL;
	threads_enumerate_begin(j->table);
	set_events(j, JVMTI_ENABLE);
	if ((*j->jvmti)->GetAllThreads(j->jvmti, &count, &list) == JVMTI_ERROR_NONE) {
		for (jint i = 0; i < count; i++) {
			with_name(j, jni, list[i], threads_found,
			    vm_thread_of_object(j->vm, jni, list[i]));
			(*jni)->DeleteLocalRef(jni, list[i]);
		}
		(*j->jvmti)->Deallocate(j->jvmti, (unsigned char *)list);
	}
	threads_enumerate_end(j->table);
	j->known(j->context, true);
}

/* In the VM thread, at a safepoint: must not call into the JVM. */
static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context)
{
	struct java_threads *j = context;
	(void)kind, (void)info, (void)class_tag, (void)referrer_class_tag, (void)size, (void)tag;
	(void)referrer_tag, (void)length;
	if (!j->reached)
		j->safepoint.at(j->safepoint.context);
	j->reached = true;
	return JVMTI_VISIT_ABORT;
}

/*
 * From the heap's roots: then JDK 17 (jvmtiTagMap.cpp, VM_HeapWalkOperation::doit) knows that a
 * walk that ends there has marked nothing. From any other object it iterates over the whole heap at
 * the end to clear marks, which takes seconds in a large heap. Only tagged objects: to report any
 * other the JVM would first deoptimize the frames of all threads (EscapeBarrier in
 * follow_references). The tagged object is our own thread's, which exists anyway.
 */
static void stop_at_safepoint(struct java_threads *j, JNIEnv *jni)
{
	const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = on_reference};
	jthread own = NULL;
	if (!atomic_exchange(&j->safepoint_requested, false))
		return;
	j->reached = false;
	if ((*j->jvmti)->GetCurrentThread(j->jvmti, &own) == JVMTI_ERROR_NONE && own != NULL) {
		if ((*j->jvmti)->SetTag(j->jvmti, own, 1) == JVMTI_ERROR_NONE)
			(void)(*j->jvmti)->FollowReferences(
			    j->jvmti, JVMTI_HEAP_FILTER_UNTAGGED, NULL, NULL, &callbacks, j);
		(*jni)->DeleteLocalRef(jni, own);
	}
	j->safepoint.done(j->safepoint.context, j->reached);
}

static bool enter_jvm(struct java_threads *j, JNIEnv **jni)
{
	char name[] = "gcspy";
	JavaVMAttachArgs arguments = {.version = JNI_VERSION_1_8, .name = name};
	return *jni != NULL ||
	       (*j->java)->AttachCurrentThreadAsDaemon(j->java, (void **)jni, &arguments) == JNI_OK;
}

static void keep_table(struct java_threads *j, JNIEnv *jni)
{
	list_running(j, jni);
	while (atomic_load(&j->wanted) && !atomic_load(&j->ending)) {
		stop_at_safepoint(j, jni);
		if (atomic_exchange(&j->collect_requested, false))
			j->collect(j->collect_context);
		if (atomic_exchange(&j->asked_requested, false))
			j->asked(j->asked_context, jni);
		while (sem_wait(&j->wake) != 0)
			continue;
	}
	set_events(j, JVMTI_DISABLE);
	j->known(j->context, false);
	threads_clear(j->table);
}

static void run(void *context)
{
	struct java_threads *j = context;
	JNIEnv *jni = NULL;
	bool refused = false;
	while (!atomic_load(&j->ending)) {
		while (sem_wait(&j->wake) != 0)
			continue;
		if (atomic_load(&j->wanted) && !atomic_load(&j->ending)) {
			refused = !enter_jvm(j, &jni);
			if (!refused)
				keep_table(j, jni);
			else
				j->known(j->context, true); /* without names */
		}
		if (atomic_exchange(&j->safepoint_requested, false))
			j->safepoint.done(j->safepoint.context, false);
		if (atomic_exchange(&j->asked_requested, false)) {
			/* The next client may have come, and asked, since the table was given up. */
			if (atomic_load(&j->wanted) && !refused && !atomic_load(&j->ending))
				java_threads_request_asked(j);
			else
				j->asked(j->asked_context, NULL);
		}
	}
	/* Not when the last client goes: leaving makes HotSpot go through all monitors, and JDK 17 once
	 * crashed there. */
	if (jni != NULL)
		(*j->java)->DetachCurrentThread(j->java);
}

struct java_threads *java_threads_create(JavaVM *java, jvmtiEnv *jvmti, const struct vm *vm,
    struct threads *table, void (*known)(void *context, bool complete), void *context)
{
	struct java_threads *j = gcs_zalloc(sizeof *j);
	if (j == NULL)
		return NULL;
	*j = (struct java_threads){
	    java, jvmti, vm, .table = table, .known = known, .context = context};
	if (sem_init(&j->wake, 0, 0) != 0) {
		gcs_free(j);
		return NULL;
	}
	if (!service_thread_start(&j->thread, "gcspy-names", run, j)) {
		java_threads_destroy(j);
		return NULL;
	}
	return j;
}

bool java_threads_end(struct java_threads *j, uint64_t deadline_ns)
{
	if (j == NULL)
		return true;
	atomic_store(&j->ending, true);
	sem_post(&j->wake);
	return service_thread_join(&j->thread, deadline_ns);
}

void java_threads_destroy(struct java_threads *j)
{
	if (j == NULL)
		return;
	sem_destroy(&j->wake);
	gcs_free(j);
}

void java_threads_want(struct java_threads *j, bool wanted)
{
	atomic_store(&j->wanted, wanted);
	sem_post(&j->wake);
}

void java_threads_set_safepoint(
    struct java_threads *j, const struct java_threads_safepoint *safepoint)
{
	j->safepoint = *safepoint;
}

void java_threads_request_safepoint(struct java_threads *j)
{
	atomic_store(&j->safepoint_requested, true);
	sem_post(&j->wake);
}

void java_threads_set_collect(struct java_threads *j, void (*collect)(void *context), void *context)
{
	j->collect = collect;
	j->collect_context = context;
}

void java_threads_request_collect(struct java_threads *j)
{
	atomic_store(&j->collect_requested, true);
	sem_post(&j->wake);
}

void java_threads_set_asked(
    struct java_threads *j, void (*asked)(void *context, JNIEnv *jni), void *context)
{
	j->asked = asked;
	j->asked_context = context;
}

void java_threads_request_asked(struct java_threads *j)
{
	atomic_store(&j->asked_requested, true);
	sem_post(&j->wake);
}

void java_threads_started(struct java_threads *j, JNIEnv *jni)
{
	with_name(j, jni, NULL, threads_add, vm_thread_of(j->vm, jni));
}

void java_threads_ended(struct java_threads *j, JNIEnv *jni)
{
	threads_remove(j->table, vm_thread_of(j->vm, jni));
}
