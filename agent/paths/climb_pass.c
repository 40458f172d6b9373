/* One walk of the backward climb, and its callback in the VM thread. Declared in climb.h. */

#include "climb.h"

#include "now.h"
#include "vm_gc.h"

uint32_t climb_node_of(const struct climb *c, jlong tag)
{
	return tag > 0 && tag <= (jlong)c->count ? (uint32_t)(tag - 1) : TAG_NONE;
}

uint32_t climb_add_node(struct climb *c, uint32_t class_, jlong *tag)
{
	if (c->count == c->capacity) {
		c->full = true;
		return TAG_NONE;
	}
	c->nodes[c->count] = (struct climb_node){
	    .parent = TAG_NONE, .class_ = class_ & TAG_NONE, .holder = TAG_NONE, .index = TAG_NONE};
	*tag = (jlong)c->count + 1;
	return c->count++;
}

bool climb_leads_to(const struct climb *c, uint32_t from, uint32_t node)
{
	for (uint32_t i = 0; from != TAG_NONE && i < c->count; i++) {
		if (from == node)
			return true;
		from = c->nodes[from].rank == RANK_NONE ? TAG_NONE : c->nodes[from].parent;
	}
	return false;
}

static uint32_t add_local(
    struct climb *c, jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
	if (c->local_count == CLIMB_MOST_LOCALS)
		return c->local_count; /* the last one, or none, stands for it */
	struct climb_local *l = &c->locals[c->local_count++];
	*l = (struct climb_local){.kind = (uint8_t)kind};
	if (kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL) {
		l->method = info->stack_local.method;
		l->location = info->stack_local.location;
		l->thread = info->stack_local.thread_id;
	} else if (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL) {
		l->method = info->jni_local.method;
		l->thread = info->jni_local.thread_id;
	}
	return c->local_count;
}

/* A root: a local variable does for lack of anything better. */
static void take_root(struct climb *c, struct climb_node *n, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info)
{
	const bool local = climb_is_local(kind);
	if (local && n->local == 0)
		n->local = add_local(c, kind, info) & CLIMB_LOCAL_BITS;
	if (n->rank >= (local ? RANK_LOCAL : RANK_BEST))
		return;
	n->rank = local ? RANK_LOCAL : RANK_BEST;
	n->parent = n->holder = TAG_NONE;
	n->kind = (uint32_t)kind & CLIMB_KIND_BITS;
}

static bool has_index(jvmtiHeapReferenceKind kind)
{
	return kind == JVMTI_HEAP_REFERENCE_FIELD || kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD ||
	       kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ||
	       kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL;
}

static uint32_t index_of(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
	if (!has_index(kind))
		return 0;
	if (kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT)
		return (uint32_t)info->array.index;
	return kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL ? (uint32_t)info->constant_pool.index
							  : (uint32_t)info->field.index;
}

/* A reference from a class. The one of a class to its loader says little. */
static void take_class(struct climb *c, uint32_t node, jvmtiHeapReferenceKind kind, uint32_t class_,
    const jvmtiHeapReferenceInfo *info)
{
	struct climb_node *n = &c->nodes[node];
	const uint32_t rank = kind == JVMTI_HEAP_REFERENCE_CLASS_LOADER ? RANK_LOCAL : RANK_BEST;
	if (n->rank >= rank)
		return;
	/* A class that lives because the object does holds nothing. */
	if (climb_leads_to(c, c->tags.classes[class_].loader, node)) {
		n->circular = true;
		return;
	}
	n->rank = rank & CLIMB_RANK_BITS;
	n->parent = TAG_NONE;
	n->holder = class_ & TAG_NONE;
	n->kind = (uint32_t)kind & CLIMB_KIND_BITS;
	n->index = index_of(kind, info);
}

bool climb_is_weak(const struct climb *c, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, jlong referrer_class)
{
	const uint32_t class_ = tag_class(&c->tags, referrer_class);
	return kind == JVMTI_HEAP_REFERENCE_FIELD && class_ != TAG_NONE &&
	       !c->tags.classes[class_].finalizes &&
	       c->tags.classes[class_].weak_field == (uint32_t)info->field.index;
}

/* All objects with a finalizer are referred to so, for as long as they live. */
bool climb_is_final(
    const struct climb *c, jvmtiHeapReferenceKind kind, uint32_t holder, uint32_t field)
{
	return kind == JVMTI_HEAP_REFERENCE_FIELD && holder != TAG_NONE &&
	       c->tags.classes[holder].finalizes && c->tags.classes[holder].weak_field == field;
}

void climb_take_weak(struct climb_node *n, const struct climb_node *from)
{
	if (!from->weak)
		return;
	n->weak = true;
	if (n->rank == RANK_NONE) {
		n->parent = n->holder = TAG_NONE;
		n->index = from->index;
	}
}

static void take_object(struct climb *c, uint32_t node, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, uint32_t holder, jlong *tag)
{
	struct climb_node *n = &c->nodes[node];
	const uint32_t index = index_of(kind, info);
	const uint32_t rank = climb_is_final(c, kind, holder, index) ? RANK_LOCAL
			      : holder == n->class_                  ? RANK_OWN_CLASS
								     : RANK_BEST;
	uint32_t parent = climb_node_of(c, *tag);
	if (n->rank >= rank || parent == node)
		return;
	if (parent != TAG_NONE && c->nodes[parent].state == CLIMB_LOST &&
	    !c->nodes[parent].crowded) {
		climb_take_weak(n, &c->nodes[parent]);
		n->circular = n->circular || c->nodes[parent].circular;
		return;
	}
	if (parent != TAG_NONE && !c->whole && climb_leads_to(c, parent, node)) {
		n->circular = true;
		return;
	}
	if (parent == TAG_NONE)
		parent = climb_add_node(c, holder, tag);
	if (parent == TAG_NONE)
		return;
	n->rank = rank & CLIMB_RANK_BITS;
	n->parent = parent & TAG_NONE;
	n->holder = holder & TAG_NONE;
	n->kind = (uint32_t)kind & CLIMB_KIND_BITS;
	n->index = index;
}

