#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#include "kit.h"

enum { MOST_BYTES = 48 << 20 };

void fuzz_failed(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, condition);
	abort();
}

void fuzz_begin(void)
{
	static int begun;
	if (begun++ == 0)
		kit_count_memory(MOST_BYTES);
}

void fuzz_end(void)
{
	fuzz_expect(kit_live_blocks() == 0);
}
