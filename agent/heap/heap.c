#include "heap.h"

#include <stdio.h>

static const struct heap_driver *const drivers[] = {
    &heap_generations, &heap_g1, &heap_z, &heap_shenandoah, &heap_epsilon};

const struct heap_driver *heap_choose(const struct vm *vm, char *why, size_t size)
{
	const enum vm_collector collector = vm_collector(vm);
	snprintf(why, size,
	    "this version of GCspy has no heap map for the %s collector, only its events and TLABs",
	    vm_collector_name(collector));
	for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
		if ((drivers[i]->collectors & 1u << collector) == 0)
			continue;
		if (vm_has(vm, drivers[i]->needs))
			return drivers[i];
		snprintf(why, size, "%s", vm_why(vm, drivers[i]->needs));
	}
	return NULL;
}

bool heap_wanted(const void *heap, struct gcs_server *server, const struct gcs_ticket *ticket)
{
	const struct heap_base *base = heap;
	bool wanted = false;
	for (uint32_t i = 0; i < base->space_count; i++)
		wanted = wanted || gcs_server_wants_space(server, ticket, base->spaces[i]);
	return wanted;
}

void heap_capture_off_pause(const struct heap_driver *driver, const void *heap, void *raw)
{
	(driver->capture_safely != NULL ? driver->capture_safely : driver->capture)(heap, raw);
}

struct heap_names heap_names_of(const struct heap_driver *driver, const struct vm *vm)
{
	struct heap_names names = driver->names;
	if (driver->aged_parts != 0 && vm_has(vm, driver->ages))
		names.parts |= driver->aged_parts;
	return names;
}

bool heap_walk_driver_of(const struct vm *vm, const struct heap_driver *driver, const void *heap,
    struct heap_walk_driver *walk, const char **why)
{
	enum vm_capability needs = vm_has(vm, VM_OBJECTS) ? driver->heap_walk_needs : VM_OBJECTS;
	*why = vm_why(vm, needs);
	if (driver->heap_walk_ranges == NULL || !vm_has(vm, needs))
		return false;
	*walk = (struct heap_walk_driver){
	    .self = heap, .ranges = driver->heap_walk_ranges, .size = driver->heap_walk_size(heap)};
	*why = "There are too many regions, or there is no memory to count their objects.";
	return walk->size.ranges != 0;
}

struct heap_walk *heap_open_walk(const struct vm *vm, const struct heap_driver *driver,
    const void *heap, const struct volume *volume, const char **why)
{
	struct heap_walk_driver with;
	return heap_walk_driver_of(vm, driver, heap, &with, why)
		   ? heap_walk_create(vm, &with, volume)
		   : NULL;
}
