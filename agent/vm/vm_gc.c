#include "vm_gc.h"

#include <stdio.h>
#include <string.h>

#include "vm_internal.h"

/* The cause when no collection runs. */
static const char NO_CAUSE[] = "No GC";

/*
 * CollectedHeap does not export _total_full_collections, but it follows _total_collections, and the
 * current and the last cause come next (collectedHeap.hpp of JDK 11 to 25), or after the processor time
 * of the VM thread (JDK 26 and 27). The address of the current cause, or 0: memory of another meaning
 * is told by the causes, of which the one while no collection runs is none of the first.
 */
static uintptr_t cause_after(uintptr_t total)
{
	enum { MAX_CAUSE = 64 };
	for (uintptr_t at = total + 8; at <= total + 16; at += 8) {
		const uint32_t now = vm_load_u32(at), last = vm_load_u32(at + 4);
		if (vm_load_u32(total + 4) <= vm_load_u32(total) && now > 0 && now < MAX_CAUSE &&
		    last < MAX_CAUSE)
			return at;
	}
	return 0;
}

/* The layout of these is known; of others, it is believed where there is nothing better. */
static bool has_known_layout(const struct vm *vm)
{
	enum { SIZE_17 = 96, SIZE_25 = 112 };
	const size_t size = vm_structs_size(&vm->structs, "CollectedHeap");
	return (vm->major == 17 && size == SIZE_17) || (vm->major == 25 && size == SIZE_25);
}

static void use_layout(struct vm *vm, uintptr_t cause)
{
	struct vm_gc *gc = &vm->gc;
	gc->full = gc->total + 4;
	gc->cause_number = cause;
	gc->no_cause = vm_load_u32(gc->cause_number); /* no collection runs at the start */
	vm_set(vm, VM_GC_FULL_COUNT, VM_DERIVED,
	    "The word after CollectedHeap::_total_collections, by the layout of JDK %s.",
	    has_known_layout(vm) ? vm->major == 17 ? "17" : "25" : "17 to 27");
}

static void open_counts(struct vm *vm)
{
	if (vm->collector == VM_COLLECTOR_SHENANDOAH) {
		vm_set(vm, VM_GC_COUNT, VM_MISSING, "Shenandoah does not count its collections.");
		vm_set_like(vm, VM_GC_FULL_COUNT, VM_GC_COUNT);
		return;
	}
	struct vm_gc *gc = &vm->gc;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t total = vm_lookup_offset(&lookup, "CollectedHeap::_total_collections");
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_GC_COUNT, lookup.missing);
	else if (vm->heap == 0)
		vm_set_like(vm, VM_GC_COUNT, VM_HEAP_RANGE);
	else {
		gc->total = vm->heap + total;
		vm_set_exported(vm, VM_GC_COUNT);
	}

	/* Only with these three, the collector that PerfData numbers 1 collects the whole heap. */
	const bool numbered = vm->collector == VM_COLLECTOR_SERIAL ||
			      vm->collector == VM_COLLECTOR_PARALLEL ||
			      vm->collector == VM_COLLECTOR_G1;
	struct vm_perf_text count;
	char type;
	const uintptr_t cause = gc->total == 0 ? 0 : cause_after(gc->total);
	if (cause != 0 && has_known_layout(vm)) {
		use_layout(vm, cause);
	} else if (numbered &&
		   vm_perf_find(&vm->perf, "sun.gc.collector.1.invocations", &count, &type) &&
		   type == 'J') {
		gc->full = count.address;
		gc->full_is_long = true;
		vm_set(vm, VM_GC_FULL_COUNT, VM_DERIVED,
		    "The performance counter sun.gc.collector.1.invocations.");
	} else if (cause != 0 && numbered) {
		use_layout(vm, cause);
	} else {
		vm_set(vm, VM_GC_FULL_COUNT, VM_MISSING,
		    "HotSpot %s does not export CollectedHeap::_total_full_collections.",
		    vm->release);
	}
}

