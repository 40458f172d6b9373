/* The most that a JVM's heap may have, from general information (docs/collectors.md). Any thread. */
#ifndef GCSPY_ANALYSIS_HEAP_LIMIT_H
#define GCSPY_ANALYSIS_HEAP_LIMIT_H

#include <gcspy/model.h>

GCS_BEGIN_DECLS

/* In bytes; 0: not known. Exact where the heap's address range is as large; else to three digits, as the agent
 * writes it. */
double heap_limit_of(const struct gcs_info *info, uint32_t count);

GCS_END_DECLS

#endif
