#include "vm_tlab.h"

#include "vm_internal.h"
#include "vm_z.h"

/* The buffer and the counters of a thread are within a few hundred bytes. */
enum { MAX_SPAN = 1024, MAX_THREADS = 1 << 20 };

/* Widens the range that a safe copy covers. */
static void include(struct vm_tlab_fields *fields, size_t offset, size_t bytes)
{
	if (offset < fields->low)
		fields->low = offset;
	if (offset + bytes > fields->high)
		fields->high = offset + bytes;
}

static void find_list(struct vm *vm)
{
	struct vm_tlab_fields *f = &vm->tlab;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_lookup linked = {.structs = &vm->structs};
	const uintptr_t list = vm_lookup_static(&lookup, "ThreadsSMRSupport::_java_thread_list");
	f->list_length = vm_lookup_offset(&lookup, "ThreadsList::_length");
	f->list_threads = vm_lookup_offset(&lookup, "ThreadsList::_threads");
	const uintptr_t first = vm_lookup_static(&linked, "Threads::_thread_list");
	f->next = vm_lookup_offset(&linked, "JavaThread::_next");
	if (lookup.missing != NULL && linked.missing == NULL) {
		f->first = first;
		vm_set_exported(vm, VM_TLAB_LIST);
		return;
	}
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_TLAB_LIST, lookup.missing);
		return;
	}
	f->list = list;
	vm_set_exported(vm, VM_TLAB_LIST);
}

/* Every offset is from the JavaThread, whose base class Thread holds the buffer. */
static bool find_buffer(struct vm *vm)
{
	struct vm_tlab_fields *f = &vm->tlab;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t tlab = vm_lookup_offset(&lookup, "Thread::_tlab");
	f->start = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_start");
	f->top = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_top");
	f->end = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_end");
	f->desired = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_desired_size");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_TLABS, lookup.missing);
		return false;
	}
	f->low = f->start;
	include(f, f->start, VM_WORD);
	include(f, f->top, VM_WORD);
	include(f, f->end, VM_WORD);
	include(f, f->desired, VM_WORD);
	return true;
}

static void find_statistics(struct vm *vm)
{
	struct vm_tlab_fields *f = &vm->tlab;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t tlab = vm_lookup_offset(&lookup, "Thread::_tlab");
	f->refills = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_number_of_refills "
						      "ThreadLocalAllocBuffer::_num_refills");
	/* JDK 11 split the waste in two; only the slow path still adds to it. */
	f->refill_waste =
	    tlab +
	    vm_lookup_offset(&lookup,
		"ThreadLocalAllocBuffer::_refill_waste ThreadLocalAllocBuffer::_slow_refill_waste");
	f->gc_waste = tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_gc_waste");
	f->slow_allocations =
	    tlab + vm_lookup_offset(&lookup, "ThreadLocalAllocBuffer::_slow_allocations "
					     "ThreadLocalAllocBuffer::_num_slow_allocations");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_TLAB_STATISTICS, lookup.missing);
	} else {
		include(f, f->refills, sizeof(uint32_t));
		include(f, f->refill_waste, sizeof(uint32_t));
		include(f, f->gc_waste, sizeof(uint32_t));
		include(f, f->slow_allocations, sizeof(uint32_t));
		vm_set_exported(vm, VM_TLAB_STATISTICS);
	}

	struct vm_lookup bytes = {.structs = &vm->structs};
	f->allocated = vm_lookup_offset(&bytes, "Thread::_allocated_bytes");
	if (bytes.missing != NULL) {
		vm_set_unexported(vm, VM_ALLOCATED_BYTES, bytes.missing);
	} else {
		include(f, f->allocated, VM_WORD);
		vm_set_exported(vm, VM_ALLOCATED_BYTES);
	}
}

/*
 * The reserve at the end of each buffer, for the filler that closes it and for prefetching beyond
 * the top (ThreadLocalAllocBuffer::end_reserve). JDK 25 exports the part of the filler; before, it
 * is two words unless that is no more than the object alignment.
 */
