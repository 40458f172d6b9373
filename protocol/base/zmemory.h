/* Lets zlib use the library's allocator, so that a server does not disturb the heap that it shows. */
#ifndef GCSPY_BASE_ZMEMORY_H
#define GCSPY_BASE_ZMEMORY_H

#include <zlib.h>

/* Before deflateInit or inflateInit. */
void zmemory(z_stream *z);

#endif
