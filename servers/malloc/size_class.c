#include "size_class.h"

/* 1, 2, 3, 4, 6, 8, 12, 16, … units. */
uint64_t size_class_limit(uint32_t class)
{
	if (class >= SIZE_CLASSES - 1)
		return UINT64_MAX;
	if (class < 2)
		return class + 1;
	return class % 2 == 0 ? (uint64_t)3 << (class / 2 - 1) : (uint64_t)2 << (class / 2);
}

uint64_t gap_class_limit(uint32_t class)
{
	return class >= GAP_CLASSES - 1 ? UINT64_MAX : (uint64_t)1 << class;
}
