#include "process_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gcspy/memory.h>

#include "vm_memory.h"

/* Java threads and chunks of metaspace that are told apart: stacks of 1 GiB, 16 GiB of metaspace. */
enum { MAX_THREADS = 4096, MAX_CHUNKS = 4096 };

/* The C library's malloc (glibc, malloc/arena.c): heaps of arenas are aligned to their largest size. */
enum { ARENA = 64 << 20, PAGE = 4096, MAX_BLOCKS = 65536 };

/* The sizes of such a heap, and of a block with a mapping of its own. */
struct arena_head {
	uint64_t arena, before, size, accessible;
};
struct block_head {
	uint64_t before, size;
};
enum { BLOCK_FLAGS = 7, BLOCK_MAPPED = 2 };

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

/* The end of the blocks with mappings of their own that the mapping begins with. */
static uint64_t end_of_blocks(const struct process_memory *p, const struct smaps_mapping *m)
{
	struct block_head head;
	uint64_t at = m->start;
	for (int i = 0; i < MAX_BLOCKS && at < m->end; i++) {
		if (!vm_read(p->vm, &head, at, sizeof head) || head.before != 0 ||
		    (head.size & BLOCK_FLAGS) != BLOCK_MAPPED ||
		    !pages(head.size & ~(uint64_t)BLOCK_FLAGS) ||
		    (head.size & ~(uint64_t)BLOCK_FLAGS) > m->end - at)
			break;
		at += head.size & ~(uint64_t)BLOCK_FLAGS;
	}
	return at;
}

/* What malloc has got from the system beside [heap], by what it writes there itself. */
static void add_malloc(struct process_memory *p)
{
	for (uint32_t i = 0; i < p->smaps.count; i++) {
		const struct smaps_mapping *m = &p->smaps.mappings[i];
		if (m->sort != SMAPS_ANONYMOUS || !m->writable || m->figures[SMAPS_RESIDENT] == 0 ||
		    memory_ranges_find(&p->ranges, m->start) != NULL)
			continue;
		memory_ranges_add(&p->ranges, m->start, end_of_blocks(p, m), MEMORY_MALLOC);
		for (uint64_t at = (m->start + ARENA - 1) / ARENA * ARENA; at < m->end; at += ARENA)
			if (is_arena(p, at))
				memory_ranges_add(&p->ranges, at, at + ARENA, MEMORY_MALLOC);
	}
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
	memory_ranges_sort(&p->ranges);
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
