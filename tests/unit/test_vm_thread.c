/* From Java's threads to the VM's, on a synthetic VM with a JNI environment of its own. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "vm_internal.h"
#include "vm_world.h"

enum { ENV = 14 }; /* word of a thread */

static jclass JNICALL find_class(JNIEnv *env, const char *name)
{
	(void)env, (void)name;
	return (jclass)(void *)&world;
}

static jmethodID JNICALL method(JNIEnv *env, jclass class, const char *name, const char *signature)
{
	(void)env, (void)class, (void)name, (void)signature;
	return (jmethodID)(void *)&world;
}

static jfieldID JNICALL field(JNIEnv *env, jclass class, const char *name, const char *signature)
{
	(void)env, (void)class, (void)name, (void)signature;
	return (jfieldID)(void *)&world;
}

static jobject JNICALL call(JNIEnv *env, jclass class, jmethodID method, ...)
{
	(void)env, (void)class, (void)method;
	return (jobject)(void *)&world;
}

static jlong JNICALL eetop(JNIEnv *env, jobject object, jfieldID field)
{
	(void)env, (void)object, (void)field;
	return (jlong)(uintptr_t)world.thread[1];
}

static jboolean JNICALL no_exception(JNIEnv *env)
{
	(void)env;
	return JNI_FALSE;
}

static void JNICALL clear(JNIEnv *env)
{
	(void)env;
}

static void JNICALL delete_local(JNIEnv *env, jobject object)
{
	(void)env, (void)object;
}

static const struct JNINativeInterface_ functions = {
    .FindClass = find_class,
    .GetStaticMethodID = method,
    .GetFieldID = field,
    .CallStaticObjectMethod = call,
    .GetLongField = eetop,
    .ExceptionCheck = no_exception,
    .ExceptionClear = clear,
    .DeleteLocalRef = delete_local,
};

static JNIEnv *world_env(void)
{
	return (JNIEnv *)(void *)&world.thread[1][ENV];
}

static struct vm *open_with_env(void)
{
	world_build_g1();
	world.thread[1][ENV] = (uintptr_t)&functions;
	struct vm *vm = world_open();
	cr_assert_not(vm_has(vm, VM_THREAD_POINTER));
	vm_open_thread(vm, world_env());
	return vm;
}

Test(vm_thread, is_found_through_the_environment)
{
	struct vm *vm = open_with_env();
	cr_assert(vm_has(vm, VM_THREAD_POINTER), "%s", vm_why(vm, VM_THREAD_POINTER));
	cr_assert_eq(vm_thread_of(vm, world_env()), (uintptr_t)world.thread[1]);
	vm_close(vm);
}

/* The field may hold something else in a VM to come. */
Test(vm_thread, must_be_in_the_list_of_threads)
{
	struct vm *vm = open_with_env();
	world.threads[1] = world.thread[0];
	vm_open_thread(vm, world_env());
	cr_assert_not(vm_has(vm, VM_THREAD_POINTER));
	vm_close(vm);
}

/* What threads that start and end do: a new list, and the old one's memory is used for something
 * else at once. */
static atomic_bool over;
static atomic_ulong turns;

static void *replace_lists(void *context)
{
	static uint64_t lists[2][2];
	static uint64_t *threads[2][2];
	(void)context;
	for (unsigned long i = 0; !atomic_load(&over); i++) {
		volatile uint64_t *list = lists[i % 2];
		uint64_t *volatile *of = threads[i % 2];
		of[0] = world.thread[0];
		of[1] = world.thread[1];
		list[0] = 2;
		list[1] = (uintptr_t)of;
		atomic_thread_fence(memory_order_seq_cst);
		*(uint64_t *volatile *)&world.thread_list_pointer = lists[i % 2];
		atomic_thread_fence(memory_order_seq_cst);
		((uint64_t *volatile *)threads[1 - i % 2])[0] = NULL;
		((uint64_t *volatile *)threads[1 - i % 2])[1] = NULL;
		atomic_store(&turns, i);
	}
	return NULL;
}

Test(vm_thread, is_found_while_the_list_is_replaced, .timeout = 60)
{
	pthread_t thread;
	struct vm *vm = open_with_env();
	cr_assert_eq(pthread_create(&thread, NULL, replace_lists, NULL), 0);
	while (atomic_load(&turns) < 2)
		continue;
	for (int i = 0; i < 5000; i++) {
		vm_open_thread(vm, world_env());
		cr_assert(
		    vm_has(vm, VM_THREAD_POINTER), "look %d: %s", i, vm_why(vm, VM_THREAD_POINTER));
	}
	atomic_store(&over, true);
	pthread_join(thread, NULL);
	vm_close(vm);
}
