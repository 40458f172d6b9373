/*
 * The backward climb from tagged objects to what holds them.
 *
 * A pass is one FollowReferences from the roots, for the class K of most objects without a holder,
 * with the filter JVMTI_HEAP_FILTER_UNTAGGED: HotSpot then skips every reference to an object of
 * another class before it looks for a tag, and reports only references to tagged objects of K. The
 * callback tags the referrer, whose holder a later pass finds. The pass ends as soon as all objects
 * of K have a holder. Objects of many classes get one pass for all, which looks for the tag of each
 * object and takes some five times as long, if that is within the limit. Without the filter for tags,
 * the JVM would deoptimize all frames first; only the one pass that a class such as a list's node
 * gets for itself goes without.
 *
 * The first reference that a walk reports to an object comes from one that it has visited before, so
 * that chains do not run in circles; but the program runs between passes, and a later reference may
 * replace the first, so that a circle is looked for. What holds an object is chosen by rank:
 * another object's or class's reference, then one from an object of its own class (a list's
 * neighbour), then a local variable, or the JVM's list of objects with finalizers. A referent of a weak,
 * soft or phantom reference holds nothing.
 *
 * A list that is too long for its nodes to be tagged has the root that the pass of its own finds, if only
 * one object or class outside refers to its nodes: all of them are held by that one.
 *
 * What the program replaces all the time, such as the array of a CopyOnWriteArrayList, is gone when the
 * next pass looks for what holds it. Then its elements are looked for again, and the pass for its class
 * follows at once.
 *
 * The callback runs in the VM thread, at a safepoint: it calls nothing, and allocates nothing.
 */
#ifndef GCSPY_AGENT_CLIMB_H
#define GCSPY_AGENT_CLIMB_H

#include "pass_cost.h"
#include "tag_space.h"

/* Passes of one search, class loaders that it looks for, and frames with local variables. */
enum { CLIMB_MOST_PASSES = 40, CLIMB_MOST_LOADERS = 64, CLIMB_MOST_LOCALS = 2048 };

/* Memory of a climb: 16 bytes for each object that it may tag, and what it keeps of each class of the
 * JVM, with room for the names of what it finds. With very many classes fewer objects can be tagged, but
 * not fewer than a usual search needs. */
enum { CLIMB_MOST_BYTES = 2000000, CLIMB_NAMES_BYTES = 80000, CLIMB_LEAST_NODES = 16384 };

enum climb_state {
	CLIMB_IDLE,    /* a referrer that no chain needs yet */
	CLIMB_PENDING, /* its holder is looked for */
	CLIMB_HELD,    /* by `parent`, or by a class or root if that is TAG_NONE */
	CLIMB_LOST,    /* nothing was found that holds it */
	CLIMB_LOADER,  /* a class loader: what holds it or its classes is looked for */
	CLIMB_SKIPPED  /* a class loader, for which a pause would be too long */
};

/* How good a holder is. */
enum climb_rank { RANK_NONE, RANK_LOCAL, RANK_OWN_CLASS, RANK_BEST };

/* Masks of a node's bits. */
#define CLIMB_LOCAL_BITS 0xfffu
#define CLIMB_KIND_BITS  0x1fu
#define CLIMB_RANK_BITS  0x3u

/* A tagged object; its tag is its index + 1. */
struct climb_node {
	/* The node that refers to it; if a class does, that class's loader, once it is looked for;
	 * else TAG_NONE. With RANK_NONE the node that did, and was gone when its own holder was looked for. */
	uint32_t parent : 20;
	uint32_t local : 12;  /* of its frame, plus 1, if a local variable refers to it; else 0 */
	uint32_t class_ : 20; /* of the object; TAG_NONE: not looked up yet */
	uint32_t kind : 5;    /* jvmtiHeapReferenceKind */
	uint32_t rank : 2;    /* 0: no holder */
	uint32_t state : 3;
	uint32_t tries : 2;
	uint32_t holder : 20;  /* the class of the object, or the class itself, that refers to it */
	uint32_t marked : 1;   /* within a function */
	uint32_t weak : 1;     /* a weak, soft or phantom reference refers to it */
	uint32_t circular : 1; /* an object that it holds itself refers to it */
	uint32_t crowded : 1;  /* in a list that is too long */
	uint32_t jumps : 1; /* `parent` is where its list is entered, not the object next to it */
	/* Of the field or element; without a holder, the class of a weak, soft or phantom reference to
	 * the object, or TAG_NONE. */
	uint32_t index;
};

