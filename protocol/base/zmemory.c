#include "zmemory.h"

#include <stddef.h>

#include <gcspy/memory.h>

static voidpf allocate(voidpf context, uInt items, uInt size)
{
	(void)context;
	return gcs_alloc((size_t)items * size);
}

static void release(voidpf context, voidpf block)
{
	(void)context;
	gcs_free(block);
}

void zmemory(z_stream *z)
{
	z->zalloc = allocate;
	z->zfree = release;
}
