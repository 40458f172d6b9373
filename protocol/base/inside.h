/* Marks what the library does by itself on a thread, for gcs_inside. */
#ifndef GCSPY_BASE_INSIDE_H
#define GCSPY_BASE_INSIDE_H

#include "shared.h"

/* In pairs, which may be nested. */
SHARED_WITH_CLIENT void inside_begin(void);
SHARED_WITH_CLIENT void inside_end(void);

/* At the beginning and the end of a thread of the library's. */
SHARED_WITH_CLIENT void inside_thread_begin(void);
SHARED_WITH_CLIENT void inside_thread_end(void);

#endif
