/* Classes of sizes, of blocks and of gaps: each power of two from 32 bytes on has two. */
#ifndef GCSPYMALLOC_SIZE_CLASS_H
#define GCSPYMALLOC_SIZE_CLASS_H

#include <stdint.h>

enum { SIZE_CLASSES = 36, GAP_CLASSES = 16 };

/* The class of a block of that many units of 16 bytes: the first whose limit is not below. */
uint32_t size_class_of(uint64_t units);

/* The most units of its blocks; UINT64_MAX for the last class. */
uint64_t size_class_limit(uint32_t class);

/* The same for gaps, with a class for each power of two. */
uint32_t gap_class_of(uint64_t units);
uint64_t gap_class_limit(uint32_t class);

#endif
