/* The call tree of sites: each node is added once, and totals flow from children to parents. */

#include <stdlib.h>
#include <string.h>

#include <gcspy/calltree.h>
#include <gcspy/memory.h>

#include "arena.h"
#include "sites.h"

struct gcs_tree {
	struct gcs_node *nodes;
	uint32_t count, capacity;
	uint32_t depth;
	struct arena arena; /* names of methods */
};

/* What is needed while the tree is built. */
struct planting {
	struct gcs_tree *tree;
	const struct gcs_sites *sites;
	struct intern_texts names;
	struct intern_keys keys; /* of nodes but the root: parent, name, kind */
	uint32_t *node_of;       /* by shown stack; 0: no site has it */
};

static enum gcs_node_kind node_kind(enum gcs_frame_kind kind)
{
	switch (kind) {
	case GCS_FRAME_JAVA:
		return GCS_NODE_JAVA;
	case GCS_FRAME_VM:
		return GCS_NODE_VM;
	case GCS_FRAME_NOTE:
		return GCS_NODE_NOTE;
	default:
		return GCS_NODE_NATIVE;
	}
}

static bool append(struct gcs_tree *t, const struct gcs_node *node)
{
	if (t->count == t->capacity) {
		uint32_t capacity = t->capacity == 0 ? 64 : t->capacity * 2;
		struct gcs_node *nodes = gcs_realloc(t->nodes, capacity * sizeof *nodes);
		if (nodes == NULL)
			return false;
		t->nodes = nodes;
		t->capacity = capacity;
	}
	t->nodes[t->count++] = *node;
	t->depth = node->depth > t->depth ? node->depth : t->depth;
	return true;
}

/* The child of `parent` with that interned name; 0 without memory. */
static uint32_t child(struct planting *p, uint32_t parent, uint32_t name, enum gcs_node_kind kind)
{
	if (name == UINT32_MAX)
		return 0;
	struct intern_key key = {{parent, name, (uint32_t)kind}};
	uint32_t before = p->keys.count;
	uint32_t number = intern_key(&p->keys, &key);
	struct gcs_node node = {
	    .name = p->names.items[name],
	    .kind = kind,
	    .parent = parent,
	    .first_child = GCS_NONE,
	    .next_sibling = GCS_NONE,
	    .depth = p->tree->nodes[parent].depth + 1,
	};
	if (number == UINT32_MAX || (number == before && !append(p->tree, &node)))
		return 0;
	return number + 1;
}

/* The interned name of a frame, copied when it is new. */
static uint32_t frame_name(struct planting *p, const struct gcs_frame *frame)
{
	enum { LONGEST = 2 * GCS_MAX_TEXT + 2 };
	char text[LONGEST];
	gcs_frame_text(text, sizeof text, frame);
	uint32_t known = intern_find_text(&p->names, text);
	if (known != UINT32_MAX)
		return known;
	const char *copy = arena_text(&p->tree->arena, text, strlen(text));
	return copy == NULL ? UINT32_MAX : intern_text(&p->names, copy);
}

static void mark(const struct planting *p)
{
	const struct intern_keys *stacks = &p->sites->stacks;
	for (uint32_t i = 0; i < p->sites->count; i++)
		if (p->sites->items[i].stack != GCS_NONE)
			p->node_of[p->sites->items[i].stack] = 1;
	for (uint32_t i = stacks->count; i-- != 0;)
		if (p->node_of[i] != 0 && stacks->items[i].words[0] != 0)
			p->node_of[stacks->items[i].words[0] - 1] = 1;
}

/* A node for each stack that is marked; callers come first. */
static bool plant_stacks(struct planting *p)
{
	const struct intern_keys *stacks = &p->sites->stacks;
	mark(p);
	for (uint32_t i = 0; i < stacks->count; i++) {
		if (p->node_of[i] == 0)
			continue;
		const uint32_t *words = stacks->items[i].words;
		const struct gcs_frame *f = gcs_profile_frame(p->sites->profile, words[1]);
		uint32_t parent = words[0] == 0 ? 0 : p->node_of[words[0] - 1];
		p->node_of[i] = child(p, parent, frame_name(p, f), node_kind(f->kind));
		if (p->node_of[i] == 0)
			return false;
	}
	return true;
}

