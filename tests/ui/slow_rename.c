/* Preloaded: a file stays under its temporary name for half a minute, or until a signal ends it. */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *);
	*(void **)&real = dlsym(RTLD_NEXT, "rename");
	sleep(30);
	return real(from, to);
}
