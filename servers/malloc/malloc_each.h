/*
 * Events that are more than an addition: counted by gcs_count_event while triggers are set, each event is an
 * update, or a client holds the program; and of threads without a slot. The calling thread may wait here.
 */
#ifndef GCSPYMALLOC_MALLOC_EACH_H
#define GCSPYMALLOC_MALLOC_EACH_H

#include <stdint.h>

#include "malloc_thread.h"

struct gcs_updates;

/* Where events go that are counted by themselves; before that they are added up. */
void malloc_each_use(struct gcs_updates *updates);

/* Whether they are (the callback `each` of gcspy/updates.h). */
void malloc_each_set(void *context, bool each);

void malloc_count_each(struct malloc_thread *t, enum malloc_event event, uintptr_t location,
    uint64_t bytes, uint64_t old_bytes);

/* The block of the event that the calling thread is just counting; 0: none. */
uintptr_t malloc_each_location(void);

/* The shadow cannot be made larger: from now on nothing is recorded. Says so if there is a server. */
void malloc_cannot_record(void);

#endif
