#include "vm_shenandoah.h"

#include <stdio.h>
#include <string.h>

#include "vm_internal.h"

enum { MAX_REGIONS = 1 << 20, CHECKED_REGIONS = 64, STATES = 16 };
static const uint64_t MIN_REGION = 1u << 16;
static const uint64_t MAX_REGION = 1u << 31;

/* States are exported as constants, because their numbers may change. */
static void find_states(struct vm *vm, struct vm_lookup *lookup)
{
	static const struct {
		const char *name;
		enum vm_shenandoah_state state;
	} states[] = {
	    {"_empty_uncommitted", VM_SHENANDOAH_UNCOMMITTED},
	    {"_empty_committed", VM_SHENANDOAH_EMPTY},
	    {"_regular", VM_SHENANDOAH_REGULAR},
	    {"_humongous_start", VM_SHENANDOAH_HUMONGOUS_START},
	    {"_humongous_cont", VM_SHENANDOAH_HUMONGOUS_CONT},
	    {"_pinned_humongous_start", VM_SHENANDOAH_PINNED_HUMONGOUS_START},
	    {"_cset", VM_SHENANDOAH_COLLECTION_SET},
	    {"_pinned", VM_SHENANDOAH_PINNED},
	    {"_pinned_cset", VM_SHENANDOAH_PINNED_COLLECTION_SET},
	    {"_trash", VM_SHENANDOAH_TRASH},
	};
	memset(vm->shenandoah.state_of, VM_SHENANDOAH_OTHER, sizeof vm->shenandoah.state_of);
	for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
		char name[64];
		int64_t value = 0;
		(void)snprintf(name, sizeof name, "ShenandoahHeapRegion::%s", states[i].name);
		if (!vm_structs_constant(&vm->structs, name, &value)) {
			if (lookup->missing == NULL)
				lookup->missing = "ShenandoahHeapRegion::RegionState";
		} else if (value >= 0 && value < STATES) {
			vm->shenandoah.state_of[value] = (uint8_t)states[i].state;
		}
	}
}

static bool find_regions(struct vm *vm, struct vm_lookup *lookup)
{
	struct vm_shenandoah *s = &vm->shenandoah;
	const size_t count_at = vm_lookup_offset(lookup, "ShenandoahHeap::_num_regions");
	const size_t table_at = vm_lookup_offset(lookup, "ShenandoahHeap::_regions");
	const uintptr_t bytes = vm_lookup_static(lookup, "ShenandoahHeapRegion::RegionSizeBytes");
	s->index = vm_lookup_offset(lookup, "ShenandoahHeapRegion::_index");
	s->bottom = vm_lookup_offset(lookup, "ShenandoahHeapRegion::_bottom");
	s->end = vm_lookup_offset(lookup, "ShenandoahHeapRegion::_end");
	s->state = vm_lookup_offset(lookup, "ShenandoahHeapRegion::_state");
	s->top = vm_lookup_offset(lookup, "ShenandoahHeapRegion::_top");
	find_states(vm, lookup);
	struct vm_probe probe = {.reader = &vm->reader, .failed = lookup->missing != NULL};
	s->count = vm_probe_word(&probe, vm->heap + count_at);
	s->table = vm_probe_word(&probe, vm->heap + table_at);
	if (probe.failed)
		return false;
	s->heap = vm->range.low;
	s->region_bytes = vm_load_u64(bytes);
	return true;
}

/* Does the region object of this index match the tables? */
static bool region_sane(const struct vm *vm, size_t i)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const uint64_t place = s->heap + i * s->region_bytes;
	struct vm_probe probe = {.reader = &vm->reader};
	const uintptr_t region = vm_probe_word(&probe, s->table + i * VM_WORD);
	const uintptr_t index = vm_probe_word(&probe, region + s->index);
	const uintptr_t bottom = vm_probe_word(&probe, region + s->bottom);
	const uintptr_t top = vm_probe_word(&probe, region + s->top);
	const uintptr_t end = vm_probe_word(&probe, region + s->end);
	const uint32_t state = vm_probe_u32(&probe, region + s->state);
	return !probe.failed && index == i && bottom == place && end == place + s->region_bytes &&
	       bottom <= top && top <= end && state < STATES &&
	       s->state_of[state] != VM_SHENANDOAH_OTHER;
}

static bool regions_sane(const struct vm *vm)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const uint64_t reserved = vm->range.high - vm->range.low;
	if (s->region_bytes < MIN_REGION || s->region_bytes > MAX_REGION || s->count == 0 ||
	    s->count > MAX_REGIONS || s->count != reserved / s->region_bytes)
		return false;
	const size_t step = s->count / CHECKED_REGIONS + 1;
	for (size_t i = 0; i < s->count; i += step) {
		if (!region_sane(vm, i))
			return false;
	}
	return region_sane(vm, s->count - 1);
}

