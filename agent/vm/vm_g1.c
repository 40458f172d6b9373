#include "vm_g1.h"

#include <string.h>

#include "vm_internal.h"

/* The limit that a region's 32-bit `used` and a pause allow. */
enum { MAX_REGIONS = 1 << 20, CHECKED_REGIONS = 64 };
static const uint64_t MIN_GRAIN = 1u << 20;
static const uint64_t MAX_GRAIN = 1u << 30;

/* Maps one of the JVM's tags to our type. */
static void map_tag(struct vm_g1 *g1, int64_t tag, enum vm_g1_type type)
{
	if (tag >= 0 && tag < VM_G1_TAGS)
		g1->type_of_tag[tag] = (uint8_t)type;
}

/*
 * The tags differ between JDKs and are exported as constants. For old and archive regions only a
 * mask is exported: it is the tag of old ones, and archive tags are that mask with the bits of
 * pinned, in JDK 11 also with those of old (gc/g1/heapRegionType.hpp of JDK 11 and 17).
 */
static void find_tags(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_g1 *g1 = &vm->g1;
	int64_t archive = 0;
	int64_t pinned = 0;
	int64_t old = 0;
	memset(g1->type_of_tag, VM_G1_OTHER, sizeof g1->type_of_tag);
	if (vm_structs_constant(&vm->structs, "HeapRegionType::ArchiveMask", &archive) &&
	    vm_structs_constant(&vm->structs, "HeapRegionType::PinnedMask", &pinned)) {
		map_tag(g1, archive | pinned, VM_G1_ARCHIVE);
		map_tag(g1, archive | pinned | 1, VM_G1_ARCHIVE);
		if (vm_structs_constant(&vm->structs, "HeapRegionType::OldMask", &old)) {
			map_tag(g1, archive | pinned | old, VM_G1_ARCHIVE);
			map_tag(g1, archive | pinned | old | 1, VM_G1_ARCHIVE);
		}
	}
#define CONSTANT(name)                                                                             \
	vm_lookup_constant(lookup, "G1HeapRegionType::" name " HeapRegionType::" name)
	map_tag(g1, CONSTANT("FreeTag"), VM_G1_FREE);
	map_tag(g1, CONSTANT("EdenTag"), VM_G1_EDEN);
	map_tag(g1, CONSTANT("SurvTag"), VM_G1_SURVIVOR);
	map_tag(g1, CONSTANT("StartsHumongousTag"), VM_G1_HUMONGOUS_START);
	map_tag(g1, CONSTANT("ContinuesHumongousTag"), VM_G1_HUMONGOUS_CONT);
	map_tag(g1, CONSTANT("OldMask"), VM_G1_OLD);
#undef CONSTANT
}

/* An embedded region manager, or (JDK 12 to 14) a pointer to one. */
static uintptr_t find_manager(const struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_field field = {0};
	const uintptr_t at = vm->heap + vm_lookup_offset(lookup, "G1CollectedHeap::_hrm");
	uintptr_t manager = at;
	if (vm_structs_field(&vm->structs, "G1CollectedHeap::_hrm", &field) &&
	    strchr(field.type_string, '*') != NULL && !vm_reader_pointer(&vm->reader, &manager, at))
		return 0;
	return manager;
}

/* Fills the part; `lookup` then knows whether all of it is exported. */
static bool find_regions(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_g1 *g1 = &vm->g1;
	const uintptr_t grain =
	    vm_lookup_static(lookup, "G1HeapRegion::GrainBytes HeapRegion::GrainBytes");
	const size_t regions =
	    vm_lookup_offset(lookup, "G1HeapRegionManager::_regions HeapRegionManager::_regions");
	const size_t base = vm_lookup_offset(lookup, "G1HeapRegionTable::_base");
	const size_t length = vm_lookup_offset(lookup, "G1HeapRegionTable::_length");
	/* The last names are those of JDK 11, where the base classes declare the fields. */
	g1->bottom =
	    vm_lookup_offset(lookup, "G1HeapRegion::_bottom HeapRegion::_bottom Space::_bottom");
	g1->end = vm_lookup_offset(lookup, "G1HeapRegion::_end HeapRegion::_end Space::_end");
	g1->top =
	    vm_lookup_offset(lookup, "G1HeapRegion::_top HeapRegion::_top G1ContiguousSpace::_top");
	g1->tag = vm_lookup_offset(lookup, "G1HeapRegion::_type HeapRegion::_type") +
		  vm_lookup_offset(lookup, "G1HeapRegionType::_tag HeapRegionType::_tag");
	find_tags(vm, lookup);
	const uintptr_t manager = find_manager(vm, lookup);
	struct vm_probe probe = {
	    .reader = &vm->reader, .failed = lookup->missing != NULL || manager == 0};
	g1->table = vm_probe_word(&probe, manager + regions + base);
	g1->count = vm_probe_word(&probe, manager + regions + length);
	if (probe.failed)
		return false;
	g1->grain = vm_load_u64(grain);
	g1->heap = (uintptr_t)vm->range.low;
	struct vm_lookup used = {.structs = &vm->structs};
	const size_t summary = vm_lookup_offset(&used, "G1CollectedHeap::_summary_bytes_used");
	g1->used = used.missing == NULL ? vm->heap + summary : 0;
	return true;
}

