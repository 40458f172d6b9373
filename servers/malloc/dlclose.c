/* The function dlclose, so that the call sites in a library are known after it has been closed. */
#define _GNU_SOURCE /* RTLD_NEXT: NOLINT(bugprone-reserved-identifier) */
#include <dlfcn.h>
#include <string.h>

#include "native_modules.h"
#include "native_sites.h"

__attribute__((visibility("default"))) int dlclose(void *handle)
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
