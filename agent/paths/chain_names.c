#include "chain_names.h"

#include <stdio.h>
#include <string.h>

#include <gcspy/format.h>
#include <gcspy/memory.h>

#include "class_name_format.h"
#include "field_names.h"
#include "utf8.h"

bool chain_names_begin(struct chain_names *n, const struct climb *climb, bool raw)
{
	*n = (struct chain_names){.climb = climb, .raw = raw};
	n->classes = gcs_zalloc((climb->tags.count + (size_t)1) * sizeof *n->classes);
	return n->classes != NULL;
}

void chain_names_end(struct chain_names *n)
{
	thread_locals_end(&n->locals, n->climb->tags.jni);
	arena_fini(&n->arena);
	hash_fini(&n->fields);
	gcs_free(n->classes);
	hash_fini(&n->roots);
	gcs_free(n->steps);
	*n = (struct chain_names){.climb = NULL};
}

void class_text(const struct tag_space *s, jclass class_, char *text, size_t size)
{
	char *signature = NULL;
	snprintf(text, size, class_ == NULL ? "?" : "(unloaded class)");
	if (class_ != NULL && (*s->jvmti)->GetClassSignature(s->jvmti, class_, &signature, NULL) ==
				  JVMTI_ERROR_NONE) {
		utf8_from_java(signature);
		(void)spell_class(signature, text, size);
	}
	if (signature != NULL)
		(*s->jvmti)->Deallocate(s->jvmti, (unsigned char *)signature);
}

/* NULL without memory. */
static const char *copy(struct chain_names *n, const char *text)
{
	return arena_text(&n->arena, text, strlen(text));
}

static const char *class_name(struct chain_names *n, uint32_t class_)
{
	char text[512];
	if (class_ == TAG_NONE)
		return "?";
	if (n->classes[class_] == NULL) {
		class_text(
		    &n->climb->tags, n->climb->tags.classes[class_].class_, text, sizeof text);
		n->classes[class_] = copy(n, text);
	}
	return n->classes[class_];
}

static const char *name_of_field(struct chain_names *n, uint32_t class_, uint32_t index)
{
	const struct tag_space *s = &n->climb->tags;
	const uint64_t key = (uint64_t)class_ << 32 | index;
	char text[256];
	if (class_ == TAG_NONE || s->classes[class_].class_ == NULL)
		return "?";
	const uint64_t known = hash_get(&n->fields, key);
	if (known != HASH_NONE)
		return (const char *)(uintptr_t)known;
	field_name(s->jvmti, s->jni, s->classes[class_].class_, index, text, sizeof text);
	const char *name = copy(n, text);
	return name != NULL && hash_put(&n->fields, key, (uint64_t)(uintptr_t)name) ? name : NULL;
}

/* Appends a step, or counts it with the same one before. */
static bool add(struct chain_names *n, uint32_t *count, const struct chain_step *step)
{
	struct chain_step *last = *count == 0 ? NULL : &n->steps[*count - 1];
	if (step->class_name == NULL || (step->kind != CHAIN_TEXT && step->field == NULL))
		return false;
	if (last != NULL && step->kind == CHAIN_FIELD && last->kind == CHAIN_FIELD &&
	    last->class_name == step->class_name && last->field == step->field) {
		last->times++;
		return true;
	}
	if (*count == n->capacity) {
		const uint32_t capacity = n->capacity == 0 ? 64 : n->capacity * 2;
		struct chain_step *steps = gcs_realloc(n->steps, capacity * sizeof *steps);
		if (steps == NULL)
			return false;
		n->steps = steps;
		n->capacity = capacity;
	}
	n->steps[*count] = *step;
	n->steps[(*count)++].times = 1;
	return true;
}

static bool add_text(struct chain_names *n, uint32_t *count, const char *text)
{
	return add(n, count, &(struct chain_step){.kind = CHAIN_TEXT, .class_name = text});
}