/* Does the region object of this index, if any, match the tables? */
static bool region_sane(const struct vm *vm, size_t index)
{
	const struct vm_g1 *g1 = &vm->g1;
	const uint64_t place = g1->heap + index * g1->grain;
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t region = vm_probe_word(&probe, g1->table + index * VM_WORD);
	if (region == 0)
		return !probe.failed;
	const uintptr_t bottom = vm_probe_word(&probe, region + g1->bottom);
	const uintptr_t top = vm_probe_word(&probe, region + g1->top);
	const uintptr_t end = vm_probe_word(&probe, region + g1->end);
	const uint32_t tag = vm_probe_u32(&probe, region + g1->tag);
	return !probe.failed && bottom == place && end == place + g1->grain && bottom <= top &&
	       top <= end && tag < VM_G1_TAGS && g1->type_of_tag[tag] != VM_G1_OTHER;
}

/* Checks the table's bounds and a sample of its regions: all of them would take milliseconds. */
static bool regions_sane(const struct vm *vm)
{
	const struct vm_g1 *g1 = &vm->g1;
	const uint64_t reserved = vm->range.high - vm->range.low;
	if (g1->grain < MIN_GRAIN || g1->grain > MAX_GRAIN || (g1->grain & (g1->grain - 1)) != 0 ||
	    g1->count == 0 || g1->count > MAX_REGIONS || g1->count != reserved / g1->grain)
		return false;
	const size_t step = g1->count / CHECKED_REGIONS + 1;
	for (size_t i = 0; i < g1->count; i += step) {
		if (!region_sane(vm, i))
			return false;
	}
	return region_sane(vm, g1->count - 1);
}

static void open_committed(struct vm *vm)
{
	struct vm_g1 *g1 = &vm->g1;
	struct vm_lookup exact = {.structs = &vm->structs};
	const size_t regions = vm_lookup_offset(&exact, "HeapRegionManager::_num_committed");
	const uintptr_t manager = find_manager(vm, &exact);
	if (exact.missing == NULL && manager != 0) {
		g1->committed_regions = manager + regions;
		vm_set_exported(vm, VM_G1_COMMITTED);
		return;
	}
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t monitoring = vm_lookup_offset(
	    &lookup, "G1CollectedHeap::_monitoring_support G1CollectedHeap::_g1mm");
	const size_t parts[VM_G1_COMMITTED_PARTS] = {
	    vm_lookup_offset(&lookup, "G1MonitoringSupport::_eden_space_committed"),
	    vm_lookup_offset(&lookup, "G1MonitoringSupport::_survivor_space_committed"),
	    vm_lookup_offset(&lookup, "G1MonitoringSupport::_old_gen_committed"),
	};
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_G1_COMMITTED, lookup.missing);
		return;
	}
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t support = vm_probe_word(&probe, vm->heap + monitoring);
	uintptr_t sum = 0;
	for (size_t i = 0; i < VM_G1_COMMITTED_PARTS; i++) {
		g1->committed[i] = support + parts[i];
		sum += vm_probe_word(&probe, g1->committed[i]);
	}
	if (!probe.failed && sum <= vm->range.high - vm->range.low) {
		vm_set_exported(vm, VM_G1_COMMITTED);
		return;
	}
	vm_set(vm, VM_G1_COMMITTED, VM_MISSING,
	    "The monitoring of G1 in HotSpot %s is not where its tables say.", vm->release);
}

/* Whether that word of a region, if there is one, can be the lowest address of its walkable part. */
static bool parsable_sane(const struct vm *vm, size_t index, size_t at)
{
	const struct vm_g1 *g1 = &vm->g1;
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t region = vm_probe_word(&probe, g1->table + index * VM_WORD);
	if (region == 0)
		return !probe.failed;
	const uintptr_t bottom = vm_probe_word(&probe, region + g1->bottom);
	const uintptr_t end = vm_probe_word(&probe, region + g1->end);
	const uintptr_t parsable = vm_probe_word(&probe, region + at);
	return !probe.failed && bottom <= parsable && parsable <= end;
}

/* G1HeapRegion::_parsable_bottom of JDK 25 (g1HeapRegion.hpp), which later ones have as well, is not
 * exported; it precedes _pinned_object_count, in a type of a known size. */
