/*
 * libunwind's functions in a library that only GCspy has open: among the program's libraries it would replace
 * functions. After this header they have the names that libunwind.h gives them.
 */
#ifndef GCSPYMALLOC_UNWIND_FUNCTIONS_H
#define GCSPYMALLOC_UNWIND_FUNCTIONS_H

#include <stdbool.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* On aarch64 the first is not a function but code of the header. */
extern struct unwind_functions {
	int (*getcontext)(unw_tdep_context_t *);
	int (*init_local)(unw_cursor_t *, unw_context_t *);
	int (*get_reg)(unw_cursor_t *, int, unw_word_t *);
	int (*step)(unw_cursor_t *);
	int (*get_proc_info_by_ip)(unw_addr_space_t, unw_word_t, unw_proc_info_t *, void *);
	unw_accessors_t *(*get_accessors)(unw_addr_space_t);
	unw_addr_space_t *local_addr_space;
} unwind_functions __attribute__((visibility("hidden")));

/* False if the library, of dlopen, has not all of them. */
bool unwind_functions_find(void *library);

#if !defined(__aarch64__)
#undef unw_getcontext
#define unw_getcontext unwind_functions.getcontext
#endif
#undef unw_init_local
#undef unw_get_reg
#undef unw_step
#undef unw_get_proc_info_by_ip
#undef unw_get_accessors
#undef unw_local_addr_space
#define unw_get_proc_info_by_ip unwind_functions.get_proc_info_by_ip
#define unw_init_local          unwind_functions.init_local
#define unw_get_reg             unwind_functions.get_reg
#define unw_step                unwind_functions.step
#define unw_get_accessors       unwind_functions.get_accessors
#define unw_local_addr_space    (*unwind_functions.local_addr_space)

#endif