static size_t end_reserve(const struct vm *vm)
{
	struct vm_field field = {0};
	int64_t align = VM_WORD;
	size_t words = 0;
	if (!vm_flag_number(vm, "ObjectAlignmentInBytes", &align) || align < VM_WORD || align > 256)
		align = VM_WORD;
	if (vm_structs_field(&vm->structs, "CollectedHeap::_lab_alignment_reserve", &field) &&
	    field.is_static)
		words = (size_t)vm_load_u64(field.address);
	else if (2 * VM_WORD > align)
		words = 2;
	if (vm_structs_field(
		&vm->structs, "ThreadLocalAllocBuffer::_reserve_for_allocation_prefetch", &field) &&
	    field.is_static) {
		const uint32_t prefetch = vm_load_u32(field.address);
		if (prefetch < 1024 && prefetch > words)
			words = prefetch;
	}
	const size_t mask = (size_t)align - 1;
	return (words * VM_WORD + mask) & ~mask;
}

/* _allocation_end is between _end and _desired_size since JDK 11 and is not exported. */
static void find_hard_end(struct vm *vm)
{
	struct vm_tlab_fields *f = &vm->tlab;
	if (f->desired - f->end != 2 * sizeof(void *)) {
		vm_set(vm, VM_TLAB_HARD_END, VM_MISSING,
		    "HotSpot %s lays its allocation buffers out in an unknown way.", vm->release);
		return;
	}
	f->hard_end = f->end + sizeof(void *);
	f->reserve = end_reserve(vm);
	include(f, f->hard_end, VM_WORD);
	vm_set(vm, VM_TLAB_HARD_END, VM_DERIVED,
	    "The word after ThreadLocalAllocBuffer::_end plus a reserve of %zu bytes.", f->reserve);
}

/* The address in that word. With ZGC it may be coloured, differently for each word of a buffer,
 * depending on the phase in which it was written. */
static uint64_t address(const struct vm *vm, uintptr_t at)
{
	const uint64_t pointer = vm_load_u64(at);
	return vm->collector == VM_COLLECTOR_ZGC ? vm_z_address(vm, pointer) : pointer;
}

/* The fields of one thread whose bytes begin at `at`: in place, or in a copy. */
static struct vm_tlab decode(const struct vm *vm, uint64_t thread, uintptr_t at)
{
	const struct vm_tlab_fields *f = &vm->tlab;
	struct vm_tlab tlab = {.thread = thread};
	if (vm_has(vm, VM_ALLOCATED_BYTES))
		tlab.allocated_bytes = vm_load_u64(at + f->allocated);
	/* JDK 11 leaves the fields of buffers that are not used as the memory was. */
	if (f->off)
		return tlab;
	tlab.start = address(vm, at + f->start);
	if (tlab.start != 0) {
		tlab.top = address(vm, at + f->top);
		tlab.end = address(vm, at + f->end);
		tlab.limit = f->hard_end != 0 ? address(vm, at + f->hard_end) : tlab.end;
		tlab.hard_end = tlab.limit + f->reserve;
	}
	tlab.desired_bytes = vm_load_u64(at + f->desired) * VM_WORD;
	if (vm_has(vm, VM_TLAB_STATISTICS)) {
		tlab.refills = vm_load_u32(at + f->refills);
		tlab.refill_waste_bytes = (uint64_t)vm_load_u32(at + f->refill_waste) * VM_WORD;
		tlab.gc_waste_bytes = (uint64_t)vm_load_u32(at + f->gc_waste) * VM_WORD;
		tlab.slow_allocations = vm_load_u32(at + f->slow_allocations);
	}
	return tlab;
}

static bool tlab_sane(const struct vm *vm, const struct vm_tlab *tlab)
{
	if (tlab->start == 0)
		return true;
	return vm->range.low <= tlab->start && tlab->start <= tlab->top && tlab->top <= tlab->end &&
	       tlab->end <= tlab->hard_end && tlab->hard_end <= vm->range.high;
}

static bool copy_tlab(const struct vm *vm, uint64_t thread, struct vm_tlab *tlab)
{
	const struct vm_tlab_fields *f = &vm->tlab;
	uint64_t copy[MAX_SPAN / sizeof(uint64_t)];
	const size_t low = f->low & ~(size_t)(VM_WORD - 1);
	if (!vm_reader_copy(&vm->reader, copy, (uintptr_t)thread + low, f->high - low))
		return false;
	*tlab = decode(vm, thread, (uintptr_t)copy - low);
	return tlab_sane(vm, tlab);
}

