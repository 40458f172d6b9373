/*
 * The call tree of sites, for flame graphs and tables (rows S6, S8): from the root through methods
 * to their callees, with the classes of the allocated objects as leaves. Options invert it (from
 * classes to callers), restrict it to one method, collapse recursion, and compare with earlier
 * sites.
 *
 * A tree borrows the names of classes and must not outlive its sites. One thread makes it; then it
 * is immutable, and any thread may read it.
 */
#ifndef GCSPY_PROFILE_CALLTREE_H
#define GCSPY_PROFILE_CALLTREE_H

#include "sites.h"

GCS_BEGIN_DECLS

enum gcs_node_kind {
	GCS_NODE_JAVA,
	GCS_NODE_NATIVE,
	GCS_NODE_VM,
	GCS_NODE_NOTE,
	GCS_NODE_CLASS, /* the class of the allocated objects: always a leaf */
	GCS_NODE_ROOT,
	GCS_NODE_KIND_COUNT
};

/* What a node is measured by. */
enum gcs_measure { GCS_BY_BYTES, GCS_BY_OBJECTS, GCS_MEASURES };

/* Links are numbers of nodes, or GCS_NONE. */
struct gcs_node {
	const char *name; /* "java.util.HashMap.resize", "byte[]", "all" */
	enum gcs_node_kind kind;
	uint32_t parent;      /* smaller than the node's own number */
	uint32_t first_child; /* the largest; siblings are sorted by bytes */
	uint32_t next_sibling;
	uint32_t depth; /* of the root 0 */
	uint64_t samples;
	double self_bytes;  /* allocated by this method itself */
	double total_bytes; /* including callees */
	double total_objects;
	double bytes_variance; /* of the totals; in a difference, of total less base */
	double objects_variance;
	/* The same for the sites before in a difference, else 0. */
	uint64_t base_samples;
	double base_self_bytes;
	double base_bytes;
	double base_objects;
	/* The node's part of the root's total and base together, and where it begins when siblings
	 * stand side by side in order: 0 to 1. */
	double share[GCS_MEASURES], left[GCS_MEASURES];
};

/* What the children of a node are. */
enum gcs_tree_form {
	GCS_TREE_CALLEES, /* with the classes of the objects as leaves */
	/* Below the root the classes, below these the methods that allocated them, then their
	 * callers. A node itself has the stacks that end there. */
	GCS_TREE_CALLERS
};

/* All zero: the call tree of everything. */
struct gcs_tree_options {
	enum gcs_tree_form form;
	bool collapse; /* direct recursion is one node, however deep */
	/* Only stacks with a method of this name, which becomes the root: its callees, or its
	 * callers (then without classes), from its oldest frame on. NULL: everything. */
	const char *method;
	const struct gcs_sites *before; /* what the sites are compared with, or NULL */
	uint32_t most;                  /* nodes; beyond, stacks are cut. 0: GCS_TREE_MOST */
};

#define GCS_TREE_MOST 1000000u

struct gcs_tree;

/* The call tree of the sites: node 0 is the root; lines of a method are merged. NULL without
 * memory. */
GCS_API struct gcs_tree *gcs_tree_create(const struct gcs_sites *sites, struct gcs_error *err);

/* The same with options, which may be NULL. The tree must not outlive either of its sites. */
GCS_API struct gcs_tree *gcs_tree_create_with(
    const struct gcs_sites *sites, const struct gcs_tree_options *options, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_tree_free(struct gcs_tree *tree);
GCS_API uint32_t gcs_tree_count(const struct gcs_tree *tree);
GCS_API uint32_t gcs_tree_depth(const struct gcs_tree *tree); /* of the deepest node */
GCS_API const struct gcs_node *gcs_tree_node(const struct gcs_tree *tree, uint32_t node);

/* Sites whose stacks are cut for lack of nodes; their bytes count where the stack ends. */
GCS_API uint32_t gcs_tree_cut(const struct gcs_tree *tree);

/* The node at which a site (not of those before) ends: its class, or its oldest caller where
 * callers are children; GCS_NONE for a site that is not in the tree. */
GCS_API uint32_t gcs_tree_of_site(const struct gcs_tree *tree, uint32_t site);

GCS_END_DECLS

#endif
