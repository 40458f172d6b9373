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

struct sweep *heap_open_sweep(const struct vm *vm, const struct heap_driver *driver,
    const void *heap, const struct volume *volume, const char **why)
{
	enum vm_capability needs = vm_has(vm, VM_OBJECTS) ? driver->sweep_needs : VM_OBJECTS;
	*why = vm_why(vm, needs);
	if (driver->sweep_ranges == NULL || !vm_has(vm, needs))
		return NULL;
	struct sweep_driver with = {
	    .self = heap, .ranges = driver->sweep_ranges, .size = driver->sweep_size(heap)};
	*why = "There are too many regions, or there is no memory to count their objects.";
	return with.size.ranges == 0 ? NULL : sweep_create(vm, &with, volume);
}
