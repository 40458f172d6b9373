/* The lists of HotSpot's classes (classfile/classLoaderData.hpp), and ranges that its tables tell. */
#include "vm_memory.h"

#include <string.h>

#include "vm_internal.h"

/* The first JDK whose metaspace consists of such chunks (JEP 387). */
enum { CHUNKS_SINCE = 16 };

/* Bounds of lists that may change while they are read, and of the needed part of a Klass. */
enum { MAX_LOADERS = 1 << 16, MAX_CLASSES = 1 << 17, MAX_SPAN = 1024 };

struct metadata_fields {
	uintptr_t head;       /* address of the pointer to the first ClassLoaderData */
	size_t next, klasses; /* in it */
	size_t link, layout;  /* in a Klass */
	size_t constants;     /* in an InstanceKlass */
	size_t holder;        /* in a ConstantPool */
	size_t low, high;     /* the part of a Klass that has the three */
};

struct chunks {
	struct vm_metadata_chunk *items;
	size_t count, capacity;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool find_fields(const struct vm *vm, struct metadata_fields *f)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	f->head = vm_lookup_static(&lookup, "ClassLoaderDataGraph::_head");
	f->next = vm_lookup_offset(&lookup, "ClassLoaderData::_next");
	f->klasses = vm_lookup_offset(&lookup, "ClassLoaderData::_klasses");
	f->link = vm_lookup_offset(&lookup, "Klass::_next_link");
	f->layout = vm_lookup_offset(&lookup, "Klass::_layout_helper");
	f->constants = vm_lookup_offset(&lookup, "InstanceKlass::_constants");
	f->holder = vm_lookup_offset(&lookup, "ConstantPool::_pool_holder");
	f->low = least(least(f->link, f->layout), f->constants);
	f->high = most(most(f->link, f->constants) + sizeof(uintptr_t), f->layout + 4);
	return lookup.missing == NULL && f->high - f->low <= MAX_SPAN;
}

/* The chunk of that address in the list, or NULL. Consecutive classes are mostly in the same one. */
static struct vm_metadata_chunk *find_chunk(const struct chunks *c, uint64_t address)
{
	const uint64_t start = address & ~(uint64_t)(VM_METADATA_CHUNK - 1);
	for (size_t i = c->count; i > 0; i--)
		if (c->items[i - 1].address == start)
			return &c->items[i - 1];
	return NULL;
}

static void add_chunk(struct chunks *c, uint64_t address, bool classes)
{
	struct vm_metadata_chunk *chunk = find_chunk(c, address);
	if (chunk != NULL)
		chunk->classes = chunk->classes && classes;
	else if (c->count < c->capacity)
		c->items[c->count++] = (struct vm_metadata_chunk){
		    address & ~(uint64_t)(VM_METADATA_CHUNK - 1), classes};
}

static uintptr_t word_at(const unsigned char *bytes, size_t at)
{
	uintptr_t word;
	memcpy(&word, bytes + at, sizeof word);
	return word;
}

/* Notes where a class is; returns the next one of its loader, or 0. */
static uintptr_t take_class(
    const struct vm *vm, const struct metadata_fields *f, uintptr_t klass, struct chunks *c)
{
	unsigned char bytes[MAX_SPAN];
	int32_t layout;
	if (!vm_reader_copy(&vm->reader, bytes, klass + f->low, f->high - f->low))
		return 0;
	memcpy(&layout, bytes + f->layout - f->low, sizeof layout);
	const uintptr_t next = word_at(bytes, f->link - f->low);
	const uintptr_t pool = word_at(bytes, f->constants - f->low);
	if (layout <= 0) /* an array's, which has no constant pool */
		return next;
	const struct vm_metadata_chunk *of_pool = find_chunk(c, pool);
	if (find_chunk(c, klass) != NULL && of_pool != NULL && !of_pool->classes)
		return next;
	uintptr_t holder = 0;
	if (vm_reader_pointer(&vm->reader, &holder, pool + f->holder) && holder == klass) {
		add_chunk(c, klass, true);
		add_chunk(c, pool, false);
	}
	return next;
}

size_t vm_metadata_chunks(
    const struct vm *vm, struct vm_metadata_chunk *items, size_t capacity, bool *known)
{
	struct metadata_fields f;
	struct chunks c = {.items = items, .capacity = capacity};
	uintptr_t loader = 0;
	*known = vm->major >= CHUNKS_SINCE && find_fields(vm, &f) &&
		 vm_reader_pointer(&vm->reader, &loader, f.head);
	for (size_t loaders = 0, classes = 0; *known && loader != 0 && loaders < MAX_LOADERS;
	     loaders++) {
		uintptr_t klass = 0, next = 0;
		if (!vm_reader_pointer(&vm->reader, &klass, loader + f.klasses) ||
		    !vm_reader_pointer(&vm->reader, &next, loader + f.next))
			break;
		for (; klass != 0 && classes < MAX_CLASSES; classes++)
			klass = take_class(vm, &f, klass, &c);
		loader = next;
	}
	return c.count;
}

uint64_t vm_metadata_version(const struct vm *vm)
{
	static const char *const names[] = {"java.cls.loadedClasses", "java.cls.unloadedClasses",
	    "java.cls.sharedLoadedClasses", "java.cls.sharedUnloadedClasses"};
	uint64_t sum = 0;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct vm_perf_text data;
		char type;
		if (vm_perf_find(&vm->perf, names[i], &data, &type) && type == 'J')
			sum += vm_load_u64(data.address);
	}
	return sum;
}

struct vm_range vm_code_range(const struct vm *vm)
{
	struct vm_lookup lookup = {.structs = &vm->structs};
	const uintptr_t low = vm_lookup_static(&lookup, "CodeCache::_low_bound");
	const uintptr_t high = vm_lookup_static(&lookup, "CodeCache::_high_bound");
	if (lookup.missing != NULL)
		return (struct vm_range){0};
	const struct vm_range range = {vm_load_pointer(low), vm_load_pointer(high)};
	return range.low < range.high ? range : (struct vm_range){0};
}

struct vm_range vm_card_range(const struct vm *vm)
{
	const struct vm_card_fields *f = &vm->cards;
	if (!vm_has(vm, VM_CARDS))
		return (struct vm_range){0};
	const uint64_t low = vm_load_pointer(f->table + f->map);
	return (struct vm_range){low, low + vm_load_pointer(f->table + f->map_size)};
}

struct vm_range vm_stack_range(const struct vm *vm, uint64_t thread)
{
	const struct vm_stack_fields *f = &vm->stack;
	uintptr_t base = 0, size = 0;
	if (thread == 0 || f->size == 0 ||
	    !vm_reader_pointer(&vm->reader, &base, thread + f->base) ||
	    !vm_reader_pointer(&vm->reader, &size, thread + f->size) || size >= base)
		return (struct vm_range){0};
	return (struct vm_range){base - size, base};
}
