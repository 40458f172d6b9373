/* The ranges of a G1 heap. */
#include "heap_walk_ranges.h"

/* The end of a humongous object's regions. */
static uint64_t end_of_object(const struct vm_region_layout *layout,
    const struct vm_g1_region *regions, uint64_t count, uint64_t i)
{
	uint64_t last = i;
	while (last + 1 < count && regions[last + 1].type == VM_G1_HUMONGOUS_CONT)
		last++;
	uint64_t used =
	    regions[last].used < layout->region_bytes ? regions[last].used : layout->region_bytes;
	return layout->heap + last * layout->region_bytes + used;
}

/* An old region: JDK 25 knows where its walkable part begins. Otherwise dead objects of unloaded
 * classes may be anywhere in it. */
static void set_old(const struct vm *vm, uint64_t i, struct heap_walk_range *r)
{
	uint64_t from = vm_g1_parsable(vm, i);
	r->moves = false;
	r->way = HEAP_WALK_OBJECTS_OLD;
	if (from == 0)
		return;
	r->way = HEAP_WALK_OBJECTS;
	r->from = from < r->low ? r->low : from > r->top ? r->top : from;
}

/* The walk depends on the type of region. */
static void set_way(const struct vm *vm, const struct vm_region_layout *layout,
    const struct vm_g1_region *regions, uint64_t count, uint64_t i,
    const struct heap_walk_pause *pause, struct heap_walk_range *r)
{
	switch (r->kind) {
	case VM_G1_EDEN:
		r->way = pause->buffers ? HEAP_WALK_OBJECTS : HEAP_WALK_NEVER;
		break;
	case VM_G1_SURVIVOR:
		break;
	case VM_G1_OLD:
	case VM_G1_ARCHIVE:
		set_old(vm, i, r);
		break;
	case VM_G1_HUMONGOUS_START:
		r->top = end_of_object(layout, regions, count, i);
		r->single = true; /* what follows it there fills the last region */
		break;
	case VM_G1_OTHER:
		r->way = HEAP_WALK_NEVER;
		break;
	default: /* free, or a part of the humongous object before it */
		r->top = r->low;
	}
}

uint32_t heap_walk_g1(const struct vm *vm, const struct vm_region_layout *layout,
    const struct vm_g1_region *regions, uint64_t count, const struct heap_walk_pause *pause,
    struct heap_walk_range *ranges)
{
	for (uint64_t i = 0; i < count; i++) {
		struct heap_walk_range *r = &ranges[i];
		uint64_t bottom = layout->heap + i * layout->region_bytes;
		*r = (struct heap_walk_range){
		    .low = bottom,
		    .top = bottom + regions[i].used,
		    .from = bottom,
		    .block = layout->region_bytes,
		    .cell = (uint32_t)i,
		    .own = regions[i].type != VM_G1_HUMONGOUS_CONT,
		    .kind = regions[i].type,
		    .moves = true,
		    .cards = true,
		};
		if (regions[i].used > layout->region_bytes)
			r->top = bottom; /* impossible */
		else
			set_way(vm, layout, regions, count, i, pause, r);
	}
	return (uint32_t)count;
}
