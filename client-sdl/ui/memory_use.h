/*
 * How much of the system's memory the program holds beside what it uses. The C library keeps freed
 * blocks in a heap for each thread; with states of a hundred thousand tiles that pass from thread to
 * thread these heaps would be larger than what is in them. Nothing happens where the library is
 * another one than glibc.
 */
#ifndef GCSPY_CLIENT_MEMORY_USE_H
#define GCSPY_CLIENT_MEMORY_USE_H

#include <stdint.h>

/* Before the first thread: few heaps, and large blocks outside of them. */
void memory_bound(void);

/* Gives free memory back to the system. Takes milliseconds: not for the window's thread. */
void memory_give_back(void);

/* The same, if what is resident is more than what is in use by MEMORY_SLACK. */
#define MEMORY_SLACK (UINT64_C(48) << 20)
void memory_tidy(void);

/* Resident bytes of this process, as Linux tells them; 0 where it does not. */
uint64_t memory_resident(void);

#endif
