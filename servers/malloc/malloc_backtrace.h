/* The plugin `backtrace`: addresses at the event, with names at a query. */
#ifndef GCSPYMALLOC_MALLOC_BACKTRACE_H
#define GCSPYMALLOC_MALLOC_BACKTRACE_H

#include <gcspy/plugin.h>

/* False: libunwind is not there, or was not when this library was built. Takes one backtrace: libunwind's first
 * one maps memory. */
bool malloc_backtrace_begin(void);

/* Of the calling thread, which is at an event: writes a table into `buffer`, and keeps it for a query. No lock that
 * is waited for, no allocation. */
enum gcs_status malloc_backtrace_at_event(void *buffer, size_t *length);

/* The last one, with functions' names. To be freed with gcs_plugin_free. */
enum gcs_status malloc_backtrace_answer(void **bytes, size_t *length, struct gcs_error *err);

/* In the child of fork. */
void malloc_backtrace_forget(void);

#endif
