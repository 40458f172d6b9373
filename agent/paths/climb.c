#include "climb.h"

#include <gcspy/memory.h>

/* Referrers that a pass may find besides one for each object without a holder; local variables. */
enum { SPARE_NODES = 1024, MOST_LOCALS = 4096, MOST_TRIES = 3 };

/* A class whose objects hold each other gets a pass for all of them after this many that climbed by
 * one object; it may tag this many. */
enum { PASSES_OF_A_LIST = 3, MOST_OF_A_LIST = 200000 };

/* From this many classes on, one pass for all is shorter than one for each; how much longer it is than
 * one of these. */
enum { MANY_CLASSES = 5, ANY_FACTOR = 5 };

bool climb_reserve(struct climb *c, uint32_t nodes)
{
	if (nodes > c->capacity) {
		const uint32_t more = c->capacity + c->capacity / 2;
		const uint32_t capacity = nodes > more ? nodes : more;
		struct climb_node *grown = gcs_realloc(c->nodes, capacity * sizeof *grown);
		if (grown == NULL)
			return false;
		c->nodes = grown;
		c->capacity = capacity;
	}
	if (c->locals == NULL) {
		c->locals = gcs_alloc(MOST_LOCALS * sizeof *c->locals);
		c->local_capacity = c->locals == NULL ? 0 : MOST_LOCALS;
	}
	return c->locals != NULL;
}

void climb_free(struct climb *c)
{
	gcs_free(c->nodes);
	gcs_free(c->locals);
	c->nodes = NULL;
	c->locals = NULL;
	c->count = c->capacity = c->local_count = c->local_capacity = 0;
}

static uint32_t class_of(struct climb *c, jobject object)
{
	JNIEnv *jni = c->tags.jni;
	jclass class_ = (*jni)->GetObjectClass(jni, object);
	const uint32_t number = tag_space_class(&c->tags, class_);
	(*jni)->DeleteLocalRef(jni, class_);
	return number;
}

uint32_t climb_add(struct climb *c, jobject object)
{
	jvmtiEnv *jvmti = c->tags.jvmti;
	jlong tag = 0;
	if (c->count == c->capacity || (*jvmti)->GetTag(jvmti, object, &tag) != JVMTI_ERROR_NONE ||
	    tag != 0 || (*jvmti)->SetTag(jvmti, object, (jlong)c->count + 1) != JVMTI_ERROR_NONE)
		return TAG_NONE;
	c->nodes[c->count] = (struct climb_node){
	    .parent = TAG_NONE, .class_ = TAG_NONE, .holder = TAG_NONE, .state = CLIMB_PENDING};
	return c->count++;
}

/* Looks up the classes of targets, and of referrers whose class was loaded meanwhile. */
static void find_classes(struct climb *c)
{
	JNIEnv *jni = c->tags.jni;
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_PENDING)
			continue;
		jobject object =
		    n->class_ == TAG_NONE ? tag_space_object(&c->tags, (jlong)i + 1) : NULL;
		if (object != NULL) {
			n->class_ = class_of(c, object);
			(*jni)->DeleteLocalRef(jni, object);
		}
		if (n->class_ == TAG_NONE || c->tags.classes[n->class_].class_ == NULL)
			n->state = CLIMB_LOST; /* it has died */
	}
}

/* Chooses the class of most objects without a holder, TAG_NONE if there are none, or all classes.
 * False without memory. */
static bool choose_class(struct climb *c, const struct climb_limits *limits)
{
	uint32_t *counts = gcs_zalloc((c->tags.count + (size_t)1) * sizeof *counts);
	uint32_t classes = 0, all = 0, list = TAG_NONE;
	c->current = TAG_NONE;
	c->open = 0;
	if (counts == NULL)
		return false;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_PENDING)
			continue;
		const struct tagged_class *k = &c->tags.classes[n->class_];
		if (k->list_passes >= PASSES_OF_A_LIST && !k->whole)
			list = n->class_;
		all++;
		classes += counts[n->class_] == 0;
		if (++counts[n->class_] > c->open) {
			c->open = counts[n->class_];
			c->current = n->class_;
		}
	}
	gcs_free(counts);
	const uint64_t expected = c->any_ns != 0 ? c->any_ns : c->class_ns * ANY_FACTOR;
	c->any = classes >= MANY_CLASSES && c->passes != 0 && expected <= limits->pause_ns;
	c->open = c->any ? all : c->open;
	c->whole = list != TAG_NONE;
	if (c->whole) {
		c->any = false;
		c->current = list;
	}
	return true;
}

