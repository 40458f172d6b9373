#include "pass_size.h"

#include <stdio.h>

#include <gcspy/format.h>

/* Measured on JDK 17 and 25: docs/performance.md, "Reference chains and histogram". */
enum {
	OBJECT_NS = 40,
	RESTORING_NS = 7,
	THREAD_NS = 20000,
	FRAME_NS = 600,
	VIRTUAL_NS = 2000,
	VIRTUAL_BYTE_NS = 20,
	LEAST_NS = 5000000
};

/* Threads that are asked for their frames, and virtual threads for their stacks. */
enum { ASKED_THREADS = 256, ASKED_VIRTUAL = 64, MOST_CHUNKS = 16 };

void pass_size_count_threads(struct pass_size *size, jvmtiEnv *jvmti, JNIEnv *jni)
{
	jint count = 0;
	jthread *threads = NULL;
	if ((*jvmti)->GetAllThreads(jvmti, &count, &threads) != JVMTI_ERROR_NONE)
		return;
	const jint step = (count + ASKED_THREADS - 1) / ASKED_THREADS;
	double asked = 0, frames = 0;
	for (jint i = 0; i < count; i++) {
		jint depth = 0;
		if (i % step == 0 &&
		    (*jvmti)->GetFrameCount(jvmti, threads[i], &depth) == JVMTI_ERROR_NONE) {
			asked++;
			frames += depth;
		}
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)threads);
	size->threads = count;
	size->frames = asked == 0 ? 0 : frames * count / asked;
}

/* The fields that lead from a virtual thread to its stack, of JDK 21 to 27. */
struct stack_fields {
	jclass thread;
	jfieldID continuation, tail, parent, words, sp;
};

static jfieldID field_of(JNIEnv *jni, const char *class_name, const char *name, const char *type)
{
	jclass class_ = (*jni)->FindClass(jni, class_name);
	jfieldID field = class_ == NULL ? NULL : (*jni)->GetFieldID(jni, class_, name, type);
	if (field == NULL)
		(*jni)->ExceptionClear(jni);
	if (class_ != NULL)
		(*jni)->DeleteLocalRef(jni, class_);
	return field;
}

static bool find_fields(JNIEnv *jni, struct stack_fields *f)
{
	static const char chunk[] = "jdk/internal/vm/StackChunk";
	static const char chunk_type[] = "Ljdk/internal/vm/StackChunk;";
	f->thread = (*jni)->FindClass(jni, "java/lang/VirtualThread");
	if (f->thread == NULL) {
		(*jni)->ExceptionClear(jni);
		return false;
	}
	f->continuation =
	    field_of(jni, "java/lang/VirtualThread", "cont", "Ljdk/internal/vm/Continuation;");
	f->tail = field_of(jni, "jdk/internal/vm/Continuation", "tail", chunk_type);
	f->parent = field_of(jni, chunk, "parent", chunk_type);
	f->words = field_of(jni, chunk, "size", "I");
	f->sp = field_of(jni, chunk, "sp", "I");
	return f->continuation != NULL && f->tail != NULL && f->parent != NULL &&
	       f->words != NULL && f->sp != NULL;
}

/* The object in the field of another, whose reference is deleted. */
static jobject follow(JNIEnv *jni, jobject from, jfieldID field)
{
	jobject to = from == NULL ? NULL : (*jni)->GetObjectField(jni, from, field);
	if (from != NULL)
		(*jni)->DeleteLocalRef(jni, from);
	return to;
}

/* Of the frames that it waits with, which lie in chunks from `sp` up to the end. Deletes `thread`. */
static double stack_bytes(JNIEnv *jni, const struct stack_fields *f, jobject thread)
{
	double words = 0;
	jobject chunk = follow(jni, follow(jni, thread, f->continuation), f->tail);
	for (int i = 0; chunk != NULL && i < MOST_CHUNKS; i++) {
		const jint used = (*jni)->GetIntField(jni, chunk, f->words) -
				  (*jni)->GetIntField(jni, chunk, f->sp);
		words += used > 0 ? used : 0;
		chunk = follow(jni, chunk, f->parent);
	}
	if (chunk != NULL)
		(*jni)->DeleteLocalRef(jni, chunk);
	return words * sizeof(jlong);
}

/* On the sampler's thread. */
static void count_virtual(void *context, JNIEnv *jni, const struct tracked *live, uint32_t count)
{
	struct pass_size *size = context;
	struct stack_fields fields;
	double asked = 0, bytes = 0;
	const bool known = find_fields(jni, &fields);
	for (uint32_t i = 0; i < count && fields.thread != NULL; i++) {
		const struct tracked *t = &live[i];
		jobject object = t->judged == 0 || sample_address(t->weak) != 0
				     ? NULL
				     : (*jni)->NewLocalRef(jni, t->weak);
		if (object == NULL)
			continue;
		const bool is = (*jni)->IsInstanceOf(jni, object, fields.thread) != JNI_FALSE;
		if (is)
			size->virtual_threads += 4294967296.0 / (t->p * (double)t->keep);
		if (is && known && asked < ASKED_VIRTUAL) {
			asked++;
			bytes += stack_bytes(jni, &fields, object);
		} else {
			(*jni)->DeleteLocalRef(jni, object);
		}
	}
	size->virtual_bytes = asked == 0 ? 0 : size->virtual_threads * bytes / asked;
	if (fields.thread != NULL)
		(*jni)->DeleteLocalRef(jni, fields.thread);
}

void pass_size_count_virtual(struct pass_size *size, struct sampler *sampler)
{
	size->virtual_threads = size->virtual_bytes = 0;
	(void)sampler_visit(sampler, count_virtual, size);
}

static double threads_ns(const struct pass_size *s)
{
	return s->threads * THREAD_NS + s->frames * FRAME_NS;
}

static double virtual_ns(const struct pass_size *s)
{
	return s->virtual_threads * VIRTUAL_NS + s->virtual_bytes * VIRTUAL_BYTE_NS;
}

double pass_size_ns(const struct pass_size *s, bool restores)
{
	return s->objects * (OBJECT_NS + (restores ? RESTORING_NS : 0)) + threads_ns(s) +
	       virtual_ns(s);
}

void pass_size_text(const struct pass_size *s, char *text, size_t length)
{
	/* A tenth of the whole, and not too short to matter. */
	const double tenth = pass_size_ns(s, false) / 10,
		     counts = tenth < LEAST_NS ? LEAST_NS : tenth;
	char objects[40], threads[40], frames[40], virtual[40], platform[120] = "",
								waiting[80] = "";
	gcs_format_count(objects, sizeof objects, (uint64_t)s->objects);
	gcs_format_count(threads, sizeof threads, (uint64_t)s->threads);
	gcs_format_count(frames, sizeof frames, (uint64_t)s->frames);
	gcs_format_count(virtual, sizeof virtual, (uint64_t)s->virtual_threads);
	if (threads_ns(s) > counts)
		snprintf(platform, sizeof platform, ", %s frames of %s threads", frames, threads);
	if (virtual_ns(s) > counts)
		snprintf(waiting, sizeof waiting, ", about %s virtual threads", virtual);
	snprintf(text, length, "about %s objects after the last collection%s%s", objects, platform,
	    waiting);
}
