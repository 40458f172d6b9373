#include "shadow.h"

#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
	if (memory == NULL)
		abort(); /* a test's memory */
	return memory;
}

void shadow_init(struct shadow *shadow, struct train_heap *heap)
{
	*shadow = (struct shadow){.heap = heap, .count = 1, .capacity = 1024};
	shadow->nodes = need(calloc(shadow->capacity, sizeof *shadow->nodes));
}

void shadow_fini(struct shadow *shadow)
{
	for (uint32_t i = 1; i < shadow->count; i++)
		free(shadow->nodes[i].fields);
	free(shadow->nodes);
	free(shadow->stack);
	*shadow = (struct shadow){0};
}

static uint64_t payload_word(uint32_t serial, size_t at)
{
	return (serial + at * 7) * 0x9e3779b97f4a7c15u;
}

static uint32_t new_node(struct shadow *shadow)
{
	uint32_t node = shadow->unused;
	if (node != 0) {
		shadow->unused = shadow->nodes[node].words;
		return node;
	}
	if (shadow->count == shadow->capacity) {
		shadow->capacity *= 2;
		shadow->nodes =
		    need(realloc(shadow->nodes, shadow->capacity * sizeof *shadow->nodes));
	}
	return shadow->count++;
}

/* The object's node, or 0 if it has none. */
static uint32_t node_of(const struct shadow *shadow, struct object *object)
{
	uint64_t node = object_payload_words(object) > 0 ? object_payload(object)[0] : 0;
	return node < shadow->count && shadow->nodes[node].serial == object_serial(object)
		   ? (uint32_t)node
		   : 0;
}

size_t shadow_new(struct shadow *shadow, uint32_t pointers, size_t payload_bytes)
{
	size_t root = train_new(shadow->heap, pointers, payload_bytes);
	struct object *object = train_root(shadow->heap, root);
	uint32_t node = new_node(shadow), serial = object_serial(object);
	shadow->nodes[node] = (struct shadow_node){.serial = serial,
	    .words = object->words,
	    .pointers = pointers,
	    .fields = need(calloc(pointers + 1, sizeof(uint32_t)))};
	object_payload(object)[0] = node;
	for (uint32_t i = 1; i < object_payload_words(object); i++)
		object_payload(object)[i] = payload_word(serial, i);
	return root;
}

void shadow_write(
    struct shadow *shadow, struct object *object, uint32_t field, struct object *value)
{
	train_write(shadow->heap, object, field, value);
	shadow->nodes[node_of(shadow, object)].fields[field] =
	    value != NULL ? node_of(shadow, value) : 0;
}

void shadow_finalise(struct shadow *shadow, struct object *object)
{
	train_add_weak(shadow->heap, object, TRAIN_FINALISABLE);
	shadow->nodes[node_of(shadow, object)].held++;
}

struct object *shadow_take(struct shadow *shadow)
{
	struct object *object = train_take_finalisable(shadow->heap);
	if (object == NULL)
		return NULL;
	struct shadow_node *node = &shadow->nodes[node_of(shadow, object)];
	if (node->serial == 0 || node->held == 0)
		shadow->wrong = "an object is finalised that was not finalisable";
	else if (node->reached == shadow->round)
		shadow->wrong = "an object is finalised that the roots reach";
	else
		node->held--;
	return object;
}

static void push(struct shadow *shadow, uint32_t node)
{
	struct shadow_node *it = &shadow->nodes[node];
	if (node == 0 || it->visited == shadow->round)
		return;
	it->visited = shadow->round;
	if (shadow->stacked == shadow->stack_capacity) {
		shadow->stack_capacity = shadow->stack_capacity * 2 + 1024;
		shadow->stack =
		    need(realloc(shadow->stack, shadow->stack_capacity * sizeof *shadow->stack));
	}
	shadow->stack[shadow->stacked++] = node;
}

/* The object is the node, and its fields refer to the objects of the node's fields. */
static void compare(struct shadow *shadow, struct object *object, const struct shadow_node *node)
{
	if (object->words != node->words || object->pointers != node->pointers)
		shadow->wrong = "an object has a wrong size";
	for (uint32_t i = 0; i < node->pointers && shadow->wrong == NULL; i++) {
		struct object *field = object_field(object, i);
		if ((field != NULL ? node_of(shadow, field) : 0) != node->fields[i] ||
		    (field != NULL && node->fields[i] == 0))
			shadow->wrong = "a field refers to a wrong object";
	}
	for (uint32_t i = 1; i < object_payload_words(object) && shadow->wrong == NULL; i++)
		if (object_payload(object)[i] != payload_word(node->serial, i))
			shadow->wrong = "an object's payload has changed";
}

/* The objects in parallel with the nodes, depth first: a parent's fields have been compared before the walk
 * follows them, so nodes can stand for objects, whose addresses are kept beside. */
struct walk {
	struct object **objects;
	size_t count, capacity;
};

static void walk_push(struct shadow *shadow, struct walk *walk, struct object *object)
{
	uint32_t node = object != NULL ? node_of(shadow, object) : 0;
	if (object == NULL || (node != 0 && shadow->nodes[node].reached == shadow->round))
		return;
	if (node == 0) {
		shadow->wrong = "the roots reach an unknown object";
		return;
	}
	shadow->nodes[node].visited = shadow->nodes[node].reached = shadow->round;
	if (walk->count == walk->capacity) {
		walk->capacity = walk->capacity * 2 + 1024;
		walk->objects =
		    need(realloc(walk->objects, walk->capacity * sizeof(struct object *)));
	}
	walk->objects[walk->count++] = object;
}

static void check_objects(struct shadow *shadow)
{
	struct walk walk = {0};
	shadow->live_bytes = 0;
	for (size_t i = 0; i < train_root_count(shadow->heap); i++)
		walk_push(shadow, &walk, train_root(shadow->heap, i));
	while (walk.count > 0 && shadow->wrong == NULL) {
		struct object *object = walk.objects[--walk.count];
		compare(shadow, object, &shadow->nodes[node_of(shadow, object)]);
		shadow->live_bytes += object_bytes(object);
		for (uint32_t i = 0; i < object->pointers && shadow->wrong == NULL; i++)
			walk_push(shadow, &walk, object_field(object, i));
	}
	free(walk.objects);
}

/* What finalisable objects reach may come back; the rest will not. */
static void forget_unreachable(struct shadow *shadow)
{
	for (uint32_t i = 1; i < shadow->count; i++)
		if (shadow->nodes[i].serial != 0 && shadow->nodes[i].held > 0)
			push(shadow, i);
	while (shadow->stacked > 0) {
		const struct shadow_node *node = &shadow->nodes[shadow->stack[--shadow->stacked]];
		for (uint32_t i = 0; i < node->pointers; i++)
			push(shadow, node->fields[i]);
	}
	for (uint32_t i = 1; i < shadow->count; i++) {
		struct shadow_node *node = &shadow->nodes[i];
		if (node->serial == 0 || node->visited == shadow->round)
			continue;
		free(node->fields);
		*node = (struct shadow_node){.words = shadow->unused};
		shadow->unused = i;
	}
}

bool shadow_check(struct shadow *shadow)
{
	shadow->round++;
	check_objects(shadow);
	if (shadow->wrong == NULL)
		forget_unreachable(shadow);
	return shadow->wrong == NULL;
}
