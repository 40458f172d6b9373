/* Targets that are known by their addresses: humongous objects of G1 (sample/humongous.h). JVMTI gives a reference
 * to an object only by its tag, so one walk over the heap tags all objects that are as large. */

#include <stdlib.h>

#include "climb.h"
#include "now.h"
#include "vm_weak.h"

enum { TAG_SOUGHT = -2, CLOCK_EVERY = 4096 };

struct seek {
	struct climb *climb;
	uint64_t least; /* size */
	uint32_t visited;
};

static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length, void *context)
{
	struct seek *s = context;
	(void)class_tag, (void)length;
	if (s->visited == 0)
		pass_clock_note(&s->climb->clock);
	if (++s->visited % CLOCK_EVERY == 0 && now_ns() > s->climb->end_ns) {
		s->climb->late = true;
		return JVMTI_VISIT_ABORT;
	}
	if (*tag == 0 && (uint64_t)size >= s->least)
		*tag = TAG_SOUGHT;
	return JVMTI_VISIT_OBJECTS;
}

static int by_address(const void *left, const void *right)
{
	const struct climb_address *a = left, *b = right;
	return a->address < b->address ? -1 : a->address > b->address;
}

/* Another object may lie there by now, most probably of another size. */
static bool is_the_same(const struct climb *c, jobject object, const struct climb_address *of)
{
	jlong size;
	return of != NULL &&
	       (*c->tags.jvmti)->GetObjectSize(c->tags.jvmti, object, &size) == JVMTI_ERROR_NONE &&
	       (uint64_t)size == of->size;
}

static void take_found(struct climb *c, struct climb_address *wanted, uint32_t count)
{
	jvmtiEnv *jvmti = c->tags.jvmti;
	JNIEnv *jni = c->tags.jni;
	const jlong sought = TAG_SOUGHT;
	jobject *objects;
	jint found;
	if ((*jvmti)->GetObjectsWithTags(jvmti, 1, &sought, &found, &objects, NULL) !=
	    JVMTI_ERROR_NONE)
		return;
	for (jint i = 0; i < found; i++) {
		const struct climb_address key = {.address = vm_local_position(c->vm, objects[i])};
		struct climb_address *of = bsearch(&key, wanted, count, sizeof *wanted, by_address);
		(void)(*jvmti)->SetTag(jvmti, objects[i], 0);
		if (is_the_same(c, objects[i], of))
			of->node = climb_add(c, objects[i]);
		(*jni)->DeleteLocalRef(jni, objects[i]);
	}
	(*jvmti)->Deallocate(jvmti, (unsigned char *)objects);
}

void climb_add_addresses(struct climb *c, struct climb_address *wanted, uint32_t count)
{
	const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
	jvmtiEnv *jvmti = c->tags.jvmti;
	struct seek seek = {.climb = c, .least = UINT64_MAX};
	qsort(wanted, count, sizeof *wanted, by_address);
	for (uint32_t i = 0; i < count; i++)
		seek.least = wanted[i].size < seek.least ? wanted[i].size : seek.least;
	const struct pass_time begin = climb_begin_pass(c);
	const jvmtiError error =
	    (*jvmti)->IterateThroughHeap(jvmti, JVMTI_HEAP_FILTER_TAGGED, NULL, &callbacks, &seek);
	(void)climb_end_pass(c, &begin);
	if (error == JVMTI_ERROR_NONE)
		take_found(c, wanted, count);
}
