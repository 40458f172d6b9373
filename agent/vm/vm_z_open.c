/* Finds and checks what vm_z.c reads. */
#include <stdio.h>

#include "vm_gc.h"
#include "vm_internal.h"
#include "vm_z.h"

enum { MAX_GRANULES = 1 << 26 };

/* A name of the ZGC in use: JDK 21 to 23 have two, and all names of the one without generations begin
 * with X. */
#define Z(rest) (vm->z.single ? "X" rest : "Z" rest)

/* ZGC reserves this many times the limit of the heap (zAddressSpaceLimit and zGlobals of JDK 17,
 * zVirtualMemoryManager of JDK 25). */
enum { RESERVED_HEAPS = 16 };

static void include(struct vm_z_fields *f, size_t offset, size_t bytes)
{
	if (offset + bytes > f->high)
		f->high = offset + bytes;
}

uintptr_t vm_z_global(const struct vm *vm, const char *name)
{
	char field[80];
	const char letter = vm->z.single ? 'X' : 'Z';
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_probe probe = {.reader = &vm->reader};
	(void)snprintf(field, sizeof field, "%cGlobalsForVMStructs::_%c%s", letter, letter, name);
	const uintptr_t instance = vm_lookup_static(&lookup, Z("GlobalsForVMStructs::_instance_p"));
	const size_t offset = vm_lookup_offset(&lookup, field);
	probe.failed = lookup.missing != NULL;
	const uintptr_t globals = vm_probe_word(&probe, instance);
	const uintptr_t variable = globals == 0 ? 0 : vm_probe_word(&probe, globals + offset);
	(void)vm_probe_u32(&probe, variable);
	return probe.failed ? 0 : variable;
}

static void find_fields(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_z_fields *f = &vm->z.page;
	struct vm_field end;
	const size_t range = vm_lookup_offset(lookup, Z("Page::_virtual"));
	f->type = vm_lookup_offset(lookup, Z("Page::_type"));
	f->seqnum = vm_lookup_offset(lookup, Z("Page::_seqnum"));
	f->top = vm_lookup_offset(lookup, Z("Page::_top"));
	f->start = range + vm_lookup_offset(lookup, Z("VirtualMemory::_start"));
	f->end_is_size = !vm_structs_field(&vm->structs, Z("VirtualMemory::_end"), &end);
	f->end = range + vm_lookup_offset(lookup,
			     f->end_is_size ? Z("VirtualMemory::_size") : Z("VirtualMemory::_end"));
	include(f, f->type, 1);
	include(f, f->seqnum, sizeof(uint32_t));
	include(f, f->start, VM_WORD);
	include(f, f->end, VM_WORD);
	include(f, f->top, VM_WORD);
}

/*
 * The pointer table of a ZGranuleMap embedded at `at`, and its length, which is not exported but is
 * the word before the pointer. Only the reserved part of the address range matters: JDK 17 has a
 * table for all addresses that an offset can have.
 */
static bool find_table(struct vm *vm, uintptr_t at, uintptr_t *table)
{
	struct vm_z *z = &vm->z;
	uintptr_t length = 0;
	if (!vm_reader_pointer(&vm->reader, table, at) || *table == 0 ||
	    !vm_reader_pointer(&vm->reader, &length, at - VM_WORD))
		return false;
	const uint64_t heaps = (vm->max_heap + z->granule - 1) / z->granule * RESERVED_HEAPS;
	if (length == 0 || length > MAX_GRANULES || heaps == 0)
		return false;
	z->granules = length < heaps ? length : (size_t)heaps;
	return true;
}

