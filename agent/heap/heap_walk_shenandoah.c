/* The ranges of a Shenandoah heap. */
#include "heap_walk_ranges.h"

/* What a range holds: a region that holds something else at the next event is walked again. */
enum { NOTHING, OBJECTS, COLLECTED, HUMONGOUS };

/* The program was stopped for a whole collection: nothing is in progress. */
static bool stopped_program(enum gc_kind kind)
{
	return kind == GC_FULL || kind == GC_DEGENERATED || kind == GC_STOPPED;
}

/*
 * A pause at the beginning of a cycle has no marks. When the update of references begins, the
 * collector's threads may have buffers whose free parts are unknown. The end of a marking that was
 * cancelled does not count.
 */
static bool marks_complete(const struct vm *vm, const struct heap_walk_pause *pause)
{
	if (!pause->finish)
		return false;
	return stopped_program(pause->kind) ||
	       ((pause->kind == GC_FINAL_MARK || pause->kind == GC_FINAL_ROOTS ||
		    pause->kind == GC_FINAL_UPDATE_REFS) &&
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
 * The marks of a region, and whether they are reliable. After the end of marking the collection set
 * is copied. After a full collection of JDK 25 nothing is marked, and only compacted regions, whose
 * top at the start of marking is their bottom, have no dead objects.
 */
static enum heap_walk_way find_marks(const struct vm *vm, size_t region,
    enum vm_shenandoah_state state, const struct heap_walk_pause *pause, struct heap_walk_range *r)
{
	r->marked = vm_shenandoah_top_at_start(vm, region);
	if (r->marked == 0 || !pause->buffers || state == VM_SHENANDOAH_OTHER ||
	    (r->kind == COLLECTED && pause->kind != GC_FINAL_MARK) ||
	    (r->marked != r->low && !vm_shenandoah_marked(vm)))
		return HEAP_WALK_NEVER;
	return HEAP_WALK_OBJECTS;
}

uint32_t heap_walk_shenandoah(const struct vm *vm, const struct vm_region_layout *layout,
    const struct vm_shenandoah_region *regions, uint64_t count, const struct heap_walk_pause *pause,
    struct heap_walk_range *ranges)
{
	struct heap_walk_range *object = NULL; /* the humongous one that continues */
	if (!marks_complete(vm, pause))
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
		r->way = find_marks(vm, i, state, pause, r);
	}
	return (uint32_t)count;
}
