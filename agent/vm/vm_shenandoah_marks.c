/*
 * The marks of Shenandoah's last marking: two bits for each address where an object may begin, and
 * for each region the top that it had when marking began.
 *
 * HotSpot does not export their location. The heap object points to their description, which is
 * recognized by its contents: nothing else there begins with the heap's own range, has the size of
 * that range's bitmap, and ends with a table offset by the number of the heap's first region.
 * Regions without marks have no memory for them and must not be read.
 */
#include "vm_shenandoah.h"

#include <stdio.h>

#include "vm_internal.h"

/* ShenandoahMarkingContext: the bitmap, then three tables. */
struct description {
	uint64_t shift; /* the upper half is not used */
	uint64_t low, words;
	uint64_t map, bits;
	uint64_t top_bitmaps;
	uint64_t tops, moved_tops;
};

enum { MAX_HEAP_OBJECT = 8192, CHECKED = 64 };

static bool describes(const struct vm *vm, const struct description *d)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const uint64_t words = (vm->range.high - vm->range.low) / VM_WORD;
	const uint32_t shift = (uint32_t)d->shift;
	return d->low == vm->range.low && d->words == words && shift < 6 &&
	       d->bits == words * 2 >> shift && d->map != 0 && d->map % VM_WORD == 0 &&
	       d->tops != 0 && d->moved_tops == d->tops - s->heap / s->region_bytes * VM_WORD;
}

/* Searches the words of the heap object, by safe reads. */
static bool find_description(const struct vm *vm, uintptr_t *at, struct description *d)
{
	const size_t bytes = vm_structs_size(&vm->structs, "ShenandoahHeap");
	for (size_t i = 0; bytes <= MAX_HEAP_OBJECT && i + VM_WORD <= bytes; i += VM_WORD) {
		if (vm_reader_pointer(&vm->reader, at, vm->heap + i) && *at != 0 &&
		    *at % VM_WORD == 0 && vm_reader_copy(&vm->reader, d, *at, sizeof *d) &&
		    describes(vm, d))
			return true;
	}
	return false;
}

static bool tops_sane(const struct vm *vm, uint64_t table)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	for (size_t i = 0; i < s->count; i += s->count / CHECKED + 1) {
		const uint64_t low = s->heap + i * s->region_bytes;
		uintptr_t top = 0;
		if (!vm_reader_pointer(&vm->reader, &top, table + i * VM_WORD) || top < low ||
		    top > low + s->region_bytes)
			return false;
	}
	return true;
}

/* What JDK 25 calls its generations, and the words that point to them, after that of the whole heap
 * (shenandoahGenerationType.hpp, shenandoahHeap.hpp). */
enum { WHOLE_HEAP = 0, YOUNG = 2, OLD = 3 };
enum { YOUNG_WORD = 3, OLD_WORD = 4 };

/* The flag that marking is complete in a generation of JDK 25, between two cache lines of padding. 0:
 * another layout. */
static uintptr_t find_generation_flag(const struct vm *vm, size_t word, uint32_t type)
{
	enum { TYPE = 8, FLAG = 88, USED = 192, SIZE = 224 };
	struct vm_field whole;
	struct vm_field used;
	struct vm_probe probe = {.reader = &vm->reader};
	if (!vm_structs_field(&vm->structs, "ShenandoahHeap::_global_generation", &whole) ||
	    !vm_structs_field(&vm->structs, "ShenandoahGeneration::_used", &used) ||
	    used.offset != USED || vm_structs_size(&vm->structs, "ShenandoahGeneration") != SIZE)
		return 0;
	const uintptr_t at = vm_probe_word(&probe, vm->heap + whole.offset + word * VM_WORD);
	return vm_probe_u32(&probe, at + TYPE) == type && !probe.failed ? at + FLAG : 0;
}

/* The same for a heap without generations: before they came it followed the description of the
 * marks. */
static uintptr_t find_flag(const struct vm *vm, uintptr_t description)
{
	enum { FLAG_17 = 128, GENERATIONS_SINCE = 24 };
	return vm->major < GENERATIONS_SINCE ? description + FLAG_17
					     : find_generation_flag(vm, 0, WHOLE_HEAP);
}

static bool flag_sane(const struct vm *vm, uintptr_t at)
{
	unsigned char value = 0;
	return at != 0 && vm_reader_copy(&vm->reader, &value, at, 1) && value <= 1;
}

static void open_generations(struct vm *vm)
{
	const uintptr_t young = find_generation_flag(vm, YOUNG_WORD, YOUNG);
	const uintptr_t old = find_generation_flag(vm, OLD_WORD, OLD);
	if (flag_sane(vm, young) && flag_sane(vm, old)) {
		vm->shenandoah.young_marked = young;
		vm->shenandoah.old_marked = old;
	}
}

void vm_open_shenandoah_marks(struct vm *vm)
{
	struct vm_shenandoah *s = &vm->shenandoah;
	struct description d;
	uintptr_t at = 0;
	uintptr_t flag = 0;
	if (!vm_has(vm, VM_SHENANDOAH_REGIONS)) {
		vm_set_like(vm, VM_SHENANDOAH_MARKS, VM_SHENANDOAH_REGIONS);
	} else if (s->generational) {
		open_generations(vm);
		vm_set(vm, VM_SHENANDOAH_MARKS, VM_MISSING,
		    "In the generational mode no marking shows what is alive in the old regions, "
		    "and which those are is not exported.");
	} else if (!vm_has(vm, VM_SHENANDOAH_LIVE) || !find_description(vm, &at, &d) ||
		   !tops_sane(vm, d.tops) || !flag_sane(vm, flag = find_flag(vm, at))) {
		vm_set(vm, VM_SHENANDOAH_MARKS, VM_MISSING,
		    "The marks of Shenandoah are not where this version of GCspy looks for them.");
	} else {
		s->marks.low = d.low;
		s->marks.words = d.map;
		s->marks.shift = (unsigned)(uint32_t)d.shift + 3;
		s->tops_at_start = d.tops;
		s->marked = flag;
		vm_set(vm, VM_SHENANDOAH_MARKS, VM_DERIVED,
		    "The only description of a bitmap of the heap that the ShenandoahHeap points "
		    "to.");
	}
}

bool vm_shenandoah_marked(const struct vm *vm)
{
	return vm_has(vm, VM_SHENANDOAH_MARKS) && vm_load_u8(vm->shenandoah.marked) == 1;
}

void vm_shenandoah_marking(const struct vm *vm, struct vm_shenandoah_marking *marking)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	*marking = (struct vm_shenandoah_marking){.known = s->young_marked != 0};
	if (!marking->known)
		return;
	marking->young = vm_load_u8(s->young_marked) == 1;
	marking->old = vm_load_u8(s->old_marked) == 1;
}

uint64_t vm_shenandoah_top_at_start(const struct vm *vm, size_t region)
{
	const struct vm_shenandoah *s = &vm->shenandoah;
	const uint64_t low = s->heap + region * s->region_bytes;
	if (!vm_has(vm, VM_SHENANDOAH_MARKS) || region >= s->count)
		return 0;
	const uint64_t top = vm_load_u64(s->tops_at_start + region * VM_WORD);
	return top >= low && top <= low + s->region_bytes ? top : 0;
}