/* The class that refers to the object, and its loader. */
static bool add_class(struct chain_names *n, uint32_t *count, const struct climb_node *node)
{
	char text[600];
	const char *holder = class_name(n, node->holder);
	if (holder == NULL)
		return false;
	struct chain_step step = {.kind = CHAIN_TEXT};
	if (node->kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD) {
		step = (struct chain_step){.kind = CHAIN_STATIC,
		    .class_name = holder,
		    .field = name_of_field(n, node->holder, node->index)};
	} else {
		snprintf(text, sizeof text, "%s %s",
		    node->kind == JVMTI_HEAP_REFERENCE_CONSTANT_POOL  ? "constant of class"
		    : node->kind == JVMTI_HEAP_REFERENCE_CLASS_LOADER ? "loader of class"
								      : "class",
		    holder);
		step.class_name = copy(n, text);
	}
	if (!add(n, count, &step))
		return false;
	return !loader_name(n->climb, node->holder, text, sizeof text) ||
	       add_text(n, count, copy(n, text));
}

static bool add_root(struct chain_names *n, uint32_t *count, uint32_t node)
{
	char text[700];
	const uint64_t known = hash_get(&n->roots, node);
	if (known != HASH_NONE)
		return add_text(n, count, (const char *)(uintptr_t)known);
	root_name(n->climb, node, n->raw, text, sizeof text);
	const char *name = copy(n, text);
	return name != NULL && hash_put(&n->roots, node, (uint64_t)(uintptr_t)name) &&
	       add_text(n, count, name);
}

/* Why a chain ends before a root. */
static bool add_end(struct chain_names *n, uint32_t *count, const struct climb_node *node)
{
	char text[700];
	const char *name = class_name(n, node->class_);
	if (node->state == CLIMB_SKIPPED)
		return add_text(n, count, "(what holds the class loader takes too long a pause)");
	if (node->state != CLIMB_LOST)
		return add_text(n, count, "(the search ended here)");
	if (node->crowded) {
		snprintf(text, sizeof text, "(many objects of %s that hold each other)",
		    name == NULL ? "?" : name);
		return add_text(n, count, copy(n, text));
	}
	if (node->weak) {
		name = node->index == TAG_NONE ? NULL : class_name(n, node->index);
		snprintf(text, sizeof text, "(weak, soft or phantom references only%s%s)",
		    name == NULL ? "" : ": ", name == NULL ? "" : name);
		return add_text(n, count, copy(n, text));
	}
	return add_text(n, count,
	    "(nothing found: it died, or what refers to it changed meanwhile, as in a "
	    "CopyOnWriteArrayList)");
}

/* The class that stands for its loader. */
static bool add_via(struct chain_names *n, uint32_t *count, uint32_t i)
{
	char text[600];
	const uint32_t via = climb_loader_via(n->climb, i);
	const char *name = via == TAG_NONE ? NULL : class_name(n, via);
	if (name == NULL)
		return via == TAG_NONE;
	snprintf(text, sizeof text, "class %s", name);
	return add_text(n, count, copy(n, text));
}

/* Whether the object is held by another one of its own, long list. */
static bool is_in_list(const struct chain_names *n, const struct climb_node *node)
{
	const bool long_list =
	    node->class_ != TAG_NONE && n->climb->tags.classes[node->class_].list_least != 0;
	return node->jumps || (long_list && !n->raw && node->kind == JVMTI_HEAP_REFERENCE_FIELD &&
				  node->parent != TAG_NONE && node->holder == node->class_);
}

/* Collections of the JDK are folded by what is in them. */
static bool is_folded(const struct chain_names *n, const char *class_)
{
	static const char prefix[] = "java.util.";
	return !n->raw && strncmp(class_, prefix, sizeof prefix - 1) == 0;
}

/* "list of Node, at least 100,000": once for all its steps. */
static bool add_list(struct chain_names *n, uint32_t *count, uint32_t class_)
{
	char text[600], number[40];
	const struct chain_step *last = *count == 0 ? NULL : &n->steps[*count - 1];
	uint64_t least = n->climb->tags.classes[class_].list_least, unit = 1;
	const char *name = class_name(n, class_);
	if (name != NULL && is_folded(n, name))
		return add(n, count,
		    &(struct chain_step){.kind = CHAIN_FIELD, .class_name = name, .field = "next"});
	while (least / unit >= 10)
		unit *= 10;
	snprintf(text, sizeof text, "list of %s, at least %s", name == NULL ? "?" : name,
	    gcs_format_count(number, sizeof number, least / unit * unit));
	if (last != NULL && last->kind == CHAIN_TEXT && strcmp(last->class_name, text) == 0)
		return true;
	return add_text(n, count, copy(n, text));
}