void climb_take(struct climb *c, uint32_t node, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, jlong referrer_class, jlong *referrer)
{
	struct climb_node *n = &c->nodes[node];
	if (referrer == NULL) {
		take_root(c, n, kind, info);
		return;
	}
	uint32_t class_ = tag_class(&c->tags, *referrer);
	if (class_ == TAG_NONE && kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD && *referrer == 0)
		class_ = tag_space_note_class(&c->tags, referrer);
	if (class_ != TAG_NONE)
		take_class(c, node, kind, class_, info);
	else if (climb_is_weak(c, kind, info, referrer_class))
		climb_take_weak(n, &(struct climb_node){
				       .weak = true, .index = tag_class(&c->tags, referrer_class)});
	else
		take_object(c, node, kind, info, tag_class(&c->tags, referrer_class), referrer);
}

jint JNICALL climb_on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context)
{
	struct climb *c = context;
	uint32_t node = climb_node_of(c, *tag);
	(void)class_tag, (void)size, (void)length;
	pass_clock_note(&c->clock);
	if (kind == JVMTI_HEAP_REFERENCE_CLASS)
		return JVMTI_VISIT_OBJECTS;
	/* There may be no call for long: a pass that is stopped was longer than the limit. */
	if (now_ns() > c->end_ns) {
		c->late = true;
		return JVMTI_VISIT_ABORT;
	}
	if (node == TAG_NONE && *tag == 0 && c->whole)
		node = climb_add_node(c, c->current, tag);
	if (node == TAG_NONE)
		return c->full ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
	struct climb_node *n = &c->nodes[node];
	if ((n->class_ != c->current && !c->any) || n->rank == RANK_BEST ||
	    (n->state != CLIMB_PENDING && !(c->whole && n->state == CLIMB_IDLE)))
		return JVMTI_VISIT_OBJECTS;
	climb_take(c, node, kind, info, referrer_class_tag, referrer_tag);
	/* `climb_add_node` moves nothing. */
	if (n->rank == RANK_BEST && n->state == CLIMB_PENDING && --c->open == 0 && !c->whole)
		return JVMTI_VISIT_ABORT;
	return JVMTI_VISIT_OBJECTS;
}

static void raise(uint64_t *longest, uint64_t value)
{
	*longest = value > *longest ? value : *longest;
}

struct pass_time climb_begin_pass(struct climb *c)
{
	const struct pass_time begin = pass_clock_begin(&c->clock);
	c->end_ns = begin.wall_ns + c->pause_ns;
	return begin;
}

struct pass_time climb_end_pass(struct climb *c, const struct pass_time *begin)
{
	const struct pass_time took = pass_clock_since(&c->clock, begin);
	c->passes++;
	c->total.wall_ns += took.wall_ns;
	c->total.cpu_ns += took.cpu_ns;
	raise(&c->longest.wall_ns, took.wall_ns);
	raise(&c->longest.cpu_ns, took.cpu_ns);
	return took;
}

bool climb_walk(struct climb *c, jint filter, jclass class_, jvmtiHeapReferenceCallback callback,
    uint64_t *cpu_ns)
{
	const jvmtiHeapCallbacks callbacks = {.heap_reference_callback = callback};
	jvmtiEnv *jvmti = c->tags.jvmti;
	struct vm_gc_counts before, after;
	vm_gc_counts(c->vm, &before);
	const struct pass_time begin = climb_begin_pass(c);
	const jvmtiError error =
	    (*jvmti)->FollowReferences(jvmti, filter, class_, NULL, &callbacks, c);
	const struct pass_time took = climb_end_pass(c, &begin);
	vm_gc_counts(c->vm, &after);
	/* The VM thread may have run a collection before the pass. */
	if (cpu_ns != NULL && before.total == after.total)
		raise(cpu_ns, took.cpu_ns);
	return error == JVMTI_ERROR_NONE;
}

bool climb_pass(struct climb *c)
{
	JNIEnv *jni = c->tags.jni;
	const uint64_t before = c->class_ns;
	uint64_t *cpu_ns = c->whole ? NULL : c->any ? &c->any_ns : &c->class_ns;
	jclass class_ = NULL;
	if (!c->any) {
		class_ = (*jni)->NewLocalRef(jni, c->tags.classes[c->current].class_);
		if (class_ == NULL)
			return true; /* unloaded, and its objects have died */
	}
	const bool ok = c->whole ? climb_walk(c, 0, class_, climb_on_list, cpu_ns)
				 : climb_walk(c, JVMTI_HEAP_FILTER_UNTAGGED, class_,
				       climb_on_reference, cpu_ns);
	if (class_ != NULL)
		(*jni)->DeleteLocalRef(jni, class_);
	if (c->class_ns != before)
		c->class_whole = c->open != 0 && !c->full && !c->late;
	return ok;
}