void vm_open_gc_kinds(struct vm *vm)
{
	struct vm_gc_signs signs;
	vm_gc_signs(vm, (struct vm_gc_ask){0}, &signs);
	const bool z = signs.phase != VM_GC_PHASE_UNKNOWN || signs.load_good != 0;
	const bool shenandoah = vm_has(vm, VM_SHENANDOAH_REGIONS) || signs.marking.known;
	if (vm->collector == VM_COLLECTOR_ZGC && !z)
		vm_set(vm, VM_GC_KINDS, VM_MISSING, "HotSpot %s does not export the phase of ZGC.",
		    vm->release);
	else if (vm->collector == VM_COLLECTOR_SHENANDOAH && !shenandoah)
		vm_set(vm, VM_GC_KINDS, VM_MISSING,
		    "HotSpot %s does not export the regions of Shenandoah.", vm->release);
	else if (vm->collector != VM_COLLECTOR_ZGC && vm->collector != VM_COLLECTOR_SHENANDOAH &&
		 vm->collector != VM_COLLECTOR_EPSILON && vm->gc.full == 0)
		vm_set_like(vm, VM_GC_KINDS, VM_GC_FULL_COUNT);
	else
		vm_set(vm, VM_GC_KINDS, VM_DERIVED, "From the state before and after a pause.");
}

void vm_open_gc(struct vm *vm)
{
	char type = 0;
	char last_type = 0;
	struct vm_gc *gc = &vm->gc;
	struct vm_perf_text count;
	open_counts(vm);
	/* JDK 17 to 24 (psScavenge.cpp). */
	if (vm->collector == VM_COLLECTOR_PARALLEL &&
	    vm_perf_find(&vm->perf, "sun.gc.policy.fullFollowsScavenge", &count, &type) &&
	    type == 'J')
		gc->full_follows = count.address;
	/* JDK 12 and later (G1MonitoringSupport). */
	if (vm->collector == VM_COLLECTOR_G1 &&
	    vm_perf_find(&vm->perf, "sun.gc.collector.2.invocations", &count, &type) && type == 'J')
		gc->concurrent = count.address;
	if (!vm_has(vm, VM_PERF_DATA)) {
		vm_set_like(vm, VM_GC_CAUSE, VM_PERF_DATA);
	} else if (!vm_perf_find(&vm->perf, "sun.gc.cause", &gc->cause, &type) || type != 'B' ||
		   !vm_perf_find(&vm->perf, "sun.gc.lastCause", &gc->last_cause, &last_type) ||
		   last_type != 'B') {
		gc->cause.bytes = 0;
		gc->last_cause.bytes = 0;
		vm_set(vm, VM_GC_CAUSE, VM_MISSING,
		    "HotSpot %s has no performance counter sun.gc.cause.", vm->release);
	} else {
		vm_set_exported(vm, VM_GC_CAUSE);
	}
}

/* Whether the field of PerfData has exactly this text. */
static bool has_text(const struct vm_perf_text *field, const char *text)
{
	size_t i = 0;
	for (; i < field->bytes; i++) {
		const char c = (char)vm_load_u8(field->address + i);
		if (c != text[i])
			return false;
		if (c == '\0')
			return true;
	}
	return text[i] == '\0';
}

static bool has_cause(const struct vm_gc *gc)
{
	if (gc->cause.bytes != 0)
		return !has_text(&gc->cause, NO_CAUSE);
	return gc->cause_number == 0 || vm_load_u32(gc->cause_number) != gc->no_cause;
}

void vm_gc_counts(const struct vm *vm, struct vm_gc_counts *counts)
{
	const struct vm_gc *gc = &vm->gc;
	*counts = (struct vm_gc_counts){0};
	if (gc->total != 0)
		counts->total = vm_load_u32(gc->total);
	if (gc->full != 0)
		counts->full = gc->full_is_long ? vm_load_u64(gc->full) : vm_load_u32(gc->full);
	counts->tells_concurrent = gc->concurrent != 0;
	if (counts->tells_concurrent)
		counts->concurrent = vm_load_u64(gc->concurrent);
	counts->caused = has_cause(gc);
}

/* Causes for which Shenandoah stops the program for a whole collection: gcCause.cpp and the control
 * threads of JDK 17 and 25. JDK 25 has no name for the failure of a humongous allocation. */
