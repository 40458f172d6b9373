#include "climb.h"

#include <gcspy/memory.h>

/* Referrers that a pass may find besides one for each object without a holder. */
enum { SPARE_NODES = 1024, MOST_TRIES = 3 };

/* A class whose objects hold each other gets a pass for all of them after this many that climbed by
 * one object; it may tag this many. */
enum { PASSES_OF_A_LIST = 3, MOST_OF_A_LIST = 110000 };

/* From this many classes on, one pass for all is shorter than one for each; how much longer it is than
 * one of these. */
enum { MANY_CLASSES = 5, ANY_FACTOR = 5 };

/* The most objects that a climb may tag beside the classes in `tags`. */
static uint32_t most_nodes(const struct climb *c)
{
	/* Of a class: itself, and at different times a count and the address of its name. */
	const size_t of_class = sizeof *c->tags.classes + sizeof(char *);
	const size_t others = CLIMB_MOST_LOCALS * sizeof *c->locals + CLIMB_NAMES_BYTES +
			      (c->tags.count + (size_t)1) * of_class;
	const size_t left = others < CLIMB_MOST_BYTES ? CLIMB_MOST_BYTES - others : 0;
	const size_t nodes = left / sizeof *c->nodes;
	return nodes > CLIMB_LEAST_NODES ? (uint32_t)nodes : CLIMB_LEAST_NODES;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

bool climb_reserve(struct climb *c, uint32_t nodes)
{
	const uint32_t most = most_nodes(c);
	nodes = smaller(nodes, most);
	if (nodes > c->capacity) {
		const uint32_t more = smaller(c->capacity + c->capacity / 2, most);
		const uint32_t capacity = nodes > more ? nodes : more;
		struct climb_node *grown = gcs_realloc(c->nodes, capacity * sizeof *grown);
		if (grown == NULL)
			return false;
		c->nodes = grown;
		c->capacity = capacity;
	}
	if (c->locals == NULL)
		c->locals = gcs_alloc(CLIMB_MOST_LOCALS * sizeof *c->locals);
	return c->locals != NULL;
}

void climb_free(struct climb *c)
{
	gcs_free(c->nodes);
	gcs_free(c->locals);
	c->nodes = NULL;
	c->locals = NULL;
	c->count = c->capacity = c->local_count = 0;
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
	c->nodes[c->count] = (struct climb_node){.parent = TAG_NONE,
	    .class_ = TAG_NONE,
	    .holder = TAG_NONE,
	    .state = CLIMB_PENDING,
	    .index = TAG_NONE};
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
			n->class_ = class_of(c, object) & TAG_NONE;
			(*jni)->DeleteLocalRef(jni, object);
		}
		if (n->class_ == TAG_NONE || c->tags.classes[n->class_].class_ == NULL)
			n->state = CLIMB_LOST; /* it has died */
		else if (c->tags.classes[n->class_].loads)
			n->state = CLIMB_LOADER;
	}
}

/* Chooses the class of most objects without a holder, TAG_NONE if there are none, or all classes.
 * False without memory. */
static bool choose_class(struct climb *c, const struct climb_limits *limits)
{
	uint32_t *counts = gcs_zalloc((c->tags.count + (size_t)1) * sizeof *counts);
	uint32_t classes = 0, all = 0, list = TAG_NONE, fleeting = TAG_NONE;
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
		if (k->fleeting)
			fleeting = n->class_;
		all++;
		classes += counts[n->class_] == 0;
		if (++counts[n->class_] > c->open) {
			c->open = counts[n->class_];
			c->current = n->class_;
		}
	}
	/* Not twice in a row: the program has to run, too. */
	c->hurried = fleeting != TAG_NONE && !c->hurried;
	if (c->hurried) {
		c->current = fleeting;
		c->open = counts[fleeting];
	}
	gcs_free(counts);
	const uint64_t expected = c->any_ns != 0 ? c->any_ns : c->class_ns * ANY_FACTOR;
	c->any = !c->hurried && classes >= MANY_CLASSES && c->passes != 0 &&
		 expected <= limits->pause_ns;
	c->open = c->any ? all : c->open;
	c->whole = list != TAG_NONE && !c->hurried;
	if (c->whole) {
		c->any = false;
		c->current = list;
	}
	return true;
}

/* A local variable will do. */
static void hold_by_local(const struct climb *c, struct climb_node *n)
{
	n->rank = RANK_LOCAL;
	n->parent = n->holder = TAG_NONE;
	n->kind = c->locals[n->local - 1].kind & CLIMB_KIND_BITS;
}

