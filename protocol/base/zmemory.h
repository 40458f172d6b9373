/* zlib's memory comes from the library's allocator too, so that a server does not disturb the heap
 * that it shows. */
#ifndef GCSPY_BASE_ZMEMORY_H
#define GCSPY_BASE_ZMEMORY_H

#include <zlib.h>

/* Before deflateInit or inflateInit. */
void zmemory(z_stream *z);

#endif
