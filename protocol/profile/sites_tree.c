/* The call tree of sites: each node is added once, and totals flow from children to parents. */

#include <stdlib.h>
#include <string.h>

#include <gcspy/memory.h>

#include "arena.h"
#include "calltree.h"
#include "sites_internal.h"

struct gcs_tree {
	struct gcs_node *nodes;
	uint32_t count, capacity;
	uint32_t depth;
	uint32_t cut;
	uint32_t *of_site; /* by site: where it ends */
	uint32_t site_count;
	struct arena arena; /* names of methods, and of the root */
};

struct builder {
	struct gcs_tree *tree;
	const struct gcs_tree_options *options;
	uint32_t most;
	uint32_t method; /* its interned name; UINT32_MAX: everything */
	struct intern_texts names;
	struct intern_keys keys; /* of nodes but the root: parent, name, kind */
	/* Of the sites being added: */
	const struct gcs_sites *sites;
	bool base;         /* they are the sites before */
	uint32_t *node_of; /* by shown stack; 0: no site has it */
	uint32_t *name_of; /* by shown stack: the interned name of its youngest frame */
	uint32_t *path;    /* room for a stack */
	uint32_t *ends[2]; /* by site before, and by site: where it ends, or GCS_NONE */
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

/* The child of `parent` with this interned name; `parent` itself if there are too many nodes;
 * GCS_NONE without memory. */
static uint32_t child(struct builder *p, uint32_t parent, uint32_t name, enum gcs_node_kind kind)
{
	if (name == UINT32_MAX)
		return GCS_NONE;
	struct intern_key key = {{parent, name, (uint32_t)kind}};
	uint32_t before = p->keys.count;
	if (p->tree->count >= p->most && intern_find_key(&p->keys, &key) == UINT32_MAX)
		return parent;
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
		return GCS_NONE;
	return number + 1;
}

static uint32_t frame_name(struct builder *p, const struct gcs_frame *frame)
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

static uint32_t caller_of(const struct builder *p, uint32_t stack)
{
	return p->sites->stacks.items[stack].words[0] - 1; /* the root's 0 becomes GCS_NONE */
}

static enum gcs_node_kind kind_of(const struct builder *p, uint32_t stack)
{
	const uint32_t *words = p->sites->stacks.items[stack].words;
	return node_kind(gcs_profile_frame(p->sites->profile, words[1])->kind);
}

/* Names the frames of the stacks that a site has; false without memory. */
static bool name_stacks(struct builder *p)
{
	const struct intern_keys *stacks = &p->sites->stacks;
	for (uint32_t i = 0; i < p->sites->count; i++)
		if (p->sites->items[i].stack != GCS_NONE && !sites_is_only_new(&p->sites->items[i]))
			p->node_of[p->sites->items[i].stack] = 1;
	for (uint32_t i = stacks->count; i-- != 0;)
		if (p->node_of[i] != 0 && caller_of(p, i) != GCS_NONE)
			p->node_of[caller_of(p, i)] = 1;
	for (uint32_t i = 0; i < stacks->count; i++) {
		if (p->node_of[i] == 0)
			continue;
		p->name_of[i] =
		    frame_name(p, gcs_profile_frame(p->sites->profile, stacks->items[i].words[1]));
		if (p->name_of[i] == UINT32_MAX)
			return false;
	}
	return true;
}

/* True if a frame is merged with its caller's. */
static bool is_again(const struct builder *p, uint32_t stack)
{
	uint32_t caller = caller_of(p, stack);
	return p->options->collapse && caller != GCS_NONE &&
	       p->name_of[stack] == p->name_of[caller] && kind_of(p, stack) == kind_of(p, caller);
}

/* Adds a node per stack of a site; callers come first. */
static bool add_stacks(struct builder *p)
{
	for (uint32_t i = 0; i < p->sites->stacks.count; i++) {
		if (p->node_of[i] == 0)
			continue;
		uint32_t caller = caller_of(p, i);
		uint32_t parent = caller == GCS_NONE ? 0 : p->node_of[caller];
		p->node_of[i] =
		    is_again(p, i) ? parent : child(p, parent, p->name_of[i], kind_of(p, i));
		if (p->node_of[i] == GCS_NONE)
			return false;
	}
	return true;
}

/* Adds a site's figures to a node's own, and to its totals. */
static void credit(const struct builder *p, uint32_t number, const struct gcs_site *s, bool total)
{
	struct gcs_node *node = &p->tree->nodes[number];
	*(p->base ? &node->base_self_bytes : &node->self_bytes) += s->bytes;
	if (!total)
		return;
	*(p->base ? &node->base_samples : &node->samples) += s->samples;
	*(p->base ? &node->base_bytes : &node->total_bytes) += s->bytes;
	*(p->base ? &node->base_objects : &node->total_objects) += s->objects;
	if (p->options->before != NULL)
		return;
	node->bytes_variance += s->bytes_error * s->bytes_error;
	node->objects_variance += s->objects_error * s->objects_error;
}

/* Adds a leaf for the site's class below a node, and the figures to both. */
static bool add_class(struct builder *p, uint32_t parent, const struct gcs_site *s, uint32_t *end)
{
	uint32_t leaf = child(p, parent, intern_text(&p->names, s->class_name), GCS_NODE_CLASS);
	if (leaf == GCS_NONE)
		return false;
	*end = leaf;
	p->tree->cut += leaf == parent;
	credit(p, leaf, s, true);
	if (leaf != parent)
		credit(p, parent, s, false);
	return true;
}

/* Adds frames one below the other; returns the last node, GCS_NONE without memory. */
static uint32_t add_path(struct builder *p, uint32_t node, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t next = child(p, node, p->name_of[p->path[i]], kind_of(p, p->path[i]));
		if (next == node)
			p->tree->cut++;
		if (next == node || next == GCS_NONE)
			return next;
		node = next;
	}
	return node;
}