static void open_parsable(struct vm *vm)
{
	enum { SIZE_25 = 144, PINNED_25 = 136, PARSABLE_25 = 88 };
	struct vm_g1 *g1 = &vm->g1;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const size_t pinned = vm_lookup_offset(&lookup, "G1HeapRegion::_pinned_object_count");
	bool known = lookup.missing == NULL && pinned == PINNED_25 &&
		     vm_structs_size(&vm->structs, "G1HeapRegion") == SIZE_25;
	for (size_t i = 0; known && i < g1->count; i += g1->count / CHECKED_REGIONS + 1)
		known = parsable_sane(vm, i, PARSABLE_25);
	if (known) {
		g1->parsable = PARSABLE_25;
		vm_set(vm, VM_G1_PARSABLE, VM_DERIVED,
		    "The word before G1HeapRegion::_garbage_bytes, by the layout of JDK 25.");
		return;
	}
	vm_set(vm, VM_G1_PARSABLE, VM_MISSING,
	    "HotSpot %s does not expose which part of a G1 region has dead objects of unloaded "
	    "classes.",
	    vm->release);
}

void vm_open_g1(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	if (!vm_require(vm, VM_COLLECTOR_G1, VM_G1_REGIONS, VM_G1_PARSABLE))
		return;
	open_committed(vm);
	const bool found = find_regions(vm, &lookup);
	if (lookup.missing != NULL)
		vm_set_unexported(vm, VM_G1_REGIONS, lookup.missing);
	else if (!found || !regions_sane(vm))
		vm_set(vm, VM_G1_REGIONS, VM_MISSING,
		    "The G1 regions of HotSpot %s are not where its tables say.", vm->release);
	else
		vm_set_exported(vm, VM_G1_REGIONS);
	if (vm_has(vm, VM_G1_REGIONS))
		open_parsable(vm);
	else
		vm_set_like(vm, VM_G1_PARSABLE, VM_G1_REGIONS);
}

bool vm_g1_layout(const struct vm *vm, struct vm_region_layout *layout)
{
	const bool known = vm_has(vm, VM_G1_REGIONS);
	*layout = known ? (struct vm_region_layout){vm->g1.heap, vm->g1.grain, vm->g1.count}
			: (struct vm_region_layout){0};
	return known;
}

size_t vm_g1_regions(const struct vm *vm, struct vm_g1_region *regions, size_t capacity)
{
	const struct vm_g1 *g1 = &vm->g1;
	if (!vm_has(vm, VM_G1_REGIONS))
		return 0;
	const size_t count = capacity < g1->count ? capacity : g1->count;
	uint64_t bottom = g1->heap;
	for (size_t i = 0; i < count; i++, bottom += g1->grain) {
		const uintptr_t region = vm_load_pointer(g1->table + i * sizeof(uintptr_t));
		struct vm_g1_region out = {.used = 0, .type = VM_G1_UNCOMMITTED};
		if (region != 0) {
			const uint32_t tag = vm_load_u32(region + g1->tag);
			out.used = (uint32_t)(vm_load_u64(region + g1->top) - bottom);
			out.type = tag < VM_G1_TAGS ? g1->type_of_tag[tag] : VM_G1_OTHER;
		}
		regions[i] = out;
	}
	return count;
}

bool vm_g1_begins_humongous(const struct vm *vm, size_t region)
{
	const struct vm_g1 *g1 = &vm->g1;
	const uintptr_t at =
	    region < g1->count ? vm_load_pointer(g1->table + region * sizeof at) : 0;
	const uint32_t tag = at == 0 ? VM_G1_TAGS : vm_load_u32(at + g1->tag);
	return tag < VM_G1_TAGS && g1->type_of_tag[tag] == VM_G1_HUMONGOUS_START;
}

uint64_t vm_g1_parsable(const struct vm *vm, size_t region)
{
	const struct vm_g1 *g1 = &vm->g1;
	if (g1->parsable == 0 || region >= g1->count)
		return 0;
	const uintptr_t object = vm_load_pointer(g1->table + region * sizeof object);
	return object == 0 ? 0 : vm_load_u64(object + g1->parsable);
}

uint64_t vm_g1_committed(const struct vm *vm)
{
	const struct vm_g1 *g1 = &vm->g1;
	uint64_t sum = 0;
	if (!vm_has(vm, VM_G1_COMMITTED))
		return 0;
	if (g1->committed_regions != 0)
		return vm_load_u32(g1->committed_regions) * g1->grain;
	for (size_t i = 0; i < VM_G1_COMMITTED_PARTS; i++)
		sum += vm_load_u64(g1->committed[i]);
	return sum;
}