/* The field, for the value of a thread-local variable with the variable's name (chain_tree.h). */
static const char *field_of_holder(struct chain_names *n, const struct climb_node *node)
{
	static const char entry[] = "java.lang.ThreadLocal$ThreadLocalMap$Entry";
	char text[THREAD_LOCAL_NAME + 20];
	const char *class_ = class_name(n, node->holder);
	const char *field = name_of_field(n, node->holder, node->index);
	if (class_ == NULL || field == NULL || strcmp(class_, entry) != 0 ||
	    strcmp(field, "value") != 0)
		return field;
	const char *variable = thread_local_name(&n->locals, &n->climb->tags, node->parent);
	if (variable[0] == '\0')
		return field;
	snprintf(text, sizeof text, CHAIN_VALUE_OF "%s", variable);
	return copy(n, text);
}

/* `held`: something held it when it was looked for. */
static bool add_holder(struct chain_names *n, uint32_t *count, uint32_t i, bool held)
{
	const struct climb_node *node = &n->climb->nodes[i];
	struct chain_step step = {.class_name = class_name(n, node->holder)};
	if (!held)
		return add_end(n, count, node);
	if (!add_via(n, count, i))
		return false;
	if (climb_held_by_class(node))
		return add_class(n, count, node);
	if (node->parent == TAG_NONE)
		return add_root(n, count, i);
	if (is_in_list(n, node))
		return add_list(n, count, node->class_);
	if (node->kind == JVMTI_HEAP_REFERENCE_CLASS)
		return add_text(n, count, step.class_name);
	step.kind = node->kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? CHAIN_ELEMENT : CHAIN_FIELD;
	if (step.kind == CHAIN_FIELD)
		step.field = field_of_holder(n, node);
	else
		step.field = "";
	return add(n, count, &step);
}

static void reverse(struct chain_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count / 2; i++) {
		const struct chain_step other = steps[i];
		steps[i] = steps[count - 1 - i];
		steps[count - 1 - i] = other;
	}
}

/* Whether the chain from a node to `i` goes through `other`. */
static bool goes_through(const struct climb *c, uint32_t node, uint32_t i, uint32_t other)
{
	while (node != other && node != i)
		node = c->nodes[node].parent;
	return node == other;
}

/* Also by what was gone in the next pass, as often as it was looked for: what is known is told. */
static bool was_held(const struct climb *c, uint32_t node, uint32_t i)
{
	const struct climb_node *n = &c->nodes[i];
	return n->state == CLIMB_HELD || (n->state == CLIMB_LOST && n->parent != TAG_NONE &&
					     !goes_through(c, node, i, n->parent));
}

bool chain_names_add(struct chain_names *n, uint32_t node, struct chain_tree *tree,
    const char *site, double objects, double bytes, bool *found)
{
	const struct climb *c = n->climb;
	uint32_t count = 0, i = node;
	bool lost = false;
	if (!add_text(n, &count, class_name(n, c->nodes[node].class_)))
		return false;
	/* At most all nodes: a circle would have been broken up. */
	for (uint32_t passed = 0; i != TAG_NONE && passed < c->count; passed++) {
		const struct climb_node *at = &c->nodes[i];
		const bool held = was_held(c, node, i);
		lost = lost || at->state == CLIMB_LOST;
		*found = !lost &&
			 (at->state == CLIMB_HELD || (passed != 0 && at->state == CLIMB_SKIPPED));
		if (!add_holder(n, &count, i, held))
			return false;
		i = held ? at->parent : TAG_NONE;
	}
	if (site != NULL && !add_text(n, &count, site))
		return false;
	reverse(n->steps, count);
	return chain_tree_add(tree, n->steps, count, objects, bytes);
}
