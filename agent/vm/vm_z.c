#include "vm_z.h"

#include <string.h>

#include "vm_gc.h"
#include "vm_internal.h"

enum { TABLE_CHUNK = 256 };

/* Reads the fields of the page whose bytes begin at `at`: in place, or in a copy. */
static struct vm_z_page decode(const struct vm *vm, uintptr_t at, uint64_t *start, uint64_t *end)
{
	const struct vm_z_fields *f = &vm->z.page;
	struct vm_z_page page = {.type = vm_load_u8(at + f->type)};
	*start = vm_load_u64(at + f->start);
	*end = vm_load_u64(at + f->end);
	if (f->end_is_size)
		*end += *start;
	page.used = vm_load_u64(at + f->top) - *start;
	page.seqnum = vm_load_u32(at + f->seqnum);
	if (f->live != 0) {
		page.live_seqnum = vm_load_u32(at + f->live);
		page.live = vm_load_u64(at + f->live + VM_WORD);
	}
	if (f->age != 0) {
		page.old = vm_load_u8(at + f->generation);
		page.age = vm_load_u8(at + f->age);
	}
	return page;
}

/* Decodes the page of one granule; false when those bytes are no page that begins there. */
static bool page_at(const struct vm *vm, size_t granule, uintptr_t at, struct vm_z_page *page)
{
	const struct vm_z *z = &vm->z;
	uint64_t start, end;
	*page = decode(vm, at, &start, &end);
	const uint64_t bytes = end - start;
	if (page->type >= VM_Z_TYPE_COUNT || start != (uint64_t)granule << z->granule_shift ||
	    end <= start || (bytes & (z->granule - 1)) != 0 ||
	    bytes >> z->granule_shift > z->granules - granule || page->used > bytes ||
	    page->old > 1)
		return false;
	page->granule = (uint32_t)granule;
	page->granules = (uint32_t)(bytes >> z->granule_shift);
	/* An impossible value is read only while the JVM writes it. */
	if (page->live > bytes)
		page->live = page->live_seqnum = 0;
	return true;
}

/*
 * The forwarding table has an entry for each page of the relocation set, from the pause in which
 * relocation begins until the next cycle selects another set. Once that cycle has begun to mark,
 * and for a page allocated at such an address meanwhile, the entry means nothing.
 */
static bool relocating(const struct vm_z *z, const struct vm_z_page *page, uintptr_t forwarding)
{
	return forwarding != 0 && vm_load_u32(z->phase) == VM_GC_RELOCATE &&
	       page->seqnum != vm_load_u32(z->seqnum);
}

/*
 * A page is identified by its pointer, which all of its granules have: where the next one begins
 * must not depend on what is read from this one, or the processor would wait for each page's memory
 * in turn.
 */
size_t vm_z_pages(const struct vm *vm, struct vm_z_page *pages, size_t capacity)
{
	const struct vm_z *z = &vm->z;
	size_t count = 0;
	uintptr_t last = 0;
	if (!vm_has(vm, VM_Z_PAGES))
		return 0;
	for (size_t i = 0; i < z->granules && count < capacity; i++) {
		const uintptr_t at = vm_load_pointer(z->table + i * sizeof at);
		struct vm_z_page *page = &pages[count];
		if (at == 0 || at == last)
			continue;
		last = at;
		if (!page_at(vm, i, at, page))
			continue;
		if (z->forwarding != 0)
			page->relocating =
			    relocating(z, page, vm_load_pointer(z->forwarding + i * sizeof at));
		count++;
	}
	return count;
}

/* Copies a page safely and decodes the copy. */
static bool read_safely(const struct vm *vm, size_t granule, uintptr_t at, struct vm_z_page *page)
{
	const struct vm_z *z = &vm->z;
	uint64_t copy[VM_Z_PAGE_SPAN / sizeof(uint64_t)];
	uintptr_t forwarding = 0;
	if (!vm_reader_copy(&vm->reader, copy, at, z->page.high) ||
	    !page_at(vm, granule, (uintptr_t)copy, page))
		return false;
	if (z->forwarding != 0 &&
	    vm_reader_pointer(&vm->reader, &forwarding, z->forwarding + granule * sizeof at))
		page->relocating = relocating(z, page, forwarding);
	return true;
}

size_t vm_z_scan(const struct vm *vm, struct vm_z_page *pages, size_t capacity, size_t *strange)
{
	const struct vm_z *z = &vm->z;
	uintptr_t chunk[TABLE_CHUNK];
	size_t count = 0;
	size_t behind = 0; /* the granule after the last page */
	*strange = 0;
	for (size_t first = 0; first < z->granules && count < capacity; first += TABLE_CHUNK) {
		const size_t left = z->granules - first;
		const size_t length = left < TABLE_CHUNK ? left : TABLE_CHUNK;
		if (!vm_reader_copy(&vm->reader, chunk, z->table + first * sizeof chunk[0],
			length * sizeof chunk[0]))
			break;
		for (size_t i = 0; i < length && count < capacity; i++) {
			if (chunk[i] == 0 || first + i < behind)
				continue;
			if (!read_safely(vm, first + i, chunk[i], &pages[count])) {
				++*strange;
				continue;
			}
			behind = first + i + pages[count].granules;
			count++;
		}
	}
	return count;
}

size_t vm_z_pages_safely(const struct vm *vm, struct vm_z_page *pages, size_t capacity)
{
	size_t strange;
	return vm_has(vm, VM_Z_PAGES) ? vm_z_scan(vm, pages, capacity, &strange) : 0;
}

bool vm_z_layout(const struct vm *vm, struct vm_z_layout *layout)
{
	enum { SPARE_PAGES = 16 };
	const struct vm_z *z = &vm->z;
	*layout = (struct vm_z_layout){0};
	if (!vm_has(vm, VM_Z_PAGES))
		return false;
	layout->heap = z->heap;
	layout->granule_bytes = z->granule;
	layout->granules = z->granules;
	layout->pages = (size_t)(vm->max_heap / z->granule) + SPARE_PAGES;
	if (layout->pages > z->granules)
		layout->pages = z->granules;
	return true;
}

void vm_z_totals(const struct vm *vm, struct vm_z_totals *totals)
{
	const struct vm_z *z = &vm->z;
	*totals = (struct vm_z_totals){0};
	if (vm_has(vm, VM_Z_TOTALS)) {
		totals->used = vm_load_u64(z->used);
		totals->capacity = vm_load_u64(z->capacity);
	}
	if (vm_has(vm, VM_Z_PAGES) && z->seqnum != 0)
		totals->seqnum = vm_load_u32(z->seqnum);
}

uint64_t vm_z_address(const struct vm *vm, uint64_t pointer)
{
	return pointer == 0 ? 0 : vm->z.heap + (pointer & vm->z.offset_mask);
}
