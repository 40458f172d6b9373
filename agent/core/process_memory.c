#include "process_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "malloc_blocks.h"
#include "vm_memory.h"

/* Java threads and chunks of metaspace that are told apart: stacks of 1 GiB, 16 GiB of metaspace. */
enum { MAX_THREADS = 4096, MAX_CHUNKS = 4096 };

/* The C library's malloc (glibc, malloc/arena.c): heaps of arenas are aligned to their largest size. */
enum { ARENA = 64 << 20, PAGE = 4096, MAX_BLOCKS = 65536 };

/* The sizes of such a heap. */
struct arena_head {
	uint64_t arena, before, size, accessible;
};

/* A thread of the kernel, and an address in its stack. */
struct stack_pointer {
	long thread;
	uint64_t address;
};

struct process_memory {
	const struct vm *vm;
	struct threads *threads;
	struct smaps smaps;
	struct memory_ranges ranges;
	struct stack_pointer *pointers, *earlier;
	size_t pointer_count, pointer_capacity, earlier_count;
	struct vm_metadata_chunk *chunks; /* MAX_CHUNKS */
	size_t chunk_count;
	uint64_t chunk_version;
	bool metadata_known;
	memory_figures figures[MEMORY_KIND_COUNT];
};

struct process_memory *process_memory_create(const struct vm *vm, struct threads *threads)
{
	struct process_memory *p = gcs_zalloc(sizeof *p);
	if (p == NULL)
		return NULL;
	p->vm = vm;
	p->threads = threads;
	p->chunks = gcs_alloc(MAX_CHUNKS * sizeof *p->chunks);
	if (p->chunks == NULL) {
		process_memory_destroy(p);
		return NULL;
	}
	return p;
}

void process_memory_destroy(struct process_memory *p)
{
	if (p == NULL)
		return;
	smaps_free(&p->smaps);
	gcs_free(p->ranges.items);
	gcs_free(p->pointers);
	gcs_free(p->earlier);
	gcs_free(p->chunks);
	gcs_free(p);
}

static void add_range(struct process_memory *p, struct vm_range range, enum memory_kind kind)
{
	memory_ranges_add(&p->ranges, range.low, range.high, kind);
}

/* Classes are searched for again only if some were loaded or unloaded. */
static void add_metadata(struct process_memory *p)
{
	const uint64_t version = vm_metadata_version(p->vm);
	if (version == 0 || version != p->chunk_version)
		p->chunk_count =
		    vm_metadata_chunks(p->vm, p->chunks, MAX_CHUNKS, &p->metadata_known);
	p->chunk_version = version;
	for (size_t i = 0; i < p->chunk_count; i++)
		memory_ranges_add(&p->ranges, p->chunks[i].address,
		    p->chunks[i].address + VM_METADATA_CHUNK,
		    p->chunks[i].classes ? MEMORY_CLASS_SPACE : MEMORY_METASPACE);
}

static void add_java_stacks(struct process_memory *p)
{
	struct thread_ref *refs = gcs_alloc(MAX_THREADS * sizeof *refs);
	const size_t count = refs == NULL ? 0 : threads_list(p->threads, refs, MAX_THREADS);
	for (size_t i = 0; i < count && i < MAX_THREADS; i++) {
		const struct vm_range stack = vm_stack_range(p->vm, refs[i].thread);
		if (threads_listed(p->threads, &refs[i]))
			add_range(p, stack, MEMORY_JAVA_STACKS);
	}
	gcs_free(refs);
}

static uint64_t earlier_pointer(const struct process_memory *p, long thread)
{
	for (size_t i = 0; i < p->earlier_count; i++)
		if (p->earlier[i].thread == thread)
			return p->earlier[i].address;
	return 0;
}

/* The stack pointer of a thread that waits in the kernel, as most do; of one that runs, the one it
 * had before. 0: not known. The file's last words are the stack pointer and the program counter. */
static uint64_t pointer_of(const struct process_memory *p, int tasks, long thread)
{
	char path[48], text[256];
	snprintf(path, sizeof path, "%ld/syscall", thread);
	const int fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd == -1 ? 0 : read(fd, text, sizeof text - 1);
	if (fd != -1)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	char *last = strrchr(text, ' ');
	if (last == NULL)
		return earlier_pointer(p, thread);
	*last = '\0';
	last = strrchr(text, ' ');
	return last == NULL ? 0 : strtoull(last, NULL, 16);
}

static void add_pointer(struct process_memory *p, long thread, uint64_t address)
{
	if (address == 0)
		return;
	if (p->pointer_count == p->pointer_capacity) {
		const size_t capacity = p->pointer_capacity == 0 ? 64 : p->pointer_capacity * 2;
		struct stack_pointer *pointers =
		    gcs_realloc(p->pointers, capacity * sizeof *pointers);
		if (pointers == NULL)
			return;
		p->pointers = pointers;
		p->pointer_capacity = capacity;
	}
	p->pointers[p->pointer_count++] = (struct stack_pointer){thread, address};
}

/* Each thread that the kernel has, also Java threads: their ranges go before. */
static void find_stacks(struct process_memory *p)
{
	gcs_free(p->earlier);
	p->earlier = p->pointers;
	p->earlier_count = p->pointer_count;
	p->pointers = NULL;
	p->pointer_count = p->pointer_capacity = 0;
	DIR *folder = opendir("/proc/self/task");
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
		const long thread = strtol(entry->d_name, NULL, 10);
		if (thread > 0)
			add_pointer(p, thread, pointer_of(p, dirfd(folder), thread));
	}
	if (folder != NULL)
		(void)closedir(folder);
}

