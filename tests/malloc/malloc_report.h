/* What mutator.c writes: a report, then its blocks. */
#ifndef GCSPY_TESTS_MALLOC_MALLOC_REPORT_H
#define GCSPY_TESTS_MALLOC_MALLOC_REPORT_H

#include <stdint.h>

struct mutator_report {
	uint64_t time_ns;   /* monotonic; nothing changes from then on */
	uint64_t counts[3]; /* of blocks taken, freed and resized, so far */
	uint64_t blocks;
};

struct mutator_block {
	uint64_t start, bytes; /* with its header */
};

#endif
