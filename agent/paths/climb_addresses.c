/*
 * Targets that are known by their addresses: humongous objects of G1 (sample/humongous.h). JVMTI gives a reference to
 * an object only by its tag, so a walk over the heap tags all objects of the class that are as large. Without a
 * class it would look up the tag of each object of the heap: of ten million in 1.5 s instead of 0.1 to 0.3.
 */

#include <stdlib.h>

#include "chain_names.h"
#include "climb.h"
#include "hash.h"
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

static void pass_for(struct climb *c, jclass class_, struct seek *seek)
{
	const jvmtiHeapCallbacks callbacks = {.heap_iteration_callback = on_object};
	const struct pass_time begin = climb_begin_pass(c);
	(void)(*c->tags.jvmti)
	    ->IterateThroughHeap(c->tags.jvmti, JVMTI_HEAP_FILTER_TAGGED, class_, &callbacks, seek);
	(void)climb_end_pass(c, &begin);
}

/* The size of the smallest object that is wanted of the class, or UINT64_MAX. */
static uint64_t least_of(
    const struct climb *c, jclass class_, const struct climb_address *wanted, uint32_t count)
{
	char name[512];
	uint64_t least = UINT64_MAX;
	class_text(&c->tags, class_, name, sizeof name);
	const uint64_t hash = hash_text(HASH_BEGIN, name);
	for (uint32_t i = 0; i < count; i++)
		if (wanted[i].class_ == hash && wanted[i].size < least)
			least = wanted[i].size;
	return least;
}

void climb_add_addresses(struct climb *c, const struct climb_limits *limits,
    struct climb_address *wanted, uint32_t count)
{
	JNIEnv *jni = c->tags.jni;
	qsort(wanted, count, sizeof *wanted, by_address);
	c->pause_ns = limits->pause_ns;
	for (uint32_t i = 0; i < c->tags.count && count != 0 && !c->late; i++) {
		jclass class_ = (*jni)->NewLocalRef(jni, c->tags.classes[i].class_);
		if (class_ == NULL)
			continue;
		struct seek seek = {.climb = c, .least = least_of(c, class_, wanted, count)};
		if (seek.least != UINT64_MAX && !limits->ends(limits->context, c)) {
			pass_for(c, class_, &seek);
			take_found(c, wanted, count);
		}
		(*jni)->DeleteLocalRef(jni, class_);
	}
}
