#include "heap_count.h"

#include <gcspy/memory.h>

#include "heap_walk_internal.h"

struct heap_count {
	const struct vm *vm;
	const struct heap_driver *driver;
	struct heap_walk_driver walk;
	struct vm_classes *classes;
	struct heap_count_total *totals;
	struct heap_walk_range *ranges;
	struct vm_tlab *tlabs;
	struct vm_gap *gaps;
	void *raw;
};

struct heap_count *heap_count_create(
    const struct vm *vm, const struct heap_driver *driver, const void *heap)
{
	const char *why = NULL;
	struct heap_walk_driver walk;
	/* Shenandoah's marks are complete only at the end of some collections' pauses. */
	if (driver == NULL || driver == &heap_shenandoah ||
	    !heap_walk_driver_of(vm, driver, heap, &walk, &why))
		return NULL;
	struct heap_count *c = gcs_zalloc(sizeof *c);
	if (c == NULL)
		return NULL;
	c->vm = vm;
	c->driver = driver;
	c->walk = walk;
	c->classes = vm_classes_create(vm, MAX_CLASSES);
	c->totals = gcs_zalloc((MAX_CLASSES + 1) * sizeof *c->totals);
	c->ranges = gcs_zalloc(walk.size.ranges * sizeof *c->ranges);
	c->tlabs = gcs_zalloc(TLABS * sizeof *c->tlabs);
	c->gaps = gcs_zalloc(TLABS * sizeof *c->gaps);
	c->raw = gcs_zalloc(driver->raw_bytes(heap));
	if (c->classes != NULL && c->totals != NULL && c->ranges != NULL && c->tlabs != NULL &&
	    c->gaps != NULL && c->raw != NULL)
		return c;
	heap_count_destroy(c);
	return NULL;
}

void heap_count_destroy(struct heap_count *c)
{
	if (c == NULL)
		return;
	vm_classes_destroy(c->classes);
	gcs_free(c->totals);
	gcs_free(c->ranges);
	gcs_free(c->tlabs);
	gcs_free(c->gaps);
	gcs_free(c->raw);
	gcs_free(c);
}

static void count(void *context, const struct vm_object *o)
{
	struct heap_count_total *totals = context;
	if (o->kind == VM_OBJECT_FILLER)
		return;
	totals[o->class_id].objects++;
	totals[o->class_id].bytes += o->bytes;
}

/* Old ranges may hold dead objects of classes that were unloaded, at whatever time. */
static bool can_walk(const struct heap_count *c, const struct heap_walk_range *r)
{
	if (r->low == r->top)
		return true;
	if (r->way == HEAP_WALK_OBJECTS_OLD &&
	    (!vm_has(c->vm, VM_UNLOADED_CLASSES) || vm_objects_unloaded(c->vm) != 0))
		return false;
	return r->way != HEAP_WALK_NEVER && r->way != HEAP_WALK_LATER && r->from == r->low &&
	       r->marked == 0;
}

bool heap_count_run(struct heap_count *c)
{
	size_t listed = 0;
	const size_t tlabs = vm_tlabs(c->vm, c->tlabs, TLABS, &listed);
	const struct heap_walk_pause pause = {.buffers = vm_has(c->vm, VM_TLAB_HARD_END) &&
							 vm_has(c->vm, VM_TLAB_LIST) &&
							 listed == tlabs};
	c->driver->capture(c->walk.self, c->raw);
	const uint32_t ranges = c->walk.ranges(c->walk.self, c->raw, &pause, c->ranges);
	for (uint32_t i = 0; i < ranges; i++)
		if (!can_walk(c, &c->ranges[i]))
			return false;
	const size_t gaps = heap_walk_find_gaps(c->tlabs, tlabs, c->gaps, TLABS);
	uint64_t reached = 0;
	vm_classes_begin(c->classes);
	for (uint32_t i = 0; i < ranges; i++) {
		const struct heap_walk_range *r = &c->ranges[i];
		struct vm_address_range part = {.at = r->low,
		    .end = r->top,
		    .reach = r->reach,
		    .gaps = c->gaps,
		    .gap_count = gaps};
		if (r->follows && reached > part.at)
			part.at = reached;
		const enum vm_objects_end end = vm_objects_walk(
		    c->classes, &part, r->single ? 1 : UINT32_MAX, count, c->totals);
		if (end != VM_OBJECTS_DONE && (end != VM_OBJECTS_PAUSED || !r->single))
			return false;
		reached = part.at;
	}
	return ranges != 0;
}

const struct heap_count_total *heap_count_totals(const struct heap_count *c, uint32_t *count)
{
	*count = vm_classes_count(c->classes);
	return c->totals;
}

const char *heap_count_name(const struct heap_count *c, uint32_t id)
{
	return vm_classes_name(c->classes, id);
}