static enum vm_gc_way shenandoah_way(const struct vm *vm)
{
	static const char *const failed[] = {"Allocation Failure",
	    "Allocation Failure During Evacuation", "Humongous Allocation Failure",
	    "unknown GCCause"};
	static const char *const asked[] = {"System.gc()", "Diagnostic Command",
	    "JvmtiEnv ForceGarbageCollection", "Heap Inspection Initiated GC",
	    "Heap Dump Initiated GC"};
	const struct vm_perf_text *cause = &vm->gc.cause;
	bool concurrent = vm->shenandoah.implicit_concurrent;
	if (cause->bytes == 0 || has_text(cause, NO_CAUSE))
		return VM_GC_WAY_UNKNOWN;
	if (has_text(cause, "Concurrent GC"))
		return VM_GC_WAY_CONCURRENT;
	if (has_text(cause, "Upgrade To Full GC"))
		return VM_GC_WAY_FULL;
	for (size_t i = 0; i < sizeof failed / sizeof failed[0]; i++)
		if (has_text(cause, failed[i]))
			return VM_GC_WAY_FAILED;
	for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
		if (has_text(cause, asked[i]))
			concurrent = vm->shenandoah.explicit_concurrent;
	return concurrent ? VM_GC_WAY_CONCURRENT : VM_GC_WAY_FULL;
}

void vm_gc_signs(const struct vm *vm, struct vm_gc_ask ask, struct vm_gc_signs *signs)
{
	const struct vm_z *z = &vm->z;
	*signs = (struct vm_gc_signs){.phase = VM_GC_PHASE_UNKNOWN};
	if (vm->collector == VM_COLLECTOR_SHENANDOAH) {
		signs->way = shenandoah_way(vm);
		vm_shenandoah_marking(vm, &signs->marking);
		if (ask.regions)
			vm_shenandoah_census(vm, ask.live, &signs->census);
		return;
	}
	if (z->phase != 0 && vm_load_u32(z->phase) < VM_GC_PHASE_UNKNOWN)
		signs->phase = (enum vm_gc_phase)vm_load_u32(z->phase);
	if (z->load_good != 0 && z->mark_good != 0) {
		signs->load_good = vm_load_u64(z->load_good) ^ vm->machine->z_inverted;
		signs->mark_good = vm_load_u64(z->mark_good) ^ vm->machine->z_inverted;
	}
}

bool vm_gc_generational(const struct vm *vm)
{
	return vm->shenandoah.generational;
}

/* Copies a string of PerfData, which ends at a NUL or at the end of its field. */
static size_t copy_text(const struct vm_perf_text *from, char *text, size_t capacity)
{
	size_t length = 0;
	while (length + 1 < capacity && length < from->bytes) {
		const char c = (char)vm_load_u8(from->address + length);
		if (c == '\0')
			break;
		text[length++] = c;
	}
	text[length] = '\0';
	return length;
}

size_t vm_gc_cause(const struct vm *vm, enum vm_gc_moment moment, char *text, size_t capacity)
{
	if (capacity == 0)
		return 0;
	size_t length = copy_text(&vm->gc.cause, text, capacity);
	/*
	 * Serial and Parallel of JDK 17 have already moved the cause to lastCause when they
	 * announce the end. For a concurrent collector "No GC" is correct: lastCause would be that
	 * of another pause.
	 */
	const bool moved = moment == VM_GC_FINISH && (vm->collector == VM_COLLECTOR_SERIAL ||
							 vm->collector == VM_COLLECTOR_PARALLEL);
	if (moved && strcmp(text, NO_CAUSE) == 0)
		length = copy_text(&vm->gc.last_cause, text, capacity);
	/* Parallel's decision within a collection for another cause; the whole pause is one event. */
	if (moment == VM_GC_FINISH && vm->gc.full_follows != 0 &&
	    strcmp(text, "Allocation Failure") == 0 && vm_load_u64(vm->gc.full_follows) != 0)
		length = (size_t)snprintf(text, capacity, "Ergonomics");
	if (strcmp(text, NO_CAUSE) == 0) {
		text[0] = '\0';
		length = 0;
	}
	return length < capacity ? length : capacity - 1;
}