/*
 * Where objects of one class are entered, in a pass over all of them that cannot tag all. What refers to
 * them from outside is compared: if it is one static field, one array, one root or one object, then all
 * of them that only the class itself holds are held by it.
 */
struct climb_entry {
	uint32_t node; /* the first object that it refers to, TAG_NONE: there is none */
	enum climb_rank rank;
	jlong from; /* its tag; 0: a root */
	uint32_t index;
	bool fields; /* several fields of one object: the first and the last, or two lists */
	bool several;
};

/* A class loader that is looked for. */
struct climb_loader {
	uint32_t node;
	uint32_t via; /* the class that is referred to in its place, TAG_NONE: it is itself */
	bool local;   /* nothing but what local variables lead to holds it */
};

/* A frame with a local variable, or a thread that holds an object otherwise. */
struct climb_local {
	jmethodID method; /* NULL: not known */
	jlocation location;
	jlong thread; /* java.lang.Thread's tid */
	uint8_t kind;
};

struct climb {
	struct tag_space tags;
	struct climb_node *nodes;
	uint32_t count, capacity;
	struct climb_local *locals;
	uint32_t local_count;
	struct climb_loader loaders[CLIMB_MOST_LOADERS];
	uint32_t loader_count;
	bool follow_locals; /* the pass for loaders follows local variables, too */
	uint32_t current;   /* the class of the pass */
	uint32_t open;      /* its objects without a holder of the best rank */
	bool whole;         /* all objects of the class are visited */
	uint32_t
	    list_end; /* then: nodes from which on the class's own references are not followed up */
	bool cut;     /* some were not */
	struct climb_entry entry;
	bool any;          /* objects of all classes are looked for */
	bool hurried;      /* the pass must follow the last one at once */
	bool unfinished;   /* the search ended before all was found */
	bool full;         /* there was no room for a referrer */
	bool late;         /* a pass was stopped at the limit of a pause, and ended the search */
	uint64_t end_ns;   /* when that is, of the pass */
	uint64_t pause_ns; /* the limit */
	/* Expected of a pause for what holds class loaders, which was longer than the limit; 0: none was. */
	uint64_t skipped_ns;
	const struct vm *vm;
	/* Measured. */
	uint32_t passes;
	struct pass_clock clock;
	struct pass_time longest, total;
	/* Processor time of the longest for one class, for all, and for loaders; 0: none yet. */
	uint64_t class_ns, any_ns, loader_ns;
	bool class_whole; /* the longest for one class was over the whole heap */
};

struct climb_limits {
	uint64_t pause_ns; /* longest pause to begin */
	uint64_t pass_ns;  /* expected of a pass for one class */
	/* When the search has to end: true. Asked before each pass. */
	bool (*ends)(void *context, const struct climb *c);
	void *context;
};

/* The caller has begun `tags`; the targets are the first nodes. False without memory. */
bool climb_reserve(struct climb *c, uint32_t nodes);

/* Adds an object as a target and tags it; its node, or TAG_NONE if it has a tag already, or without
 * room. */
uint32_t climb_add(struct climb *c, jobject object);

/* In climb_addresses.c: adds those of the objects that are still there, by a pass for each of their classes, as far
 * as `limits` let it; the nodes of the others stay. The rows change their order. */
