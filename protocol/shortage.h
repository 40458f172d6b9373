/* How often the library's allocations have failed on the calling thread: what tells data that break
 * a rule from data for which there was no room. */
#ifndef GCSPY_PROTOCOL_SHORTAGE_H
#define GCSPY_PROTOCOL_SHORTAGE_H

unsigned shortages(void);

#endif
