/* RTLD_NEXT, dladdr. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier) */
#include "real_malloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "malloc_thread.h"

enum { EARLY_BYTES = 65536, EARLY_HEADER = 16 };

static _Alignas(16) char early[EARLY_BYTES];
static atomic_size_t early_used;

/* The thread that looks the functions up must not look them up again. */
static _Thread_local bool looking __attribute__((tls_model("initial-exec")));

static char name[64];
static bool has_new;

bool real_malloc_has_headers;

bool real_malloc_is_early(const void *block)
{
	const uintptr_t address = (uintptr_t)block, start = (uintptr_t)early;
	return address >= start && address < start + EARLY_BYTES;
}

size_t real_malloc_early_bytes(const void *block)
{
	size_t bytes;
	memcpy(&bytes, (const char *)block - EARLY_HEADER, sizeof bytes);
	return bytes;
}

/* Zeroed, because it is used once. */
static void *take_early(size_t bytes)
{
	if (bytes > EARLY_BYTES)
		return NULL;
	const size_t whole = ((bytes + 15) & ~(size_t)15) + EARLY_HEADER;
	const size_t at = atomic_fetch_add(&early_used, whole);
	if (at + whole > EARLY_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	memcpy(early + at, &bytes, sizeof bytes);
	return early + at + EARLY_HEADER;
}

/* The functions until the real ones are known. */

static void *find_malloc(size_t bytes)
{
	if (looking)
		return take_early(bytes);
	real_malloc_find();
	return real_malloc.malloc(bytes);
}

static void find_free(void *block)
{
	if (looking || real_malloc_is_early(block))
		return;
	real_malloc_find();
	real_malloc.free(block);
}

static void *find_calloc(size_t count, size_t bytes)
{
	if (looking)
		return count != 0 && bytes > SIZE_MAX / count ? NULL : take_early(count * bytes);
	real_malloc_find();
	return real_malloc.calloc(count, bytes);
}

static void *find_realloc(void *block, size_t bytes)
{
	if (!looking) {
		real_malloc_find();
		return real_malloc.realloc(block, bytes);
	}
	void *larger = take_early(bytes);
	if (larger != NULL && block != NULL) {
		const size_t before = real_malloc_early_bytes(block);
		memcpy(larger, block, before < bytes ? before : bytes);
	}
	return larger;
}

static void *find_memalign(size_t alignment, size_t bytes)
{
	if (looking)
		return alignment <= 16 ? take_early(bytes) : NULL;
	real_malloc_find();
	return real_malloc.memalign(alignment, bytes);
}

static void *find_aligned_alloc(size_t alignment, size_t bytes)
{
	if (looking)
		return alignment <= 16 ? take_early(bytes) : NULL;
	real_malloc_find();
	return real_malloc.aligned_alloc(alignment, bytes);
}

static int find_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	if (!looking) {
		real_malloc_find();
		return real_malloc.posix_memalign(block, alignment, bytes);
	}
	*block = alignment <= 16 ? take_early(bytes) : NULL;
	return *block == NULL ? ENOMEM : 0;
}

static size_t find_usable_size(void *block)
{
	if (looking)
		return block == NULL ? 0 : real_malloc_early_bytes(block);
	real_malloc_find();
	return real_malloc.usable_size(block);
}

struct real_malloc real_malloc = {.malloc = find_malloc,
    .free = find_free,
    .calloc = find_calloc,
    .realloc = find_realloc,
    .memalign = find_memalign,
    .aligned_alloc = find_aligned_alloc,
    .posix_memalign = find_posix_memalign,
    .usable_size = find_usable_size};

/* The functions if the allocator's blocks have no headers. */

enum { LEAST_BYTES = 16 };

static struct real_malloc bare;

static size_t at_least(size_t bytes)
{
	return bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
}

static void *least_malloc(size_t bytes)
{
	return bare.malloc(at_least(bytes));
}

static void *least_calloc(size_t count, size_t bytes)
{
	const bool small = count == 0 || (bytes < LEAST_BYTES && count < LEAST_BYTES &&
					     count * bytes < LEAST_BYTES);
	return small ? bare.calloc(1, LEAST_BYTES) : bare.calloc(count, bytes);
}

static void *least_realloc(void *block, size_t bytes)
{
	return bare.realloc(block, bytes == 0 ? 0 : at_least(bytes));
}

static void *least_memalign(size_t alignment, size_t bytes)
{
	return bare.memalign(alignment, at_least(bytes));
}

static void *least_aligned_alloc(size_t alignment, size_t bytes)
{
	return bare.aligned_alloc(alignment, at_least(bytes));
}