/* Whether this word of all regions that are checked can be the watermark of updated references: an
 * address in the region, with the live words `live` bytes after the top. */
static bool watermark_sane(const struct vm *vm, size_t watermark, size_t live)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	for (size_t i = 0; i < s->count; i += s->count / CHECKED_REGIONS + 1) {
		const uint64_t low = s->heap + i * s->region_bytes;
		const uintptr_t region = vm_load_pointer(s->table + i * sizeof region);
		const uint64_t mark = vm_load_u64(region + s->top + watermark);
		if (mark < low || mark > low + s->region_bytes ||
		    vm_load_u64(region + s->top + live) > s->region_bytes / VM_WORD)
			return false;
	}
	return true;
}

/*
 * Behind the top are words that count allocations: two in JDK 17, with the third from JDK 25 on.
 * The live words follow, then one or two others, the watermark, and from JDK 25 on the age. The
 * watermark, the only address among them, says which layout it is: updates of one release differ.
 */
static void open_unexported(struct vm *vm)
{
	static const struct {
		size_t watermark, live, age;
		int jdk;
	} layouts[] = {{40, 24, 0, 17}, {48, 32, 56, 25}, {56, 32, 64, 25}};
	struct vm_shenandoah *s = &vm->shenandoah;
	const size_t size = vm_structs_size(&vm->structs, "ShenandoahHeapRegion");
	int like = 0;
	for (size_t i = 0; i < sizeof layouts / sizeof layouts[0] && like == 0; i++) {
		const size_t end = s->top + layouts[i].watermark + VM_WORD;
		if (end > size || !watermark_sane(vm, layouts[i].watermark, layouts[i].live))
			continue;
		like = layouts[i].jdk;
		s->live = s->top + layouts[i].live;
		s->age = layouts[i].age != 0 ? s->top + layouts[i].age : 0;
	}
	if (like != 0)
		vm_set(vm, VM_SHENANDOAH_LIVE, VM_DERIVED,
		    "The word after ShenandoahHeapRegion::_top, by the layout of JDK %d.", like);
	else
		vm_set(vm, VM_SHENANDOAH_LIVE, VM_MISSING,
		    "HotSpot %s does not export the live bytes of a region.", vm->release);
	if (s->age != 0)
		vm_set(vm, VM_SHENANDOAH_AGE, VM_DERIVED,
		    "The word after ShenandoahHeapRegion::_top, by the layout of JDK 25.");
	else if (like != 0)
		vm_set(vm, VM_SHENANDOAH_AGE, VM_MISSING,
		    "Shenandoah of JDK %d has no ages of regions.", vm->major);
	else
		vm_set(vm, VM_SHENANDOAH_AGE, VM_MISSING,
		    "HotSpot %s does not export the age of a region.", vm->release);
}

static void open_totals(struct vm *vm)
{
	struct vm_shenandoah *s = &vm->shenandoah;
	struct vm_lookup lookup = {.structs = &vm->structs};
	struct vm_field generation;
	uintptr_t owner = vm->heap;
	struct vm_probe probe = {.reader = &vm->reader};
	if (vm_structs_field(&vm->structs,
		"ShenandoahHeap::_global_generation ShenandoahHeap::_free_set", &generation) &&
	    !vm_reader_pointer(&vm->reader, &owner, vm->heap + generation.offset))
		owner = 0;
	const size_t used_at = vm_lookup_offset(&lookup, "ShenandoahGeneration::_used "
							 "ShenandoahFreeSet::_total_global_used "
							 "ShenandoahHeap::_used");
	const size_t committed_at = vm_lookup_offset(&lookup, "ShenandoahHeap::_committed");
	const uint64_t reserved = vm->range.high - vm->range.low;
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_SHENANDOAH_TOTALS, lookup.missing);
	} else if (owner == 0 || vm_probe_word(&probe, owner + used_at) > reserved ||
		   vm_probe_word(&probe, vm->heap + committed_at) > reserved || probe.failed) {
		vm_set(vm, VM_SHENANDOAH_TOTALS, VM_MISSING,
		    "The totals of Shenandoah in HotSpot %s are not where its tables say.",
		    vm->release);
	} else {
		s->used = owner + used_at;
		s->committed = vm->heap + committed_at;
		vm_set_exported(vm, VM_SHENANDOAH_TOTALS);
	}
}