static bool pages(uint64_t bytes)
{
	return bytes != 0 && bytes % PAGE == 0;
}

/* A heap of an arena begins at this address. It may have grown since the mappings were read. The first
 * one has the arena itself behind its head. */
static bool is_arena(const struct process_memory *p, uint64_t at)
{
	struct arena_head head;
	return vm_read(p->vm, &head, at, sizeof head) && head.arena % 16 == 0 &&
	       (head.before == 0 ? head.arena - at < PAGE : head.arena != 0) &&
	       head.before % ARENA == 0 && pages(head.size) && pages(head.accessible) &&
	       head.size <= head.accessible && head.accessible <= ARENA;
}

static bool read_block(const void *vm, void *to, uint64_t from, size_t bytes)
{
	return vm_read(vm, to, from, bytes);
}

static bool is_malloc(const struct smaps_mapping *m)
{
	return m->sort == SMAPS_ANONYMOUS && m->writable && m->figures[SMAPS_RESIDENT] != 0;
}

static void find_arenas(const struct process_memory *p, struct memory_ranges *found)
{
	for (uint32_t i = 0; i < p->smaps.count; i++) {
		const struct smaps_mapping *m = &p->smaps.mappings[i];
		uint64_t at = (m->start + ARENA - 1) / ARENA * ARENA;
		for (; is_malloc(m) && at < m->end; at += ARENA)
			if (memory_ranges_find(&p->ranges, at) == NULL && is_arena(p, at))
				memory_ranges_add(found, at, at + ARENA, MEMORY_MALLOC);
	}
}

/* Blocks of a mapping where it is in no range. */
static void find_blocks(const struct process_memory *p, struct malloc_blocks *b,
    const struct smaps_mapping *m, struct memory_ranges *found)
{
	uint64_t low = m->start, end;
	while (low < m->end) {
		const struct memory_range *in = memory_ranges_find(&p->ranges, low);
		const uint64_t high = memory_ranges_begin(&p->ranges, low, m->end);
		if (in == NULL)
			for (bool first = low == m->start;
			     malloc_blocks_next(b, first, &low, high, &end);
			     low = end, first = false)
				memory_ranges_add(found, low, end, MEMORY_MALLOC);
		low = in == NULL ? high : in->high;
	}
}

static void add_found(struct process_memory *p, struct memory_ranges *found)
{
	for (size_t i = 0; i < found->count; i++)
		memory_ranges_add(
		    &p->ranges, found->items[i].low, found->items[i].high, MEMORY_MALLOC);
	p->ranges.failed = p->ranges.failed || found->failed;
	memory_ranges_sort(&p->ranges);
	gcs_free(found->items);
	*found = (struct memory_ranges){0};
}

/* What malloc has got from the system beside [heap], by what it writes there itself. */
static void add_malloc(struct process_memory *p)
{
	struct memory_ranges found = {0};
	struct malloc_blocks b = {.read = read_block,
	    .context = p->vm,
	    .pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC),
	    .left = MAX_BLOCKS};
	find_arenas(p, &found);
	add_found(p, &found);
	for (uint32_t i = 0; i < p->smaps.count; i++)
		if (is_malloc(&p->smaps.mappings[i]))
			find_blocks(p, &b, &p->smaps.mappings[i], &found);
	add_found(p, &found);
	if (b.pagemap != -1)
		close(b.pagemap);
}

static void sum(struct process_memory *p)
{
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint64_t *stacks = gcs_alloc((p->pointer_count + 1) * sizeof *stacks);
	size_t count = 0;
	for (size_t i = 0; stacks != NULL && i < p->pointer_count; i++)
		stacks[count++] = p->pointers[i].address;
	memory_kinds_sum(
	    &p->smaps, &p->ranges, stacks, count, fd == -1 ? NULL : memory_pages, &fd, p->figures);
	gcs_free(stacks);
	if (fd != -1)
		close(fd);
}

bool process_memory_read(struct process_memory *p)
{
	if (!smaps_read(&p->smaps))
		return false;
	p->ranges.count = 0;
	p->ranges.failed = false;
	add_range(p, vm_heap_range(p->vm), MEMORY_JAVA_HEAP);
	add_range(p, vm_code_range(p->vm), MEMORY_CODE);
	add_range(p, vm_card_range(p->vm), MEMORY_CARDS);
	add_metadata(p);
	add_java_stacks(p);
	memory_ranges_sort(&p->ranges);
	add_malloc(p);
	find_stacks(p);
	if (!p->ranges.failed)
		sum(p);
	return !p->ranges.failed;
}

const memory_figures *process_memory_figures(const struct process_memory *p)
{
	return p->figures;
}

uint32_t process_memory_mappings(const struct process_memory *p)
{
	return p->smaps.count;
}

bool process_memory_unknown(const struct process_memory *p, enum memory_kind kind)
{
	switch (kind) {
	case MEMORY_CLASS_SPACE:
	case MEMORY_METASPACE:
		return !p->metadata_known;
	case MEMORY_CODE:
		return vm_code_range(p->vm).high == 0;
	default:
		return false;
	}
}
