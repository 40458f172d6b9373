/*
 * The allocator that the program uses: whatever comes after this library in the order of symbols, the C
 * library's or one that is preloaded or linked.
 *
 * Its functions are looked up at the first call, by dlsym, which may itself allocate: such memory comes
 * from a small buffer in this library and is never given back to anybody.
 */
#ifndef GCSPYMALLOC_REAL_MALLOC_H
#define GCSPYMALLOC_REAL_MALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct real_malloc {
	void *(*malloc)(size_t bytes);
	void (*free)(void *block);
	void *(*calloc)(size_t count, size_t bytes);
	void *(*realloc)(void *block, size_t bytes);
	void *(*memalign)(size_t alignment, size_t bytes);
	void *(*aligned_alloc)(size_t alignment, size_t bytes);
	int (*posix_memalign)(void **block, size_t alignment, size_t bytes);
	size_t (*usable_size)(void *block);
	void *(*valloc)(size_t bytes), *(*pvalloc)(size_t bytes); /* NULL: it has none */
};

/* Complete from the first call on: until they are known, its functions are those that look them up. Of an
 * allocator without headers no block has less than 16 bytes, because two would be in one unit of the shadow. */
extern struct real_malloc real_malloc __attribute__((visibility("hidden")));

/* The allocator has a header of 16 bytes before each block, as Doug Lea's and the C library's have, of which
 * the second word is the length with three flags. Checked against malloc_usable_size at the first call. */
extern bool real_malloc_has_headers __attribute__((visibility("hidden")));

/* Looks the functions up. Any thread, again and again. */
void real_malloc_find(void);

/* The file of the allocator, such as "libc.so.6". For users. */
const char *real_malloc_name(void);

/* C++'s operators are the allocator's own: its new does not come through malloc, and gives what free and delete
 * take alike. */
bool real_malloc_has_new(void);

/* True for a block of the buffer. */
bool real_malloc_is_early(const void *block);

/* The bytes of a block of the buffer. */
size_t real_malloc_early_bytes(const void *block);

enum { REAL_MALLOC_HEADER = 16 };

/* The bytes of a block with a header. */
static inline uint64_t real_malloc_header(const void *block)
{
	return *(const size_t *)((uintptr_t)block - sizeof(size_t)) & ~(size_t)15;
}

/* The same in units of 16. */
static inline uint64_t real_malloc_units(const void *block)
{
	return *(const size_t *)((uintptr_t)block - sizeof(size_t)) >> 4;
}

/* The memory of a block: with its header if it has one. Multiples of 16 bytes. */
static inline uintptr_t real_malloc_extent(void *block, uint64_t *bytes)
{
	const uintptr_t address = (uintptr_t)block;
	if (real_malloc_has_headers) {
		*bytes = real_malloc_header(block);
		return address - REAL_MALLOC_HEADER;
	}
	*bytes = ((uint64_t)real_malloc.usable_size(block) + 15) & ~(uint64_t)15;
	return address & ~(uintptr_t)15;
}

/* Where that memory starts. */
static inline uintptr_t real_malloc_start(const void *block)
{
	return real_malloc_has_headers ? (uintptr_t)block - REAL_MALLOC_HEADER
				       : (uintptr_t)block & ~(uintptr_t)15;
}

#endif
