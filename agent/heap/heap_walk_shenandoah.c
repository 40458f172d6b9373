#include "heap_walk_shenandoah.h"

enum { MAX_RANGES = 65536 };

/* What a range holds: a region that is another thing at the next event holds other objects. */
enum { NOTHING, OBJECTS, COLLECTED, HUMONGOUS };

struct heap_walk_size heap_walk_shenandoah_size(const struct vm_shenandoah_layout *layout)
{
	if (layout->regions > MAX_RANGES)
		return (struct heap_walk_size){0};
	return (struct heap_walk_size){(uint32_t)layout->regions, (uint32_t)layout->regions};
}

/* The program stood still for a whole collection: nothing is under way. */
static bool stood_still(enum gc_kind kind)
{
	return kind == GC_FULL || kind == GC_DEGENERATED || kind == GC_STOPPED;
}

/*
 * A pause at the beginning of a cycle has no marks. When references begin to be updated the
 * collector's threads may have buffers, whose free parts nobody tells. The end of a marking that
 * was broken off is no end.
 */
static bool can_be_told(const struct vm *vm, const struct heap_walk_moment *moment)
{
	if (!moment->finish)
		return false;
	return stood_still(moment->kind) ||
	       ((moment->kind == GC_FINAL_MARK || moment->kind == GC_FINAL_ROOTS ||
		    moment->kind == GC_FINAL_UPDATE_REFS) &&
		   vm_shenandoah_marked(vm));
}

static int content_of(enum vm_shenandoah_state state)
{
	switch (state) {
	case VM_SHENANDOAH_REGULAR:
	case VM_SHENANDOAH_PINNED:
	case VM_SHENANDOAH_OTHER:
		return OBJECTS;
	case VM_SHENANDOAH_COLLECTION_SET:
	case VM_SHENANDOAH_PINNED_COLLECTION_SET:
		return COLLECTED;
	case VM_SHENANDOAH_HUMONGOUS_START:
	case VM_SHENANDOAH_PINNED_HUMONGOUS_START:
		return HUMONGOUS;
	default: /* empty, trash, or a part of the humongous object before it */
		return NOTHING;
	}
}

/*
 * The marks of a region, and whether they can be relied on. Behind the end of marking the
 * collection set is copied. After a full collection of JDK 25 nothing is marked, and only what was
 * compacted has no dead objects: it begins anew at its bottom.
 */
static enum heap_walk_way find_marks(const struct vm *vm, size_t region,
    enum vm_shenandoah_state state, const struct heap_walk_moment *moment,
    struct heap_walk_range *r)
{
	r->marked = vm_shenandoah_top_at_start(vm, region);
	if (r->marked == 0 || !moment->buffers || state == VM_SHENANDOAH_OTHER ||
	    (r->kind == COLLECTED && moment->kind != GC_FINAL_MARK) ||
	    (r->marked != r->low && !vm_shenandoah_marked(vm)))
		return HEAP_WALK_NEVER;
	return HEAP_WALK_OBJECTS;
}

uint32_t heap_walk_shenandoah(const struct vm *vm, const struct vm_shenandoah_layout *layout,
    const struct vm_shenandoah_region *regions, uint64_t count,
    const struct heap_walk_moment *moment, struct heap_walk_range *ranges)
{
	struct heap_walk_range *object = NULL; /* the humongous one that goes on */
	if (!can_be_told(vm, moment))
		return 0;
	for (uint64_t i = 0; i < count; i++) {
		const enum vm_shenandoah_state state = regions[i].state;
		const uint64_t low = layout->heap + i * layout->region_bytes;
		struct heap_walk_range *r = &ranges[i];
		*r = (struct heap_walk_range){
		    .low = low,
		    .top = low,
		    .from = low,
		    .block = layout->region_bytes,
		    .cell = (uint32_t)i,
		    .own = state != VM_SHENANDOAH_HUMONGOUS_CONT,
		    .kind = (uint32_t)content_of(state),
		};
		if (state != VM_SHENANDOAH_HUMONGOUS_CONT)
			object = r->kind == HUMONGOUS ? r : NULL;
		else if (object != NULL)
			object->top = low + regions[i].used;
		if (r->kind == NOTHING)
			continue;
		r->top = low + regions[i].used;
		r->way = find_marks(vm, i, state, moment, r);
	}
	return (uint32_t)count;
}
