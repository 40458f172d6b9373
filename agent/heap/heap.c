#include "heap.h"

#include <stdio.h>

static const struct heap_driver *const drivers[] = {
    &heap_generations, &heap_g1, &heap_z, &heap_shenandoah, &heap_epsilon};

const struct heap_driver *heap_choose(const struct vm *vm, char *why, size_t size)
{
	snprintf(why, size,
	    "this version of GCspy draws no heap map for the %s collector, only its events and "
	    "TLABs",
	    vm_collector_name(vm_collector(vm)));
	for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
		if (!drivers[i]->fits(vm))
			continue;
		if (vm_has(vm, drivers[i]->needs))
			return drivers[i];
		snprintf(why, size, "%s", vm_why(vm, drivers[i]->needs));
	}
	return NULL;
}

struct heap_walk *heap_open_walk(const struct vm *vm, const struct heap_driver *driver,
    const void *heap, const struct volume *volume, const char **why)
{
	enum vm_capability needs = vm_has(vm, VM_OBJECTS) ? driver->heap_walk_needs : VM_OBJECTS;
	*why = vm_why(vm, needs);
	if (driver->heap_walk_ranges == NULL || !vm_has(vm, needs))
		return NULL;
	struct heap_walk_driver with = {
	    .self = heap, .ranges = driver->heap_walk_ranges, .size = driver->heap_walk_size(heap)};
	*why = "There are too many regions, or there is no memory to count their objects.";
	return with.size.ranges == 0 ? NULL : heap_walk_create(vm, &with, volume);
}
