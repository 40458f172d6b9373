/* What holds class loaders. Declared in climb.h. */

#include "climb.h"

/* How much longer a pass over all references is than one for a class. */
enum { LOADERS_FACTOR = 5, LOADERS_SPARE = 64 };

jobject climb_loader_of(const struct tag_space *s, uint32_t class_)
{
	jobject loader = NULL;
	if (s->classes[class_].class_ == NULL ||
	    (*s->jvmti)->GetClassLoader(s->jvmti, s->classes[class_].class_, &loader) !=
		JVMTI_ERROR_NONE)
		return NULL;
	return loader;
}

/* The tag of a loader that is of the program's making, or 0. */
static jlong tag_of(const struct tag_space *s, jobject loader)
{
	jlong tag = 0;
	return (*s->jvmti)->GetTag(s->jvmti, loader, &tag) == JVMTI_ERROR_NONE ? tag : 0;
}

static bool is_of_program(struct climb *c, jobject loader)
{
	JNIEnv *jni = c->tags.jni;
	jclass class_ = (*jni)->GetObjectClass(jni, loader);
	const uint32_t number = tag_space_class(&c->tags, class_);
	(*jni)->DeleteLocalRef(jni, class_);
	return number != TAG_NONE && c->tags.classes[number].loads;
}

/* The node of the class's loader, made if it is new; TAG_NONE if there is none, if the loader is the
 * JDK's, which always stays, or without room. */
static uint32_t loader_node(struct climb *c, uint32_t class_)
{
	JNIEnv *jni = c->tags.jni;
	jobject loader = climb_loader_of(&c->tags, class_);
	if (loader == NULL)
		return TAG_NONE;
	const bool wanted = is_of_program(c, loader);
	uint32_t node = wanted ? climb_node_of(c, tag_of(&c->tags, loader)) : TAG_NONE;
	if (wanted && node == TAG_NONE && climb_reserve(c, c->count + 1))
		node = climb_add(c, loader);
	else if (node != TAG_NONE && c->nodes[node].state == CLIMB_IDLE)
		c->nodes[node].state = CLIMB_PENDING;
	(*jni)->DeleteLocalRef(jni, loader);
	return node;
}

/* Chains that end at a class go on with its loader. True if one is new. */
static bool link_classes(struct climb *c)
{
	const uint32_t count = c->count;
	bool any = false;
	for (uint32_t i = 0; i < count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->state != CLIMB_HELD || n->parent != TAG_NONE || !climb_held_by_class(n))
			continue;
		const uint32_t loader = loader_node(c, n->holder);
		/* Nodes may have moved. A loader that the object itself holds stays as it is. */
		if (loader != TAG_NONE && !climb_leads_to(c, loader, i)) {
			c->nodes[i].parent = loader & TAG_NONE;
			any = any || c->nodes[loader].state == CLIMB_PENDING;
		}
	}
	return any;
}

/* The nodes of the loaders of all classes, as far as they have one. */
static void note_worlds(struct climb *c)
{
	for (uint32_t i = 0; i < c->tags.count; i++) {
		jobject loader = climb_loader_of(&c->tags, i);
		c->tags.classes[i].loader =
		    loader == NULL ? TAG_NONE : climb_node_of(c, tag_of(&c->tags, loader));
		if (loader != NULL)
			(*c->tags.jni)->DeleteLocalRef(c->tags.jni, loader);
	}
}

/* The loader that the object is, whose class it is, or that has loaded its class; TAG_NONE: none that
 * is looked for. In the pause. */
static uint32_t world_of(const struct climb *c, jlong tag, jlong class_tag)
{
	uint32_t class_ = tag_class(&c->tags, tag);
	const uint32_t node = climb_node_of(c, tag);
	if (class_ == TAG_NONE && node != TAG_NONE) {
		class_ = c->nodes[node].class_;
		if (class_ != TAG_NONE && c->tags.classes[class_].loads)
			return node;
	}
	if (class_ == TAG_NONE)
		class_ = tag_class(&c->tags, class_tag);
	return class_ == TAG_NONE ? TAG_NONE : c->tags.classes[class_].loader;
}

static struct climb_loader *entry_of(struct climb *c, uint32_t node)
{
	for (uint32_t i = 0; i < c->loader_count; i++)
		if (c->loaders[i].node == node)
			return &c->loaders[i];
	return NULL;
}

uint32_t climb_loader_via(const struct climb *c, uint32_t node)
{
	for (uint32_t i = 0; i < c->loader_count; i++)
		if (c->loaders[i].node == node)
			return c->loaders[i].via;
	return TAG_NONE;
}

/* An object of one of the loader's classes is referred to from outside. */
static void take_instance(struct climb *c, uint32_t loader, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, uint32_t class_, jlong *tag, jlong referrer_class,
    jlong *referrer)
{
	uint32_t node = climb_node_of(c, *tag);
	if (node == TAG_NONE)
		node = climb_add_node(c, class_, tag);
	if (node == TAG_NONE)
		return;
	struct climb_node *n = &c->nodes[node], *l = &c->nodes[loader];
	if (n->state != CLIMB_HELD || climb_leads_to(c, node, loader)) {
		const struct climb_node before = *n;
		n->rank = RANK_NONE;
		n->parent = n->holder = TAG_NONE;
		n->state = CLIMB_HELD;
		climb_take(c, node, kind, info, referrer_class, referrer);
		if (n->rank == RANK_NONE || climb_leads_to(c, n->parent, loader)) {
			*n = before;
			return;
		}
	}
	l->rank = RANK_BEST;
	l->parent = node & TAG_NONE;
	l->holder = n->class_;
	l->kind = JVMTI_HEAP_REFERENCE_CLASS;
}