/* Resolves and checks everything; false with the reason in VM_TLABS. `some_thread` may be 0. */
static bool open_buffers(struct vm *vm, uint64_t some_thread)
{
	const struct vm_tlab_fields *f = &vm->tlab;
	struct vm_tlab tlab;
	if (!vm_has(vm, VM_HEAP_RANGE)) {
		vm_set_like(vm, VM_TLABS, VM_HEAP_RANGE);
		return false;
	}
	if (!find_buffer(vm))
		return false;
	find_list(vm);
	find_statistics(vm);
	find_hard_end(vm);
	if (f->high - f->low > MAX_SPAN - VM_WORD) {
		vm_set(vm, VM_TLABS, VM_MISSING,
		    "The fields of a thread's allocation buffer lie too far apart.");
		return false;
	}
	if (some_thread != 0 && !copy_tlab(vm, some_thread, &tlab)) {
		vm_set(vm, VM_TLABS, VM_MISSING,
		    "The allocation buffer of a thread is not inside the heap.");
		return false;
	}
	vm_set_exported(vm, VM_TLABS);
	return true;
}

void vm_open_tlab(struct vm *vm, uint64_t some_thread)
{
	bool used;
	vm->tlab.off = vm_flag_bool(vm, "UseTLAB", &used) && !used;
	if (open_buffers(vm, some_thread))
		return;
	for (int i = VM_TLAB_LIST; i <= VM_ALLOCATED_BYTES; i++)
		vm_set_like(vm, (enum vm_capability)i, VM_TLABS);
}

struct copying {
	struct vm_tlab *tlabs;
	size_t capacity, count;
};

static void copy_one(void *context, const struct vm_tlab *tlab)
{
	struct copying *c = context;
	if (c->count < c->capacity)
		c->tlabs[c->count] = *tlab;
	c->count++;
}

size_t vm_tlabs(const struct vm *vm, struct vm_tlab *tlabs, size_t capacity, size_t *total)
{
	struct copying c = {.tlabs = tlabs, .capacity = capacity};
	vm_tlabs_each(vm, copy_one, &c);
	*total = c.count;
	return c.count < capacity ? c.count : capacity;
}

void vm_tlabs_each(
    const struct vm *vm, void (*each)(void *context, const struct vm_tlab *tlab), void *context)
{
	const struct vm_tlab_fields *f = &vm->tlab;
	if (!vm_has(vm, VM_TLAB_LIST))
		return;
	/* JDK 11: threads that are linked to each other. */
	uintptr_t thread = f->first != 0 ? vm_load_pointer(f->first) : 0;
	for (size_t i = 0; thread != 0 && i < MAX_THREADS; i++) {
		const struct vm_tlab tlab = decode(vm, thread, thread);
		each(context, &tlab);
		thread = vm_load_pointer(thread + f->next);
	}
	const uintptr_t list = f->first != 0 ? 0 : vm_load_pointer(f->list);
	const size_t length = list == 0 ? 0 : vm_load_u32(list + f->list_length);
	const uintptr_t threads = length == 0 ? 0 : vm_load_pointer(list + f->list_threads);
	for (size_t i = 0; i < length && length <= MAX_THREADS; i++) {
		thread = vm_load_pointer(threads + i * sizeof thread);
		const struct vm_tlab tlab = decode(vm, thread, thread);
		each(context, &tlab);
	}
}

bool vm_tlab_of(const struct vm *vm, uint64_t thread, struct vm_tlab *tlab)
{
	return thread != 0 && vm_has(vm, VM_TLABS) && copy_tlab(vm, thread, tlab);
}

bool vm_tlab_own(const struct vm *vm, const JNIEnv *env, struct vm_tlab *tlab)
{
	const uint64_t thread = vm_has(vm, VM_TLABS) ? vm_thread_of(vm, env) : 0;
	if (thread == 0)
		return false;
	*tlab = decode(vm, thread, (uintptr_t)thread);
	return true;
}
