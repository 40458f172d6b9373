/* Number of failed allocations on the calling thread, by which a decoder tells bad data from a lack of
 * memory. */
#ifndef GCSPY_BASE_OUT_OF_MEMORY_H
#define GCSPY_BASE_OUT_OF_MEMORY_H

#include "shared.h"

SHARED_WITH_CLIENT unsigned out_of_memory_count(void);

#endif
