#include "vm_objects.h"

#include <string.h>

#include "vm_classes.h"

/* A new class counts as this many objects. */
enum { CLASS_COST = 50 };

uint64_t vm_objects_unloaded(const struct vm *vm)
{
	static uint64_t unknown; /* only the thread that walks asks */
	return vm->objects.unloaded != 0 ? vm_load_u64(vm->objects.unloaded) : ++unknown;
}

bool vm_objects_have_fillers(const struct vm *vm)
{
	enum { FILLERS_SINCE = 19 };
	return vm_has(vm, VM_OBJECTS) && vm->major >= FILLERS_SINCE;
}

uint64_t vm_klass_in_header(const struct vm_object_fields *f, uint64_t object)
{
	switch (f->header) {
	case VM_KLASS_WHOLE:
		return vm_load_u64(object + f->klass_at);
	case VM_KLASS_NARROW:
		return f->base + ((uint64_t)vm_load_u32(object + f->klass_at) << f->shift);
	default:
		return f->base + (vm_load_u64(object) >> f->mark_shift << f->shift);
	}
}

/* Bytes of a virtual thread's frames: words of stack, then a bit for each place that may hold a
 * reference. */
static uint64_t chunk_bytes(const struct vm_object_fields *f, uint64_t object, uint64_t instance)
{
	if (f->chunk_size == 0 || f->chunk_size + sizeof(uint32_t) > instance)
		return 0;
	const uint64_t words = vm_load_u32(object + f->chunk_size);
	const uint64_t bits = words << (f->narrow_references ? 1 : 0);
	return instance + (words + (bits + 63) / 64) * VM_WORD;
}

/* The object's bytes, 0 if unknown. `room` is the space up to the end of the range. */
static uint64_t size_of(
    const struct vm_object_fields *f, const struct vm_class *class, uint64_t object, uint64_t room)
{
	const uint32_t bits = (uint32_t) class->layout;
	uint64_t bytes = bits & ~(uint32_t)(VM_WORD - 1);
	if (room < f->smallest)
		return 0;
	if (class->form == VM_FORM_ARRAY) {
		const uint64_t header = bits >> 16 & 0xff;
		bytes = room < header ? 0
				      : header + ((uint64_t)vm_load_u32(object + f->length_at)
						     << (bits & 0xff));
	} else if (room < bytes) {
		return 0;
	} else if (class->form == VM_FORM_MIRROR) {
		if (f->mirror_words + sizeof(uint32_t) > bytes)
			return 0;
		const uint64_t own = (uint64_t)vm_load_u32(object + f->mirror_words) * VM_WORD;
		bytes = own < bytes ? 0 : own;
	} else if (class->form == VM_FORM_CHUNK) {
		bytes = chunk_bytes(f, object, bytes);
	}
	return (bytes + f->align - 1) & ~(f->align - 1);
}

/* The first gap that does not end before `at`. */
static size_t first_gap(const struct vm_address_range *s)
{
	size_t low = 0;
	size_t high = s->gap_count;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (s->gaps[middle].high <= s->at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first marked address not before `from`, or `limit`. Skips whole words without a mark. */
static uint64_t next_marked(const struct vm_mark_map *m, uint64_t from, uint64_t limit)
{
	enum { PLACES_PER_WORD = 32 }; /* of a word */
	const uint64_t place = (from - m->low + (UINT64_C(1) << m->shift) - 1) >> m->shift;
	const uint64_t end = (limit - m->low) >> m->shift;
	uint64_t word = place / PLACES_PER_WORD;
	uint64_t bits = ~UINT64_C(0) << place % PLACES_PER_WORD * 2;
	for (; word * PLACES_PER_WORD < end; word++, bits = ~UINT64_C(0)) {
		bits &= vm_load_u64(m->words + word * VM_WORD);
		if (bits == 0)
			continue;
		const uint64_t found =
		    m->low +
		    ((word * PLACES_PER_WORD + (uint64_t)__builtin_ctzll(bits) / 2) << m->shift);
		return found < limit ? found : limit;
	}
	return limit;
}

/* A collector that copies leaves the new address in the header. */
static bool is_forwarded(uint64_t object)
{
	enum { LOCK_BITS = 3 };
	return (vm_load_u64(object) & LOCK_BITS) == LOCK_BITS;
}

enum vm_objects_end vm_objects_walk(struct vm_classes *c, struct vm_address_range *s, uint32_t most,
    vm_object_fn *fn, void *context)
{
	const bool marks = s->marked != 0;
	const struct vm_object_fields *f = &c->vm->objects;
	const uint64_t reach = s->reach > s->end ? s->reach : s->end;
	size_t gap = first_gap(s);
	uint32_t left = most;
	while (s->at < s->end) {
		if (s->at < s->marked) {
			const uint64_t limit = s->marked < s->end ? s->marked : s->end;
			s->at = next_marked(&c->vm->shenandoah.marks, s->at, limit);
			if (s->at == limit) {
				gap = first_gap(s);
				continue;
			}
		} else if (gap < s->gap_count && s->gaps[gap].low <= s->at) {
			/* In the free part of a buffer. */
			s->at = s->gaps[gap].high < s->end ? s->gaps[gap].high : s->end;
			gap++;
			continue;
		}
		if (left == 0)
			return VM_OBJECTS_PAUSED;
		const uint64_t room = reach - s->at;
		const uint32_t fresh = c->fresh;
		if (room < f->smallest || (marks && is_forwarded(s->at)))
			return VM_OBJECTS_STRANGE;
		const struct vm_class *class = vm_classes_find(c, vm_klass_in_header(f, s->at));
		const uint64_t bytes = class != NULL ? size_of(f, class, s->at, room) : 0;
		if (bytes == 0 || bytes > room)
			return VM_OBJECTS_STRANGE;
		const struct vm_object object = {
		    .at = s->at,
		    .bytes = bytes,
		    .class_id = class->id,
		    .kind = class->filler                  ? VM_OBJECT_FILLER
			    : class->form == VM_FORM_ARRAY ? VM_OBJECT_ARRAY
							   : VM_OBJECT_SCALAR,
		};
		fn(context, &object);
		s->at += bytes;
		const uint32_t cost = 1 + (c->fresh - fresh) * CLASS_COST;
		left = left > cost ? left - cost : 0;
	}
	return VM_OBJECTS_DONE;
}