static bool find_pages(struct vm *vm, struct vm_lookup *lookup)
{
	enum { MIN_SHIFT = 16, MAX_SHIFT = 30 };
	struct vm_z *z = &vm->z;
	const int64_t shift = vm_lookup_constant(lookup, Z("GranuleSizeShift"));
	const size_t heap = vm_lookup_offset(lookup, Z("CollectedHeap::_heap"));
	const size_t pages = vm_lookup_offset(lookup, Z("Heap::_page_table")) +
			     vm_lookup_offset(lookup, Z("PageTable::_map"));
	const size_t map = vm_lookup_offset(lookup, Z("GranuleMapForPageTable::_map"));
	find_fields(vm, lookup);
	if (lookup->missing != NULL || shift < MIN_SHIFT || shift > MAX_SHIFT || vm->heap == 0 ||
	    map < VM_WORD)
		return false;
	z->granule_shift = (unsigned)shift;
	z->granule = UINT64_C(1) << shift;
	return find_table(vm, vm->heap + heap + pages + map, &z->table);
}

/* The pages there are, in words of their memory; see find_unexported. */
enum { PROBED_PAGES = 16, PROBED_GRANULES = 4096, PAGE_WORDS = 8 };

static size_t read_some_pages(const struct vm *vm, uint64_t pages[][PAGE_WORDS])
{
	const struct vm_z *z = &vm->z;
	uintptr_t last = 0;
	size_t count = 0;
	for (size_t i = 0; i < z->granules && i < PROBED_GRANULES && count < PROBED_PAGES; i++) {
		uintptr_t at = 0;
		if (!vm_reader_pointer(&vm->reader, &at, z->table + i * VM_WORD) || at == last)
			continue;
		last = at;
		if (at != 0 && vm_reader_copy(&vm->reader, pages[count], at, sizeof pages[0]))
			count++;
	}
	return count;
}

/* Whether all pages have a word after their top that says how their live map is divided: into
 * segments of a power of two, and that power. */
static bool has_segments(const struct vm_z_fields *f, uint64_t pages[][PAGE_WORDS], size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const uint64_t word = pages[i][f->top / VM_WORD + 1];
		if (word >> 32 >= 32 || UINT64_C(1) << (word >> 32) != (uint32_t)word)
			return false;
	}
	return count > 0;
}

/* Whether the bytes after the type can be generation and age: old pages are of age 15. */
static bool has_ages(const struct vm_z_fields *f, uint64_t pages[][PAGE_WORDS], size_t count)
{
	enum { OLDEST = 15 };
	for (size_t i = 0; i < count; i++) {
		const unsigned generation = (unsigned)(pages[i][0] >> 8 & 0xff);
		const unsigned age = (unsigned)(pages[i][0] >> 16 & 0xff);
		if (generation > 1 || age > OLDEST || (generation == 1) != (age == OLDEST))
			return false;
	}
	return count > 0 && f->type == 0 && f->seqnum == 4;
}

/*
 * Fields that ZPage does not export. Without generations, the live map follows the top in pages of
 * the size of JDK 17. With them, JDK 21 has it there as well, and JDK 25 after a word about its
 * segments; the generation and the age follow the type.
 */
static void find_unexported(struct vm *vm)
{
	enum { SIZE_17 = 136, LIVE_17 = 8, LIVE_25 = 16, TOP_21 = 32 };
	struct vm_z_fields *f = &vm->z.page;
	uint64_t pages[PROBED_PAGES][PAGE_WORDS];
	const bool generational = vm_z_global(vm, "PointerLoadGoodMask") != 0;
	const size_t count = read_some_pages(vm, pages);
	const bool aged = generational && f->top == TOP_21 && has_ages(f, pages, count);
	int like = 0;
	if (!generational && vm_structs_size(&vm->structs, Z("Page")) == SIZE_17)
		like = 17;
	else if (aged)
		like = has_segments(f, pages, count) ? 25 : vm->z.page.end_is_size ? 0 : 21;
	if (like != 0) {
		f->live = f->top + (like == 25 ? LIVE_25 : LIVE_17);
		include(f, f->live, 2 * VM_WORD);
		vm_set(vm, VM_Z_LIVE, VM_DERIVED,
		    "The words after ZPage::_top, by the layout of JDK %d.", like);
	} else {
		vm_set(vm, VM_Z_LIVE, VM_MISSING,
		    "HotSpot %s does not export the live map of a page.", vm->release);
	}
	if (aged) {
		f->generation = f->type + 1;
		f->age = f->type + 2;
		vm_set(vm, VM_Z_AGE, VM_DERIVED,
		    "The bytes after ZPage::_type, by the layout of JDK 25.");
	} else if (!generational) {
		vm_set(vm, VM_Z_AGE, VM_MISSING, "ZGC of JDK %d has no generations%s.", vm->major,
		    vm->z.single ? " in this mode" : "");
	} else {
		vm_set(vm, VM_Z_AGE, VM_MISSING, "HotSpot %s does not export the age of a page.",
		    vm->release);
	}
}

