/* UNSIGNED5 (utilities/unsigned5.hpp), in which HotSpot writes numbers that are mostly small: up to five
 * bytes of six bits each, and a large byte continues. For the files of this folder. */
#ifndef GCSPY_AGENT_VM_UNSIGNED5_H
#define GCSPY_AGENT_VM_UNSIGNED5_H

#include <stdbool.h>
#include <stdint.h>

#include "vm_load.h"

enum { UNSIGNED5_BITS = 6, UNSIGNED5_BYTES = 5, UNSIGNED5_HIGH = 64 };

/* A reader of numbers; fails past the end, or at a byte that no number contains. */
struct vm_numbers {
	uintptr_t at, end;
	uint32_t excluded; /* byte values that are not used: 0 or 1 */
	bool failed;
};

static inline uint8_t vm_read_byte(struct vm_numbers *reader)
{
	reader->failed = reader->failed || reader->at >= reader->end;
	return reader->failed ? 0 : vm_load_u8(reader->at++);
}

static inline uint32_t vm_read_number(struct vm_numbers *reader)
{
	const uint32_t low = 256 - UNSIGNED5_HIGH - reader->excluded;
	uint32_t sum = 0;
	for (uint32_t i = 0; i < UNSIGNED5_BYTES && !reader->failed; i++) {
		const uint32_t byte = vm_read_byte(reader);
		if (byte < reader->excluded)
			reader->failed = true;
		if (reader->failed)
			return 0;
		sum += (byte - reader->excluded) << (UNSIGNED5_BITS * i);
		if (byte - reader->excluded < low)
			break;
	}
	return sum;
}

#endif
