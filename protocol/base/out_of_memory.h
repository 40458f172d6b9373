/* How often the library's allocations have failed on the calling thread: what tells data that break
 * a rule from data for which there was no room. */
#ifndef GCSPY_BASE_OUT_OF_MEMORY_H
#define GCSPY_BASE_OUT_OF_MEMORY_H

unsigned out_of_memory_count(void);

#endif