/* The heap's address: see vm_z.h. With colours, the mapping of the highest colour that is no mark
 * of finalizable objects: "remapped". Without, the bit above the offsets is the heap's address. */
static bool find_addresses(struct vm *vm)
{
	struct vm_z *z = &vm->z;
	const uintptr_t mask = vm_z_global(vm, "AddressOffsetMask");
	const uintptr_t colours = vm_z_global(vm, "AddressMetadataMask");
	const uintptr_t final = vm_z_global(vm, "AddressMetadataFinalizable");
	if (mask == 0)
		return false;
	z->offset_mask = vm_load_u64(mask);
	z->heap = z->offset_mask + 1;
	if (colours != 0 && final != 0) {
		uint64_t bits = vm_load_u64(colours) & ~vm_load_u64(final);
		while ((bits & (bits - 1)) != 0)
			bits &= bits - 1;
		z->heap = bits;
	}
	return z->heap != 0 && (z->heap & z->offset_mask) == 0 &&
	       (z->offset_mask & (z->offset_mask + 1)) == 0 &&
	       (z->granules - 1) * z->granule <= z->offset_mask;
}

/* Reads some pages safely. A few may be freed meanwhile, not most. */
static bool pages_sane(const struct vm *vm)
{
	enum { CHECKED_PAGES = 64 };
	struct vm_z_page pages[CHECKED_PAGES];
	size_t strange = 0;
	if (vm->z.page.high > VM_Z_PAGE_SPAN)
		return false;
	const size_t count = vm_z_scan(vm, pages, CHECKED_PAGES, &strange);
	return count > 0 && strange <= count / 4;
}

static void open_totals(struct vm *vm)
{
	static const char *const USED[] = {
	    "ZPartition::_used ZPageAllocator::_used", "XPageAllocator::_used"};
	static const char *const CAPACITY[] = {
	    "ZPartition::_capacity ZPageAllocator::_capacity", "XPageAllocator::_capacity"};
	struct vm_z *z = &vm->z;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_field partitions;
	const uintptr_t allocator = vm->heap +
				    vm_lookup_offset(&lookup, Z("CollectedHeap::_heap")) +
				    vm_lookup_offset(&lookup, Z("Heap::_page_allocator"));
	uintptr_t owner = allocator;
	uint32_t nodes = 1;
	struct vm_probe probe = {.reader = &vm->reader};
	if (vm_structs_field(&vm->structs, Z("PageAllocator::_partitions"), &partitions)) {
		const uintptr_t count = vm_lookup_static(&lookup, "ZNUMA::_count");
		const size_t first = vm_lookup_offset(&lookup, "ZPerNUMAZPartition::_addr");
		if (lookup.missing == NULL && (!vm_reader_u32(&vm->reader, &nodes, count) ||
						  !vm_reader_pointer(&vm->reader, &owner,
						      allocator + partitions.offset + first)))
			owner = 0;
	}
	z->used = owner + vm_lookup_offset(&lookup, USED[z->single]);
	z->capacity = owner + vm_lookup_offset(&lookup, CAPACITY[z->single]);
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_Z_TOTALS, lookup.missing);
	else if (nodes != 1)
		vm_set(vm, VM_Z_TOTALS, VM_MISSING,
		    "The heap is on several memory nodes, each with totals of its own.");
	else if (owner == 0 || vm_probe_word(&probe, z->used) > vm->max_heap ||
		 vm_probe_word(&probe, z->capacity) > vm->max_heap ||
		 vm_probe_word(&probe, z->used) % z->granule != 0 || probe.failed)
		vm_set(vm, VM_Z_TOTALS, VM_MISSING,
		    "The totals of ZGC in HotSpot %s are not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_Z_TOTALS);
}