void vm_open_shenandoah(struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	if (!vm_require(vm, VM_COLLECTOR_SHENANDOAH, VM_SHENANDOAH_REGIONS, VM_SHENANDOAH_TOTALS))
		return;
	if (!find_regions(vm, &lookup) && lookup.missing != NULL) {
		vm_set_missing(vm, VM_SHENANDOAH_REGIONS, VM_SHENANDOAH_TOTALS,
		    "HotSpot %s does not export %.60s.", vm->release, lookup.missing);
		return;
	}
	if (!regions_sane(vm)) {
		vm_set_missing(vm, VM_SHENANDOAH_REGIONS, VM_SHENANDOAH_TOTALS,
		    "The regions of Shenandoah in HotSpot %s are not where its tables say.",
		    vm->release);
		return;
	}
	struct vm_shenandoah *s = &vm->shenandoah;
	vm_set_exported(vm, VM_SHENANDOAH_REGIONS);
	open_unexported(vm);
	open_totals(vm);
	s->generational = vm_flag_is(vm, "ShenandoahGCMode", "generational");
	(void)vm_flag_bool(vm, "ExplicitGCInvokesConcurrent", &s->explicit_concurrent);
	(void)vm_flag_bool(vm, "ShenandoahImplicitGCInvokesConcurrent", &s->implicit_concurrent);
}

bool vm_shenandoah_layout(const struct vm *vm, struct vm_region_layout *layout)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const bool known = vm_has(vm, VM_SHENANDOAH_REGIONS);
	*layout = known ? (struct vm_region_layout){s->heap, s->region_bytes, s->count}
			: (struct vm_region_layout){0};
	return known;
}

static enum vm_shenandoah_state state_at(const struct vm_shenandoah *s, uintptr_t region)
{
	const uint32_t state = vm_load_u32(region + s->state);
	return state < STATES ? (enum vm_shenandoah_state)s->state_of[state] : VM_SHENANDOAH_OTHER;
}

/* Live bytes of a region; 0 for an impossible value. */
static uint64_t live_at(const struct vm_shenandoah *s, uintptr_t region)
{
	const uint64_t words = vm_load_u64(region + s->live);
	return words <= s->region_bytes / VM_WORD ? words * VM_WORD : 0;
}

static uint32_t used_at(const struct vm_shenandoah *s, uintptr_t region, uint64_t bottom)
{
	const uint64_t used = vm_load_u64(region + s->top) - bottom;
	return used <= s->region_bytes ? (uint32_t)used : 0;
}

uint64_t vm_shenandoah_used(const struct vm *vm)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const bool known = vm_has(vm, VM_SHENANDOAH_REGIONS);
	struct vm_shenandoah_totals totals;
	uint64_t bottom = s->heap, trash = 0, others = 0;
	vm_shenandoah_totals(vm, &totals);
	for (size_t i = 0; known && i < s->count; i++, bottom += s->region_bytes) {
		const uintptr_t region = vm_load_pointer(s->table + i * sizeof region);
		*(state_at(s, region) == VM_SHENANDOAH_TRASH ? &trash : &others) +=
		    used_at(s, region, bottom);
	}
	return totals.used >= others + trash ? totals.used - trash : totals.used;
}

size_t vm_shenandoah_regions(
    const struct vm *vm, struct vm_shenandoah_region *regions, size_t capacity)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	if (!vm_has(vm, VM_SHENANDOAH_REGIONS))
		return 0;
	const size_t count = capacity < s->count ? capacity : s->count;
	uint64_t bottom = s->heap;
	for (size_t i = 0; i < count; i++, bottom += s->region_bytes) {
		const uintptr_t region = vm_load_pointer(s->table + i * sizeof region);
		struct vm_shenandoah_region out = {.state = (uint8_t)state_at(s, region)};
		out.used = used_at(s, region, bottom);
		if (s->live != 0)
			out.live = (uint32_t)live_at(s, region);
		if (s->age != 0)
			out.age = vm_load_u8(region + s->age);
		regions[i] = out;
	}
	return count;
}

void vm_shenandoah_census(const struct vm *vm, bool live, struct vm_shenandoah_census *census)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	*census = (struct vm_shenandoah_census){
	    .known = vm_has(vm, VM_SHENANDOAH_REGIONS), .live_known = live && s->live != 0};
	for (size_t i = 0; census->known && i < s->count; i++) {
		const uintptr_t region = vm_load_pointer(s->table + i * sizeof region);
		const enum vm_shenandoah_state state = state_at(s, region);
		census->uncommitted += state == VM_SHENANDOAH_UNCOMMITTED;
		census->collected += state == VM_SHENANDOAH_COLLECTION_SET ||
				     state == VM_SHENANDOAH_PINNED_COLLECTION_SET;
		census->trash += state == VM_SHENANDOAH_TRASH;
		if (census->live_known)
			census->live += live_at(s, region);
	}
}

void vm_shenandoah_totals(const struct vm *vm, struct vm_shenandoah_totals *totals)
{
	*totals = (struct vm_shenandoah_totals){0};
	if (!vm_has(vm, VM_SHENANDOAH_TOTALS))
		return;
	totals->used = vm_load_u64(vm->shenandoah.used);
	totals->committed = vm_load_u64(vm->shenandoah.committed);
}