/* Fills the path with a stack's frames from the youngest to `end`, which is excluded; callers come
 * first if `callees`. */
static uint32_t fill_path(struct builder *p, uint32_t stack, uint32_t end, bool callees)
{
	uint32_t count = 0;
	for (; stack != end; stack = caller_of(p, stack))
		if (!is_again(p, stack))
			p->path[count++] = stack;
	for (uint32_t i = 0; callees && i < count / 2; i++) {
		uint32_t other = p->path[count - 1 - i];
		p->path[count - 1 - i] = p->path[i];
		p->path[i] = other;
	}
	return count;
}

/* The oldest frame of the method in a stack, or GCS_NONE. */
static uint32_t find_method(const struct builder *p, uint32_t stack)
{
	uint32_t found = GCS_NONE;
	for (; stack != GCS_NONE; stack = caller_of(p, stack))
		if (p->name_of[stack] == p->method)
			found = stack;
	return found;
}

/* Adds a site to an inverted tree or to one of a method. */
static bool add_site(struct builder *p, const struct gcs_site *s, uint32_t *end)
{
	bool callees = p->options->form == GCS_TREE_CALLEES;
	bool whole = p->options->method == NULL;
	uint32_t at = whole ? GCS_NONE : find_method(p, s->stack), node = 0;
	if (!whole && at == GCS_NONE)
		return true;
	if (callees) {
		node = add_path(p, 0, fill_path(p, s->stack, at, true));
		return node != GCS_NONE && add_class(p, node, s, end);
	}
	if (whole)
		node = child(p, 0, intern_text(&p->names, s->class_name), GCS_NODE_CLASS);
	uint32_t from = whole ? s->stack : caller_of(p, at);
	if (node != GCS_NONE)
		node = add_path(p, node, fill_path(p, from, GCS_NONE, false));
	*end = node;
	if (node != GCS_NONE)
		credit(p, node, s, true);
	return node != GCS_NONE;
}

static bool add_sites_of(struct builder *p)
{
	bool straight = p->options->form == GCS_TREE_CALLEES && p->options->method == NULL;
	if (!name_stacks(p) || (straight && !add_stacks(p)))
		return false;
	for (uint32_t i = 0; i < p->sites->count; i++) {
		const struct gcs_site *s = &p->sites->items[i];
		uint32_t parent = s->stack == GCS_NONE ? 0 : p->node_of[s->stack];
		uint32_t end = GCS_NONE;
		if (!sites_is_only_new(s) &&
		    !(straight ? add_class(p, parent, s, &end) : add_site(p, s, &end)))
			return false;
		p->ends[!p->base][i] = end;
	}
	return true;
}

static bool add_sites(struct builder *p, const struct gcs_sites *sites, bool base)
{
	size_t room = (size_t)sites->stacks.count + 1;
	p->sites = sites;
	p->base = base;
	if ((p->ends[!base] = gcs_zalloc(((size_t)sites->count + 1) * sizeof(uint32_t))) == NULL)
		return false;
	if (!base) {
		p->tree->of_site = p->ends[1];
		p->tree->site_count = sites->count;
	}
	p->node_of = gcs_zalloc(room * sizeof *p->node_of);
	p->name_of = gcs_zalloc(room * sizeof *p->name_of);
	p->path = gcs_zalloc(room * sizeof *p->path);
	bool done = p->node_of != NULL && p->name_of != NULL && p->path != NULL && add_sites_of(p);
	gcs_free(p->node_of);
	gcs_free(p->name_of);
	gcs_free(p->path);
	return done;
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
		parent->base_samples += node->base_samples;
		parent->base_bytes += node->base_bytes;
		parent->base_objects += node->base_objects;
	}
}