struct climb_address {
	uint64_t address, size;
	uint64_t class_; /* hash_text of its name */
	uint32_t target; /* the caller's */
	uint32_t node;
};
void climb_add_addresses(struct climb *c, const struct climb_limits *limits,
    struct climb_address *wanted, uint32_t count);

/* Climbs until each object has a holder, or `limits` say to end. False without memory. */
bool climb_run(struct climb *c, const struct climb_limits *limits);

void climb_free(struct climb *c);

/* Whether a root may be gone with the call that made it. */
static inline bool climb_is_local(jvmtiHeapReferenceKind kind)
{
	return kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL || kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL ||
	       kind == JVMTI_HEAP_REFERENCE_MONITOR;
}

/* Whether a class refers to the held node, rather than an object or a root. */
static inline bool climb_held_by_class(const struct climb_node *n)
{
	return n->holder != TAG_NONE && n->kind != JVMTI_HEAP_REFERENCE_CLASS &&
	       n->kind != JVMTI_HEAP_REFERENCE_FIELD &&
	       n->kind != JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT;
}

/* In climb_pass.c: one walk; for `c->current`. */
bool climb_pass(struct climb *c);

/* Its parts, in the pause. The node of a tag; a new one, or TAG_NONE without room; whether the chain
 * from a node on leads to another; takes a reference to a node as its holder, if it is better. */
uint32_t climb_node_of(const struct climb *c, jlong tag);
uint32_t climb_add_node(struct climb *c, uint32_t class_, jlong *tag);
bool climb_leads_to(const struct climb *c, uint32_t from, uint32_t node);
bool climb_is_final(
    const struct climb *c, jvmtiHeapReferenceKind kind, uint32_t holder, uint32_t field);
bool climb_is_weak(const struct climb *c, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, jlong referrer_class);
/* What `from` tells of weak, soft and phantom references is true of the node, too. */
void climb_take_weak(struct climb_node *n, const struct climb_node *from);
void climb_take(struct climb *c, uint32_t node, jvmtiHeapReferenceKind kind,
    const jvmtiHeapReferenceInfo *info, jlong referrer_class, jlong *referrer);

/* In climb_list.c: the references of a pass over all objects of a class. */
jint JNICALL climb_on_list(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context);
jint JNICALL climb_on_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
    jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag, jlong *referrer_tag,
    jint length, void *context);

/* All objects of a class of which some are left over have the one object or class that refers to any of
 * them from outside as their holder, if there is no other one. */
void climb_settle_cut(struct climb *c);

/* Around a pause, which they measure. */
struct pass_time climb_begin_pass(struct climb *c);
struct pass_time climb_end_pass(struct climb *c, const struct pass_time *begin);

/* One FollowReferences, measured; `cpu_ns`: the longest of its sort, NULL: of none. */
bool climb_walk(struct climb *c, jint filter, jclass class_, jvmtiHeapReferenceCallback callback,
    uint64_t *cpu_ns);

/*
 * In climb_loaders.c. A class loader lives as long as anything refers to it, to one of its classes, or
 * to an object of one of these; they all refer to each other. The first reference to any of them that
 * a walk from the roots reports comes from an object that can be reached without them: one pass over
 * all references, until that one. References of weak, soft and phantom references are not followed,
 * and local variables and JNI local references, which may live for one call, only in a second pass, for
 * the loaders that nothing else leads to.
 *
 * Looks for what holds the loaders of the classes that chains end at, and loaders among the objects,
 * as far as `limits` let it. `*passed`: something may have become pending. False without memory.
 */
bool climb_loaders(struct climb *c, const struct climb_limits *limits, bool *passed);

/* The loader's class that is held in its place, or TAG_NONE. */
uint32_t climb_loader_via(const struct climb *c, uint32_t node);

/* The class's loader as a local reference; NULL: one that lives as long as the JVM. */
jobject climb_loader_of(const struct tag_space *s, uint32_t class_);

#endif
