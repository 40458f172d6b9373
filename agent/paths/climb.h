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
 * neighbour), then a local variable. A referent of a weak, soft or phantom reference holds nothing.
 *
 * The callback runs in the VM thread, at a safepoint: it calls nothing, and allocates nothing.
 */
#ifndef GCSPY_AGENT_CLIMB_H
#define GCSPY_AGENT_CLIMB_H

#include "tag_space.h"

/* Passes of one search, and objects that it may tag. */
enum { CLIMB_MOST_PASSES = 40, CLIMB_MOST_NODES = 262144 };

enum climb_state {
	CLIMB_IDLE,    /* a referrer that no chain needs yet */
	CLIMB_PENDING, /* its holder is looked for */
	CLIMB_HELD,    /* by `parent`, or by a class or root if that is TAG_NONE */
	CLIMB_LOST     /* nothing was found that holds it */
};

/* A tagged object; its tag is its index + 1. */
struct climb_node {
	uint32_t parent; /* the node that refers to it; TAG_NONE: a class or a root does */
	uint32_t class_; /* of the object; TAG_NONE: not looked up yet */
	uint32_t holder; /* the class of the object, or the class itself, that refers to it */
	uint32_t index;  /* of the field or element */
	uint32_t local;  /* of its frame, plus 1, if a local variable refers to it; else 0 */
	uint32_t stamp;
	uint8_t kind; /* jvmtiHeapReferenceKind */
	uint8_t rank; /* 0: no holder */
	uint8_t state;
	uint8_t tries;
	bool weak;     /* a weak, soft or phantom reference refers to it */
	bool circular; /* an object that it holds itself refers to it */
	bool crowded;  /* in a list that is too long */
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
	uint32_t local_count, local_capacity;
	uint32_t current; /* the class of the pass */
	uint32_t open;    /* its objects without a holder of the best rank */
	bool whole;       /* all objects of the class are visited */
	bool any;         /* objects of all classes are looked for */
	bool unfinished;  /* the search ended before all was found */
	bool full;        /* there was no room for a referrer */
	uint32_t stamp;
	/* Measured. */
	uint32_t passes;
	uint64_t longest_ns, total_ns;
	uint64_t class_ns, any_ns; /* the longest for one class, and for all; 0: none yet */
};

struct climb_limits {
	uint64_t pause_ns; /* longest pause to begin */
	/* When the search has to end: true. Asked before each pass. */
	bool (*ends)(void *context, const struct climb *c);
	void *context;
};

/* The caller has begun `tags`; the targets are the first nodes. False without memory. */
bool climb_reserve(struct climb *c, uint32_t nodes);

/* Adds an object as a target and tags it; its node, or TAG_NONE if it has a tag already, or without
 * room. */
uint32_t climb_add(struct climb *c, jobject object);

/* Climbs until each object has a holder, or `limits` say to end. False without memory. */
bool climb_run(struct climb *c, const struct climb_limits *limits);

void climb_free(struct climb *c);

/* In climb_pass.c: one walk; for `c->current`. */
bool climb_pass(struct climb *c);

#endif