/* Siblings side by side, the smallest first: they are linked from the front. */
static int compare(const void *left, const void *right)
{
	const struct gcs_node *a = *(const struct gcs_node *const *)left;
	const struct gcs_node *b = *(const struct gcs_node *const *)right;
	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	double left_bytes = a->total_bytes + a->base_bytes;
	double right_bytes = b->total_bytes + b->base_bytes;
	if (left_bytes != right_bytes)
		return left_bytes < right_bytes ? -1 : 1;
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

/* Parents have smaller numbers than their children. */
static void lay_out(struct gcs_tree *t)
{
	const struct gcs_node *root = &t->nodes[0];
	double all[GCS_MEASURES] = {[GCS_BY_BYTES] = root->total_bytes + root->base_bytes,
	    [GCS_BY_OBJECTS] = root->total_objects + root->base_objects};
	for (uint32_t i = 0; i < t->count; i++) {
		struct gcs_node *node = &t->nodes[i];
		double at[GCS_MEASURES] = {node->left[0], node->left[1]};
		for (int m = 0; i == 0 && m < GCS_MEASURES; m++)
			node->share[m] = 1;
		for (uint32_t k = node->first_child; k != GCS_NONE; k = t->nodes[k].next_sibling) {
			struct gcs_node *child = &t->nodes[k];
			double own[GCS_MEASURES] = {
			    [GCS_BY_BYTES] = child->total_bytes + child->base_bytes,
			    [GCS_BY_OBJECTS] = child->total_objects + child->base_objects};
			for (int m = 0; m < GCS_MEASURES; m++) {
				child->share[m] = all[m] > 0 ? own[m] / all[m] : 0;
				child->left[m] = at[m];
				at[m] += child->share[m];
			}
		}
	}
}

static bool add_root(struct builder *p)
{
	const char *name = p->options->method;
	struct gcs_node root = {
	    .name = name == NULL ? "all" : arena_text(&p->tree->arena, name, strlen(name)),
	    .kind = GCS_NODE_ROOT,
	    .parent = GCS_NONE,
	    .first_child = GCS_NONE,
	    .next_sibling = GCS_NONE,
	};
	if (root.name == NULL || !append(p->tree, &root))
		return false;
	p->method = name == NULL ? UINT32_MAX : intern_text(&p->names, root.name);
	return name == NULL || p->method != UINT32_MAX;
}

static bool build(struct builder *p, const struct gcs_sites *sites)
{
	const struct gcs_sites *before = p->options->before;
	if (!add_root(p) || !add_sites(p, sites, false) ||
	    (before != NULL && !add_sites(p, before, true)))
		return false;
	add_up(p->tree);
	if (!sites_pairs_nodes(before, sites, p->ends, p->tree->nodes, p->tree->count) ||
	    !link_siblings(p->tree))
		return false;
	lay_out(p->tree);
	return true;
}

struct gcs_tree *gcs_tree_create_with(
    const struct gcs_sites *sites, const struct gcs_tree_options *options, struct gcs_error *err)
{
	static const struct gcs_tree_options plain;
	struct builder p = {
	    .tree = gcs_zalloc(sizeof *p.tree), .options = options == NULL ? &plain : options};
	p.most = p.options->most == 0 ? GCS_TREE_MOST : p.options->most;
	bool done = p.tree != NULL && build(&p, sites);
	gcs_free(p.ends[0]);
	intern_texts_fini(&p.names);
	intern_keys_fini(&p.keys);
	if (done)
		return p.tree;
	gcs_tree_free(p.tree);
	gcs_fail(err, GCS_NOMEM, "no memory for the call tree");
	return NULL;
}

struct gcs_tree *gcs_tree_create(const struct gcs_sites *sites, struct gcs_error *err)
{
	return gcs_tree_create_with(sites, NULL, err);
}

void gcs_tree_free(struct gcs_tree *t)
{
	if (t == NULL)
		return;
	arena_fini(&t->arena);
	gcs_free(t->nodes);
	gcs_free(t->of_site);
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

uint32_t gcs_tree_cut(const struct gcs_tree *t)
{
	return t->cut;
}

uint32_t gcs_tree_of_site(const struct gcs_tree *t, uint32_t site)
{
	return site < t->site_count ? t->of_site[site] : GCS_NONE;
}
