/* Maps Java threads to the VM's. The field java.lang.Thread.eetop holds the JavaThread; every
 * JavaThread embeds its JNI environment, so that their distance is constant. */
#include "vm_internal.h"

enum { MAX_ENV_OFFSET = 1 << 16, MAX_LISTED = 100000, MAX_ATTEMPTS = 1000, ENOUGH = 20 };

/* The current thread's JavaThread through its eetop, 0 on failure. Clears exceptions. */
static uint64_t find_current(struct vm *vm, JNIEnv *env)
{
	jobject thread = NULL;
	jlong eetop = 0;
	jclass class = (*env)->FindClass(env, "java/lang/Thread");
	if (class == NULL)
		goto done;
	const jmethodID current =
	    (*env)->GetStaticMethodID(env, class, "currentThread", "()Ljava/lang/Thread;");
	if (current == NULL)
		goto done;
	vm->eetop = (*env)->GetFieldID(env, class, "eetop", "J");
	if (vm->eetop == NULL)
		goto done;
	thread = (*env)->CallStaticObjectMethod(env, class, current);
	if (!(*env)->ExceptionCheck(env) && thread != NULL)
		eetop = (*env)->GetLongField(env, thread, vm->eetop);
done:
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, thread);
	(*env)->DeleteLocalRef(env, class);
	return (uint64_t)eetop;
}

enum listed { LISTED, NOT_LISTED, NOT_KNOWN };

/* Searches the VM's current list of threads for the pointer. Threads that start and end replace the
 * list and free the old one meanwhile: all reads are safe, and a replaced list means nothing. */
static enum listed find_in_list(
    const struct vm *vm, uintptr_t at, size_t length_at, size_t threads_at, uint64_t thread)
{
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t list = vm_probe_word(&probe, at);
	const uint32_t length = vm_probe_u32(&probe, list + length_at);
	const uintptr_t threads = vm_probe_word(&probe, list + threads_at);
	for (uint32_t i = 0; length <= MAX_LISTED && !probe.failed && i < length; i++)
		if (vm_probe_word(&probe, threads + i * VM_WORD) == thread)
			return LISTED;
	const bool same = vm_probe_word(&probe, at) == list && !probe.failed;
	return same && length <= MAX_LISTED ? NOT_LISTED : NOT_KNOWN;
}

/* Is the current thread's pointer in the VM's list? Every list has it; a single one without it may
 * have been freed and recreated at the same address, so several must agree. True when the list is
 * not exported or keeps changing. */
static bool listed(const struct vm *vm, uint64_t thread)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	const uintptr_t at = vm_lookup_static(&lookup, "ThreadsSMRSupport::_java_thread_list");
	const size_t length_at = vm_lookup_offset(&lookup, "ThreadsList::_length");
	const size_t threads_at = vm_lookup_offset(&lookup, "ThreadsList::_threads");
	int without = 0;
	for (int i = 0; lookup.missing == NULL && i < MAX_ATTEMPTS && without < ENOUGH; i++) {
		const enum listed found = find_in_list(vm, at, length_at, threads_at, thread);
		if (found == LISTED)
			return true;
		without += found == NOT_LISTED;
	}
	return without < ENOUGH;
}

void vm_open_thread(struct vm *vm, JNIEnv *env)
{
	if (env == NULL) {
		vm_set(vm, VM_THREAD_POINTER, VM_MISSING, "There is no JNI environment.");
		return;
	}
	const uint64_t thread = find_current(vm, env);
	if (thread == 0) {
		vm_set(vm, VM_THREAD_POINTER, VM_MISSING,
		    "java.lang.Thread of HotSpot %s has no field eetop.", vm->release);
		return;
	}
	const ptrdiff_t offset = (ptrdiff_t)((uint64_t)(uintptr_t)env - thread);
	if (offset <= 0 || offset > MAX_ENV_OFFSET || offset % (ptrdiff_t)sizeof(void *) != 0 ||
	    !listed(vm, thread)) {
		vm_set(vm, VM_THREAD_POINTER, VM_MISSING,
		    "The field eetop of HotSpot %s does not lead to the VM's thread.", vm->release);
		return;
	}
	vm->env_offset = offset;
	vm_set(vm, VM_THREAD_POINTER, VM_DERIVED,
	    "The JNI environment stands %td bytes into the VM's thread.", offset);
}

uint64_t vm_thread_of(const struct vm *vm, const JNIEnv *env)
{
	if (!vm_has(vm, VM_THREAD_POINTER))
		return 0;
	return (uint64_t)((uintptr_t)env - (uintptr_t)vm->env_offset);
}

uint64_t vm_thread_of_object(const struct vm *vm, JNIEnv *env, jobject thread)
{
	if (!vm_has(vm, VM_THREAD_POINTER) || thread == NULL)
		return 0;
	return (uint64_t)(*env)->GetLongField(env, thread, vm->eetop);
}