/* Opens the search for what the lost object held. */
static void reopen_children(struct climb *c, uint32_t lost)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_HELD || n->parent != lost || climb_held_by_class(n))
			continue;
		if (c->nodes[lost].class_ != TAG_NONE)
			c->tags.classes[c->nodes[lost].class_].fleeting = true;
		n->rank = RANK_NONE;
		if (c->nodes[lost].circular) {
			n->parent = n->holder = TAG_NONE;
			n->index = TAG_NONE;
		}
		climb_take_weak(n, &c->nodes[lost]);
		/* What led back to it hides the others: a thread's field has one step more to a pool's
		 * worker than the pool's own set. */
		const bool hidden = c->nodes[lost].circular && n->tries + 1 < MOST_TRIES;
		if (n->local != 0 && !hidden)
			hold_by_local(c, n);
		else
			n->state = ++n->tries < MOST_TRIES ? CLIMB_PENDING : CLIMB_LOST;
	}
}

/* A pass has been over all references to the object. */
static void settle(struct climb *c, uint32_t node)
{
	struct climb_node *n = &c->nodes[node];
	/* It was one in an earlier pass. */
	if (n->rank == 0 && n->local != 0 && n->tries != 0)
		hold_by_local(c, n);
	if (n->rank == 0) {
		n->state = CLIMB_LOST;
		n->crowded = c->full || (c->whole && c->cut);
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
	const uint32_t count = c->count;
	for (uint32_t i = 0; i < count; i++)
		c->nodes[i].marked = c->nodes[i].state == CLIMB_PENDING &&
				     (c->any || c->nodes[i].class_ == c->current);
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].marked)
			settle(c, i);
}

/* After a pass over all objects of a class: follows the chain of an object, whose nodes are marked, as
 * far as they go. */
static void settle_list(struct climb *c, uint32_t first)
{
	uint32_t i = first;
	for (uint32_t k = 0; k < c->count; k++)
		c->nodes[k].marked = false;
	while (i != TAG_NONE && c->nodes[i].class_ == c->current &&
	       (c->nodes[i].state == CLIMB_IDLE || c->nodes[i].state == CLIMB_PENDING)) {
		struct climb_node *n = &c->nodes[i];
		n->marked = true;
		settle(c, i);
		if (n->parent != TAG_NONE && c->nodes[n->parent].marked) {
			/* A circle, which a local variable holds or nothing that was found. */
			n->parent = TAG_NONE;
			n->index = TAG_NONE;
			n->rank = 0;
			n->circular = true;
			n->state = CLIMB_PENDING;
			settle(c, i);
			return;
		}
		i = n->parent;
	}
}

/* After a pass that was stopped: of the others nothing is known. */
static void settle_found(struct climb *c)
{
	const uint32_t count = c->count;
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].state == CLIMB_PENDING && c->nodes[i].rank == RANK_BEST)
			settle(c, i);
}

static void settle_lists(struct climb *c)
{
	const uint32_t count = c->count;
	if (c->cut && c->entry.node != TAG_NONE) {
		struct climb_node *n = &c->nodes[c->entry.node];
		/* A neighbour leads back to it at best. */
		if (n->rank == RANK_OWN_CLASS && n->local != 0)
			hold_by_local(c, n);
		settle_list(c, c->entry.node);
	}
	for (uint32_t i = 0; i < count; i++)
		if (c->nodes[i].state == CLIMB_PENDING && c->nodes[i].class_ == c->current)
			settle_list(c, i);
	climb_settle_cut(c);
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
	c->full = c->cut = false;
	c->entry = (struct climb_entry){.node = TAG_NONE};
	if (!climb_reserve(c, c->count + (c->whole ? MOST_OF_A_LIST : 2 * c->open + SPARE_NODES)))
		return false;
	/* The rest is for what refers to a list from outside. */
	c->list_end = c->capacity - SPARE_NODES;
	return true;
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
	c->pause_ns = limits->pause_ns;
	for (;;) {
		if (!tag_space_settle(&c->tags))
			return false;
		find_classes(c);
		if (!choose_class(c, limits))
			return false;
		if (c->current == TAG_NONE) {
			bool again = retry_circular(c);
			c->unfinished = false;
			if (!again && !climb_loaders(c, limits, &again))
				return false;
			if (!again)
				return true;
			continue;
		}
		c->unfinished = true;
		if (c->passes == CLIMB_MOST_PASSES || limits->ends(limits->context, c))
			return true;
		if (!make_room(c) || !climb_pass(c))
			return false;
		if (c->late) {
			settle_found(c);
			return true;
		}
		if (c->whole) {
			c->tags.classes[c->current].whole = true;
			settle_lists(c);
		} else {
			settle_pass(c);
		}
		count_lists(c);
	}
}