/* A leaf for each site's class, and its figures there and in the frame above. */
static bool plant_classes(struct planting *p)
{
	for (uint32_t i = 0; i < p->sites->count; i++) {
		const struct gcs_site *s = &p->sites->items[i];
		uint32_t parent = s->stack == GCS_NONE ? 0 : p->node_of[s->stack];
		uint32_t leaf =
		    child(p, parent, intern_text(&p->names, s->class_name), GCS_NODE_CLASS);
		if (leaf == 0)
			return false;
		struct gcs_node *node = &p->tree->nodes[leaf];
		node->samples += s->samples;
		node->self_bytes += s->bytes;
		node->self_objects += s->objects;
		node->total_bytes += s->bytes;
		node->total_objects += s->objects;
		node->bytes_variance += s->bytes_error * s->bytes_error;
		node->objects_variance += s->objects_error * s->objects_error;
		p->tree->nodes[parent].self_bytes += s->bytes;
		p->tree->nodes[parent].self_objects += s->objects;
	}
	return true;
}

static void add_up(struct gcs_tree *t)
{
	for (uint32_t i = t->count; i-- > 1;) {
		const struct gcs_node *node = &t->nodes[i];
		struct gcs_node *parent = &t->nodes[node->parent];
		parent->samples += node->samples;
		parent->total_bytes += node->total_bytes;
		parent->total_objects += node->total_objects;
		parent->bytes_variance += node->bytes_variance;
		parent->objects_variance += node->objects_variance;
	}
}

/* Siblings side by side, the smallest first: they are linked from the front. */
static int compare(const void *left, const void *right)
{
	const struct gcs_node *a = *(const struct gcs_node *const *)left;
	const struct gcs_node *b = *(const struct gcs_node *const *)right;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total_bytes != b->total_bytes)
		return a->total_bytes < b->total_bytes ? -1 : 1;
	int order = strcmp(b->name, a->name);
	return order != 0 ? order : (a->kind < b->kind) - (a->kind > b->kind);
}

static bool link_siblings(struct gcs_tree *t)
{
	struct gcs_node **order = gcs_alloc(t->count * sizeof(struct gcs_node *));
	if (order == NULL)
		return false;
	for (uint32_t i = 1; i < t->count; i++)
		order[i - 1] = &t->nodes[i];
	if (t->count > 1)
		qsort(order, t->count - 1, sizeof(struct gcs_node *), compare);
	for (uint32_t i = 0; i + 1 < t->count; i++) {
		struct gcs_node *parent = &t->nodes[order[i]->parent];
		order[i]->next_sibling = parent->first_child;
		parent->first_child = (uint32_t)(order[i] - t->nodes);
	}
	gcs_free(order);
	return true;
}

static bool plant(struct planting *p)
{
	struct gcs_node root = {
	    .name = "all",
	    .kind = GCS_NODE_ROOT,
	    .parent = GCS_NONE,
	    .first_child = GCS_NONE,
	    .next_sibling = GCS_NONE,
	};
	p->node_of = gcs_zalloc(((size_t)p->sites->stacks.count + 1) * sizeof *p->node_of);
	if (p->node_of == NULL || !append(p->tree, &root) || !plant_stacks(p) || !plant_classes(p))
		return false;
	add_up(p->tree);
	return link_siblings(p->tree);
}

struct gcs_tree *gcs_tree_create(const struct gcs_sites *sites, struct gcs_error *err)
{
	struct planting p = {.tree = gcs_zalloc(sizeof *p.tree), .sites = sites};
	bool done = p.tree != NULL && plant(&p);
	intern_texts_fini(&p.names);
	intern_keys_fini(&p.keys);
	gcs_free(p.node_of);
	if (done)
		return p.tree;
	gcs_tree_free(p.tree);
	gcs_fail(err, GCS_NOMEM, "no memory for the call tree");
	return NULL;
}

void gcs_tree_free(struct gcs_tree *t)
{
	if (t == NULL)
		return;
	arena_fini(&t->arena);
	gcs_free(t->nodes);
	gcs_free(t);
}

uint32_t gcs_tree_count(const struct gcs_tree *t)
{
	return t->count;
}

uint32_t gcs_tree_depth(const struct gcs_tree *t)
{
	return t->depth;
}

const struct gcs_node *gcs_tree_node(const struct gcs_tree *t, uint32_t node)
{
	return node < t->count ? &t->nodes[node] : NULL;
}