static jint JNICALL on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context)
{
	struct climb *c = context;
	(void)size, (void)length;
	pass_clock_note(&c->clock);
	const uint32_t world = world_of(c, *tag, class_tag);
	if (climb_is_local(kind) && !c->follow_locals)
		return 0;
	if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL && info->jni_local.thread_tag == TAG_OWN_THREAD)
		return 0;
	if (referrer_tag != NULL && climb_is_weak(c, kind, info, referrer_class_tag)) {
		if (world != TAG_NONE)
			climb_take_weak(&c->nodes[world],
			    &(struct climb_node){
				.weak = true, .index = tag_class(&c->tags, referrer_class_tag)});
		return 0;
	}
	struct climb_loader *entry = world == TAG_NONE ? NULL : entry_of(c, world);
	if (entry == NULL || c->nodes[world].state != CLIMB_LOADER ||
	    c->nodes[world].rank != RANK_NONE ||
	    (referrer_tag != NULL && world_of(c, *referrer_tag, referrer_class_tag) == world))
		return JVMTI_VISIT_OBJECTS;
	const uint32_t mirror = tag_class(&c->tags, *tag), node = climb_node_of(c, *tag);
	if (mirror == TAG_NONE && node != world) {
		take_instance(c, world, kind, info, tag_class(&c->tags, class_tag), tag,
		    referrer_class_tag, referrer_tag);
	} else {
		entry->via = mirror;
		climb_take(c, world, kind, info, referrer_class_tag, referrer_tag);
	}
	return c->nodes[world].rank != RANK_NONE && --c->open == 0 ? JVMTI_VISIT_ABORT
								   : JVMTI_VISIT_OBJECTS;
}

/* The loaders that are looked for in this pass; how many. Local variables are followed once all of them
 * were looked for without. */
static uint32_t begin(struct climb *c)
{
	c->open = 0;
	c->follow_locals = true;
	for (uint32_t i = 0; i < c->count; i++) {
		if (c->nodes[i].state != CLIMB_LOADER)
			continue;
		struct climb_loader *entry = entry_of(c, i);
		if (entry == NULL && c->loader_count < CLIMB_MOST_LOADERS) {
			entry = &c->loaders[c->loader_count++];
			*entry = (struct climb_loader){.node = i};
		}
		if (entry != NULL) {
			entry->via = TAG_NONE;
			c->follow_locals = c->follow_locals && entry->local;
			c->nodes[i].rank = RANK_NONE;
			c->nodes[i].parent = c->nodes[i].holder = TAG_NONE;
			c->open++;
		}
	}
	return c->open;
}

static void need(struct climb *c, uint32_t node)
{
	if (node != TAG_NONE && c->nodes[node].state == CLIMB_IDLE)
		c->nodes[node].state = CLIMB_PENDING;
}

static void settle(struct climb *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		struct climb_loader *entry = n->state == CLIMB_LOADER ? entry_of(c, i) : NULL;
		if (entry == NULL)
			continue;
		if (n->rank == RANK_NONE && !c->follow_locals) {
			entry->local = true;
			continue;
		}
		n->state = n->rank == RANK_NONE ? CLIMB_LOST : CLIMB_HELD;
		need(c, n->parent);
		/* An object of its classes, which is held itself. */
		if (n->parent != TAG_NONE && n->kind == JVMTI_HEAP_REFERENCE_CLASS)
			need(c, c->nodes[n->parent].parent);
	}
}

static void skip(struct climb *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->nodes[i].state == CLIMB_LOADER)
			c->nodes[i].state = CLIMB_SKIPPED;
}

bool climb_loaders(struct climb *c, const struct climb_limits *limits, bool *passed)
{
	/* Loaders that are new are recognized by their classes first. */
	*passed = link_classes(c);
	if (*passed || begin(c) == 0)
		return true;
	const uint64_t class_ns = c->class_ns > limits->pass_ns ? c->class_ns : limits->pass_ns;
	const uint64_t expected = c->loader_ns != 0 ? c->loader_ns : class_ns * LOADERS_FACTOR;
	if (expected > limits->pause_ns) {
		c->skipped_ns = expected;
		skip(c);
		return true;
	}
	c->unfinished = true;
	if (c->passes == CLIMB_MOST_PASSES || limits->ends(limits->context, c))
		return true;
	note_worlds(c);
	c->full = false;
	if (!climb_reserve(c, c->count + 2 * c->open + LOADERS_SPARE) ||
	    !climb_walk(c, 0, NULL, on_reference, &c->loader_ns))
		return false;
	settle(c);
	c->unfinished = false;
	*passed = true;
	return true;
}
