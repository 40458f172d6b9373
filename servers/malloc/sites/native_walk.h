/*
 * The stack of the calling thread, by libunwind's fast path: it knows for each return address that it has
 * seen how its frame is laid out, with or without a frame pointer (docs/decisions/011-native-call-sites.md).
 *
 * libunwind is opened for this library alone: in the program's scope its functions would replace those of the
 * C library and of C++ exceptions.
 */
#ifndef GCSPYMALLOC_NATIVE_WALK_H
#define GCSPYMALLOC_NATIVE_WALK_H

#include <stdint.h>

enum { WALK_FRAMES = 192 };

/* NULL when it works, else a sentence with the reason. Once. */
const char *native_walk_begin(void);

/* The return addresses outside this library, the youngest first; their number, at most WALK_FRAMES. */
uint32_t native_walk(uint64_t addresses[static WALK_FRAMES]);

#endif