/* The table of pages being relocated, as long as the table of pages; without the phase and the
 * number of the current cycle it means nothing. */
static void open_relocation(struct vm *vm)
{
	struct vm_z *z = &vm->z;
	struct vm_lookup lookup = {.structs = &vm->structs};
	uintptr_t table = 0;
	uintptr_t first = 0;
	const uintptr_t at = vm->heap + vm_lookup_offset(&lookup, Z("CollectedHeap::_heap")) +
			     vm_lookup_offset(&lookup, Z("Heap::_forwarding_table")) +
			     vm_lookup_offset(&lookup, Z("ForwardingTable::_map")) +
			     vm_lookup_offset(&lookup, Z("GranuleMapForForwarding::_map"));
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_Z_RELOCATION, lookup.missing);
	else if (z->seqnum == 0 || z->phase == 0)
		vm_set(vm, VM_Z_RELOCATION, VM_MISSING,
		    "HotSpot %s does not export its phase and the number of its cycle.",
		    vm->release);
	else if (!vm_reader_pointer(&vm->reader, &table, at) || table == 0 ||
		 !vm_reader_pointer(
		     &vm->reader, &first, table + (z->granules - 1) * sizeof(uintptr_t)))
		vm_set(vm, VM_Z_RELOCATION, VM_MISSING,
		    "The forwarding table of HotSpot %s is not where its tables say.", vm->release);
	else {
		z->forwarding = table;
		vm_set_exported(vm, VM_Z_RELOCATION);
	}
}

/* Why no pages can be found; "" if they should be. */
static void why_not(const struct vm *vm, char *reason, size_t size)
{
	reason[0] = '\0';
	if (vm->collector != VM_COLLECTOR_ZGC)
		(void)snprintf(reason, size, "The collector is %s, not ZGC.",
		    vm_collector_name(vm->collector));
	else if (vm->heap == 0 || vm->max_heap == 0)
		(void)snprintf(
		    reason, size, "HotSpot %s does not expose the limit of its heap.", vm->release);
}

void vm_open_z(struct vm *vm)
{
	struct vm_z *z = &vm->z;
	struct vm_lookup lookup = {.structs = &vm->structs};
	char reason[VM_REASON];
	bool generational = true;
	z->single = vm_flag_bool(vm, "ZGenerational", &generational) && !generational;
	why_not(vm, reason, sizeof reason);
	if (reason[0] != '\0') {
		vm_set_missing(vm, VM_Z_PAGES, VM_Z_TOTALS, "%s", reason);
		return;
	}
	const bool found = find_pages(vm, &lookup);
	if (found)
		find_unexported(vm);
	if (lookup.missing != NULL)
		(void)snprintf(reason, sizeof reason, "HotSpot %s does not export %.60s.",
		    vm->release, lookup.missing);
	else if (!found || !find_addresses(vm) || !pages_sane(vm))
		(void)snprintf(reason, sizeof reason,
		    "The pages of ZGC in HotSpot %s are not where its tables say.", vm->release);
	if (reason[0] != '\0') {
		vm_set_missing(vm, VM_Z_PAGES, VM_Z_TOTALS, "%s", reason);
		return;
	}
	vm_set_exported(vm, VM_Z_PAGES);
	int64_t relocate = -1;
	if (vm_structs_constant(&vm->structs, Z("PhaseRelocate"), &relocate) &&
	    relocate == VM_GC_RELOCATE) /* the others are not exported, but come before it */
		z->phase = vm_z_global(vm, "GlobalPhase");
	z->seqnum = vm_z_global(vm, "GlobalSeqNum");
	z->load_good = vm_z_global(vm, "PointerLoadGoodMask");
	z->mark_good = vm_z_global(vm, "PointerMarkGoodMask");
	open_relocation(vm);
	open_totals(vm);
	vm->range = (struct vm_range){z->heap, z->heap + z->granules * z->granule};
	vm_set(vm, VM_HEAP_RANGE, VM_DERIVED,
	    "The addresses that the table of pages covers, of which the heap fills a part.");
}
