/* The pass over all objects of a class whose objects hold each other. Declared in climb.h. */

#include <string.h>

#include "chain_names.h"
#include "climb.h"
#include "now.h"

/* How good the reference is, as the take of climb_pass.c will find it. */
static enum climb_rank rank_of(const struct climb *c, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, jlong referrer_class, bool root)
{
	const uint32_t class_ = tag_class(&c->tags, referrer_class);
	if (root)
		return climb_is_local(kind) ? RANK_LOCAL : RANK_BEST;
	if (climb_is_weak(c, kind, info, referrer_class))
		return RANK_NONE;
	if (class_ == c->current)
		return RANK_OWN_CLASS;
	return kind == JVMTI_HEAP_REFERENCE_CLASS_LOADER ||
		       (kind == JVMTI_HEAP_REFERENCE_FIELD &&
			   climb_is_final(c, kind, class_, (uint32_t)info->field.index))
		   ? RANK_LOCAL
		   : RANK_BEST;
}

/* A reference from outside to a node, or with TAG_NONE to an object without one. */
static void compare(struct climb *c, const struct climb_entry *other, bool is_static)
{
	struct climb_entry *e = &c->entry;
	if (other->node != TAG_NONE && (e->node == TAG_NONE || other->rank > e->rank)) {
		*e = *other;
		return;
	}
	if (other->rank != e->rank || other->node == e->node)
		return;
	if (other->from == 0 || other->from != e->from || (is_static && other->index != e->index))
		e->several = true;
	else if (other->index != e->index)
		e->fields = true;
}

static void compare_reference(struct climb *c, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, enum climb_rank rank, uint32_t node,
    const jlong *referrer_tag)
{
	const bool is_static = kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD;
	const struct climb_entry other = {.node = node,
	    .rank = rank,
	    .from = referrer_tag == NULL ? 0 : *referrer_tag,
	    .index =
		is_static || kind == JVMTI_HEAP_REFERENCE_FIELD ? (uint32_t)info->field.index : 0};
	compare(c, &other, is_static);
}

/* Whether the object is held by one of its class that is known, and not held by it. An earlier reference
 * to it, from an object that was left out, has been ignored: this one may lead back. */
static bool is_ahead(const struct climb *c, jlong tag, const jlong *referrer_tag)
{
	const uint32_t node = climb_node_of(c, tag), from = climb_node_of(c, *referrer_tag);
	return node != TAG_NONE && from != TAG_NONE &&
	       (c->nodes[node].rank != RANK_NONE || !climb_leads_to(c, from, node));
}

jint JNICALL climb_on_list(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context)
{
	struct climb *c = context;
	if (kind == JVMTI_HEAP_REFERENCE_CLASS || (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL &&
						      info->jni_local.thread_tag == TAG_OWN_THREAD))
		return JVMTI_VISIT_OBJECTS;
	const enum climb_rank rank =
	    rank_of(c, kind, info, referrer_class_tag, referrer_tag == NULL);
	const bool outside = rank == RANK_LOCAL || rank == RANK_BEST,
		   full = c->count >= c->list_end;
	const bool covered = *tag == 0 && c->entry.node != TAG_NONE && rank <= c->entry.rank;
	if (full &&
	    (outside ? covered : rank == RANK_OWN_CLASS && !is_ahead(c, *tag, referrer_tag))) {
		c->cut = true;
		if (outside)
			compare_reference(c, kind, info, rank, TAG_NONE, referrer_tag);
		if (now_ns() <= c->end_ns)
			return JVMTI_VISIT_OBJECTS;
		c->late = true;
		return JVMTI_VISIT_ABORT;
	}
	const jint next = climb_on_reference(
	    kind, info, class_tag, referrer_class_tag, size, tag, referrer_tag, length, context);
	const uint32_t node = climb_node_of(c, *tag);
	if (outside && node != TAG_NONE && c->nodes[node].class_ == c->current &&
	    c->nodes[node].rank != RANK_NONE)
		compare_reference(c, kind, info, rank, node, referrer_tag);
	return next;
}

/* The inside of a collection is shown as the collection, whichever field leads there. */
static bool is_of_jdk(const struct climb *c, uint32_t class_)
{
	static const char prefix[] = "java.util.";
	char name[512];
	class_text(&c->tags, c->tags.classes[class_].class_, name, sizeof name);
	return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

void climb_settle_cut(struct climb *c)
{
	const struct climb_entry *e = &c->entry;
	uint32_t least = 0;
	if (!c->cut || c->full || e->node == TAG_NONE || e->several ||
	    c->nodes[e->node].state != CLIMB_HELD)
		return;
	const bool skips = e->fields && !is_of_jdk(c, c->current);
	const uint32_t to = skips ? c->nodes[e->node].parent : e->node;
	for (uint32_t i = 0; i < c->count; i++) {
		struct climb_node *n = &c->nodes[i];
		if (n->class_ != c->current)
			continue;
		least++;
		if (n->state != CLIMB_LOST || !n->crowded || climb_leads_to(c, to, i))
			continue;
		n->state = CLIMB_HELD;
		n->crowded = false;
		n->jumps = true;
		n->rank = RANK_OWN_CLASS;
		n->parent = to & TAG_NONE;
		n->holder = c->current & TAG_NONE;
		n->kind = JVMTI_HEAP_REFERENCE_FIELD;
	}
	c->tags.classes[c->current].list_least = least;
}
