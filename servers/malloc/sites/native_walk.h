/*
 * The stack of the calling thread, by libunwind's fast path: it knows for each return address that it has
 * seen how its frame is laid out, with or without a frame pointer (docs/decisions/011-native-call-sites.md).
 *
 * libunwind is opened for this library alone: in the program's scope its functions would replace those of the
 * C library and of C++ exceptions.
 */
#ifndef GCSPYMALLOC_NATIVE_WALK_H
#define GCSPYMALLOC_NATIVE_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum { WALK_FRAMES = 192 };

/* NULL when it works, else a sentence with the reason. Once. */
const char *native_walk_begin(void);

/*
 * libunwind has a pipe, with which it finds out whether memory can be read: it writes a byte from there, and
 * reads it. It uses the pipe's numbers whatever they are by then: in a program that has closed them and opened
 * files of its own there, it would read and write these. So the pipe gets high numbers, if these two are around
 * libunwind's first use, and it is looked at before each use.
 */
void native_walk_open(void);
void native_walk_opened(void);

/* True if libunwind may run: the pipe is there, or there again. False once the program has other files at its
 * numbers. */
bool native_walk_ready(void);

/* The return addresses outside this library, the youngest first; their number, at most WALK_FRAMES. 0
 * if libunwind must not run. */
uint32_t native_walk(uint64_t addresses[static WALK_FRAMES]);

/* The calling thread ends: the table that libunwind has for it goes. */
void native_walk_thread_ends(void);

/* In the child of fork. */
void native_walk_forget(void);

#endif
