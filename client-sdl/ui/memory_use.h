/*
 * Memory that the C library holds beyond what the program uses. glibc keeps freed blocks in one
 * heap per thread; with snapshots of a hundred thousand tiles passed between threads, these heaps
 * would outgrow their content. Does nothing with other C libraries.
 */
#ifndef GCSPY_CLIENT_MEMORY_USE_H
#define GCSPY_CLIENT_MEMORY_USE_H

#include <stdint.h>

/* Before the first thread: few heaps, and large blocks outside of them. A heap keeps some free memory at
 * its end; else each snapshot would fetch its pages anew from the system, which doubles what painting
 * its changes costs. */
void memory_bound(void);

/* Returns free memory to the system. Takes milliseconds: not for the window's thread. */
void memory_give_back(void);

/* The same, if resident memory exceeds used memory by MEMORY_SLACK. */
#define MEMORY_SLACK (UINT64_C(16) << 20)
void memory_tidy(void);

/* Resident bytes of this process, from Linux; 0 elsewhere. */
uint64_t memory_resident(void);

#endif
