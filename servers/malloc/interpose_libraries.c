/*
 * Other functions that replace the program's: dlclose, so that the call sites in a library are known after
 * it has been closed, and C++'s operators new and delete.
 *
 * The C++ library's operators call malloc and free, and are called here as they are. An allocator that has
 * operators of its own, as jemalloc, mimalloc and tcmalloc have, does not come through its malloc there, but
 * takes what malloc has returned; so its malloc and free are used instead, which are shown. Where that fails,
 * its operator is called after all, for the handler and the exception.
 */
#define _GNU_SOURCE /* RTLD_NEXT: NOLINT(bugprone-reserved-identifier) */
#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "malloc_thread.h"
#include "native_modules.h"
#include "native_sites.h"
#include "real_malloc.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT int dlclose(void *handle)
{
	int (*real)(void *);
	void *found = dlsym(RTLD_NEXT, "dlclose");
	memcpy(&real, &found, sizeof real);
	if (!sites_begun())
		return real(handle);
	native_modules_update();
	const int result = real(handle);
	native_modules_closed();
	return result;
}

/* The next operator; of a C program that has opened a library of C++ for that alone, the C++ library's. NULL:
 * there is none. */
static void *find_operator(_Atomic(void *) *known, const char *symbol)
{
	static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1"};
	void *found = atomic_load_explicit(known, memory_order_relaxed);
	if (found != NULL)
		return found;
	struct malloc_thread *self = malloc_self;
	malloc_ignore_begin(); /* what the loader allocates for its errors is not the program's */
	found = dlsym(RTLD_NEXT, symbol);
	for (size_t i = 0; found == NULL && i < sizeof libraries / sizeof libraries[0]; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library == NULL ? NULL : dlsym(library, symbol);
	}
	malloc_ignore_end();
	malloc_self = self;
	atomic_store_explicit(known, found, memory_order_relaxed);
	return found;
}

/* There is nobody to throw an exception. */
static void *or_abort(void *block)
{
	if (block == NULL)
		abort();
	return block;
}

/* The calls are the functions' last, so that stacks have no frame of theirs. */
#define NEW(name, symbol, parameters, arguments, own, without)                                     \
	EXPORT void *name parameters __asm__(symbol);                                              \
	void *name parameters                                                                      \
	{                                                                                          \
		static _Atomic(void *) known;                                                      \
		void *(*next)parameters;                                                           \
		void *block = real_malloc_has_new() ? (own) : NULL;                                \
		if (block != NULL)                                                                 \
			return block;                                                              \
		void *found = find_operator(&known, symbol);                                       \
		if (found == NULL)                                                                 \
			return without(own);                                                       \
		memcpy(&next, &found, sizeof next);                                                \
		return next arguments;                                                             \
	}

#define DELETE(name, symbol, parameters, arguments)                                                \
	EXPORT void name parameters __asm__(symbol);                                               \
	void name parameters                                                                       \
	{                                                                                          \
		static _Atomic(void *) known;                                                      \
		void(*next) parameters;                                                            \
		void *found = real_malloc_has_new() ? NULL : find_operator(&known, symbol);        \
		if (found == NULL) {                                                               \
			free(block);                                                               \
			return;                                                                    \
		}                                                                                  \
		memcpy(&next, &found, sizeof next);                                                \
		next arguments;                                                                    \
	}

/* Once for objects and once for arrays: their symbols differ in a letter. `no` is std::nothrow. */
#define OPERATORS(kind, new, delete)                                                               \
	NEW(kind##_new, new "m", (size_t n), (n), malloc(n), or_abort)                             \
	NEW(kind##_new_no, new "mRKSt9nothrow_t", (size_t n, const void *no), (n, no), malloc(n),  \
	    (void *))                                                                              \
	NEW(kind##_new_at, new "mSt11align_val_t", (size_t n, size_t at), (n, at),                 \
	    memalign(at, n), or_abort)                                                             \
	NEW(kind##_new_at_no, new "mSt11align_val_tRKSt9nothrow_t",                                \
	    (size_t n, size_t at, const void *no), (n, at, no), memalign(at, n), (void *))         \
	DELETE(kind##_delete, delete "Pv", (void *block), (block))                                 \
	DELETE(kind##_delete_n, delete "Pvm", (void *block, size_t n), (block, n))                 \
	DELETE(kind##_delete_no, delete "PvRKSt9nothrow_t", (void *block, const void *no),         \
	    (block, no))                                                                           \
	DELETE(                                                                                    \
	    kind##_delete_at, delete "PvSt11align_val_t", (void *block, size_t at), (block, at))   \
	DELETE(kind##_delete_n_at, delete "PvmSt11align_val_t",                                    \
	    (void *block, size_t n, size_t at), (block, n, at))                                    \
	DELETE(kind##_delete_at_no, delete "PvSt11align_val_tRKSt9nothrow_t",                      \
	    (void *block, size_t at, const void *no), (block, at, no))

OPERATORS(one, "_Znw", "_Zdl")
OPERATORS(array, "_Zna", "_Zda")
