/* What roots are called: threads, methods, class loaders. Declared in chain_names.h. */

#include "chain_names.h"

#include <stdio.h>
#include <string.h>

#include "class_name_format.h"
#include "pass_size.h"
#include "utf8.h"
#include "vm.h"

static void release(const struct tag_space *s, void *memory)
{
	if (memory != NULL)
		(*s->jvmti)->Deallocate(s->jvmti, memory);
}

static void name_thread(
    const struct tag_space *s, jthread thread, bool raw, char *text, size_t size)
{
	jvmtiThreadInfo info = {0};
	snprintf(text, size, "?");
	if ((*s->jvmti)->GetThreadInfo(s->jvmti, thread, &info) != JVMTI_ERROR_NONE)
		return;
	utf8_from_java(info.name);
	if (raw)
		snprintf(text, size, "%s", info.name);
	else
		(void)spell_thread_group(info.name, text, size);
	release(s, info.name);
	if (info.thread_group != NULL)
		(*s->jni)->DeleteLocalRef(s->jni, info.thread_group);
	if (info.context_class_loader != NULL)
		(*s->jni)->DeleteLocalRef(s->jni, info.context_class_loader);
}

/* The thread whose java.lang.Thread.tid this is; the field is read, because getId may be the
 * program's own code. JVMTI does not list virtual threads. */
static void name_thread_by_number(
    const struct tag_space *s, const char *unknown, jlong number, bool raw, char *text, size_t size)
{
	JNIEnv *jni = s->jni;
	jint count = 0;
	jthread *threads = NULL;
	jclass class_ = (*jni)->FindClass(jni, "java/lang/Thread");
	jfieldID tid = class_ == NULL ? NULL : (*jni)->GetFieldID(jni, class_, "tid", "J");
	snprintf(text, size, "%s", unknown);
	if (tid == NULL)
		(*jni)->ExceptionClear(jni);
	else if ((*s->jvmti)->GetAllThreads(s->jvmti, &count, &threads) != JVMTI_ERROR_NONE)
		count = 0;
	for (jint i = 0; i < count; i++) {
		if ((*jni)->GetLongField(jni, threads[i], tid) == number)
			name_thread(s, threads[i], raw, text, size);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	release(s, threads);
	if (class_ != NULL)
		(*jni)->DeleteLocalRef(jni, class_);
}

/* 0: not known. */
static jint line_of(const struct tag_space *s, const struct climb_local *l)
{
	jint count = 0, line = 0;
	jvmtiLineNumberEntry *table = NULL;
	jlocation start = -1;
	if (l->location < 0 || (*s->jvmti)->GetLineNumberTable(
				   s->jvmti, l->method, &count, &table) != JVMTI_ERROR_NONE)
		return 0;
	for (jint i = 0; i < count; i++) {
		if (table[i].start_location > l->location || table[i].start_location < start)
			continue;
		start = table[i].start_location;
		line = table[i].line_number;
	}
	release(s, table);
	return line;
}

/* "demo.Main.run (Main.java:17)" */
static void name_frame(
    const struct tag_space *s, const struct climb_local *l, char *text, size_t size)
{
	char holder[300];
	char *method = NULL, *file = NULL;
	jclass class_ = NULL;
	if ((*s->jvmti)->GetMethodDeclaringClass(s->jvmti, l->method, &class_) != JVMTI_ERROR_NONE)
		class_ = NULL;
	class_text(s, class_, holder, sizeof holder);
	if ((*s->jvmti)->GetMethodName(s->jvmti, l->method, &method, NULL, NULL) !=
	    JVMTI_ERROR_NONE)
		method = NULL;
	if (class_ == NULL ||
	    (*s->jvmti)->GetSourceFileName(s->jvmti, class_, &file) != JVMTI_ERROR_NONE)
		file = NULL;
	utf8_from_java(method);
	utf8_from_java(file);
	const jint line = line_of(s, l);
	int used = snprintf(text, size, "%s.%s", holder, method == NULL ? "?" : method);
	if (file != NULL && line != 0 && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, " (%s:%d)", file, (int)line);
	release(s, method);
	release(s, file);
	if (class_ != NULL)
		(*s->jni)->DeleteLocalRef(s->jni, class_);
}

static void name_local(
    const struct climb *c, const struct climb_node *n, bool raw, char *text, size_t size)
{
	const struct climb_local *l = n->local == 0 ? NULL : &c->locals[n->local - 1];
	char thread[160], frame[500] = "";
	if (l == NULL || l->kind == JVMTI_HEAP_REFERENCE_MONITOR) {
		snprintf(text, size, l == NULL ? "local variable" : "monitor");
		return;
	}
	name_thread_by_number(&c->tags,
	    vm_jdk_major(c->vm) < VIRTUAL_SINCE ? "(ended)" : "(virtual or ended)", l->thread, raw,
	    thread, sizeof thread);
	if (l->method != NULL)
		name_frame(&c->tags, l, frame, sizeof frame);
	if (l->kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL)
		snprintf(text, size, "JNI local reference in thread %s", thread);
	else
		snprintf(text, size, "local variable of %s in thread %s", frame, thread);
}

void root_name(const struct climb *c, uint32_t node, bool raw, char *text, size_t size)
{
	const struct climb_node *n = &c->nodes[node];
	char thread[160];
	jobject object;
	switch ((jvmtiHeapReferenceKind)n->kind) {
	case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
		snprintf(text, size, "JNI global reference");
		return;
	case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
		snprintf(text, size, "class of the JDK");
		return;
	case JVMTI_HEAP_REFERENCE_THREAD:
		object = tag_space_object(&c->tags, (jlong)node + 1);
		snprintf(thread, sizeof thread, "?");
		if (object != NULL) {
			name_thread(&c->tags, object, raw, thread, sizeof thread);
			(*c->tags.jni)->DeleteLocalRef(c->tags.jni, object);
		}
		snprintf(text, size, "thread %s", thread);
		return;
	case JVMTI_HEAP_REFERENCE_OTHER:
		snprintf(text, size, "the JVM itself");
		return;
	default:
		name_local(c, n, raw, text, size);
	}
}

bool loader_name(const struct climb *c, uint32_t class_, char *text, size_t size)
{
	const struct tag_space *s = &c->tags;
	jobject loader = NULL;
	char name[300] = "";
	if (class_ == TAG_NONE || s->classes[class_].class_ == NULL ||
	    (*s->jvmti)->GetClassLoader(s->jvmti, s->classes[class_].class_, &loader) !=
		JVMTI_ERROR_NONE ||
	    loader == NULL)
		return false;
	jclass of = (*s->jni)->GetObjectClass(s->jni, loader);
	class_text(s, of, name, sizeof name);
	(*s->jni)->DeleteLocalRef(s->jni, of);
	(*s->jni)->DeleteLocalRef(s->jni, loader);
	/* The loaders of the program and of the JDK live as long as the JVM. */
	static const char builtin[] = "jdk.internal.loader.ClassLoaders$";
	if (strncmp(name, builtin, sizeof builtin - 1) == 0)
		return false;
	snprintf(text, size, "class loader %s", name);
	return true;
}
