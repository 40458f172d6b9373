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

uint32_t size_class_of(uint64_t units)
{
	if (units <= 2)
		return units < 2 ? 0 : 1;
	/* 2^k < units <= 2^(k+1) */
	const uint32_t k = 63 - (uint32_t)__builtin_clzll(units - 1);
	const uint32_t class = units <= (uint64_t)3 << (k - 1) ? 2 * k : 2 * k + 1;
	return class < SIZE_CLASSES ? class : SIZE_CLASSES - 1;
}

uint64_t gap_class_limit(uint32_t class)
{
	return class >= GAP_CLASSES - 1 ? UINT64_MAX : (uint64_t)1 << class;
}

uint32_t gap_class_of(uint64_t units)
{
	const uint32_t class = units <= 1 ? 0 : 64 - (uint32_t)__builtin_clzll(units - 1);
	return class < GAP_CLASSES ? class : GAP_CLASSES - 1;
}
