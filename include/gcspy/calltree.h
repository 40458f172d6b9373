/*
 * The call tree of sites, for flame graphs and tables (rows S6, S8): from the root through each
 * method to those that it called, with the classes of the allocated objects as leaves.
 *
 * A tree borrows the names of classes and lives no longer than its sites. It is made by one thread
 * and does not change afterwards; then any thread may read it.
 */
#ifndef GCSPY_CALLTREE_H
#define GCSPY_CALLTREE_H

#include "sites.h"

GCS_BEGIN_DECLS

/* A node's kind: what its frame is, or what it stands for. */
enum gcs_node_kind {
	GCS_NODE_JAVA,
	GCS_NODE_NATIVE,
	GCS_NODE_VM,
	GCS_NODE_NOTE,
	GCS_NODE_CLASS, /* the class of the allocated objects: always a leaf */
	GCS_NODE_ROOT,
	GCS_NODE_KIND_COUNT
};

/* Links are numbers of nodes, or GCS_NONE. */
struct gcs_node {
	const char *name; /* "java.util.HashMap.resize", "byte[]", "all" */
	enum gcs_node_kind kind;
	uint32_t parent;      /* smaller than the node's own number */
	uint32_t first_child; /* the largest; siblings are sorted by bytes */
	uint32_t next_sibling;
	uint32_t depth; /* of the root 0 */
	uint64_t samples;
	double self_bytes; /* allocated by this method itself: its classes together */
	double self_objects;
	double total_bytes; /* with everything that it called */
	double total_objects;
	double bytes_variance; /* of the totals */
	double objects_variance;
};

struct gcs_tree;

/* The call tree of the sites: node 0 is the root, methods are merged whatever their line. NULL
 * without memory. */
GCS_API struct gcs_tree *gcs_tree_create(const struct gcs_sites *sites, struct gcs_error *err);

/* NULL is fine. */
GCS_API void gcs_tree_free(struct gcs_tree *tree);
GCS_API uint32_t gcs_tree_count(const struct gcs_tree *tree);
GCS_API uint32_t gcs_tree_depth(const struct gcs_tree *tree); /* of the deepest node */
GCS_API const struct gcs_node *gcs_tree_node(const struct gcs_tree *tree, uint32_t node);

GCS_END_DECLS

#endif