static int least_posix_memalign(void **block, size_t alignment, size_t bytes)
{
	return bare.posix_memalign(block, alignment, at_least(bytes));
}

static void *least_valloc(size_t bytes)
{
	return bare.valloc(at_least(bytes));
}

static void use_least(struct real_malloc *found)
{
	bare = *found;
	found->malloc = least_malloc;
	found->calloc = least_calloc;
	found->realloc = least_realloc;
	found->memalign = least_memalign;
	found->aligned_alloc = least_aligned_alloc;
	found->posix_memalign = least_posix_memalign;
	if (found->valloc != NULL)
		found->valloc = least_valloc;
}

/* POSIX's way from dlsym to a function. */
#define FIND(member, symbol)                                                                       \
	do {                                                                                       \
		void *address = dlsym(RTLD_NEXT, symbol);                                          \
		if (address != NULL)                                                               \
			memcpy(&found.member, &address, sizeof address);                           \
	} while (0)

/* The C library's blocks have headers; so have those of Doug Lea's allocator. Of others nothing before a
 * block may be read. */
static bool may_have_headers(const char *file)
{
	const char *base = strrchr(file, '/');
	base = base == NULL ? file : base + 1;
	return strncmp(base, "libc.so", 7) == 0 || strncmp(base, "libc-", 5) == 0 ||
	       strstr(base, "dlmalloc") != NULL;
}

/* True if the word before some blocks says what malloc_usable_size says. Small ones: a large one would
 * change when the C library maps blocks. */
static bool check_headers(const struct real_malloc *real)
{
	static const size_t sizes[] = {24, 25, 1000};
	bool good = true;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		char *block = real->malloc(sizes[i]);
		if (block == NULL)
			return false;
		const size_t usable = real->usable_size(block);
		size_t word;
		memcpy(&word, block - sizeof word, sizeof word);
		const size_t bytes = word & ~(size_t)15;
		good = good && (uintptr_t)block % 16 == 0 && (bytes == usable + sizeof(size_t));
		real->free(block);
	}
	return good;
}

/* A function that the allocator itself has: another library's blocks are not its own. NULL: it has none. */
static void *own_function(const char *symbol, const void *library)
{
	Dl_info info;
	void *address = dlsym(RTLD_NEXT, symbol);
	return address != NULL && dladdr(address, &info) != 0 && info.dli_fbase == library ? address
											   : NULL;
}

void real_malloc_find(void)
{
	struct real_malloc found = real_malloc;
	void *usable;
	Dl_info info;
	const bool outer = looking;
	looking = true;
	FIND(free, "free");
	FIND(calloc, "calloc");
	FIND(realloc, "realloc");
	FIND(memalign, "memalign");
	FIND(aligned_alloc, "aligned_alloc");
	FIND(posix_memalign, "posix_memalign");
	FIND(usable_size, "malloc_usable_size");
	FIND(malloc, "malloc");
	memcpy(&usable, &found.usable_size, sizeof usable);
	if (found.malloc == find_malloc || found.free == find_free ||
	    found.usable_size == find_usable_size || dladdr(usable, &info) == 0) {
		static const char line[] =
		    "libgcspymalloc: the program has no malloc in a shared library\n";
		(void)!write(STDERR_FILENO, line, sizeof line - 1);
		_exit(127);
	}
	void *const valloc = own_function("valloc", info.dli_fbase);
	void *const pvalloc = own_function("pvalloc", info.dli_fbase);
	memcpy(&found.valloc, &valloc, sizeof valloc);
	memcpy(&found.pvalloc, &pvalloc, sizeof pvalloc);
	const char *base = strrchr(info.dli_fname, '/');
	strncpy(name, base == NULL ? info.dli_fname : base + 1, sizeof name - 1);
	has_new = own_function("_Znwm", info.dli_fbase) != NULL;
	if (has_new) {
		/* tcmalloc makes an object for that at the first call, with operator new: here it gets early
		 * memory, later it would be asked for the size of that, again and again. */
		void *block = found.malloc(1);
		(void)found.usable_size(block);
		found.free(block);
	}
	looking = outer;
	real_malloc_has_headers = may_have_headers(info.dli_fname) && check_headers(&found);
	if (!real_malloc_has_headers) {
		(void)malloc_mode_add(MODE_NO_HEADERS);
		use_least(&found);
	}
	real_malloc = found;
}

const char *real_malloc_name(void)
{
	return name;
}

bool real_malloc_has_new(void)
{
	return has_new;
}
