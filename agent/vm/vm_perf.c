/* PerfData: the block of counters that HotSpot keeps for jstat (runtime/perfMemory.hpp). It is on
 * by default, always mapped, and independent of the collector; -XX:-UsePerfData removes it. */
#include <string.h>

#include "vm_internal.h"

enum { MAX_CAPACITY = 64 << 20, MAX_ENTRIES = 100000, PROLOGUE_BYTES = 32 };

/* Are the fields inside the part of the prologue and of an entry that every lookup checks? */
static bool offsets_sane(const struct vm_perf *perf)
{
	const size_t last = PROLOGUE_BYTES - sizeof(uint32_t);
	return perf->entry_offset <= last && perf->num_entries <= last &&
	       perf->entry_length <= last && perf->name_offset <= last &&
	       perf->vector_length <= last && perf->data_type <= last && perf->data_offset <= last;
}

void vm_open_perf(struct vm *vm)
{
	struct vm_perf *perf = &vm->perf;
	struct vm_lookup lookup = {.structs = &vm->structs};
	const uintptr_t start = vm_lookup_static(&lookup, "PerfMemory::_start");
	const uintptr_t capacity = vm_lookup_static(&lookup, "PerfMemory::_capacity");
	const size_t magic = vm_lookup_offset(&lookup, "PerfDataPrologue::magic");
	perf->entry_offset = vm_lookup_offset(&lookup, "PerfDataPrologue::entry_offset");
	perf->num_entries = vm_lookup_offset(&lookup, "PerfDataPrologue::num_entries");
	perf->entry_length = vm_lookup_offset(&lookup, "PerfDataEntry::entry_length");
	perf->name_offset = vm_lookup_offset(&lookup, "PerfDataEntry::name_offset");
	perf->vector_length = vm_lookup_offset(&lookup, "PerfDataEntry::vector_length");
	perf->data_type = vm_lookup_offset(&lookup, "PerfDataEntry::data_type");
	perf->data_offset = vm_lookup_offset(&lookup, "PerfDataEntry::data_offset");
	if (lookup.missing != NULL) {
		vm_set_unexported(vm, VM_PERF_DATA, lookup.missing);
		return;
	}
	perf->start = vm_load_pointer(start);
	perf->capacity = (size_t)vm_load_u64(capacity);
	if (perf->start == 0) {
		vm_set(vm, VM_PERF_DATA, VM_MISSING, "The JVM runs with -XX:-UsePerfData.");
		return;
	}
	static const unsigned char MAGIC[4] = {0xca, 0xfe, 0xc0, 0xc0};
	unsigned char head[4];
	unsigned char tail;
	if (!offsets_sane(perf) || perf->capacity < PROLOGUE_BYTES ||
	    perf->capacity > MAX_CAPACITY ||
	    !vm_reader_copy(&vm->reader, head, perf->start + magic, sizeof head) ||
	    !vm_reader_copy(&vm->reader, &tail, perf->start + perf->capacity - 1, 1) ||
	    memcmp(head, MAGIC, sizeof MAGIC) != 0) {
		perf->start = 0;
		vm_set(vm, VM_PERF_DATA, VM_MISSING,
		    "The performance counters of HotSpot %s cannot be read.", vm->release);
		return;
	}
	vm_set_exported(vm, VM_PERF_DATA);
}

/* Is [offset, offset + bytes) inside the block's `limit` bytes? */
static bool inside(uint64_t offset, uint64_t bytes, uint64_t limit)
{
	return offset <= limit && bytes <= limit - offset;
}

static bool name_is(const struct vm_perf *perf, uint64_t at, uint64_t end, const char *name)
{
	const size_t length = strlen(name) + 1;
	return inside(at, length, end) &&
	       memcmp((const char *)(perf->start + at), name, length) == 0;
}

bool vm_perf_find(
    const struct vm_perf *perf, const char *name, struct vm_perf_text *data, char *type)
{
	if (perf->start == 0)
		return false;
	const uint32_t entries = vm_load_u32(perf->start + perf->num_entries);
	uint64_t at = vm_load_u32(perf->start + perf->entry_offset);
	for (uint32_t i = 0; i < entries && i < MAX_ENTRIES; i++) {
		if (at % 4 != 0 || !inside(at, PROLOGUE_BYTES, perf->capacity))
			return false;
		const uintptr_t entry = perf->start + (uintptr_t)at;
		const uint32_t length = vm_load_u32(entry + perf->entry_length);
		if (length == 0 || !inside(at, length, perf->capacity))
			return false;
		if (name_is(perf, at + vm_load_u32(entry + perf->name_offset), at + length, name)) {
			const uint32_t offset = vm_load_u32(entry + perf->data_offset);
			const uint32_t elements = vm_load_u32(entry + perf->vector_length);
			*type = (char)vm_load_u8(entry + perf->data_type);
			data->bytes = *type == 'B' ? elements : sizeof(uint64_t);
			data->address = entry + offset;
			return inside(offset, data->bytes, length);
		}
		at += length;
	}
	return false;
}
