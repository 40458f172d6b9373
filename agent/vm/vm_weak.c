#include "vm_weak.h"

#include "vm_internal.h"
#include "vm_z.h"

/* HotSpot's JNIHandles: two bits distinguish the kinds of references, one in JDK 20 and earlier.
 * Weak ones have the lowest in both. */
enum { TAG_BITS = 7, WEAK_TAG = 1 };

static bool in_heap(const struct vm *vm, uint64_t address)
{
	return address >= vm->range.low && address < vm->range.high;
}

/*
 * ZGC of JDK 20 and earlier: the colours are above the offset. A reference is good for the current
 * phase, or it is marked as remapped, after which nothing moves until the next relocation begins
 * (zAddress.hpp, zBarrier.inline.hpp: what a weak load heals).
 */
static struct vm_position decode_coloured(const struct vm *vm, uint64_t word)
{
	const bool good = (word & vm_load_u64(vm->weak.bad)) == 0 || (word & vm->z.heap) != 0;
	return (struct vm_position){.address = vm_z_address(vm, word), .exact = good};
}

/*
 * ZGC of JDK 21 and later: the colours are below the address, in 16 bits of which the highest four
 * say which of them were in use when the reference was stored. On x86-64 the address begins above the
 * one that is set, so that each reference has its own shift; aarch64 stores the four inverted
 * (zAddress.hpp, zAddress_x86.hpp, zAddress_aarch64.hpp). A dead object's reference keeps its colours.
 */
static struct vm_position decode_shifted(const struct vm *vm, uint64_t word)
{
	enum { REMAPPED_AT = 12, REMAPPED_BITS = 15, HIGHEST_SHIFT = 16 };
	const uint64_t remapped = (word ^ vm->machine->z_inverted) >> REMAPPED_AT & REMAPPED_BITS;
	unsigned shift = HIGHEST_SHIFT;
	if (remapped == 0 || (remapped & (remapped - 1)) != 0)
		return (struct vm_position){0};
	if (vm->machine->z_shift_varies) {
		shift = REMAPPED_AT + 1;
		for (uint64_t rest = remapped; rest > 1; rest >>= 1)
			shift++;
	}
	return (struct vm_position){
	    .address = vm_z_address(vm, word >> shift),
	    .exact = (word & vm_load_u64(vm->weak.bad)) == 0,
	};
}

/* The position in the word of a reference. */
static struct vm_position decode(const struct vm *vm, uint64_t word)
{
	struct vm_position p = {.address = word, .exact = true};
	if (vm->weak.form == VM_WEAK_COLOURED)
		p = decode_coloured(vm, word);
	else if (vm->weak.form == VM_WEAK_SHIFTED)
		p = decode_shifted(vm, word);
	return in_heap(vm, p.address) ? p : (struct vm_position){0};
}

struct vm_position vm_weak_position(const struct vm *vm, const void *weak)
{
	const uintptr_t handle = (uintptr_t)weak;
	if (!vm_has(vm, VM_WEAK_POSITIONS) || (handle & TAG_BITS) != WEAK_TAG)
		return (struct vm_position){0};
	return decode(vm, vm_load_u64(handle & ~(uintptr_t)TAG_BITS));
}

uint64_t vm_local_position(const struct vm *vm, const void *local)
{
	const uintptr_t handle = (uintptr_t)local;
	if (!vm_has(vm, VM_WEAK_POSITIONS) || vm->weak.form != VM_WEAK_PLAIN || handle == 0 ||
	    (handle & TAG_BITS) != 0)
		return 0;
	const uint64_t address = vm_load_u64(handle);
	return in_heap(vm, address) ? address : 0;
}

/* True if a weak and a local reference to one object lead to the same address. A collection may
 * update one between the reads of both: then retry. */
static bool weak_agrees_with_local(const struct vm *vm, JNIEnv *env)
{
	enum { ATTEMPTS = 8 };
	bool agree = false;
	jclass local = (*env)->FindClass(env, "java/lang/Thread");
	for (int i = 0; !agree && local != NULL && i < ATTEMPTS; i++) {
		uint64_t there = 0, here = 0;
		jweak weak = (*env)->NewWeakGlobalRef(env, local);
		const uintptr_t slot = (uintptr_t)weak & ~(uintptr_t)TAG_BITS;
		if (((uintptr_t)weak & TAG_BITS) == WEAK_TAG &&
		    vm_reader_copy(&vm->reader, &there, slot, sizeof there) &&
		    vm_reader_copy(&vm->reader, &here, (uintptr_t)local, sizeof here)) {
			if (vm->weak.form != VM_WEAK_PLAIN)
				here = vm_z_address(vm, here);
			agree = here != 0 && decode(vm, there).address == here;
		}
		if (weak != NULL)
			(*env)->DeleteWeakGlobalRef(env, weak);
	}
	(*env)->ExceptionClear(env);
	(*env)->DeleteLocalRef(env, local);
	return agree;
}

/* The form of references; false when this ZGC does not export it. */
static bool find_form(struct vm *vm)
{
	vm->weak.form = VM_WEAK_PLAIN;
	if (vm->collector != VM_COLLECTOR_ZGC)
		return true;
	vm->weak.form = VM_WEAK_COLOURED;
	vm->weak.bad = vm_z_global(vm, "AddressBadMask");
	if (vm->weak.bad != 0)
		return true;
	vm->weak.form = VM_WEAK_SHIFTED;
	vm->weak.bad = vm_z_global(vm, "PointerLoadBadMask");
	return vm->weak.bad != 0;
}

void vm_open_weak(struct vm *vm, JNIEnv *env)
{
	if (!vm_has(vm, VM_HEAP_RANGE))
		vm_set_like(vm, VM_WEAK_POSITIONS, VM_HEAP_RANGE);
	else if (!find_form(vm))
		vm_set(vm, VM_WEAK_POSITIONS, VM_MISSING,
		    "HotSpot %s does not export which references of ZGC are out of date.",
		    vm->release);
	else if (env != NULL && !weak_agrees_with_local(vm, env))
		vm_set(vm, VM_WEAK_POSITIONS, VM_MISSING,
		    "Weak references of HotSpot %s are not what is known of other releases.",
		    vm->release);
	else
		vm_set(vm, VM_WEAK_POSITIONS, VM_DERIVED, "The word after a weak reference%s.",
		    env != NULL ? ", which was found to agree with a local one" : "");
}
