#ifdef GCSPYMALLOC_UNWIND

#include "unwind_functions.h"

#include <dlfcn.h>
#include <string.h>

#define TEXT(x)   #x
#define SYMBOL(x) TEXT(x)

struct unwind_functions unwind_functions;

static bool find(void *library, const char *symbol, void *place)
{
	void *address = dlsym(library, symbol);
	memcpy(place, &address, sizeof address);
	return address != NULL;
}

bool unwind_functions_find(void *library)
{
	struct unwind_functions *f = &unwind_functions;
#if !defined(__aarch64__)
	if (!find(library, SYMBOL(UNW_ARCH_OBJ(getcontext)), &f->getcontext))
		return false;
#endif
	return find(library, SYMBOL(UNW_OBJ(init_local)), &f->init_local) &&
	       find(library, SYMBOL(UNW_OBJ(get_reg)), &f->get_reg) &&
	       find(library, SYMBOL(UNW_OBJ(step)), &f->step) &&
	       find(library, SYMBOL(UNW_OBJ(get_proc_info_by_ip)), &f->get_proc_info_by_ip) &&
	       find(library, SYMBOL(UNW_ARCH_OBJ(get_accessors)), &f->get_accessors) &&
	       find(library, SYMBOL(UNW_OBJ(local_addr_space)), &f->local_addr_space);
}

#else

typedef int nothing_without_libunwind;

#endif
