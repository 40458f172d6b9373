/* A library that is closed after it has allocated. */
#include <stdlib.h>

__attribute__((visibility("default"))) void *plugin_allocate(size_t bytes);

__attribute__((noinline)) void *plugin_allocate(size_t bytes)
{
	void *block = malloc(bytes);
	__asm__ volatile("" ::: "memory");
	return block;
}