/* Opens the search for what the lost object held; a local variable will do. */
static void reopen_children(struct climb *c, uint32_t lost)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_HELD || n->parent != lost)
			continue;
		n->parent = n->holder = TAG_NONE;
		n->rank = n->local != 0;
		n->weak = n->weak || c->nodes[lost].weak;
		if (n->local != 0)
			n->kind = c->locals[n->local - 1].kind;
		else
			n->state = ++n->tries < MOST_TRIES ? CLIMB_PENDING : CLIMB_LOST;
	}
}

/* A pass has been over all references to the object. */
static void settle(struct climb *c, uint32_t node)
{
	struct climb_node *n = &c->nodes[node];
	if (n->rank == 0) {
		n->state = CLIMB_LOST;
		n->crowded = c->full;
		if (!n->crowded)
			reopen_children(c, node);
		return;
	}
	n->state = CLIMB_HELD;
	if (n->parent == TAG_NONE || c->nodes[n->parent].state != CLIMB_IDLE)
		return;
	c->nodes[n->parent].state = CLIMB_PENDING;
	if (n->holder == n->class_)
		c->tags.classes[n->class_].climbed = true;
}

/* Those that were looked for in this pass: settling them puts others of the class into their state. */
static void settle_pass(struct climb *c)
{
	const uint32_t stamp = ++c->stamp, count = c->count;
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].state == CLIMB_PENDING &&
		    (c->any || c->nodes[i].class_ == c->current))
			c->nodes[i].stamp = stamp;
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].stamp == stamp)
			settle(c, i);
}

/* After a pass over all objects of a class: follows the chain of an object as far as they go. */
static void settle_list(struct climb *c, uint32_t first)
{
	const uint32_t stamp = ++c->stamp;
	uint32_t i = first;
	while (i != TAG_NONE && c->nodes[i].class_ == c->current &&
	       (c->nodes[i].state == CLIMB_IDLE || c->nodes[i].state == CLIMB_PENDING)) {
		struct climb_node *n = &c->nodes[i];
		n->stamp = stamp;
		settle(c, i);
		if (n->parent != TAG_NONE && c->nodes[n->parent].stamp == stamp) {
			/* A circle, which a local variable holds or nothing that was found. */
			n->parent = TAG_NONE;
			n->rank = 0;
			n->circular = true;
			n->state = CLIMB_PENDING;
			settle(c, i);
			return;
		}
		i = n->parent;
	}
}

static void settle_lists(struct climb *c)
{
	const uint32_t count = c->count;
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].state == CLIMB_PENDING && c->nodes[i].class_ == c->current)
			settle_list(c, i);
}

/* Another chance for what was lost because its only referrer seemed to be held by itself: that one
 * may have another holder by now. */
static bool retry_circular(struct climb *c)
{
	bool any = false;
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_LOST || !n->circular || n->class_ == TAG_NONE)
			continue;
		n->circular = false;
		if (++n->tries < MOST_TRIES) {
			n->state = CLIMB_PENDING;
			any = true;
		}
	}
	return any;
}

static bool make_room(struct climb *c)
{
	const uint32_t wanted = c->count + (c->whole ? MOST_OF_A_LIST : 2 * c->open + SPARE_NODES);
	c->full = false;
	return climb_reserve(c, wanted < CLIMB_MOST_NODES ? wanted : CLIMB_MOST_NODES);
}

/* Counts the classes whose objects were found to be held by others of the class. */
static void count_lists(struct climb *c)
{
	for (uint32_t i = 0; i < c->tags.count; i++) {
		struct tagged_class *k = &c->tags.classes[i];
		k->list_passes = (uint8_t)(k->list_passes + k->climbed);
		k->climbed = false;
	}
}

bool climb_run(struct climb *c, const struct climb_limits *limits)
{
	for (;;) {
		if (!tag_space_settle(&c->tags))
			return false;
		find_classes(c);
		if (!choose_class(c, limits))
			return false;
		if (c->current == TAG_NONE && retry_circular(c))
			continue;
		c->unfinished = c->current != TAG_NONE;
		if (!c->unfinished || c->passes == CLIMB_MOST_PASSES ||
		    limits->ends(limits->context, c))
			return true;
		if (!make_room(c) || !climb_pass(c))
			return false;
		if (c->whole) {
			c->tags.classes[c->current].whole = true;
			settle_lists(c);
		} else {
			settle_pass(c);
		}
		count_lists(c);
	}
}
